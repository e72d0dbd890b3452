#!/bin/sh
# SPDX-License-Identifier: MIT
# Every event is accounted for, and the tracer stays within its budget. With one
# CPU, whose clock counts instructions, the rings of the default size lose nothing
# of a boot: whatever else the host does, the same happens.
#
# MATRIX=all: with 1 GiB and with one small CPU, too.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"

# A little work on every CPU; then what the tracer holds, told by the kernel.
to_guest /init <<'INIT'
mounts
facts
mkdir /scratch
mount -t tmpfs tmpfs /scratch
for i in 1 2 3 4; do
	(head -c 4000000 /dev/zero >/scratch/$i; ls -lR /bin >/dev/null) &
done
wait
tracer=$(tracers | head -n 1)
grep -E '^Vm(RSS|Lck|HWM):' "/proc/$tracer/status" |
	sed 's/^Vm\([^:]*\):[^0-9]*\([0-9]*\).*/\1=\2/' >&3
say "oom=$(cat "/proc/$tracer/oom_score_adj")"
memstrack report
say "report=$?"
grep '"type":"head"' /report.json >&3
say "end=$(tail -n 1 /report.json | grep -c '"type":"end"')"
off
INIT

conserved() {
	is_between "$(of head seen)" 1000 10000000 && same "$(of head seen)" \
		$(($(of head applied) + $(of head ignored) + \
		$(of head rejected)))
}

# on MIB CPUS [options of initramfs/qemu]
on() {
	name="$1 MiB, $2 CPUs"
	memory=$1 cpus=$2
	shift 2
	boot "$json_report" -m "$memory" -c "$cpus" "$@"
	ok "$name: a whole report" fact 'report=0'
	ok "$name: with its end" fact 'end=1'
	ok "$name: seen = applied + ignored + rejected" conserved
	is "$name: nothing rejected" "$(of head rejected)" 0
	ok "$name: the OOM killer will not take the tracer" fact 'oom=-1000'
}

on 192 1 -i
is "$name: nothing lost" "$(of head lost)" 0
ok "$name: at most 1.5 MiB of its own" \
	is_between "$(of head own_bytes)" 1 1572864
ok "$name: and the kernel does not see more resident" \
	is_between "$(value RSS)" 1 1536
on 96 4
[ "${MATRIX-}" != all ] || {
	on 96 1
	on 1024 4
}
finish
