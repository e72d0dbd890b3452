/* SPDX-License-Identifier: MIT */
/* See proc.h, kernel log. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include "base/system.h"
#include "source/proc/proc.h"

/* The kernel's own facility is 0, so a priority is less than this. */
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

void log_each(int fd, uint32_t most,
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
