/* SPDX-License-Identifier: MIT */
/* An initramfs that was not unpacked to its end: see report.h, unpack. */
#include <string.h>
#include "report/report.h"

/* The bytes for the kernel's words that the longest record leaves. */
#define ERROR_ROOM 200u

/* UNKNOWN where a figure is not known; limit_kib 0: no limit. */
struct unpacked {
	uint64_t held_kib, limit_kib, more_than_kib;
	int full;
};

static void get(const struct ledger *l, const struct session *s,
		struct unpacked *u)
{
	const struct unpack *k = &l->unpack;

	*u = (struct unpacked){ UNKNOWN, UNKNOWN, UNKNOWN, 0 };
	if (k->limit_pages != UINT64_MAX)
		u->limit_kib = session_kib(s, k->limit_pages);
	if (k->bytes != UINT64_MAX)
		u->held_kib = k->bytes >> 10;
	else if (!u->limit_kib && baseline_kib(l, BASELINE_INITRAMFS))
		u->held_kib = baseline_kib(l, BASELINE_INITRAMFS);
	/* Only this error is one of room. */
	u->full = u->held_kib != UNKNOWN && u->limit_kib != UNKNOWN &&
		  u->limit_kib && !strcmp(k->error, "write error") &&
		  u->held_kib >= u->limit_kib - u->limit_kib / 100;
	if (u->full && baseline_kib(l, BASELINE_RESERVED))
		u->more_than_kib = rootfs_needs_kib(l, s, u->held_kib +
						    (k->cut_bytes >> 10));
}

int unpack_filled(const struct ledger *l, const struct session *s)
{
	struct unpacked u;

	get(l, s, &u);
	return u.full || lacks_inodes(l);
}

void unpack_write(struct line *line, const struct ledger *l,
		  const struct session *s)
{
	const uint64_t initrd_kib = baseline_kib(l, BASELINE_INITRD);
	struct unpacked u;

	get(l, s, &u);
	line_str(line, "initramfs unpacking failed: ");
	line_name(line, l->unpack.error);
	if (u.held_kib != UNKNOWN) {
		line_fill(line, u.full ? "; rootfs is full: %k" :
			  "; rootfs holds %k", &u.held_kib);
		line_fill(line, u.limit_kib == UNKNOWN ? "" : u.limit_kib ?
			  " of %k" : " and has no limit", &u.limit_kib);
		if (u.limit_kib != UNKNOWN && u.limit_kib && rootfs_is_half(l))
			line_str(line, ", half of what was free");
	}
	if (l->unpack.cut_bytes) {
		line_fill(line, "; %b are missing of ", &l->unpack.cut_bytes);
		line_name(line, l->unpack.file);
	}
	if (l->unpack.inodes)
		line_fill(line, "; all %u inodes are in use",
			  &l->unpack.inodes);
	if (l->unpack.file[0] && !l->unpack.cut_bytes) {
		line_str(line, "; the last file is ");
		line_name(line, l->unpack.file);
	}
	if (initrd_kib)
		line_fill(line, "; the image had %k", &initrd_kib);
	if (u.more_than_kib != UNKNOWN)
		line_fill(line, "; needs memory of more than %k",
			  &u.more_than_kib);
}

void unpack_text(struct sheet *s)
{
	if (!unpack_failed(s->ledger))
		return;
	line_str(&s->line, "state   ");
	unpack_write(&s->line, s->ledger, s->r->session);
	sheet_emit(s);
}

void unpack_json(struct sheet *s)
{
	const struct ledger *l = s->ledger;
	const uint64_t initrd_kib = baseline_kib(l, BASELINE_INITRD);
	struct unpacked u;

	if (!unpack_failed(l))
		return;
	get(l, s->r->session, &u);
	json_begin(s, "unpack");
	json_string(s, "error", l->unpack.error, ERROR_ROOM);
	json_numbers(s, "rootfs_full unpacked_kib limit_kib initrd_kib",
			(const uint64_t[]){
			(uint64_t)u.full, u.held_kib, u.limit_kib,
			initrd_kib ? initrd_kib : UNKNOWN });
	if (l->unpack.file[0])
		json_name(s, "file", l->unpack.file);
	json_numbers(s, "file_lacks_kib inodes more_than_kib",
			(const uint64_t[]){
			l->unpack.cut_bytes >> 10,
			l->unpack.inodes ? l->unpack.inodes : UNKNOWN,
			u.more_than_kib });
	json_end(s);
}
