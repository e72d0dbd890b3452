/* See sink.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "../deadline.h"
#include "../print.h"
#include "../system.h"
#include "line.h"
#include "put.h"
#include "sink.h"

/* Of one report. A serial line at 9600 carries 14 KiB in it. */
#define CONSOLE_TIMEOUT_MS 15000

static void failed(struct sink *s, int error)
{
	if (error && !s->first_error)
		s->first_error = error;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int is_stdout(const struct sink *s)
{
	return s->file_fd == STDOUT_FILENO;
}

/* Nonblocking, so that a pipe without a reader is an error, not a wait. */
static int open_file(struct sink *s)
{
	struct stat st;
	int fd, error = 0;

	if (!strcmp(s->file_path, "-")) {
		s->file_fd = STDOUT_FILENO;
		return 0;
	}
	fd = system_open(s->proc_fd >= 0 ? s->proc_fd : AT_FDCWD, s->file_path,
			 O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW |
			 O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	if (system_stat(fd, "", &st))
		error = errno;
	else if (S_ISREG(st.st_mode) && !s->file_reports)
		error = ftruncate(fd, 0) ? errno : 0;
	else if (!S_ISREG(st.st_mode) && !S_ISCHR(st.st_mode) &&
		 !S_ISFIFO(st.st_mode))
		error = EINVAL;
	if (error) {
		close(fd);
		return error;
	}
	s->file_reports++;
	s->file_fd = fd;
	return 0;
}

static void close_file(struct sink *s)
{
	if (s->file_fd >= 0 && !is_stdout(s) && close(s->file_fd))
		failed(s, errno);
	s->file_fd = -1;
	s->to_file = 0;
}

static int console_line(struct sink *s, const char *text, size_t len)
{
	return put_line(s->console_fd, "", text, len, "\r\n", s->deadline_ms);
}

/* To the log, and where people would not see it there, to the console. */
static void begin_log(struct sink *s, enum out_kind kind)
{
	s->to_kmsg = s->kmsg.fd >= 0;
	if (s->to_kmsg)
		kmsg_begin(&s->kmsg);
	s->to_console = s->console_fd >= 0 &&
			(!s->to_kmsg ||
			 (kind != OUT_KMSG && kmsg_hidden(&s->kmsg)));
}

static void file_failed(struct sink *s, int error)
{
	struct line l;

	failed(s, error);
	if (is_stdout(s)) {
		s->to_file = 0;
		return;
	}
	close_file(s);
	line_start(&l);
	line_str(&l, "the report goes to the kernel log: cannot write ");
	line_str(&l, error_text(error));
	line_str(&l, ": ");
	line_name(&l, s->file_path, sizeof(s->file_path), 600, ESCAPE_TEXT);
	line_char(&l, '\0');
	sink_say(s, l.text);
	begin_log(s, OUT_AUTO);
}

static void sink_line(struct out *o, const char *text, size_t len)
{
	struct sink *s = (struct sink *)o;
	int error = s->to_file ? put_line(s->file_fd, "", text, len, "\n", 0) :
				 0;

	if (error)
		file_failed(s, error);
	error = s->to_kmsg ? kmsg_line(&s->kmsg, text, len) : 0;
	if (error) {
		failed(s, error);
		s->to_console = s->console_fd >= 0;
	}
	if (!s->to_console)
		return;
	error = console_line(s, text, len);
	if (!error)
		return;
	s->to_console = 0;
	if (!s->to_kmsg)
		failed(s, error);
}

int sink_begin(struct sink *s, const struct config *c, enum sink_target t)
{
	enum out_kind kind = c->out;
	int error;

	if (t == SINK_CONSOLE)
		kind = OUT_CONSOLE;
	else if (t == SINK_FILE && s->file_path[0])
		kind = OUT_FILE;
	s->first_error = 0;
	s->console_stuck = 0;
	s->deadline_ms = deadline_after(CONSOLE_TIMEOUT_MS);
	if (kind == OUT_FILE) {
		error = open_file(s);
		s->to_file = !error;
		if (error)
			file_failed(s, error);
	} else if (kind == OUT_CONSOLE && s->console_fd >= 0) {
		s->to_console = 1;
	} else {
		begin_log(s, kind);
	}
	if (s->to_file || s->to_kmsg || s->to_console)
		return 0;
	return s->first_error ? -s->first_error : -ENODEV;
}

int sink_end(struct sink *s)
{
	/* What a tty still holds is lost to a reboot that comes next. */
	if (s->to_console)
		put_drain(s->console_fd);
	s->to_console = 0;
	if (s->to_kmsg)
		failed(s, kmsg_end(&s->kmsg));
	s->to_kmsg = 0;
	close_file(s);
	return -s->first_error;
}

void sink_say(struct sink *s, const char *text)
{
	int wanted = s->kind == OUT_CONSOLE, error = ENODEV;
	struct line l;

	line_start(&l);
	line_name(&l, text, LINE_BYTES, LINE_BYTES, ESCAPE_TEXT);
	if (s->say_stderr) {
		put_line(STDERR_FILENO, "memstrack: ", l.text, l.len, "\n", 0);
		return;
	}
	if (s->kmsg.fd >= 0)
		error = kmsg_line(&s->kmsg, l.text, l.len);
	if (error || (s->kind == OUT_AUTO && kmsg_hidden(&s->kmsg)))
		wanted = 1;
	if (wanted && s->console_fd >= 0 && !s->console_stuck)
		s->console_stuck = put_line(s->console_fd, "memstrack: ",
					    l.text, l.len, "\r\n", 0) != 0;
}

/* Below /proc, a path is kept relative to it: see sink.h. */
static void set_path(struct sink *s, const char *root, const char *path)
{
	static const char proc[] = "/proc/";
	size_t n, skip = sizeof(proc) - 1;

	if (!path[0])
		return;
	if (!strncmp(root, proc, skip)) {
		s->proc_fd = system_open(AT_FDCWD, proc, O_RDONLY |
					 O_DIRECTORY | O_CLOEXEC);
		root += s->proc_fd >= 0 ? skip : 0;
	}
	n = strnlen(root, PATH_BYTES - 2);
	memcpy(s->file_path, root, n);
	if (n && path[0] != '/')
		s->file_path[n++] = '/';
	memcpy(s->file_path + n, path, strnlen(path, PATH_BYTES - 1));
}

int sink_open(struct sink *s, const struct config *c, const char *root)
{
	*s = (struct sink){
		.out.line = sink_line, .file_fd = -1, .proc_fd = -1,
		.kind = c->out,
		.say_stderr = c->out == OUT_FILE && !root[0],
	};
	kmsg_open(&s->kmsg);
	s->console_fd = system_open(s->kmsg.dev_fd, "console", O_WRONLY |
				    O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	set_path(s, root, c->out_path);
	if (s->kmsg.fd < 0 && s->console_fd < 0 && !s->file_path[0])
		return -ENODEV;
	return 0;
}

void sink_close(struct sink *s)
{
	close_file(s);
	kmsg_close(&s->kmsg);
	close_fd(&s->console_fd);
	close_fd(&s->proc_fd);
}
