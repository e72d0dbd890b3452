#!/bin/sh
# SPDX-License-Identifier: MIT
# With kptr_restrict, only the kernel log gets addresses, and only if root alone
# can read it. No frame has a name here: with 2, /proc/kallsyms shows no
# addresses to anybody.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"

to_guest /init <<'INIT'
mounts
facts
sleep 0.3
kill -USR2 $(tracers)
until grep -q 'end of report' /report; do sleep 0.1; done
sed 's/^/file=/' /report >&3
dmesg -c >/dev/null
# Without a file it goes to the log.
mkdir /gone
mv /report /gone/
mkdir /report
memstrack report
dmesg | sed -n 's/.*memstrack: /log=/p' >&3
off
INIT

frames() { grep -e "^$1=      .*[ <]" "$facts" | grep -e "$2"; }
for restrict in 0 1 2; do
	boot "rd.memstrack=3 rd.memstrack.out=/report
		sysctl.kernel.kptr_restrict=$restrict
		sysctl.kernel.dmesg_restrict=1" -m 128
	case $restrict in
	2)
		ok '2: no address in a file' sh -c "! grep '^file=.*0xf[0-9a-f]\{15\}' '$facts'"
		ok '2: something is said there' frames file '(hidden)'
		ok '2: addresses in the log' frames log '0xf[0-9a-f]\{15\}'
		ok '2: nothing hidden there' sh -c "! grep '^log=.*hidden' '$facts'"
		;;
	*)
		ok "$restrict: names in a file" frames file '__alloc_pages[a-z_]*+0x'
		ok "$restrict: names in the log" frames log '__alloc_pages[a-z_]*+0x'
		ok "$restrict: nothing hidden" sh -c "! grep hidden '$facts'"
		;;
	esac
done
# Then any user reads the log.
boot "rd.memstrack=2 rd.memstrack.out=/report sysctl.kernel.kptr_restrict=2
	sysctl.kernel.dmesg_restrict=0" -m 128
ok 'dmesg_restrict=0: something is said in the log' frames log '(hidden)'
ok 'dmesg_restrict=0: and no address' sh -c "! grep '^log=.*0xf[0-9a-f]\{15\}' '$facts'"
# Then the console gets the lines of the log from us.
boot "quiet rd.memstrack=2 rd.memstrack.out=/report
	sysctl.kernel.kptr_restrict=2 sysctl.kernel.dmesg_restrict=1" -m 128
ok 'quiet: the console has a report' seen 'end of report'
ok 'quiet: and no address' sh -c "! grep '0xf[0-9a-f]\{15\}' '$console'"
finish
