#!/bin/sh
# SPDX-License-Identifier: MIT
# Some CPUs are offline, or the numbers of CPUs have gaps: the other CPUs are
# traced, and the report says how many they are. (CPUs that really go and come:
# tests/boot/hotplug.t.)
. "$(dirname "$0")/tracer.sh"

cpus=/sys/devices/system/cpu
online=$(cat $cpus/online)
victim=${online##*[-,]}
first=${online%%[-,]*}
present=$(grep -c '^processor' /proc/cpuinfo)

# traces CPU NAME TRACED ONLINE: this is one of those traced.
traces() {
	start --level=2
	taskset -c "$1" ls / >/dev/null
	ok "$2: ends well" stop TERM
	ok "$2: $3 of $4 CPUs" \
		grep "^kernel .*, CPUs traced: $3 of $4\$" "$out"
	ok "$2: events were seen" grep '[1-9][0-9]* allocs' "$out"
}

traces "$first" "all that are online" "$present" "$present"

# What the kernel would say of other machines, for this test alone.
list=$work/online
: >"$list"
if mount --bind "$list" $cpus/online 2>/dev/null; then
	echo "$first" >"$list"
	traces "$first" "the first alone" 1 1
	echo "$victim" >"$list"
	traces "$victim" "the last alone" 1 1
	absent=$(sed 's/.*[-,]//' $cpus/possible)
	if [ "$absent" != "$victim" ]; then
		echo "$online,$absent" >"$list"
		traces "$first" "one that just went" "$present" $((present + 1))
		echo "$absent" >"$list"
		says "none of those listed: is told in one line" \
			1 "perf events: No such device" \
			"$memstrack" trace --backend=perf --out="$work/none"
	else
		skip "one that just went" "all that can be are online"
	fi
	umount $cpus/online
else
	skip "lists of CPUs" "nothing can be mounted on $cpus/online"
fi

finish
