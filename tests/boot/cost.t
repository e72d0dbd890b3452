#!/bin/sh
# SPDX-License-Identifier: MIT
# What tracing costs in a short boot, in instructions: no part takes 2 % more or
# less than the figure that stands here. A change that costs or saves that much
# changes the figure, and its commit says why.
#
# The guest's clock counts instructions (-icount), so the figures are the same on
# any machine, however busy, to 1 %. Counted are: the start, from the first process
# to a tracer that is ready; the same work, traced and, when the tracer has ended,
# untraced (the difference is the cost of the events, the kernel's part included);
# the tracer's own time in idle seconds; and a report. The start and the idle
# seconds alone are not judged, because how often the tracer looks at files is
# chance: 37.5 or 39.0 million, and 4.5 to 5.3.
#
# The kernel's part depends on the kernel, so the figures are those of a series
# of kernels. For another series the counts are shown and not judged.
. "$(dirname "$0")/lib.sh"

guest_program "$top/tests/live/churn.c" -pthread
loadable fuse
{
	cat "$top/tests/bench/guest.sh"
	cat <<'INIT'
mkdir -p /dev
mount -t devtmpfs dev /dev
mark init
mounts
facts
mkdir /tmpfs
mount -t tmpfs -o huge=never tmpfs /tmpfs
mark_idle

run_programs() {
	for i in 1 2 3 4 5 6 7 8 9 10; do
		busybox ls -l /bin
	done
}
load_fuse() {
	for i in 1 2 3 4; do
		busybox insmod /modules/*.ko
		busybox rmmod fuse
	done
}
write_pages() { churn tmpfs /tmpfs/file 1024 2; }
touch_pages() { churn anon 1024 2; }
work() {
	counted "programs.$1" run_programs
	counted "loads.$1" load_fuse
	counted "written.$1" write_pages
	counted "touched.$1" touch_pages
}
# The time on the CPU so far of the tracer, in nanoseconds.
own() { cut -d ' ' -f 1 "/proc/$(tracers)/schedstat"; }

work first
work traced
before=$(own)
sleep 4
say "idle=$(($(own) - before))"
counted report memstrack report
say "lost=$(sed -n 's/.*"type":"head".*"lost":\([0-9]*\).*/\1/p' /report.json)"
end_tracers
work first
work untraced
off
INIT
} | to_guest /init
boot "quiet nokaslr rd.memstrack=2 $json" -i 0

sed -n 's/^.*bench at //p' "$console" |
	awk -f "$top/tests/bench/counted.awk" >"$work/counted"
# In thousands of instructions.
count_of() {
	awk -v name="$1" '$1 == name { print int($2 / 1000) }' "$work/counted"
}
all=0
for part in programs loads written touched; do
	more=$(($(count_of $part.traced) - $(count_of $part.untraced)))
	echo "# $part: $more thousand"
	all=$((all + more))
done

# costs WHAT THOUSANDS FIGURE: not 2 % more or less than the figure.
costs() {
	echo "# $1: $2 thousand"
	if [ "$3" = - ]; then
		skip "$1" "no figure for $(cat "$kernel/release")"
	else
		ok "$1" is_between "$2" $(($3 * 98 / 100)) $(($3 * 102 / 100))
	fi
}

is 'nothing lost' "$(value lost)" 0
start=$(count_of start) idle=$(($(value idle) / 1000))
echo "# start: $start thousand, idle: $idle thousand"
case $(cat "$kernel/release") in
6.1.*) set -- 94500 335000 ;;
*) set -- - - ;;
esac
costs 'the start, 10 programs, 4 loads of a module, 4096 pages, 4 idle seconds' \
	$((start + all + idle)) "$1"
costs 'a report' "$(count_of report)" "$2"
finish
