#!/bin/sh
# SPDX-License-Identifier: MIT
# Some CPUs are offline, or the numbers of CPUs have gaps: the other CPUs are
# traced, and the report says how many they are.
set -u
# shellcheck source-path=SCRIPTDIR source=tracer.sh
. "$(dirname -- "$0")/tracer.sh"

cpus=/sys/devices/system/cpu
online=$(cat $cpus/online)
victim=${online##*[-,]}
first=${online%%[-,]*}
present=$(grep -c '^processor' /proc/cpuinfo)

# traces CPU NAME TRACED ONLINE: this is one of those traced.
traces() {
	traced=$1
	shift
	start --level=2
	taskset -c "$traced" ls / >/dev/null
	stop TERM
	is "$1: exit status" $? 0
	grep '^kernel ' "$out" >"$work/kernel"
	check "$1: $2 of $3 CPUs" \
		grep -q ", $2 of $3 CPUs traced\$" "$work/kernel"
	grep -q '[1-9][0-9]* allocs' "$out"
	ok $? "$1: events were seen"
}

traces "$first" "all that are online" "$present" "$present"

# What the kernel would say of other machines, for this test alone.
list=$work/online
says() {
	echo "$1" >"$list"
}
: >"$list"
if mount --bind "$list" $cpus/online 2>/dev/null; then
	says "$first"
	traces "$first" "the first alone" 1 1
	says "$victim"
	traces "$victim" "the last alone" 1 1
	absent=$(sed 's/.*[-,]//' $cpus/possible)
	if [ "$absent" != "$victim" ]; then
		says "$online,$absent"
		traces "$first" "one that just went" "$present" $((present + 1))
		says "$absent"
		"$memstrack" trace --backend=perf --out="$work/none" \
			>"$work/line" 2>&1
		is "none of those listed: exit status" $? 1
		check "none of those listed: is told in one line" \
			one_line "$work/line" "perf events: No such device"
	else
		skip "one that just went: all that can be are online"
	fi
	umount $cpus/online
else
	skip "lists of CPUs: nothing can be mounted on $cpus/online"
fi

# To take a CPU from a machine moves all that was bound to it, and not all of
# it comes back: only on a machine that is there for that.
if [ "${TAKE_CPU_OFFLINE-}" != 1 ]; then
	skip "a CPU really offline: TAKE_CPU_OFFLINE=1 allows it"
elif [ "$present" -lt 2 ] || [ ! -e $cpus/cpu"$victim"/online ]; then
	skip "a CPU really offline: none here can be"
else
	put_back() {
		echo 1 >$cpus/cpu"$victim"/online
	}
	trap 'put_back; clean_up' EXIT
	if echo 0 >$cpus/cpu"$victim"/online; then
		traces "$first" "one really offline" $((present - 1)) $((present - 1))
		start --level=2
		put_back
		ls / >/dev/null
		stop TERM
		is "one that comes while tracing: exit status" $? 0
		check "one that comes while tracing: is not counted" grep -q \
			", $((present - 1)) of $((present - 1)) CPUs traced\$" \
			"$out"
		start --level=2
		echo 0 >$cpus/cpu"$victim"/online
		ls / >/dev/null
		stop TERM
		is "one that goes while tracing: exit status" $? 0
		check "one that goes while tracing: is not counted" grep -q \
			", $((present - 1)) of $((present - 1)) CPUs traced\$" \
			"$out"
	else
		skip "a CPU really offline: the kernel refuses"
	fi
	put_back
	is "and it is back" "$(cat $cpus/online)" "$online"
fi
echo "1..$count"
