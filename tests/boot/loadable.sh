# SPDX-License-Identifier: MIT
# Modules of Debian's kernel for a guest, which load_modules (guest.sh) loads.
[ "${boots-}" ] || . "$(dirname "$0")/lib.sh"

"$top/tests/need" kmod xz-utils zstd >&2 || skip_all "packages are missing"
PATH=$PATH:/usr/sbin:/sbin

# loadable NAME...: with those that they need, in the order of their loading, as
# /modules/NUMBER-NAME.ko of the guest; loadable_in DIRECTORY NAME...
loadable() { loadable_in "$guest" "$@"; }
loadable_in() {
	mkdir -p "$1/modules"
	to=$1/modules number=100
	shift
	for module; do
		modprobe -d "$kernel/root" -S "$(cat "$kernel/release")" \
			--show-depends "$module"
	done 2>"$work/modprobe.err" | sed -n 's,^insmod \([^ ]*\).*,\1,p' |
		awk '!seen[$0]++' | while read -r file; do
		number=$((number + 1))
		name=${file##*/}
		case $file in
		*.xz) xz -dc "$file" ;;
		*.zst) zstd -qdc "$file" ;;
		*) cat "$file" ;;
		esac >"$to/$number-${name%%.*}.ko"
	done
}
