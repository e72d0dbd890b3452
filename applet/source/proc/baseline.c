/*
 * What was used before tracing began, in the kernel's own words: lines of
 * /proc/meminfo, and the line "Memory:" that it logs at boot. And how many free
 * pages are on per-CPU lists, where MemFree does not count them.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "base/print.h"
#include "base/system.h"
#include "source/proc/proc.h"
#include "base/readfile.h"

/* Of some fifty: those that hold memory which is not somebody's. */
static const char meminfo_names[] =
	"Cached\0AnonPages\0Slab\0KernelStack\0PageTables\0Percpu\0"
	"VmallocUsed\0CmaTotal\0";

/* Before anything ran, page cache is what was unpacked. */
#define INITRAMFS "Cached (initramfs)"

/* 0, or -EINVAL for more than there can be. */
static int figure(struct event *e, const struct word *name, uint64_t kib)
{
	if (kib > UINT64_MAX / 1024)
		return -EINVAL;
	e->type = EVENT_FIGURE;
	e->size = kib * 1024;
	word_copy(name, e->name, FIGURE_NAME_BYTES);
	return 0;
}

/* "Slab:              15560 kB" */
int meminfo_line(const char *line, size_t len, struct event *e)
{
	struct word rest = { line, len }, name;
	const char *wanted = meminfo_names;
	uint64_t kib;

	word_to(&rest, ':', &name);
	while (*wanted && !word_is(&name, wanted))
		wanted = text_after(wanted);
	if (!*wanted || number_to(past_blanks(&rest), ' ', 10, &kib) ||
	    !word_is(&rest, "kB"))
		return -EINVAL;
	return figure(e, &name, kib);
}

/* "Memory: 211188K/261624K available (14343K kernel code, 2327K rwdata, …,
 * 50232K reserved, 0K cma-reserved)": each in the parentheses. */
int memory_line(struct event_out *out, struct event *e, const char *line,
		size_t len)
{
	const char *at = find_text(line, len, "Memory: ");
	struct word rest = { at, at ? (size_t)(line + len - at) : 0 }, all, w;
	int found = 0;

	word_to(&rest, '(', &w);
	word_to(&rest, ')', &all);
	while (all.len) {
		struct word name;
		uint64_t kib;

		word_to(&all, ',', &name);
		if (number_to(past_blanks(&name), 'K', 10, &kib) ||
		    name.len < 2 || *name.at != ' ' ||
		    figure(e, past_blanks(&name), kib))
			continue;
		out->event(out, e);
		found++;
	}
	return found;
}

/* "              count: 93", in the pagesets of a zone. */
uint64_t zoneinfo_line(const char *line, size_t len)
{
	struct word rest = { line, len }, w;
	uint64_t pages;

	return !word_is(next_word(&rest, &w), "count:") ||
	       word_number(past_blanks(&rest), 10, &pages) ||
	       pages > UINT32_MAX ? 0 : pages;
}

struct baseline_reader {
	struct event_out *out;
	int boot;
	struct event event;
};

static void take_meminfo(void *context, char *line, size_t len)
{
	struct baseline_reader *r = context;

	if (meminfo_line(line, len, &r->event))
		return;
	if (r->boot && r->event.name[0] == 'C' && r->event.name[1] == 'a')
		memcpy(r->event.name, INITRAMFS, sizeof(INITRAMFS));
	r->out->event(r->out, &r->event);
}

void proc_baseline(struct event_out *out, uint64_t time_ns, int boot)
{
	struct baseline_reader r;

	r.out = out;
	r.boot = boot;
	event_begin(&r.event, EVENT_FIGURE, time_ns);
	each_line("/proc/meminfo", take_meminfo, &r);
}

struct available_reader {
	int found;
	uint64_t kib;
};

static void take_available(void *context, char *line, size_t len)
{
	struct available_reader *r = context;
	struct word rest = { line, len }, name;
	uint64_t kib;
	int is_available;

	word_to(&rest, ':', &name);
	is_available = word_is(&name, "MemAvailable");
	if ((!is_available && !word_is(&name, "SwapFree")) ||
	    number_to(past_blanks(&rest), ' ', 10, &kib))
		return;
	r->found |= is_available;
	r->kib += kib;
}

int proc_available(int meminfo_fd, uint64_t *kib)
{
	struct available_reader r = { 0 };

	if (meminfo_fd >= 0)
		each_line_again(meminfo_fd, take_available, &r);
	*kib = r.kib;
	return r.found ? 0 : -ENODATA;
}

/* One record a read; "Memory:" is among the first some hundred. */
void kmsg_baseline(struct event_out *out, uint64_t time_ns)
{
	struct event e;
	int fd = system_open_path("/dev/kmsg", O_NONBLOCK);
	char record[1024];
	ssize_t n = 0;

	if (fd < 0)
		return;
	event_begin(&e, EVENT_FIGURE, time_ns);
	/* Any other error is of one record: overwritten, or too long. */
	for (unsigned int i = 0; i < BOOT_RECORDS &&
	     (n >= 0 || errno != EAGAIN); i++) {
		n = read(fd, record, sizeof(record));
		if (n > 0 && memory_line(out, &e, record, (size_t)n))
			break;
	}
	close(fd);
}

static void take_zoneinfo(void *context, char *line, size_t len)
{
	struct event *e = context;

	e->free_pages += zoneinfo_line(line, len);
}

void proc_pcp(struct event_out *out, uint64_t time_ns, int zoneinfo_fd)
{
	struct event e;

	if (zoneinfo_fd < 0)
		return;
	event_begin(&e, EVENT_MEMORY, time_ns);
	e.flags = EVENT_PCP;
	each_line_again(zoneinfo_fd, take_zoneinfo, &e);
	out->event(out, &e);
}
