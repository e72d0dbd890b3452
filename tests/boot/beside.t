#!/bin/sh
# SPDX-License-Identifier: MIT
# Files beside the report of a boot: the log has the text, a file on /run the same
# account as JSON, whole at any time, also of a tracer that runs on behind a
# switch of the root.
. "$(dirname "$0")/lib.sh"

to_guest /root-init <<'INIT'
facts
# Nobody waits for the report of a switch by another program.
until [ -e /run/m.json ]; do
	usleep 50000
done
say "switched=$(head -n 1 /run/m.json)"
memstrack report
say "again=$(head -n 1 /run/m.json)"
say "end=$(tail -n 1 /run/m.json)"
say "lines=$(wc -l </run/m.json)"
say "files=$(echo /run/m*)"
say "mode=$(stat -c %a /run/m.json)"
say "public=$(stat -c %a /run/m.prom)"
say "lowest=$(grep '^memstrack_memory_free_lowest_bytes' /run/m.prom)"
off
INIT
to_guest /init <<'INIT'
mounts
mount -t tmpfs tmpfs /run
new_root
move proc sys dev run
exec busybox switch_root /sysroot /sbin/init
INIT
boot 'rd.memstrack=1 rd.memstrack.keep=1 rd.memstrack.out=kmsg,/run/m.json,/run/m.prom'
ok 'the text is in the log' seen 'memstrack: report  .*reason: switch-root'
ok 'a file, as JSON' fact 'switched={"type":"head".*"reason":"switch-root".*'
ok 'the next report is there' fact 'again={"type":"head".*"reason":"request".*'
ok 'whole' fact 'end={"type":"end".*'
ok 'as many lines as it says' same "$(value lines)" \
	"$(value end | number records | awk '{ print $1 + 1 }')"
ok 'nothing else is left' fact 'files=/run/m.json /run/m.prom'
ok 'for root, and the one for node_exporter for all' fact mode=600 public=644
ok 'with the figures' \
	fact 'lowest=memstrack_memory_free_lowest_bytes [0-9]\{8,\}'
finish
