# SPDX-License-Identifier: MIT
include $(sort $(wildcard $(BR2_EXTERNAL_MEMSTRACK_PATH)/package/*/*.mk))
