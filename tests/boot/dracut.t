#!/bin/sh
# SPDX-License-Identifier: MIT
# Our dracut module in an image with systemd, booted without rdinit= and with a
# shell in the middle of the boot. (Its hook without rd.memstrack: hooks.t;
# images with rdinit=: any-image.t.) MATRIX=all: with rdinit=; images with and
# without systemd, hostonly and not, made by two versions of dracut; without
# rd.memstrack; kept in the real root; and without one; and one whose files are in a
# squashfs, beside which rdinit= finds the program. And dracut's own
# memstrack module, unmodified, which the image has too, with our program in
# place of the older one: rd.memdebug=4 and 5 print their sections, which can
# be read on the console and in the kernel log. With a tracer from rdinit= they
# cover the boot from its start.
. "$(dirname "$0")/images.sh"

# The module as it is installed, for tests/images to lay over the root.
ADD=$work/add
make -s -C "$top" dracut-module-install BUILD="$BUILD" DESTDIR="$ADD" \
	PREFIX=/usr >/dev/null
rm -r "${ADD:?}/usr/share"		# of pages no image is made anew
install -D "$BOOT" "$ADD/usr/lib/memstrack/memstrack"
# Where dracut's own module looks for the program.
install -D "$MEMSTRACK" "$ADD/usr/bin/memstrack"
export ADD

# module_image NAME SUITE [OPTION...]: of a machine with QEMU's disk.
module_image() {
	name=$1 suite=$2
	shift 2
	KERNEL=${SUITE-} "$top/tests/images/image" "$name" "$suite" sh -c \
		'dracut --kver "$RELEASE" --add memstrack-boot "$@" \
			/mnt/out/image' sh "$@"
}
traced_root ''

# type_at_shell HOW_IT_ENDS: one line, typed at the shell that a boot stops in.
# sulogin wants a key before; an empty line does no harm to others.
typed='echo shell=$((6 * 7)) >/dev/ttyS1; memstrack report;
echo report=$? >/dev/ttyS1;'
type_at_shell() {
	prompt='\(:/[a-z]*\|~ \|sh-[0-9.]*\)# '
	until grep -q "Press Enter\|$prompt" "$console.raw"; do
		sleep 0.2
	done
	printf '\n'
	until grep -q "$prompt" "$console.raw"; do
		sleep 0.2
	done
	echo "$typed $1" | tr '\n' ' '
	printf '\n'
}

# boot_module IMAGE "parameters" [HOW_IT_ENDS]: at a shell on the way, if it is
# told how that one ends.
boot_module() {
	with_program "$1" usr/bin/memstrack
	[ $# = 3 ] || {
		boot_image "$2"
		return
	}
	: >"$console.raw"
	rm -f "$work/typed"
	mkfifo "$work/typed"
	exec 8<>"$work/typed"
	type_at_shell "$3" >&8 &
	typist=$!
	TYPED=$work/typed
	export TYPED
	boot_image "$2"
	unset TYPED
	kill "$typist" 2>/dev/null
	exec 8>&-
}

shell_works() {
	ok "$1: a shell comes and works" fact shell=42
	ok "$1: a report can be had in it" fact report=0
}

# traced "what it is" IMAGE "parameters" [HOW A SHELL ENDS]: with one report,
# and with what was missed.
traced() {
	what_boots=$1
	shift
	boot_module "$@"
	switched "$what_boots"
	ok "$what_boots: udev is in it from its start" traced_whole udevd
	ok "$what_boots: nothing else was said" [ -z "$(said_besides)" ]
	ok "$what_boots: its hooks are phases" phases cmdline pre-udev pre-trigger \
		pre-mount pre-pivot
	ran=$(sed '/: end of report/q' "$facts" |
		sed ':a;N;$!ba;s/\nmemstrack:         / /g' |
		sed -n 's/^memstrack: \([^ ]*\[[0-9]*\]\) .* had .*/\1/p' |
		grep -v '^memstrack\[' | tr '\n' ' ')
	echo "# $what_boots:$(sed -n 's/.*\( traced +[0-9.]* s to\) .*/\1/p' \
		"$facts" | head -n 1) the end; before it ran: $ran"
	ok "$what_boots: no task but PID 1 ran before" first_of_all
}
# Lines in front of, between and behind reports.
said_besides() {
	awk '/^memstrack: memstrack .*([,;] [0-9]* lost|; sampled$)/ { report = 1 }
		/^memstrack: / && !report
		/: end of report, / { report = 0 }' "$facts"
}
# Who traces a task from its start on says of it no "had ... at start".
traced_whole() {
	grep "^memstrack: [^ ]*$1\[" "$facts" &&
		! grep "^memstrack: [^ ]*$1\[.* at start" "$facts"
}
first_of_all() {
	echo "$ran" | grep -x '[^ ]*\[1\] '
}

# in_image IMAGE SUITE: what is in it of our module and of dracut's own.
in_image() {
	mkdir -p "$work/list"
	cp "$1" "$work/list/image"
	"$top/tests/images/in-root" "$BUILD/images/$2" "$kernel" \
		"$work/list" lsinitrd /mnt/out/image |
		awk '/^[-l]/ { print $9 }' |
		grep 'memstrack\|/\(pgrep\|pkill\|nohup\)$' | sort |
		tr '\n' ' '
}

# The root password is locked: since dracut 110 a shell must be asked for so.
force=SYSTEMD_SULOGIN_FORCE=1
from='rd.memstrack=1 rd.memstrack.top=500'

# boots "what it is" IMAGE: with rdinit, in check-all, and without.
boots() {
	[ "${MATRIX-}" != all ] || {
		run_as=rdinit=/memstrack
		traced "$1, rdinit" "$2" "$from"
	}
	run_as=
	traced "$1, no rdinit" "$2" "$from rd.break=pre-mount $force" exit
	shell_works "$1, rd.break"
	ok "$1, rd.break: and tracing went on" [ "$(reports request)" = 1 ]
}
# What systemd says on the console of its unit, in the boot without rdinit.
unit_stays() {
	seen 'Started .*Memory tracer' && unseen 'Stopp.*Memory tracer'
}

# nothing "what it is" IMAGE "parameters"
nothing() {
	boot_module "$2" "$3"
	reaches_root "$1"
	ok "$1: not a word" never_told memstrack
}
# no_root "what it is" IMAGE: the boot ends in the emergency shell.
no_root() {
	boot_module "$2" "$from root=/dev/vdz rd.shell rd.retry=1 \
		rd.timeout=5 $force" 'echo o >/proc/sysrq-trigger'
	shell_works "$1, no root"
	ok "$1, no root: a report on it" seen 'memstrack: .* end of report, '
}
# kept "what it is" IMAGE: traced on in the real root.
kept() {
	boot_module "$2" "$from rd.memstrack.keep=1"
	ok "$1, keep: one report at the switch" [ "$(reports switch-root)" = 1 ]
	ok "$1, keep: the tracer is left in peace" fact kept=1
	ok "$1, keep: until it is told to go" [ "$(reports SIGTERM)" = 1 ]
}

# old_module "what it is" IMAGE "parameters" SECTION...
old_module() {
	image_is=$1
	# Else what dracut prints is the journal's alone.
	boot_module "$2" "$3 systemd.journald.forward_to_console=1"
	shift 3
	reaches_root "$image_is"
	for section; do
		ok "$image_is: $section, whole, in the log and on the console" \
			eval "fact 'memstrack: =* Report format $section END =*' &&
			seen 'memstrack: =* Report format $section END =*'"
	done
	# The journal ends soon after: of many lines the last do not come.
	ok "$image_is: and in the file that dracut prints" seen \
		'dracut-.*\]: ======== Report format module_summary END =*'
	ok "$image_is: of modules" \
		fact 'memstrack: Module .* using .*MB (.* pages), peak .*'
	echo "# $(grep -c '^memstrack: Module .* using .*MB ([1-9]' "$facts")" \
		"modules hold pages"
}
# systemd's own are the first there are.
first_modules() { fact 'memstrack: Module \(fuse\|autofs4\) using .*'; }

hostonly='--hostonly --no-hostonly-cmdline --add-drivers virtio_pci
	--add-drivers virtio_blk'

# The kernel unpacks what dracut compresses; emulated, this takes seconds.
hosts="$hostonly --no-compress"
[ "${MATRIX-}" != all ] || hosts=--no-hostonly
# shellcheck disable=SC2086 # words
systemd=$(module_image module-059 bookworm $hosts)
boots "dracut 059, systemd" "$systemd"
ok "dracut 059, systemd, no rdinit: the unit is never stopped" unit_stays
# Beside dracut's own module, which takes the program too.
held=" $(in_image "$systemd" bookworm)"
for file in memstrack usr/bin/memstrack \
	usr/lib/systemd/system/memstrack-boot.service \
	etc/systemd/system/sysinit.target.wants/memstrack-boot.service; do
	ok "dracut 059: the image has $file" \
		test "$held" != "${held#* "$file" }"
done
[ "${MATRIX-}" = all ] || finish

nothing "dracut 059, systemd, no rd.memstrack" "$systemd" ''
kept "dracut 059, systemd" "$systemd"
no_root "dracut 059, systemd" "$systemd"
old_module "dracut 059, rd.memdebug=4" "$systemd" rd.memdebug=4 module_summary
old_module "dracut 059, rd.memdebug=5" "$systemd" rd.memdebug=5 \
	module_summary module_top

systemd=$(module_image module-112 sid --no-hostonly)
boots "dracut 112, systemd" "$systemd"
ok "dracut 112, systemd, no rdinit: the unit is never stopped" unit_stays
kept "dracut 112, systemd" "$systemd"
no_root "dracut 112, systemd" "$systemd"
old_module "dracut 112, rd.memdebug=4" "$systemd" rd.memdebug=4 module_summary
ok "no tracer before: not of modules from its start" fails first_modules
run_as=rdinit=/memstrack
old_module "dracut 112, rd.memdebug=5, rdinit" "$systemd" \
	'rd.memstrack=1 rd.memdebug=5' module_summary module_top
run_as=
ok "rdinit: the second asks the first" seen 'traces already'
ok "rdinit: the first has its own report" seen 'reason: SIGTERM'
ok "rdinit: of modules from before the second began" first_modules

# shellcheck disable=SC2086 # words
shell=$(module_image module-059-sh bookworm --omit systemd $hostonly)
boots "dracut 059, no systemd, hostonly" "$shell"
is "dracut 059, no systemd: the program, a link, hooks, no helpers" \
	"$(in_image "$shell" bookworm)" "memstrack usr/bin/memstrack \
usr/lib/dracut/hooks/cmdline/00-memstrack-boot.sh \
$(printf 'usr/lib/dracut/hooks/%s/00-memstrack-mark.sh ' cmdline initqueue mount \
	pre-mount pre-pivot pre-trigger pre-udev)"
nothing "dracut 059, no systemd, rd.memstrack=0" "$shell" rd.memstrack=0
kept "dracut 059, no systemd" "$shell"
no_root "dracut 059, no systemd" "$shell"
# shellcheck disable=SC2086
image=$(module_image module-112-sh sid --omit systemd $hostonly)
boots "dracut 112, no systemd, hostonly" "$image"

# squashed NAME SUITE PACKAGE OPTION...: an image whose files are in a squashfs. A
# first /init mounts it and switches to it. It would take busybox, but without the
# libraries of Debian's; else it has mount and modprobe, with theirs.
squashed() {
	name=$1 suite=$2
	PACKAGE=$3
	export PACKAGE
	shift 3
	"$top/tests/images/image" "$name" "$suite" sh -c \
		'rm /usr/bin/busybox && dracut --kver "$RELEASE" \
			--add "memstrack-boot squash" "$@" /mnt/out/image' sh "$@"
}
# from_loader "what it is": its report has what the first /init runs and loads.
from_loader() {
	ok "$1: its own switch_root is a task as others" \
		fact 'memstrack: switch_root\[[0-9]*\] .*'
	ok "$1: and so are the modules that it needs" fact \
		'memstrack: squashfs .*' 'memstrack: overlay .*' 'memstrack: loop .*'
}
run_as=rdinit=/memstrack
# shellcheck disable=SC2086
image=$(squashed module-112-squash sid squashfs-tools $hostonly)
traced "dracut 112, squashfs" "$image" "$from"
from_loader "dracut 112, squashfs"

# Of 059 all files are in the squashfs: the overlay has the program in front.
# shellcheck disable=SC2086
image=$(squashed module-059-squash bookworm dracut-squash $hostonly --no-compress)
with_overlay "$image" front
boot_image "$from"
switched "dracut 059, squashfs, overlay"
from_loader "dracut 059, squashfs, overlay"
finish
