#!/bin/sh
# SPDX-License-Identifier: MIT
# In bash, zsh and fish the key TAB offers what --help lists: every applet, of an
# applet all options that it has, with their second names, and no other; and for an
# option the words that it accepts.
#
# MATRIX=all: zsh and fish too, which are installed.
# shellcheck source-path=SCRIPTDIR/.. source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
cd "$top" || exit 1
unset MAKEFLAGS MAKELEVEL	# of a make that runs the tests
export LC_ALL=C.UTF-8 HOME="$work"

make -s completion BUILD="$BUILD" >/dev/null
made=$BUILD/completion
lines() { tr -s ' ' '\n' | sed '/^$/d' | LC_ALL=C sort -u; }

# --- what is wanted, from --help

"$MEMSTRACK" --help >"$work/help"
help_is() {
	"$made/help" | diff - "$work/help"
}
ok 'they are made of the text that --help prints' help_is
applets=$(sed -n 's/^memstrack \[\{0,1\}\([a-z_]*\)\]\{0,1\}\( .*\)\{0,1\}$/\1/p' \
	"$work/help" | lines)
# options_of APPLET: all names, from its own --help.
options_of() {
	"$MEMSTRACK" "$1" --help >"$work/own"
	{
		sed -n 's/^  \(-.*\)/ \1/p' "$work/own" | cut -c 1-24 |
			grep -o -e ' --\{0,1\}[a-zA-Z_-]*'
		sed -n 's/^  -.* (or \(--[a-z_-]*\))$/\1/p' "$work/own"
		sed -n 's/^memstrack [a-z_]* \(.*\)/ \1/p' "$work/own" |
			grep -o -e '[ []--\{0,1\}[a-zA-Z_-]*' | tr -d '['
	} | lines
}
options=$(options_of trace)
backends=$(sed -n 's/^  --backend=.*: //p' "$work/help" | tr '|' ' ' | lines)
is 'there are options with two names' "$(echo "$options" | grep -x -e --out)" \
	--out
# shellcheck disable=SC2016 # for eval
ok 'and some of one applet' eval '! echo "$options" | grep -x -e --once -e -w'
is 'which are in its help' "$({ options_of top
	options_of kmemtrace; } | grep -x -e --once -e -w | lines)" \
	"$(echo '--once -w' | lines)"

# --- what is offered

# offers SHELL LINE: the words, of which the last is what TAB completes.
bash_offers() {
	bash -c '
	. "$1/bash"
	compopt() { :; }
	COMP_WORDS=() word=
	for ((i = 0; i < ${#2}; i++)); do
		case ${2:i:1} in
		" ") COMP_WORDS+=("$word") word= ;;
		"=") COMP_WORDS+=("$word" "=") word= ;;
		*) word+=${2:i:1} ;;
		esac
	done
	case $2 in
	*=) ;;
	*) COMP_WORDS+=("$word") ;;
	esac
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	_memstrack
	printf "%s\n" "${COMPREPLY[@]}"' bash "$made" "$1"
}
fish_offers() {
	# shellcheck disable=SC2016 # for fish
	fish -N -c 'source $argv[1]/fish; complete -C "$argv[2]"' "$made" "$1" |
		cut -f 1 | sed 's/^--[a-z]*=\(.\)/\1/'
}
# zsh_tab FOLDER LINE: all that zsh writes on its terminal after the key TAB, with
# the completion of FOLDER/_memstrack.
zsh_tab() {
	/usr/bin/python3 - "$@" <<'END'
import os
import pty
import sys

PROMPT = b"READY> "

def until(terminal, wanted, seen=b""):
    while wanted not in seen:
        seen += os.read(terminal, 65536)
    return seen

def main():
    folder, line = sys.argv[1:]
    pid, terminal = pty.fork()
    if not pid:
        os.environ.update(TERM="dumb", COLUMNS="200", LINES="200", PS1="% ")
        os.execvp("zsh", ["zsh", "-f", "-i"])
    os.write(terminal, f"stty cols 200 rows 200; unsetopt zle_bracketed_paste; "
             f"fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -D; "
             f"LISTMAX=9999; PS1='READ''Y> '\n".encode())
    until(terminal, PROMPT)
    # TAB, then another command: what it prints comes after the list.
    os.write(terminal, line.encode() + b"\t")
    os.write(terminal, b"\x15print DO''NE\n")
    print(until(terminal, b"DONE").decode(errors="replace"))
    os.close(terminal)
    os.waitpid(pid, 0)

main()
END
}
zsh_offers() {
	mkdir -p "$work/zsh"
	cp "$made/zsh" "$work/zsh/_memstrack"
	# Words in front of their text; in the first line is what was typed.
	zsh_tab "$work/zsh" "$1" | tr -d '\r' |
		sed -e 1d -e '/READY>/,$d' -e 's/  -- .*//'
}
# Words of a file name, an equals sign at the end: as each shell shows it.
offers() {
	"$1_offers" "$2" | sed 's/=$//' | lines
}

mkdir "$work/files"
: >"$work/files/one.json"
: >"$work/files/two.json"
for shell in bash zsh fish; do
	[ $shell = bash ] || [ "${MATRIX-}" = all ] || continue
	if ! tests/need $shell >&2 || ! command -v $shell >/dev/null; then
		skip "$shell" 'it is not to be had'
		continue
	fi
	ok "$shell: can be parsed" $shell -n "$made/$shell"
	is "$shell: all applets" "$(offers $shell 'memstrack ')" "$applets"
	# The short ones have no list of their own in fish.
	is "$shell: all options" "$(offers $shell 'memstrack -' | grep -e --)" \
		"$(echo "$options" | grep -e --)"
	for applet in $applets; do
		is "$shell: those of $applet" \
			"$(offers $shell "memstrack $applet --" | grep -e --)" \
			"$(options_of "$applet" | grep -e --)"
	done
	is "$shell: what an option accepts" \
		"$(offers $shell 'memstrack trace --backend=')" "$backends"
	ok "$shell: a path, where one is accepted" eval \
		"offers $shell 'memstrack -o $work/files/' | grep two.json"
	ok "$shell: the short options" eval "for option in -o -h -V; do
		offers $shell 'memstrack -' | grep -x -e \$option || exit 1; done
		offers $shell 'memstrack kmemtrace -' | grep -x -e -w &&
		offers $shell 'memstrack switch_root -' | grep -x -e -c"
done
finish
