# SPDX-License-Identifier: MIT
# Functions that the tests of the rows `ram` share. They read $facts: the JSON
# of a report; and lines iomem=… of /proc/iomem, log=… of the kernel's log.
[ "${boots-}" ] || . "$(dirname "$0")/lib.sh"

# row GROUP NAME: its KiB. rows "ERE": the sum of all rows of these groups.
row() {
	grep "^{\"type\":\"ram\",\"group\":\"$1\",\"name\":\"$2\",\"size_kib\"" \
		"$facts" | number size_kib | tail -n 1
}
rows() {
	grep -E "^\{\"type\":\"ram\",\"group\":\"($1)\"" "$facts" |
		grep -v '"part_of":' | number size_kib | sum
}
no_row() { [ "$(row all installed)" ] && [ -z "$(row "$@")" ]; }
log() { sed -n "s/^log=$1\$/\\1/p" "$facts" | head -n 1; }

# By /proc/iomem, in whole KiB: of_iomem code
of_iomem() {
	sed -n "s/^iomem=\([0-9a-f]*\)-\([0-9a-f]*\) : Kernel $1\$/\1 \2/p" \
		"$facts" | { read -r first last
		echo $(((0x$last + 1 - 0x$first) / 1024)); }
}

# All System RAM of /proc/iomem, in whole pages, in KiB.
system_ram() {
	sed -n 's/^iomem=\([0-9a-f]*\)-\([0-9a-f]*\) : System RAM$/\1 \2/p' \
		"$facts" | while read -r first last; do
		echo $((((0x$last + 1) / 4096 - (0x$first + 4095) / 4096) * 4))
	done | sum
}

# As /proc/iomem: as_in_iomem "name" PART...
as_in_iomem() {
	where_in=$1
	shift
	for part; do
		ok "$where_in: kernel $part as in iomem" \
			same "$(row kernel "$part")" "$(of_iomem "$part")"
	done
}
# keeps_rest "name" GIVEN TOTAL: what the kernel keeps no page allocator got.
keeps_rest() {
	ok "$1: what it keeps is what no page allocator got" \
		same "$(rows 'kernel|reserved')" $(($2 - $3))
}

adds_up() {
	ok "$1: the rows add up to what is installed" same "$(rows \
		'firmware|kernel|reserved|before|traced|free|unknown|offline')" \
		"$(row all installed)"
}
# little_unknown "name" MIB: the rows add up to so much, and at most 2 % of it
# is unknown; of what is counted twice, less. little_unknown "name" MIB
# PERCENT: as much may be reserved for nobody known.
little_unknown() {
	ok "$1: installed is what the machine has" \
		same "$(row all installed)" $(($2 * 1024))
	adds_up "$1"
	ok "$1: unknown are $(row unknown unknown) KiB, of 2 %" is_between \
		"$(row unknown unknown)" $(($2 * -1024 / 500)) \
		$(($2 * 1024 / 50))
	ok "$1: reserved for nobody known: $(row reserved 'not told') KiB, of ${3:-2} %" \
		is_between "$(row reserved 'not told')" 0 \
		$(($2 * 1024 * ${3:-2} / 100))
}
