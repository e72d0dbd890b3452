#!/bin/sh
# SPDX-License-Identifier: MIT
# Memory in use before tracing, by code: what a tracer makes of any
# /proc/allocinfo, which is given to it here, whatever the kernel has. Sums and
# the order of the largest are awk's. A file that is too long or has wrong lines
# is read as far as it goes, and the report says so; none is read where the kernel
# does not count. A recording has the same. What a kernel writes: boot/books.t.
. "$(dirname "$0")/tracer.sh"

# Links to all files of /proc, but for two.
proc=$work/real given=/proc/allocinfo
mkdir "$proc"
{ mount --make-rprivate / && mount --rbind /proc "$proc" &&
	mount -t tmpfs none /proc; } || bail "no other /proc"
trap 'umount -l /proc; clean_up' EXIT
links() {
	mkdir -p "/proc/$1"
	for file in "$proc/$1"/*; do
		ln -s "$file" "/proc/$1/${file##*/}"
	done
}
links .
rm /proc/sys && links sys
rm /proc/sys/vm && links sys/vm
rm -f /proc/sys/vm/mem_profiling
counts() { echo "$1" >/proc/sys/vm/mem_profiling; }

# traced: a tracer that ends as soon as it hears signals; its report is
# $work/json, and the tags of a replay of its recording $work/again.
traced() {
	rm -f "$work/json" "$work/trace"
	begin record "$work/trace" --level=1 --backend=sampled --format=json \
		--out="$work/json" >"$work/out"
	stop TERM
	grep '"type":"before_tag' "$work/json" >"$work/tags"
	"$memstrack" replay "$work/trace" --level=1 --format=json |
		grep '"type":"before_tag' >"$work/again"
}
# The largest sixteen of the file, as the report has them.
largest() {
	sed -n 's/^ *\([0-9]*\) *[0-9]* \([^ ]*\) \(\[.*\] \)\{0,1\}func:\([^ ]*\).*/\1 \4 \3\2/p' \
		"$given" | awk '{
		bytes = $1
		$1 = ""
		sum[substr($0, 2)] += bytes
	}
	END { for (name in sum) if (sum[name]) print sum[name], name }' |
		sort -k 1,1 -n -r | head -n 16
}
shown() {
	sed -n 's/.*"name":"\(.*\)","place":"\(.*\)","live_bytes":\([0-9]*\),.*/\3 \1 \2/p' \
		"$work/tags"
}
end_is() {
	tail -n 1 "$work/tags"
	tail -n 1 "$work/tags" | grep -q -x \
		"{\"type\":\"before_tags\",\"tags\":$1,\"wrong_lines\":$2,\"is_part\":$3}"
}

# lines COUNT: so many sites, every third twice, the sizes in no order.
lines() {
	echo 'allocinfo - version: 1.0'
	echo '#     <size>  <calls> <tag info>'
	awk -v count="$1" 'BEGIN {
		for (i = 1; i <= count; i++)
			printf "%12d %8d mm/file%d.c:%d %sfunc:function_%d\n",
				(i * 7919) % 65521 * 4096, i, i, i % 99,
				i % 5 ? "" : "[module_" i % 7 "] ", i
		for (i = 3; i <= count; i += 3)
			printf "%12d %8d mm/file%d.c:%d %sfunc:function_%d\n",
				4096, 1, i, i % 99,
				i % 5 ? "" : "[module_" i % 7 "] ", i
	}'
}

counts 1
lines 5000 >"$given"
traced
ok 'the largest sixteen, in their order' same "$(shown)" "$(largest)"
ok 'and how many hold memory' end_is 6666 0 0
ok 'a replay has the same' cmp "$work/tags" "$work/again"
{ head -n 40 "$given" && echo 'no line' && echo '12 x mm/a.c:1 func:f'; } \
	>"$work/wrong"
cp "$work/wrong" "$given"
traced
ok 'wrong lines are counted' end_is 38 2 0
lines 70000 >"$given"
traced
ok 'a file that is too long: a part is read, and it is said' end_is '[0-9]*' 0 1
counts 0
traced
is 'what does not count now is not read' "$(cat "$work/tags")" ''
counts 1
: >"$given"
traced
is 'an empty file: nothing' "$(cat "$work/tags")" ''
rm "$given"
traced
is 'no file: nothing' "$(cat "$work/tags")" ''
finish
