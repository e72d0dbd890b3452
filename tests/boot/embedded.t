#!/bin/sh
# SPDX-License-Identifier: MIT
# Embedded: memstrack itself is /init, in an image of initramfs/embedded.list
# that holds only the device nodes and the program of rd.memstrack.init=. Nobody
# mounts anything; that program tells what it found (embedded.c). The image is
# booted as initrd, without rdinit=; with MATRIX=all also from
# CONFIG_INITRAMFS_SOURCE of a small kernel.
. "$(dirname "$0")/lib.sh"

"$top/tests/need" musl-tools xz-utils >&2 || skip_all 'musl-gcc is missing'
musl-gcc -std=gnu11 -D_GNU_SOURCE= -Os -static -s -o "$work/app" \
	"$here/embedded.c" || exit 1
export APP="$work/app" MEMSTRACK="$BOOT"
run_as=

# image: of the list that ships, by the sed script $1, and the facts' port.
image() {
	{
		sed "$1" "$top/initramfs/embedded.list"
		echo 'nod /dev/ttyS1 0600 0 0 c 4 65'
	} >"$work/list"
	"$top/initramfs/embedded" "$work/list" "$work/initrd"
}
only_these() {
	cat "$work/list"
	fact '/=\(dev \|init \|app \|root \)*' &&
		fact '/dev=\(console \|null \|ttyS1 \)*'
}
report_is_whole() {
	sed -n 's/^memstrack: //p' "$facts" >"$work/report"
	grep -q "^report  level 2, .*reason: SIGTERM" "$work/report" &&
		grep -q "^app\[1\]  *8\.[0-9]M " "$work/report" &&
		whole_report <"$work/report"
}

boot_line='rd.memstrack=2 rd.memstrack.init=/app'

# The clock counts instructions: on a busy machine, too, no tracer is late.
# alone KERNEL [options of initramfs/qemu]: one program, and what it is to find.
alone() {
	shown_as=$1
	shift
	start "$boot_line devtmpfs.mount=0" -i 3 "$@"
	ok "$shown_as: the program is PID 1" fact 'pid=1 arguments=1 init=/app'
	ok 'what the kernel gives init, it has' fact 'environment=HOME=/'
	ok 'no file, no directory is there but its own' only_these
	ok '/dev is the static one, its console is open' fact static=1 console=1
	ok 'asked to end, the tracer leaves: one child' fact ended=1
	ok 'the report is whole in the kernel log, the program in it' report_is_whole
	ok 'and on the console' seen '^.*memstrack: memstrack .*end of report, '
	ok 'the machine is switched off' [ "$boot_status" = 0 ]
}

sizes=$(image '')
alone "Debian's kernel"
echo "# $boot_line: traced from $(
	sed -n 's/.* traced +\([0-9.]*\) s to .*/\1/p' "$facts") s on"
echo "# memstrack $(wc -c <"$BOOT") bytes, program $(wc -c <"$APP");" \
	"image $sizes"

# The kernel's own built-in archive may have one: ours comes over it.
image 's,^nod /dev/console .*,slink /dev/console /nowhere 0777 0 0,' >/dev/null
start "$boot_line quiet" -i 3
ok 'without a console: the program runs' fact told=all
ok 'the kernel found none' seen 'unable to open an initial console'
ok 'nor has the program' fact console=0
ok 'the report is whole in the kernel log' report_is_whole
ok 'the console has it nevertheless' seen '^memstrack .*end of report, '

# A kernel that has the list built in has nothing but what it says: no /dev of
# its own, as Debian's, whose image comes over one.
holds_these() {
	TZ=UTC cpio -tv --quiet -n <"$2" | awk '{ $1 = $1; print }' |
		diff "$1" -
}
cat >"$work/wanted" <<END
drwxr-xr-x 1 0 0 0 Jan 1 1970 dev
crw------- 1 0 0 5, 1 Jan 1 1970 dev/console
crw-rw-rw- 1 0 0 1, 3 Jan 1 1970 dev/null
-rwxr-xr-x 1 0 0 $(wc -c <"$BOOT") Jan 1 1970 init
-rwxr-xr-x 1 0 0 $(wc -c <"$APP") Jan 1 1970 app
END
"$top/initramfs/embedded" "$top/initramfs/embedded.list" "$work/out" \
	>/dev/null
ok 'the list that ships makes these' holds_these "$work/wanted" "$work/out"

cat >"$work/list" <<'END'
dir /a 0710 0 0

# a comment
nod /a/disk 0640 0 0 b 8 17
file a/two ${PART}/${NAME}.c 0444 0 0
slink /a/link two 0777 0 0
END
cat >"$work/wanted" <<END
drwx--x--- 1 0 0 0 Jan 1 1970 a
brw-r----- 1 0 0 8, 17 Jan 1 1970 a/disk
-r--r--r-- 1 0 0 $(wc -c <"$here/embedded.c") Jan 1 1970 a/two
lrwxrwxrwx 1 0 0 3 Jan 1 1970 a/link -> two
END
PART=$here NAME=embedded "$top/initramfs/embedded" "$work/list" "$work/out" \
	>/dev/null
ok 'and one of all that there is' holds_these "$work/wanted" "$work/out"

# A kernel with the list within, no module, no kprobe, and nothing to load.
if [ "${MATRIX-}" = all ]; then
	image '' >/dev/null
	: >"$work/initrd"
	if kernel=$("$top/tests/images/kernel" serial CONFIG_ACPI=y \
		"CONFIG_INITRAMFS_SOURCE=\"$work/list\""); then
		# It has no way to switch the machine off.
		alone 'within the kernel' -u 'reboot: '
		echo "# $(wc -c <"$kernel/vmlinuz") bytes, all of it"
	else
		ok 'a kernel is made' false
	fi
fi

# What a list may not say: refused by its line, and nothing is made.
refused() {
	printf '# a comment\n\n%s\n' "$1" >"$work/list"
	rm -f "$work/out"
	! "$top/initramfs/embedded" "$work/list" "$work/out" \
		>"$work/said" 2>&1 && cat "$work/said" &&
		grep -q "list: line 3: .*$2" "$work/said" &&
		[ ! -e "$work/out" ]
}
while IFS='|' read -r what line why; do
	ok "refused: $what" refused "$line" "$why"
done <<END
an owner who is not root|dir /a 0755 1 0|1:0
a file that is not there|file /a $work/absent 0755 0 0|absent cannot be read
a variable that is not set|file /a \${NOT_SET_HERE} 0755 0 0|NOT_SET_HERE is not set
a mode that is none|dir /a rwx 0 0|not a mode: rwx
a node of no kind|nod /a 0600 0 0 d 1 3|neither b nor c: d
a device number that is none|nod /a 0600 0 0 c five 1|not a device number: five
an octal one|nod /a 0600 0 0 c 5 010|not a device number: 010
a kind that is not known|pipe /a 0600 0 0|not understood: pipe
END
finish
