# SPDX-License-Identifier: MIT
# Functions that the tests of our dracut module share: images that have it,
# boots with a shell in the middle, and what each must show.
# shellcheck disable=SC2034 # for the tests
. "$(dirname "$0")/images.sh"

# The module as it is installed, for tests/images to lay over the root.
ADD=$work/add
make -s -C "$top" dracut-module-install BUILD="$BUILD" DESTDIR="$ADD" \
	PREFIX=/usr >/dev/null
rm -r "${ADD:?}/usr/share"		# of pages no image is made anew
install -D "$MEMSTRACK" "$ADD/usr/bin/memstrack"
export ADD

# module_image NAME SUITE [OPTION...]: of a machine with QEMU's disk.
module_image() {
	name=$1 suite=$2
	shift 2
	KERNEL=${SUITE-} "$top/tests/images/image" "$name" "$suite" sh -c \
		'dracut --kver "$RELEASE" --add memstrack-boot "$@" \
			/mnt/out/image' sh "$@"
}

# What the real root tells: the kernel log, once no tracer is left in it. Who
# has keep=1 is asked for a report, and told to go.
facts_of_root() {
	root_runs <<'INIT'
say root="$(grep ' / ' /proc/mounts)"
while [ "$(count_tracers)" != 0 ]; do
	if grep -q keep=1 /proc/cmdline && dmesg | grep -q 'end of report'; then
		say kept="$(tracers | wc -l)"
		kill "$(tracers)"
	fi
	sleep 0.5
done
say tracers=0
log_of_tracers
INIT
}

# type_at_shell HOW_IT_ENDS: one line, typed at the shell that a boot stops in.
# sulogin wants a key before; an empty line does no harm to others.
typed='echo shell=$((6 * 7)) >/dev/ttyS1; memstrack report;
echo report=$? >/dev/ttyS1;'
type_at_shell() {
	prompt='\(:/[a-z]*\|~ \|sh-[0-9.]*\)# '
	until grep -q "Press Enter\|$prompt" "$console.raw"; do
		sleep 0.2
	done
	printf '\n'
	until grep -q "$prompt" "$console.raw"; do
		sleep 0.2
	done
	echo "$typed $1" | tr '\n' ' '
	printf '\n'
}

# boot_module IMAGE "parameters" [HOW_IT_ENDS]: at a shell on the way, if it is
# told how that one ends.
boot_module() {
	with_program "$1" usr/bin/memstrack
	[ $# = 3 ] || {
		boot_image "$2"
		return
	}
	: >"$console.raw"
	rm -f "$work/typed"
	mkfifo "$work/typed"
	exec 8<>"$work/typed"
	type_at_shell "$3" >&8 &
	typist=$!
	TYPED=$work/typed
	export TYPED
	boot_image "$2"
	unset TYPED
	kill "$typist" 2>/dev/null
	exec 8>&-
}

shell_works() {
	ok "$1: a shell comes and works" fact shell=42
	ok "$1: a report can be had in it" fact report=0
}

# How many reports began, for a reason.
reports() { grep -c "^memstrack: report .*, reason: $1" "$facts"; }

# boots_traced "what" IMAGE "parameters" [HOW A SHELL ENDS]: to the root, with
# one report of it, and with what was missed.
boots_traced() {
	what_boots=$1
	shift
	boot_module "$@"
	set -- "$what_boots"
	ok "$1: the guest ends by itself" [ "$boot_status" = 0 ]
	ok "$1: the real root is reached" fact 'root=/dev/vda / ext4 ro.*'
	ok "$1: one report at the switch of the root" \
		[ "$(reports '\(switch-root\|SIGTERM\)')" = 1 ]
	ok "$1: whole in the log" \
		fact 'memstrack: memstrack .*: end of report, .*'
	ok "$1: and on the console" seen 'memstrack: .* end of report, '
	ok "$1: udev is in it from its start" traced_whole udevd
	ok "$1: nothing else was said" [ -z "$(said_besides)" ]
	ok "$1: no tracer is left" fact 'tracers=0'
	ran=$(sed '/: end of report/q' "$facts" |
		sed -n 's/^memstrack: \([^ ]*\[[0-9]*\]\) .* had .*/\1/p' |
		grep -v '^memstrack\[' | tr '\n' ' ')
	echo "# $1:$(sed -n 's/.*\( traced +[0-9.]* s to\) .*/\1/p' "$facts" |
		head -n 1) the end; before it ran: $ran"
}

# Lines in front of, between and behind reports.
said_besides() {
	awk '/^memstrack: memstrack .*([,;] [0-9]* lost|; sampled$)/ { report = 1 }
		/^memstrack: / && !report
		/: end of report, / { report = 0 }' "$facts"
}

# Who traces a task from its start on says of it no "had ... at start".
traced_whole() {
	grep "^memstrack: [^ ]*$1\[" "$facts" &&
		! grep "^memstrack: [^ ]*$1\[.* at start" "$facts"
}

# But for PID 1, nothing had begun.
first_of_all() {
	echo "$ran"
	case ${ran% } in
	*' '*) false ;;
	*\[1\]) ;;
	*) false ;;
	esac
}

# in_image IMAGE SUITE: what is in it of our module and of dracut's own.
in_image() {
	mkdir -p "$work/list"
	cp "$1" "$work/list/image"
	"$top/tests/images/in-root" "$BUILD/images/$2" "$kernel" \
		"$work/list" lsinitrd /mnt/out/image |
		awk '/^[-l]/ { print $9 }' |
		grep 'memstrack\|/\(pgrep\|pkill\|nohup\)$' | sort |
		tr '\n' ' '
}
