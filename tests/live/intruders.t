#!/bin/sh
# SPDX-License-Identifier: MIT
# Only root can send requests to the tracer or stop it. Other users cannot: not
# as root of their own user namespace, not with our programs or their own, and
# not by asking as often as they can. No link that they make leads root's files
# elsewhere.
. "$(dirname "$0")/tracer.sh"

need_strace
build intruder
own_kernel_log		# where a report goes that has no file

common_folder "$work/intruder" "$memstrack"

# --- requests

start --format=json --level=1
for byte in r s x; do
	is "'$byte' of a stranger does not come through" \
		"$(nobody "$common/intruder" ask "$tracer" $byte)" -1
done
if nobody unshare --user --map-root-user true 2>/dev/null; then
	for byte in r s; do
		is "nor '$byte' of a stranger who is root of a namespace" \
			"$(nobody unshare --user --map-root-user \
			"$common/intruder" ask "$tracer" $byte)" -1
	done
	says "nor does his memstrack" 1 "Operation not permitted" nobody \
		unshare --user --map-root-user "$common/memstrack" report
else
	skip "the root of a namespace" "none to be had"
fi
is "root's own is answered 0" "$("$work/intruder" ask "$tracer" r)" 0
is "what is no request, EINVAL" "$("$work/intruder" ask "$tracer" x)" 22

# Two who ask all the time. What this costs the tracer is counted: each
# connection that it takes, and each time that one wakes it. (The share of a CPU
# that their own events cost it: tests/bench.)
spy accept4,ppoll,sendto
mkfifo "$work/fifo"
for n in 1 2; do
	nobody "$common/intruder" flood "$tracer" <"$work/fifo" \
		>"$work/flood.$n" &
	helper="$helper $!"
done
exec 9>"$work/fifo"
until_true grep -q floods "$work/flood.1"
until_true grep -q floods "$work/flood.2"
ok "amid two floods of connections, root's ten requests are answered" \
	ten_requests
exec 9>&-
# shellcheck disable=SC2086 # one word a pid
wait $helper
helper=
spy_ends
sed 's/^/# /' "$work"/flood.?
is "none of the floods comes through" \
	"$(cat "$work"/flood.? | grep -c 'tries, 0 through')" 2
# A client that is not let run for a second is asked to come again (EAGAIN).
connections=$((10 + $(grep -c 'sendto(.*, "\\v", 1, ' "$work/strace")))
is "the tracer accepts ten connections, and who is asked again" \
	"$(grep -c 'accept4(.*) = [0-9]' "$work/strace")" $connections
# The socket that listens, as accept4 names it.
listens=$(sed -n 's/.*accept4(\([0-9]*\)<.*/\1/p;T;q' "$work/strace")
ok "and no other connection wakes it" is_between \
	"$(grep -c "= [1-9].*{fd=${listens}[<,].*revents=" "$work/strace")" 1 $connections

# --- signals

for signal in TERM INT KILL USR1 USR2 STOP; do
	ok "SIG$signal of a stranger is refused" \
		fails nobody sh -c 'kill -s "$1" "$2"' sh $signal "$tracer"
done
ok "root's ends it" stop TERM
ok "and there is no report but root's" report count 13

# --- files

# refuses FILE: a tracer that does not write its report there, and says so.
refuses() {
	: >"$work/kmsg"
	begin trace --level=1 --out="$1"
	stop TERM
	cat "$work/stderr"
	grep -qF "cannot write $1: " "$work/stderr" &&
		grep -q ': end of report' "$work/kmsg"
}
echo untouched >"$work/mine"
chmod 666 "$work/mine"
ln -s "$work/mine" "$work/link"
ln -s "$work/mine" "$common/root-link"
nobody ln -s "$work/mine" "$common/link"
nobody ln -s "$common/made" "$common/dangling"
for link in "$work/link" "$common/root-link" "$common/link" \
	"$common/dangling"; do
	name=${link#"$work/"}
	ok "--out=$name, a link: is refused, the kernel log gets the report" \
		refuses "$link"
	says "record $name, a link: is refused in one line" 1 "$link" \
		"$memstrack" record "$link" --out=/dev/null
done
is "what they led to is what it was" "$(cat "$work/mine")" untouched
ok "or is not made" fails test -e "$common/made"

# What is there already and his: he reads it, or waits at the other end.
nobody sh -c "umask 0; : >'$common/his'; mkfifo '$common/pipe'"
for his in "$common/his" "$common/pipe"; do
	name=${his#"$work/"}
	setpriv --reuid=65534 --regid=65534 --clear-groups cat "$his" \
		>"$work/stolen" &
	helper=$!
	ok "--out=$name, a stranger's: is refused, the log gets the report" \
		refuses "$his"
	kill $helper 2>/dev/null
	wait $helper 2>/dev/null
	helper=
	ok "--out=$name: he gets nothing" \
		test ! -s "$his" -a ! -s "$work/stolen"
done

# A terminal is whose session it is.
if mknod "$work/device" c 1 3 && chown 65534 "$work/device" &&
	: >"$work/device"; then
	begin trace --level=1 --out="$work/device"
	stop TERM
	ok "--out=device, a stranger's: is written to" \
		is_empty "$work/stderr"
else
	skip "--out=device" "none to be had"
fi

umask 0
out=$work/report.json
begin record "$work/trace" --format=json --out="$out"
stop TERM
for name in report.json trace; do
	is "$name is for its owner alone, whatever the umask" \
		"$(stat -c '%a %u' "$work/$name")" "600 0"
done

# What is there already and root's, but read by all, or by another name too.
for name in report.json trace; do
	rm -f "${work:?}/$name"
	echo public >"$work/$name"
	chmod 644 "$work/$name"
	ln "$work/$name" "$work/$name.link"
	exec 7<"$work/$name"
	begin record "$work/trace" --format=json --out="$out"
	ok "an old $name: ends well" stop TERM
	is "an old $name: is for root alone then" \
		"$(stat -c '%a %u %h' "$work/$name")" "600 0 1"
	is "an old $name: its other name has what it had" \
		"$(cat "$work/$name.link")" public
	is "an old $name: and so has who reads it" "$(cat <&7)" public
done
finish
