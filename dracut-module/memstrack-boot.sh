#!/bin/sh
# SPDX-License-Identifier: MIT
# The first hook of an image without systemd: trace from here on, unless it is
# done already or not asked for.

if getarg rd.memstrack >/dev/null; then
	/usr/bin/memstrack boot
fi
