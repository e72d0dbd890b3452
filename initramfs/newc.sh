# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Writes a cpio archive to standard output, entry by entry, in the "newc"
# format, the only one that the kernel unpacks (driver-api/early-userspace/
# buffer-format.rst). It needs no cpio(1), and no root for device nodes. The
# same files always give the same bytes: owner 0, time 0. Used by overlay and
# embedded.

# Lengths are in bytes.
LC_ALL=C
export LC_ALL
newc_inode=0

# Writes zero bytes from offset $1 to the next multiple of $2.
newc_pad() {
	head -c $(((($2) - $1 % ($2)) % ($2))) /dev/zero
}

# newc_entry NAME MODE [BYTES [MAJOR MINOR]]: writes the head of an entry. Its
# fields: inode, mode, uid, gid, links, mtime, size, device of the file system,
# device of a node, length of the name with its end byte, checksum (0).
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

# newc_file NAME PATH PERMISSIONS. Permissions are octal, here and below.
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

# Ends the archive in this file, padded as cpio(1) does. An archive that is
# appended then begins at a multiple of four: the kernel finds it only there.
newc_end() {
	newc_entry 'TRAILER!!!' 0 >>"$1"
	newc_bytes=$(wc -c <"$1")
	newc_pad "$newc_bytes" 512 >>"$1"
}
