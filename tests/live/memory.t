#!/bin/sh
# SPDX-License-Identifier: MIT
# The tracer's own memory: all of it is allocated, mapped and locked before the
# first event. Nothing is added later, whatever happens, and the report says how
# much it is, and if the objects of slab got less than was asked for.
# shellcheck disable=SC2086 # words
. "$(dirname "$0")/tracer.sh"
need_strace

# Bytes of all that is mapped but what the kernel gives to every process:
# resident ones; of rings, which smaps does not count, their size.
mapped() {
	awk '/^[0-9a-f]+-[0-9a-f]+ / { name = $6 }
		name ~ /^\[v/ { next }
		$1 == "Size:" && name == "anon_inode:[perf_event]" { sum += $2 }
		$1 == "Rss:" { sum += $2 }
		END { print sum * 1024 }' "/proc/$tracer/smaps"
}

# Mappings that could be missing when they are needed.
not_there() {
	awk '/^[0-9a-f]+-[0-9a-f]+ / { name = $6 ? $6 : "anonymous" }
		$1 == "Size:" { size = $2 }
		$1 == "Rss:" { rss = $2 }
		$1 != "VmFlags:" || name ~ /^\[v|perf_event/ { next }
		!/ lo/ { print name ": not locked" }
		rss != size { print name ": " rss " of " size " KiB" }' \
		"/proc/$tracer/smaps"
}

for options in "" "--mem=1M --level=3" "--mem=64M --level=2"; do
	name=${options:-by default}
	start --format=json $options
	not_there >"$work/missing"
	ok "$name: all is there and locked" is_empty "$work/missing"
	memory >"$work/before"
	measured=$(mapped)
	busy 400
	"$memstrack" report
	kill -USR2 "$tracer"
	"$memstrack" report
	memory >"$work/after"
	ok "$name: nothing added by work and reports" \
		diff "$work/before" "$work/after"
	ok "$name: own_bytes is what smaps shows, rings included, to a tenth" \
		is_between "$(report print head own_bytes)" "$measured" \
		$((measured + measured / 10))
	stop TERM
	ok "$name: the reports are whole" report whole
done

# Of --mem at most half is for the objects of slab, which are halved until they
# and their rings fit.
while read -r options; do
	read -r expected
	start --level=3 --format=json $options
	stop TERM
	ok "$options: $expected" report note "$expected"
done <<'OPTIONS'
--mem=8M --slab=64M
rd.memstrack.slab: 2048 KiB have room, not 65536
--mem=2M --slab=64M
rd.memstrack.slab: 512 KiB have room, not 65536
--mem=1M --slab=4M
objects of slab are not traced: no room for 4096 KiB besides the rest
OPTIONS

# traces KIB [OPTION...]: with so little memory, until SIGTERM.
traces() {
	kib=$1
	shift
	"$memstrack" trace --mem="${kib}K" "$@" >/dev/null 2>&1 &
	tracer=$!
	until catches_signals 2>/dev/null; do
		kill -0 "$tracer" 2>/dev/null || break
		sleep 0.01
	done
	stop TERM 2>/dev/null
}
# Where it is just enough to trace, there is no room for a picture's history.
for least in $(seq 256 16 4096); do
	traces "$least" && break
done
echo "# $least KiB are enough to trace"
ok "a picture in as little: traces" \
	traces "$least" --out="$work/small.txt,$work/small.svg"
ok "a note says that the history is left out" \
	grep '^note .*no room for [0-9]* KiB besides' "$work/small.txt"
ok "and so does the picture" \
	grep '; no history was kept</text></svg>$' "$work/small.svg"

# Names of the system calls from the first one that enables an
# event on; a call that another process interrupts is on two lines.
after_enable() {
	awk '/ioctl\(.*PERF_EVENT_IOC_ENABLE/ { on = 1 }
		on && match($0, /[a-z_0-9]+\(/) && !/resumed>/ {
			print substr($0, RSTART, RLENGTH - 1)
		}' "$work/strace" | sort | uniq -c | sort -rn
}
# Of these, what adds memory or a process (munmap gives back, at the end).
forbidden='brk|mmap2?|mremap|mprotect|clone3?|v?fork|execve|execveat'
seen_to_the_end() {
	cat "$work/calls"
	grep -qwE "p?poll" "$work/calls" && grep -qw exit_group "$work/calls"
}
adds_nothing() {
	! awk '{ print $2 }' "$work/calls" | grep -xE "$forbidden"
}

under=$straced
for command in "trace --level=3" "record $work/trace --level=2"; do
	name=${command%% *}
	new_out
	begin $command --out="$out" --format=json
	"$memstrack" report
	busy 400
	kill -USR2 "$tracer"
	"$memstrack" report
	ok "$name under strace: ends well" stop TERM
	until_true strace_is_whole
	after_enable >"$work/calls"
	ok "$name: its system calls were seen to the end" seen_to_the_end
	ok "$name: none of them adds memory or a process" adds_nothing
	ok "$name: all its reports were written meanwhile" report count 4
done
finish
