/* SPDX-License-Identifier: MIT */
/*
 * hide [ARGUMENT...]: hides the parts of the kernel that hide= lists, in the
 * environment, where the kernel puts its parameters for the first process. Then
 * it becomes /memstrack with these arguments.
 *
 *	hide=CALL[:TEXT][,CALL[:TEXT]...]
 *
 * Such a system call fails as on a kernel that was built without this part.
 * With TEXT it fails only if its string argument contains TEXT. A seccomp
 * filter cannot read strings, so it asks: a child, forked before the filter was
 * set, reads the string and answers (since Linux 5.5). The real init has the
 * same filter, and must be able to mount and to run its shell. So only our own
 * calls fail: a mount() whose source is memstrack's name or NULL, and a pipe2()
 * with close-on-exec.
 *
 * hide=slow hides nothing, but perf_event_open() takes long, as on a machine of
 * many CPUs. /slow then holds "calls=ALL before=THOSE": how many there were, and
 * how many before PID 1 last executed a program.
 *
 * With cmdline= in the environment, /proc/cmdline holds that text, wherever
 * there is such a file: `hide boot` then is, in a guest that runs, what
 * rdinit=/memstrack is in one that boots with this command line.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define TEXT_BYTES 256
#define SLOW_US 22000
#define CALLS (sizeof(calls) / sizeof(calls[0]))

static const struct call {
	const char *name;
	int number, text;	/* the argument that is a string, or -1 */
	int error;
} calls[] = {
	{ "perf", SYS_perf_event_open, -1, ENOSYS },
	{ "mount", SYS_mount, 2, ENODEV },
	{ "mknod", SYS_mknod, 0, EPERM },
	{ "mkdir", SYS_mkdir, 0, EPERM },
	{ "openat", SYS_openat, 1, ENOENT },
	{ "mlockall", SYS_mlockall, -1, EPERM },
	{ "unshare", SYS_unshare, -1, EPERM },
	{ "pipe", SYS_pipe2, -1, EMFILE },
	{ "execve", SYS_execve, -1, EPERM },
};

/* A byte each, so that the end of a page ends it, not all of it. */
static void read_text(pid_t pid, __u64 addr, char *text)
{
	struct iovec from[TEXT_BYTES - 1];
	struct iovec to = { text, TEXT_BYTES - 1 };

	for (size_t i = 0; i < TEXT_BYTES - 1; i++)
		from[i] = (struct iovec){ (void *)(addr + i), 1 };
	memset(text, 0, TEXT_BYTES);
	if (addr)
		process_vm_readv(pid, &to, 1, from, TEXT_BYTES - 1, 0);
}

/* The errno of a call, or 0: it is not hidden. */
static int hidden(const struct seccomp_notif *n, const char *list)
{
	char text[TEXT_BYTES] = "", words[TEXT_BYTES], *at = words;
	const struct call *c = calls;
	const char *word;

	while (c->number != n->data.nr)
		c++;
	if (c->number == SYS_mount) {
		read_text((pid_t)n->pid, n->data.args[0], text);
		if (text[0] && strcmp(text, "memstrack"))
			return 0;
	}
	if (c->number == SYS_pipe2 && !(n->data.args[1] & O_CLOEXEC))
		return 0;
	if (c->text >= 0)
		read_text((pid_t)n->pid, n->data.args[c->text], text);
	snprintf(words, sizeof(words), "%s", list);
	while ((word = strsep(&at, ","))) {
		size_t len = strcspn(word, ":");

		if (strlen(c->name) == len && !memcmp(word, c->name, len) &&
		    (!word[len] || strstr(text, word + len + 1)))
			return c->error;
	}
	return 0;
}

/* The number of a descriptor that reads the text, new in the process that opens
 * its /proc/cmdline; 0: it opens another file, or none. */
static int given(int listener, const struct seccomp_notif *n,
		 const char *cmdline)
{
	struct seccomp_notif_addfd add = {
		.id = n->id, .newfd_flags = O_CLOEXEC,
	};
	char text[TEXT_BYTES];
	int fd, number;

	if (!cmdline || n->data.nr != SYS_openat)
		return 0;
	read_text((pid_t)n->pid, n->data.args[1], text);
	if (strcmp(text, "/proc/cmdline"))
		return 0;
	snprintf(text, sizeof(text), "/proc/%u/root/proc/cmdline", n->pid);
	if (access(text, R_OK))
		return 0;
	fd = memfd_create("cmdline", MFD_CLOEXEC);
	dprintf(fd, "%s\n", cmdline);
	lseek(fd, 0, SEEK_SET);
	add.srcfd = (__u32)fd;
	number = ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add);
	close(fd);
	return number > 0 ? number : 0;
}

static void slow_down(const struct seccomp_notif *n)
{
	static unsigned int calls_made, before;
	FILE *told;

	if (n->data.nr == SYS_perf_event_open) {
		usleep(SLOW_US);
		calls_made++;
	} else if (n->data.nr == SYS_execve && n->pid == 1) {
		before = calls_made;
	} else {
		return;
	}
	told = fopen("/slow", "w");
	if (!told)
		return;
	fprintf(told, "calls=%u before=%u\n", calls_made, before);
	fclose(told);
}

/* Until no process has the filter any more. */
static void answer(int listener, const char *list, const char *cmdline)
{
	struct pollfd asked = { listener, POLLIN, 0 };

	while (poll(&asked, 1, -1) > 0 && (asked.revents & POLLIN)) {
		struct seccomp_notif n = { 0 };
		struct seccomp_notif_resp r = { 0 };

		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &n))
			continue;	/* who asked has gone */
		if (!strcmp(list, "slow"))
			slow_down(&n);
		r.id = n.id;
		r.error = -hidden(&n, list);
		if (!r.error)
			r.val = given(listener, &n, cmdline);
		if (!r.error && !r.val)
			r.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &r);
	}
}

static int install(void)
{
	struct sock_filter f[CALLS + 3];
	const struct sock_fprog program = { CALLS + 3, f };

	f[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < CALLS; i++)
		f[i + 1] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (__u32)calls[i].number,
			(__u8)(CALLS - i), 0);
	f[CALLS + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
		SECCOMP_RET_ALLOW);
	f[CALLS + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
		SECCOMP_RET_USER_NOTIF);
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			    SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

int main(int argc, char *argv[])
{
	const char *list = getenv("hide");
	int to[2], listener = -1;

	(void)argc;
	/* The child shares our descriptors until we exec, and by number gets
	 * the one of the filter that it does not have. */
	if (!list || pipe2(to, O_CLOEXEC))
		return 1;
	if (!syscall(SYS_clone, (long)(CLONE_FILES | SIGCHLD), 0, 0, 0, 0)) {
		if (read(to[0], &listener, sizeof(listener)) ==
		    sizeof(listener))
			answer(listener, list, getenv("cmdline"));
		_exit(1);
	}
	listener = install();
	if (listener < 0 ||
	    write(to[1], &listener, sizeof(listener)) != sizeof(listener))
		return perror("hide"), 1;
	argv[0] = (char[]){ "/memstrack" };
	execv(argv[0], argv);
	return 1;
}
