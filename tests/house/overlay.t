#!/bin/sh
# SPDX-License-Identifier: MIT
# The overlay holds only /memstrack, has the same bytes each time, and is padded
# so that an image can follow it.
# shellcheck source-path=SCRIPTDIR/.. source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
cd "$top" || exit 1

# Sizes that end at each place within four bytes.
for size in 1 4097 4098 4099 4100; do
	head -c $size /dev/urandom >"$work/memstrack"
	initramfs/overlay "$work/memstrack" "$work/a.cpio"
	is "$size bytes: one file, root's, executable, of time 0" "$(
		TZ=UTC cpio -tv --quiet -n <"$work/a.cpio" |
			awk '{ print $1, $3, $4, $5, $8, $9 }'
	)" "-rwxr-xr-x 0 0 $size 1970 memstrack"
	mkdir "$work/out"
	(cd "$work/out" && cpio -i --quiet <"$work/a.cpio")
	is "$size bytes: the bytes come out" \
		"$(cksum <"$work/out/memstrack")" "$(cksum <"$work/memstrack")"
	rm -rf "$work/out"
	is "$size bytes: padded" $(($(wc -c <"$work/a.cpio") % 512)) 0
done
sleep 1
initramfs/overlay "$work/memstrack" "$work/b.cpio"
ok 'the same bytes later' cmp "$work/b.cpio" "$work/a.cpio"
ok 'also compressed' cmp "$work/b.cpio.gz" "$work/a.cpio.gz"
is 'behind four zero bytes' "$(head -c 4 "$work/b.cpio.gz" | od -A n -t x1)" \
	' 00 00 00 00'
is 'which is the plain one' \
	"$(tail -c +5 "$work/b.cpio.gz" | gzip -dc | cksum)" \
	"$(cksum <"$work/b.cpio")"

# With an image: in front; behind where only that fits; or not at all.
head -c 5000 /dev/urandom | gzip -9 -n >"$work/image"
cat "$work/a.cpio" "$work/image" >"$work/front"
cat "$work/image" "$work/a.cpio.gz" >"$work/behind"
front_bytes=$(wc -c <"$work/front")
behind_bytes=$(wc -c <"$work/behind")
join() {
	said=$(initramfs/overlay "$work/memstrack" "$out" "$@" 2>&1)
	said="$? $said"
}
# gives NAME FILE IMAGE [BYTES]: what comes out is as the file.
gives() {
	what=$1 file=$work/$2
	shift 2
	join "$@"
	is "$what" "$said$(cksum <"$out")" "0 $(cksum <"$file")"
}
out=$work/out
gives 'an image: in front' front "$work/image"
gives 'also where that just fits' front "$work/image" "$front_bytes"
gives 'else behind' behind "$work/image" $((front_bytes - 1))
gives 'also where that just fits' behind "$work/image" "$behind_bytes"
cp "$work/image" "$out"
join "$out" $((behind_bytes - 7))
is 'else by how much not' "$said" "1 overlay: $out: no room: $behind_bytes \
bytes, $((behind_bytes - 7)) are allowed, 7 lack"
is 'and the image is as it was' "$(cksum <"$out")" "$(cksum <"$work/image")"
gives 'in its own place' front "$out"
join "$work/image" 64K
is 'a number is one' "$said" '1 overlay: not a number of bytes: 64K'
# As the kernel's formats begin: plain, gzip, bzip2, lzma, xz, lzo, lz4, zstd.
for magic in '070701' '070702' '\037\213\010\0\0\0' '\037\236\010\0\0\0' \
	BZh91A '\135\0\0\0\200\0' '\375\067zXZ\0' '\211LZO\0\r' \
	'\002\041\114\030\0\0' '\050\265\057\375\0\0'; do
	# shellcheck disable=SC2059 # with what it stands for
	printf "$magic" >"$work/begins"
	join "$work/begins"
	is "which may begin with $(od -A n -t x1 "$work/begins" | tr -d ' ')" \
		"$said" '0 '
done
join Makefile
is 'an image is one' "$said" \
	'1 overlay: Makefile: no initramfs that the kernel would unpack'
out=$work/nowhere/out
join "$work/image"
is 'nowhere is no lack of room' "${said##*overlay: }" \
	"$out: cannot be written"

# The same where terabytes are free.
bin=$work/bin
mkdir "$bin"
cat >"$bin/df" <<'DF'
#!/bin/sh
echo 'Filesystem 1024-blocks Used Available Capacity Mounted on'
echo '/dev/sda 99999999999 1 99999999999 1% /'
DF
chmod +x "$bin/df"
PATH=$bin:$PATH
join "$work/image"
is 'where much is free too' "${said##*overlay: }" "$out: cannot be written"
PATH=${PATH#*:}

# Images with keys are for root.
out=$work/secret
chmod 600 "$work/image"
join "$work/image"
is 'who may not read an image may not read the new one' \
	"$(stat -c %a "$out")" 600
chmod 644 "$work/image"
join "$work/image"
is 'others may' "$(stat -c %a "$out")" 644

# A file system of 16 KiB, of which a page is used, and an image of 12 KiB.
full() {
	# shellcheck disable=SC2016 # for the shell within
	unshare --mount sh -c 'mount -t tmpfs -o size=16k tmpfs "$1" || exit
		echo >"$1/used"
		initramfs/overlay "$2" "$1/out" "$3"; echo $?; ls "$1"' \
		sh "$work/fs" "$work/memstrack" "$work/image" 2>&1
}
mkdir "$work/fs"
head -c 12000 /dev/urandom | gzip -9 -n >"$work/image"
need=$(($(wc -c <"$work/a.cpio") + $(wc -c <"$work/image")))
if unshare --mount true 2>/dev/null; then
	is 'a full file system: by how much not, and nothing is left' \
		"$(full | grep -v 'write error')" \
		"overlay: $work/fs/out: no room: $need bytes, 12288 are free, \
$((need - 12288)) lack
1
used"
else
	skip 'a full file system' 'not root'
fi
finish
