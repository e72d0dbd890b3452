/* SPDX-License-Identifier: MIT */
/* Tracepoints by name: see tracefs.h, tracepoints. */
#include <errno.h>
#include <string.h>
#include "base/base.h"
#include "base/system.h"
#include "source/tracefs/tracefs.h"

/* The format of mm_page_alloc is the longest: its flags take some 8 KiB. */
#define FORMAT_BYTES 20480u

/* How a tracepoint is read: the type of our event, and its fields by name. */
static const struct tracepoint_spec {
	const char *name;
	const char *number;	/* field: pfn, result, pages, base, pid or
				 * caller; NULL: none */
	uint8_t type;		/* enum event_type */
	uint16_t set_flags;
} specs[TP_COUNT] = {
	[TP_FREE] = { "kmem/mm_page_free", "pfn", EVENT_FREE },
	[TP_ALLOC] = { "kmem/mm_page_alloc", "pfn", EVENT_ALLOC },
	[TP_MODULE_LOAD] = { "module/module_load", NULL, EVENT_MODULE_LOAD },
	[TP_MODULE_FREE] = { "module/module_free", NULL, EVENT_MODULE_FREE },
	[TP_LOAD_ENTER] = { "memstrack/load", NULL, EVENT_LOAD_ENTER },
	[TP_LOAD_EXIT] = { "memstrack/loaded", "n", EVENT_LOAD_EXIT },
	[TP_ENTER_INIT_MODULE] = {
		"syscalls/sys_enter_init_module", NULL, EVENT_LOAD_ENTER,
	},
	[TP_ENTER_FINIT_MODULE] = {
		"syscalls/sys_enter_finit_module", NULL, EVENT_LOAD_ENTER,
	},
	[TP_EXIT_INIT_MODULE] = {
		"syscalls/sys_exit_init_module", "ret", EVENT_LOAD_EXIT,
	},
	[TP_EXIT_FINIT_MODULE] = {
		"syscalls/sys_exit_finit_module", "ret", EVENT_LOAD_EXIT,
	},
	[TP_RAW_ENTER] = { "raw_syscalls/sys_enter", NULL, EVENT_LOAD_ENTER },
	[TP_RAW_EXIT] = { "raw_syscalls/sys_exit", "ret", EVENT_LOAD_EXIT },
	[TP_INITCALL] = { "initcall/initcall_finish", "ret", EVENT_LOAD_EXIT },
	[TP_BULK] = { "memstrack/bulk", "n", EVENT_BULK },
	[TP_AREA_ENTER] = { "memstrack/enter", "c", EVENT_AREA_ENTER },
	[TP_AREA_ALLOC] = { "memstrack/leave", "n", EVENT_AREA_ALLOC },
	[TP_AREA_FREE] = { "memstrack/free", "n", EVENT_AREA_FREE },
	[TP_CMA] = { "cma/cma_alloc_finish", "count", EVENT_BULK, EVENT_CMA },
	[TP_MOVE] = { "memstrack/move", "to", EVENT_MOVE },
	[TP_COMPACTS] = {
		"compaction/mm_compaction_begin", NULL, EVENT_COMPACTS,
	},
	[TP_COMPACTED] = {
		"compaction/mm_compaction_end", NULL, EVENT_COMPACTED,
	},
	[TP_VICTIM] = { "oom/mark_victim", "pid", EVENT_VICTIM },
	[TP_LOW] = { "oom/reclaim_retry_zone", NULL, EVENT_LOW },
	[TP_RECLAIM] = {
		"vmscan/mm_vmscan_direct_reclaim_begin", NULL, EVENT_RECLAIM,
	},
	[TP_REBOOT] = { "memstrack/reboot", NULL, EVENT_REBOOT },
	[TP_ENTER_REBOOT] = { "syscalls/sys_enter_reboot", NULL, EVENT_REBOOT },
	[TP_KMALLOC] = { "kmem/kmalloc", "ptr", EVENT_OBJECT_ALLOC },
	[TP_KMALLOC_NODE] = { "kmem/kmalloc_node", "ptr", EVENT_OBJECT_ALLOC },
	[TP_CACHE_ALLOC] = {
		"kmem/kmem_cache_alloc", "ptr", EVENT_OBJECT_ALLOC, EVENT_CACHE,
	},
	[TP_CACHE_ALLOC_NODE] = {
		"kmem/kmem_cache_alloc_node", "ptr", EVENT_OBJECT_ALLOC,
		EVENT_CACHE,
	},
	[TP_KFREE] = { "kmem/kfree", "ptr", EVENT_OBJECT_FREE },
	[TP_CACHE_FREE] = {
		"kmem/kmem_cache_free", "ptr", EVENT_OBJECT_FREE, EVENT_CACHE,
	},
	[TP_VMAP] = { "vmalloc/alloc_vmap_area", NULL, EVENT_AREA_ENTER },
	[TP_VUNMAP] = {
		"vmalloc/free_vmap_area_noflush", "va_start", EVENT_AREA_FREE,
	},
	[TP_BOOT_INITCALL] = {
		"initcall/initcall_start", "func", EVENT_INITCALL_START,
	},
};

const char *tracepoint_name(enum tracepoint tp)
{
	return specs[tp].name;
}

static int is_page_event(uint32_t type)
{
	return type == EVENT_ALLOC || type == EVENT_FREE;
}

/* Has it two addresses: an object and its caller, or an old and a new place? */
static int has_site(uint32_t type)
{
	return type == EVENT_OBJECT_ALLOC || type == EVENT_OBJECT_FREE ||
	       type == EVENT_MOVE;
}

/* Finds the flags of an allocation, and the bits of some flags by name. */
static int parse_flags(const char *text, size_t len, struct field *f,
		       const char *const *names, unsigned int count,
		       uint64_t *bit)
{
	int error = format_field(text, len, "gfp_flags", f);

	for (unsigned int i = 0; i < count && !error; i++)
		error = format_flag(text, len, names[i], &bit[i]);
	return error;
}

/* Read-ahead allocates a page of a file with flags that let the allocation fail
 * early and silently, on behalf of a user (HARDWALL), and not zeroed. */
static void ahead_parse(struct point *p, const char *text, size_t len)
{
	static const char *const flags[] = {
		"__GFP_ZERO", "__GFP_NORETRY", "__GFP_NOWARN",
		"__GFP_HARDWALL",
	};
	uint64_t bit[ARRAY_LEN(flags)];

	if (parse_flags(text, len, &p->gfp, flags, ARRAY_LEN(flags), bit))
		return;
	p->zero = bit[0];
	p->ahead = bit[1] | bit[2] | bit[3];
	p->silent = bit[2];
}

int point_parse(struct point *p, enum tracepoint tp, const char *text,
		size_t len)
{
	const struct tracepoint_spec *s = &specs[tp];

	*p = (struct point){ .type = s->type, .set_flags = s->set_flags };
	if (tp == TP_ALLOC)
		ahead_parse(p, text, len);
	/* On some kernels the event has the name of the cache. */
	if (has_site(s->type) &&
	    format_field(text, len, "name", &p->text) == -EINVAL)
		return -EINVAL;
	if (!format_id(text, len, &p->id) && p->id &&
	    !format_field(text, len, "common_flags", &p->flags) &&
	    (!s->number || !format_field(text, len, s->number, &p->number)) &&
	    ((s->type != EVENT_MODULE_LOAD && s->type != EVENT_MODULE_FREE) ||
	     !format_field(text, len, "name", &p->text)) &&
	    (!is_page_event(s->type) ||
	     !format_field(text, len, "order", &p->order)) &&
	    (!has_site(s->type) ||
	     !format_field(text, len, s->type == EVENT_MOVE ?
				      "from" : "call_site", &p->site)) &&
	    (s->type != EVENT_OBJECT_ALLOC ||
	     (!format_field(text, len, "bytes_req", &p->requested) &&
	      !format_field(text, len, "bytes_alloc", &p->allocated))))
		return 0;
	p->id = 0;
	return -EINVAL;
}

void anon_parse(struct tracefs *t, const char *text, size_t len)
{
	static const char *const flags[ARRAY_LEN(t->anon)] = {
		"__GFP_ZERO", "__GFP_MOVABLE", "__GFP_HIGHMEM",
	};

	if (parse_flags(text, len, &t->gfp_flags, flags, ARRAY_LEN(flags),
			t->anon))
		memset(t->anon, 0, sizeof(t->anon));
}

/* Reads the format of an event, with the fields of the event `like`. */
static int read_point(struct tracefs *t, enum tracepoint tp,
		      enum tracepoint like)
{
	char name[64], text[FORMAT_BYTES];
	ssize_t len;

	print_to(name, sizeof(name), "events/%s/format", tracepoint_name(tp));
	len = tracefs_text(name, text, sizeof(text));
	if (len < 0)
		return (int)len;
	if (tp == TP_ALLOC)
		anon_parse(t, text, (size_t)len);
	if (point_parse(&t->point[tp], like, text, (size_t)len)) {
		print_to(t->problem, sizeof(t->problem),
			 "%s: a format this program does not know",
			 tracepoint_name(tp));
		return -EINVAL;
	}
	return 0;
}

/* Do we want this tracepoint, given those before it in the enum? */
static int is_wanted(const struct tracefs *t, enum tracepoint tp)
{
	if (tp == TP_BOOT_INITCALL)
		return 0;
	if (tp >= TP_VMAP)
		return !t->point[TP_BULK].id;
	if (tp >= TP_KMALLOC)
		return t->slab;
	if (tp == TP_ENTER_REBOOT)
		return !t->point[TP_REBOOT].id;
	if (tp == TP_LOAD_ENTER)
		return t->point[TP_LOAD_EXIT].id != 0;
	if (tp < TP_ENTER_INIT_MODULE || tp > TP_INITCALL)
		return 1;
	if (t->point[TP_LOAD_ENTER].id)
		return 0;
	if (tp < TP_RAW_ENTER)
		return 1;
	return t->point[TP_MODULE_LOAD].id &&
	       !t->point[TP_EXIT_FINIT_MODULE].id &&
	       (tp != TP_INITCALL || !t->point[TP_RAW_EXIT].id);
}

/* This runs for each record. If two ids have the same low bits, by_id[] has the
 * second; the first is searched for. */
const struct point *point_find(const struct tracefs *t, uint32_t id)
{
	const uint32_t row = t->by_id[id % POINTS_BY_ID];

	if (!id)
		return NULL;
	if (row && t->point[row - 1].id == id)
		return &t->point[row - 1];
	for (unsigned int tp = 0; tp < TP_COUNT; tp++)
		if (t->point[tp].id == id)
			return &t->point[tp];
	return NULL;
}

static void number_points(struct tracefs *t)
{
	for (unsigned int tp = 0; tp < TP_COUNT; tp++)
		t->by_id[t->point[tp].id % POINTS_BY_ID] = (uint8_t)(tp + 1);
}

int tracefs_read(struct tracefs *t)
{
	int pages = 0;

	*t = (struct tracefs){
		.slab = t->slab, .slab_chains = t->slab_chains,
	};
	for (unsigned int tp = 0; tp < TP_COUNT; tp++) {
		int error = is_wanted(t, tp) ? read_point(t, tp, tp) : 0;

		if (error && is_page_event(specs[tp].type))
			pages = error;
	}
	number_points(t);
	/* No event marks the entry of a load: so the event that names the
	 * module opens its window. */
	if (t->point[TP_INITCALL].id)
		t->point[TP_MODULE_LOAD].set_flags = EVENT_OPENS;
	if (pages && pages != -EINVAL) {
		char path[PATH_BYTES];

		print_to(t->problem, sizeof(t->problem),
			 "no page events: %s: %s",
			 tracefs_path(path, "events/kmem/mm_page_alloc"),
			 error_text(pages));
	}
	return pages;
}

void tracefs_read_boot(struct tracefs *t, const struct tracefs *offered)
{
	*t = (struct tracefs){ .problem = "" };
	memcpy(t->point, offered->point,
	       (TP_MODULE_FREE + 1) * sizeof(*t->point));
	read_point(t, TP_BOOT_INITCALL, TP_BOOT_INITCALL);
	read_point(t, TP_INITCALL, TP_BOOT_INITCALL);
	t->point[TP_INITCALL].type = EVENT_INITCALL_FINISH;
	number_points(t);
}

void tracefs_without_slab(struct tracefs *t)
{
	t->slab = 0;
	for (enum tracepoint tp = TP_KMALLOC; tp <= TP_CACHE_FREE; tp++)
		t->point[tp].id = 0;
}

/* The fields of a slab event; for a move, the page structs of both places. */
static int decode_object(const struct point *p, const unsigned char *raw,
			 size_t len, struct event *e)
{
	e->name[0] = '\0';
	if (field_u64(&p->number, raw, len, &e->base) ||
	    field_u64(&p->site, raw, len, &e->site) ||
	    (p->text.size && field_string(&p->text, raw, len, e->name,
					  SLAB_NAME_BYTES)))
		return -EINVAL;
	if (p->type == EVENT_MOVE) {
		e->result = (int64_t)(e->base - e->site);
		e->base = e->site;
		return 0;
	}
	return p->requested.size &&
	       (field_u64(&p->requested, raw, len, &e->size) ||
		field_u64(&p->allocated, raw, len, &e->allocated_bytes)) ?
	       -EINVAL : 0;
}

int point_decode(const struct point *p, const unsigned char *raw, size_t len,
		 struct event *e)
{
	uint64_t value;
	int warns = 0;

	if (field_u64(&p->flags, raw, len, &value))
		return -EINVAL;
	e->type = p->type;
	e->flags = p->set_flags | (value & ENTRY_IN_INTERRUPT ? EVENT_IRQ : 0);
	if (p->site.size)
		return decode_object(p, raw, len, e);
	if (p->text.size)
		return field_string(&p->text, raw, len, e->name,
				    sizeof(e->name));
	if (p->order.size) {
		if (field_u64(&p->order, raw, len, &value))
			return -EINVAL;
		e->order = value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
	}
	if (p->ahead && !field_u64(&p->gfp, raw, len, &value)) {
		if ((value & (p->ahead | p->zero)) == p->ahead)
			e->flags |= EVENT_AHEAD;
		warns = !(value & p->silent);
	}
	if (!p->number.size)
		return 0;
	if (field_u64(&p->number, raw, len, &value))
		return -EINVAL;
	e->result = (int64_t)value;
	e->pages = e->base = e->pfn = value;
	if (p->type == EVENT_AREA_ENTER) {
		e->chain[0] = value;
		e->chain_len = value != 0;
	}
	if (p->number.size == 4 && value == UINT32_MAX)
		e->pfn = UINT64_MAX;	/* -1: a failed allocation */
	if (warns && e->pfn == UINT64_MAX)
		e->flags |= EVENT_WARNS;
	return 0;
}
