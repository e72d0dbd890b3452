#!/bin/sh
# SPDX-License-Identifier: MIT
# Objects of slab in a whole boot of a distribution's image, dracut with systemd,
# at 512 MiB with tables of the default sizes: nothing finds no room, and the
# balance is near what the kernel's caches grew by. Only in make check-all: demo.t
# has a smaller boot.
. "$(dirname "$0")/images.sh"

only_in_check_all
"$top/tests/images/root" sid >/dev/null || skip_all 'no tree of sid'
root_runs <<'INIT'
wait_for_tracers
grep -e '"type":"head"' -e '"type":"slab_balance"' -e '"type":"slab_fault"' \
	-e '"type":"own"' /run/memstrack.json >&3
say "sites=$(grep -c '"type":"slab",' /run/memstrack.json)"
INIT
image=$(dracut_image dracut-112 sid) || skip_all 'the image cannot be made'
with_overlay "$image"
boot_image "rdinit=/memstrack rd.memstrack=3 rd.memstrack.slab rd.memstrack.ring=4M \
rd.memstrack.out=/run/memstrack.json rd.memstrack.format=json" -c 2

allocs=$(sed -n 's/.*"type":"head".*"seen":\([0-9]*\).*/\1/p' "$facts")
echo "# $allocs events, $(of own ring_bytes) bytes of rings"
grep '"slab_balance"\|"double_free"\|"short"' "$facts" | sed 's/^/# /'
is 'lost' "$(of head lost)" 0
is 'objects that found no room' "$(of slab_balance untracked)" 0
is 'sites that found none' "$(of slab_balance sites_full)" 0
ok 'hundreds of sites' is_between "$(value sites)" 300 100000
ok 'nothing was freed twice' never_told '"kind":"double_free"'
ok 'nothing was too short' never_told '"kind":"short"'
ok 'of what the caches grew by, most was traced, per mille' \
	is_between "$(of slab_balance explained_permille)" 700 1300
finish
