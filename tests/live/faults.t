#!/bin/sh
# SPDX-License-Identifier: MIT
# PID 1, its tracer and switch_root under faults. Each system call of PID 1 fails
# once with each of four errors; each of the tracer with one of them, and it is
# killed or stopped at each (with MATRIX=all: with each error, and both). The
# real init is reached in time, with everything that the kernel gave. A report is
# whole, or it is recognizably not whole. How: faults_run.c, faults.py.
set -u
# shellcheck source-path=SCRIPTDIR source=tracer.sh
. "$(dirname -- "$0")/tracer.sh"

# The tracer's files are given by us, so the lists that it reads are short: of
# the same kind in each run, two CPUs at most, and all calls can be tried.
given=$work/given
mkdir "$work/runs" "$work/new" "$given"
for each in runs new; do
	mount -t tmpfs -o mode=755 none "$work/$each" || bail "no tmpfs"
done
awk 'NR % 200 == 1' /proc/kallsyms >"$given/kallsyms"
head -n 60 /proc/vmallocinfo >"$given/vmallocinfo"
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

headers=${BUILD:-$here/../../build}/kernel-headers
CC="${CC:-musl-gcc}"
echo '#include <sys/syscall.h>' | "$CC" -E -dM - |
	awk '/define __NR_/ { print $3, substr($2, 6) }' >"$work/names"
"$CC" -std=gnu11 -O1 -Wall -Wextra -static -idirafter "$headers" \
	-o "$work/faults_run" "$here/faults_run.c" ||
	bail "faults_run.c does not build"
build faults_init
cp "$memstrack" "$work/runs/memstrack"
cp "$work/faults_init" "$work/runs/init"
mkdir "$work/new/sbin"
cp "$work/faults_init" "$work/new/sbin/init"

python3 -B "$here/faults.py" "$work" || bail "faults.py has failed"
