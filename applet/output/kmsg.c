/* See kmsg.h. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/system.h"
#include "output/kmsg.h"
#include "output/put.h"

/* DEFAULT_RATELIMIT_INTERVAL, and a little more than a tick of any kernel. */
#define BURST_MS (5000 + 50)

/* KERN_INFO: in every log, and no alarm to anybody who watches one. */
#define FORMAT "<6>memstrack: %.*s\n"
#define LEVEL 6

/* An initramfs may have a /dev that lacks it. */
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
	};
	for (unsigned int i = 0; i < KMSG_FILES; i++) {
		k->file[i].fd = open_file(k);
		if (k->file[i].fd < 0)	/* once more, whatever it was */
			k->file[i].fd = system_open_kmsg();
	}
}

/* Those that are not open close() refuses. */
void kmsg_close(const struct kmsg *k)
{
	for (unsigned int i = 0; i < KMSG_FILES; i++)
		close(k->file[i].fd);
	close(k->dev_fd);
	close(k->printk_fd);
}

/* One that takes a line. The old file stays where no other can be opened: five
 * seconds after its last line it takes ten again. */
static struct kmsg_file *file_with_room(struct kmsg *k)
{
	const unsigned int files = k->use_spares ? KMSG_FILES : 1;
	struct kmsg_file *f = k->file;
	int fd;

	for (; f < k->file + files; f++) {
		if (!deadline_left_ms(f->again_ms))
			f->left = KMSG_BURST_LINES;
		if (f->left && f->fd >= 0)
			return f;
	}
	fd = open_file(k);
	if (fd < 0)
		return NULL;
	close(k->file[0].fd);
	k->file[0] = (struct kmsg_file){ .fd = fd, .left = KMSG_BURST_LINES };
	return k->file;
}

int kmsg_line(struct kmsg *k, const char *text, size_t len)
{
	struct kmsg_file *f = file_with_room(k);
	int error;

	if (!f)
		return errno;
	error = put_line(f->fd, FORMAT, text, len, 0);
	f->left--;
	f->again_ms = deadline_after(BURST_MS);
	return error;
}

int kmsg_hidden(const struct kmsg *k)
{
	char text[2];
	ssize_t n = pread(k->printk_fd, text, sizeof(text), 0);

	return n < 2 || (text[0] <= '0' + LEVEL && text[1] <= ' ');
}
