#!/bin/sh
# SPDX-License-Identifier: MIT
# The cost of tracing: `make bench`.
#
# Two parts: boots whose instructions are counted (counted.sh), with the same
# result on any machine; and times by this machine's own clock (live.sh).
#
# MEMSTRACK: the program. BUILD: where to build. SUITE: the Debian suite of the
# kernel; its modules must not be compressed. PARTS: "counted live". BOOTS,
# ROUNDS: how often each runs. It needs root and takes some twenty minutes.
set -eu
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
BUILD=${BUILD:-$top/build}
export BUILD
: "${MEMSTRACK:=$BUILD/memstrack}"

fail() {
	echo "bench: $*" >&2
	exit 1
}

# The median of numbers, one a line.
median() {
	sort -n | awk '{ v[NR] = $1 }
		END { if (NR) print v[int((NR + 1) / 2)]; else print "-" }'
}

# By how many per cent the largest number is above the smallest.
spread() {
	sort -n | awk 'NR == 1 { least = $1 }
		END { if (NR) printf "%.2f", ($1 / least - 1) * 100 }'
}

# A number of the report's head, from a report in JSON lines.
head_field() {
	sed -n "s/^.*\"type\":\"head\".*\"$1\":\([0-9]*\).*/\1/p" "$2" |
		tail -n 1
}

# shellcheck source=tests/bench/counted.sh
. "$here/counted.sh"
# shellcheck source=tests/bench/live.sh
. "$here/live.sh"

[ "$(id -u)" = 0 ] || fail "only root can trace"
[ -x "$MEMSTRACK" ] || fail "$MEMSTRACK: not built"
# What is mounted here ends with us.
if [ "${IN_NAMESPACE_OF-}" != $$ ]; then
	IN_NAMESPACE_OF=$$
	export IN_NAMESPACE_OF
	exec unshare --mount sh "$0" "$@"
fi
[ -d /sys/kernel/tracing/events ] ||
	mount -t tracefs none /sys/kernel/tracing || fail "no tracefs"

work=$(mktemp -d)
end() {
	[ -z "$tracer" ] || kill "$tracer" 2>/dev/null || :
	umount "$work/tmpfs" 2>/dev/null || :
	rm -rf "$work"
}
trap end EXIT
trap 'exit 130' INT TERM

mkdir -p "$BUILD/bench" "$work/tmpfs"
churn=$BUILD/bench/churn
drain=$BUILD/bench/drain
gcc -std=gnu11 -D_GNU_SOURCE= -O2 -Wall -Wextra -Werror -static -pthread \
	-o "$churn" "$top/tests/live/churn.c"
# drain opens its events by the tracer's own source, and nothing of the rest is
# linked.
find "$top/applet" -name '*.c' ! -name main.c -exec gcc -std=gnu11 \
	-D_GNU_SOURCE= -Os -Wall -Wextra -Werror -static -iquote "$top/applet" \
	-ffunction-sections -fdata-sections -Wl,--gc-sections \
	-o "$drain" "$here/drain.c" {} +

for part in ${PARTS:-counted live}; do
	"$part"
done
