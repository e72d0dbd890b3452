/* SPDX-License-Identifier: MIT */
/* See output.h, sink. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/base.h"
#include "base/system.h"
#include "output/output.h"
#include "report/report.h"

/* For one report. A serial line at 9600 carries 57 KiB in this time. */
#define CONSOLE_TIMEOUT_MS 60000

/* A value of to_file: the report goes to a client. We wait no longer for a
 * client than for a console. */
#define TO_CLIENT 2

static void failed(struct sink *s, int error)
{
	if (error && !s->first_error)
		s->first_error = error;
}

static void console_line(struct sink *s, const char *text, size_t len)
{
	const int error = put_line(s->console_fd, "%.*s\r\n", text, len,
				   s->deadline_ms);

	s->to_console = !error;
	if (!s->to_kmsg)
		failed(s, error);
}

static void close_file(struct sink *s)
{
	failed(s, file_close(&s->file, s->first_error));
	s->to_file = 0;
	s->out.part = NULL;
}

/* The report goes to the log, and to the console too if the console would not
 * show the log. */
static void begin_log(struct sink *s, enum out_kind kind)
{
	s->to_kmsg = kmsg_is_open(&s->kmsg);
	s->to_console = s->console_fd >= 0 &&
			(!s->to_kmsg ||
			 (kind != OUT_KMSG && kmsg_hidden(&s->kmsg)));
}

/* The console gets the record that the log refused, unless the console gets
 * every line anyway. */
static void log_failed(struct sink *s, const char *at, size_t len, int error)
{
	const size_t prefix = sizeof(KMSG_PREFIX) - 1;

	failed(s, error);
	if (s->to_console || s->console_fd < 0)
		return;
	s->to_console = 1;
	while (len && s->to_console) {
		const size_t line = (size_t)((const char *)memchr(at, '\n', len)
					     - at);

		console_line(s, at + prefix, line - prefix);
		at += line + 1;
		len -= line + 1;
	}
}

void sink_send(struct sink *s)
{
	const size_t len = s->kmsg.used;
	const int error = kmsg_send(&s->kmsg);

	if (error)
		log_failed(s, s->kmsg.record, len, error);
}

static void log_line(struct sink *s, const char *text, size_t len)
{
	if (kmsg_add(&s->kmsg, text, len)) {
		sink_send(s);
		kmsg_add(&s->kmsg, text, len);
	}
	if (!s->kmsg.sparing)
		sink_send(s);
}

static void file_failed(struct sink *s, int error)
{
	failed(s, error);
	if (file_is_stdout(&s->file) || s->to_file == TO_CLIENT) {
		s->to_file = 0;
		s->out.part = NULL;
		return;
	}
	close_file(s);
	sink_say(s, "%scannot write %s: %s", s->only_file ?
		 "" : "the report goes to the kernel log: ",
		 s->file.path, error_text(error));
	if (s->only_file)
		return;
	begin_log(s, OUT_AUTO);
	s->out.lines_max = s->lines + LOG_LINES_MAX;
}

static void file_text(struct sink *s, const char *format, const char *text,
		      size_t len)
{
	int error = put_line(s->file.fd, format, text, len,
			     s->to_file == TO_CLIENT ? s->deadline_ms : 0);

	if (error)
		file_failed(s, error);
}

/* Only a file takes parts of lines. */
static void sink_part(struct out *o, const char *text, size_t len)
{
	file_text((struct sink *)o, "%.*s", text, len);
}

static void sink_line(struct out *o, const char *text, size_t len)
{
	struct sink *s = (struct sink *)o;
	int shown;

	if (s->to_file)
		file_text(s, "%.*s\n", text, len);
	s->lines++;
	shown = s->to_console;
	if (s->to_kmsg)
		log_line(s, text, len);
	if (shown)
		console_line(s, text, len);
}

int sink_replaces(const struct config *c, const char *path)
{
	int replaces = c->out == OUT_FILE && file_replaces(c->out_path, path);

	for (size_t i = 0; i < BESIDE_FILES; i++)
		replaces |= file_replaces(c->beside[i], path);
	return replaces && complain(path, "the report would replace it");
}

int sink_begin(struct sink *s, const struct config *c, enum sink_target t)
{
	enum out_kind kind = c->out;
	int error = 0;

	if (t == SINK_CONSOLE)
		kind = OUT_CONSOLE;
	if (t == SINK_FILE && s->file.path[0])
		kind = OUT_FILE;
	if ((t == SINK_LOG || t == SINK_OOM) && kind == OUT_FILE)
		kind = OUT_AUTO;
	s->kmsg.sparing = t == SINK_OOM;
	if (t == SINK_CLIENT) {
		s->to_file = TO_CLIENT;
	} else if (kind == OUT_FILE) {
		s->only_file = format_is_for_files(c->format);
		error = file_open(&s->file, c->format);
		s->to_file = !error;
	} else if (kind == OUT_CONSOLE && s->console_fd >= 0) {
		s->to_console = 1;
	} else {
		begin_log(s, kind);
	}
	s->lines = 0;
	s->out.lines_max = s->to_file ? 0 : LOG_LINES_MAX;
	s->out.part = s->to_file ? sink_part : NULL;
	if (error)
		file_failed(s, error);
	s->deadline_ms = deadline_after(CONSOLE_TIMEOUT_MS);
	if (s->to_file || s->to_kmsg || s->to_console)
		return 0;
	failed(s, ENODEV);
	return sink_end(s);
}

int sink_end(struct sink *s)
{
	int error;

	sink_send(s);
	if (s->to_kmsg && !s->kmsg.sparing)
		kmsg_renew(&s->kmsg);
	/* A reboot that comes next would lose what a tty still holds. */
	if (s->to_console)
		put_drain(s->console_fd);
	s->to_console = 0;
	s->to_kmsg = 0;
	s->only_file = 0;
	s->kmsg.sparing = 0;
	close_file(s);
	error = s->first_error;
	s->first_error = 0;
	s->console_stuck = 0;
	return -error;
}

int sink_write(struct sink *s, const struct config *c, account_write *write,
	       void *account)
{
	int error;

	sink_open(s, c, "");
	error = sink_begin(s, c, SINK_CONFIGURED);
	if (error)
		return error;
	write(account, c->format, &s->out);
	return sink_end(s);
}

static void write_report(void *account, enum format f, struct out *o)
{
	report_write(account, f, o);
}

int sink_report(struct sink *s, const struct config *c, struct report *r)
{
	return sink_write(s, c, write_report, r);
}

/* A file may be passed on, and anybody may look at a console. */
int sink_is_roots(const struct sink *s)
{
	return s->to_kmsg && !s->to_console && kmsg_is_roots(&s->kmsg);
}

void sink_say(struct sink *s, const char *format, ...)
{
	int wanted = s->kind == OUT_CONSOLE, error = ENODEV;
	char text[LINE_BYTES], safe[LINE_BYTES];
	struct line l = { .text = safe };
	va_list args;

	va_start(args, format);
	vprint_to(text, sizeof(text), format, &args);
	va_end(args);
	line_name(&l, text);
	if (s->say_stderr) {
		put_line(STDERR_FILENO, "memstrack: %.*s\n", l.text, l.len, 0);
		if (!s->first_error)
			return;
	}
	if (kmsg_is_open(&s->kmsg)) {
		kmsg_add(&s->kmsg, l.text, l.len);
		error = kmsg_send(&s->kmsg);
	}
	if (error || (s->kind == OUT_AUTO && kmsg_hidden(&s->kmsg)))
		wanted = 1;
	if (wanted && s->console_fd >= 0 && !s->console_stuck)
		s->console_stuck = put_line(s->console_fd,
					    "memstrack: %.*s\r\n", l.text,
					    l.len, 0) != 0;
}

void sink_open(struct sink *s, const struct config *c, const char *root)
{
	*s = (struct sink){
		.out.line = sink_line, .kind = c->out,
		.say_stderr = c->out == OUT_FILE && !root[0],
	};
	kmsg_open(&s->kmsg);
	s->console_fd = system_open(s->kmsg.dev_fd, "console", O_WRONLY |
				    O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	file_init(&s->file, root, c->out_path);
}

void sink_close(struct sink *s)
{
	close_file(s);
	kmsg_close(&s->kmsg);
	close(s->console_fd);
	close(s->file.proc_fd);
}

/* --- beside */

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
	int error = 0, last = 0;

	for (size_t i = 0; i < BESIDE_FILES && c->beside[i][0]; i++) {
		error = write_one(&s->file, c->beside[i], write, account);
		if (!error)
			continue;
		sink_say(s, "cannot write %s: %s", c->beside[i],
			 error_text(error));
		last = -error;
	}
	return last;
}

int beside_write(const struct config *c, struct report *r, struct sink *s)
{
	return beside_write_as(c, write_report, r, s);
}
