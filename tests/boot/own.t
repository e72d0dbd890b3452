#!/bin/sh
# SPDX-License-Identifier: MIT
# The report includes the memory that the kernel holds for the tracer's probes
# and events: some 1 to 4 KiB for each event, of which each CPU has 16; some 8 KiB
# for each of four probes on a return; and our share of what all probes and events
# use together.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"

to_guest /init <<'INIT'
mounts
facts
memstrack report
say "report=$?"
off
INIT

# KiB of it in the report.
events_kib() {
	sed -n 's/.*"name":"events of memstrack","kib":\([0-9]*\)}.*/\1/p' \
		"$console" | head -n 1
}

# between LOW HIGH: so much.
between() {
	kib=$(events_kib)
	echo "events of memstrack: $kib KiB"
	[ "${kib:-0}" -ge "$1" ] && [ "$kib" -le "$2" ]
}

for cpus in 1 4; do
	boot 'rd.memstrack=2 rd.memstrack.format=json' -c "$cpus"
	ok "CPUs: $cpus: traced" fact 'report=0'
	ok "CPUs: $cpus: the kernel's memory for the events" \
		between $((80 + 32 * cpus)) $((120 + 90 * cpus))
done
finish
