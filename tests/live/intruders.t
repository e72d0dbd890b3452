#!/bin/sh
# Nobody but root asks the tracer for anything or stops it, be he the root of a
# namespace of his own, speak as the programs do or not, and as often as he
# can; and no link of his leads root's files elsewhere.
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

start --format=json --level=3
for byte in r s x; do
	is "'$byte' of a stranger is answered EPERM" \
		"$(nobody "$common/intruder" ask $byte)" 1
done
if nobody unshare --user --map-root-user true 2>/dev/null; then
	for byte in r s; do
		is "and of a stranger who is root of a namespace" "$(nobody \
			unshare --user --map-root-user \
			"$common/intruder" ask $byte)" 1
	done
	nobody unshare --user --map-root-user "$common/memstrack" report \
		2>"$work/line"
	is "so is his memstrack" $? 1
	check "and says so" one_line "$work/line" "Operation not permitted"
else
	skip "the root of a namespace: none to be had"
fi
is "root's own is answered 0" "$("$work/intruder" ask r)" 0
is "what is no request, EINVAL" "$("$work/intruder" ask x)" 22

# More than it can have waiting, all the time.
nobody "$common/intruder" flood 4 >"$work/flood" &
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
echo "# $(cat "$work/flood") connections"
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
