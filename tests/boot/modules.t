#!/bin/sh
# SPDX-License-Identifier: MIT
# Pages that modules allocate in many ways are charged to them, to the page: in
# init and in init text, in a work item, in a timer's softirq, singly and in
# blocks, loaded by either system call. They stay charged if the module leaks
# them when it is unloaded, or in an init that fails.
#
# Several tasks load modules at the same time, each on its own CPU: every page
# is charged to the module whose code took it; if two load the same module, to
# the one that was loaded. Then a thread on each CPU takes blocks of pages and
# frees those that others took, as fast as it can (tests/modules/churn.h): in
# the end exactly the pages are charged that are held. Init text has its name as
# long as init runs, so init waits for the tracer to read it. MATRIX=all: a
# million such events, and with 2 CPUs, too. (Many loads as one row: replay/cases/loads.py.)
. "$(dirname "$0")/planted.sh"

hold=123
# guest_for CPUS ROUNDS
guest_for() {
	cpus=$1 rounds=$2
	planted_runs <<INIT
load finit \
	/lib/planted0.ko 'keep=1100 temp=90 again=9 inittext=31 work=17 timer=5 wait=200' \
	/lib/planted1.ko 'keep=340 order=2 temp=50 again=5 inittext=3 work=9 wait=200' \
	/lib/planted2.ko 'keep=2100 temp=201 again=7 timer=77' \
	/lib/planted3.ko 'keep=870 temp=300 inittext=55 work=66 fail=1' >&3
step finit
rmmod planted0
rmmod planted1
rmmod planted2
step gone
load init \
	/lib/planted0.ko 'keep=401 temp=101 again=3 inittext=11' \
	/lib/planted1.ko 'keep=402 temp=102 again=3 inittext=12' \
	/lib/planted0.ko 'keep=401 temp=101 again=3 inittext=11' \
	/lib/planted2.ko 'keep=404 temp=104 again=3 inittext=13' | sort >&3
step init
rmmod planted0
load finit /lib/planted0.ko 'churn=$rounds hold=$hold keep=10' >&3
step churned
rmmod planted0
step churn-gone
rmmod planted1
load init /lib/planted1.ko \
	'order=3 keep=50 temp=20 inittext=7 work=23 timer=41 wait=200' >&3
step blocks
rmmod planted2
load finit /lib/planted2.ko 'keep=300 temp=33 leak=1' >&3
step leak
rmmod planted2
step leaked
rmmod planted1
for _ in \$(seq 50); do
	load finit /lib/planted1.ko 'keep=20 temp=5 work=3'
	rmmod planted1
done
step loads
INIT
}

if [ "${MATRIX-}" = all ]; then
	set -- '2 500000' '4 250000'
else
	set -- '4 2500'
fi
for machine; do
	# shellcheck disable=SC2086 # two words
	guest_for $machine
	boot "$parameters rd.memstrack.ring=16M rd.memstrack.mem=20M" \
		-m 256 -c "$cpus"
	echo "# $cpus CPUs"
	whole finit gone init churned churn-gone blocks leak leaked
	exactly finit planted0 planted_keep now 1100 planted_temp now 0 \
		planted_temp peak 90 planted_init_text now 31 \
		planted_work now 17 planted_timer now 5 \
		- now $((1100 + 31 + 17 + 5))
	rows finit planted0 $((1100 + 31 + 90))
	exactly finit planted1 planted_keep now $((340 * 4)) \
		planted_temp peak $((50 * 4)) - now $(((340 + 3) * 4 + 9))
	rows finit planted1 $(((340 + 3 + 50) * 4))
	exactly finit planted2 planted_keep now 2100 planted_temp peak 201 \
		- now $((2100 + 77))
	rows finit planted2 $((2100 + 201))
	ok 'finit: one with ENOMEM' fact 'load: /lib/planted3.ko: errno 12, .*'
	exactly finit planted3 - now $((870 + 55 + 66))
	rows finit planted3 $((870 + 55 + 300))
	ok 'finit: so its row says' same "$(state finit planted3)" failed

	for i in 0 1 2; do
		exactly gone planted$i - now 0
	done
	ok 'gone: so its row says' same "$(state gone planted0)" gone
	exactly gone planted3 - now $((870 + 55 + 66))

	ok 'init: of two loads of a module, one ended with EEXIST' \
		fact 'load: /lib/planted0.ko: errno 17, .*'
	exactly init planted0 - now $((401 + 11))
	exactly init planted1 - now $((402 + 12))
	exactly init planted2 - now $((404 + 13))
	exactly init planted3 - now $((870 + 55 + 66))

	events=$((2 * rounds * cpus))
	ok "churned: at least $events events" \
		is_between "$(head_of churned seen)" $events 1000000000
	exactly churned planted0 planted_churn now 0
	# Full boxes, and one block in each hand; 4 pages is the largest.
	ok "churned: planted_churn peak" is_between \
		"$(chains churned planted0 planted_churn | number peak_pages)" \
		1 $(((256 + cpus) * 4))
	exactly churned planted0 planted_hold now $((hold * cpus)) \
		- now $((hold * cpus + 10))
	exactly churn-gone planted0 - now 0

	exactly blocks planted1 planted_keep now $((50 * 8)) \
		planted_temp now 0 planted_temp peak $((20 * 8)) \
		planted_init_text now $((7 * 8)) planted_work now 23 \
		planted_timer now 41
	exactly leak planted2 planted_keep now 300 planted_temp peak 33
	exactly leaked planted2 - now 300
	ok 'leaked: so its row says' same "$(state leaked planted2)" gone

	# What the kernel keeps of what it took on the way is no leak.
	whole loads
	loads='^loads=.*"type":"module","name":"planted1".*"state":"gone"'
	ok 'loads: 50 are gone, after three before' \
		is_between "$(grep -c "$loads" "$facts")" 53 53
	ok 'loads: none of them leaks' \
		same "$(grep -c "$loads.*leak_" "$facts")" 0
	ok 'leaked: that one does, all its pages' same "$(row leaked planted2 |
		number leak_pages)" 300
	ok 'finit: and so does the one that failed' same "$(row finit planted3 |
		number leak_pages)" $((870 + 55 + 66))
done
finish
