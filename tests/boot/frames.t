#!/bin/sh
# SPDX-License-Identifier: MIT
# How many frames the kernel unwinds: we ask for fewer than the kernel's own
# limit if so configured, and never for more than it allows. A report says how
# many it was.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"

to_guest /init <<'INIT'
mounts
facts
memstrack report
say "report=$?"
off
INIT

# The longest stack of the report has $1 to $2 frames.
stacks() {
	frames=$(sed -n 's/.*"type":"stack",.*"frames":\[\(.*\)\].*/\1/p' \
		"$console" | awk -F '","' 'NF > most { most = NF }
			END { print most + 0 }')
	echo "the longest has $frames"
	[ "$frames" -ge "$1" ] && [ "$frames" -le "$2" ]
}

json='rd.memstrack=3 rd.memstrack.format=json'
boot "$json sysctl.kernel.perf_event_max_stack=12"
ok "a kernel that allows 12 frames: traced" fact 'report=0'
ok "with 12 of them" stacks 12 12
ok "which a note says" seen \
	'"note".*at most 12 frames: kernel.perf_event_max_stack'

boot "$json rd.memstrack.frames=6"
ok "6 are asked for: so many" stacks 6 6
ok "which a note says" seen '"note".*at most 6 frames: rd.memstrack.frames'

boot "$json"
ok "by default: more than both" stacks 13 64
ok "and no note" unseen 'frames: '
finish
