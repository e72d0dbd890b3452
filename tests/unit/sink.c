/* SPDX-License-Identifier: MIT */
/*
 * output/sink.c: who gets a report's lines, and who instead when that fails
 * (cases/sink).
 *
 * Pipes, sockets and files stand for kmsg, console and the files of /proc: a
 * record of kmsg is one write, as a datagram is.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include "base/system.h"
#include "base/base.h"
#include "output/output.h"
#include "cases.h"

static struct {
	char folder[64], path[128];	/* path: of the report */
	struct config config;
	struct sink sink;
	int kmsg, console, client;	/* the ends that read; no client: -1 */
	int is_stuck;		/* the console, which nobody reads */
	unsigned int ticks;	/* that somebody waited who wrote */
	int queued;	/* lines that the console has yet to send */
	int open_files;	/* before the last report */
	int64_t begun_ms;	/* five seconds after its begin */
	char text[32768];	/* what was read last */
} b;

/* In the place of the C library's: ticks are counted, and nobody waits. */
int poll(struct pollfd *set, nfds_t count, int timeout_ms)
{
	(void)set;
	(void)count;
	(void)timeout_ms;
	b.ticks++;
	return 0;
}

/* A line is sent between two calls. Below 0: the console is no tty. */
int queue(int fd, unsigned long request, int *left) __asm__("ioctl");
int queue(int fd, unsigned long request, int *left)
{
	(void)fd;
	(void)request;
	*left = b.queued < 0 ? 1 : b.queued;
	b.queued -= b.queued > 0;
	return b.queued < 0 ? -1 : 0;
}

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", b.folder, name);
	return path;
}

static int file_with(const char *name, const char *text)
{
	int fd = open(path_of(name), O_RDWR | O_CREAT | O_TRUNC, 0600);

	must(fd >= 0 && write(fd, text, strlen(text)) >= 0);
	return fd;
}

static void replace(int *fd, int other)
{
	if (*fd >= 0)
		close(*fd);
	*fd = other;
}

static void teardown(void)
{
	static const char *const names[] = {
		"report", "printk", "restrict", "kmsg", "other", "",
	};

	sink_close(&b.sink);
	close(b.kmsg);
	close(b.console);
	replace(&b.client, -1);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (unlink(path_of(names[i])))
			rmdir(path_of(names[i]));
}

/* A new sink whose every descriptor leads to us. Its kmsg cannot be opened
 * again: what has the name is a folder. */
static void setup(enum out_kind out, const char *printk)
{
	int kmsg[2], console[2];

	if (b.folder[0])
		teardown();
	memset(&b, 0, sizeof(b));
	b.client = -1;
	strcpy(b.folder, "/tmp/memstrack-sink-XXXXXX");
	must(mkdtemp(b.folder) && !mkdir(path_of("kmsg"), 0700) &&
	     !socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, kmsg) &&
	     !pipe2(console, O_NONBLOCK));
	strcpy(b.path, path_of("report"));
	b.config.out = out;
	if (out == OUT_FILE)
		strcpy(b.config.out_path, b.path);
	sink_open(&b.sink, &b.config, "");
	b.kmsg = kmsg[1];
	b.console = console[0];
	for (size_t i = 0; i < KMSG_FILES; i++)
		replace(&b.sink.kmsg.file[i].fd, dup(kmsg[0]));
	close(kmsg[0]);
	replace(&b.sink.console_fd, console[1]);
	replace(&b.sink.kmsg.printk_fd, file_with("printk", printk));
	replace(&b.sink.kmsg.restrict_fd, file_with("restrict", "1\n"));
	replace(&b.sink.kmsg.dev_fd, open(b.folder, O_RDONLY));
	b.sink.say_stderr = 0;
}

/* All there is to read, records one after another; how many reads. */
static int drain(int fd)
{
	size_t used = 0;
	int reads = 0;
	ssize_t n;

	while ((n = read(fd, b.text + used, sizeof(b.text) - used - 1)) > 0) {
		used += (size_t)n;
		reads++;
	}
	b.text[used] = '\0';
	return reads;
}

static int gets_text(int fd, const char *text)
{
	drain(fd);
	return !strcmp(b.text, text);
}

static int log_has(const char *text)
{
	return drain(b.kmsg) == 1 && !strncmp(b.text, "<6>memstrack: ", 14) &&
	       !strcmp(b.text + 14, text);
}

/* NULL: there is no such file. */
static int file_has(const char *name, const char *text)
{
	int fd = open(path_of(name), O_RDONLY), has = fd < 0;

	if (text)
		has = gets_text(fd, text);
	close(fd);
	return has;
}

static void fill(int fd)
{
	static const char zeros[4096];

	while (write(fd, zeros, sizeof(zeros)) > 0)
		;
}

static void put(const char *text)
{
	b.sink.out.line(&b.sink.out, text, strlen(text));
}

static int report_lines(enum sink_target t, int lines)
{
	int error = sink_begin(&b.sink, &b.config, t);
	char line[32];

	for (int i = 0; i < lines && !error; i++) {
		snprintf(line, sizeof(line), "line %d", i);
		put(line);
	}
	return error ? error : sink_end(&b.sink);
}

#define TWO "line 0\nline 1\n"
#define ON_CONSOLE "line 0\r\nline 1\r\n"

/* A report of some lines gives this error, so many records of kmsg, this on the
 * console, and no file. The records are then in b.text. */
static void report(enum sink_target t, int lines, int error, int records,
		   const char *console, const char *what)
{
	tap_ok(report_lines(t, lines) == -error &&
	       gets_text(b.console, console) && file_has("report", NULL) &&
	       drain(b.kmsg) == records, "%s", what);
}

/* The lines in b.text, ' behind each other: " N" for the text "line N". */
static void words(char *out)
{
	size_t len, folder = strlen(b.folder);

	for (const char *at = b.text; *at; at += len + strspn(at + len, "\r\n")) {
		const char *name = strstr(at, b.folder);

		at += strncmp(at, "<6>memstrack: ", 14) ? 0 : 14;
		len = strcspn(at, "\r\n");
		if (!strncmp(at, "line ", 5))
			append(out, " %.*s", (int)len - 5, at + 5);
		else if (name && name < at + len)	/* whatever its name is */
			append(out, " \"%.*s@%.*s\"", (int)(name - at), at,
			       (int)(at + len - name - (long)folder),
			       name + folder);
		else
			append(out, " \"%.*s\"", (int)len, at);
	}
}

/* What there is to read now: in the log, on the console, in the file, and what
 * the client has got, to its end. */
static void words_of_all(char *out)
{
	const int fd = open(b.path, O_RDONLY | O_NONBLOCK);
	struct stat st;
	int records = drain(b.kmsg);

	append(out, "; log");
	words(out);
	must(records == (int)count(b.text, "\n"));	/* one a line */
	b.text[0] = '\0';
	if (!b.is_stuck)
		drain(b.console);
	if (b.text[0])
		append(out, "; console");
	must(count(b.text, "\n") == count(b.text, "\r\n"));
	words(out);
	if (b.client >= 0 && b.sink.file.fd < 0) {
		drain(b.client);
		append(out, "; client");
		words(out);
		replace(&b.client, -1);
	}
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return;
	append(out, "; file%s", (st.st_mode & 07777) == 0600 ? "" :
						", that all may read,");
	drain(fd);
	words(out);
	close(fd);
}

static unsigned int number_of(const char *name, const char *const *names)
{
	unsigned int n = 0;

	while (strcmp(names[n], name))
		n++;
	return n;
}

static int open_files(void)
{
	int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* How many records each open file of kmsg still takes, how many more files are
 * open than before the report, and whether five seconds are counted since. */
static void words_of_limit(char *out)
{
	const struct kmsg_file *file = b.sink.kmsg.file;

	append(out, "; left");
	for (size_t i = 0; i < KMSG_FILES; i++)
		append(out, " %u", file[i].left);
	append(out, ", %d more%s", open_files() - b.open_files,
	       file->again_ms >= b.begun_ms &&
	       file->again_ms <= deadline_after(5050) ? ", in 5 s again" : "");
}

/* A command of cases/sink: a report, whole or in parts, or what else is asked,
 * with what comes of it; what the sink meets; one for the shell, in the folder;
 * or a new sink, and what printk is. */
static void command(const char *name, const char *arg, const char *rest,
		    const char *all, char *out)
{
	static const char *const kinds[] = {
		[OUT_AUTO] = "auto", [OUT_KMSG] = "kmsg",
		[OUT_CONSOLE] = "console", [OUT_FILE] = "file",
	}, *const targets[] = {
		[SINK_CONFIGURED] = "configured", [SINK_CONSOLE] = "console",
		[SINK_FILE] = "file", [SINK_LOG] = "log", [SINK_OOM] = "oom",
		[SINK_CLIENT] = "client",
	};
	char line[200];
	int error, ends[2];

	if (!strcmp(name, "report") || !strcmp(name, "end")) {
		b.open_files = open_files();
		b.begun_ms = deadline_after(5050);
		error = *name == 'e' ? sink_end(&b.sink) :
			report_lines(number_of(arg, targets), atoi(rest));
		append(out, "%s%s", *out ? "; " : "",
		       error ? error_text(error) : "ok");
		if (b.sink.out.lines_max)
			append(out, ", at most %u", b.sink.out.lines_max);
		if (b.ticks)
			append(out, ", after %u ticks", b.ticks);
		b.ticks = 0;
		words_of_all(out);
	} else if (!strcmp(name, "say")) {
		sink_say(&b.sink, "%s", all);
		append(out, "%s%s", *out ? "; " : "", b.ticks ? "late" : "said");
		b.ticks = 0;
		words_of_all(out);
	} else if (!strcmp(name, "client")) {
		must(!pipe2(ends, O_NONBLOCK));
		b.client = ends[0];
		b.sink.file.fd = ends[1];
	} else if (!strcmp(name, "goes")) {
		replace(&b.client, -1);
	} else if (!strcmp(name, "stops")) {
		fill(b.sink.file.fd);
		b.sink.deadline_ms = deadline_after(0);
	} else if (!strcmp(name, "stuck")) {
		fill(b.sink.console_fd);
		b.is_stuck = 1;
	} else if (!strcmp(name, "reads")) {
		while (drain(b.console))
			;
		b.is_stuck = 0;
	} else if (!strcmp(name, "left")) {
		words_of_limit(out);
	} else if (!strcmp(name, "later")) {
		b.sink.kmsg.file->again_ms = deadline_after(0);
	} else if (!strcmp(name, "unknown")) {
		b.config.out = OUT_AUTO;
		replace(&b.sink.kmsg.printk_fd, -1);
	} else if (!strcmp(name, "begin")) {
		must(!sink_begin(&b.sink, &b.config, number_of(arg, targets)));
	} else if (!strcmp(name, "put")) {
		put(arg);
	} else if (!strcmp(name, "draws")) {
		b.config.format = atoi(arg) ? FORMAT_SVG : FORMAT_TEXT;
	} else if (!strcmp(name, "queued")) {
		b.queued = atoi(arg);
	} else if (!strcmp(name, "full")) {
		replace(&b.sink.file.fd, open("/dev/full", O_WRONLY));
	} else if (!strcmp(name, "root")) {
		must(!chdir(b.folder));
		file_init(&b.sink.file, "/proc/self/cwd", arg);
	} else if (!strcmp(name, "roots")) {
		must(!sink_begin(&b.sink, &b.config, number_of(arg, targets)));
		append(out, "%s", sink_is_roots(&b.sink) ? "root's" : "no");
		sink_end(&b.sink);
	} else if (!strcmp(name, "without")) {
		replace(strcmp(arg, "kmsg") ? &b.sink.console_fd :
					      &b.sink.kmsg.file[0].fd, -1);
	} else if (!strcmp(name, "to")) {
		strcpy(b.sink.file.path, arg);
	} else if (!strcmp(name, "sh")) {
		snprintf(line, sizeof(line), "cd %s && %s %s", b.folder, arg,
			 rest);
		must(!system(line));
	} else {
		snprintf(line, sizeof(line), *arg ? "%s\t4\t1\t7\n" : "",
			 arg);
		setup(number_of(name, kinds), line);
	}
}

static void step(const char *text, char *out)
{
	char name[16], arg[64] = "", rest[64] = "";

	must(sscanf(text, "%15s %63s %63[^;]", name, arg, rest) >= 1);
	command(name, arg, rest, text + strcspn(text, " ") + 1, out);
}

/* Memory is short: as few records as can be, and nothing is opened. */
static void test_short(void)
{
	struct kmsg_file *file = b.sink.kmsg.file;
	char longest[LINE_BYTES] = "", *at, *end;
	size_t records, large = 0;

	memset(longest, 'x', LINE_BYTES - 1);
	setup(OUT_FILE, "7\t4\t1\t7\n");
	tap_ok(!report_lines(SINK_OOM, OOM_LINES_MAX), "a short report");
	records = (size_t)drain(b.kmsg);
	tap_ok(records <= 4 && count(b.text, "<6>memstrack: ") == records &&
	       count(b.text, "memstrack: line ") == OOM_LINES_MAX,
	       "is %zu records, with the name before every line", records);
	for (at = b.text; (end = strstr(at + 1, "<6>")); at = end)
		large += (size_t)(end - at) + 48 * count(at, "\n") -
			 48 * count(end, "\n") >= 1024;
	tap_ok(!large, "none more than a console shows");
	tap_ok(file->left == KMSG_BURST - (unsigned int)records,
	       "the file is not opened anew");

	sink_begin(&b.sink, &b.config, SINK_OOM);
	put("first");
	tap_ok(!drain(b.kmsg), "a line waits for others");
	sink_send(&b.sink);
	tap_ok(log_has("first\n"), "or until it is sent");
	put("second");
	put(longest);
	tap_ok(log_has("second\n"), "or until another does not find room");
	tap_ok(!sink_end(&b.sink) &&
	       read(b.kmsg, b.text, sizeof(b.text)) == LINE_BYTES - 1 + 15,
	       "the longest line is whole");
	sink_say(&b.sink, "said");
	tap_ok(log_has("said\n"), "what is said afterwards does not wait");
	for (size_t i = 0; i < KMSG_FILES; i++)
		file[i] = (struct kmsg_file){
			.fd = file[i].fd, .again_ms = INT64_MAX,
		};
	report(SINK_OOM, 2, EISDIR, 0, ON_CONSOLE,
	       "lines that waited in vain are on the console");
}

static void test_long(void)
{
	setup(OUT_AUTO, "4");
	memset(b.text, 'x', 5000);
	b.text[5000] = '\0';
	sink_say(&b.sink, "%s", b.text);
	tap_ok(drain(b.kmsg) == 1 && strlen(b.text) < 976,
	       "what is said is cut to what kmsg takes");
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	each_step("sink", NULL, step);
	test_short();
	test_long();
	teardown();
	return tap_plan_done();
}
