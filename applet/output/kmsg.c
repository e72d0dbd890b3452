/* See kmsg.h. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include "limits.h"
#include "base/system.h"
#include "output/kmsg.h"
#include "output/put.h"

/* DEFAULT_RATELIMIT_BURST of linux/ratelimit_types.h. */
#define BURST_LINES 10u

/* KERN_INFO: in every log, and no alarm to anybody who watches one. */
#define FORMAT "<6>memstrack: %.*s\n"
#define LEVEL 6

static int open_again(const struct kmsg *k)
{
	return system_open(k->dev_fd, "kmsg",
			   O_WRONLY | O_APPEND | O_CLOEXEC);
}

void kmsg_open(struct kmsg *k)
{
	*k = (struct kmsg){ .burst = BURST_LINES };
	k->dev_fd = system_open_path("/dev", O_DIRECTORY);
	k->fd = open_again(k);
	if (k->fd < 0)
		k->fd = system_open_kmsg();
	k->devkmsg_fd = system_open_path("/proc/sys/kernel/printk_devkmsg",
					 O_RDWR);
	k->printk_fd = system_open_path("/proc/sys/kernel/printk", O_RDONLY);
}

/* Those that are not open close() refuses. */
void kmsg_close(const struct kmsg *k)
{
	close(k->fd);
	close(k->dev_fd);
	close(k->devkmsg_fd);
	close(k->printk_fd);
}

/* "on" and its newline, from the start: the kernel takes nothing else. */
void kmsg_begin(struct kmsg *k)
{
	k->before_bytes = pread(k->devkmsg_fd, k->before, sizeof(k->before), 0);
	k->unlimited = k->before_bytes > 0 &&
		       pwrite(k->devkmsg_fd, "on\n", 3, 0) == 3;
}

int kmsg_end(struct kmsg *k)
{
	int error = 0;

	if (k->unlimited &&
	    pwrite(k->devkmsg_fd, k->before, (size_t)k->before_bytes, 0) !=
	    k->before_bytes)
		error = errno;
	k->unlimited = 0;
	return error;
}

int kmsg_line(struct kmsg *k, const char *text, size_t len)
{
	/* What is written without a limit does not count. Opening takes some
	 * 8 KiB of memory, which may be all that is missing. */
	if (!k->unlimited && !k->burst) {
		int fd = open_again(k);

		if (fd < 0)
			return errno;
		close(k->fd);
		k->fd = fd;
		k->burst = BURST_LINES;
	}
	if (!k->unlimited)
		k->burst--;
	return put_line(k->fd, FORMAT, text, len, 0);
}

int kmsg_hidden(const struct kmsg *k)
{
	char text[2];
	ssize_t n = pread(k->printk_fd, text, sizeof(text), 0);

	return n < 2 || (text[0] <= '0' + LEVEL && text[1] <= ' ');
}
