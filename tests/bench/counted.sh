# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Boots whose cost is counted in instructions, not measured in time.
#
# QEMU's -icount makes the guest's clock the number of executed instructions,
# one a nanosecond: two runs of the same boot differ by some 0.2 %, however busy
# the machine is. Each boot runs bare, traced, and with drain as the first
# process, so that the kernel's part and ours can be told apart; traced by
# tracefs instead of perf; sampled; and with the objects of slab. There are two
# guests, of which GUESTS chooses:
#
#	guest	a script: modules loaded, programs run, files written, from the
#		first process on; and then apart the workloads of churn.c with
#		one kind of event each, idle seconds and a report
#	dracut	dracut's image of a Debian with systemd, from the first process
#		to the mount of the root
#
# The guest also runs under `perf kmem record`, which traces the same objects on
# the whole machine, without call chains as memstrack does, and keeps the events
# in a file, here in rootfs. The image of every boot has perf and its libraries.
# Counted apart from the workloads are: the start of perf, until it answers that
# all events are on; its end, in which it reads the file again; and `perf kmem
# stat`, which makes of the file the table that memstrack has at any time.
# memstrack traces pages too, and perf does not: so what memstrack takes above
# its own boot without objects is shown besides.
#
# The time in which the CPU was idle does not count as instructions. For the
# mount the clock's own time is shown too, which includes the waits for the
# disk.
# shellcheck disable=SC2154 # of run.sh

: "${BOOTS:=3}" "${GUESTS:=guest dracut}"
MODULES=30 PROGRAMS=150 FILES_BYTES=57000000
PAGES=4096 CHURNS=4 GUEST_OPENS=20000 IDLE=4
# shellcheck source=initramfs/newc.sh
. "$top/initramfs/newc.sh"

# --- images ----------------------------------------------------------------

# first_processes OUT: what may be the first process, in front of an image.
first_processes() {
	newc_file memstrack "$MEMSTRACK" 755 >"$1"
	newc_file drain "$drain" 755 >>"$1"
	newc_end "$1"
}

# dracut's image, and what tells when it has mounted the root.
dracut_image() {
	# shellcheck disable=SC2016 # for the shell in the image's root
	image=$(KERNEL=${SUITE-} "$top/tests/images/image" \
		"bench${SUITE:+-$SUITE}" sid sh -c 'dracut --kver "$RELEASE" \
			--no-hostonly --no-compress /mnt/out/image')
	{
		cat "$here/guest.sh"
		echo 'mark mounted; mark_idle; off'
	} >"$work/hook"
	first_processes "$work/dracut.initrd"
	cat "$image" >>"$work/dracut.initrd"
	newc_file var/lib/dracut/hooks/pre-pivot/00-bench.sh "$work/hook" 755 \
		>"$work/hook.cpio"
	newc_end "$work/hook.cpio"
	cat "$work/hook.cpio" >>"$work/dracut.initrd"
	truncate -s 16M "$work/root.ext4"
	PATH=$PATH:/usr/sbin:/sbin mkfs.ext4 -q -F "$work/root.ext4"
}

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

# Files of modules that load in this order, as they are: not compressed.
module_files() {
	for module in virtio_pci virtio_blk virtio_net virtio_scsi \
		virtio_console ext4 xfs overlay squashfs fuse isofs vfat loop \
		dm-crypt nvme sunrpc nf_tables bridge tun; do
		modprobe -d "$kernel/root" -S "$release" --show-depends \
			"$module"
	done | sed -n 's,^insmod \(.*\.ko\).*,\1,p' | awk '!seen[$0]++' |
		head -n "$MODULES"
}

# Other modules are the files to be written: many, of all sizes.
guest_image() {
	release=$(cat "$kernel/release")
	"$top/initramfs/busybox-tree" "$work/guest"
	mkdir "$work/guest/modules" "$work/guest/files" "$work/guest/tmpfs"
	perf_files "$work/guest"
	cp "$churn" "$work/guest/churn"
	cp "$here/guest.sh" "$work/guest/guest.sh"
	install -m 755 "$here/guest-init.sh" "$work/guest/init"
	module_files | while read -r file; do
		cp "$file" "$work/guest/modules"
		echo "busybox insmod /modules/${file##*/}"
	done >"$work/guest/load"
	[ "$(wc -l <"$work/guest/load")" = "$MODULES" ] ||
		fail "no $MODULES modules to be had"
	find "$kernel/root/lib/modules/$release/" -name '*.ko' \
		-printf '%s %p\n' | sort -k 2 |
		awk -v most="$FILES_BYTES" '(n += $1) <= most { print $2 }' |
		xargs cp -t "$work/guest/files"
	first_processes "$work/guest.initrd"
	(cd "$work/guest" && find . | sort |
		cpio --quiet -o -H newc -R 0:0) >>"$work/guest.initrd"
}

# --- boots -----------------------------------------------------------------

# boot GUEST VARIANT PARAMETERS [options of initramfs/qemu]
boot() {
	guest=$1 variant=$2 parameters=$3
	shift 3
	"$top/initramfs/qemu" -i 0 -m 512 -t 600 "$@" "$kernel/vmlinuz" \
		"$work/$guest.initrd" "quiet $parameters" \
		>"$work/raw" 2>"$work/qemu.log" ||
		fail "boot: $(cat "$work/raw" "$work/qemu.log")"
	tr -d '\r' <"$work/raw" >"$work/$guest.$variant.console"
	! grep -a 'drain: ' "$work/raw" >&2 || fail 'drain traces nothing'
	sed -n 's/^.*bench at //p' "$work/$guest.$variant.console" |
		awk -f "$here/counted.awk" >"$work/counted"
	grep -q "^$guest [1-9]" "$work/counted" ||
		fail "boot: $(cat "$work/raw")"
	while read -r what count; do
		echo "$count" >>"$work/counted.$what.$variant"
	done <"$work/counted"
}

# boots GUEST PARAMETERS [options of initramfs/qemu]
boots() {
	name=$1 rest=$2 left=$BOOTS counting='' recording=''
	[ "$name" != guest ] ||
		counting=objects=count recording=objects=record
	shift 2
	traced='rdinit=/memstrack rd.memstrack=2 rd.memstrack.format=json
		rd.memstrack.out=kmsg'
	while [ "$left" -gt 0 ]; do
		left=$((left - 1))
		boot "$name" bare "rdinit=/init $counting $rest" "$@"
		boot "$name" memstrack "$traced $rest" "$@"
		boot "$name" ftrace "$traced rd.memstrack.backend=ftrace $rest" \
			"$@"
		boot "$name" sampled \
			"$traced rd.memstrack.backend=sampled $rest" "$@"
		boot "$name" slab "$traced rd.memstrack.slab $rest" "$@"
		boot "$name" drain "rdinit=/drain $rest" "$@"
		[ -z "$recording" ] ||
			boot "$name" perf "rdinit=/init $recording $rest" "$@"
	done
}

# --- what is shown ---------------------------------------------------------

# "none" is no variant, and takes nothing.
count_of() {
	[ "$2" = none ] || median <"$work/counted.$1.$2"
	[ "$2" != none ] || echo 0
}

# cost_row PAIRS NAME TITLE [WHOLE]: the bare boot in millions of instructions;
# then, for each of "VARIANT-OTHER...", what the one takes above the other, in
# millions and of the bare boot, or of the bare boot of which NAME is a part.
cost_row() {
	for pair in $1; do
		echo "$(count_of "$2" "${pair%-*}")" \
			"$(count_of "$2" "${pair#*-}")"
	done | awk -v title="$3" -v bare="$(count_of "$2" bare)" \
		-v whole="$(count_of "${4:-$2}" bare)" \
		-v spread="$(for file in "$work/counted.$2".*; do
			spread <"$file"
		done | sort -n | tail -n 1)" '{
			more = more sprintf(" %+9.1f", ($1 - $2) / 1e6)
			part = part sprintf(" %+9.2f %%",
				($1 - $2) / whole * 100)
		}
		END {
			printf "%-24s %8.1f%s%s %6.2f %%\n", title, bare / 1e6,
				more, part, spread
		}'
}

# own_part NAME VARIANT OTHER N WHAT: what it takes above the other one, by N.
own_part() {
	echo "$(count_of "$1" "$2") $(count_of "$1" "$3") $4" |
		awk -v what="$5" '{ printf "%12.0f %s\n", ($1 - $2) / $3,
			what }'
}

# price WORD VARIANT OTHER [WHEN]: in per cent of the guest's boot, for tests/prices.
price() {
	echo "$(count_of guest "$2") $(count_of guest "$3")" \
		"$(count_of guest bare)" | awk -v word="$1" -v when="${4-}" '{
			printf "%s %.1f %s\n", word, ($1 - $2) / $3 * 100, when
		}'
}

prices() {
	mkdir -p "$BUILD/prices"
	{
		price '(none)' memstrack bare "by perf; $(price x drain bare |
			cut -d' ' -f 2) % if the events are thrown away"
		price tracefs ftrace bare 'by tracefs instead'
		price samples sampled bare 'by samples instead'
		price slab slab memstrack 'more'
	} >"$BUILD/prices/boot"
	echo 'what each word costs:'
	"$top/tests/prices" "$BUILD/prices"
}

guest_rows() {
	cost_row "$1" guest 'a boot by hand'
	cost_row "$1" start '  its start' guest
	cost_row "$1" modules "  $MODULES modules" guest
	cost_row "$1" programs "  $PROGRAMS programs" guest
	cost_row "$1" files "  $((FILES_BYTES / 1000000)) MB of files" guest
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
	echo "million instructions         bare      slab   objects" \
		"     perf        slab     objects        perf   spread"
	guest_rows 'slab-bare slab-memstrack perf-bare'
	cost_row 'slab-bare slab-memstrack perf-bare' opens \
		"$GUEST_OPENS times open, close"
	echo "instructions of each, $events events of objects in that last row:"
	own_part opens slab memstrack "$events" 'an event, by memstrack'
	own_part opens perf bare "$events" 'an event, by perf kmem record'
	own_part start slab bare 1 'to start memstrack, with slab'
	own_part start memstrack bare 1 'to start it without'
	own_part recorder_start perf none 1 'to start perf kmem record'
	own_part recorder_end perf none 1 'to end it'
	own_part recorder_table perf none 1 'to make a table of its file'
	report=$work/guest.slab.console
	echo "memstrack  own memory $(head_field own_bytes "$report") bytes," \
		"events $(head_field seen "$report")," \
		"lost $(head_field lost "$report")"
	losses=$(said perf 'recorder .* events and lost ')
	echo "perf       file $(said perf 'recorder wrote ') bytes, events" \
		"$(said perf 'recorder .*('), losses ${losses:-0}"
}

counted() {
	"$top/tests/need" qemu-system-x86 busybox-static cpio kmod e2fsprogs \
		linux-perf
	# shellcheck disable=SC2086 # SUITE may be none
	kernel=$("$top/initramfs/kernel" ${SUITE:-})
	guest_image
	boots guest "-- $PROGRAMS $PAGES $CHURNS $GUEST_OPENS $IDLE"
	case " $GUESTS " in
	*' dracut '*)
		dracut_image
		boots dracut 'root=/dev/vda ro' -d "$work/root.ext4"
		;;
	esac

	echo "Linux $(cat "$kernel/release") in QEMU, 512 MiB, 1 CPU, medians" \
		"of $BOOTS boots"
	echo "million instructions         bare memstrack     drain" \
		"   ftrace      slab   memstrack       drain      ftrace" \
		"       slab   spread"
	pairs='memstrack-bare drain-bare ftrace-bare slab-bare'
	guest_rows "$pairs"
	[ "$GUESTS" = guest ] || {
		cost_row "$pairs" clock 'dracut, to the root'
		cost_row "$pairs" dracut '  without idle time'
	}
	echo "memstrack's own instructions:"
	own_part start memstrack bare 1 'to start'
	own_part start memstrack drain 1 'of them beside opening the events'
	own_part start ftrace bare 1 'to start by ftrace'
	own_part modules memstrack drain "$MODULES" 'a module load'
	own_part anon memstrack drain $((PAGES * CHURNS * 2)) \
		'an event without stack'
	own_part tmpfs memstrack drain $((PAGES * CHURNS * 2)) \
		'an event, every second with a stack'
	own_part idle memstrack bare "$IDLE" 'an idle second'
	own_part idle drain bare "$IDLE" 'an idle second, when thrown away'
	own_part report memstrack none 1 'a report'
	report=$work/guest.memstrack.console
	echo "own memory $(head_field own_bytes "$report") bytes," \
		"lost $(head_field lost "$report")"
	objects_shown
	prices
}
