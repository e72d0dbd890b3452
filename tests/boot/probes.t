#!/bin/sh
# Our probes of vmalloc are in the kernel while we trace and gone afterwards. A
# tracer that is killed leaves them behind, which the next one uses and
# removes; one that is refused, since another runs, leaves that one's alone.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/boot/planted.sh
. "$here/planted.sh"

planted_guest <<'INIT'
mounts
facts
mount -t tracefs tracefs /sys/kernel/tracing
probes() { say "$1=$(grep -c memstrack /sys/kernel/tracing/kprobe_events)"; }
start() {
	memstrack trace --level=3 --format=json --out=/report.json &
	until memstrack report 2>/dev/null; do
		usleep 20000
	done
}
start
probes first
kill -9 %1
wait
probes killed
start
memstrack trace
say "refused=$?"
probes second
load finit /lib/planted0.ko vm=64
step loaded
say "kptr=$(cat /proc/sys/kernel/kptr_restrict)"
kill %2 2>/dev/null || kill %1
wait
probes ended
off
INIT

boot 'quiet rd.memstrack=0' -m 256
ok 'four while it traces' fact first=4
ok 'a tracer that is killed leaves them' fact killed=4
ok 'a second one beside another is refused' fact refused=1
ok 'and leaves them alone' fact second=4
ok 'they tell the next one of areas' \
	same "$(row loaded planted0 | number vmalloc_pages)" 64
ok 'kptr_restrict is as it was' fact kptr=0
ok 'they are gone when it ends' fact ended=0
finish
