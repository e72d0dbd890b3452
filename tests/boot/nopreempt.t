#!/bin/sh
# SPDX-License-Identifier: MIT
# A kernel that does not preempt: a module causes 5,000 page events in one
# system call, and no tracer on the same CPU can read them before the call ends.
# The rings of the default size lose nothing. Smaller rings lose the frees of
# some pages. Such a page counts as held only until it leaves the per-CPU list
# of free pages; pages that are really held still count. check-all builds the
# kernel, which takes minutes; check uses it if it exists.
. "$(dirname "$0")/lib.sh"
[ "${MATRIX-}" = all ] || [ -e "$BUILD/kernel/made/nopreempt/vmlinuz" ] ||
	skip_all 'its kernel takes minutes to build: make check-all'
made=$("$top/tests/images/kernel" nopreempt) || skip_all 'no such kernel'
kernel=$made
. "$here/planted.sh"

planted_runs <<'INIT'
case $(uname -v) in *PREEMPT*) say preempts=yes ;; *) say preempts=none ;; esac
load finit /lib/planted0.ko 'keep=1000 temp=2000' >&3
sleep 1
say "lists=$(sed -n 's/^ *count: *//p' /proc/zoneinfo |
	awk '{ sum += $1 } END { print sum }')"
step now
load finit /lib/planted1.ko 'keep=500' >&3
step later
INIT

parameters="quiet $json_report"
for cpus in 1 2 4; do
	boot "$parameters" -m 300 -c "$cpus"
	echo "# $cpus CPUs"
	ok 'the kernel does not preempt' same "$(value preempts)" none
	whole now later
	exactly now planted0 planted_keep now 1000 planted_temp peak 2000 \
		- now 1000
	rows now planted0 3000
done

boot "$parameters rd.memstrack.ring=512K" -m 300
lost=$(head_of now lost)
ok "1 CPU, 512K: records are lost: $lost" test "$lost" -ge 100
exactly now planted0 planted_keep now 1000
free=$(chains now planted0 planted_temp | number now_pages | sum)
ok "of pages whose free was lost, $free count, $(value lists) on lists" \
	test "$free" -le "$(value lists)"
exactly later planted0 planted_keep now 1000
free=$(chains later planted0 planted_temp | number now_pages | sum)
ok "when some of these were taken, $free" test "$free" -le 20
finish
