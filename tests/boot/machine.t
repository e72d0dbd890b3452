#!/bin/sh
# SPDX-License-Identifier: MIT
# One and four CPUs, 96 MiB and 1 GiB: nothing is lost, every event is accounted
# for, and the tracer stays within its budget.
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

# A number of the report's head.
head_of() { sed -n "s/.*\"type\":\"head\".*\"$1\":\([0-9]*\).*/\1/p" "$facts"; }
conserved() {
	[ "$(head_of seen)" -gt 1000 ] && [ "$(head_of seen)" = \
		$(($(head_of applied) + $(head_of ignored) + \
		$(head_of rejected))) ]
}

for machine in '96 1' '96 4' '192 1' '1024 4'; do
	# shellcheck disable=SC2086 # two words
	set -- $machine
	name="$1 MiB, $2 CPUs"
	boot "rd.memstrack=3 rd.memstrack.out=/report.json
		rd.memstrack.format=json" -m "$1" -c "$2"
	ok "$name: a whole report" fact 'report=0'
	ok "$name: with its end" fact 'end=1'
	ok "$name: nothing lost" test "$(head_of lost)" = 0
	ok "$name: seen = applied + ignored + rejected" conserved
	ok "$name: nothing rejected" test "$(head_of rejected)" = 0
	ok "$name: the OOM killer will not take the tracer" fact 'oom=-1000'
	[ "$machine" != '192 1' ] || {
		ok "$name: at most 1.5 MiB of its own" \
			test "$(head_of own_bytes)" -le 1572864
		ok "$name: and the kernel does not see more resident" \
			test "$(value RSS)" -le 1536
	}
done
finish
