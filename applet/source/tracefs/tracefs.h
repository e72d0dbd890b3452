/* SPDX-License-Identifier: MIT */
/* What perf and ftrace share: tracepoints, their formats, pages of a ring. */
#ifndef MEMSTRACK_SOURCE_TRACEFS_TRACEFS_H
#define MEMSTRACK_SOURCE_TRACEFS_TRACEFS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "source/event.h"

/* --- files: the files of tracefs, by their names in its directory */

/* Writes the path of a file, and returns it. */
const char *tracefs_path(char path[PATH_BYTES], const char *name);
/* Is there such a file? */
int tracefs_has(const char *name);
/* The number of bytes read, or -errno. */
ssize_t tracefs_text(const char *name, char *text, size_t size);
/* 0 or -errno. */
int tracefs_set(const char *name, const char *text);

/*
 * --- format
 *
 * The layout of a tracepoint's fields, from its `format` file.
 *
 * Offsets, sizes and signedness differ between kernels and machines, so they
 * are never taken from a header. The `print fmt` line has the values of flags,
 * in one of two spellings: 0x100u, or since 6.10 a shift like ((((1UL))) <<
 * (8)). Source: Documentation/trace/events.rst, kernel 6.12.
 */

struct field {
	uint16_t offset, size;	/* bytes; size 0: the event has no such field */
	uint16_t is_signed;
	uint16_t is_data_loc;	/* __data_loc: offset and length of a string */
};

/* These functions take the whole text of the file. 0; -ENOENT: the text has no
 * such item; -EINVAL: the item has an unknown form. */
int format_id(const char *text, size_t len, uint32_t *id);
int format_field(const char *text, size_t len, const char *name,
		 struct field *f);
int format_flag(const char *text, size_t len, const char *name,
		uint64_t *value);

/* Reads a field from a raw record. -EINVAL: the field is not within the
 * record. */
int field_u64(const struct field *f, const unsigned char *raw, size_t len,
	      uint64_t *value);
/* Copies a string field to `out`, cut to `size`, with an end byte. */
int field_string(const struct field *f, const unsigned char *raw, size_t len,
		 char *out, size_t size);

/*
 * --- tracepoints
 *
 * Tracepoints by name: their ids and the fields that we read.
 *
 * A tracepoint that a kernel lacks is not an error: tracing goes on with the
 * others. A format that we do not know is refused, and named.
 */

enum tracepoint {
	TP_FREE, TP_ALLOC, TP_MODULE_LOAD, TP_MODULE_FREE,
	/* Our own probes, which cost the least. Without them: the system calls
	 * that load a module. */
	TP_LOAD_EXIT, TP_LOAD_ENTER,
	TP_ENTER_INIT_MODULE, TP_ENTER_FINIT_MODULE,
	TP_EXIT_INIT_MODULE, TP_EXIT_FINIT_MODULE,
	/* If the kernel lacks these four: entry and exit of all system calls.
	 * If these are missing too: the end of a module's init function. */
	TP_RAW_ENTER, TP_RAW_EXIT, TP_INITCALL,
	/* Our own probes on vmalloc; and contiguous memory. */
	TP_BULK, TP_AREA_ENTER, TP_AREA_ALLOC, TP_AREA_FREE, TP_CMA,
	/* A page moves: our own probe; a compaction begins and ends. */
	TP_MOVE, TP_COMPACTS, TP_COMPACTED,
	/* For the tracer itself: memory runs out, or the system reboots. */
	TP_VICTIM, TP_LOW, TP_RECLAIM,
	/* Our own probe. Without it: the system call. */
	TP_REBOOT, TP_ENTER_REBOOT,
	/* Objects of slab, if they are traced. Since 6.1 the first of each pair
	 * replaces the second. */
	TP_KMALLOC, TP_KMALLOC_NODE, TP_CACHE_ALLOC, TP_CACHE_ALLOC_NODE,
	TP_KFREE, TP_CACHE_FREE,
	/* Without our probes: areas of all kinds are created and freed (since
	 * 6.2). */
	TP_VMAP, TP_VUNMAP,
	/* Only of the kernel's own record: an initcall begins. */
	TP_BOOT_INITCALL,
	TP_COUNT,
};

struct point {
	uint32_t id;			/* 0: the kernel has no such event */
	uint32_t type;			/* of our event: enum event_type */
	uint32_t set_flags;		/* flags of our event, always set */
	struct field flags;		/* common_flags */
	struct field order;		/* of pages */
	struct field text;		/* name of a module */
	struct field number;		/* pfn, result, base, pages, tid or
					 * caller, by type */
	struct field site;		/* of an object; of a move: old page */
	struct field requested, allocated;	/* of an object */
	struct field gfp;		/* of an allocation, and its bits: */
	uint64_t ahead;			/* all set: reads a file ahead; or 0 */
	uint64_t zero;			/* and this bit is not set */
	uint64_t silent;		/* set: failures are not logged; or 0 */
};

/* Rows of point[] + 1, by the low bits of their ids. */
#define POINTS_BY_ID 256u

struct tracefs {
	/* Bits of gfp_flags that together mark a first touch of anonymous user
	 * memory; 0: not known for this kernel. */
	uint64_t anon[3];
	struct field gfp_flags;		/* of an allocation */
	int slab, slab_chains;		/* objects are traced, with chains */
	struct point point[TP_COUNT];
	uint8_t by_id[POINTS_BY_ID];
	char problem[NOTE_BYTES];	/* what was refused, and why */
};

const char *tracepoint_name(enum tracepoint tp);

/* Make the kernel stop optimizing probes, and go on. 0: it does not optimize
 * probes anyway. */
int tracefs_probes_rest(void);
void tracefs_probes_go_on(void);
/* Switches ftrace off, and on again. While it is off, probes at the entry of a
 * function do not fire. 0: ftrace is not on, or traces functions; for the second
 * 0 or -errno. */
int tracefs_ftrace_pause(void);
int tracefs_ftrace_go_on(void);
/* Adds our own probes. They stay in the kernel until they are removed, for
 * which all their events must be closed. Formats read after this call include
 * them. 0, or -errno if the kernel refuses the probes on vmalloc. */
int tracefs_probe(void);
void tracefs_unprobe(void);

/* Reads all points. The caller has set slab and slab_chains. 0; -ENOENT: no
 * tracefs, or no page events; -EINVAL: a page event has an unknown format. On
 * an error t->problem says which. */
int tracefs_read(struct tracefs *t);
/* The points of the kernel's own record: pages and modules as offered, and
 * initcalls. */
void tracefs_read_boot(struct tracefs *t, const struct tracefs *offered);
/* There is no memory for slab: makes its events absent. */
void tracefs_without_slab(struct tracefs *t);

/* Parses the text of one format file into a point: for tracefs_read() and the
 * fuzzer. */
int point_parse(struct point *p, enum tracepoint tp, const char *text,
		size_t len);
void anon_parse(struct tracefs *t, const char *text, size_t len);

/* The point with this id, or NULL. */
const struct point *point_find(const struct tracefs *t, uint32_t id);

/* Decodes a raw record: sets the event's fields that the point has. -EINVAL:
 * the record does not fit its format. */
int point_decode(const struct point *p, const unsigned char *raw, size_t len,
		 struct event *e);

/*
 * --- ring page
 *
 * One page of a tracefs ring buffer, as read from trace_pipe_raw: entries, each
 * with its time.
 *
 * A page begins with the time of its first entry and the number of bytes that
 * were written ("commit"). An entry has a word with its type (or length) and
 * the time since the previous entry, then its data: the raw record of an event.
 * The layout is read from events/header_page, and the numbers of the types from
 * events/header_event, which does not give the order of the bits in the word:
 * the type is in the low five bits on a little-endian machine, in the high five
 * bits on a big-endian machine. Sources: include/linux/ring_buffer.h and
 * kernel/trace/ring_buffer.c, 6.1.
 *
 * Nothing in a page is trusted, and nothing is read beyond it.
 */

struct ring_layout {
	struct field time, commit;
	uint16_t data;		/* offset in the page */
	uint8_t data_max;	/* larger types are not lengths */
	uint8_t padding, time_extend, time_stamp; /* types */
};

/* Parses the texts of events/header_page and events/header_event. 0, or
 * -EINVAL: an unknown layout. */
int ring_layout_parse(struct ring_layout *l, const char *page, size_t page_len,
		      const char *event, size_t event_len);

struct ring_page {
	const struct ring_layout *layout;
	const unsigned char *at, *end;
	uint64_t time_ns;	/* of the last entry */
	int is_missed;		/* entries were lost before this page; */
	uint64_t missed;	/* their number; 0: not known */
};

struct ring_entry {
	uint64_t time_ns;
	const unsigned char *data;
	size_t len;
};

/* Opens a page of `len` bytes. 0, or -EINVAL: then *p has no entries. */
int ring_page_open(struct ring_page *p, const struct ring_layout *l,
		   const unsigned char *page, size_t len);

/* 1: *e is the next entry; 0: there are no more entries; -EINVAL: the rest of
 * the page is malformed, and skipped. */
int ring_page_next(struct ring_page *p, struct ring_entry *e);

/*
 * --- entry
 *
 * The common beginning of every entry in a tracefs ring, and the entry that
 * holds the call chain of an event ("kernel_stack").
 *
 * The chain follows its event, in the same context of the same thread. An
 * interrupt may write events with chains between the two.
 */

/* include/linux/trace_events.h, struct trace_entry, the same since 2.6.33. */
struct entry {
	uint16_t id;
	uint8_t flags, preempt_count;
	uint32_t tid;
};

/* TRACE_FLAG_HARDIRQ, TRACE_FLAG_SOFTIRQ and TRACE_FLAG_NMI of the flags, the
 * same since 2.6.33 (NMI since 4.7). */
#define ENTRY_IN_INTERRUPT (0x08u | 0x10u | 0x40u)

/* All fields are 0 if the data are too short. */
struct entry entry_of(const unsigned char *data, size_t len);

/* A number for the thread and the kind of interrupt, if any. Other flags may
 * change between an event and its stack. */
uint64_t entry_context(const struct entry *h);

struct stack_format {
	uint32_t id;
	struct field size, caller;	/* number of frames; the first frame */
};

/* Parses the text of ftrace/kernel_stack/format. 0, or -EINVAL: then the id is
 * 0. */
int stack_parse(struct stack_format *s, const char *text, size_t len);

/* Adds the frames of an entry to the event's chain, up to `most`. A frame has
 * the size of the kernel's unsigned long, like the commit field of a page. */
void stack_decode(const struct stack_format *s, const struct ring_layout *l,
		  const unsigned char *data, size_t len, uint32_t most,
		  struct event *e);

/*
 * --- traced
 *
 * The events that a source of tracepoints opens.
 */

struct traced {
	enum tracepoint tp;
	uint8_t chain;		/* with call chain; 2: only with slab_chains */
	uint8_t anon;		/* of allocations, only first touches; else all
				 * others */
	uint8_t at_once;	/* wakes the tracer at once */
	uint8_t guarded;	/* and signals the guard: so only a process that
				 * may reboot must be able to cause the event */
};

/* Frees come first: perf's rings belong to the event of frees. */
extern const struct traced traced[EVENTS_PER_CPU_MAX];

/* The first rows are the page events. */
#define PAGE_EVENTS 3u

#define TRACED_FILTER_BYTES 128

static inline int traced_chain(const struct tracefs *t, const struct traced *o)
{
	return o->chain == 1 || (o->chain && t->slab_chains);
}

/* The filter for the kernel, or NULL for all events. `split`: first touches
 * have an event of their own. Our own pages are traced too: without them 30 to
 * 50 pages would be missing from the balance. */
const char *traced_filter(const struct tracefs *t, int split,
			  const struct traced *o, char *text, size_t size);

#endif
