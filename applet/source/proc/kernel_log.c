/* SPDX-License-Identifier: MIT */
/* The kernel's log: see proc.h, kernel log, oom log and boot log. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>
#include "base/system.h"
#include "source/proc/proc.h"

/* The kernel's own facility is 0, so its priorities are below this number. */
#define PRIORITIES 8u

int log_open(void)
{
	const int fd = system_open_path("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	char record[LOG_RECORD_BYTES];

	if (fd < 0)
		return -1;
	if (!lseek(fd, 0, SEEK_END) && read(fd, record, sizeof(record)))
		return fd;
	close(fd);
	return -1;
}

size_t log_next(int fd, char record[LOG_RECORD_BYTES], uint32_t *most)
{
	while (*most) {
		const ssize_t n = read(fd, record, LOG_RECORD_BYTES);

		--*most;
		if (n > 0)
			return (size_t)n;
		if (!n || (errno != EPIPE && errno != EINVAL))
			break;
	}
	return 0;
}

/* Gives all records that are there now, at most `most`, to take(), until take()
 * returns 0. */
static void log_each(int fd, uint32_t most,
		     int (*take)(void *context, const char *record, size_t len),
		     void *context)
{
	char record[LOG_RECORD_BYTES];
	size_t len;

	do
		len = log_next(fd, record, &most);
	while (len && take(context, record, len));
}

int log_text(const char *record, size_t len, struct word *text)
{
	struct word prefix;
	uint64_t priority;

	*text = (struct word){ record, len };
	word_to(text, ';', &prefix);
	return number_to(&prefix, ',', 10, &priority) ||
	       priority >= PRIORITIES ? -EINVAL : 0;
}

/* --- oom log */

/* The most records in one call. */
#define RECORDS_MOST 8192u

uint32_t oom_record(const char *record, size_t len, enum oom_limit *limit)
{
	struct word text, w;
	uint64_t tid;
	int found = 0;

	if (log_text(record, len, &text) ||
	    word_skip(&text, "oom-kill:constraint="))
		return 0;
	word_to(&text, ',', &w);
	*limit = word_is(&w, "CONSTRAINT_MEMCG") ? LIMIT_GROUP : LIMIT_MACHINE;
	/* The last ",pid=" counts: a task's name may contain the text too. */
	while (!word_seek(&text, ",pid="))
		found = 1;
	return found && !number_to(&text, ',', 10, &tid) &&
	       tid <= UINT32_MAX ? (uint32_t)tid : 0;
}

static int take_kill(void *context, const char *record, size_t len)
{
	struct oom_log *o = context;
	enum oom_limit limit;
	const uint32_t tid = oom_record(record, len, &limit);

	if (tid) {
		o->kill[o->kills % OOM_KILLS_MAX].tid = tid;
		o->kill[o->kills++ % OOM_KILLS_MAX].limit = limit;
	}
	return 1;
}

void oom_log_read(struct oom_log *o)
{
	log_each(o->fd, RECORDS_MOST, take_kill, o);
}

/* A pid may be used again: so each kill is returned once. */
enum oom_limit oom_log_limit(struct oom_log *o, uint32_t tid)
{
	oom_log_read(o);
	for (uint32_t i = 0; i < OOM_KILLS_MAX && tid; i++)
		if (o->kill[i].tid == tid) {
			o->kill[i].tid = 0;
			return o->kill[i].limit;
		}
	return LIMIT_UNKNOWN;
}

/* --- boot log */

/* As in proc.h. If it is too large, reserved memory is the upper bound. */
#define PAGE_STRUCT_BYTES (sizeof(long) == 8 ? 64u : 32u)

static int put(struct boot_log *b, const struct word *name, uint64_t kib)
{
	if (baseline_figure(&b->event, name, kib))
		return 0;
	b->out->event(b->out, &b->event);
	return 1;
}

static int put_named(struct boot_log *b, const char *name, uint64_t kib)
{
	return put(b, &(struct word){ name, strlen(name) }, kib);
}

/* Emits the size of the page structs of all RAM. Reserved memory includes them
 * and the kernel's image. */
static int put_page_structs(struct boot_log *b, uint64_t ram_kib,
			    uint64_t reserved_kib, uint64_t image_kib)
{
	const uint64_t most_kib = reserved_kib > image_kib ?
				  reserved_kib - image_kib : 0;
	uint64_t kib = ram_kib * PAGE_STRUCT_BYTES / getauxval(AT_PAGESZ);

	return put_named(b, BASELINE_PAGE_STRUCTS, kib < most_kib ? kib :
								    most_kib);
}

/* "Memory: 211188K/261624K available (14343K kernel code, 2327K rwdata, …,
 * 50232K reserved, 0K cma-reserved)": emits each figure in the parentheses, and
 * the page structs. The figures before "reserved" add up to the image. Returns
 * the number of figures. */
static int memory_line(struct boot_log *b, struct word rest)
{
	uint64_t ram_kib = 0, image_kib = 0;
	struct word all, w;
	int figures = 0;

	word_to(&rest, '(', &w);
	word_to(&rest, ')', &all);
	word_to(&w, '/', &rest);
	if (number_to(&w, 'K', 10, &ram_kib) || ram_kib > UINT64_MAX / 1024)
		ram_kib = 0;
	while (all.len) {
		struct word name;
		uint64_t kib;

		word_to(&all, ',', &name);
		if (number_to(past_blanks(&name), 'K', 10, &kib) ||
		    name.len < 2 || *name.at != ' ' ||
		    !put(b, past_blanks(&name), kib))
			continue;
		figures++;
		if (word_is(&name, BASELINE_RESERVED))
			figures += put_page_structs(b, ram_kib, kib, image_kib);
		image_kib += kib;
	}
	return figures;
}

/* "Dentry cache hash table entries: 32768 (order: 6, 262144 bytes, linear)" */
static void hash_line(struct boot_log *b, const struct word *name,
		      struct word rest)
{
	uint64_t bytes;
	struct word w;

	word_to(&rest, ',', &w);
	if (!number_to(past_blanks(&rest), ' ', 10, &bytes) &&
	    word_begins(&rest, "bytes") &&
	    bytes <= UINT64_MAX / 1024 - b->hash_bytes) {
		b->hash_bytes += bytes;
		if (b->ram)
			ram_log_hash(b->ram, name, bytes,
				     find_text(rest.at, rest.len, "vmalloc")
				     != NULL);
	}
}

/* "Freeing initrd memory: 59732K", "Freeing unused kernel image (initmem)
 * memory: 2612K" */
static void freed_line(struct boot_log *b, struct word rest)
{
	static const char memory[] = "memory: ";
	struct word what = rest;
	uint64_t kib;

	if (word_seek(&rest, memory))
		return;
	what.len -= rest.len + sizeof(memory) - 1;
	if (number_to(&rest, 'K', 10, &kib) || kib > UINT32_MAX)
		return;
	if (word_is(&what, "initrd "))
		b->initrd_kib += kib;
	else
		b->freed_kib += kib;
	if (b->ram)
		ram_log_freed(b->ram, &what, kib);
}

/* "Initramfs unpacking failed: write error". The first error counts: the kernel
 * may unpack an image twice. */
static int unpack_line(struct boot_log *b, const struct word *text)
{
	struct word rest = *text, error;
	char stop = '\n';

	if (!word_skip(&rest, "rootfs image is not initramfs ("))
		stop = ')';
	else if (word_skip(&rest, "Initramfs unpacking failed: "))
		return 0;
	word_to(&rest, stop, &error);
	if (!b->unpack_error[0])
		word_copy(&error, b->unpack_error, sizeof(b->unpack_error));
	return 1;
}

/* Is this the line of a hash table? It ends in a parenthesis, unlike most other
 * lines: so few lines are searched. */
static int is_hash(const struct word *text, struct word *name,
		   struct word *rest)
{
	*rest = *text;
	if (rest->len && rest->at[rest->len - 1] == '\n')
		rest->len--;
	if (!rest->len || rest->at[rest->len - 1] != ')' ||
	    word_seek(rest, " hash table entries: "))
		return 0;
	*name = (struct word){ text->at, (size_t)(rest->at - text->at) -
			       sizeof(" entries: ") + 1 };
	return 1;
}

int boot_log_record(struct boot_log *b, const char *record, size_t len)
{
	struct word text = { record, len }, prefix, rest, name;

	/* "6,80,0,-;Memory: …" */
	word_to(&text, ';', &prefix);
	rest = text;
	if (!b->figures && !word_skip(&rest, "Memory: "))
		b->figures = memory_line(b, rest);
	else if (!word_skip(&rest, "Freeing "))
		freed_line(b, rest);
	else if (!unpack_line(b, &text) && is_hash(&text, &name, &rest))
		hash_line(b, &name, rest);
	if (b->ram)
		ram_log_line(b->ram, &text);
	return !word_begins(&text, "Run ");
}

void boot_log_end(struct boot_log *b)
{
	if (!b->figures)
		return;
	put_named(b, BASELINE_HASH_TABLES, b->hash_bytes / 1024);
	if (b->initrd_kib)
		put_named(b, BASELINE_INITRD, b->initrd_kib);
	if (b->freed_kib)
		put_named(b, BASELINE_FREED, b->freed_kib);
}

static int take_record(void *context, const char *record, size_t len)
{
	return boot_log_record(context, record, len);
}

void kmsg_baseline(struct event_out *out, uint64_t time_ns, const char *rootfs,
		   struct ram_reader *ram)
{
	int fd = system_open_path("/dev/kmsg", O_NONBLOCK);
	struct boot_log b = { .out = out, .ram = ram };

	if (fd < 0)
		return;
	event_begin(&b.event, EVENT_FIGURE, time_ns);
	log_each(fd, BOOT_RECORDS, take_record, &b);
	close(fd);
	boot_log_end(&b);
	if (!b.unpack_error[0] && rootfs_lacks_inodes(rootfs))
		memcpy(b.unpack_error, UNPACK_NO_INODE,
		       sizeof(UNPACK_NO_INODE));
	if (!b.unpack_error[0])
		return;
	event_begin(&b.event, EVENT_UNPACK, time_ns);
	memcpy(b.event.name, b.unpack_error, sizeof(b.unpack_error));
	rootfs_room(&b.event, rootfs);
	out->event(out, &b.event);
	if (rootfs_last_file(&b.event, rootfs))
		out->event(out, &b.event);
}
