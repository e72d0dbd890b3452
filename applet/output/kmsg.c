/* SPDX-License-Identifier: MIT */
/* See output.h, kmsg. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include "base/system.h"
#include "base/base.h"
#include "output/output.h"

/* DEFAULT_RATELIMIT_INTERVAL, plus a little more than one tick of any
 * kernel. */
#define BURST_MS (5000 + 50)

/* KERN_INFO: every log keeps this level, and no log watcher raises an alarm. */
#define FORMAT "<6>%.*s"
#define LEVEL 6

/* CONSOLE_LOG_MAX, minus PREFIX_MAX of a kernel that prints the CPU or the task
 * before each line. */
#define CONSOLE_BYTES 1000
#define STAMP_BYTES 48

/* The /dev of an initramfs may lack kmsg. */
static int open_file(const struct kmsg *k)
{
	int fd = system_open(k->dev_fd, "kmsg",
			     O_WRONLY | O_APPEND | O_CLOEXEC);

	return fd < 0 && (errno == ENOENT || k->dev_fd < 0) ?
	       system_open_kmsg() : fd;
}

void kmsg_open(struct kmsg *k)
{
	*k = (struct kmsg){
		.dev_fd = system_open_path("/dev", O_DIRECTORY),
		.printk_fd = system_open_path("/proc/sys/kernel/printk",
					      O_RDONLY),
		.restrict_fd = system_open_path(
			"/proc/sys/kernel/dmesg_restrict", O_RDONLY),
	};
	for (unsigned int i = 0; i < KMSG_FILES; i++) {
		k->file[i].fd = open_file(k);
		if (k->file[i].fd < 0)	/* after any error */
			k->file[i].fd = system_open_kmsg();
	}
}

/* close() refuses descriptors that are not open. */
void kmsg_close(const struct kmsg *k)
{
	for (unsigned int i = 0; i < KMSG_FILES; i++)
		close(k->file[i].fd);
	close(k->dev_fd);
	close(k->printk_fd);
	close(k->restrict_fd);
}

/* 0 or an errno; after an error the old file stays open. */
static int open_again(const struct kmsg *k, struct kmsg_file *f)
{
	const int fd = open_file(k);

	if (fd < 0)
		return errno;
	close(f->fd);
	*f = (struct kmsg_file){ .fd = fd, .left = KMSG_BURST };
	return 0;
}

/* Five seconds after its last record, a file has room for ten records again. */
static int has_room(struct kmsg_file *f)
{
	if (!deadline_left_ms(f->again_ms))
		f->left = KMSG_BURST;
	return f->left && f->fd >= 0;
}

static int send_to(struct kmsg_file *f, const struct kmsg *k)
{
	int error = put_line(f->fd, FORMAT, k->record, k->used, 0);

	f->left--;
	f->again_ms = deadline_after(BURST_MS);
	return error;
}

int kmsg_send(struct kmsg *k)
{
	struct kmsg_file *f = k->file;
	int error = 0;

	if (!k->used)
		return 0;
	while (f < k->file + KMSG_FILES && !has_room(f))
		f++;
	if (f == k->file + KMSG_FILES) {
		f = k->file;
		error = open_again(k, f);
	}
	if (!error)
		error = send_to(f, k);
	k->used = k->shown = 0;
	return error;
}

int kmsg_add(struct kmsg *k, const char *text, size_t len)
{
	const size_t shown = sizeof(KMSG_PREFIX) + len + STAMP_BYTES;

	if (k->used && k->shown + shown > CONSOLE_BYTES)
		return -ENOBUFS;
	k->used += print_to(k->record + k->used, sizeof(k->record) - k->used,
			    KMSG_PREFIX "%.*s\n", (int)len, text);
	k->shown += shown;
	return 0;
}

void kmsg_renew(struct kmsg *k)
{
	for (struct kmsg_file *f = k->file; f < k->file + KMSG_FILES; f++)
		if (!has_room(f) || f->left < KMSG_BURST)
			open_again(k, f);
}

int kmsg_hidden(const struct kmsg *k)
{
	char text[2];
	ssize_t n = pread(k->printk_fd, text, sizeof(text), 0);

	return n < 2 || (text[0] <= '0' + LEVEL && text[1] <= ' ');
}

int kmsg_is_roots(const struct kmsg *k)
{
	char digit;

	return pread(k->restrict_fd, &digit, 1, 0) == 1 && digit != '0';
}
