# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# The objects of slab: memstrack beside `perf kmem record`, in instructions.
#
# The guest of counted.sh also runs under `perf kmem record`. It traces the same
# objects on the whole machine, without call chains as memstrack does, and keeps
# the events in a file, here in rootfs. The image of every boot has perf and its
# libraries. Counted apart from the workloads are: the start of perf, until it
# answers that all events are on; its
# end, in which it reads the file again; and `perf kmem stat`, which makes of
# the file the table that memstrack has at any time. memstrack traces pages too,
# and perf does not: so what memstrack takes above its own boot without objects
# is shown besides.
# shellcheck disable=SC2154 # of counted.sh

# perf_files DIR: perf and its libraries, into an image.
perf_files() {
	perf=/usr/bin/perf
	[ -x "$perf" ] || fail "no $perf"
	{
		ldd "$perf" | sed -n 's,^[^/]*\(/[^ ]*\) (.*,\1,p'
		echo "$perf"
	} | while read -r file; do
		cp -L --parents "$file" "$1"
	done
}

# Memstrack and perf kmem record beside each other.
objects_row() {
	echo "$(count_of "$1" bare) $(count_of "$1" memstrack)" \
		"$(count_of "$1" slab) $(count_of "$1" perf)" \
		"$(for variant in bare memstrack slab perf; do
			spread <"$work/counted.$1.$variant"
		done | sort -n | tail -n 1)" |
		awk -v name="$2" '{
			printf "%-24s %8.1f %+9.1f %+9.1f %+9.1f", name,
				$1 / 1e6, ($3 - $1) / 1e6, ($3 - $2) / 1e6,
				($4 - $1) / 1e6
			printf " %+9.2f %% %+8.2f %% %+8.2f %%",
				($3 / $1 - 1) * 100, ($3 - $2) / $1 * 100,
				($4 / $1 - 1) * 100
			printf " %6.2f %%\n", $5 }'
}

# said VARIANT TEXT: a number that a boot of the guest said, behind the text.
said() {
	sed -n "s/^.*bench: $2\([0-9]*\).*/\1/p" "$work/guest.$1.console" |
		tail -n 1
}

# perf says how often events were lost, not how many.
objects_shown() {
	events=$(said bare 'objects ')
	echo "objects of slab, beside perf kmem record:"
	echo "million instructions         bare      slab  of these" \
		"     perf        slab   of these       perf   spread"
	echo "                                            objects" \
		"                          objects"
	objects_row guest 'a boot by hand'
	objects_row modules "  $MODULES modules"
	objects_row programs "  $PROGRAMS programs"
	objects_row files "  $((FILES_BYTES / 1000000)) MB of files"
	objects_row opens "$GUEST_OPENS times open, close"
	echo "instructions of each, $events events of objects in that last row:"
	own_part opens slab memstrack "$events" 'an event, by memstrack'
	own_part opens perf bare "$events" 'an event, by perf kmem record'
	own_part start slab bare 1 'to start memstrack, with slab'
	own_part start memstrack bare 1 'to start it without'
	for what in 'start to start perf kmem record' \
		'end to end it' 'table to make a table of its file'; do
		count_of "recorder_${what%% *}" perf |
			awk -v what="${what#* }" '{
				printf "%12.0f %s\n", $1, what }'
	done
	report=$work/guest.slab.console
	echo "memstrack  own memory $(head_field own_bytes "$report") bytes," \
		"events $(head_field seen "$report")," \
		"lost $(head_field lost "$report")"
	losses=$(said perf 'recorder .* events and lost ')
	echo "perf       file $(said perf 'recorder wrote ') bytes, events" \
		"$(said perf 'recorder .*('), losses ${losses:-0}"
}
