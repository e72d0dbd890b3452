#!/bin/sh
# SPDX-License-Identifier: MIT
# dracut's own memstrack module, unmodified, with our program in place of the
# older one: rd.memdebug=4 and 5 print their sections, which can be read on the
# console and in the kernel log. With a tracer from rdinit= they cover the boot
# from its start.
. "$(dirname "$0")/images.sh"

[ "${MATRIX-}" = all ] || skip_all 'MATRIX=all tries it'
mkdir -p "$work/add/usr/bin"
cp "$MEMSTRACK" "$work/add/usr/bin/memstrack"
traced_root ''

# old_module "what it is" IMAGE "parameters" SECTION...
old_module() {
	image_is=$1
	rm -f "$work/initrd"
	cp "$2" "$work/initrd"
	# Else what dracut prints is the journal's alone.
	boot_image "$3 systemd.journald.forward_to_console=1"
	shift 3
	ok "$image_is: the guest ends by itself" [ "$boot_status" = 0 ]
	ok "$image_is: no tracer is left" fact left=0
	for section; do
		ok "$image_is: $section, whole, in the kernel log" fact \
			"memstrack: ======== Report format $section END =*"
		ok "$image_is: and on the console" seen \
			"memstrack: ======== Report format $section END =*"
	done
	# The journal ends soon after: of many lines the last do not come.
	ok "$image_is: and in the file that dracut prints" seen \
		'dracut-.*\]: ======== Report format module_summary END =*'
	ok "$image_is: of modules" \
		fact 'memstrack: Module .* using .*MB (.* pages), peak .*'
	sed -n 's/^memstrack: \(Module .*\)/# \1/p' "$facts" | head -n 3
}

# How many modules have a line that says they hold pages.
modules_told() {
	grep -c '^memstrack: Module .* using .*MB ([1-9]' "$facts"
}

for suite in bookworm sid; do
	"$top/tests/images/root" "$suite" >/dev/null ||
		skip_all "no tree of $suite"
done
image_059=$(ADD=$work/add dracut_image memdebug-059 bookworm)
image_112=$(ADD=$work/add dracut_image memdebug-112 sid)
old_module "dracut 059, rd.memdebug=4" "$image_059" \
	"rdinit=/init rd.memdebug=4" module_summary
late=$(modules_told)
cat "$image_112" >"$work/image"
with_overlay "$work/image"
cp "$work/initrd" "$work/image"
old_module "dracut 112, rd.memdebug=5, rdinit" "$work/image" \
	"rd.memstrack=1 rd.memdebug=5" module_summary module_top
ok "rdinit: the second asks the first" seen 'traces already'
ok "rdinit: the first has its own report" seen 'reason: SIGTERM'
# systemd's own are the first there are.
first_modules() { fact 'memstrack: Module \(fuse\|autofs4\) using .*'; }
ok "rdinit: of modules from before the second began" first_modules
echo "# modules that hold pages: $late without rdinit, $(modules_told) with"
old_module "dracut 112, rd.memdebug=4" "$image_112" \
	"rdinit=/init rd.memdebug=4" module_summary
ok "without rdinit: not of those" fails first_modules
old_module "dracut 059, rd.memdebug=5" "$image_059" \
	"rdinit=/init rd.memdebug=5" module_summary module_top
finish
