# SPDX-License-Identifier: MIT
################################################################################
#
# memstrack
#
################################################################################

MEMSTRACK_SITE = $(realpath $(BR2_EXTERNAL_MEMSTRACK_PATH)/../..)
MEMSTRACK_VERSION = $(shell $(MEMSTRACK_SITE)/initramfs/packages/version)
MEMSTRACK_SITE_METHOD = local
MEMSTRACK_OVERRIDE_SRCDIR_RSYNC_EXCLUSIONS = --exclude /build
MEMSTRACK_LICENSE = MIT
MEMSTRACK_LICENSE_FILES = LICENSE

# WARN=: our warnings are errors, and another compiler may have more of them.
define MEMSTRACK_BUILD_CMDS
	$(TARGET_MAKE_ENV) $(MAKE) -C $(@D) CC="$(TARGET_CC)" \
		STRIP="$(TARGET_STRIP)" WARN=
endef

define MEMSTRACK_INSTALL_TARGET_CMDS
	$(INSTALL) -D -m 0755 $(@D)/build/boot/memstrack $(TARGET_DIR)/memstrack
endef

define MEMSTRACK_LINUX_CONFIG_FIXUPS
	$(call KCONFIG_ENABLE_OPT,CONFIG_PERF_EVENTS)
	$(call KCONFIG_ENABLE_OPT,CONFIG_FTRACE)
	$(call KCONFIG_ENABLE_OPT,CONFIG_FTRACE_SYSCALLS)
	$(call KCONFIG_ENABLE_OPT,CONFIG_KPROBES)
	$(call KCONFIG_ENABLE_OPT,CONFIG_KALLSYMS)
endef

$(eval $(generic-package))
