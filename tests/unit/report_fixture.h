/* SPDX-License-Identifier: MIT */
/*
 * A small ledger for the tests of report/, made by events as a boot makes it,
 * and an `out` that keeps the lines and judges each: shorter than LINE_BYTES,
 * printable, no newline.
 */
#ifndef REPORT_FIXTURE_H
#define REPORT_FIXTURE_H

#include "exact.h"
#include "ledger_fixture.h"

#define MODULE_TEXT 0xffffffffc0100000u
#define KERNEL_TEXT 0xffffffff81000000u

static struct capture {
	struct out out;		/* first: a capture is an out */
	char text[1 << 20];
	size_t used, lines;
	size_t bound_at;	/* lines: then no more are wanted */
	int bad;
} got;

static void capture_line(struct out *o, const char *text, size_t len)
{
	struct capture *c = (struct capture *)o;

	c->bad += len >= LINE_BYTES;
	for (size_t i = 0; i < len; i++)
		c->bad += text[i] < 0x20 || text[i] > 0x7e;
	must(c->used + len + 2 <= sizeof(c->text));
	memcpy(c->text + c->used, text, len);
	c->used += len;
	c->text[c->used++] = '\n';
	c->text[c->used] = '\0';
	if (++c->lines == c->bound_at)
		o->lines_max = 4;
}

static struct fixture *reported(const struct layout *layout)
{
	struct fixture *f = fixture_make(layout);

	must(!symbols_init(&f->symbols, &f->arena, layout->symbols));
	f->ledger.areas.held.peak = 1;	/* some of vmalloc had no event */
	f->session = (struct session){
		.page_size = 4096, .cpus_traced = 1, .cpus_online = 2,
		.start_ns = 410000000, .end_ns = 9874999999,
		.mem_total_kib = 206131, .own_bytes = 1258291,
		.cpu_ns = 305000000, .layout = *layout,
		.reason = "switch-root", .kernel = "6.1.0-test",
	};
	f->report = (struct report){
		.ledger = &f->ledger, .session = &f->session,
		.symbols = &f->symbols, .level = 1, .throttle_percent = 100,
	};
	got = (struct capture){ .out.line = capture_line };
	return f;
}

static inline struct fixture *report_new(void)
{
	static const struct layout layout = {
		.pages_bytes = 16384, .nodes = 400, .owners = 200, .tasks = 64,
		.modules = 32, .symbols = 64, .ring_bytes = 65536,
	};

	return reported(&layout);
}

static inline void range(struct fixture *f, const char *name, uint64_t base)
{
	module_text(f, name, base, 0x4000, 0);
}

static void sample(struct fixture *f, uint64_t free_pages)
{
	apply(f, &(struct event){ .type = EVENT_MEMORY,
				  .free_pages = free_pages });
}

/* A boot: udev loads squashfs, which keeps most of what it took; a module that
 * goes and leaks; an interrupt; names that would forge a report. */
static inline void fixture_boot(struct fixture *f)
{
	static const uint64_t cache[] = {
		KERNEL_TEXT + 0x110, KERNEL_TEXT + 0x230, MODULE_TEXT + 0x120,
		KERNEL_TEXT + 0x340, 0,
	};
	static const uint64_t plain[] = {
		KERNEL_TEXT + 0x110, KERNEL_TEXT + 0x340, 0,
	};
	uint64_t pfn;

	sample(f, 4000);
	task_event(f, EVENT_COMM, 100, 100, "systemd-udevd");
	task_event(f, EVENT_COMM, 200, 200, "e\"v\\il\n\x1b[2J\xff");
	apply(f, &(struct event){ .type = EVENT_LOAD_ENTER, .tid = 100,
				 .tgid = 100 });
	task_event(f, EVENT_MODULE_LOAD, 100, 100, "squashfs");
	range(f, "squashfs", MODULE_TEXT);
	apply(f, &(struct event){ .type = EVENT_LOAD_EXIT, .tid = 100,
				 .tgid = 100 });
	range(f, "leaky", MODULE_TEXT + 0x8000);
	hold(f, 100, 512, cache);
	pfn = hold(f, 200, 256, cache);
	hold(f, 200, 16, (const uint64_t[]){ cache[0], MODULE_TEXT + 0x250,
					     KERNEL_TEXT + 0x340, 0 });
	hold(f, 100, 2, (const uint64_t[]){ cache[0], MODULE_TEXT + 0x8010,
					    0 });
	task_event(f, EVENT_MODULE_FREE, 100, 100, "leaky");
	hold(f, 100, 64, plain);
	hold(f, 200, 128, NULL);
	sample(f, 3000);
	apply(f, &(struct event){ .type = EVENT_FREE, .pfn = pfn, .order = 8 });
	apply(f, &(struct event){ .type = EVENT_ALLOC, .flags = EVENT_IRQ,
				 .pfn = f->next_pfn, .tid = 100,
				 .chain_len = 1, .chain = { plain[0] } });
	apply(f, &(struct event){ .type = EVENT_EXIT, .tid = 200,
				 .tgid = 200 });
	apply(f, &(struct event){ .type = EVENT_FREE, .pfn = 0xf00 });
	sample(f, 3276);
	/* The one function of fixture_kallsyms() that tells a kind. */
	apply(f, &(struct event){ .type = EVENT_FUNCTION, .size = 0x100,
				 .base = KERNEL_TEXT + 0x200,
				 .name = "filemap_alloc" });
	apply(f, &(struct event){ .type = EVENT_FUNCTIONS_END });
}

static inline void fixture_kallsyms(struct fixture *f)
{
	static const char text[] =
		"ffffffff81000100 T __alloc_pages\n"
		"ffffffff81000200 t filemap_alloc\n"
		"ffffffff81000300 T do_syscall_64\n"
		"ffffffff81000330 d not_text\n"
		"ffffffffc0100100 t squashfs_cache_get\t[squashfs]\n"
		"ffffffffc0100200 t squashfs_alloc_inode\t[squashfs]\n";
	symbols_sort(&f->symbols);
	for (const char *at = text; *at; at += strcspn(at, "\n") + 1)
		symbols_line(&f->symbols, at, strcspn(at, "\n"));
	symbols_finish(&f->symbols);
}

static inline int has(const char *text, const char *part)
{
	return strstr(text, part) != NULL;
}

/* The whole report, names looked up as the tracer does. */
static inline const char *fixture_print(struct fixture *f, uint32_t level,
					void (*print)(const struct report *,
						      struct out *))
{
	f->report.level = level;
	got.used = got.lines = 0;
	symbols_clear(&f->symbols);
	report_collect(&f->report);
	fixture_kallsyms(f);
	print(&f->report, &got.out);
	return got.text;
}

#endif
