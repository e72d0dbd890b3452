#!/bin/sh
# SPDX-License-Identifier: MIT
# The objects of slab that `perf kmem record` saw in the same seconds, of the same
# module: hits, bytes requested and allocated, and objects freed on another CPU,
# for each call site, are the same. (make check compares them with what is
# planted: objects.t.)
. "$(dirname "$0")/planted.sh"
[ "${MATRIX-}" = all ] || skip_all 'only in make check-all'

"$top/tests/need" linux-perf >&2 || skip_all 'perf is missing'
perf=/usr/bin/perf
[ -x "$perf" ] || skip_all "perf is missing"

planted_runs <<'INIT'
mount -t tracefs tracefs /sys/kernel/tracing
HOME=/ /usr/bin/perf kmem record -m 4096 -o /perf.data load finit /lib/planted4.ko \
	"keep=500 temp=400 cross=300 single=200 again=250 realloc=60 family=50" \
	>&2
grep '\[planted4\]' /proc/kallsyms | sed 's/^/symbol=/' >&3
memstrack report
grep '"type":"slab".*\[planted4\]' /report.json | sed 's/^/ours=/' >&3
say "lost=$(sed -n 's/.*"type":"head".*"lost":\([0-9]*\).*/\1/p' /report.json)"
HOME=/ /usr/bin/perf kmem -i /perf.data --caller --raw-ip -l 100000 stat >/perf.txt 2>&1
sed -n 's/^ *\(0x[0-9a-f]*\) *|/perf=\1 /p' /perf.txt >&3
grep -i 'lost' /perf.txt | sed 's/^/perf-lost=/' >&3
INIT
{ ldd "$perf" | sed -n 's,^[^/]*\(/[^ ]*\) (.*,\1,p'; echo "$perf"; } |
	while read -r file; do cp -L --parents "$file" "$guest"; done
boot "$parameters rd.memstrack.slab=4M" -m 512 -c 2

python3 -B "$here/objects_perf.py" "$facts" >"$work/compared"
grep '^#' "$work/compared"
ok 'no record of ours was lost' fact lost=0
ok 'none of its own either' never_told '^perf-lost='
ok 'both have its sites' test "$(grep -c '^site' "$work/compared")" -ge 8
ok 'hits, bytes and other CPUs agree at each of them' \
	fails grep '^differs' "$work/compared"
finish
