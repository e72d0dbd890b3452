#!/bin/sh
# SPDX-License-Identifier: MIT
# The files for other build systems, none of which is available here:
# mkinitcpio's build hook, Buildroot's package and Yocto's recipe are run in a
# small copy of their environment. For dracut's module it tests what no boot
# shows.
#
# MATRIX=all: Buildroot's package is cross-compiled for arm64, and Yocto's recipe
# builds; both binaries replay a recorded boot byte for byte as ours does.
# shellcheck source-path=SCRIPTDIR/.. source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
cd "$top" || exit 1
unset MAKEFLAGS MAKELEVEL	# of a make that runs the tests
# Behind the three bytes that tell the fuzzer of a report.
trace=$work/trace
tail -c +4 tests/fuzz/corpus/report/boot >"$trace"
has_text() {
	case $1 in *"$2"*) ;; *) echo "no '$2' in: $1"; return 1 ;; esac
}

# --- mkinitcpio: what build() asks for; what the image runs is ash

build_hook() {
	bash -euc '
	add_binary() { echo "binary $*"; }
	add_runscript() { echo "runscript $*"; }
	. "$1"
	'"$1"'' bash initramfs/mkinitcpio/install/memstrack
}
ok "mkinitcpio: build() adds the binary where rdinit= names it, and the hook" \
	same "$(build_hook build)" "binary memstrack /memstrack
runscript "
ok "mkinitcpio: help() says how to enable it" \
	has_text "$(build_hook help)" rd.memstrack=1
ok "mkinitcpio: the hook is early and has no other part" same \
	"$(sed -n 's/^\(run_[a-z]*\)() {$/\1/p' \
		initramfs/mkinitcpio/hooks/memstrack)" run_earlyhook
ok "mkinitcpio: the hook passes shellcheck" \
	shellcheck initramfs/mkinitcpio/hooks/memstrack

# --- dracut: 255 is for who is asked for, 1 for who cannot be

check_module() {
	bash -c '. "$1"
	present=$2
	dracutsysrootdir=$3
	require_binaries() { [ "$*" = "$present" ]; }
	check' bash dracut-module/module-setup.sh "$1" "${2-$work/none}"
	echo $?
}
ok "dracut: the module is in no image that does not ask for it" \
	same "$(check_module memstrack)" 255
ok "dracut: nor, without the program, in one that does" \
	same "$(check_module '')" 1
install -D "$BOOT" "$work/root/usr/lib/memstrack/memstrack"
ok "dracut: where there is one for images, it is that one" \
	same "$(check_module /usr/lib/memstrack/memstrack "$work/root")" 255

# --- Buildroot: its variables and macros

cat >"$work/Makefile" <<'MAKE'
BR2_EXTERNAL_MEMSTRACK_PATH = $(TOP)/initramfs/buildroot
TARGET_MAKE_ENV = PATH="$(PATH)"
INSTALL = install
KCONFIG_ENABLE_OPT = @echo $(1)
pkgname = $(lastword $(subst /, ,$(dir $(lastword $(MAKEFILE_LIST)))))
# $(@D) is the copy of the source.
define generic-package
name := $(pkgname)
$(COPY)/.configured:
	tar -c -C $$(MEMSTRACK_SITE) \
		$$(MEMSTRACK_OVERRIDE_SRCDIR_RSYNC_EXCLUSIONS:/%=./%) . | \
		tar -x -C $$(@D)
$(COPY)/.built: $(COPY)/.configured
	$$(MEMSTRACK_BUILD_CMDS)
$(COPY)/.installed: $(COPY)/.built
	$$(MEMSTRACK_INSTALL_TARGET_CMDS)
$(COPY)/.kernel:
	$$(MEMSTRACK_LINUX_CONFIG_FIXUPS)
$(COPY)/.name:
	@echo $$(name) $$(MEMSTRACK_SITE_METHOD) $$(MEMSTRACK_VERSION)
	@cat $$(MEMSTRACK_SITE)/$$(MEMSTRACK_LICENSE_FILES)
endef
include $(BR2_EXTERNAL_MEMSTRACK_PATH)/external.mk
MAKE
buildroot() {
	mkdir -p "$work/copy" "$work/target"
	make -s -f "$work/Makefile" TOP="$top" COPY="$work/copy" \
		TARGET_DIR="$work/target" TARGET_CC=aarch64-linux-gnu-gcc \
		TARGET_STRIP=aarch64-linux-gnu-strip "$work/copy/.$1"
}
version=$("$MEMSTRACK" --version)
ok "Buildroot: the package has our name and version, and the license" \
	same "$(buildroot name)" "memstrack local ${version#* }
$(cat LICENSE)"
ok "Buildroot: the option is that by which the package is enabled" \
	grep -q -x 'config BR2_PACKAGE_MEMSTRACK' \
	initramfs/buildroot/package/memstrack/Config.in
ok "Buildroot: it asks for events, those of system calls, kprobes, names" \
	same "$(buildroot kernel | tr '\n' ' ')" "CONFIG_PERF_EVENTS \
CONFIG_FTRACE CONFIG_FTRACE_SYSCALLS CONFIG_KPROBES CONFIG_KALLSYMS "
config=$(echo "$BUILD"/kernel/*/root/boot/config-* | cut -d' ' -f1)
if [ -e "$config" ]; then
	buildroot kernel >"$work/wanted"
	ok "Buildroot: it asks for what kernels have that it traces on" \
		same "$(sed 's/$/=y/' "$work/wanted" | grep -c -x -f- "$config")" \
		"$(grep -c . "$work/wanted")"
else
	skip "Buildroot: what it asks of a kernel" "no kernel here"
fi
ok "Buildroot: the tree's name is that by which its files are found" \
	grep -q -x "source \"\$BR2_EXTERNAL_$(sed -n 's/^name: //p' \
	initramfs/buildroot/external.desc)_PATH/package/memstrack/Config.in\"" \
	initramfs/buildroot/Config.in

# --- Yocto: the recipe's variables and functions, as a shell has them

recipe=initramfs/yocto/memstrack_git.bb
D=$work/d B=$work/b
mkdir -p "$D" "$B"
# One line each.
joined() {
	sed -e ':more' -e '/\\$/ { N; s/\\\n//; b more' -e '}' "$recipe"
}
yocto() {
	joined | sed -n -e '/^[A-Z_]* = "/ s/ = /=/p' -e '/() {$/,/^}/p' \
		>"$work/recipe"
	D=$D B=$B S=$top CC=gcc STRIP=strip sh -euc '
	oe_runmake() { eval "make $EXTRA_OEMAKE \"\$@\""; }
	. "$1"
	$2' sh "$work/recipe" "$1"
}
# What is no assignment, function, inherit or comment.
strange() {
	joined | sed -e '/() {$/,/^}/d; /^#/d; /^$/d; /^inherit [a-z]*$/d' \
		-e '/^[A-Z_]*\(:[^ ]*\)\{0,1\} \(:\|+\|=\)\{0,1\}[=+] "[^"]*"$/d'
}
is "Yocto: the recipe has no stray line" "$(strange)" ''
ok "Yocto: the license is ours" same \
	"$(md5sum <LICENSE | cut -d' ' -f1)" \
	"$(sed -n 's/^LIC_FILES_CHKSUM.*md5=\([0-9a-f]*\)"$/\1/p' "$recipe")"
# expand VARIABLE: as BitBake does.
expand() {
	/usr/bin/python3 - "$(sed -n "s/^$1 := \"\${@\(.*\)}[^}]*\"\$/\1/p" \
		"$recipe")" <<'END'
import os, sys
class d:
    getVar = {"THISDIR": os.path.abspath("initramfs/yocto")}.get
print(eval(sys.argv[1]))
END
}
ok "Yocto: the tree it builds is the one it lies in" \
	same "$(expand EXTERNALSRC)" "$top"
ok "Yocto: the version is ours" same "$(expand PV)" "${version#* }"
ok "Yocto: the framework's module is a package of its own" same \
	"$(sed -n 's/^FILES:\([a-z-]*\) = .*/\1/p' "$recipe")" \
	"$(sed -n 's/^PACKAGES =+ "\(.*\)"$/\1/p' "$recipe")"
# shellcheck disable=SC2016 # the recipe's
ok "Yocto: which brings the program and the framework" grep -q -x \
	'RDEPENDS:initramfs-module-memstrack = "${PN} initramfs-framework-base"' \
	"$recipe"

# do_install needs do_compile only for its binary.
[ "${MATRIX-}" != all ] || ok "Yocto: do_compile" yocto do_compile
[ -e "$B/boot/memstrack" ] || install -D "$BOOT" "$B/boot/memstrack"
ok "Yocto: do_install" yocto do_install
ok "Yocto: these files, with these modes" same "$(files_of "$D")" \
	"755 ./init.d/00-memstrack
755 ./memstrack"
for file in $(cd "$D" && find . -type f); do
	ok "Yocto: FILES has ${file#.}" grep -q \
		"^FILES:.* = \"${file#.}\"" "$recipe"
done
[ "${MATRIX-}" = all ] || finish

# --- what both build

replays() {
	"$MEMSTRACK" replay "$trace" --level=3 >"$work/ours" &&
		"$@" replay "$trace" --level=3 >"$work/theirs" &&
		[ -s "$work/ours" ] && cmp "$work/ours" "$work/theirs"
}
ok "Yocto: another binary than ours" fails cmp "$BOOT" "$D/memstrack"
ok "Yocto: one static file" is_static "$D/memstrack"
ok "Yocto: a recorded boot replays to the same bytes" replays "$B/memstrack"
tests/need gcc-aarch64-linux-gnu libc6-dev-arm64-cross \
	linux-libc-dev-arm64-cross qemu-user-static >&2
if ! command -v aarch64-linux-gnu-gcc >/dev/null; then
	skip "Buildroot: cross-compiled" "no cross compiler here"
	finish
fi
ok "Buildroot: cross-compiled" buildroot installed
ok "Buildroot: not with what was built here" \
	test ! -e "$work/copy/build/kernel"
ok "Buildroot: installed where rdinit= names it" \
	test -x "$work/target/memstrack"
ok "Buildroot: one static file" is_static "$work/target/memstrack"
ok "Buildroot: it is for arm64" \
	has_text "$(readelf -h "$work/target/memstrack")" AArch64
ok "Buildroot: a recorded boot replays to the same bytes" \
	replays qemu-aarch64-static "$work/copy/build/memstrack"
echo "# $(wc -c <"$work/target/memstrack") bytes with glibc"
finish
