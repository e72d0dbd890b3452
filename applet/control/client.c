/* SPDX-License-Identifier: MIT */
/* The client's end of the control socket: see control.h. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/base.h"
#include "base/system.h"
#include "control/control.h"

/* --- ask: a request to the tracer, and its answer */

#define CONTROL_RETRY_MS 10

/* Reads the tracer's answer from fd. Returns fd, or closes fd and returns
 * -errno. */
static int hear(int fd, int64_t deadline)
{
	unsigned char answer;
	int err = deadline_wait_readable(fd, deadline);

	if (!err)
		err = read(fd, &answer, 1) == 1 ? -(int)answer : -ECONNRESET;
	if (!err)
		return fd;
	close(fd);
	return err;
}

/* A tracer that refuses answers without reading. Then the send fails, but the
 * answer can be read. */
int control_send(struct control_way *way, const struct control_message *m,
		 int64_t deadline)
{
	const int fd = control_reach(way, deadline);

	if (fd >= 0)
		given_send(fd, m, CONTROL_BYTES, m->file);
	return fd;
}

/* Others may fill the backlog, and the tracer gives up a client that has sent
 * nothing when the next one connects. In both cases nothing was done, so the
 * request is repeated. */
int control_ask(struct control_way *way, const struct control_message *m,
		int timeout_ms)
{
	const int64_t deadline = deadline_after(timeout_ms);
	int fd, before = 0;

	for (;;) {
		fd = control_send(way, m, deadline);
		if (fd >= 0)
			fd = hear(fd, deadline);
		/* The last time may be too short for an answer. */
		if (fd == -ETIMEDOUT && before)
			return before;
		if (fd != -EAGAIN || !deadline_left_ms(deadline))
			return fd;
		before = fd;
		poll(NULL, 0, CONTROL_RETRY_MS);
	}
}

int control_ask_once(enum control_request request, const char *sections,
		     int timeout_ms)
{
	struct control_message m = {
		.request = (unsigned char)request, .file = -1,
	};
	struct control_way way = { 0 };

	print_to(m.sections, PATH_BYTES, "%s", sections);
	return control_ask(&way, &m, timeout_ms);
}

const char *control_why(int error)
{
	if (error == -ECONNREFUSED)
		return "no tracer runs";
	if (error == -ESRCH)
		return "the tracer is in a pid namespace that cannot be seen "
		       "from here";
	return error_text(error);
}

/* --- client: requests to a tracer that runs already */

static int complain_of_asking(int error)
{
	return complain("report", "%s", control_why(error));
}

int client_report(void)
{
	const int fd = control_ask_once(CONTROL_REPORT, "", REPORT_TIMEOUT_MS);

	return fd < 0 ? complain_of_asking(fd) : 0;
}

int client_phase(const char *name)
{
	struct control_message m = {
		.request = CONTROL_PHASE, .file = -1,
	};
	struct control_way way = { 0 };
	int fd;

	if (!phase_is_name(name))
		return complain("mark", "%s: not a name of 1 to %u letters, "
				"digits and signs", name, PHASE_NAME_BYTES - 1);
	print_to(m.sections, PATH_BYTES, "%s", name);
	fd = control_send(&way, &m, deadline_after(REACH_TIMEOUT_MS));
	if (fd < 0)
		return complain("mark", "%s", control_why(fd));
	close(fd);
	return 0;
}

static void wait_for_signal(void)
{
	const unsigned long ends = signal_bit(SIGINT) | signal_bit(SIGTERM);

	signals_block(ends | signal_bit(SIGHUP));
	signals_wait(ends);
}

int client_sections(const struct config *c, struct sink *sink)
{
	struct lines lines;
	int whole = 0;
	char *line;
	size_t len;
	int fd, error;

	wait_for_signal();
	fd = control_ask_once((enum control_request)c->throttle_percent,
			      c->sections, REPORT_TIMEOUT_MS);
	if (fd < 0)
		return complain_of_asking(fd);
	system_fcntl(fd, F_SETFL, 0);	/* reads wait now */
	error = sink_begin(sink, c, SINK_CONFIGURED);
	lines_begin(&lines, fd);
	while (!error && (line = lines_next(&lines, &len))) {
		sink->out.line(&sink->out, line, len);
		whole = *line == '(' || find_text(line, len, " END =");
	}
	if (!error)
		error = sink_end(sink);
	if (!whole)
		complain("report", "the text is cut off");
	return error || !whole;
}
