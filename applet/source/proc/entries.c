/* SPDX-License-Identifier: MIT */
/* The names in a directory: see proc.h. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/system.h"
#include "source/proc/proc.h"

/* getdents64 fills this; d_name ends within d_reclen. */
struct dirent_head {
	uint64_t ino, off;
	uint16_t reclen;
	uint8_t type;
	char name[];
};

int proc_each_entry(const char *path,
		    void (*take)(void *context, const char *name),
		    void *context)
{
	_Alignas(8) char buf[4096];
	int fd = system_open_path(path, O_DIRECTORY), error;
	long n;

	if (fd < 0)
		return -errno;
	while ((n = syscall(SYS_getdents64, fd, buf, sizeof(buf))) > 0) {
		for (long at = 0; at < n;) {
			const char *name = buf + at +
				offsetof(struct dirent_head, name);
			uint16_t reclen;

			memcpy(&reclen, buf + at +
			       offsetof(struct dirent_head, reclen),
			       sizeof(reclen));
			take(context, name);
			at += reclen;
		}
	}
	error = n < 0 ? -errno : 0;
	close(fd);
	return error;
}
