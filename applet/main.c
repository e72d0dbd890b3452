/* SPDX-License-Identifier: MIT */
/*
 * memstrack: which applet, by argv[0] or argv[1]; owns every instance.
 *
 * As the machine's PID 1 it is the shim (boot/shim.c), whatever its arguments:
 * they are meant for the real init. The one exception is `switch_root`, which
 * the script that is PID 1 executes. Without it, the machine's PID 1 never
 * exits. PID 1 of a container does what its arguments say.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "config/cmdline.h"
#include "base/mounts.h"
#include "boot/shim.h"
#include "boot/switch_root.h"
#include "control/client.h"
#include "control/reach.h"
#include "config/options.h"
#include "diff/diff.h"
#include "base/print.h"
#include "record/kmemtrace_main.h"
#include "record/replay.h"
#include "base/readfile.h"
#include "base/system.h"
#include "run/run.h"
#include "top/top.h"
#include "tracer/tracer.h"
#include "view/check.h"
#include "view/view.h"

static void print_help(void)
{
	char line[LINE_BYTES];
	const char *text;

	print_line(1, "memstrack " MEMSTRACK_VERSION ": who holds the memory\n\n"
		 "memstrack [trace] [OPTIONS]       until a signal, then report\n"
		 "memstrack report                  ask the running tracer\n"
#ifndef WITHOUT_VIEW
		 "memstrack report --check=BOOK     compare it with page_owner\n"
#endif
#ifndef WITHOUT_TOP
		 "memstrack top [--once] [--interval=SECONDS]   its account, live\n"
#endif
		 "memstrack boot                    trace as rdinit= does\n"
#ifndef WITHOUT_RECORD
		 "memstrack record FILE [OPTIONS]   trace, keeping every event\n"
#endif
#ifndef WITHOUT_REPLAY
		 "memstrack replay FILE [OPTIONS]   report of what was recorded\n"
#endif
#ifndef WITHOUT_RUN
		 "memstrack run [OPTIONS] COMMAND   memory of its processes\n"
#endif
#ifndef WITHOUT_KMEMTRACE
		 "memstrack kmemtrace FILE...       report of kmemtrace's streams\n"
		 "memstrack kmemtrace -w PREFIX FILE   a recording as such\n"
#endif
#ifndef WITHOUT_DIFF
		 "memstrack diff BEFORE AFTER       of two reports or recordings\n"
#endif
#ifndef WITHOUT_VIEW
		 "memstrack view FILE [OPTIONS]     page_owner, allocinfo\n"
#endif
		 "memstrack switch_root [-c CONSOLE] NEWROOT INIT [ARGS...]\n\n"
		 "At boot: rdinit=/memstrack rd.memstrack=1, options "
		 "as rd.memstrack.NAME=\n");
	for (unsigned int i = 0; (text = option_help(i, line)); i++)
		print_line(1, "%s", text);
	print_line(1, "\n  -o WHERE              as --output\n"
		 "  -h, --help            this text\n"
		 "  -V, --version         the version\n"
		 "  --notui, --debug      nothing: for scripts of the older program");
}

/* Answers the first of our arguments that asks for help or the version: 1, or 0
 * if none does. */
static int is_asked(int argc, char *argv[])
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return print_help(), 1;
		if (!strcmp(argv[i], "--version") || !strcmp(argv[i], "-V"))
			return print_line(1, "memstrack " MEMSTRACK_VERSION), 1;
	}
	return 0;
}

static int refuse(const char *argument, const char *why)
{
	char problem[LINE_BYTES];

	print_to(problem, sizeof(problem), "%s: %s", argument, why);
	return refuse_usage(problem);
}

static int refuse_other(const char *argument)
{
	char problem[LINE_BYTES];

	option_refusal(problem, argument);
	return refuse_usage(problem);
}

static void warn(void *ctx, const struct cmdline_word *w,
		 const char *accepted)
{
	char text[REFUSAL_BYTES];

	cmdline_refusal(text, w, accepted, "; it is ignored");
	sink_say(ctx, text);
}

/* ready_fd: -1 where no PID 1 waits for us. */
static int trace(const struct config *c, const struct trace_file *record,
		 int ready_fd)
{
	const int boot = ready_fd >= 0;
	struct sink sink;
	struct tracer t;
	int status;

	sink_open(&sink, c, boot ? "/proc/1/root" : "");
	status = tracer_open(&t, c, &sink, boot, record);
	if (t.door.listener == -EEXIST && c->sections[0] && !boot &&
	    record->fd < 0)
		return client_sections(c, &sink);
	if (status)
		return status;
	if (boot)
		shim_ready(ready_fd);
	return tracer_run(&t);
}

static int refuse_user(const char *applet)
{
	return complain(applet, "only root can trace");
}

/* trace; and record, which also writes every event to FILE. */
static int trace_main(int argc, char *argv[], int recorded)
{
	struct trace_file file = { NULL, -1 };
	struct config c;
	char problem[LINE_BYTES];

	if (options_parse(&c, recorded ? &file.path : NULL, argc, argv,
			  problem))
		return refuse_usage(problem);
	if (geteuid())
		return refuse_user(argv[0]);
	if (recorded) {
		struct stat st;

		file.fd = system_create(AT_FDCWD, file.path, 0, &st);
		if (file.fd < 0)
			return complain_error(file.path, errno);
		if (sink_replaces(&c, file.path))
			return 1;
	}
	return trace(&c, &file, -1);
}

/* The kernel gives us none of these three if there is no console, and somebody
 * may have closed them. Another file, such as a recording, must not get one of
 * their numbers. */
static void fill_standard_descriptors(int flags)
{
	int fd;

	do
		fd = system_open_path("/dev/null", flags);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* Reads the kernel's command line into *c: 0, or -errno. Not inlined, so that
 * its buffer leaves the stack before tracing starts. */
static __attribute__((noinline)) int read_cmdline(struct config *c,
						  struct sink *sink)
{
	const struct cmdline_warn w = { warn, sink };
	char text[CMDLINE_BYTES];
	ssize_t len = readfile("/proc/cmdline", text, sizeof(text));

	if (len == -EFBIG) {
		len = (ssize_t)cmdline_whole(text, sizeof(text));
		sink_say(sink, "/proc/cmdline: longer than 64 KiB: what stands "
			 "behind is ignored");
	}
	if (len < 0)
		return (int)len;
	cmdline_parse(c, text, (size_t)len, &w);
	return 0;
}

/* The tracer as PID 1's child; argv is PID 1's. Any failure is reported
 * and ends the child. */
static int boot_main(char *argv[], int ready_fd)
{
	char text[REFUSAL_BYTES];
	struct config c;
	struct sink sink;
	int error = mounts_private();

	fill_standard_descriptors(O_RDWR);
	config_defaults(&c);
	sink_open(&sink, &c, "");
	if (!error)
		error = read_cmdline(&c, &sink);
	if (error) {
		print_to(text, sizeof(text), "this boot is not traced: no "
			 "mounts of its own, or no /proc: %s",
			 error_text(error));
		sink_say(&sink, text);
		return 1;
	}
	sink_close(&sink);
	shim_tell_init(ready_fd, c.init);
	if (!c.level)
		return 0;
	if (c.keep)	/* systemd then does not kill us */
		argv[0][0] = '@';
	return trace(&c, &(struct trace_file){ NULL, -1 }, ready_fd);
}

/* argv must be the original one: systemd looks at its first byte. */
static _Noreturn void be_init(char *argv[])
{
	shim_run(boot_main, argv);
	for (;;)
		poll(NULL, 0, -1);
}

/* A hook that PID 1 runs and waits for. */
static int hook_main(char *argv[])
{
	pid_t other;
	int fd;

	if (geteuid())
		return refuse_user("boot");
	/* If rdinit= has started a tracer, there is nothing to do. */
	fd = control_reach(&other);
	if (fd < 0)
		shim_start(boot_main, argv);
	else
		close(fd);
	return 0;
}

#ifndef WITHOUT_VIEW
static int check(int argc, char *argv[])
{
	char problem[LINE_BYTES];
	struct config c;

	if (options_parse(&c, NULL, argc, argv, problem))
		return refuse_usage(problem);
	if (c.format > FORMAT_JSON || c.beside[0][0])
		return refuse("--check", "only text or json, in one file");
	return geteuid() ? complain("report", "only root can check") :
			   check_main(&c);
}
#endif

/* All other options of a report are those of the tracer that writes it. */
static int report_main(int argc, char *argv[])
{
#ifndef WITHOUT_VIEW
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--check") ||
		    !strncmp(argv[i], "--check=", 8))
			return check(argc, argv);
#endif
	return argc > 1 ? refuse_other(argv[1]) : client_report();
}

static int plain_main(int argc, char *argv[])
{
	return trace_main(argc, argv, 0);
}

#ifndef WITHOUT_RECORD
static int record_main(int argc, char *argv[])
{
	return trace_main(argc, argv, 1);
}
#endif

/* What stands in APPLETS of the Makefile. `boot` and `switch_root` come first:
 * main() treats them in its own way. */
enum { BOOT, SWITCH_ROOT };

static const struct applet {
	const char *name;
	int (*main)(int argc, char *argv[]);
} applets[] = {
	[BOOT] = { "boot", NULL },
	[SWITCH_ROOT] = { "switch_root", NULL },
	{ "trace", plain_main },
	{ "report", report_main },
#ifndef WITHOUT_RECORD
	{ "record", record_main },
#endif
#ifndef WITHOUT_REPLAY
	{ "replay", replay_main },
#endif
#ifndef WITHOUT_KMEMTRACE
	{ "kmemtrace", kmemtrace_main },
#endif
#ifndef WITHOUT_DIFF
	{ "diff", diff_main },
#endif
#ifndef WITHOUT_TOP
	{ "top", top_main },
#endif
#ifndef WITHOUT_RUN
	{ "run", run_main },
#endif
#ifndef WITHOUT_VIEW
	{ "view", view_main },
#endif
};

static const struct applet *applet_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(applets); i++)
		if (!strcmp(name, applets[i].name))
			return &applets[i];
	return NULL;
}

/* Its arguments and signals are of the program that it starts. */
static int is_for_another(const struct applet *a)
{
	return a && (a == &applets[SWITCH_ROOT] || !strcmp(a->name, "run"));
}

int main(int argc, char *argv[])
{
	const struct applet *applet =
		applet_of(argc ? past_last(argv[0], '/') : "");
	const char *first;
	int shifted = 0;

	if (!applet && argc > 1) {
		applet = applet_of(argv[1]);
		shifted = applet != NULL;
	}
	if (applet != &applets[SWITCH_ROOT] && shim_is_init())
		be_init(argv);
	argc -= shifted;
	argv += shifted;
	first = argc > 1 ? argv[1] : "-";
	if (!applet && !strcmp(first, "help"))
		return print_help(), 0;
	if (is_asked(is_for_another(applet) && argc > 2 ? 2 : argc, argv))
		return 0;
	if (applet == &applets[SWITCH_ROOT])
		return switch_root_main(argv);
	/* Then a write fails as it would have. */
	fill_standard_descriptors(O_RDONLY);
	if (!is_for_another(applet))
		signals_block(signal_bit(SIGPIPE));	/* write() then fails */
	if (applet == &applets[BOOT])
		return argc > 1 ? refuse_other(first) :
				  hook_main(argv - shifted);
	if (applet)
		return applet->main(argc, argv);
	if (first[0] != '-')
		return refuse(first, "no such applet");
	return plain_main(argc, argv);
}
