#!/bin/sh
# SPDX-License-Identifier: MIT
# Only root can send requests to the tracer or stop it. Other users cannot: not
# as root of their own user namespace, not with our programs or their own, and
# not by asking as often as they can. No link that they make leads root's files
# elsewhere.
set -u
# shellcheck source-path=SCRIPTDIR source=tracer.sh
. "$(dirname -- "$0")/tracer.sh"

build intruder

# The kernel log of this test alone: where a report goes that has no file.
: >"$work/kmsg"
mount --bind "$work/kmsg" /dev/kmsg ||
	skip_all "no /dev/kmsg that another can be mounted on"

common=$work/common
mkdir "$common"
chmod 755 "$work"
chmod 1777 "$common"
cp "$work/intruder" "$memstrack" "$common"
nobody() {
	timeout 30 setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

# --- requests

# What the tracer may take of a CPU, in per cent, while others do all to reach
# it; the rest is the events that this causes.
MOST_PERCENT=5
FLOOD_SECONDS=6

start --format=json --level=3
for byte in r s x; do
	is "'$byte' of a stranger does not come through" \
		"$(nobody "$common/intruder" ask "$tracer" $byte)" -1
done
if nobody unshare --user --map-root-user true 2>/dev/null; then
	for byte in r s; do
		is "nor of a stranger who is root of a namespace" "$(nobody \
			unshare --user --map-root-user \
			"$common/intruder" ask "$tracer" $byte)" -1
	done
	nobody unshare --user --map-root-user "$common/memstrack" report \
		2>"$work/line"
	is "nor does his memstrack" $? 1
	check "and says so" one_line "$work/line" "Operation not permitted"
else
	skip "the root of a namespace: none to be had"
fi
is "root's own is answered 0" "$("$work/intruder" ask "$tracer" r)" 0
is "what is no request, EINVAL" "$("$work/intruder" ask "$tracer" x)" 22

# All the time, two of them.
cpu_ticks() {
	awk '{ print $14 + $15 }' "/proc/$tracer/stat"
}
before=$(cpu_ticks)
for n in 1 2; do
	nobody "$common/intruder" flood "$tracer" $FLOOD_SECONDS \
		>"$work/flood.$n" &
	helper="${helper-} $!"
done
wrong=0
for pid in $helper; do
	wait "$pid" || wrong=1
done
helper=
ticks=$(($(cpu_ticks) - before))
percent=$((ticks * 100 / (FLOOD_SECONDS * $(getconf CLK_TCK))))
sed 's/^/# /' "$work/flood.1" "$work/flood.2"
is "two floods of connections: none comes through" "$wrong $(grep -c \
	', 0 through' "$work/flood.1" "$work/flood.2" | cut -d: -f2 |
	tr '\n' ' ')" "0 1 1 "
[ $percent -le $MOST_PERCENT ]
ok $? "and cost the tracer $percent % of a CPU, of $MOST_PERCENT allowed"

nobody "$common/intruder" flood "$tracer" 4 >"$work/flood" &
helper=$!
wrong=0
reports=0
while [ $reports -lt 10 ]; do
	"$memstrack" report || wrong=$((wrong + 1))
	reports=$((reports + 1))
	sleep 0.2
done
wait "$helper"
helper=
echo "# $(cat "$work/flood")"
is "amid a flood of connections, root's ten requests are answered" $wrong 0

# --- signals

for signal in TERM INT KILL USR1 USR2 STOP; do
	# shellcheck disable=SC2016 # the inner shell's
	! nobody sh -c 'kill -s "$1" "$2"' sh $signal "$tracer" 2>/dev/null
	ok $? "SIG$signal of a stranger is refused"
done
stop TERM
is "root's ends it" $? 0
check "and there is no report but root's" report count 13

# --- files

echo untouched >"$work/mine"
chmod 666 "$work/mine"
ln -s "$work/mine" "$work/link"
ln -s "$work/mine" "$common/root-link"
nobody ln -s "$work/mine" "$common/link"
nobody ln -s "$common/made" "$common/dangling"
for link in "$work/link" "$common/root-link" "$common/link" \
	"$common/dangling"; do
	name=${link#"$work/"}
	: >"$work/kmsg"
	"$memstrack" trace --level=1 --out="$link" 2>"$work/stderr" &
	tracer=$!
	until_true catches_signals
	stop TERM
	grep -qF "cannot write" "$work/stderr" && grep -qF "$link" "$work/stderr"
	ok $? "--out=$name, a link: is refused"
	check "--out=$name: the report goes to the kernel log" \
		grep -q ': end of report' "$work/kmsg"
	timeout 30 "$memstrack" record "$link" --out=/dev/null \
		>"$work/line" 2>&1
	is "record $name, a link: exit status" $? 1
	check "record $name: is told in one line" one_line "$work/line" "$link"
done
is "what they led to is what it was" "$(cat "$work/mine")" untouched
[ ! -e "$common/made" ]
ok $? "or is not made"

# What is there already and his: he reads it, or waits at the other end.
nobody sh -c "umask 0; : >'$common/his'; mkfifo '$common/pipe'"
for his in "$common/his" "$common/pipe"; do
	name=${his#"$work/"}
	: >"$work/kmsg"
	nobody cat "$his" >"$work/stolen" &
	helper=$!
	"$memstrack" trace --level=1 --out="$his" 2>"$work/stderr" &
	tracer=$!
	until_true catches_signals
	stop TERM
	kill "$helper" 2>/dev/null
	wait "$helper" 2>/dev/null
	helper=
	grep -qF "cannot write $his: " "$work/stderr"
	ok $? "--out=$name, a stranger's: is refused"
	[ ! -s "$his" ] && [ ! -s "$work/stolen" ]
	ok $? "--out=$name: he gets nothing"
	check "--out=$name: the report goes to the kernel log" \
		grep -q ': end of report' "$work/kmsg"
done

# A terminal is whose session it is.
if mknod "$work/device" c 1 3 && chown 65534 "$work/device" &&
	: >"$work/device"; then
	out=$work/device
	"$memstrack" trace --level=1 --out="$out" 2>"$work/stderr" &
	tracer=$!
	until_true catches_signals
	stop TERM
	check "--out=device, a stranger's: is written to" \
		is_empty "$work/stderr"
else
	skip "--out=device: none to be had"
fi

umask 0
start --level=1
stop TERM
is "a report is for its owner alone, whatever the umask" \
	"$(stat -c '%a %u' "$out")" "600 0"
out=$work/report.json
"$memstrack" record "$work/trace" --format=json --out="$out" \
	2>"$work/stderr" &
tracer=$!
until_true catches_signals
stop TERM
is "and so is a trace" "$(stat -c '%a %u' "$work/trace")" "600 0"

# What is there already and root's, but read by all, or by another name too.
for name in report.json trace; do
	rm -f "${work:?}/$name"
	echo public >"$work/$name"
	chmod 644 "$work/$name"
	ln "$work/$name" "$work/$name.link"
	exec 7<"$work/$name"
	"$memstrack" record "$work/trace" --format=json --out="$out" \
		2>"$work/stderr" &
	tracer=$!
	until_true catches_signals
	stop TERM
	is "an old $name: exit status" $? 0
	is "an old $name: is for root alone then" \
		"$(stat -c '%a %u %h' "$work/$name")" "600 0 1"
	is "an old $name: its other name has what it had" \
		"$(cat "$work/$name.link")" public
	is "an old $name: and so has who reads it" "$(cat <&7)" public
done
echo "1..$count"
