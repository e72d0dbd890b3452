# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Modules of Debian's kernel in a guest of tests/boot/lib.sh.
# shellcheck disable=SC2154 # of lib.sh

"$top/tests/need" kmod xz-utils zstd >&2 || skip_all "packages are missing"
PATH=$PATH:/usr/sbin:/sbin

# loadable NAME...: with those that they need, in the order of their loading, as
# /modules/NUMBER-NAME.ko; `load_modules` in the guest loads them, `load_last`
# only the last one, with these parameters.
loadable() {
	mkdir -p "$guest/modules"
	number=100
	for module; do
		modprobe -d "$kernel/root" -S "$(cat "$kernel/release")" \
			--show-depends "$module"
	done 2>"$work/modprobe.err" | sed -n 's,^insmod \([^ ]*\).*,\1,p' |
		awk '!seen[$0]++' | while read -r file; do
		number=$((number + 1))
		name=${file##*/}
		name=$guest/modules/$number-${name%%.*}.ko
		case $file in
		*.xz) xz -dc "$file" >"$name" ;;
		*.zst) zstd -qdc "$file" >"$name" ;;
		*) cp "$file" "$name" ;;
		esac
	done
}

# shellcheck disable=SC2016,SC2034 # for the guest's shell
load_functions='
last=$(ls /modules/*.ko | tail -n 1)
load_modules() {
	for module in /modules/*.ko; do
		[ "$module" = "$last" ] || insmod "$module"
	done
}
load_last() { insmod "$last" "$@"; }
'
