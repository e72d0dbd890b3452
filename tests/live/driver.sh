# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced by shim.t and switch_root.t: builds the driver, makes a temporary
# directory, and has TAP. Everything runs as PID 1 of its own namespaces.

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
applet=$here/../../applet
# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$here/tap.sh"

# has FILE LINE NAME: the file has this line.
has() {
	grep -qxF -- "$2" "$1"
	status=$?
	ok $status "$3"
	[ $status = 0 ] || sed 's/^/# /' "$1"
}

# holds FILE TEXT NAME: the file has this text in some line.
holds() {
	grep -qF -- "$2" "$1"
	status=$?
	ok $status "$3"
	[ $status = 0 ] || sed 's/^/# /' "$1"
}

[ "$(id -u)" = 0 ] || skip_all "needs root, for namespaces and mounts"
unshare --pid --fork --mount --net true 2>/dev/null ||
	skip_all "unshare cannot make pid, mount and net namespaces"

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

headers=${BUILD:-$here/../../build}/kernel-headers
# shellcheck disable=SC2046 # one word a file
${CC:-musl-gcc} -std=gnu11 -D_GNU_SOURCE= -O1 -static -iquote "$applet" \
	-idirafter "$headers" -o "$work/driver" "$here/shim_driver.c" \
	$(find "$applet" -name '*.c' ! -name main.c) || {
	echo "Bail out! the driver does not build"
	exit 1
}
