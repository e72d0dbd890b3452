#!/bin/sh
# SPDX-License-Identifier: MIT
# All lost records are counted, also those that no ring has reported: a ring
# reports them in front of the next record that fits, and there is no such
# record when the load ends with the loss. The tracer is stopped while the rings
# overflow.
set -u
# shellcheck source-path=SCRIPTDIR source=tracer.sh
. "$(dirname -- "$0")/tracer.sh"

# Kernels before 6.0 do not count them.
case $(uname -r) in
[0-5].*) skip_all "Linux $(uname -r) does not tell how many were lost" ;;
esac

out=$work/report
"$memstrack" trace --ring=64K --format=json --out="$out" &
tracer=$!
until_true catches_signals
kill -STOP "$tracer"
# 40 MB that tail keeps: 10,000 pages touched and given back, and more.
head -c 40000000 /dev/zero | tail -c 40000000 >/dev/null
kill -TERM "$tracer"
kill -CONT "$tracer"
wait "$tracer"
is "exit status" $? 0
number() {
	sed -n "/\"type\":\"head\"/s/.*\"$1\":\\([0-9]*\\).*/\\1/p" "$out"
}
lost=$(number lost)
[ "$lost" -ge 15000 ]
ok $? "at least 15,000 of the 20,000 records of these pages: $lost"
is "seen is what was applied, ignored and rejected" "$(number seen)" \
	$(($(number applied) + $(number ignored) + $(number rejected)))
echo "1..$count"
