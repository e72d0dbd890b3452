#!/bin/busybox sh
# shellcheck shell=dash
# The init of the guest. It does what a boot does and counts each part by
# itself; then it causes one kind of event at a time, in a known number.
# shellcheck source=tests/bench/guest.sh
. /guest.sh
export PATH=/bin:/
mount -t devtmpfs dev /dev
mark init
mount -t proc proc /proc
mark_idle
mount -t tmpfs -o size=100%,huge=never tmpfs /tmpfs
programs=$1 pages=$2 rounds=$3

modules() { . /load; }
programs() {
	i=0
	while [ "$((i += 1))" -le "$programs" ]; do
		busybox ls -l /bin
	done
}
files() { cp -r /files /tmpfs/files; }
anon() { churn anon "$pages" "$rounds"; }
tmpfs() { churn tmpfs /tmpfs/file "$pages" "$rounds"; }

for part in modules programs files anon tmpfs; do
	counted $part
done
! grep -q rdinit=/memstrack /proc/cmdline || memstrack report
off
