/* SPDX-License-Identifier: MIT */
/*
 * memstrack: chooses the applet by argv[0] or argv[1], and owns every instance.
 *
 * As the machine's PID 1 this program is the shim (boot/shim.c), whatever its
 * arguments: they are meant for the real init. The one exception is
 * `switch_root`, which the script that is PID 1 executes. In all other cases
 * the machine's PID 1 never exits. PID 1 of a container does what its arguments
 * ask for.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "config/config.h"
#include "base/system.h"
#include "boot/boot.h"
#include "control/control.h"
#include "host/diff/diff.h"
#include "host/estimate/estimate.h"
#include "host/kmemtrace/kmemtrace.h"
#include "base/base.h"
#include "record/record.h"
#include "host/run/run.h"
#include "host/top/top.h"
#include "tracer/tracer.h"
#include "host/view/view.h"

static int refuse(const char *argument, const char *why)
{
	char problem[LINE_BYTES];

	print_to(problem, sizeof(problem), "%s: %s", argument, why);
	return refuse_usage(problem);
}

static void warn(void *sink, const char *problem)
{
	sink_say(sink, "%s", problem);
}

/* ready_fd: -1 if no PID 1 waits for us. */
static int trace(const struct config *c, const struct trace_file *record,
		 int ready_fd)
{
	const int boot = ready_fd >= 0;
	struct sink sink;
	struct tracer t;
	int status;

	sink_open(&sink, c, boot ? "/proc/1/root" : "");
	status = tracer_open(&t, c, &sink, boot, record);
	if (WITH & FEATURE_SECTIONS && c->sections[0] && !boot &&
	    record->fd < 0 && t.door.listener == -EEXIST)
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
	const struct options o = {
		.of = OF_TRACE, .least = (uint32_t)recorded,
		.most = (uint32_t)recorded, .missing = "FILE is missing",
	};
	struct trace_file file = { NULL, -1 };
	struct config c;

	if (options_take(&o, &c, argc, argv, refuse_usage) < 0)
		return EXIT_USAGE;
	if (c.backend == BACKEND_PAGEOWNER)
		return recorded || !(WITH & FEATURE_VIEW) ?
		       refuse("--backend=pageowner", "this cannot be recorded") :
		       view_file(&c, c.book[0] ? c.book : PAGE_OWNER_PATH);
	if (recorded && !strcmp(argv[1], "-"))
		return refuse("-", "only a file can be recorded into");
	if (geteuid())
		return refuse_user(argv[0]);
	if (recorded) {
		struct stat st;

		file.path = argv[1];
		file.fd = system_create(AT_FDCWD, file.path, 0, &st);
		if (file.fd < 0)
			return complain_error(file.path, errno);
		if (sink_replaces(&c, file.path))
			return 1;
	}
	return trace(&c, &file, -1);
}

/* Without a console the kernel opens none of these three, and a caller may have
 * closed them. No other file, such as a recording, may get one of their
 * numbers. */
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
 * its buffer is off the stack before tracing starts. */
static __attribute__((noinline)) int read_cmdline(struct config *c,
						  struct sink *sink)
{
	char text[CMDLINE_BYTES];
	ssize_t len = readfile("/proc/cmdline", text, sizeof(text));

	if (len == -EFBIG) {
		len = (ssize_t)cmdline_whole(text, sizeof(text));
		sink_say(sink, "/proc/cmdline: longer than 64 KiB: the rest is "
			 "ignored");
	}
	if (len < 0)
		return (int)len;
	cmdline_parse(c, text, (size_t)len, warn, sink);
	return 0;
}

/* The tracer as PID 1's child; argv is PID 1's. Any failure is reported
 * and ends the child. */
static int boot_main(char *argv[], int ready_fd)
{
	struct config c;
	struct sink sink;
	int error = mounts_private();

	fill_standard_descriptors(O_RDWR);
	config_defaults(&c);
	sink_open(&sink, &c, "");
	if (!error)
		error = read_cmdline(&c, &sink);
	if (error) {
		sink_say(&sink, "this boot is not traced: no mounts of its "
			 "own, or no /proc: %s", error_text(error));
		return 1;
	}
	sink_close(&sink);
	shim_configure(ready_fd, c.ready_s, c.init);
	if (!c.level)
		return 0;
	if (c.keep)	/* then systemd does not kill us */
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
	struct control_way way = { 0 };
	int fd;

	if (geteuid())
		return refuse_user("boot");
	/* If rdinit= has started a tracer, nothing is left to do. */
	fd = control_reach(&way, deadline_after(REACH_TIMEOUT_MS));
	if (fd < 0)
		shim_start(boot_main, argv);
	else
		close(fd);
	return 0;
}

#define CHECK_OPTIONS (WITH & FEATURE_VIEW ? OF_CHECK : 0)

/* All other options of a report belong to the tracer that writes it. */
static int report_main(int argc, char *argv[])
{
	const struct options o = { .of = CHECK_OPTIONS, .plain = 1 };
	struct config c;

	if (options_take(&o, &c, argc, argv, refuse_usage) < 0)
		return EXIT_USAGE;
	if (WITH & FEATURE_VIEW && c.check[0])
		return geteuid() ? complain("report", "only root can check") :
				   check_main(&c);
	return argc > 1 ? refuse(argv[0], "options are for --check alone") :
			  client_report();
}

static int mark_main(int argc, char *argv[])
{
	if (argc != 2)
		return refuse(argv[0], argc < 2 ? "NAME is missing" :
			      "one argument too many");
	return geteuid() ? refuse_user(argv[0]) : client_phase(argv[1]);
}

static int plain_main(int argc, char *argv[])
{
	return trace_main(argc, argv, 0);
}

static int record_main(int argc, char *argv[])
{
	return trace_main(argc, argv, 1);
}

/* `boot` and `switch_root` come first, because main() handles them by itself.
 */
enum { BOOT, SWITCH_ROOT };

/* This file is compiled for each configuration (base/base.h, features): of an
 * applet that the configuration lacks only the name is here. */
static const struct applet {
	const char *name;
	const char *usage;	/* lines of --help; NULL: it is lacking */
	int (*main)(int argc, char *argv[]);
	enum parameter_of of;	/* 0: no options of the table */
} applets[] = {
	[BOOT] = {
		"boot",
		"memstrack boot                    trace as rdinit= does",
		NULL, 0,
	},
	[SWITCH_ROOT] = {
		"switch_root",
		"memstrack switch_root [-c CONSOLE] NEWROOT INIT [ARGS...]",
		NULL, 0,
	},
	{
		"trace",
		"memstrack [trace] [OPTIONS]       until a signal, then report",
		plain_main, OF_TRACE,
	},
	{
		"report",
		WITH & FEATURE_VIEW ?
		"memstrack report                  ask the running tracer\n"
		"memstrack report --check=BOOK     compare with page_owner" :
		"memstrack report                  ask the running tracer",
		report_main, CHECK_OPTIONS,
	},
	{
		"mark",
		"memstrack mark NAME               a phase of the boot begins",
		mark_main, 0,
	},
	{
		"record", WITH & FEATURE_RECORD ?
		"memstrack record FILE [OPTIONS]   trace, keeping every event" :
		NULL, WITH & FEATURE_RECORD ? record_main : NULL, OF_TRACE,
	},
	{
		"replay", WITH & FEATURE_REPLAY ?
		"memstrack replay FILE [OPTIONS]   report from a recording" :
		NULL, WITH & FEATURE_REPLAY ? replay_main : NULL, OF_REPLAY,
	},
	{
		"kmemtrace", WITH & FEATURE_KMEMTRACE ?
		"memstrack kmemtrace FILE...       "
		"report from kmemtrace's streams\n"
		"memstrack kmemtrace -w PREFIX FILE   write a recording as streams" :
		NULL, WITH & FEATURE_KMEMTRACE ? kmemtrace_main : NULL,
		OF_KMEMTRACE,
	},
	{
		"diff", WITH & FEATURE_DIFF ?
		"memstrack diff BEFORE AFTER       "
		"compare two reports or recordings" :
		NULL, WITH & FEATURE_DIFF ? diff_main : NULL, OF_DIFF,
	},
	{
		"top", WITH & FEATURE_TOP ?
		"memstrack top [OPTIONS]           "
		"live view of the running tracer" :
		NULL, WITH & FEATURE_TOP ? top_main : NULL, OF_TOP,
	},
	{
		"run", WITH & FEATURE_RUN ?
		"memstrack run [OPTIONS] COMMAND   memory of a command" :
		NULL, WITH & FEATURE_RUN ? run_main : NULL, OF_RUN,
	},
	{
		"view", WITH & FEATURE_VIEW ?
		"memstrack view FILE [OPTIONS]     read page_owner, allocinfo" :
		NULL, WITH & FEATURE_VIEW ? view_main : NULL, OF_VIEW,
	},
	{
		"estimate", WITH & FEATURE_ESTIMATE ?
		"memstrack estimate [REPORT]       "
		"the crashkernel= that kdump needs" :
		NULL, WITH & FEATURE_ESTIMATE ? estimate_main : NULL,
		OF_ESTIMATE,
	},
};

static int is_here(const struct applet *a)
{
	return a->usage != NULL;
}

/* The help of one applet, or of all. */
static void print_help(const struct applet *one)
{
	char line[LINE_BYTES];
	uint32_t of = one ? one->of : 0;
	const char *text;

	if (!one)
		print_line(1, "memstrack " MEMSTRACK_VERSION
			   ": who holds the memory\n");
	for (size_t i = 0; i < ARRAY_LEN(applets); i++) {
		if (one ? one != &applets[i] : !is_here(&applets[i]))
			continue;
		print_line(1, "%s", applets[i].usage);
		of |= applets[i].of;
	}
	if (!one)
		print_line(1, "\nAt boot: rdinit=/memstrack rd.memstrack=1, "
			   "options as rd.memstrack.NAME=\n"
			   "Options of one applet: memstrack APPLET --help");
	print_line(1, "%s", "");
	for (unsigned int i = 0; (text = option_help(i, of, line)); i++)
		if (*text)
			print_line(1, "%s", text);
	if (of & ~(uint32_t)(OF_TOP | OF_ESTIMATE))
		print_line(1, "\n  -o WHERE              same as --output");
	print_line(1, "  -h, --help            print this text\n"
		   "  -V, --version         print the version");
	if (of & OF_TRACE)
		print_line(1, "For scripts of the older program:\n"
			   "  -b, -r, -s, -t        --backend, --report, "
			   "--buf-size, --throttle\n"
			   "  --notui, --debug      ignored");
}

/* Answers the first argument that asks for help or for the version: 1, or 0 if
 * no argument does. */
static int is_asked(const struct applet *a, int argc, char *argv[])
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return print_help(a), 1;
		if (!strcmp(argv[i], "--version") || !strcmp(argv[i], "-V"))
			return print_line(1, "memstrack " MEMSTRACK_VERSION), 1;
	}
	return 0;
}

static const struct applet *applet_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(applets); i++)
		if (!strcmp(name, applets[i].name))
			return &applets[i];
	return NULL;
}

/* The arguments and signals belong to the program that the applet starts. */
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
	if (applet && !is_here(applet))
		return complain(applet->name, "not %s", not_here);
	argc -= shifted;
	argv += shifted;
	first = argc > 1 ? argv[1] : "-";
	if (!applet && !strcmp(first, "help"))
		return print_help(NULL), 0;
	if (is_asked(applet, is_for_another(applet) && argc > 2 ? 2 : argc,
		     argv))
		return 0;
	if (applet == &applets[SWITCH_ROOT])
		return switch_root_main(argv);
	/* /dev/null, opened for reading: a write to a descriptor that was
	 * closed still fails. */
	fill_standard_descriptors(O_RDONLY);
	if (!is_for_another(applet))
		signals_block(signal_bit(SIGPIPE));	/* write() then fails */
	if (applet == &applets[BOOT])
		return argc > 1 ? refuse(first, "boot takes no argument") :
				  hook_main(argv - shifted);
	if (applet)
		return applet->main(argc, argv);
	if (first[0] != '-')
		return refuse(first, "no such applet");
	return plain_main(argc, argv);
}
