/*
 * memstrack: which applet, by argv[0] or argv[1]; owns every instance.
 *
 * As PID 1 it is the shim (boot/shim.c), whatever its arguments: they are the
 * real init's. `switch_root` alone is an applet there too, since the script
 * that is PID 1 execs it. No path through here ends PID 1 but an exec.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "boot/cmdline.h"
#include "boot/mounts.h"
#include "boot/shim.h"
#include "boot/switch_root.h"
#include "control.h"
#include "print.h"
#include "replay.h"
#include "source/readfile.h"
#include "tracer.h"

static void print_help(void)
{
	char line[LINE_BYTES];
	const char *text;

	print_fd(1, "memstrack " MEMSTRACK_VERSION ": who holds the memory, from the "
	     "first process of the initramfs on\n\n"
	     "memstrack [trace] [OPTIONS]        trace until a signal, report\n"
	     "memstrack report                   ask the running tracer\n"
	     "memstrack record FILE [OPTIONS]    trace, and keep every event\n"
	     "memstrack replay FILE [OPTIONS]    report from a recorded file\n"
	     "memstrack switch_root [-c CONSOLE] NEWROOT INIT [ARGS...]\n\n"
	     "At boot: rdinit=/memstrack rd.memstrack=1, and every option below "
	     "as rd.memstrack.NAME=\n\n");
	for (unsigned int i = 0; (text = option_help(i, line)); i++)
		print_fd(1, "%s\n", text);
}

static int complain(const char *what, const char *why)
{
	print_fd(2, "memstrack: %s: %s\n", what, why);
	return 2;
}

static void warn_stderr(void *ctx, const char *name, size_t name_len,
			const char *value, size_t value_len, const char *why)
{
	(void)ctx;
	print_fd(2, "memstrack: %.*s: %.*s: %s\n", (int)name_len, name,
		(int)value_len, value, why);
}

static void warn_sink(void *ctx, const char *name, size_t name_len,
		      const char *value, size_t value_len, const char *why)
{
	char text[LINE_BYTES - 64];

	print_to(text, sizeof(text), "%.*s: %.*s: %s; it is ignored",
		 (int)name_len, name, (int)value_len, value, why);
	sink_say(ctx, text);
}

/* Options of trace and record. 0, or the exit status. */
static int parse_options(struct config *c, int argc, char *argv[], int first)
{
	const struct cmdline_warn w = { warn_stderr, NULL };

	config_defaults(c);
	c->level = 1;
	for (int i = first; i < argc;) {
		int error;

		if (!strcmp(argv[i], "--notui")) {
			i++;
			continue;
		}
		error = option_parse(c, argc, argv, &i, &w);
		if (error == -ENOENT)
			return complain(argv[i], "no such option");
		if (error)
			return 2;
	}
	if (c->out == OUT_AUTO) {
		c->out = OUT_FILE;
		memcpy(c->out_path, "-", 2);
	}
	return c->level ? 0 : complain("--level", "0 traces nothing");
}

static int trace(const struct config *c, int boot, int record_fd, int ready_fd)
{
	struct sink sink;
	struct tracer t;
	int status;

	sink_open(&sink, c, boot ? "/proc/1/root" : "");
	status = tracer_open(&t, c, &sink, boot, record_fd);
	if (status)
		return status;
	if (ready_fd >= 0)
		shim_ready(ready_fd);
	return tracer_run(&t);
}

static int need_root(void)
{
	if (!geteuid())
		return 0;
	print_fd(2, "memstrack: only root can trace the kernel's memory\n");
	return 1;
}

static int trace_main(int argc, char *argv[])
{
	struct config c;
	int status = parse_options(&c, argc, argv, 1);

	if (!status)
		status = need_root();
	return status ? status : trace(&c, 0, -1, -1);
}

static int record_main(int argc, char *argv[])
{
	struct config c;
	int fd, status;

	if (argc < 2 || argv[1][0] == '-')
		return complain("record", "FILE is missing");
	status = parse_options(&c, argc, argv, 2);
	if (!status)
		status = need_root();
	if (status)
		return status;
	fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC |
		  O_NOFOLLOW, 0600);
	if (fd < 0) {
		complain(argv[1], error_text(errno));
		return 1;
	}
	return trace(&c, 0, fd, -1);
}

static int report_main(void)
{
	int error = control_ask(CONTROL_REPORT, REPORT_TIMEOUT_MS);

	if (error == -ECONNREFUSED)
		complain("report", "no tracer runs");
	else if (error)
		complain("report", error_text(-error));
	return error ? 1 : 0;
}

struct start {
	char **argv;
};

/* The kernel gives none of these when there is no console: what is opened
 * next must not be taken for one of them. */
static void fill_standard_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* The tracer as PID 1's child. Whatever goes wrong is said and ends it. */
static int boot_main(void *ctx, int ready_fd)
{
	struct start *start = ctx;
	char text[CMDLINE_BYTES];
	struct config c;
	struct sink sink;
	unsigned int missing;
	ssize_t len;
	int error = mounts_private(&missing);

	fill_standard_descriptors();
	config_defaults(&c);
	len = readfile("/proc/cmdline", text, sizeof(text));
	sink_open(&sink, &c, "");
	if (error || len < 0) {
		print_to(text, sizeof(text), "cannot start: %s: %s",
			 error ? "mount namespace" : "/proc/cmdline",
			 error_text(error ? -error : (int)-len));
		sink_say(&sink, text);
		return 1;
	}
	cmdline_parse(&c, text, (size_t)len,
		      &(struct cmdline_warn){ warn_sink, &sink });
	sink_close(&sink);
	shim_tell_init(ready_fd, c.init);
	if (!c.level)
		return 0;
	if (c.keep)	/* systemd spares whose name starts so */
		start->argv[0][0] = '@';
	return trace(&c, 1, -1, ready_fd);
}

_Noreturn static void init_main(char *argv[])
{
	struct start start = { argv };
	const struct shim_child child = { boot_main, &start };
	extern char **environ;

	shim_run(&child, argv, environ);
	for (;;)
		pause();
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

enum applet { TRACE, REPORT, RECORD, REPLAY, SWITCH_ROOT, APPLETS };

static enum applet applet_of(const char *name)
{
	static const char *const names[APPLETS] = {
		"trace", "report", "record", "replay", "switch_root",
	};
	unsigned int i = 0;

	while (i < APPLETS && strcmp(name, names[i]))
		i++;
	return (enum applet)i;
}

int main(int argc, char *argv[])
{
	enum applet applet = applet_of(argc ? base_name(argv[0]) : "");
	int shifted = 0;

	if (applet == APPLETS && argc > 1) {
		applet = applet_of(argv[1]);
		shifted = applet != APPLETS;
	}
	if (getpid() == 1 && applet != SWITCH_ROOT)
		init_main(argv);
	argc -= shifted;
	argv += shifted;
	if (argc > 1 && !strcmp(argv[1], "--help"))
		return print_help(), 0;
	if (argc > 1 && !strcmp(argv[1], "--version"))
		return print_fd(1, "memstrack " MEMSTRACK_VERSION "\n"), 0;
	switch (applet) {
	case REPORT: return report_main();
	case RECORD: return record_main(argc, argv);
	case REPLAY: return replay_main(argc, argv);
	case SWITCH_ROOT: return switch_root_main(argc, argv);
	default: break;
	}
	if (applet == APPLETS && argc > 1 && argv[1][0] != '-')
		return complain(argv[1], "no such applet");
	return trace_main(argc, argv);
}
