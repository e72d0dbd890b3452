# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Boots whose cost is counted in instructions, not measured in time.
#
# QEMU's -icount makes the guest's clock the number of executed instructions,
# one a nanosecond: two runs of the same boot differ by some 0.2 %, however busy
# the machine is. Each boot runs bare, traced, and with drain as the first
# process, so that the kernel's part and ours can be told apart; traced by
# tracefs instead of perf; and with the objects of slab. There are two guests:
#
#	dracut	dracut's image of a Debian with systemd, from the first process
#		to the mount of the root
#	guest	a script: modules loaded, programs run, files written, and the
#		workloads of churn.c with one kind of event each
#
# The guest also runs under `perf kmem record`: objects.sh.
#
# The time in which the CPU was idle does not count as instructions. For the
# mount the clock's own time is shown too, which includes the waits for the
# disk.
# shellcheck disable=SC2154 # of run.sh

: "${BOOTS:=3}"
MODULES=30 PROGRAMS=150 FILES_BYTES=57000000
PAGES=4096 CHURNS=4 GUEST_OPENS=20000
# shellcheck source=initramfs/newc.sh
. "$top/initramfs/newc.sh"
# shellcheck source=tests/bench/objects.sh
. "$here/objects.sh"

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
	"$top/initramfs/qemu" -i -m 512 -t 600 "$@" "$kernel/vmlinuz" \
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
	while [ "$left" -gt 0 ]; do
		left=$((left - 1))
		boot "$name" bare "rdinit=/init $counting $rest" "$@"
		boot "$name" memstrack "rdinit=/memstrack rd.memstrack=2
			rd.memstrack.format=json rd.memstrack.out=kmsg $rest" "$@"
		boot "$name" ftrace "rdinit=/memstrack rd.memstrack=2
			rd.memstrack.backend=ftrace rd.memstrack.format=json
			rd.memstrack.out=kmsg $rest" "$@"
		boot "$name" slab "rdinit=/memstrack rd.memstrack=2
			rd.memstrack.slab rd.memstrack.format=json
			rd.memstrack.out=kmsg $rest" "$@"
		boot "$name" drain "rdinit=/drain $rest" "$@"
		[ -z "$recording" ] ||
			boot "$name" perf "rdinit=/init $recording $rest" "$@"
	done
}

# --- what is shown ---------------------------------------------------------

count_of() { median <"$work/counted.$1.$2"; }

# Millions of instructions, and the ratios of their medians.
counted_row() {
	echo "$(count_of "$1" bare) $(count_of "$1" memstrack)" \
		"$(count_of "$1" drain) $(count_of "$1" ftrace)" \
		"$(count_of "$1" slab)" \
		"$(for variant in bare memstrack drain ftrace slab; do
			spread <"$work/counted.$1.$variant"
		done | sort -n | tail -n 1)" |
		awk -v name="$2" '{
			printf "%-24s %8.1f %+9.1f %+9.1f %+9.1f %+9.1f",
				name, $1 / 1e6, ($2 - $1) / 1e6,
				($3 - $1) / 1e6, ($4 - $1) / 1e6,
				($5 - $1) / 1e6
			printf " %+9.2f %% %+7.2f %% %+7.2f %% %+7.2f %%",
				($2 / $1 - 1) * 100, ($3 / $1 - 1) * 100,
				($4 / $1 - 1) * 100, ($5 / $1 - 1) * 100
			printf " %6.2f %%\n", $6 }'
}

# own_part NAME VARIANT OTHER N WHAT: what it takes above the other one, by N.
own_part() {
	echo "$(count_of "$1" "$2") $(count_of "$1" "$3") $4" |
		awk -v what="$5" '{ printf "%12.0f %s\n", ($1 - $2) / $3,
			what }'
}

counted() {
	"$top/tests/need" qemu-system-x86 busybox-static cpio kmod e2fsprogs \
		linux-perf
	# shellcheck disable=SC2086 # SUITE may be none
	kernel=$("$top/initramfs/kernel" ${SUITE:-})
	dracut_image
	guest_image
	boots dracut 'root=/dev/vda ro' -d "$work/root.ext4"
	boots guest "-- $PROGRAMS $PAGES $CHURNS $GUEST_OPENS"

	echo "Linux $(cat "$kernel/release") in QEMU, 512 MiB, 1 CPU, medians" \
		"of $BOOTS boots"
	echo "million instructions         bare memstrack    drain" \
		"  ftrace      slab   memstrack     drain    ftrace" \
		"     slab   spread"
	counted_row clock 'dracut, to the root'
	counted_row dracut '  without idle time'
	counted_row guest 'a boot by hand'
	counted_row modules "  $MODULES modules"
	counted_row programs "  $PROGRAMS programs"
	counted_row files "  $((FILES_BYTES / 1000000)) MB of files"
	echo "memstrack's own instructions:"
	own_part start memstrack bare 1 'to start'
	own_part start memstrack drain 1 'of them beside opening the events'
	own_part start ftrace bare 1 'to start by ftrace'
	own_part modules memstrack drain "$MODULES" 'a module load'
	own_part anon memstrack drain $((PAGES * CHURNS * 2)) \
		'an event without stack'
	own_part tmpfs memstrack drain $((PAGES * CHURNS * 2)) \
		'an event, every second with a stack'
	report=$work/guest.memstrack.console
	echo "own memory $(head_field own_bytes "$report") bytes," \
		"lost $(head_field lost "$report")"
	objects_shown
}
