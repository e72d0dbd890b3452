/*
 * What was used before tracing began, in the kernel's own words: lines of
 * /proc/meminfo, and the line "Memory:" that it logs at boot. And how many free
 * pages are on per-CPU lists, where MemFree does not count them.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "../number.h"
#include "../print.h"
#include "../system.h"
#include "proc.h"
#include "readfile.h"

/* Of some fifty: those that hold memory which is not somebody's. */
static const char meminfo_names[] =
	"Cached\0AnonPages\0Slab\0KernelStack\0PageTables\0Percpu\0"
	"VmallocUsed\0CmaTotal\0";

/* Before anything ran, page cache is what was unpacked. */
#define INITRAMFS "Cached (initramfs)"

static void figure(struct event *e, const char *name, size_t len, uint64_t kib)
{
	if (len >= FIGURE_NAME_BYTES)
		len = FIGURE_NAME_BYTES - 1;
	e->type = EVENT_FIGURE;
	e->size = kib * 1024;
	memset(e->name, 0, sizeof(e->name));
	memcpy(e->name, name, len);
}

/* "Slab:              15560 kB" */
int meminfo_line(const char *line, size_t len, struct event *e)
{
	const char *colon = memchr(line, ':', len);
	const char *at = colon, *end, *name;
	uint64_t kib;

	if (!colon || len < 5 || memcmp(line + len - 3, " kB", 3))
		return -EINVAL;
	end = line + len - 3;
	for (name = meminfo_names; *name; name = text_after(name))
		if (strlen(name) == (size_t)(colon - line) &&
		    !memcmp(name, line, (size_t)(colon - line)))
			break;
	while (at < end && (*at == ':' || *at == ' '))
		at++;
	if (!*name || at == end ||
	    parse_u64(at, (size_t)(end - at), 10, 0, UINT64_MAX / 1024, &kib))
		return -EINVAL;
	figure(e, name, strlen(name), kib);
	return 0;
}

/* "Memory: 211188K/261624K available (14343K kernel code, 2327K rwdata, …,
 * 50232K reserved, 0K cma-reserved)": each in the parentheses. */
int memory_line(struct event_out *out, struct event *e, const char *line,
		size_t len)
{
	const char *end = line + len, *at = find_text(line, len, "Memory: ");
	int found = 0;

	if (at)
		at = memchr(at, '(', (size_t)(end - at));
	while (at && ++at < end) {
		const char *stop = at, *unit;
		uint64_t kib;

		while (stop < end && *stop != ',' && *stop != ')')
			stop++;
		while (at < stop && *at == ' ')
			at++;
		unit = memchr(at, 'K', (size_t)(stop - at));
		if (unit && stop - unit > 2 && unit[1] == ' ' &&
		    !parse_u64(at, (size_t)(unit - at), 10, 0,
			       UINT64_MAX / 1024, &kib)) {
			figure(e, unit + 2, (size_t)(stop - unit - 2), kib);
			out->event(out, e);
			found++;
		}
		at = stop < end && *stop == ',' ? stop : NULL;
	}
	return found;
}

/* "              count: 93", in the pagesets of a zone. */
uint64_t zoneinfo_line(const char *line, size_t len)
{
	const char *at = find_text(line, len, " count: ");
	uint64_t pages;

	if (!at)
		return 0;
	for (at += sizeof(" count:"); at < line + len && *at == ' ';)
		at++;
	return parse_u64(at, (size_t)(line + len - at), 10, 0, UINT32_MAX,
			 &pages) ? 0 : pages;
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
	struct baseline_reader r = { out, boot, { .time_ns = time_ns } };

	each_line("/proc/meminfo", take_meminfo, &r);
}

/* One record a read; "Memory:" is among the first some hundred. */
void kmsg_baseline(struct event_out *out, uint64_t time_ns)
{
	struct event e = { .time_ns = time_ns };
	int fd = system_open(AT_FDCWD, "/dev/kmsg",
			     O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char record[1024];
	ssize_t n = 0;

	if (fd < 0)
		return;
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

void proc_pcp(struct event_out *out, uint64_t time_ns)
{
	struct event e = { .time_ns = time_ns, .type = EVENT_MEMORY,
			   .flags = EVENT_PCP };

	if (!each_line("/proc/zoneinfo", take_zoneinfo, &e))
		out->event(out, &e);
}
