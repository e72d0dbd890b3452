#!/bin/sh
# SPDX-License-Identifier: MIT
# Other machines: memstrack is built for each (`make ARCH=`), and is the first
# process there. In one boot: what a module takes is charged to it to the page;
# where all of RAM is; the switch of the root. In the root that follows: a
# recording gives the same report there and here; and areas are sampled.
#
# MACHINES: which. Else only make check-all has them, for to build one takes
# longer than to boot it: all that we build for, arm64 also with pages of 16
# KiB; then memory runs out too, and all of tests/replay give there, in
# emulation, what they give here. On arm64, the regions that a device tree
# reserves are rows by their names, and what is given to the page allocator as
# contiguous memory counts once.
. "$(dirname "$0")/ram.sh"

[ "${MACHINES-}" ] || only_in_check_all
usual='arm64 arm64-16k armhf i386 ppc64el riscv64 s390x'

# A foreign machine has one serial line. What the guest has to tell it keeps in
# a file in /dev, which outlives the switch of the root, and tells on the
# console at the end, between two marks. foreign MACHINE makes one ready.
. "$top/initramfs/machine.sh"
foreign() {
	machine "$1" || return 1
	"$top/tests/need" "$package" >&2 &&
		tree=$("$top/tests/images/foreign" "$1") &&
		modules=$("$top/tests/modules/build" -a "$1") &&
		cross=$("$top/initramfs/cross" "$arch")
}

# Built once for all tests, without a warning; not where `make ARCH=` builds,
# whose dependencies name files by other paths.
build_foreign() {
	(
		unset MAKEFLAGS MAKELEVEL	# of a make that runs the tests
		flock 9
		make -s -C "$top" ARCH="$arch" BUILD="$BUILD/foreign/$arch" \
			all size
	) 9>"$BUILD/.foreign.lock"
}

# A guest with busybox, the planted modules and their loader, its /init from
# stdin; and a script of the root that it switches to.
foreign_guest() {
	new_guest bare
	mkdir -p "$guest/bin" "$guest/lib"
	cp -L "$tree/bin/busybox" "$BUILD/foreign/$arch/memstrack" "$guest/bin/"
	for name in sh base64 cat cp cut dd dmesg grep kill md5sum mkdir mount \
		poweroff rmmod sed seq sleep stty switch_root tail uname wc; do
		ln -s busybox "$guest/bin/$name"
	done
	cp "$modules"/planted?.ko "$modules/eater.ko" "$guest/lib/"
	"$cross/cc" -static -Os -o "$guest/bin/load" \
		"$top/tests/modules/load.c" || exit 1
	and_off | foreign_script /init
}
foreign_script() {
	mkdir -p "$guest$(dirname "$1")"
	{
		cat "$here/guest.sh"
		cat <<'FOREIGN'
facts() { exec 3>>/dev/facts; }
off() {
	exec 3>&-
	dmesg -n 1
	echo; echo "=== facts"; cat /dev/facts; echo "=== end"
	sleep 1
	poweroff -f
}
FOREIGN
		cat
	} >"$guest$1"
	chmod +x "$guest$1"
}

# boot_foreign "parameters" [options of QEMU]
boot_foreign() {
	parameters=$(echo "$backend $1" | tr -s '\t\n' '  ')
	shift
	boots=$((boots + 1))
	boots_program "$BUILD/foreign/$arch/boot/memstrack"
	initrd
	# shellcheck disable=SC2086 # several words
	qemu-system-$emulator -m "$mib" -smp 2 -nodefaults \
		-display none -no-reboot -serial stdio "$@" \
		-kernel "$tree/vmlinuz" -initrd "$work/initrd" \
		-append "console=$console_name panic=-1 rdinit=/memstrack
			$parameters" </dev/null 2>&1 | tr -d '\r' >"$console"
	sed -n '/^=== facts$/,/^=== end$/p' "$console" | sed '1d;$d' >"$facts"
}

# Of the JSON among the facts: pages of the chains through a function of the
# module, now or at their peak.
pages_of() {
	grep '"type":"stack","owner":"module:planted0"' "$facts" |
		grep -e "\"$1+[0-9a-fx]* \[planted0\]\"" | grep -v _slab |
		number "$2_pages" | sum
}

# What each part of the guest tells stands behind a line "=== PART".
part() {
	facts=$work/part
	sed -n "/^=== $1\$/,/^=== /p" "$work/facts" >"$facts"
}

boots() {
	foreign_guest <<'INIT'
say "=== planted"
load finit /lib/planted0.ko 'keep=1000 temp=500 again=1 order=0 work=40 vm=64' >&3
load finit /lib/planted3.ko 'keep=30 fail=1' >&3
memstrack report
grep -E '"type":"(head|ram|note)"|planted[03]|"comm":"load"' \
	/dev/report.json >&3
sed 's/^ */iomem=/' /proc/iomem >&3
mkdir /sysroot
mount -t tmpfs -o size=64M tmpfs /sysroot
mkdir /sysroot/proc /sysroot/dev /sysroot/sys
cp -r /bin /lib /sysroot
cp /memstrack /sysroot/bin
cp /root/init /sysroot/init
dd if=/dev/zero of=/sysroot/zeros bs=1M count=32
mount -o move /dev /sysroot/dev
exec switch_root /sysroot /init
INIT
	foreign_script /root/init <<'INIT'
mount -t proc proc /proc
mount -t sysfs sysfs /sys
facts
say "=== switched"
say "pid=$$"
wait_for_tracers
grep -E '"type":"(head|end|reconcile)"|"comm":"dd"' /dev/report.json >&3

say "=== recorded"
rmmod planted0
memstrack record /trace --ring=4M >/out 2>&1 &
until [ -s /trace ]; do sleep 0.1; done
load finit /lib/planted0.ko 'keep=100 vm=10 leak=1' >&3
rmmod planted0
kill $!
wait $!
say "status=$?"
say "here=$(memstrack replay /trace --level=3 | md5sum | cut -d" " -f1)"
base64 /trace | sed 's/^/trace=/' >&3

# Nothing is traced, and addresses are shown as they are.
say "=== sampled"
echo 1 >/proc/sys/kernel/kptr_restrict
memstrack trace --level=3 --format=json --backend=sampled \
	--out=/sampled.json &
load finit /lib/planted0.ko 'vm=64' >&3
until memstrack report 2>/dev/null &&
	grep -q '"areas","caller":"planted_vm+' /sampled.json; do
	sleep 0.1
done
grep -E '"type":"(head|note|areas)"' /sampled.json >&3
off
INIT
	facts=$work/facts
	boot_foreign "rd.memstrack=3 rd.memstrack.format=json
		rd.memstrack.out=/dev/report.json rd.memstrack.ring=4M
		rd.memstrack.mem=12M"
}

# Events show a part of its pages; where the report has a dash, none is known.
vmalloc() {
	what="$machine: most of an area, by who asked for it"
	if grep -q '"type":"module","name":"planted0".*"vmalloc_pages":null' \
		"$facts"; then
		skip "$what" 'vmalloc of this kernel is not known'
		return
	fi
	ok "$what" is_between \
		"$(of areas now_pages '"caller":"planted_vm+.*"module":"planted0"')" \
		50 64
}

planted() {
	part planted
	case $machine in
	arm64-16k) page=16384 ;;
	ppc64el) page=65536 ;;
	*) page=4096 ;;
	esac
	ok "$machine: a page has $page bytes" same "$(of head page_bytes)" $page
	ok "$machine: nothing is lost" same "$(of head lost)" 0
	ok "$machine: pages of init" same "$(pages_of planted_keep now)" 1000
	ok "$machine: pages that it gave back" same "$(pages_of planted_temp now) \
$(pages_of planted_temp peak)" "0 500"
	ok "$machine: pages of a work item" same "$(pages_of planted_work now)" 40
	note 'vmalloc is sampled' || vmalloc
	ok "$machine: an init that failed" grep \
		'"type":"module","name":"planted3".*"state":"failed"' "$facts"
	# powerpc's firmware and RISC-V's memblock do not say for whom.
	case $arch in
	ppc64el | riscv64) little_unknown "$machine" "$mib" 15 ;;
	*) little_unknown "$machine" "$mib" ;;
	esac
}

switches() {
	part switched
	ok "$machine: the real root is reached" fact pid=1
	ok "$machine: a report, of the switch of the root" \
		grep '"type":"head".*"reason":"switch-root"' "$facts"
	ok "$machine: it is whole" grep '"type":"end"' "$facts"
	ok "$machine: nothing was lost" same "$(of head lost)" 0
	ok "$machine: the fall of free memory is explained" is_between \
		"$(of reconcile explained_permille)" 950 1050
	ok "$machine: the file is charged to who wrote it" is_between \
		"$(of task now_pages '"comm":"dd"')" $((32 * 1048576 / page)) \
		$((33 * 1048576 / page))
}

starves() {
	foreign_guest <<'INIT'
sleep 0.3
load finit /lib/eater.ko eat=1
sleep 5
INIT
	facts=$work/facts
	boot_foreign 'rd.memstrack=1 rd.memstrack.mem=8M rd.memstrack.ring=4M'
	ours >"$work/all"
	report_of 'memory is low|OOM kill of.*' <"$work/all" >"$work/report"
	ok "$machine: memory runs out: a report" \
		grep 'end of report' "$work/report"
	ok "$machine: for the module" \
		grep '^culprit module eater' "$work/report"
	# Its name is gone with the module, if names were not read before.
	ok "$machine: and its code" \
		grep '\(eater_eat+\)\{0,1\}0x[0-9a-f]* \[eater\]' "$work/all"
	ok "$machine: the tracer lives" grep -q '=== end' "$console"
}

# Of meminfo; what the log says of a region; the bytes of an image by iomem.
meminfo() { sed -n "s/^meminfo=$1: *\([0-9]*\) kB/\1/p" "$facts"; }
within() {
	grep "\"name\":\"$1\",.*\"part_of\":\"MemTotal\"" "$facts" | number size_kib
}
device_tree() {
	"$top/tests/need" device-tree-compiler >&2 || {
		skip 'a device tree' 'packages are missing'
		return
	}
	foreign_guest <<'INIT'
rows ''
sed 's/^ */iomem=/' /proc/iomem >&3
dmesg | sed -n 's/^\[ *[0-9.]*\] /log=/p' >&3
sed 's/^/meminfo=/' /proc/meminfo >&3
INIT
	# 8 MiB that the kernel must not map, 4 MiB that it keeps, 16 MiB of contiguous
	# memory that it places itself, and a region that is switched off.
	qemu-system-aarch64 -M "virt,dumpdtb=$work/tree.dtb" -cpu cortex-a57 -m 256 \
		-smp 2 -nodefaults -display none >/dev/null 2>&1
	dtc -q -I dtb -O dts -o "$work/tree.dts" "$work/tree.dtb"
	cat >>"$work/tree.dts" <<'DTS'
/ {
	reserved-memory {
		#address-cells = <2>;
		#size-cells = <2>;
		ranges;
		firmware@4e000000 {
			reg = <0 0x4e000000 0 0x800000>;
			no-map;
		};
		ramoops@4d000000 {
			reg = <0 0x4d000000 0 0x300000>, <0 0x4d400000 0 0x100000>;
		};
		pool {
			compatible = "shared-dma-pool";
			reusable;
			size = <0 0x1000000>;
		};
		unused@4c000000 {
			reg = <0 0x4c000000 0 0x100000>;
			status = "disabled";
		};
	};
};
DTS
	dtc -q -I dts -O dtb -o "$work/ours.dtb" "$work/tree.dts"
	facts=$work/facts
	boot_foreign "cma=32M rd.memstrack=1 $json" -dtb "$work/ours.dtb"
	little_unknown arm64 256
	keeps_rest arm64 $((256 * 1024)) "$(meminfo MemTotal)"
	as_in_iomem arm64 code data
	ok 'a region that is not mapped' same "$(row reserved firmware@4e000000)" 8192
	ok 'it is no System RAM' grep '^iomem=4e000000-4e7fffff : reserved' "$facts"
	ok 'both parts of a kept region' same "$(row reserved ramoops@4d000000)" 4096
	ok 'no region that is switched off' no_row reserved unused@4c000000
	ok 'contiguous memory of the device tree is in it' same "$(within pool)" 16384
	ok 'and all of it, with that of cma=' same "$(within CMA)" $((48 * 1024))
	ok 'as the kernel says' same "$(within CMA)" "$(meminfo CmaTotal)"
}

replay() {
	"$MEMSTRACK" replay "$work/trace" --level=3
}
in_recording() { grep -e "$1" "$work/replayed"; }
records() {
	part recorded
	sed -n 's/^trace=//p' "$facts" | base64 -d >"$work/trace"
	replay >"$work/replayed"
	ok "$machine: a recording is made" fact status=0
	ok "$machine: it has every event" in_recording '; complete, 0 lost$'
	ok "$machine: and the module" in_recording \
		"^planted0 .* gone, still holds [0-9.]*[KM]"
	ok "$machine: $(wc -c <"$work/trace") bytes of it give the same report here" \
		same "$(md5sum <"$work/replayed" | cut -d' ' -f1)" "$(value here)"
}

samples() {
	part sampled
	ok "$machine: areas are sampled" \
		grep '"type":"areas","caller":"planted_vm+' "$facts"
	ok "$machine: and no address is taken for a hash" \
		same "$(note 'addresses are hashed' || echo none)" none
}

replays() {
	"$top/tests/need" qemu-user-static >&2 || return
	user=${emulator%% *}
	printf '#!/bin/sh\nexec qemu-%s-static "%s" "$@"\n' \
		"$(echo "$user" | sed 's/ppc64/ppc64le/')" \
		"$BUILD/foreign/$arch/memstrack" >"$work/emulated"
	chmod +x "$work/emulated"
	MEMSTRACK=$work/emulated NATIVE='' "$top/tests/replay/cases.t" \
		>"$work/cases"
	echo "$(grep -c ^ok "$work/cases") of $(tail -n 1 "$work/cases")"
	grep '^not ok' "$work/cases"
	[ "$(grep -c ^ok "$work/cases")" -gt 1000 ] &&
		! grep -q '^not ok' "$work/cases"
}

# perf by name where it gives no chains: a task has the pages, no module.
without_chains() {
	part planted
	ok "$machine: nothing is lost" same "$(of head lost)" 0
	ok "$machine: it is said that chains end early" note 'chains end early'
	ok "$machine: the task has the pages" is_between \
		"$(of task peak_pages '"comm":"load"')" 1500 1700
}

for machine in ${MACHINES:-$usual}; do
	foreign "$machine" || {
		skip "$machine" 'its packages are not to be had'
		continue
	}
	ok "$machine: it is built, without a warning" build_foreign
	echo "# $machine: $(wc -c <"$BUILD/foreign/$arch/memstrack") bytes," \
		"Linux $(cat "$tree/release")"
	# Another kernel does not matter to it.
	[ "${MATRIX-} $machine" != "all $arch" ] ||
		ok "$machine: all golden reports, emulated" replays
	boots
	if [ "$arch ${BACKEND-}" = 'armhf perf' ]; then
		without_chains
		continue
	fi
	planted
	switches
	records
	samples
	[ "${MATRIX-}" != all ] || starves
	[ "${MATRIX-} $machine" != 'all arm64' ] || device_tree
done
finish
