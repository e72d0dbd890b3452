/* RAM, CPUs and tasks from /proc: see proc.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "../number.h"
#include "../print.h"
#include "../system.h"
#include "proc.h"
#include "readfile.h"

/* More ranges than we keep: the last one grows over the gap. */
static void add_range(struct ram *ram, uint64_t first, uint64_t end)
{
	struct ram_range *last;

	if (ram->count < RAM_RANGES_MAX) {
		ram->range[ram->count++] =
			(struct ram_range){ first, end - first };
		return;
	}
	last = &ram->range[ram->count - 1];
	if (end > last->first_pfn + last->count_pages)
		last->count_pages = end - last->first_pfn;
}

/* "00100000-0bfdffff : System RAM"; what lies inside is indented. */
int iomem_line(struct ram *ram, const char *line, size_t len,
	       uint32_t page_size)
{
	static const char name[] = " : System RAM";
	const char *dash = memchr(line, '-', len);
	size_t tail = sizeof(name) - 1;
	uint64_t first, last;

	if (!dash || len < tail || memcmp(line + len - tail, name, tail) ||
	    parse_u64(line, (size_t)(dash - line), 16, 0, UINT64_MAX, &first))
		return 0;
	dash++;
	if (parse_u64(dash, len - tail - (size_t)(dash - line), 16, first,
		      UINT64_MAX - page_size, &last))
		return 0;
	first = (first + page_size - 1) / page_size;
	last = (last + 1) / page_size;
	if (last > first)
		add_range(ram, first, last);
	return last > first;
}

struct ram_reader {
	struct ram *ram;
	uint32_t page_size;
};

static void take_iomem(void *context, char *line, size_t len)
{
	struct ram_reader *r = context;

	iomem_line(r->ram, line, len, r->page_size);
}

int proc_ram(struct ram *ram, uint32_t page_size)
{
	struct ram_reader r = { ram, page_size };
	int error;

	ram->count = 0;
	error = each_line("/proc/iomem", take_iomem, &r);
	return error || ram->count ? error : -ENODATA;
}

static int cpu_range(const char *text, size_t len, uint64_t *first,
		     uint64_t *last)
{
	const char *dash = memchr(text, '-', len);
	size_t head = dash ? (size_t)(dash - text) : len;

	if (parse_u64(text, head, 10, 0, CPUS_MAX - 1, first))
		return -EINVAL;
	*last = *first;
	return dash ? parse_u64(dash + 1, len - head - 1, 10, *first,
				CPUS_MAX - 1, last) : 0;
}

int cpu_list(const char *text, size_t len, void (*set)(void *ctx, uint32_t cpu),
	     void *ctx)
{
	int count = 0;

	while (len && text[len - 1] == '\n')
		len--;
	while (len) {
		const char *comma = memchr(text, ',', len);
		size_t part = comma ? (size_t)(comma - text) : len;
		uint64_t first, last;

		if (cpu_range(text, part, &first, &last))
			return -EINVAL;
		for (; first <= last; first++, count++)
			set(ctx, (uint32_t)first);
		text += part + (comma != NULL);
		len -= part + (comma != NULL);
	}
	return count;
}

int proc_cpus(void (*set)(void *ctx, uint32_t cpu), void *ctx)
{
	char online[4096] = "0";
	ssize_t len = readfile("/sys/devices/system/cpu/online", online,
			       sizeof(online));

	return cpu_list(online, len < 0 ? 1 : (size_t)len, set, ctx);
}

/* The n-th word of the rest of a stat line, as a number. */
static int stat_number(const char *text, const char *end, unsigned int n,
		       uint64_t *value)
{
	const char *stop;

	for (;; n--) {
		stop = memchr(text, ' ', (size_t)(end - text));
		if (!stop)
			stop = end;
		if (!n)
			break;
		if (stop == end)
			return -EINVAL;
		text = stop + 1;
	}
	while (stop > text && stop[-1] == '\n')
		stop--;
	return parse_u64(text, (size_t)(stop - text), 10, 0, UINT64_MAX,
			 value);
}

/* "1 (init) S 0 …": a name may hold brackets and blanks, so it ends at the
 * last bracket. Behind it, counted from the state: 1 is the parent, 21 the
 * resident set in pages. */
int stat_line(const char *text, size_t len, struct event *e)
{
	const char *open = memchr(text, '(', len);
	const char *close = memrchr(text, ')', len);
	uint64_t pid, parent;
	size_t name_len;

	if (!open || !close || close < open || open == text ||
	    text + len - close < 3 ||
	    parse_u64(text, (size_t)(open - text - 1), 10, 0, UINT32_MAX,
		      &pid) ||
	    stat_number(close + 2, text + len, 1, &parent) ||
	    stat_number(close + 2, text + len, 21, &e->rss_pages))
		return -EINVAL;
	e->type = EVENT_TASK;
	e->tid = e->tgid = (uint32_t)pid;
	e->parent_tid = e->parent_tgid = (uint32_t)parent;
	name_len = (size_t)(close - open - 1);
	if (name_len > COMM_BYTES - 1)
		name_len = COMM_BYTES - 1;
	memset(e->name, 0, sizeof(e->name));
	memcpy(e->name, open + 1, name_len);
	return 0;
}

static void one_task(struct event_out *out, const char *pid, uint64_t time_ns)
{
	struct event e = { .time_ns = time_ns };
	char path[64], text[1024];
	ssize_t len;

	if (pid[0] < '0' || pid[0] > '9' || strlen(pid) > 20)
		return;
	print_to(path, sizeof(path), "/proc/%s/stat", pid);
	len = readfile(path, text, sizeof(text));
	if (len > 0 && !stat_line(text, (size_t)len, &e))
		out->event(out, &e);
}

/* getdents64 fills this; d_name ends within d_reclen. */
struct dirent_head {
	uint64_t ino, off;
	uint16_t reclen;
	uint8_t type;
	char name[];
};

int proc_tasks(struct event_out *out, uint64_t time_ns)
{
	_Alignas(8) char buf[4096];
	int fd = system_open(AT_FDCWD, "/proc",
			     O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long n;

	if (fd < 0)
		return -errno;
	while ((n = syscall(SYS_getdents64, fd, buf, sizeof(buf))) > 0) {
		for (long at = 0; at < n;) {
			uint16_t reclen;

			memcpy(&reclen, buf + at +
			       offsetof(struct dirent_head, reclen),
			       sizeof(reclen));
			one_task(out, buf + at +
				 offsetof(struct dirent_head, name), time_ns);
			at += reclen;
		}
	}
	n = n < 0 ? -errno : 0;
	close(fd);
	return (int)n;
}
