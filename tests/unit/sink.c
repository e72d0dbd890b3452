/* SPDX-License-Identifier: MIT */
/*
 * output/sink.c: who gets a report's lines, and who instead when that fails.
 *
 * Pipes, sockets and files stand for kmsg, console and the files of /proc: a
 * record of kmsg is one write, as a datagram is.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/print.h"
#include "output/sink.h"
#include "tap.h"

#define LINES 35

struct bench {
	char folder[64], path[128];
	struct config config;
	struct sink sink;
	int kmsg, console;	/* the ends that read */
	char text[32768];
};

static int file_with(const char *folder, const char *name, const char *text)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		abort();
	return fd;
}

static void replace(int *fd, int other)
{
	if (*fd >= 0)
		close(*fd);
	*fd = other;
}

/* A sink whose every descriptor leads to us. */
static void setup(struct bench *b, enum out_kind out, const char *printk)
{
	int kmsg[2], console[2];

	memset(b, 0, sizeof(*b));
	strcpy(b->folder, "/tmp/memstrack-sink-XXXXXX");
	if (!mkdtemp(b->folder) ||
	    socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, kmsg) ||
	    pipe2(console, O_NONBLOCK))
		abort();
	snprintf(b->path, sizeof(b->path), "%s/report", b->folder);
	b->config.out = out;
	if (out == OUT_FILE)
		strcpy(b->config.out_path, b->path);
	sink_open(&b->sink, &b->config, "");
	b->kmsg = kmsg[1];
	b->console = console[0];
	for (size_t i = 0; i < KMSG_FILES; i++)
		replace(&b->sink.kmsg.file[i].fd, dup(kmsg[0]));
	close(kmsg[0]);
	replace(&b->sink.console_fd, console[1]);
	replace(&b->sink.kmsg.printk_fd,
		file_with(b->folder, "printk", printk));
	replace(&b->sink.kmsg.restrict_fd,
		file_with(b->folder, "restrict", "1\n"));
	replace(&b->sink.kmsg.dev_fd, open(b->folder, O_RDONLY));
	b->sink.say_stderr = 0;
}

static void teardown(struct bench *b)
{
	static const char *const names[] = {
		"report", "printk", "restrict", "kmsg", "other",
	};
	char path[128];

	sink_close(&b->sink);
	close(b->kmsg);
	close(b->console);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", b->folder, names[i]);
		if (unlink(path))
			rmdir(path);
	}
	rmdir(b->folder);
}

/* All there is to read, records one after another; how many reads. */
static int drain(struct bench *b, int fd)
{
	size_t used = 0;
	int reads = 0;
	ssize_t n;

	while ((n = read(fd, b->text + used, sizeof(b->text) - used - 1)) > 0) {
		used += (size_t)n;
		reads++;
	}
	b->text[used] = '\0';
	return reads;
}

static void drain_file(struct bench *b, const char *path)
{
	int fd = open(path, O_RDONLY);

	b->text[0] = '\0';
	if (fd >= 0)
		drain(b, fd);
	close(fd);
}

static int count(const char *text, const char *part)
{
	int n = 0;

	for (text = strstr(text, part); text; text = strstr(text + 1, part))
		n++;
	return n;
}

static int report_lines(struct bench *b, enum sink_target t, int lines)
{
	int error = sink_begin(&b->sink, &b->config, t);
	char line[32];

	for (int i = 0; i < lines && !error; i++) {
		int n = snprintf(line, sizeof(line), "line %d", i);

		b->sink.out.line(&b->sink.out, line, (size_t)n);
	}
	return error ? error : sink_end(&b->sink);
}

static void test_kmsg(void)
{
	struct bench b;

	setup(&b, OUT_KMSG, "4\t4\t1\t7\n");
	tap_ok(!report_lines(&b, SINK_CONFIGURED, 3), "the report is written");
	tap_ok(drain(&b, b.kmsg) == 3 &&
	       !strcmp(b.text, "<6>memstrack: line 0\n<6>memstrack: line 1\n"
		       "<6>memstrack: line 2\n"), "one record a line");
	tap_ok(b.sink.out.lines_max == LOG_LINES_MAX, "so many at most");
	tap_ok(!drain(&b, b.console), "nothing on the console, quiet or not");
	teardown(&b);
}

static void test_auto(void)
{
	static const struct {
		const char *printk;
		int shown;
	} cases[] = {
		{ "4\t4\t1\t7\n", 0 }, { "6\t4\t1\t7\n", 0 },
		{ "7\t4\t1\t7\n", 1 }, { "15\t4\t1\t7\n", 1 }, { "", 0 },
	};
	struct bench b;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		setup(&b, OUT_AUTO, cases[i].printk);
		tap_ok(!report_lines(&b, SINK_CONFIGURED, 2) &&
		       drain(&b, b.kmsg) == 2, "auto writes to kmsg");
		drain(&b, b.console);
		tap_ok(!strcmp(b.text, cases[i].shown ? "" :
			       "line 0\r\nline 1\r\n"), "%s the console at %s",
		       cases[i].shown ? "not to" : "and to", cases[i].printk);
		teardown(&b);
	}
	setup(&b, OUT_AUTO, "7");
	replace(&b.sink.kmsg.file[0].fd, -1);
	tap_ok(!report_lines(&b, SINK_CONFIGURED, 2) &&
	       drain(&b, b.console) &&
	       !strcmp(b.text, "line 0\r\nline 1\r\n"),
	       "without kmsg, to the console");
	replace(&b.sink.console_fd, -1);
	tap_ok(report_lines(&b, SINK_CONFIGURED, 2) == -ENODEV,
	       "with neither, an error");
	teardown(&b);
}

static int open_files(void)
{
	int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* Nothing can be opened in its place: what is there is a folder. */
static void no_other_kmsg(const struct bench *b)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/kmsg", b->folder);
	unlink(path);
	if (mkdir(path, 0700))
		abort();
}

/* Each open file takes ten records. */
static void test_limit(void)
{
	const int open_ones = KMSG_FILES * 10;
	char other[128];
	struct bench b;
	int before;

	setup(&b, OUT_KMSG, "7");
	snprintf(other, sizeof(other), "%s/kmsg", b.folder);
	close(file_with(b.folder, "kmsg", ""));
	before = open_files();
	tap_ok(!report_lines(&b, SINK_CONFIGURED, open_ones + 25), "written");
	tap_ok(open_files() == before, "no more of them open than before");
	tap_ok(drain(&b, b.kmsg) == open_ones, "ten lines to each open file");
	drain_file(&b, other);
	tap_ok(count(b.text, "line") == 25, "the rest to those opened later");
	for (size_t i = 0; i < KMSG_FILES; i++)
		tap_ok(b.sink.kmsg.file[i].left == 10,
		       "which are opened anew at the end");
	teardown(&b);

	setup(&b, OUT_KMSG, "7");
	no_other_kmsg(&b);
	tap_ok(!report_lines(&b, SINK_CONFIGURED, open_ones) &&
	       drain(&b, b.kmsg) == open_ones, "none can be opened again");
	tap_ok(report_lines(&b, SINK_CONFIGURED, 2) == -EISDIR,
	       "when all have taken ten, that is an error");
	tap_ok(!drain(&b, b.kmsg) && drain(&b, b.console) &&
	       !strcmp(b.text, "line 0\r\nline 1\r\n"),
	       "and the console gets what kmsg did not");
	tap_ok(deadline_left_ms(b.sink.kmsg.file[0].again_ms) > 3000,
	       "five seconds are counted from the last line of each");
	b.sink.kmsg.file[0].again_ms = deadline_after(0);
	tap_ok(!report_lines(&b, SINK_CONFIGURED, 10) && !drain(&b, b.console),
	       "after them it takes ten again");
	teardown(&b);
}

/* Memory is short: as few records as can be, and nothing is opened. */
static void test_short(void)
{
	char longest[LINE_BYTES - 1];
	struct bench b;
	char *at, *end;
	int records;

	memset(longest, 'x', sizeof(longest));
	setup(&b, OUT_FILE, "7\t4\t1\t7\n");
	no_other_kmsg(&b);
	tap_ok(!report_lines(&b, SINK_OOM, OOM_LINES_MAX), "a short report");
	records = drain(&b, b.kmsg);
	tap_ok(records <= 4 && count(b.text, "<6>memstrack: ") == records,
	       "is a few records: %d", records);
	tap_ok(count(b.text, "memstrack: line ") == OOM_LINES_MAX,
	       "with the name before every line");
	for (at = b.text; (end = strstr(at + 1, "<6>")); at = end)
		tap_ok(end - at + 48 * count(at, "\n") - 48 * count(end, "\n")
		       < 1024, "none more than a console shows");
	tap_ok(b.sink.kmsg.file[0].left == KMSG_BURST - (unsigned int)records,
	       "the file is not opened anew");

	sink_begin(&b.sink, &b.config, SINK_OOM);
	b.sink.out.line(&b.sink.out, "first", 5);
	tap_ok(!drain(&b, b.kmsg), "a line waits for others");
	sink_send(&b.sink);
	tap_ok(drain(&b, b.kmsg) == 1 &&
	       !strcmp(b.text, "<6>memstrack: first\n"), "or until it is sent");
	b.sink.out.line(&b.sink.out, "second", 6);
	b.sink.out.line(&b.sink.out, longest, sizeof(longest));
	tap_ok(drain(&b, b.kmsg) == 1 &&
	       !strcmp(b.text, "<6>memstrack: second\n"),
	       "or until another does not find room");
	tap_ok(!sink_end(&b.sink) &&
	       read(b.kmsg, b.text, sizeof(b.text)) == sizeof(longest) + 15,
	       "the longest line is whole");
	sink_say(&b.sink, "said");
	tap_ok(drain(&b, b.kmsg) == 1, "what is said afterwards does not wait");
	for (size_t i = 0; i < KMSG_FILES; i++) {
		b.sink.kmsg.file[i].left = 0;
		b.sink.kmsg.file[i].again_ms = deadline_after(5000);
	}
	tap_ok(report_lines(&b, SINK_OOM, 2) == -EISDIR &&
	       drain(&b, b.console) &&
	       !strcmp(b.text, "line 0\r\nline 1\r\n"),
	       "lines that waited in vain are on the console");
	teardown(&b);
}

static void test_file(void)
{
	struct bench b;
	struct stat st;

	setup(&b, OUT_FILE, "7");
	close(file_with(b.folder, "report", "of an earlier run\n"));
	tap_ok(!report_lines(&b, SINK_CONFIGURED, 2), "written");
	tap_ok(!b.sink.out.lines_max, "as long as it is");
	tap_ok(!report_lines(&b, SINK_FILE, 1), "written again");
	drain_file(&b, b.path);
	tap_ok(!strcmp(b.text, "line 0\nline 1\nline 0\n"),
	       "the first report makes the file anew, the second is added");
	tap_ok(!drain(&b, b.kmsg) && !drain(&b, b.console), "nowhere else");
	tap_ok(!report_lines(&b, SINK_CONSOLE, 1) && drain(&b, b.console) == 1,
	       "a report for the console goes there");
	unlink(b.path);
	tap_ok(!report_lines(&b, SINK_CONFIGURED, 1) && !stat(b.path, &st) &&
	       (st.st_mode & 0777) == 0600, "a new file is for its owner only");
	teardown(&b);
}

#ifndef WITHOUT_SVG
/* A picture is whole: the file is replaced, or stays as it was, and the log gets
 * no part of one. */
static void test_picture(void)
{
	char new[160];
	struct bench b;
	struct stat st;
	int full;

	setup(&b, OUT_FILE, "7");
	b.config.format = FORMAT_SVG;
	snprintf(new, sizeof(new), "%s.new", b.path);
	close(file_with(b.folder, "report", "of an earlier run\n"));
	sink_begin(&b.sink, &b.config, SINK_CONFIGURED);
	b.sink.out.line(&b.sink.out, "<svg>", 5);
	drain_file(&b, b.path);
	tap_ok(!strcmp(b.text, "of an earlier run\n"), "until it is whole");
	tap_ok(!sink_end(&b.sink) && !report_lines(&b, SINK_CONFIGURED, 2),
	       "two pictures");
	drain_file(&b, b.path);
	tap_ok(!strcmp(b.text, "line 0\nline 1\n"), "the file has the last");
	tap_ok(stat(new, &st), "and no other name is left");
	full = open("/dev/full", O_WRONLY);
	sink_begin(&b.sink, &b.config, SINK_CONFIGURED);
	if (full < 0 || dup2(full, b.sink.file.fd) < 0)
		abort();
	close(full);
	b.sink.out.line(&b.sink.out, "<svg>", 5);
	b.sink.out.line(&b.sink.out, "</svg>", 6);
	tap_ok(sink_end(&b.sink) == -ENOSPC && stat(new, &st),
	       "where it finds no room");
	drain_file(&b, b.path);
	tap_ok(!strcmp(b.text, "line 0\nline 1\n"), "the old one stays");
	tap_ok(drain(&b, b.kmsg) == 1 && strstr(b.text, "cannot write /") &&
	       !strstr(b.text, "kernel log") && !strstr(b.text, "svg>"),
	       "and the log has why: %s", b.text);
	b.config.format = FORMAT_TEXT;
	tap_ok(!report_lines(&b, SINK_LOG, 1) && drain(&b, b.kmsg) == 1,
	       "a report of text goes there");
	teardown(&b);
}
#endif

/* What has the name is not what we would have made. */
static void test_taken(void)
{
	char other[128];
	struct bench b;
	struct stat st;
	int reader;

	setup(&b, OUT_FILE, "7");
	snprintf(other, sizeof(other), "%s/other", b.folder);
	reader = file_with(b.folder, "report", "public\n");
	if (chmod(b.path, 0644))
		abort();
	tap_ok(!report_lines(&b, SINK_CONFIGURED, 1) && !stat(b.path, &st) &&
	       (st.st_mode & 07777) == 0600, "a file that all may read");
	drain_file(&b, b.path);
	tap_ok(!strcmp(b.text, "line 0\n"), "is another then");
	lseek(reader, 0, SEEK_SET);
	drain(&b, reader);
	tap_ok(!strcmp(b.text, "public\n"), "which who had it open has not");
	close(reader);
	if (link(b.path, other))
		abort();
	tap_ok(!report_lines(&b, SINK_CONFIGURED, 2), "a second report");
	drain_file(&b, other);
	tap_ok(!strcmp(b.text, "line 0\n"),
	       "is not added to what has a second name by now");
	drain_file(&b, b.path);
	tap_ok(!strcmp(b.text, "line 0\nline 1\n"), "but begins another");
	teardown(&b);

	setup(&b, OUT_FILE, "7");
	snprintf(other, sizeof(other), "%s/other", b.folder);
	close(file_with(b.folder, "other", "precious\n"));
	if (link(other, b.path))
		abort();
	tap_ok(!report_lines(&b, SINK_CONFIGURED, 1), "a file with two names");
	drain_file(&b, b.path);
	tap_ok(!strcmp(b.text, "line 0\n"), "gets the report by the one");
	drain_file(&b, other);
	tap_ok(!strcmp(b.text, "precious\n"), "and by the other keeps all");
	teardown(&b);
}

static void refused(struct bench *b, int error, const char *what)
{
	tap_ok(report_lines(b, SINK_CONFIGURED, 3) == -error, "refused: %s",
	       what);
	drain(b, b->kmsg);
	tap_ok(count(b->text, "<6>memstrack: line") == 3 &&
	       count(b->text, error_text(error)) == 1,
	       "the report is in the kernel log, with the reason");
	tap_ok(b->sink.out.lines_max == LOG_LINES_MAX, "its bound holds");
	teardown(b);
}

static void test_refused(void)
{
	char other[128];
	struct bench b;
	struct stat st;

	setup(&b, OUT_FILE, "7");
	snprintf(other, sizeof(other), "%s/other", b.folder);
	if (symlink(other, b.path))
		abort();
	refused(&b, ELOOP, "a symbolic link");
	tap_ok(stat(other, &st) && errno == ENOENT, "and nothing was made");

	setup(&b, OUT_FILE, "7");
	if (mkfifo(b.path, 0600))
		abort();
	refused(&b, ENXIO, "a pipe without a reader");

	setup(&b, OUT_FILE, "7");
	if (mkdir(b.path, 0700))
		abort();
	refused(&b, EISDIR, "a folder");

	setup(&b, OUT_FILE, "7");
	strcpy(b.sink.file.path, "/dev/full");
	refused(&b, ENOSPC, "a full device, when it is written to");

	setup(&b, OUT_FILE, "7");
	tap_ok(!sink_begin(&b.sink, &b.config, SINK_CONFIGURED), "a file");
	for (int i = 0; i < 3000; i++)
		b.sink.out.line(&b.sink.out, "text", 4);
	replace(&b.sink.file.fd, open("/dev/full", O_WRONLY));
	b.sink.out.line(&b.sink.out, "text", 4);
	tap_ok(b.sink.out.lines_max == 3000 + LOG_LINES_MAX,
	       "full late: the log's bound is of what comes then");
	tap_ok(sink_end(&b.sink) == -ENOSPC, "and the error is told");
	teardown(&b);
}

static void test_root(void)
{
	struct bench b;
	struct sink s;

	setup(&b, OUT_FILE, "7");
	sink_open(&s, &b.config, "/proc/self/root");
	replace(&b.sink.file.dir_fd, s.file.dir_fd);
	s.file.dir_fd = -1;
	strcpy(b.sink.file.path, s.file.path);
	tap_ok(b.sink.file.dir_fd >= 0 && !strncmp(s.file.path, "self/root/", 10),
	       "a path in another root is kept relative to /proc");
	sink_close(&s);
	tap_ok(!report_lines(&b, SINK_CONFIGURED, 1), "written");
	drain_file(&b, b.path);
	tap_ok(!strcmp(b.text, "line 0\n"), "and found where it leads");
	teardown(&b);
}

static void test_stdout(void)
{
	struct bench b;
	int kept, fd;

	setup(&b, OUT_FILE, "7");
	strcpy(b.sink.file.path, "-");
	fflush(stdout);
	kept = dup(STDOUT_FILENO);
	fd = file_with(b.folder, "other", "");
	dup2(fd, STDOUT_FILENO);
	close(fd);
	fd = report_lines(&b, SINK_CONFIGURED, 2);
	fd |= fcntl(STDOUT_FILENO, F_GETFD);
	dup2(kept, STDOUT_FILENO);
	close(kept);
	tap_ok(fd == 0, "written, not closed");
	strcpy(b.path + strlen(b.folder), "/other");
	drain_file(&b, b.path);
	tap_ok(!strcmp(b.text, "line 0\nline 1\n"), "to standard output");
	teardown(&b);
}

static void client(struct bench *b, int *reader)
{
	int ends[2];

	if (pipe2(ends, O_NONBLOCK))
		abort();
	b->sink.file.fd = ends[1];
	*reader = ends[0];
}

/* Who asked for sections: it, and nobody in its place. */
static void test_client(void)
{
	static const char zeros[4096];
	struct bench b;
	int64_t begun;
	int reader;

	setup(&b, OUT_KMSG, "7");
	client(&b, &reader);
	tap_ok(!report_lines(&b, SINK_CLIENT, 2) && b.sink.file.fd == -1,
	       "a client gets the lines and the end");
	drain(&b, reader);
	close(reader);
	tap_ok(!strcmp(b.text, "line 0\nline 1\n"), "as they are");
	client(&b, &reader);
	close(reader);
	tap_ok(report_lines(&b, SINK_CLIENT, 2) == -EPIPE, "one that has gone");
	client(&b, &reader);
	while (write(b.sink.file.fd, zeros, sizeof(zeros)) > 0)
		;
	sink_begin(&b.sink, &b.config, SINK_CLIENT);
	begun = b.sink.deadline_ms = deadline_after(0);
	b.sink.out.line(&b.sink.out, "text", 4);
	tap_ok(deadline_after(0) - begun < 500 &&
	       sink_end(&b.sink) == -ETIMEDOUT,
	       "one that reads nothing has time until the deadline");
	close(reader);
	tap_ok(!drain(&b, b.kmsg) && !drain(&b, b.console), "nowhere else");
	teardown(&b);
}

static void test_targets(void)
{
	struct bench b;
	struct stat st;

	setup(&b, OUT_FILE, "7");
	tap_ok(!report_lines(&b, SINK_LOG, 2) && drain(&b, b.kmsg) == 2 &&
	       stat(b.path, &st), "one for the log goes there, not to the file");
	teardown(&b);
	setup(&b, OUT_KMSG, "7");
	tap_ok(!report_lines(&b, SINK_FILE, 2) && drain(&b, b.kmsg) == 2,
	       "one for the file, where there is none, goes where all do");
	teardown(&b);
}

static int is_roots(struct bench *b, enum sink_target t)
{
	int roots = -1;

	if (!sink_begin(&b->sink, &b->config, t)) {
		roots = sink_is_roots(&b->sink);
		sink_end(&b->sink);
	}
	return roots;
}

static void test_roots(void)
{
	struct bench b;

	setup(&b, OUT_FILE, "7\t4\t1\t7\n");
	tap_ok(is_roots(&b, SINK_LOG) == 1, "the log is root's alone");
	tap_ok(!is_roots(&b, SINK_FILE), "a file may be handed on");
	tap_ok(!is_roots(&b, SINK_CONSOLE), "the console is anybody's");
	if (pwrite(b.sink.kmsg.printk_fd, "4", 1, 0) != 1)
		abort();
	tap_ok(!is_roots(&b, SINK_LOG), "so is what goes there as well");
	if (pwrite(b.sink.kmsg.printk_fd, "7", 1, 0) != 1 ||
	    pwrite(b.sink.kmsg.restrict_fd, "0", 1, 0) != 1)
		abort();
	tap_ok(!is_roots(&b, SINK_OOM), "dmesg_restrict=0: so is the log");
	replace(&b.sink.kmsg.restrict_fd, -1);
	tap_ok(!is_roots(&b, SINK_LOG), "where that is not known, too");
	teardown(&b);
}

/* A console that takes nothing more: a full pipe that nobody reads. */
static void test_stuck(void)
{
	static const char zeros[4096];
	struct bench b;
	int64_t begun;

	setup(&b, OUT_CONSOLE, "7");
	while (write(b.sink.console_fd, zeros, sizeof(zeros)) > 0)
		;
	tap_ok(report_lines(&b, SINK_CONFIGURED, 3) == -ETIMEDOUT,
	       "a console that has stopped is given up");
	b.config.out = OUT_AUTO;
	replace(&b.sink.kmsg.printk_fd, -1);
	tap_ok(!report_lines(&b, SINK_CONFIGURED, 3) &&
	       drain(&b, b.kmsg) == 3, "and no error where kmsg has it all");
	sink_say(&b.sink, "once");
	begun = deadline_after(0);
	sink_say(&b.sink, "twice");
	tap_ok(deadline_after(0) - begun < 500,
	       "where one line did not get through, none waits again");
	while (drain(&b, b.console))
		;
	report_lines(&b, SINK_CONFIGURED, 1);
	drain(&b, b.console);
	sink_say(&b.sink, "again");
	drain(&b, b.console);
	tap_ok(!strcmp(b.text, "memstrack: again\r\n"),
	       "until the next report");
	teardown(&b);
}

static void test_say(void)
{
	struct bench b;

	setup(&b, OUT_AUTO, "4");
	sink_say(&b.sink, "two\nlines\x1b[2J");
	tap_ok(drain(&b, b.kmsg) == 1 && !strcmp(b.text,
	       "<6>memstrack: two\\x0alines\\x1b[2J\n"), "said in one line");
	drain(&b, b.console);
	tap_ok(!strcmp(b.text, "memstrack: two\\x0alines\\x1b[2J\r\n"),
	       "and on a quiet console");
	memset(b.text, 'x', 5000);
	b.text[5000] = '\0';
	sink_say(&b.sink, b.text);
	tap_ok(drain(&b, b.kmsg) == 1 && strlen(b.text) < 976,
	       "a long one is cut to what kmsg takes");
	teardown(&b);
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	test_kmsg();
	test_auto();
	test_limit();
	test_short();
	test_file();
#ifndef WITHOUT_SVG
	test_picture();
#endif
	test_taken();
	test_refused();
	test_root();
	test_stdout();
	test_client();
	test_targets();
	test_roots();
	test_stuck();
	test_say();
	return tap_plan_done();
}
