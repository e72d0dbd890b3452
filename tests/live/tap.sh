# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced by driver.sh and tracer.sh: prints the lines of TAP.

count=0

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

# ok STATUS NAME: one line of TAP.
ok() {
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count - $2"
	else
		echo "not ok $count - $2"
	fi
}
