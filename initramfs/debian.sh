# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Packages of any Debian suite, downloaded and unpacked, never installed.
#
# They come from the machine's own package sources. For another suite (trixie,
# sid) the name of the suite is replaced in a copy of these sources, in a
# private list directory: the machine's lists stay as they are, and no address
# is written down anywhere.
#
# A script that sources this file (kernel, tests/modules/headers...) has set:
# top; suite, as the user named it, or empty; and, for packages of another machine,
# arch. It gets build, the directory. made_before DIR ends it if it was there before;
# debian_open DIR makes DIR.new for the script to unpack into; debian_done moves it
# to DIR.
#
# shellcheck disable=SC2154 # top: set by the sourcing script
build=${BUILD:-$top/build}
mkdir -p "$build"
build=$(cd "$build" && pwd)
# shellcheck source=/dev/null # of the machine
own=$(. /etc/os-release && echo "${VERSION_CODENAME:-unknown}")
suite=${suite:-$own}
case $suite in
*[!a-z0-9-]*) echo "${0##*/}: not a suite: $suite" >&2; exit 1 ;;
esac

# Two tests that run in parallel make a thing only once: the second one waits,
# and finds it made.
exec 9>"$build/.${0##*/}.lock"
flock 9

# Is this the machine's own suite and architecture?
is_own() { [ "$suite" = "$own" ] && [ -z "${arch-}" ]; }

fail() {
	cat "$log" >&2
	echo "${0##*/}: $*" >&2
	exit 1
}

# Stanzas of the machine's sources that name its suite, for another suite and
# nothing else: updates and security of a suite are archives of their own.
sources_of() {
	cat /etc/apt/sources.list.d/*.sources 2>/dev/null |
		sed '/^#/d' | awk -v RS= -v own="$own" -v suite="$suite" '
		{
			stanza = ""
			names = 0
			lines = split($0, line, "\n")
			for (i = 1; i <= lines; i++) {
				if (tolower(line[i]) ~ /^suites:/) {
					fields = split(line[i], field, " +")
					for (f = 2; f <= fields; f++)
						names += field[f] == own
					line[i] = "Suites: " suite
				}
				stanza = stanza line[i] "\n"
			}
			if (names)
				print stanza
		}' >"$apt/lists.d/other.sources"
	cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
		awk -v own="$own" -v suite="$suite" '
		$1 == "deb" {
			for (i = 2; i <= NF; i++)
				if ($i == own) {
					$i = suite
					print
				}
		}' >"$apt/lists.d/other.list"
	[ -s "$apt/lists.d/other.sources" ] || [ -s "$apt/lists.d/other.list" ]
}

# Runs apt as this machine would; for another suite or machine, apt uses only
# $apt. The user _apt, who would do the download, may not be able to read here.
apt_tool() {
	tool=$1
	shift
	is_own ||
		set -- ${arch:+-o "APT::Architecture=$arch"} \
			${arch:+-o "APT::Architectures::=$arch"} \
			-o Dir::Etc::sourcelist=/dev/null \
			-o Dir::Etc::sourceparts="$apt/lists.d" \
			-o Dir::State::lists="$apt/lists" \
			-o Dir::State::status="$apt/status" \
			-o Dir::Cache="$apt/cache" \
			-o Acquire::Check-Valid-Until=false \
			-o Acquire::Languages=none "$@"
	"$tool" -q -o APT::Sandbox::User=root "$@" 2>>"$log"
}

# The packages that $1 depends on, one for each ERE of their names in "$2...".
depends() {
	package=$1
	shift
	for name; do
		apt_tool apt-cache depends "$package" |
			sed -n -E "s/^ *Depends: (${name}[^ ]*)\$/\1/p" |
			head -n 1
	done
}

# download DIRECTORY PACKAGE...
download() {
	into=$1
	shift
	for name; do
		(cd "$into" && apt_tool apt-get download "$name") >>"$log" ||
			return 1
	done
}

unpack() {
	for deb in "$1"/*.deb; do
		dpkg-deb -x "$deb" "$2"
		rm -f "$deb"
	done
}

made_before() {
	[ ! -e "$1" ] || {
		echo "${2-$1}"
		exit 0
	}
}

debian_open() {
	dir=$1
	new=$dir.new
	apt=$dir.apt
	log=$dir.log
	rm -rf "$new"
	mkdir -p "$new"
	: >"$log"
	! is_own || return 0
	mkdir -p "$apt/lists.d" "$apt/lists/partial" \
		"$apt/cache/archives/partial"
	: >"$apt/status"
	sources_of || fail "the machine's package sources do not name '$own'"
}

# Runs the command; if it fails, updates the lists and runs it once more. Only
# root can update the machine's own.
debian_get() {
	"$@" && return
	if is_own && [ "$(id -u)" != 0 ]; then
		echo "the lists of packages may be absent or old;" \
			"as root: apt-get update" >>"$log"
		return 1
	fi
	apt_tool apt-get update >>"$log" && "$@"
}

debian_done() {
	rm -rf "$dir" "$apt"
	mv "$new" "$dir"
	rm -f "$log"
}
