# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Functions that all parts of the bench use: numbers, and how a failure is
# shown.

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
