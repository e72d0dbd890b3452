# shellcheck shell=sh
# In front of the scripts that run in a guest (counted.sh): what they tell.
#
# The kernel's log has its clock in front of each line. Of the time between two
# marks that part is no instructions in which the CPU was idle: how long it was
# by then is told outside of what is measured.

mark() { echo "bench: $*" >/dev/kmsg; }

mark_idle() {
	while read -r name _ ns _; do
		[ "$name" != .idle_sleeptime ] || mark "idle $ns"
	done </proc/timer_list
}

# counted NAME COMMAND...
counted() {
	mark_idle
	mark "begin $1"
	"$@" >/dev/null
	mark "end $1"
	mark_idle
}

# What the log says of this, in microseconds, goes to the console, where even a
# quiet kernel shows errors; the guest ends.
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
