/* The tracer's loop, and when it reports: see tracer.h. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "control/control.h"
#include "base/clock.h"
#include "base/print.h"
#include "base/system.h"
#include "tracer/tracer.h"

/* A record may be stamped but not yet written when the rings' heads are read,
 * and another CPU's be merged before it: what is younger than this waits for
 * the next drain, which follows soon where a ring had asked for one. */
#define SETTLE_NS 200000u

/* Rings are looked at this often even if none asks for it: for the change of
 * root, and so that free memory is sampled. Ten wakeups a second. */
#define IDLE_NS 100000000u

/* Reports to go on with before those that end, which go where all do: each gets
 * what it asked for. */
static const struct {
	uint8_t number, target;
	char reason[8];
} signals[] = {
	{ SIGUSR1, SINK_CONSOLE, "SIGUSR1" },
	{ SIGUSR2, SINK_FILE, "SIGUSR2" },
	{ SIGINT, SINK_CONFIGURED, "SIGINT" },
	{ SIGTERM, SINK_CONFIGURED, "SIGTERM" },
};

/* A descriptor of them. A hangup is nothing to us. */
static int watch_signals(void)
{
	unsigned long set = 0;

	for (unsigned int i = 0; i < ARRAY_LEN(signals); i++)
		set |= signal_bit(signals[i].number);
	signals_block(set | signal_bit(SIGHUP) | signal_bit(SIGPIPE));
	return signals_open(set);
}

static int finish(struct tracer *t, int status)
{
	int error;

	tracer_close(t);
	if (t->writer.fd < 0)
		return status;
	tracer_record_symbols(t);
	error = trace_finish(&t->writer, &t->session);
	if (error)
		tracer_say(t, "recording: %s", error_text(error));
	return error ? 1 : status;
}

/* The exec that follows a change of root comes from PID 1, whoever changed
 * it. */
static int root_changed(struct tracer *t)
{
	struct stat s;

	if (!t->boot || t->switched || !t->exec_by_init)
		return 0;
	t->exec_by_init = 0;
	if (!t->root_ino || system_stat_path("/proc/1/root", &s))
		return 0;
	return s.st_dev != t->root_dev || s.st_ino != t->root_ino;
}

/* 1: tracing ends. Who changes the root does not wait for a console: the report
 * is of the moment of the request. For a file he does, which is one of the old
 * root's. */
static int answer_request(struct tracer *t)
{
	struct control_message m;
	int client = control_accept(t->control_fd, &m);
	int switches, at_once, error;

	if (client < 0)
		return 0;
	switches = m.request == CONTROL_SWITCH_ROOT;
	tracer_take_stock(t, switches ? "switch-root" : "request");
	if (m.request <= CONTROL_SECTIONS) {
		control_grant(client);
		tracer_write_sections(t, &m, client);
		return 0;
	}
	at_once = switches && t->config->out != OUT_FILE;
	if (at_once)
		control_answer(client, 0);
	error = tracer_write(t, SINK_CONFIGURED);
	if (!at_once)
		control_answer(client, error);
	t->switched |= switches;
	return switches && !t->config->keep;
}

static void heartbeat(struct tracer *t, uint64_t now_ns)
{
	if (!t->config->heartbeat_s || now_ns < t->heartbeat_ns)
		return;
	if (t->heartbeat_ns)
		tracer_say_status(t, now_ns, "");
	t->heartbeat_ns = now_ns + t->config->heartbeat_s * 1000000000ull;
}

/* Where there is one CPU, the reboot waits until we have written. */
static void answer_reboot(struct tracer *t)
{
	tracer_take_stock(t, "reboot");
	if (t->reboot_tid)
		tracer_write(t, SINK_CONFIGURED);
	t->reboot_tid = 0;
}

/* Reports that signals asked for. 1: tracing ends, *status says how. */
static int answer_signals(struct tracer *t, int fd, int *status)
{
	unsigned long arrived = signals_arrived(fd);

	for (unsigned int i = 0; i < ARRAY_LEN(signals); i++) {
		if (!(arrived & signal_bit(signals[i].number)))
			continue;
		*status = tracer_report(t, signals[i].reason,
				       signals[i].target) != 0;
		if (signals[i].target != SINK_CONFIGURED)
			continue;
		/* A signal to all may make another ask for what we have. */
		poll(&t->poll[t->perf.rings + 1], 1, ASKER_MS);
		answer_request(t);
		return 1;
	}
	return 0;
}

int tracer_run(struct tracer *t)
{
	const uint64_t settle_ns = t->perf.rings > 1 ? SETTLE_NS : 0;
	uint32_t watched = t->perf.rings;
	int signal_fd = watch_signals();
	long wait[2] = { 0, IDLE_NS };	/* the kernel's timespec */
	int status = 0;

	kmsg_baseline(&t->events, t->ledger.last_ns);
	if (signal_fd < 0)
		tracer_say(t, "signals are not heard: %s", error_text(errno));
	perf_poll_set(&t->perf, t->poll);
	t->poll[watched++] = (struct pollfd){ .fd = signal_fd,
					      .events = POLLIN };
	/* One that is -1 is passed over. */
	t->poll[watched++] = (struct pollfd){ .fd = t->control_fd,
					      .events = POLLIN };
	for (;;) {
		int asked = syscall(SYS_ppoll, t->poll, watched, wait,
				    NULL, 0) > 0;
		uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

		tracer_drain(t, now_ns - settle_ns);
		wait[1] = asked && t->perf.pending ? SETTLE_NS : IDLE_NS;
		if (t->reboot_tid)
			answer_reboot(t);
		heartbeat(t, now_ns);
		if (t->control_fd >= 0 && answer_request(t))
			return finish(t, 0);
		if (answer_signals(t, signal_fd, &status))
			return finish(t, status);
		if (root_changed(t)) {
			t->switched = 1;
			status = tracer_report(t, "switch-root",
					      SINK_CONFIGURED) != 0;
			if (!t->config->keep)
				return finish(t, status);
		}
	}
}
