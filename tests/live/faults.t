#!/bin/sh
# SPDX-License-Identifier: MIT
# PID 1, its tracer and switch_root under faults. Each system call of PID 1
# fails once with each of two errors, and its neighbours with two others; each
# of the tracer with one of the four, and it is killed or stopped at every other
# one. MATRIX=all: each call with each error, and both. The real init is reached in
# time, with everything that the kernel gave. A report is whole, or it is
# recognizably not whole. How: faults_run.c, faults.py.
. "$(dirname "$0")/tracer.sh"

# The tracer's files are given by us, so the lists that it reads are short: of
# the same kind in each run, two CPUs at most, and all calls can be tried.
given=$work/given
mkdir "$given"
new_tmpfs runs
new_tmpfs new
awk 'NR % 1000 == 1' /proc/kallsyms >"$given/kallsyms"
head -n 60 /proc/vmallocinfo >"$given/vmallocinfo"
# What changes while we read it, in more or fewer reads.
for each in buddyinfo iomem meminfo vmstat zoneinfo; do
	cat /proc/$each >"$given/$each"
done
cpus=0-1
[ "$(getconf _NPROCESSORS_ONLN)" -gt 1 ] || cpus=0
echo $cpus >"$given/online"
echo ratelimit >"$given/printk_devkmsg"
echo 0 >"$given/kptr_restrict"
# In one line, and so in one read, to where the kernel runs the first process.
echo '6,1,0,-;Memory: 181000K/262144K available (14000K kernel code, 2300K' \
	'rwdata, 8200K rodata, 2600K init, 5300K bss, 81144K reserved, 0K' \
	'cma-reserved);Run /memstrack as init process' >"$given/kmsg"
ln -s kmsg "$given/.memstrack-kmsg"
: >"$given/console"
: >"$given/kprobe_events"
: >"$given/README"	# each run's tracer is the only one

CC="${CC:-musl-gcc}"
echo '#include <sys/syscall.h>' | "$CC" -E -dM - |
	awk '/define __NR_/ { print $3, substr($2, 6) }' >"$work/names"
init_at=0x20000000	# none of memstrack's own code is there
compile() {
	"$CC" -std=gnu11 -O1 -Wall -Wextra -static -no-pie \
		-idirafter "$BUILD/kernel-headers" -DINIT_AT=$init_at "$@" ||
		bail "a program of faults.t does not build"
}
compile -o "$work/faults_run" "$here/faults_run.c"
compile -Wl,-Ttext-segment=$init_at -o "$work/runs/init" \
	"$here/faults_init.c"
cp "$memstrack" "$work/runs/memstrack"
mkdir "$work/new/sbin"
cp "$work/runs/init" "$work/new/sbin/init"

# Out of reach of the machine's networks.
unshare --net /usr/bin/python3 -B "$here/faults.py" "$work" ||
	bail "faults.py has failed"
