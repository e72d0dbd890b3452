#!/bin/sh
# SPDX-License-Identifier: MIT
# Some CPUs are offline, or the numbers of CPUs have gaps: the other CPUs are
# traced, and the report says how many they are.
# shellcheck source=tests/live/tracer.sh
. "$(dirname -- "$0")/tracer.sh"

cpus=/sys/devices/system/cpu
online=$(cat $cpus/online)
victim=${online##*[-,]}
first=${online%%[-,]*}
present=$(grep -c '^processor' /proc/cpuinfo)

# ends NAME TRACED ONLINE: the tracer, which has traced so many.
ends() {
	ok "$1: ends well" stop TERM
	ok "$1: $2 of $3 CPUs" \
		grep "^kernel .*, $2 of $3 CPUs traced\$" "$out"
}
# traces CPU NAME TRACED ONLINE: this is one of those traced.
traces() {
	start --level=2
	taskset -c "$1" ls / >/dev/null
	shift
	ends "$@"
	ok "$1: events were seen" grep '[1-9][0-9]* allocs' "$out"
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

# To take a CPU from a machine moves all that was bound to it, and not all of
# it comes back: only on a machine that is there for that.
if [ "${TAKE_CPU_OFFLINE-}" != 1 ]; then
	skip "a CPU really offline" "TAKE_CPU_OFFLINE=1 allows it"
elif [ "$present" -lt 2 ] || [ ! -e $cpus/cpu"$victim"/online ]; then
	skip "a CPU really offline" "none here can be"
else
	put_back() {
		echo 1 >$cpus/cpu"$victim"/online
	}
	trap 'put_back; clean_up' EXIT
	others=$((present - 1))
	if echo 0 >$cpus/cpu"$victim"/online; then
		traces "$first" "one really offline" $others $others
		start --level=2
		put_back
		ls / >/dev/null
		ends "one that comes while tracing is not counted" \
			$others $others
		start --level=2
		echo 0 >$cpus/cpu"$victim"/online
		ls / >/dev/null
		ends "one that goes while tracing is not counted" \
			$others $others
	else
		skip "a CPU really offline" "the kernel refuses"
	fi
	put_back
	is "and it is back" "$(cat $cpus/online)" "$online"
fi
finish
