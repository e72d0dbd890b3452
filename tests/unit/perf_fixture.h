/* SPDX-License-Identifier: MIT */
/*
 * perf records as the kernel writes them, and the tracepoints they speak of,
 * for the tests of source/perf/drain.c. Nothing here needs
 * perf: rings are plain memory.
 */
#ifndef PERF_FIXTURE_H
#define PERF_FIXTURE_H

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include "source/perf/perf.h"
#include "formats.h"
#include "tap.h"

#define RECORD_ROOM 4096u

struct record {
	unsigned char bytes[RECORD_ROOM];
	size_t len;
};

static void put(struct record *r, const void *bytes, size_t len)
{
	must(r->len + len <= RECORD_ROOM);
	if (len)
		memcpy(r->bytes + r->len, bytes, len);
	r->len += len;
}

static void put_u32(struct record *r, uint32_t value)
{
	put(r, &value, sizeof(value));
}

static void put_u64(struct record *r, uint64_t value)
{
	put(r, &value, sizeof(value));
}

static void begin(struct record *r, uint32_t type, uint32_t misc)
{
	const struct perf_event_header h = {
		.type = type, .misc = (uint16_t)misc,
	};

	r->len = 0;
	put(r, &h, sizeof(h));
}

/* The size goes into the header last, filled up to a multiple of eight. */
static void end(struct record *r)
{
	const char zeros[8] = { 0 };
	uint16_t size;

	put(r, zeros, -r->len & 7);
	size = (uint16_t)r->len;
	memcpy(r->bytes + offsetof(struct perf_event_header, size), &size,
	       sizeof(size));
}

/* Whether records have tgid and tid. */
static int has_tgids = 1;

/* tgid, tid, time: what ends every record that is not a sample. */
static void trailer(struct record *r, uint32_t tgid, uint32_t tid,
		    uint64_t time_ns)
{
	if (has_tgids) {
		put_u32(r, tgid);
		put_u32(r, tid);
	}
	put_u64(r, time_ns);
}

/* As a number of frames: of an event for which no chain is asked. */
#define NO_CHAIN UINT64_MAX

/* A sample of this raw data. */
static void sample(struct record *r, uint32_t tgid, uint32_t tid,
		   uint64_t time_ns, const uint64_t *chain, uint64_t frames,
		   const void *raw, uint32_t raw_bytes)
{
	begin(r, PERF_RECORD_SAMPLE, 0);
	trailer(r, tgid, tid, time_ns);
	if (frames != NO_CHAIN) {
		put_u64(r, frames);
		put(r, chain, frames * sizeof(*chain));
	}
	put_u32(r, raw_bytes);
	put(r, raw, raw_bytes);
	end(r);
}

struct raw_page {
	uint16_t type;
	uint8_t flags, preempt;
	int32_t pid;
	uint64_t pfn;
	uint32_t order, pad;
	uint64_t gfp;
	int32_t migrate;
};

#define ALLOC_ID 653
#define FREE_ID 655

/* A page allocated without a chain. */
static inline void page_sample(struct record *r, uint32_t tid, uint64_t time_ns,
			       uint64_t pfn)
{
	const struct raw_page raw = {
		.type = ALLOC_ID, .pid = (int32_t)tid, .pfn = pfn,
	};

	sample(r, tid, tid, time_ns, NULL, 0, &raw, sizeof(raw));
}

/* ID PID FLAGS PFN ORDER BYTES: so many bytes of a raw page. */
static inline void put_raw(struct record *r, const char *numbers)
{
	unsigned int id, pid, flags, bytes;
	struct raw_page raw = { 0 };

	must(sscanf(numbers, "%u %u %u %" SCNx64 " %u %u", &id, &pid, &flags,
		    &raw.pfn, &raw.order, &bytes) == 6);
	raw.type = (uint16_t)id;
	raw.flags = (uint8_t)flags;
	raw.pid = (int32_t)pid;
	put(r, &raw, bytes);
}

/* By name or number; exec: a comm of that kind. */
static inline void begin_of(struct record *r, const char *text)
{
	static const struct {
		const char *name;
		uint32_t type, misc;
	} t[] = {
		{ "lost", PERF_RECORD_LOST, 0 },
		{ "comm", PERF_RECORD_COMM, 0 },
		{ "exec", PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC },
		{ "exit", PERF_RECORD_EXIT, 0 },
		{ "fork", PERF_RECORD_FORK, 0 },
		{ "sample", PERF_RECORD_SAMPLE, 0 },
	};
	size_t i = 0;

	while (i < ARRAY_LEN(t) && strncmp(text, t[i].name, strlen(t[i].name)))
		i++;
	if (i < ARRAY_LEN(t))
		begin(r, t[i].type, t[i].misc);
	else
		begin(r, (uint32_t)strtoul(text, NULL, 10), 0);
}

/* Where the word ends. */
static inline const char *put_word(struct record *r, const char *word)
{
	uint64_t number;
	uint32_t tgid, tid;
	char *behind = NULL;
	size_t len;

	if (sscanf(word, "@%u/%u/%" SCNu64, &tgid, &tid, &number) == 3) {
		trailer(r, tgid, tid, number);
	} else if (*word == '\'') {
		len = strcspn(word + 1, "'");
		put(r, word + 1, len);
		put(r, "", 1);
		return word + len + 2;
	} else if (*word == ':') {
		number = strtoull(word + 1, &behind, 0);
		len = *behind == '*' ? strtoul(behind + 1, NULL, 10) : 1;
		while (len--)
			put_u64(r, number);
	} else if (*word == '_') {
		end(r);
	} else {
		put_u32(r, (uint32_t)strtoul(word, NULL, 0));
	}
	return word + strcspn(word, " ");
}

/*
 * A record by its words, with a blank between them: its type, and behind an = a
 * size that is not its own; then
 *
 *	N  :N  :N*TIMES		numbers of 4 bytes, of 8, so many of 8
 *	'NAME'			with its end
 *	_			filled up to a multiple of 8
 *	@TGID/TID/TIME		the trailer, which begins a sample
 *	raw ...			see put_raw()
 */
static inline void record_of(struct record *r, const char *text)
{
	const char *at = text + strcspn(text, " ");
	uint16_t size;

	begin_of(r, text);
	while (*at && strncmp(at, " raw ", 5))
		at = put_word(r, at + 1);
	if (*at)
		put_raw(r, at + 5);
	end(r);
	if (sscanf(text, "%*[a-z0-9]=%hu", &size) == 1)
		memcpy(r->bytes + offsetof(struct perf_event_header, size),
		       &size, sizeof(size));
}

static void points_make(struct tracefs *t)
{
	static const struct {
		uint32_t number;
		const char *file;
	} formats[] = {
		{ TP_ALLOC, "mm_page_alloc-6.18" },
		{ TP_FREE, "mm_page_free-6.18" },
		{ TP_MODULE_LOAD, "module_load-6.1" },
		{ TP_MODULE_FREE, "module_free-6.1" },
		{ TP_ENTER_FINIT_MODULE, "sys_enter_finit_module-7.2" },
		{ TP_EXIT_FINIT_MODULE, "sys_exit_finit_module-6.1" },
	};

	*t = (struct tracefs){ .problem = "" };
	for (size_t i = 0; i < ARRAY_LEN(formats); i++)
		must(!format_point(&t->point[formats[i].number],
				   formats[i].number, formats[i].file));
}

#endif
