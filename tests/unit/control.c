/* SPDX-License-Identifier: MIT */
/*
 * The control socket, both ends, and what comes of a client (cases/control) or a
 * tracer that does not keep to it. With a tracefs of its own, where no tracer of
 * the machine has the lock. Strangers, and other namespaces: tests/live/requests.t
 * and intruders.t. Requests that are none: tests/fuzz/control.c.
 */
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "control/control.h"
#include "base/system.h"
#include "cases.h"

#define LONG_MS 1000000	/* nothing that works waits so long */

static struct control_door door = { .silent = -1 };
static struct control_message asked_for;

/* A client in a process of its own; its exit status is what it was told. */
static pid_t client(enum control_request request)
{
	pid_t pid = fork();
	int fd;

	if (!pid) {
		fd = control_ask_once(request, "", LONG_MS);
		_exit(fd < 0 ? -fd : 0);
	}
	return pid;
}

static int told(pid_t pid)
{
	int status = 0;

	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void await(void)
{
	struct pollfd set[CONTROL_WATCHED];

	control_watch(&door, set);
	poll(set, CONTROL_WATCHED, LONG_MS);
}

/* The next client that says something. One that is too slow is told to come
 * again, and does. */
static int accept_next(void)
{
	int fd;

	do {
		await();
		fd = control_accept(&door, &asked_for);
	} while (fd < 0);
	return fd;
}

/* Connected to the tracer, nothing said. */
static int reach(void)
{
	struct control_way way = { 0 };
	int fd = control_reach(&way, deadline_after(REACH_TIMEOUT_MS));

	return fd >= 0 && way.pid == getpid() ? fd : -1;
}

/* The whole way, with the answer that the tracer gives. */
static void exchange(enum control_request asked,
		     int answer)
{
	pid_t pid = client(asked);
	int fd = accept_next();

	tap_ok(asked_for.request == asked, "'%c' arrives", asked);
	control_answer(fd, answer);
	tap_ok(told(pid) == (answer < 0 ? -answer : answer),
	       "'%c' answered %d is told so", asked, answer);
}

static int nobody_asks(void)
{
	return control_accept(&door, &asked_for) == -EAGAIN;
}

static void misbehaved_tracers(void)
{
	pid_t pid = client(CONTROL_REPORT);
	int fd = accept_next();

	close(fd);
	tap_ok(told(pid) == ECONNRESET, "a tracer that dies: ECONNRESET");
	tap_ok(control_ask_once(CONTROL_REPORT, "", 50) == -ETIMEDOUT,
	       "a tracer that does not answer: ETIMEDOUT");
	control_accept(&door, &asked_for);
}

/* Nobody gets in while the backlog is full, root either: he comes again. */
static void crowded(void)
{
	int crowd = 0;
	pid_t pid;

	/* One that has gone keeps its place until it is accepted. */
	while (crowd < 1000 && !close(reach()))
		crowd++;
	tap_ok(control_ask_once(CONTROL_REPORT, "", 1000) == -EAGAIN,
	       "behind %d others there is no room: EAGAIN", crowd);
	pid = client(CONTROL_REPORT);
	control_answer(accept_next(), 0);
	tap_ok(crowd < 1000 && told(pid) == 0,
	       "who waits gets in behind them");
}

/* A client too slow to speak is told EAGAIN, and asks once more. */
static void slow(void)
{
	pid_t pid = client(CONTROL_REPORT);

	await();
	control_answer(accept4(door.listener, NULL, NULL, 0), EAGAIN);
	control_answer(accept_next(), 0);
	tap_ok(told(pid) == 0, "who is told EAGAIN asks again");
}

/* Behind the answer, for how long to wait for the other. */
static void asks_for_the_rest(void)
{
	unsigned char bytes[3] = { 0 };
	pid_t pid = fork();
	int fd, good;

	if (!pid) {
		fd = control_ask_once(CONTROL_SWITCH_ROOT, "", LONG_MS);
		good = read(fd, bytes, 1) == 1 && bytes[0] == 60;
		deadline_wait_readable(fd, deadline_after(LONG_MS));
		good &= read(fd, bytes, 3) == 1 && bytes[0] == ENOSPC;
		_exit(good);
	}
	fd = accept_next();
	control_promise(fd, 60);
	poll(NULL, 0, 100);
	control_answer(fd, ENOSPC);
	tap_ok(told(pid) == 1, "an answer in two parts");
}

/* Of clients by hand, a and b, and the tracer: "reach a", "say a r", "close a",
 * "told a"; "late": who is silent has had his time; "accept". */
static void step(const char *text, char *out)
{
	static int client[2];
	unsigned char byte = 0;
	char word[8], who = 'a', what = 0;
	int *fd, asked;

	must(sscanf(text, "%7s %c %c", word, &who, &what) >= 1);
	fd = &client[who - 'a'];
	if (!strcmp(word, "reach")) {
		must((*fd = reach()) >= 0);
	} else if (!strcmp(word, "say")) {
		must(send(*fd, &what, 1, 0) == 1);
	} else if (!strcmp(word, "close")) {
		close(*fd);
	} else if (!strcmp(word, "late")) {
		door.silent_until_ms = deadline_after(0);
	} else if (!strcmp(word, "told")) {
		append(out, ", told %s", read(*fd, &byte, 1) != 1 ? "nothing" :
		       byte == EAGAIN ? "to come again" : error_text(byte));
	} else {
		asked = control_accept(&door, &asked_for);
		control_answer(asked, 0);
		append(out, "%s", *out ? ", " : "");
		if (asked >= 0)
			append(out, "%c", asked_for.request);
		else
			append(out, "%s%s", asked == -EAGAIN ? "nobody" :
			       error_text(asked), door.silent >= 0 ?
			       " but a silent one" : "");
	}
}

/* A tracefs and a lock file of sysfs of this test alone, where no tracer of the
 * machine has the lock: 0, or -1. */
static int own_tracefs(void)
{
	int fd;

	if (unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/sys/kernel", "tmpfs", 0, NULL) ||
	    mkdir("/sys/kernel/tracing", 0755))
		return -1;
	fd = open("/sys/kernel/tracing/README", O_CREAT, 0444);
	close(fd);
	if (fd < 0 || mount("none", "/sys/bus/platform", "tmpfs", 0, NULL))
		return -1;
	fd = open("/sys/bus/platform/drivers_autoprobe", O_CREAT, 0644);
	close(fd);
	return fd < 0 ? -1 : 0;
}

/* What another process is answered that would be a tracer, as its exit status;
 * `other` is the pid that it is to be told. It ends at once. */
static int listens(pid_t other)
{
	pid_t found = -1, pid = fork();
	int fd;

	if (!pid) {
		fd = control_listen(&found);
		_exit(found != other ? 255 : fd < 0 ? -fd : 0);
	}
	return told(pid);
}

/* A tracer that started where no tracefs was mounted. */
static void without_tracefs(void)
{
	unsigned char error = 1;
	pid_t pid, other;
	int ready[2], fd;

	if (pipe(ready))
		return;
	pid = fork();
	if (!pid) {
		if (unshare(CLONE_NEWNS) ||
		    mount("none", "/sys/kernel", "tmpfs", 0, NULL))
			_exit(1);
		fd = control_listen(&other);
		error = (unsigned char)(fd < 0 ? -fd : 0);
		write(ready[1], &error, 1);
		for (;;)
			pause();
	}
	read(ready[0], &error, 1);
	/* It also looks for a tracer of this machine. */
	if (error == EEXIST)
		printf("# a tracer runs here: not tested without tracefs\n");
	else
		tap_ok(!error, "a tracer that has no tracefs listens");
	tap_ok(error || listens(pid) == EEXIST,
	       "a second one, which has it, is told the pid of the first");
	tap_ok(error || control_ask_once(CONTROL_REPORT, "", 50) == -ETIMEDOUT,
	       "and a client, which has it, finds it");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	tap_ok(!listens(0), "once it is gone there is a place for another");
}

/* Where SIGCHLD is ignored, no child leaves a status. */
static void unawaited(void)
{
	pid_t pid;

	signal(SIGCHLD, SIG_IGN);
	pid = client(CONTROL_REPORT);
	signal(SIGCHLD, SIG_DFL);
	control_answer(accept_next(), 0);
	tap_ok(told(pid) == 0, "a client that ignores its children is heard");
}

int main(void)
{
	pid_t other = -1;

	if (own_tracefs())
		tap_skip("needs root, for a mount namespace of its own");
	tap_ok(control_ask_once(CONTROL_REPORT, "", LONG_MS) == -ECONNREFUSED,
	       "no tracer: ECONNREFUSED");
	without_tracefs();
	door.listener = control_listen(&other);
	tap_ok(door.listener >= 0 && !other, "the first tracer listens");
	tap_ok(nobody_asks(), "nobody asks: EAGAIN");
	tap_ok(listens(getpid()) == EEXIST,
	       "the second is told the pid of the first");
	tap_ok(nobody_asks(), "and its look is no request");
	exchange(CONTROL_REPORT, 0);
	exchange(CONTROL_SWITCH_ROOT, ENOSPC);
	exchange(CONTROL_SWITCH_ROOT, -EIO);
	unawaited();
	each_step("control", NULL, step);
	misbehaved_tracers();
	asks_for_the_rest();
	slow();
	crowded();
	return tap_plan_done();
}
