/* SPDX-License-Identifier: MIT */
/* See output.h, beside. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "base/base.h"
#include "output/output.h"

struct beside {
	struct out out;			/* first: it is an out */
	int fd, error;			/* error: the first errno */
};

static void write_beside(struct out *o, const char *text, size_t len)
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

static void write_report(void *account, enum format f, struct out *o)
{
	report_write(account, f, o);
}

/* 0 or an errno. */
static int write_one(const struct file *main, const char *path,
		     account_write *write, void *account)
{
	const enum format f = format_of_file(path, strlen(path));
	struct beside b = { .out.line = write_beside,
			    .out.part = take_part };
	const char *name;
	const int dir = file_dir(main, path, &name);

	if (dir < 0 && dir != AT_FDCWD)
		return -dir;
	b.fd = file_new(dir, name, f);
	if (b.fd >= 0) {
		write(account, f, &b.out);
		b.error = file_named(dir, name, b.fd, b.error);
	}
	close(dir);
	return b.fd < 0 ? -b.fd : b.error;
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
