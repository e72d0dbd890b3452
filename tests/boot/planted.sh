# SPDX-License-Identifier: MIT
# Functions that the tests with planted modules (tests/modules) share: the
# modules and their loader in the guest, and what a report says about them.
#
# In the guest, `step NAME` asks for a report and tells the facts, each line
# after NAME=. On this side functions read, from the report of one step, a
# module's row and its chains: all chains through code of its own, or those
# through one function. Code that is gone has no names of functions any more, so
# these are asked for while the code is there.
# shellcheck disable=SC2034 # for the tests
[ "${boots-}" ] || . "$(dirname "$0")/lib.sh"

# The kernel is Debian's, of SUITE, or one that was made, in $made.
modules=$("$top/tests/modules/build" "${made:-${SUITE-}}") ||
	skip_all 'the modules cannot be built for this kernel here'

# From here on guests boot the kernel of a suite, and have modules for it.
kernel_of() {
	SUITE=$1
	kernel=$("$top/initramfs/kernel" "$SUITE") ||
		bail "no kernel of $SUITE"
	modules=$("$top/tests/modules/build" "$SUITE") ||
		bail "no modules for the kernel of $SUITE"
}

planted_functions=$(cat <<'FUNCTIONS'
step() {
	rm -f /report.json
	memstrack report
	say "report-$1=$?"
	grep -F -e '"type":"head"' -e planted /report.json |
		sed "s/^/$1=/" >&3
}
# Who asks for a module's image; since 6.10, one area for each kind of section.
loader='[a-z_]*\(module\|execmem\)[a-z_]*+'
# Pages of the areas of these callers, a line each.
areas() {
	grep "^[^ ]*  *[0-9]* $1" /proc/vmallocinfo |
		sed -n 's/.* pages=\([0-9]*\) .*/\1/p'
}
sum() { awk '{ sum += $1 } END { print sum + 0 }'; }
# Init text is freed a little later; then areas are as large as the modules.
settle() {
	until [ "$(areas "$loader" | sum)" = \
		"$(awk '{ print $2 / 4096 }' /proc/modules | sum)" ]; do
		usleep 10000
	done
}
FUNCTIONS
)

# A guest with them, its /init from stdin.
planted_guest() {
	mkdir -p "$guest/lib"
	cp "$modules"/planted?.ko "$guest/lib/"
	guest_program "$top/tests/modules/load.c"
	# busybox has it; lib.sh leaves the name to kmod.
	ln -sf /bin/busybox "$guest/bin/rmmod"
	{ printf '%s\n' "$planted_functions"; cat; } | to_guest /init
}

planted_runs() { and_off | planted_guest; }

# A guest in which a command takes all memory; eater.ko is there. Of the tracer's
# last report nothing is asked, but where the command sets reports_last.
starving_guest() {
	new_guest
	planted_runs <<INIT
mount -t tmpfs -o size=100% tmpfs /run
for i in 1 2 3; do sleep 1000 & done
sleep 0.3
$1
sleep 1.5
say alive=\$(count_tracers)
[ "\${reports_last-}" ] || kill_tracers
INIT
	cp "$modules/eater.ko" "$guest/lib/"
}

# What memory that runs out is a reason of; the first report of that.
low='memory is low' kill='OOM kill of'
early() { ours | report_of "${1-$low|$kill}" | sed '/: end of report, /q'; }
early_has() { early | unbroken | grep -e "$1"; }

# Each whom the kernel killed is in a line of ours.
victims() {
	killed=$(console_log |
		sed -n 's/^Out of memory: Killed process \([0-9]*\) .*/\1/p')
	for pid in $killed; do
		echo "$pid"
		ours | grep "OOM kill of [a-z]*\[$pid\]" || return
	done
	[ -n "$killed" ]
}

# Of a head, a number.
head_of() { grep "^$1=.*\"type\":\"head\"" "$facts" | number "$2"; }
# Of a module loaded twice, the row of the one that is live, if one is.
row() {
	grep "^$1=.*\"type\":\"module\",\"name\":\"$2\"" "$facts" |
		awk '/"state":"live"/ { live = $0 }
		END { print live ? live : $0 }'
}
all_chains() {
	grep "^$1=.*\"type\":\"stack\",\"owner\":\"module:$2\"" "$facts"
}
# chains STEP MODULE FUNCTION: those that the module's code, or that function,
# stands innermost in (then without slab, which needs a page now and then for
# what the kernel does on the way). Of freed init text, 6.1 keeps the names that it traces
# and no others.
chains() {
	case $3 in
	-) code='[^" ]*' ;;
	planted_init_text) code='\((init)\|planted_init_text\)+[0-9a-fx]*' ;;
	*) code="$3+[0-9a-fx]*" ;;
	esac
	slab=none
	[ "$3" != - ] || slab='_slab'
	all_chains "$1" "$2" | grep -v -e "$slab+" |
		grep -e "\"frames\":\[\(\"[^] \"]*\",\)*\"$code \[$2\]\""
}
state() { row "$1" "$2" | sed -n 's/.*"state":"\([a-z]*\)".*/\1/p'; }

# judge WHAT EXPECTED PRINTED: a test, with its figures.
judge() {
	ok "$1: expected $2, printed $3, difference $(($3 - $2))" \
		test "$3" = "$2"
}

# exactly STEP MODULE {FUNCTION now|peak PAGES}...
exactly() {
	in_step=$1 of_module=$2
	shift 2
	while [ $# != 0 ]; do
		judge "$in_step: $of_module $1 $2" "$3" "$(chains "$in_step" \
			"$of_module" "$1" | number "$2_pages" | sum)"
		shift 3
	done
}

# A row is the sum of its chains; its peak is that of the module's own code,
# known to the page, and what the kernel took meanwhile to load the module,
# at most all of it at once. rows STEP MODULE OWN-PEAK
rows() {
	judge "$1: $2 now, as its chains" \
		"$(all_chains "$1" "$2" | number now_pages | sum)" \
		"$(row "$1" "$2" | number now_pages)"
	loader=$(all_chains "$1" "$2" | grep -v " \[$2\]\"" |
		number peak_pages | sum)
	peak=$(row "$1" "$2" | number peak_pages)
	ok "$1: $2 peak: expected $3 to $(($3 + loader)), printed $peak" \
		test $((peak >= $3 && peak <= $3 + loader)) = 1
}

parameters="quiet $json_report $roomy"

# Of these steps: a report came, and nothing was lost on the way.
whole() {
	for in_step; do
		ok "$in_step: reported, nothing lost" same "$(value \
			"report-$in_step") $(head_of "$in_step" lost)" '0 0'
	done
}
