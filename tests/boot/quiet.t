#!/bin/sh
# SPDX-License-Identifier: MIT
# With `quiet` the console hides the kernel's messages, but not the report.
# Without it, the report is on the console exactly once.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"

to_guest /init <<'INIT'
mounts
facts
memstrack report
dmesg | grep -c 'memstrack: report  level 1' | sed 's/^/kmsg=/' >&3
off
INIT
heads() { grep -c 'report  level 1, .*reason: request' "$console"; }

boot "quiet rd.memstrack=1"
ok "quiet: the console does not show the kernel's messages" \
	unseen 'Linux version'
ok "quiet: but the report, once" test "$(heads)" = 1
ok "quiet: the kernel log has it too" fact 'kmsg=1'
boot "rd.memstrack=1"
ok "not quiet: the report is on the console once" test "$(heads)" = 1
ok "not quiet: and in the kernel log" fact 'kmsg=1'
boot "rd.memstrack=1 printk.devkmsg=off"
ok "with kmsg locked against us the report is still seen" \
	test "$(heads)" -ge 1
finish
