#!/bin/sh
# The overlay: /memstrack alone, the same bytes each time, aligned for more.
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

number=0
is() {
	number=$((number + 1))
	[ "$2" = "$3" ] || printf 'not '
	echo "ok $number - $1"
	[ "$2" = "$3" ] || echo "# '$2' instead of '$3'"
}

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
is 'the same bytes later' "$(cksum <"$work/b.cpio")" "$(cksum <"$work/a.cpio")"
is 'also compressed' "$(cksum <"$work/b.cpio.gz")" \
	"$(cksum <"$work/a.cpio.gz")"
is 'which is the plain one' "$(gzip -dc "$work/b.cpio.gz" | cksum)" \
	"$(cksum <"$work/b.cpio")"
echo "1..$number"
