#!/bin/bash
# SPDX-License-Identifier: MIT
# dracut's side of rd.memstrack=: memstrack-dracut(7). Not dracut's own module
# "memstrack", which serves rd.memdebug=; an image may have both.
#
# $moddir, $initdir, $DRACUT_TMPDIR, $systemdsystemunitdir and $SYSTEMCTL are
# dracut's.
# shellcheck disable=SC2154

# The program that is made for images; else the one with a host's tools.
program() {
	local binary=/usr/lib/memstrack/memstrack
	[[ -x ${dracutsysrootdir-}$binary ]] || binary=memstrack
	echo "$binary"
}

# Only where it is asked for.
check() {
	require_binaries "$(program)" || return 1
	return 255
}

depends() {
	return 0
}

# The report says in which hook memory went. What a hook runs is sourced, and does
# not know in which one it is.
marks() {
	local hook mark=$DRACUT_TMPDIR/memstrack-mark.sh

	for hook in cmdline pre-udev pre-trigger initqueue pre-mount mount \
		pre-pivot; do
		echo "/usr/bin/memstrack mark $hook 2>/dev/null || :" >"$mark"
		inst_hook "$hook" 00 "$mark"
	done
	rm -f "$mark"
}

# The kernel's rdinit= wants the one path that is the same in any image: a link,
# which the overlay's file may replace. Tracers are started by the unit or, for
# want of systemd, by the first hook there is. An image that is a squashfs within
# another one executes /memstrack in the outer one, $squashdir.
install() {
	inst_binary "$(find_binary "$(program)")" /usr/bin/memstrack
	ln_r /usr/bin/memstrack /memstrack
	[[ ! -d ${squashdir-} ]] || dstdir=$squashdir inst_simple \
		"$(find_binary "$(program)")" /memstrack
	if dracut_module_included systemd; then
		inst_simple "$moddir/memstrack-boot.service" \
			"$systemdsystemunitdir/memstrack-boot.service"
		$SYSTEMCTL -q --root "$initdir" add-wants sysinit.target \
			memstrack-boot.service
	else
		inst_hook cmdline 00 "$moddir/memstrack-boot.sh"
	fi
	marks
}
