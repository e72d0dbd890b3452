#!/bin/sh
. "$(dirname "$0")/lib.sh"
. "$here/planted.sh"
new_guest busybox
planted_guest <<'INIT'
mounts
facts
sleep 1
load finit /lib/planted0.ko keep=3000
dd if=/dev/zero of=/run/x bs=1M count=20 2>/dev/null
tail -c 30000000 /dev/zero &
sleep 1.5
memstrack report
say "up=$(cat /proc/uptime)"
off
INIT
boot "$@" -m 192
cat $console
