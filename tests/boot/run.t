#!/bin/sh
# SPDX-License-Identifier: MIT
# memstrack run in a cgroup of its own: memory.peak beside our sum, the limit
# that killed it, a cgroup that is left alone because of its limits, and one
# that a user was given. SUITE: before Linux 5.19 memory.peak is missing, and
# that is told. (Short processes: live/run.t.)
. "$(dirname "$0")/lib.sh"

guest_program "$top/tests/live/tree.c" -pthread
host_program
mkdir "$guest/etc"
echo 'nobody:x:65534:65534::/:/bin/sh' >"$guest/etc/passwd"
guest_runs <<'INIT'
mount -t tracefs none /sys/kernel/tracing
mkdir -p /sys/fs/cgroup /tmp
chmod 1777 /tmp
mount -t cgroup2 none /sys/fs/cgroup
run() {
	memstrack run --format=json --out=/tmp/report "$@"
	status=$?
	say "$name.status=$status"
	sed "s/^/$name /" /tmp/report >&3
	rm -f /tmp/report
}
cd /sys/fs/cgroup
name=bare
run tree hold 4 0
echo +memory >cgroup.subtree_control
name=plan
run tree plan /tmp/facts
# Objects of slab in pages that others allocated, and in new ones.
# files NAME: 8,000 files, and what the cgroup says in memory.stat.
files() {
	name=$1
	run sh -c "tree files /tmp/$name 8000 1; cat memstrack-run.*/memory.stat \
		>/tmp/stat"
	grep -E '^(anon|file|kernel|kernel_stack|pagetables|percpu|slab|sock) ' \
		/tmp/stat | sed "s/^/stat.$name./" >&3
}
tree files /tmp/others 20000 8
files refill
tree files /tmp/filler 14000 1
files fresh
mkdir box box/own beside
echo +memory >box/cgroup.subtree_control
echo 60M >box/memory.max
echo $$ >box/own/cgroup.procs
name=limit
run tree hold 200 0
echo 50M >box/own/memory.max
name=own
run tree hold 4 0
echo $$ >cgroup.procs
mkdir user user/own
echo +memory >user/cgroup.subtree_control
chown nobody user user/cgroup.procs user/own user/own/cgroup.procs
chmod 755 /memstrack /bin/tree 2>/dev/null
echo $$ >user/own/cgroup.procs
cat >/tmp/as-user <<'USER'
memstrack run --format=json --out=/tmp/user tree plan /tmp/user-facts
echo $? >/tmp/user-status
USER
su -s /bin/sh nobody -c 'PATH=/bin:/sbin:/ sh /tmp/as-user'
say "user.status=$(cat /tmp/user-status)"
sed 's/^/user /' /tmp/user >&3
echo $$ >cgroup.procs
sleep 1
say "left=$(echo */memstrack-run.* memstrack-run.*)"
INIT
boot rd.memstrack=0 -m 512 -c 2

# told NAME TYPE KEY: a number of a report's only such line.
told() { grep "^$1 .*\"type\":\"$2\"" "$facts" | number "$3" | head -n 1; }
says() { grep "^$1 .*\"type\":\"note\"" "$facts" | grep -q -e "$2"; }

ok 'the guest comes to its end' fact off=1
ok 'no memory controller: told' says bare 'does not count memory'
ok 'the status passes' [ "$(value plan.status)" = 42 ]
ok 'all processes' [ "$(told plan tree processes)" = 10 ]
ours=$(($(told plan tree peak_pages) * 4))
kernels=$(told plan tree cgroup_peak_kib)
ok 'our sum' is_between "$ours" 65000 69000
# How much more memory.peak has than the tree.
more() {
	echo $(($(told "$1" tree cgroup_peak_kib) -
		4 * $(told "$1" tree peak_pages)))
}
if [ -n "$kernels" ]; then
	echo "# the tree $ours KiB, memory.peak $kernels KiB"
	ok 'memory.peak' is_between "$kernels" $((ours - 1024)) $((ours + 2048))
	# The files' objects are 8,000 times some 800 bytes.
	for name in refill fresh; do
		echo "# 8,000 files, $name: the tree $(told $name tree peak_pages)" \
			"pages, memory.peak $(told $name tree cgroup_peak_kib):" \
			"$(sed -n "s/^stat.$name.//p" "$facts" | tr '\n' ' ')"
	done
	# Slab has 7.9 MB then (memory.stat), and what is charged ahead, below,
	# is in memory.peak too.
	ok 'objects in pages of others are in memory.peak alone' \
		is_between "$(more refill)" 4000 $((8000 + 1536))
	ok 'which is said' \
		says refill "\"$(more refill) KiB more in memory.peak: slab"
	# 64 pages a CPU ahead, and objects that are not of the cgroup.
	ok 'objects in new pages are in both' \
		is_between "$(more fresh)" -1024 1536
else
	ok 'no memory.peak: told' says plan 'no memory.peak'
fi
ok 'a limit above: the command is killed' [ "$(value limit.status)" = 137 ]
ok 'the limit that killed it' \
	grep -q '^limit .*"limit_kib":61440,"limit_of":"/sys/fs/cgroup/box"' \
	"$facts"
ok 'by the kernel' [ "$(told limit tree cgroup_oom_kills)" = 1 ]
ok 'it is marked' grep -q '^limit .*"process".*"oom_victim":1' "$facts"
ok 'a limit of our own cgroup: it stays there' \
	says own 'memory.max of /sys/fs/cgroup/box/own would no longer hold'
ok 'an ordinary user: the status' [ "$(value user.status)" = 42 ]
kernels=$(told user tree cgroup_peak_kib)
[ -z "$kernels" ] || ok 'whose cgroup tells the peak of the tree' \
	is_between "$kernels" 65000 70000
ok 'and what is missing' says user 'only root can trace'
ok 'no cgroup is left' fact 'left=\*/memstrack-run.\* memstrack-run.\*'
finish
