/* SPDX-License-Identifier: MIT */
/* Requests to a tracer that runs already: see control.h, client. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "control/control.h"
#include "base/base.h"
#include "base/system.h"

static int complain_of_asking(int error)
{
	return complain("report", "%s", control_why(error));
}

int client_report(void)
{
	const int fd = control_ask(CONTROL_REPORT, "", REPORT_TIMEOUT_MS);

	return fd < 0 ? complain_of_asking(fd) : 0;
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
	fd = control_ask((enum control_request)c->throttle_percent,
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
		complain("report", "cut off");
	return error || !whole;
}
