#!/bin/sh
# SPDX-License-Identifier: MIT
# Objects of slab in a whole boot of a distribution's image, dracut with systemd,
# at 512 MiB with the default sizes: nothing is lost, nothing finds no room, and
# the balance is near what the kernel's caches grew by.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/boot/images.sh
. "$here/images.sh"

"$top/tests/images/root" sid >/dev/null || skip_all 'no tree of sid'
real_root <<'INIT'
mounts
facts
wait_for_tracers
grep -e '"type":"head"' -e '"type":"slab_balance"' -e '"type":"slab_fault"' \
	-e '"type":"own"' /run/memstrack.json >&3
say "sites=$(grep -c '"type":"slab",' /run/memstrack.json)"
off
INIT
image=$(dracut_image dracut-112 sid) || skip_all 'the image cannot be made'
with_overlay "$image"
boot_image "rdinit=/memstrack rd.memstrack=3 rd.memstrack.slab \
rd.memstrack.out=/run/memstrack.json rd.memstrack.format=json" -c 2

of() { grep "\"type\":\"$1\"" "$facts" | number "$2"; }
allocs=$(sed -n 's/.*"type":"head".*"seen":\([0-9]*\).*/\1/p' "$facts")
echo "# $allocs events, $(of own ring_bytes) bytes of rings"
grep '"slab_balance"\|"double_free"\|"short"' "$facts" | sed 's/^/# /'
ok 'nothing was lost' test "$(of head lost)" = 0
ok 'every object found room' test "$(of slab_balance untracked)" = 0
ok 'every site too' test "$(of slab_balance sites_full)" = 0
ok 'hundreds of sites' test "$(value sites)" -ge 300
ok 'nothing was freed twice' \
	sh -c "! grep -q '\"kind\":\"double_free\"' '$facts'"
ok 'nothing was too short' sh -c "! grep -q '\"kind\":\"short\"' '$facts'"
explained=$(of slab_balance explained_permille)
ok "of what the caches grew by, $explained per mille were traced" \
	test "$explained" -ge 700 -a "$explained" -le 1300
finish
