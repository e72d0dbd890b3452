#!/bin/sh
# SPDX-License-Identifier: MIT
# The recipe of the man page for lines of JSON: kernel log, journald,
# systemd-journal-upload, systemd-journal-remote, jq. Its own commands are run.
#
# The machine is a Debian with systemd in QEMU, booted by an initramfs whose
# first process is memstrack; the collector is a program of the same Debian on
# this machine. journald's limits are as narrow as they can be, and memory runs
# out once: then several lines are one record.
. "$(dirname "$0")/lib.sh"
[ "${MATRIX-}" = all ] || skip_all 'MATRIX=all tries it'

[ "$(id -u)" = 0 ] || skip_all "only root can use chroot"
"$top/tests/need" e2fsprogs >&2 || skip_all "packages are missing"
tree=$("$top/tests/images/root" -o bookworm systemd-journal-remote systemd \
	systemd-sysv busybox kmod jq) || skip_all "no tree of bookworm"
collected=$work/collected
mkdir "$collected"

# recipe LINES: of the man page's, with the names that these machines have.
recipe() {
	sed -n '/^# On the collector:/,/^\.Ed/p' "$top/applet/memstrack-tools.8" |
		sed -n "$1p" | sed "s,collector:19532,10.0.2.2:$port,
			s,=19532,=127.0.0.1:$port,
			s,/var/log/journal/remote,/mnt/out,"
}
in_collector() {
	"$top/tests/images/in-root" "$tree" "$kernel" "$collected" "$@"
}

port=$(/usr/bin/python3 -c 'import socket
with socket.socket() as s:
    s.bind(("127.0.0.1", 0))
    print(s.getsockname()[1])')
in_collector sh -c '$1 & echo $! >/mnt/out/pid; wait' sh "$(recipe 2)" \
	>"$work/remote.log" 2>&1 &
trap 'kill "$(cat "$collected/pid")"; wait; rm -rf "$work"' EXIT

# The machine's disk.
root=$work/root
cp -a "$tree" "$root"
rm -rf "$root/usr/share/doc" "$root/usr/share/man" "$root/var/lib/apt"
printf '[Journal]\nRateLimitIntervalSec=1h\nRateLimitBurst=1\nLineMax=79\n' \
	>"$root/etc/systemd/journald.conf"
echo 00112233445566778899aabbccddeeff >"$root/etc/machine-id"
recipe 4 | sed "s,/etc/,$root/etc/," | sh
cp "$MEMSTRACK" "$root/bin/"
cat >"$root/etc/systemd/system/test.service" <<'END'
[Service]
ExecStart=/test
OOMScoreAdjust=-1000
OOMPolicy=continue
TimeoutStartSec=infinity
[Install]
WantedBy=multi-user.target
END
ln -s ../test.service "$root/etc/systemd/system/multi-user.target.wants/"
{
	cat "$here/guest.sh"
	echo "enable='$(recipe 5)'"
	cat <<'TEST'
facts
say "init=$(cat /proc/1/comm)"
printf 'a"b\\c' >/proc/self/comm
sh -c 'echo 1000 >/proc/self/oom_score_adj; exec tail /dev/zero'
$enable
say "enabled=$?"
memstrack report
say "report=$?"

# How far the journal is, and how far the collector has it.
place() { sed -n 's/^[A-Z_]*CURSOR=.*;i=\([0-9a-f]*\);.*/\1/p' "$@"; }
ours() { journalctl -t memstrack "$@"; }
state=/var/lib/systemd/journal-upload/state
sent() {
	ours -o cat | grep -q '"reason":"request"' &&
		ours -n 1 -o cat | grep -q '"type":"end"' || return
	last=$(ours -n 1 -o export | place)
	now=$(place "$state")
	[ "$((0x${now:-0} >= 0x$last))" = 1 ]
}
until sent; do
	sleep 0.2
done
say sent=yes
systemctl status systemd-journal-upload >&3
off
TEST
} >"$root/test"
chmod +x "$root/test"
mke2fs -q -t ext4 -d "$root" "$work/disk" 500M || exit 1
rm -rf "$root"

loadable virtio_pci virtio_net virtio_blk ext4
to_guest /init <<'INIT'
mounts
load_modules
ip addr add 10.0.2.15/24 dev eth0
ip link set eth0 up
mkdir /root
mount -t ext4 /dev/vda /root
exec memstrack switch_root /root /sbin/init
INIT

boot "rd.memstrack=1 rd.memstrack.keep rd.memstrack.format=json
	rd.memstrack.out=kmsg rd.memstrack.top=10000 ignore_loglevel
	log_buf_len=1M systemd.show_status=0 systemd.log_target=journal" \
	-m 448 -n -d "$work/disk"

# What the recipe's last command reads; then all lines.
in_collector sh -c "$(recipe 7,8)" >"$work/verdicts" 2>"$work/read.log"
in_collector sh -c "$(recipe 7,8 | sed 's/jq .*/cat/')" >"$work/received" \
	2>>"$work/read.log"
# As the collector's records have them.
records() {
	in_collector journalctl -D /mnt/out -o json -t memstrack \
		_TRANSPORT=kernel
}

# The last report, at the power-off, comes too late.
each_line() {
	ours | head -n "$(wc -l <"$work/received")" >"$work/written"
	wc -l "$work/written" "$work/received"
	cat "$work/read.log" "$work/remote.log"
	[ -s "$work/written" ] && cmp "$work/written" "$work/received"
}
# Between reports of JSON stand texts: lines on OOM kills, and the report on memory
# that ran out.
are_whole() {
	grep '^{' "$work/received" >"$work/json"
	/usr/bin/python3 -B "$top/tests/live/report.py" "$work/json" whole &&
		grep '"type":"head".*"reason":"request"' "$work/json" &&
		grep '"type":"head".*"reason":".*memory' "$work/json"
}
verdicts() {
	same "$(grep -c '^{"type":"verdict",' "$work/verdicts")" \
		"$(grep -c '^{"type":"head",' "$work/received")"
}
joined() { records | grep -c '\\nmemstrack: '; }

ok "the machine ends by itself" [ "$boot_status" = 0 ]
ok "its init is systemd" fact init=systemd
ok "the recipe's service is enabled" fact enabled=0
ok "a report" fact report=0
ok "all of it is sent" fact sent=yes
ok "the collector has each line, as the console has it" each_line
ok "they are whole reports" are_whole
ok "a name with a quote and a backslash" \
	grep -F '"comm":"a\u0022b\u005cc"' "$work/received"
ok "the recipe's jq finds each verdict" verdicts
ok "several lines were one record while memory was short" joined
echo "# $(wc -l <"$work/received") lines, the longest has" \
	"$(awk '{ if (length > m) m = length } END { print m }' \
	"$work/received") bytes; $(joined) records of several lines"
finish
