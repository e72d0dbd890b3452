# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Put in front of the scripts that run in a guest (counted.sh): how they report.
#
# Each line of the kernel's log begins with its clock. Between two marks, the
# time in which the CPU was idle is no instructions. So the idle time so far is
# written outside of each measured part.

mark() { echo "bench: $*" >/dev/kmsg; }

mark_idle() {
	while read -r name _ ns _; do
		[ "$name" != .idle_sleeptime ] || mark "idle $ns"
	done </proc/timer_list
}

# counted NAME [COMMAND...]: the command, or a function of this name.
counted() {
	part=$1
	[ $# = 1 ] || shift
	mark_idle
	mark "begin $part"
	"$@" >/dev/null
	mark "end $part"
	mark_idle
}

# Writes these lines of the log, with times in microseconds, to the console as
# errors, which even a quiet kernel shows. Then the guest ends.
off() {
	dmesg | grep -e 'bench: ' -e ' as init process' -e '"type":"head"' \
		-e 'EXT4-fs (vda): mounted' |
		sed 's/^\[ *\([0-9]*\)\.\([0-9]*\)\] /\1\2 /' |
		while read -r line; do
			echo "<3>bench at $line" >/dev/kmsg
		done
	echo o >/proc/sysrq-trigger
	sleep 60
}
# ---------------------------------------------------------------------------
