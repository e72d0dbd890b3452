/* SPDX-License-Identifier: MIT */
/*
 * An initramfs as a stream of cpio archives ("newc"), one behind the other with
 * zeroes between: see estimate.h, image.
 *
 * What is packed ends the reading: unpacked by its own program, it can come
 * through a pipe.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/system.h"
#include "host/estimate/estimate.h"

#define HEADER_BYTES 110u
#define MAGIC_BYTES 6u
#define FIELD_BYTES 8u
/* The fields behind the magic number that count here. */
enum { FIELD_MODE = 1, FIELD_SIZE = 6, FIELD_NAME = 11 };

/* An inode, its name, and the tree of its pages. */
#define FILE_KIB 1u

/* The window is what the kernel's code allocates besides, with the options of
 * mkinitramfs and dracut. The two formats of lz4 differ; the kernel knows the first
 * one. */
static const struct packer packers[] = {
	{ "\x1f\x8b", "gzip -dc", 64 },
	{ "\xfd" "7zXZ", "xz -dc", 8 << 10 },
	{ "\x28\xb5\x2f\xfd", "zstd -dc", 9 << 10 },
	{ "\x02\x21\x4c\x18", "lz4 -dc", 17 << 10 },
	{ "BZh", "bzip2 -dc", 4 << 10 },
	{ "\x89LZO", "lzop -dc", 1 << 10 },
	{ "\x5d", "xz --format=lzma -dc", 8 << 10 },
};

/* Reads until `n` bytes are in the buffer; returns how many of them are. */
static size_t have(struct image *i, size_t n)
{
	ssize_t got = 1;

	if (i->filled - i->next < n) {
		memmove(i->buf, i->buf + i->next, i->filled - i->next);
		i->filled -= i->next;
		i->next = 0;
	}
	while (i->filled - i->next < n && got > 0) {
		do
			got = read(i->fd, i->buf + i->filled,
				   sizeof(i->buf) - i->filled);
		while (got < 0 && errno == EINTR);
		if (got < 0)
			i->error = -errno;
		else
			i->filled += (size_t)got;
	}
	return i->filled - i->next < n ? i->filled - i->next : n;
}

static void pass(struct image *i, size_t n)
{
	i->next += n;
	i->at += n;
}

/* 0, or 1: the file ends before. */
static int skip(struct image *i, uint64_t n)
{
	while (n) {
		const size_t part = have(i, n < sizeof(i->buf) ? (size_t)n :
					    sizeof(i->buf));

		if (!part)
			return 1;
		pass(i, part);
		n -= part;
	}
	return 0;
}

static int wrong(struct image *i, uint64_t at, const char *why)
{
	i->at = at;
	i->why = i->error ? error_text(i->error) : why;
	return -EINVAL;
}

static int field(const struct image *i, unsigned int number, uint64_t *value)
{
	const char *text = (const char *)i->buf + i->next + MAGIC_BYTES +
			   number * FIELD_BYTES;

	return parse_u64(text, FIELD_BYTES, 16, 0, UINT32_MAX, value);
}

static void count(struct image *i, uint64_t mode, uint64_t size)
{
	i->files++;
	i->content_kib += FILE_KIB;
	if (S_ISREG(mode) || S_ISLNK(mode))
		i->content_kib += (size + PAGE_BYTES - 1) / PAGE_BYTES *
				  (PAGE_BYTES >> 10);
	if (S_ISREG(mode) && i->take)
		i->take(i->context, i->name);
}

static uint64_t padded(uint64_t n)
{
	return (n + 3) & ~UINT64_C(3);
}

/* One member, whose magic number was seen. */
static int take_member(struct image *i)
{
	const uint64_t begins = i->at;
	uint64_t mode, size, len, name_room;

	if (have(i, HEADER_BYTES) < HEADER_BYTES)
		return wrong(i, begins, "a header is cut off");
	if (field(i, FIELD_MODE, &mode) || field(i, FIELD_SIZE, &size) ||
	    field(i, FIELD_NAME, &len))
		return wrong(i, begins, "a header that is no cpio's");
	if (!len || len > sizeof(i->name))
		return wrong(i, begins, "a name of 0 or more than 4096 bytes");
	name_room = padded(HEADER_BYTES + len) - HEADER_BYTES;
	pass(i, HEADER_BYTES);
	if (have(i, (size_t)len) < len)
		return wrong(i, begins, "a name is cut off");
	memcpy(i->name, i->buf + i->next, (size_t)len);
	i->name[len - 1] = '\0';
	if (skip(i, name_room))
		return wrong(i, begins, "a name is cut off");
	if (skip(i, size))
		return wrong(i, begins, "a file is cut off");
	if (strcmp(i->name, "TRAILER!!!"))
		count(i, mode, size);
	/* The last archive may end without its padding. */
	skip(i, padded(size) - size);
	return 0;
}

static const struct packer *packer_of(const struct image *i, size_t len)
{
	for (const struct packer *p = packers;
	     p < packers + ARRAY_LEN(packers); p++) {
		const size_t need = strlen(p->magic);

		if (len >= need && !memcmp(i->buf + i->next, p->magic, need))
			return p;
	}
	return NULL;
}

int image_read(struct image *i)
{
	size_t len;

	while ((len = have(i, MAGIC_BYTES))) {
		const char *at = (const char *)i->buf + i->next;

		if (!*at) {
			pass(i, 1);
			continue;
		}
		if (len == MAGIC_BYTES && !memcmp(at, "07070", 5) &&
		    (at[5] == '1' || at[5] == '2')) {
			if (take_member(i))
				return -EINVAL;
			continue;
		}
		i->packer = packer_of(i, len);
		return i->packer ? 0 :
		       wrong(i, i->at, len > 4 && !memcmp(at, "07070", 5) ?
			     "a cpio of another format than newc" :
			     "neither a cpio nor packed in a way that is known");
	}
	return i->error ? wrong(i, i->at, "") :
	       i->files ? 0 : wrong(i, i->at, "no file in it");
}
