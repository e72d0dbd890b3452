#!/bin/sh
# SPDX-License-Identifier: MIT
# Pages that modules allocate in many ways are charged to them, to the page: in
# init and in init text, in a work item, in a timer's softirq, singly and in
# blocks, loaded by either system call. They stay charged if the module leaks
# them when it is unloaded, or in an init that fails. MATRIX=all: with one CPU,
# too.
. "$(dirname "$0")/planted.sh"

planted_runs <<'INIT'
load finit /lib/planted0.ko \
	'keep=1000 temp=500 again=2 inittext=64 work=40 timer=30' >&3
step finit
rmmod planted0
step gone
load init /lib/planted1.ko \
	'order=3 keep=50 temp=20 inittext=7 work=23 timer=41' >&3
step init
load finit /lib/planted2.ko 'keep=300 temp=33 leak=1' >&3
step leak
rmmod planted2
step leaked
load init /lib/planted3.ko 'keep=200 inittext=9 temp=100 fail=1' >&3
step failed
load init /lib/planted0.ko 'keep=77 order=1'
step again
INIT

for cpus in ${MATRIX:+1} 4; do
	boot "$parameters" -m 256 -c "$cpus"
	echo "# $cpus CPUs"
	whole finit gone init leak leaked failed again
	exactly finit planted0 planted_keep now 1000 \
		planted_temp now 0 planted_temp peak 500 \
		planted_init_text now 64 planted_work now 40 \
		planted_timer now 30 - now $((1000 + 64 + 40 + 30))
	rows finit planted0 $((1000 + 64 + 500))
	exactly gone planted0 - now 0
	ok 'gone: so its row says' same "$(state gone planted0)" gone

	exactly init planted1 planted_keep now $((50 * 8)) \
		planted_temp now 0 planted_temp peak $((20 * 8)) \
		planted_init_text now $((7 * 8)) planted_work now 23 \
		planted_timer now 41
	rows init planted1 $(((50 + 7 + 20) * 8))

	exactly leak planted2 planted_keep now 300 planted_temp peak 33
	exactly leaked planted2 - now 300
	ok 'leaked: so its row says' same "$(state leaked planted2)" gone

	ok 'failed: with ENOMEM' fact 'load: /lib/planted3.ko: errno 12, .*'
	exactly failed planted3 - now $((200 + 9)) - peak $((200 + 9 + 100))
	rows failed planted3 $((200 + 9 + 100))
	ok 'failed: so its row says' same "$(state failed planted3)" failed

	exactly again planted0 - now $((77 * 2))
done
finish
