#!/bin/sh
# SPDX-License-Identifier: MIT
# The report over the network, while the machine still boots: netconsole of
# Debian's kernel sends what the log gets, and each line of ours arrives. A
# program on the other side reads it as JSON.
. "$(dirname "$0")/lib.sh"
[ "${MATRIX-}" = all ] || skip_all 'MATRIX=all tries it'

loadable virtio_pci virtio_net netconsole
# The address of the other side's card must be known: nothing asks for it.
guest_runs <<'INIT'
port=$(sed 's/.*test_port=\([0-9]*\).*/\1/' /proc/cmdline)
load_modules netconsole=@10.0.2.15/eth0,$port@10.0.2.2/52:55:0a:00:02:02
say loaded=$?
ls -lR / >/dev/null 2>&1
memstrack report
say report=$?
INIT

# A listener, which tells its port first.
mkfifo "$work/port"
/usr/bin/python3 -B - "$work/received.raw" >"$work/port" <<'END' &
import socket
import sys
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
    s.bind(("127.0.0.1", 0))
    print(s.getsockname()[1], flush=True)
    with open(sys.argv[1], "wb") as f:
        while data := s.recv(65536):
            f.write(data)
            f.flush()
END
listener=$!
read -r port <"$work/port"
trap 'kill $listener 2>/dev/null; rm -rf "$work"' EXIT

# The lines of ours that came; those that the guest wrote are on its console, of
# two reports: one that is asked for, and one at the power-off.
received() {
	sed -n 's/^\(\[ *[0-9.]*\] \)*memstrack: //p' "$work/received.raw"
}
each_line() {
	received >"$work/received"
	ours >"$work/written"
	wc -l "$work/written" "$work/received"
	[ -s "$work/written" ] && cmp "$work/written" "$work/received"
}
for format in json line; do
	: >"$work/received.raw"
	boot "rd.memstrack=1 rd.memstrack.format=$format \
		rd.memstrack.out=kmsg ignore_loglevel test_port=$port" -n
	ok "$format: the guest ends by itself" [ "$boot_status" = 0 ]
	ok "$format: netconsole is loaded" fact loaded=0
	ok "$format: a report" fact report=0
	ok "$format: each line of it came over the network" each_line
	[ $format = json ] || continue
	received >"$work/json"
	ok "json: what came is two whole reports" /usr/bin/python3 -B \
		"$top/tests/live/report.py" "$work/json" reasons request reboot
done
ok "line: a report is one" same "$(received | grep -c 'lowest free .* | advice ')" 2
finish
