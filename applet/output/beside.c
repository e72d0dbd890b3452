/* SPDX-License-Identifier: MIT */
/* See beside.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/print.h"
#include "base/system.h"
#include "output/beside.h"
#include "output/put.h"

struct beside {
	struct out out;			/* first: it is an out */
	int fd, error;			/* error: the first errno */
};

static void take_line(struct out *o, const char *text, size_t len)
{
	struct beside *b = (struct beside *)o;

	if (!b->error)
		b->error = put_line(b->fd, "%.*s\n", text, len, 0);
}

static void take_part(struct out *o, const char *text, size_t len)
{
	struct beside *b = (struct beside *)o;

	if (!b->error)
		b->error = put_line(b->fd, "%.*s", text, len, 0);
}

/* The file that becomes `name`. One that an earlier run left is replaced. */
static int open_new(int dir_fd, const char *new)
{
	if (unlinkat(dir_fd, new, 0) && errno != ENOENT)
		return -1;
	return system_open(dir_fd, new, O_WRONLY | O_CREAT | O_EXCL |
			   O_NOFOLLOW | O_CLOEXEC);
}

static void write_report(void *account, enum format f, struct out *o)
{
	report_write(account, f, o);
}

/* 0 or an errno. */
static int write_one(const struct file *main, const char *path,
		     account_write *write, void *account)
{
	const enum format f = format_of_file(path, strlen(path));
	struct beside b = { .out.line = take_line,
			    .out.part = take_part };
	char name[PATH_BYTES * 2], new[PATH_BYTES * 2];

	print_to(name, sizeof(name), "%s%s", main->root, path);
	print_to(new, sizeof(new), "%s.new", name);
	b.fd = open_new(main->dir_fd, new);
	if (b.fd < 0)
		return errno;
	if (format_is_public(f) && fchmod(b.fd, 0644))
		b.error = errno;
	write(account, f, &b.out);
	if (close(b.fd) && !b.error)
		b.error = errno;
	if (!b.error && renameat(main->dir_fd, new, main->dir_fd, name))
		b.error = errno;
	if (b.error)
		unlinkat(main->dir_fd, new, 0);
	return b.error;
}

int beside_write_as(const struct config *c, account_write *write,
		    void *account, struct sink *s)
{
	char text[LINE_BYTES];
	int error = 0, last = 0;

	for (size_t i = 0; i < BESIDE_FILES && c->beside[i][0]; i++) {
		error = write_one(&s->file, c->beside[i], write, account);
		if (!error)
			continue;
		print_to(text, sizeof(text), "cannot write %s: %s",
			 c->beside[i], error_text(error));
		sink_say(s, text);
		last = -error;
	}
	return last;
}

int beside_write(const struct config *c, struct report *r, struct sink *s)
{
	return beside_write_as(c, write_report, r, s);
}
