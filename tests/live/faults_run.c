/* SPDX-License-Identifier: MIT */
/*
 * faults_run DIR FAULTS PROGRAM [ARG...]: one run of PROGRAM as PID 1 of new
 * namespaces, for faults.py. DIR/root is its root; what DIR/new shows, if it is
 * there, is mounted on /new.
 *
 * FAULTS are words WHO,PHASE,NUMBER,NTH,WHAT: at the NTH system call NUMBER
 * that WHO (p: PID 1, c: its child) makes in PHASE, WHAT happens: the call
 * fails with that errno and does nothing; or "kill", "stop": the child gets the
 * signal before the call. The child's first poll() begins PHASE 1. It is held
 * until init waits for its children, and SIGTERM is sent before it goes on: so
 * the calls of a report come in the same order in every run. A child that was
 * stopped is continued when init waits for its children.
 *
 * Time is virtual, so no load changes a run. PID 1 and its child never run at
 * once: the child's calls are answered when PID 1 waits for the child, or has
 * become init; all are on one CPU, 0 or 1. A wait of PID 1 takes no time if it
 * is for something that the child does. If the child cannot go on, because it
 * is stopped, has ended or is held here, or because it has been asleep at
 * ASLEEP_LOOKS looks in a row, then the time that PID 1 wanted to wait has
 * passed at once. Both clocks show these waits and nothing else, but in PHASE
 * 1 that of the child goes on by a millisecond each time it is read. The
 * tracer sees the events of PID 1 alone.
 *
 * What is opened under a name that DIR/given has is that file instead: so the
 * tracer, whose /proc is its own, reads our command line, and nothing of this
 * machine is changed: not its kernel log, its console, its kptr_restrict. It
 * has no instances of tracefs for us either.
 *
 * PID 1 is told that process 2 is of process group 0, as kthreadd is, for it is
 * to take itself for the machine's.
 *
 * By seccomp's notifications, with what came in Linux 5.14: strace counts the
 * calls of all processes alike, so that no fault can be had in one alone, and
 * it cannot hand out other files. Exit status 77: no such thing here.
 *
 * Prints "call WHO PHASE NUMBER" for each, "fault FAULT" for each injected,
 * "init MS" from the exec of PROGRAM to that of another, "hang" where nobody
 * goes on any more, or somebody goes on for ever.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>

#define CALLS 1024
#define RESULT_FD 9
#define TELL_FD 777	/* the one descriptor that may be written unnoticed */
#ifdef SYS_clock_gettime64
#define CLOCK SYS_clock_gettime64
#else
#define CLOCK SYS_clock_gettime
#endif
#ifndef SYS_poll		/* arm64, riscv64 */
#define SYS_poll SYS_ppoll
#define SYS_mkdir SYS_mkdirat
#endif
#define LOOK_MS 20
#define ASLEEP_LOOKS 100
#define CALLS_MOST 100000	/* in a run; 2,000 are usual */
#define POLLS_MOST 20		/* of a child whose end was asked for */
#define QUEUE 4

enum { PID_1, CHILD };

struct run {
	const char *dir;
	char *faults;
	struct stat program;
	FILE *log;
	int listener;
	pid_t pid[2];			/* PID 1, its child */
	pid_t stopped;			/* the child, or one of its own */
	int phase;			/* of the child */
	int execs, is_init, init_waits, hangs;
	int pid_1_runs, saw_child;
	unsigned int calls[2][2][CALLS], all_calls, polls, looks;
	struct seccomp_notif held;	/* the child's first poll(), or 0 */
	struct seccomp_notif queue[QUEUE];	/* the child's: PID 1 runs */
	unsigned int queued;
	struct seccomp_notif wait;	/* PID 1's poll(), or 0 */
	int wait_ms;			/* its timeout */
	int wait_fd;			/* our copy of its descriptor */
	int event;			/* our copy: it has no filter yet */
	int64_t start_ns, passed_ms;
	int64_t phase_ns;		/* the child's in PHASE 1 */
};

static int bail(const char *what)
{
	fprintf(stderr, "faults_run: %s: %s\n", what, strerror(errno));
	return -1;
}

/* --- what becomes PID 1 --------------------------------------------------- */

/* Calls that are looked at in every run. */
static const int always[] = {
	SYS_execve, SYS_wait4, SYS_setsid, SYS_ppoll, SYS_getpgid, SYS_write,
	SYS_openat, SYS_mkdirat, SYS_perf_event_open, SYS_ioctl, CLOCK,
	SYS_sysinfo, SYS_poll, SYS_mkdir,
};

struct filter {
	struct sock_filter code[64];
	unsigned short len;
};

static void add(struct filter *f, unsigned int code, size_t k,
		unsigned char yes, unsigned char no)
{
	f->code[f->len++] = (struct sock_filter){
		(unsigned short)code, yes, no, (unsigned int)k,
	};
}

/* Loads the lower half of a word. */
static void load(struct filter *f, size_t at)
{
	const int low = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0;

	add(f, BPF_LD | BPF_W | BPF_ABS, at + (size_t)low, 0, 0);
}

/* The next instruction is for this number alone. */
static void only_for(struct filter *f, long number)
{
	add(f, BPF_JMP | BPF_JEQ | BPF_K, (size_t)number, 0, 1);
}

/* Each call costs two changes of process. So only those that matter to the run
 * are looked at: all, if it is to find out what calls there are. */
static void make_filter(struct filter *f, const char *faults)
{
	const size_t nr = offsetof(struct seccomp_data, nr);
	const unsigned int ret = BPF_RET | BPF_K;
	int number;

	load(f, offsetof(struct seccomp_data, instruction_pointer));
	add(f, BPF_JMP | BPF_JGE | BPF_K, INIT_AT, 0, 4);
	add(f, BPF_LD | BPF_W | BPF_ABS, nr, 0, 0);
	only_for(f, SYS_wait4);
	add(f, ret, SECCOMP_RET_USER_NOTIF, 0, 0);
	add(f, ret, SECCOMP_RET_ALLOW, 0, 0);
	add(f, BPF_LD | BPF_W | BPF_ABS, nr, 0, 0);
	add(f, BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 0, 4);
	load(f, offsetof(struct seccomp_data, args));
	only_for(f, TELL_FD);
	add(f, ret, SECCOMP_RET_ALLOW, 0, 0);
	add(f, ret, SECCOMP_RET_USER_NOTIF, 0, 0);
	for (size_t i = 0; i < sizeof(always) / sizeof(*always); i++) {
		only_for(f, always[i]);
		add(f, ret, SECCOMP_RET_USER_NOTIF, 0, 0);
	}
	for (const char *s = faults; sscanf(s, " %*c,%*d,%d", &number) == 1;
	     s += strcspn(s + 1, " ") + 1) {
		only_for(f, number);
		add(f, ret, SECCOMP_RET_USER_NOTIF, 0, 0);
	}
	add(f, ret, *faults ? SECCOMP_RET_ALLOW : SECCOMP_RET_USER_NOTIF, 0, 0);
}

static int listen_to_calls(const char *faults)
{
	struct filter filter = { .len = 0 };
	struct sock_fprog program = { .filter = filter.code };

	make_filter(&filter, faults);
	program.len = filter.len;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			    SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

static int enter_root(const char *dir)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) || chdir(dir) ||
	    mount("root", "root", NULL, MS_BIND, NULL))
		return -1;
	if (mount("new", "root/new", NULL, MS_BIND, NULL) && errno != ENOENT)
		return -1;
	return chdir("root") || mount(".", "/", NULL, MS_MOVE, NULL) ||
	       chroot(".") || chdir("/cwd");
}

/* Descriptors are shared with the parent until the exec. */
static int become(const struct run *r, char *argv[])
{
	char *const envp[] = { "A=1", "B=x  y", "HOME=/", NULL };
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_SETMASK, &set, NULL);
	signal(SIGTTIN, SIG_IGN);
	umask(027);
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fd = enter_root(r->dir) ? bail("root") : listen_to_calls(r->faults);
	if (write(TELL_FD, &fd, sizeof(fd)) != sizeof(fd) || fd < 0)
		return 77;
	execve(argv[0], argv, envp);
	return 1;
}

/* --- its memory ----------------------------------------------------------- */

typedef ssize_t copy(pid_t pid, const struct iovec *here, unsigned long n_here,
		     const struct iovec *there, unsigned long n_there,
		     unsigned long flags);

/* process_vm_readv() or process_vm_writev() at an argument. */
static int move(copy *copy, const struct seccomp_notif *n, int argument,
		void *data, size_t bytes)
{
	const struct iovec here = { data, bytes };
	const struct iovec there = {
		(void *)(uintptr_t)n->data.args[argument], bytes
	};

	return copy((pid_t)n->pid, &here, 1, &there, 1, 0) != (ssize_t)bytes;
}

/* Our own descriptor of what it has open. */
static int copy_of(const struct seccomp_notif *n, int fd)
{
	const int process = (int)syscall(SYS_pidfd_open, n->pid, 0);
	const int copy = (int)syscall(SYS_pidfd_getfd, process, fd, 0);

	close(process);
	return copy;
}

/* --- files given instead -------------------------------------------------- */

#define TEXT_BYTES 256

static void read_text(const struct seccomp_notif *n, int argument, char *text)
{
	size_t bytes = TEXT_BYTES - 1;

	memset(text, 0, TEXT_BYTES);
	/* The string may end at the end of a page, with none behind. */
	while (bytes && move(process_vm_readv, n, argument, text, bytes))
		bytes--;
}

/* Nothing is traced by an instance of this machine's tracefs. */
static int is_instance(const struct seccomp_notif *n)
{
	char path[TEXT_BYTES];

	if (n->data.nr != SYS_mkdir && n->data.nr != SYS_mkdirat)
		return 0;
	read_text(n, n->data.nr == SYS_mkdirat, path);
	return strstr(path, "/instances/") != NULL;
}

static int open_given(const struct run *r, const struct seccomp_notif *n)
{
	char path[TEXT_BYTES], given[512];
	int flags = (int)n->data.args[2];
	const char *name;

	read_text(n, 1, path);
	name = strrchr(path, '/');
	name = name ? name + 1 : path;
	if (!strstr(path, "/sys/"))
		flags |= O_APPEND;	/* it stands for a log */
	snprintf(given, sizeof(given), "%s/given/%s", r->dir, name);
	return *name ? open(given, flags & ~(O_CREAT | O_NOFOLLOW |
					     O_DIRECTORY)) : -1;
}

/* --- events of PID 1 alone ------------------------------------------------ */

/*
 * So what else the machine does is not in the report. An event takes one filter.
 * The tracer may set one after it has opened the event: ours is added to it.
 * Other events get ours at the next call about events, before they are enabled.
 */

/* `own` is the tracer's filter with " && ", or "". 0 or an errno. */
static int filter_event(struct run *r, const char *own)
{
	char text[TEXT_BYTES + 32];
	int error = 0;

	snprintf(text, sizeof(text), "%scommon_pid == %d", own,
		 r->pid[PID_1]);
	if (r->event >= 0 &&
	    ioctl(r->event, PERF_EVENT_IOC_SET_FILTER, text))
		error = errno;
	close(r->event);
	r->event = -1;
	return error;
}

static int open_event(struct run *r, const struct seccomp_notif *n)
{
	struct perf_event_attr attr;
	int leader;

	filter_event(r, "");
	if (move(process_vm_readv, n, 0, &attr, sizeof(attr)) ||
	    attr.type != PERF_TYPE_TRACEPOINT)
		return -1;
	leader = copy_of(n, (int)n->data.args[3]);
	r->event = (int)syscall(SYS_perf_event_open, &attr, -1,
				(int)n->data.args[2], leader,
				PERF_FLAG_FD_CLOEXEC);
	close(leader);
	return fcntl(r->event, F_DUPFD_CLOEXEC, 0);
}

static int sets_filter(const struct seccomp_notif *n)
{
	return n->data.nr == SYS_ioctl &&
	       (unsigned int)n->data.args[1] == PERF_EVENT_IOC_SET_FILTER;
}

static int add_to_filter(struct run *r, const struct seccomp_notif *n)
{
	char text[TEXT_BYTES];

	read_text(n, 2, text);
	snprintf(text + strlen(text), sizeof(text) - strlen(text), " && ");
	return filter_event(r, text);
}

/* --- answers -------------------------------------------------------------- */

static void send_answer(const struct run *r, struct seccomp_notif_resp *answer)
{
	ioctl(r->listener, SECCOMP_IOCTL_NOTIF_SEND, answer);
}

static void do_call(const struct run *r, const struct seccomp_notif *n)
{
	send_answer(r, &(struct seccomp_notif_resp){
		.id = n->id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE,
	});
}

/* The call is not made: it returns 0, or fails. */
static void make_up(const struct run *r, const struct seccomp_notif *n,
		    int error)
{
	send_answer(r, &(struct seccomp_notif_resp){
		.id = n->id, .error = -error,
	});
}

static int is_pid_1(const struct run *r, const struct seccomp_notif *n)
{
	return (pid_t)n->pid == r->pid[PID_1];
}

/* Half of the memory is free, at any time. */
static void answer_sysinfo(const struct run *r, const struct seccomp_notif *n)
{
	const struct sysinfo free = {
		.totalram = 262144, .freeram = 131072, .mem_unit = 4096,
	};

	make_up(r, n, move(process_vm_writev, n, 0, (void *)&free,
			   offsetof(struct sysinfo, mem_unit) +
			   sizeof(free.mem_unit)) ? EFAULT : 0);
}

/* --- time ----------------------------------------------------------------- */

static int64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static void answer_clock(struct run *r, const struct seccomp_notif *n)
{
	const int in_phase_1 = !is_pid_1(r, n) && r->phase;
	const int64_t ns = (in_phase_1 ? r->phase_ns : r->start_ns) +
			   r->passed_ms * 1000000;
	int64_t now[2] = { ns / 1000000000, ns % 1000000000 };

	make_up(r, n, move(process_vm_writev, n, 1, now, sizeof(now)) ?
		EFAULT : 0);
	if (in_phase_1)
		r->phase_ns += 1000000;
}

static int is_poll(const struct seccomp_notif *n)
{
	return n->data.nr == SYS_poll || n->data.nr == SYS_ppoll;
}

/* How long a poll() wants to wait; -1: for ever. */
static int timeout_ms(const struct seccomp_notif *n)
{
	int64_t timeout[2];

	if (n->data.nr != SYS_ppoll)
		return (int)n->data.args[2];
	if (move(process_vm_readv, n, 2, timeout, sizeof(timeout)))
		return -1;
	return (int)(timeout[0] * 1000 + timeout[1] / 1000000);
}

/* PID 1 waits for one descriptor, or for none. */
static void begin_wait(struct run *r, const struct seccomp_notif *n)
{
	struct pollfd p = { .fd = -1 };

	r->wait = *n;
	r->wait_ms = timeout_ms(n);
	if (n->data.args[1] && !move(process_vm_readv, n, 0, &p, sizeof(p)))
		r->wait_fd = copy_of(n, p.fd);
}

/* Our copy must not outlive PID 1's descriptor. */
static void end_wait(struct run *r, int in_time)
{
	if (r->wait_fd >= 0)
		close(r->wait_fd);
	r->wait_fd = -1;
	r->passed_ms += in_time ? 0 : r->wait_ms;
	r->pid_1_runs = 1;
	if (in_time)
		do_call(r, &r->wait);
	else
		make_up(r, &r->wait, 0);
	r->wait.pid = 0;
}

/* T: stopped, Z: has ended and is not reaped, S: asleep; 0: is no more. */
static char state_of(pid_t pid)
{
	char path[32], line[256] = "", *end;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		read(fd, line, sizeof(line) - 1);
		close(fd);
	}
	end = strrchr(line, ')');	/* of its name */
	return end && end[1] ? end[2] : 0;
}

static int is_one_of(char state, const char *states)
{
	return !state || strchr(states, state);
}

/* --- each call ------------------------------------------------------------ */

/* The first look whether the child has ended comes too early, as it would on a
 * slow machine. */
static int is_too_early(struct run *r, const struct seccomp_notif *n)
{
	return is_pid_1(r, n) && n->data.nr == SYS_wait4 &&
	       (n->data.args[2] & WNOHANG) && !r->saw_child++;
}

static void go_on(struct run *r, const struct seccomp_notif *n)
{
	const int number = n->data.nr;
	const int fd = number == SYS_openat ? open_given(r, n) :
		       number == SYS_perf_event_open ? open_event(r, n) : -1;
	const int is_of_kthreadd = number == SYS_getpgid && n->data.args[0] == 2;
	struct seccomp_notif_addfd given = {
		.id = n->id, .srcfd = (unsigned int)fd,
		.flags = SECCOMP_ADDFD_FLAG_SEND, .newfd_flags = O_CLOEXEC,
	};

	if (number == SYS_ioctl && !sets_filter(n))
		filter_event(r, "");
	if (is_pid_1(r, n) && is_poll(n) && timeout_ms(n))
		begin_wait(r, n);
	else if (number == CLOCK && n->data.args[0] == CLOCK_MONOTONIC)
		answer_clock(r, n);
	else if (number == SYS_sysinfo)
		answer_sysinfo(r, n);
	else if (is_of_kthreadd || is_too_early(r, n))
		make_up(r, n, 0);
	else if (sets_filter(n))
		make_up(r, n, add_to_filter(r, n));
	else if (fd < 0 ||
		 ioctl(r->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &given) < 0)
		do_call(r, n);
	if (fd >= 0)
		close(fd);
}

/* The errno, 0 for no fault, -1 for a signal. */
static int fault(struct run *r, const struct seccomp_notif *n, int who,
		 int phase)
{
	const int number = n->data.nr;
	unsigned int nth = ++r->calls[who][phase][number % CALLS];
	char call[64], what[16] = "";
	const char *at;

	fprintf(r->log, "call %c %d %d\n", "pc"[who], phase, number);
	r->hangs |= ++r->all_calls > CALLS_MOST;
	snprintf(call, sizeof(call), "%c,%d,%d,%u,", "pc"[who], phase, number,
		 nth);
	at = strstr(r->faults, call);
	if (!at || sscanf(at + strlen(call), "%15s", what) != 1)
		return 0;
	fprintf(r->log, "fault %s%s\n", call, what);
	if (!strcmp(what, "stop"))
		r->stopped = (pid_t)n->pid;
	else if (strcmp(what, "kill"))
		return atoi(what);
	kill((pid_t)n->pid, r->stopped ? SIGSTOP : SIGKILL);
	return -1;
}

static void on_counted_call(struct run *r, const struct seccomp_notif *n)
{
	const int who = is_pid_1(r, n) ? PID_1 : CHILD;
	const int error = fault(r, n, who, who && r->phase);

	if (error > 0)
		make_up(r, n, error);
	else if (!error && is_instance(n))
		make_up(r, n, EPERM);
	else if (!error)
		go_on(r, n);
}

/* As init waits for its children, the tracer's end is asked for. */
static void ask_for_end(struct run *r)
{
	r->phase_ns = clock_ns();
	kill(r->pid[CHILD], SIGTERM);
	on_counted_call(r, &r->held);
	r->held.pid = 0;
}

static void on_childs_call(struct run *r, const struct seccomp_notif *n)
{
	if (!r->pid[CHILD])
		r->pid[CHILD] = (pid_t)n->pid;
	if (!is_poll(n) || r->phase) {
		r->hangs |= is_poll(n) && r->init_waits &&
			    ++r->polls > POLLS_MOST;
		on_counted_call(r, n);
		return;
	}
	r->phase = 1;
	r->held = *n;
	if (r->init_waits)
		ask_for_end(r);
}

static void let_child_run(struct run *r)
{
	r->pid_1_runs = 0;
	for (unsigned int i = 0; i < r->queued; i++)
		on_childs_call(r, &r->queue[i]);
	r->queued = 0;
}

/* A shim that has become init: 1. */
static int look_at_exec(struct run *r)
{
	char path[64];
	struct stat exe;

	snprintf(path, sizeof(path), "/proc/%d/exe", r->pid[PID_1]);
	r->is_init = !stat(path, &exe) && (exe.st_ino != r->program.st_ino ||
					   exe.st_dev != r->program.st_dev);
	if (r->is_init)
		fprintf(r->log, "init %lld\n", (long long)r->passed_ms);
	return r->is_init;
}

static int waits_for_child(const struct run *r, const struct seccomp_notif *n)
{
	return r->wait.pid || r->is_init ||
	       (n->data.nr == SYS_wait4 && !(n->data.args[2] & WNOHANG));
}

static void on_pid_1s_call(struct run *r, const struct seccomp_notif *n)
{
	r->pid_1_runs = 1;
	if (!r->execs) {
		r->execs = n->data.nr == SYS_execve;
		do_call(r, n);
	} else if (!r->is_init && !look_at_exec(r)) {
		on_counted_call(r, n);
	} else {
		do_call(r, n);
		if (n->data.nr == SYS_wait4 && !r->init_waits++ && r->held.pid)
			ask_for_end(r);
	}
	if (waits_for_child(r, n))
		let_child_run(r);
}

static void on_call(struct run *r, const struct seccomp_notif *n)
{
	r->looks = 0;
	if (is_pid_1(r, n))
		on_pid_1s_call(r, n);
	else if (!r->pid_1_runs)
		on_childs_call(r, n);
	else if (r->queued < QUEUE)
		r->queue[r->queued++] = *n;
}

/* --- when nothing is called ----------------------------------------------- */

/* The child cannot go on, or nobody has for long. */
static int is_in_vain(struct run *r)
{
	const pid_t child = r->pid[CHILD];
	const char state = state_of(r->stopped ? r->stopped : child);

	if (r->wait.pid && r->wait_ms >= 0) {
		if (!child)	/* it has just been made */
			return 0;
		if (r->held.pid || is_one_of(state, "TZ"))
			return 1;
	}
	if (!is_one_of(state_of(r->pid[PID_1]), "S") ||
	    !is_one_of(state_of(child), "STZ"))
		r->looks = 0;
	return ++r->looks > ASLEEP_LOOKS;
}

/* What came after the states were read is seen by the last poll(). */
static void on_silence(struct run *r, struct pollfd p[2])
{
	const int is_stopped = r->stopped && state_of(r->stopped) == 'T';
	const int pid_1_sleeps = r->pid_1_runs && r->queued &&
				 state_of(r->pid[PID_1]) == 'S';
	const int in_vain = is_in_vain(r);

	if (poll(p, 2, 0))
		return;
	if (r->stopped && r->init_waits) {
		if (!is_stopped)
			return;
		kill(r->stopped, SIGCONT);
		r->stopped = 0;
	} else if (pid_1_sleeps) {	/* it waits in another way */
		let_child_run(r);
	} else if (in_vain) {
		r->hangs |= !r->wait.pid || r->wait_ms < 0;
		if (r->wait.pid)
			end_wait(r, 0);
	}
}

/* What PID 1 waits for comes before the child's next call. */
static int watch(struct run *r)
{
	struct pollfd p[2] = {
		{ .fd = r->listener, .events = POLLIN }, { .events = POLLIN },
	};

	while (!(p[0].revents & POLLHUP) && !r->hangs) {
		struct seccomp_notif n = { 0 };

		p[1].fd = r->wait_fd;
		if (!poll(p, 2, LOOK_MS))
			on_silence(r, p);
		else if (p[1].revents)
			end_wait(r, 1);
		else if ((p[0].revents & POLLIN) &&
			 !ioctl(p[0].fd, SECCOMP_IOCTL_NOTIF_RECV, &n))
			on_call(r, &n);
	}
	if (r->hangs)
		fprintf(r->log, "hang\n");
	kill(r->pid[PID_1], SIGKILL);
	fclose(r->log);
	return waitpid(r->pid[PID_1], NULL, 0) < 0;
}

/* PID 1's descriptors 0 to 2, and the one for what init has to tell; ours is
 * out of the way. */
static int set_descriptors(struct run *r)
{
	int flags = O_WRONLY | O_CREAT | O_APPEND;
	int log = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, TELL_FD + 1);

	r->log = log < 0 ? NULL : fdopen(log, "w");
	if (!r->log || dup2(open("/dev/null", O_RDONLY), 0) < 0 ||
	    dup2(open("stderr", flags, 0600), 1) < 0 || dup2(1, 2) < 0 ||
	    dup2(open("result", flags, 0600), RESULT_FD) < 0)
		return -1;
	for (int fd = 3; fd < RESULT_FD; fd++)
		close(fd);
	return 0;
}

/* The tracer opens what it opens once for each CPU, and looks for events on it
 * again if it is moved meanwhile. */
static void stay_on_a_cpu(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(getpid() & 1, &set);
	sched_setaffinity(0, sizeof(set), &set);	/* there may be one only */
}

/* Raw, for its flags: new namespaces for the child, and one table of
 * descriptors for both. */
static pid_t fork_apart(void)
{
	return (pid_t)syscall(SYS_clone, (long)(CLONE_NEWPID | CLONE_NEWNS |
			      CLONE_FILES | SIGCHLD), NULL,
			      NULL, NULL, NULL);
}

int main(int argc, char *argv[])
{
	struct run r = { .wait_fd = -1, .event = -1 };
	int tell[2];

	if (argc < 4 || chdir(argv[1]) || stat("root/memstrack", &r.program))
		return -bail("usage: faults_run DIR FAULTS PROGRAM [ARG...]");
	r.dir = argv[1];
	r.faults = argv[2];
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	stay_on_a_cpu();
	if (set_descriptors(&r) || pipe2(tell, O_CLOEXEC) ||
	    dup3(tell[1], TELL_FD, O_CLOEXEC) < 0)
		return -bail("descriptors");
	close(tell[1]);
	r.pid[PID_1] = fork_apart();
	if (!r.pid[PID_1])
		_exit(become(&r, argv + 3));
	r.start_ns = clock_ns();
	if (r.pid[PID_1] < 0 || read(tell[0], &r.listener, sizeof(r.listener)) !=
	    sizeof(r.listener) || r.listener < 0)
		return 77;
	return watch(&r);
}
