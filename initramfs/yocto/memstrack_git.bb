# SPDX-License-Identifier: MIT
SUMMARY = "Memory tracer for early boot"
DESCRIPTION = "As the first process of an initramfs, it shows which tasks, \
kernel modules and call stacks hold the memory."
SECTION = "devel"
LICENSE = "MIT"
LIC_FILES_CHKSUM = "file://LICENSE;md5=cb7f4e3500717861ad1c8ea9205a2a6f"

# The one place that has it.
PV := "${@open(d.getVar('THISDIR') + '/../../applet/limits.h').read().partition('MEMSTRACK_VERSION ')[2].split(chr(34))[1]}+git"

# The source tree that contains this recipe.
inherit externalsrc
EXTERNALSRC := "${@os.path.abspath(d.getVar('THISDIR') + '/../..')}"

# WARN=: our warnings are errors, and another compiler may have more of them.
EXTRA_OEMAKE = "-C ${S} BUILD=${B} 'CC=${CC}' 'STRIP=${STRIP}' WARN="

do_compile() {
    oe_runmake
}

do_install() {
    install -D -m 0755 ${B}/boot/memstrack ${D}/memstrack
    install -D -m 0755 ${S}/initramfs/yocto/memstrack ${D}/init.d/00-memstrack
}

# For an image without initramfs-framework, ${PN} and rdinit= are enough.
PACKAGES =+ "initramfs-module-memstrack"
SUMMARY:initramfs-module-memstrack = "initramfs support for memstrack"
RDEPENDS:initramfs-module-memstrack = "${PN} initramfs-framework-base"
FILES:initramfs-module-memstrack = "/init.d/00-memstrack"
FILES:${PN} = "/memstrack"

# Its sections are chosen where it is linked.
INSANE_SKIP:${PN} += "already-stripped"
