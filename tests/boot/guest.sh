#!/bin/sh
# SPDX-License-Identifier: MIT
# Put in front of every script that runs in the guest (tests/boot/lib.sh).
export PATH=/bin:/sbin:/

# What the guest has to tell goes to its second serial port, as it is.
mounts() {
	mkdir -p /proc /sys /dev /run
	mount -t proc proc /proc
	mount -t sysfs sysfs /sys
	mount -t devtmpfs devtmpfs /dev
}
facts() {
	stty -F /dev/ttyS1 -opost -echo
	exec 3>/dev/ttyS1
}
say() { echo "$*" >&3; }
# send NAME FILE: packed; sent.py reads it.
send() {
	say "sent=$1"
	gzip -c <"$2" | base64 >&3
	say sent
}

# Of loadable (lib.sh); the last one with these parameters.
load_modules() {
	last=$(printf "%s\n" /modules/*.ko | tail -n 1)
	for module in /modules/*.ko; do
		[ "$module" = "$last" ] || busybox insmod "$module"
	done
	busybox insmod "$last" "$@"
}

# A root to switch to, with our programs and /root-init; what moves there.
new_root() {
	mkdir /sysroot
	mount -t tmpfs -o size=16M tmpfs /sysroot
	(cd /sysroot && mkdir dev proc sys run sbin)
	cp -r /bin /sysroot/bin
	cp /memstrack /sysroot/bin/
	cp /root-init /sysroot/sbin/init
}
move() {
	for dir; do
		mount -o move "/$dir" "/sysroot/$dir"
	done
}

# Process ids of tracers, a line each; how many there are.
tracers() {
	grep -lx memstrack /proc/[0-9]*/comm 2>/dev/null | cut -d/ -f3
}
count_tracers() { grep -lx memstrack /proc/[0-9]*/comm 2>/dev/null | wc -l; }

# Our lines of the kernel's log.
log() { dmesg | sed -n "s/^[^]]*] memstrack: /log=/p" >&3; }

# Until none is left: a report follows the switch of the root. What they wrote
# to the kernel's log, as it stands there.
wait_for_tracers() {
	while [ "$(count_tracers)" != 0 ]; do
		usleep 200000
	done
}
log_of_tracers() {
	dmesg | sed -n 's/^\[ *[0-9.]*\] \(memstrack: .*\)/\1/p' >&3
}

end_tracers() {
	kill "$(tracers)"
	wait_for_tracers
}
# Without their last report, of which the names take a fifth of a guest's time. Of
# a tracer by tracefs the instances would stay.
kill_tracers() {
	for tracer in $(tracers); do
		kill -KILL "$tracer"
	done
	wait_for_tracers
}

# rows "TYPE|...": a report in /report.json, and of it the rows of types that
# begin so. (Of busybox awk is the fastest, then grep -F; grep takes a second.)
rows() {
	rm -f /report.json
	memstrack report
	say "report=$?"
	awk "/^.\"type\":\"($1)/" /report.json >&3
}

# A report in text, each broken line in one piece.
unbroken() { sed ':a;N;$!ba;s/\n        / /g' "$@"; }

# Until a recorder has begun its file.
begun() {
	until [ -s "$1" ]; do
		usleep 10000
	done
}

# Until a tracer answers; it then writes a report.
wait_for_report() {
	until memstrack report 2>/dev/null; do
		usleep 50000
	done
}

# Switch off, once both lines have carried all that was written to them: a
# change of mode waits for that. Without ACPI a machine can only be started
# again, which ends the guest as well. The last fact says that the script came so
# far.
off() {
	say off=1
	exec 3>&-
	stty -F /dev/ttyS1 echo
	stty -F /dev/ttyS0 -echoe
	[ -e /sys/firmware/acpi ] || reboot -f
	poweroff -f
}

# ---------------------------------------------------------------------------
