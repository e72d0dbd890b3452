#!/bin/sh
# SPDX-License-Identifier: MIT
# A memory cgroup meets its limit again and again, while the machine has enough
# memory: this causes one line now and then, and no report.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"

new_guest busybox
to_guest /init <<'INIT'
mounts
facts
small_cgroup
for i in 1 2 3 4 5 6 7 8; do
	hog
done
say "kills=$(sed -n 's/^oom_kill //p' /cgroup/small/memory.events)"
say "tracers=$(count_tracers)"
log_of_tracers
off
INIT
boot 'rd.memstrack=1' -m 512

said() { grep 'memstrack: .*OOM kill of' "$facts"; }
ok 'the kernel killed for the limit of the cgroup' test "$(value kills)" -ge 8
ok 'no report of it' sh -c "! grep 'reason: OOM kill' '$facts'"
ok 'one line, though there were many kills' test "$(said | wc -l)" = 1
ok 'which says what it was' sh -c "grep 'OOM kill of tail\[[0-9]*\] at the \
limit of its cgroup, .* [0-9]\{6\} KiB are free' '$facts'"
ok 'the tracer lives' fact tracers=1
finish
