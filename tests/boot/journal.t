#!/bin/sh
# From the kernel's log to a collector, by systemd's own means: journald of
# Debian takes the report's lines of JSON from /dev/kmsg, journalctl exports
# them, systemd-journal-remote on the other side keeps them, and a program there
# reads them: the same as the kernel's log has, and whole.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || skip_all "only root can mount"
tree=$("$top/tests/images/root" bookworm) || skip_all "no tree of bookworm"
remote=$("$top/tests/images/tool" systemd-journal-remote libmicrohttpd12) ||
	skip_all "no systemd-journal-remote"

# A program of the tree with the libraries it runs with.
program() {
	chroot "$tree" ldd "$1" | sed -n 's,^[^/]*\(/[^ ]*\) (.*,\1,p'
	echo "$1"
}
for name in /lib/systemd/systemd-journald /bin/journalctl; do
	program $name
done | sort -u | while read -r file; do
	mkdir -p "$guest/$(dirname "$file")"
	cp -L "$tree$file" "$guest$file"
done
mkdir -p "$guest/etc"
echo 00112233445566778899aabbccddeeff >"$guest/etc/machine-id"

# journald follows the log by itself; how far it is, journalctl tells.
to_guest /init <<'INIT'
mounts
facts
mount -t tmpfs tmpfs /run
mkdir -p /run/systemd/journal /tmp
/lib/systemd/systemd-journald &
memstrack report
say report=$?
for _ in $(seq 300); do
	journalctl -t memstrack -o cat | grep -q '"type":"end"' && break
	sleep 0.1
done
journalctl -t memstrack -o export >&3
off
INIT

boot "rd.memstrack=1 rd.memstrack.format=json ignore_loglevel" -m 320
ok "the guest ends by itself" [ "$boot_status" = 0 ]
ok "a report" fact report=0

# What came over the line, into a journal of this machine.
mkdir -p "$work/out"
sed -n '/^__CURSOR=/,$p' "$facts" >"$work/out/export"
ADD=$remote "$top/tests/images/in-root" "$tree" "$kernel" "$work/out" sh -c '
	/lib/systemd/systemd-journal-remote -o /mnt/out/remote.journal - \
		</mnt/out/export
	journalctl --file /mnt/out/remote.journal -t memstrack -o cat \
		>/mnt/out/collected' >"$work/remote.log" 2>&1

# The first report of the log; a second one comes at the power-off.
one() { sed '/"type":"end"/q'; }
same_lines() {
	ours | one >"$work/written"
	one <"$work/out/collected" >"$work/received"
	wc -l "$work/written" "$work/received"
	cat "$work/remote.log"
	[ -s "$work/written" ] && cmp "$work/written" "$work/received"
}
whole() {
	python3 -c '
import json, sys
head, *lines, end = map(json.loads, sys.stdin)
assert head["type"] == "head" and end["type"] == "end"
assert end["records"] == len(lines) + 1' <"$work/received"
}
ok "the journal on the other side has each line of it" same_lines
ok "and they are a whole report" whole
finish
