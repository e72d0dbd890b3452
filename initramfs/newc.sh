# shellcheck shell=sh
# An archive in cpio's "newc" format, the only one that the kernel unpacks
# (driver-api/early-userspace/buffer-format.rst), entry by entry on standard
# output. Needs no cpio(1), no root for device nodes, and gives the same bytes
# for the same files: owner 0, time 0. For overlay and embedded.

# Lengths are in bytes.
LC_ALL=C
export LC_ALL
newc_inode=0

# As many zero bytes as lead from $1 to the next multiple of $2.
newc_pad() {
	head -c $(((($2) - $1 % ($2)) % ($2))) /dev/zero
}

# newc_entry NAME MODE [BYTES [MAJOR MINOR]]: inode mode uid gid links mtime
# size, the device it lay on, the device it is, length of the name with its
# end byte, no checksum. The bytes follow.
newc_entry() {
	newc_name=${1#/}
	newc_inode=$((newc_inode + 1))
	printf '070701%08x%08x%08x%08x%08x%08x%08x' \
		"$newc_inode" "$2" 0 0 1 0 "${3:-0}"
	printf '%08x%08x%08x%08x%08x%08x' \
		0 0 "${4:-0}" "${5:-0}" $((${#newc_name} + 1)) 0
	printf '%s\0' "$newc_name"
	newc_pad $((110 + ${#newc_name} + 1)) 4
}

# newc_file NAME PATH PERMISSIONS, these in octal as all of them.
newc_file() {
	newc_bytes=$(wc -c <"$2")
	newc_entry "$1" $((0100000 | 0$3)) "$newc_bytes"
	cat "$2"
	newc_pad "$newc_bytes" 4
}

newc_dir() { newc_entry "$1" $((0040000 | 0$2)); }

# newc_node NAME PERMISSIONS b|c MAJOR MINOR
newc_node() {
	case $3 in
	b) newc_entry "$1" $((0060000 | 0$2)) 0 "$4" "$5" ;;
	c) newc_entry "$1" $((0020000 | 0$2)) 0 "$4" "$5" ;;
	*) return 1 ;;
	esac
}

newc_link() {
	newc_entry "$1" $((0120777)) ${#2}
	printf %s "$2"
	newc_pad ${#2} 4
}

# The end of the archive in this file, padded as cpio(1) does: what is put
# behind begins at a multiple of four, where alone the kernel looks for one.
newc_end() {
	newc_entry 'TRAILER!!!' 0 >>"$1"
	newc_bytes=$(wc -c <"$1")
	newc_pad "$newc_bytes" 512 >>"$1"
}
