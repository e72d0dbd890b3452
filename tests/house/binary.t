#!/bin/sh
# SPDX-License-Identifier: MIT
# The binary is static, small and unable to allocate memory. A build whose
# source does allocate fails.
# shellcheck source-path=SCRIPTDIR/.. source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
cd "$top" || exit 1

small() { make -s size BUILD="$BUILD"; }
static() {
	readelf -l -d "$MEMSTRACK" >"$work/elf" && grep -q LOAD "$work/elf" &&
		! grep -q -e INTERP -e NEEDED "$work/elf"
}
stack_not_executable() {
	readelf -l -W "$MEMSTRACK" | grep GNU_STACK | grep -q 'RW  *0x'
}
ok 'no larger than its limit' small
ok 'static: no interpreter, no library' static
ok 'its stack is not executable' stack_not_executable

# Without what only a host needs; small() has made it.
board=$BUILD/board/memstrack
lacks() {
	"$board" --help >"$work/help" 2>&1
	grep -q -e 'switch_root' "$work/help" &&
		! grep -e svg -e kmemtrace -e 'replay' "$work/help" &&
		! "$board" replay /dev/null 2>"$work/err" &&
		! "$board" --format=svg -o /dev/null 2>"$work/err" &&
		grep 'text|json|line' "$work/err"
}
ok 'APPLETS=report: no word of what it lacks' lacks
unknown() {
	! make -s BUILD="$work/none" APPLETS=prometeus size >"$work/log" 2>&1 &&
		grep 'no such word: prometeus' "$work/log"
}
ok 'APPLETS with a word that is none' unknown

# The same link with one function more that asks for memory, in a way that
# the compiler cannot do without.
offender() {
	cp -r applet Makefile tests initramfs "$work/" &&
		sed -i "s/^int main(.*/$1\n&/" "$work/applet/main.c" &&
		! make -s -C "$work" BUILD="$work/build" all >"$work/log" 2>&1 &&
		grep "undefined reference to .__wrap_$2'" "$work/log"
}
declared='__attribute__((constructor)) static void offend(void)'
ok 'malloc does not link' offender \
	"#include <stdlib.h>\n$declared { void *volatile p = malloc(9); (void)p; }" \
	malloc
rm -rf "$work/applet" "$work/build"
ok 'nor does fopen, which allocates within the library' offender \
	"#include <stdio.h>\n$declared { if (fopen(\"x\", \"r\")) _exit(1); }" \
	malloc
finish
