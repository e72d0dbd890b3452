# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced first by shim.t and switch_root.t: builds the driver. Everything runs
# as PID 1 of its own namespaces.

. "$(dirname "$0")/../tap.sh"
[ "$(id -u)" = 0 ] || skip_all "needs root, for namespaces and mounts"
unshare --pid --fork --mount --net true 2>/dev/null ||
	skip_all "unshare cannot make pid, mount and net namespaces"

# With the objects of the binary, but for main().
# shellcheck disable=SC2046 # one word a file
(cd "$top" && ${CC:-musl-gcc} -std=gnu11 -D_GNU_SOURCE= -O1 -Wall -Wextra \
	-static -no-pie -iquote applet \
	-idirafter "$BUILD/kernel-headers" -Wl,--wrap=poll,--wrap=syscall \
	-o "$work/driver" tests/live/shim_driver.c "$BUILD/features.o" \
	$(find applet -name '*.c' ! -name main.c ! -name features.c |
		sed "s,^,$BUILD/,; s,c\$,o,")) ||
	bail "the driver does not build"
