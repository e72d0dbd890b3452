# SPDX-License-Identifier: MIT
# Many tracers in one guest, one after the other, each as if the machine booted
# anew: in the guest, `again NAME "command line" [HIDDEN]` does what
# rdinit=/memstrack does with that command line, on a kernel that lacks what is
# hidden (hide.c). On this side, `look_at NAME` makes the functions of lib.sh
# see the console and the facts of that one alone.
# shellcheck disable=SC2034 # for the tests
[ "${boots-}" ] || . "$(dirname "$0")/lib.sh"

"$top/tests/need" musl-tools linux-libc-dev >&2 ||
	skip_all 'musl-gcc is missing'
[ -e "$BUILD/kernel-headers" ] ||
	make -s -C "$top" "$BUILD/kernel-headers" >&2 || exit 1
musl-gcc -std=gnu11 -D_GNU_SOURCE= -Os -static \
	-idirafter "$BUILD/kernel-headers" -o "$work/hide" "$here/hide.c" ||
	exit 1

again_functions='
# The last tracer ends first. Of its last report nothing is asked: who wants it,
# or traces by tracefs, ends the tracer before (end_tracers).
again() {
	kill_tracers
	rm -rf /report*
	dmesg -c >/dev/null
	echo "=== $1"
	say "=== $1"
	cmdline="rd.memstrack.ready=120 $2" hide=${3:-none} /hide boot
	say "boot=$?"
	until_it_answers
	say "tracers=$(count_tracers)"
}
# Or is gone: on a busy machine the boot may have gone on before that. Its socket
# is there before it knows whether it can trace at all; then no process but it is
# kept from the OOM killer.
until_it_answers() {
	until [ "$(count_tracers)" = 0 ] ||
		grep -qx -e -1000 /proc/[0-9]*/oom_score_adj 2>/dev/null
	do
		usleep 10000
	done
}
# What one that still runs says when it is asked; what is in the log.
tell() {
	until_it_answers
	count=$(count_tracers)
	say "tracers=$count"
	[ "$count" = 0 ] || {
		memstrack report 2>/said
		say "report=$?"
		sed "s/^/said=/" /said >&3
	}
	log
	say reached
}
'

# A guest with them that runs what stdin says, as its /init or the script $1.
again_guest() {
	cp "$work/hide" "$guest/hide"
	{ echo "$again_functions"; cat; } | and_off | to_guest "${1:-/init}"
}

look_at() {
	name=$1 console=$work/at.console facts=$work/at.facts shown=none
	for file in console facts; do
		sed -n "/^=== $1\$/,/^=== /p" "$work/$file" >"$work/at.$file"
	done
}
# The boot itself, before the first of them.
look_at_boot() {
	look_at "$1"
	for file in console facts; do
		sed '/^=== /,$d' "$work/$file" >"$work/at.$file"
	done
}
boot_again() {
	console=$work/console facts=$work/facts
	boot "$@"
}
