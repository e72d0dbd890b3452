/* SPDX-License-Identifier: MIT */
/* A cgroup for the command: see run.h, cgroup. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/base.h"
#include "base/system.h"
#include "report/report.h"
#include "host/run/run.h"

#define FILE_BYTES (CGROUP_PATH_BYTES + 32)

/* Reads a file of a cgroup. Returns its bytes, or -errno. */
static ssize_t read_of(const char *dir, const char *name, char *text,
		       size_t size)
{
	char path[FILE_BYTES];

	print_to(path, sizeof(path), "%s/%s", dir, name);
	return readfile(path, text, size);
}

/* -ENOENT; or a number, UNKNOWN for "max". */
static int read_kib(const char *dir, const char *name, uint64_t *kib)
{
	char text[32];
	const ssize_t len = read_of(dir, name, text, sizeof(text));
	uint64_t bytes;

	if (len <= 0)
		return len ? (int)len : -EINVAL;
	text[length_to(text, '\n')] = '\0';
	*kib = parse_u64(text, strlen(text), 10, 0, UINT64_MAX, &bytes) ?
	       UNKNOWN : bytes / 1024;
	return 0;
}

uint64_t cgroup_count(const char *text, size_t len, const char *name)
{
	struct word rest = { text, len }, line, w;
	uint64_t value;

	while (rest.at && rest.len) {
		word_to(&rest, '\n', &line);
		next_word(&line, &w);
		if (word_is(&w, name) && next_word(&line, &w) &&
		    !word_number(&w, 10, &value))
			return value;
	}
	return 0;
}

static uint64_t count_of(const char *dir, const char *file, const char *name)
{
	char text[512];
	const ssize_t len = read_of(dir, file, text, sizeof(text));

	return len > 0 ? cgroup_count(text, (size_t)len, name) : 0;
}

/* Does it count the memory of the cgroups in it, each apart? */
static int divides_memory(const char *dir)
{
	char text[256];
	ssize_t len = read_of(dir, "cgroup.subtree_control", text,
			      sizeof(text));
	struct word rest, w;

	if (len <= 0)
		return 0;
	rest = (struct word){ text, length_to(text, '\n') };
	while (next_word(&rest, &w)->len)
		if (word_is(&w, "memory"))
			return 1;
	return 0;
}

/* The first limit of a cgroup that is set, or NULL. */
static const char *limit_of(const char *dir)
{
	static const char *const limits[] = {
		"memory.max", "memory.high", "memory.swap.max", "pids.max",
		"cpu.max",
	};
	char text[64];

	for (unsigned int i = 0; i < ARRAY_LEN(limits); i++)
		if (read_of(dir, limits[i], text, sizeof(text)) > 0 &&
		    strncmp(text, "max", 3) != 0)
			return limits[i];
	return NULL;
}

/* Cuts the last part off; not of the mount itself. 0: there is nothing above. */
static int go_up(const struct cgroup *g, char *dir)
{
	size_t len = strlen(dir);

	while (len > g->mount_len && dir[len] != '/')
		len--;
	if (len < g->mount_len || !dir[len])
		return 0;
	dir[len] = '\0';
	return 1;
}

static void find_mount(void *context, char *line, size_t len)
{
	struct cgroup *g = context;
	struct word rest = { line, len }, device, point, type;

	next_word(&rest, &device);
	next_word(&rest, &point);
	next_word(&rest, &type);
	if (g->mount_len || !word_is(&type, "cgroup2") ||
	    point.len >= PATH_BYTES)
		return;
	word_copy(&point, g->old_path, PATH_BYTES);
	g->mount_len = point.len;
}

/* "0::/user.slice": the path of version 2, from the mount on. */
static void find_own(void *context, char *line, size_t len)
{
	struct cgroup *g = context;

	if (len < 4 || memcmp(line, "0::/", 4) != 0)
		return;
	line += len == 4 ? 4 : 3;	/* the root is the mount itself */
	print_to(g->old_path + g->mount_len,
		 sizeof(g->old_path) - g->mount_len, "%s", line);
}

/* Where to make it: g->path. 0, or a reason in g->why. */
static int choose_place(struct cgroup *g)
{
	const char *limit;

	each_line("/proc/self/mounts", find_mount, g);
	if (!g->mount_len) {
		print_to(g->why, sizeof(g->why), "no cgroup2 is mounted");
		return -ENOENT;
	}
	each_line("/proc/self/cgroup", find_own, g);
	memcpy(g->path, g->old_path, sizeof(g->path));
	if (divides_memory(g->path))
		return 0;
	if (!go_up(g, g->path) || !divides_memory(g->path)) {
		print_to(g->why, sizeof(g->why), "%s does not count memory "
			 "(cgroup.subtree_control)", g->path);
		return -ENOENT;
	}
	limit = limit_of(g->old_path);
	if (limit)
		print_to(g->why, sizeof(g->why), "%s of %s would no longer "
			 "hold", limit, g->old_path);
	return limit ? -EPERM : 0;
}

/* Cgroups above ours: how often memory ran out at their own limit. The limit
 * that was reached first since `before` is kept. */
static void look_above(struct cgroup *g, int again)
{
	char dir[CGROUP_PATH_BYTES];

	memcpy(dir, g->path, sizeof(dir));
	for (unsigned int i = 0; i < RUN_CGROUPS; i++) {
		const uint64_t ooms = count_of(dir, "memory.events.local",
					       "oom");

		if (again && ooms > g->ooms[i] && !g->limit_path[0]) {
			memcpy(g->limit_path, dir, sizeof(dir));
			if (read_kib(dir, "memory.max", &g->limit_kib))
				g->limit_kib = UNKNOWN;
		}
		g->ooms[i] = ooms;
		if (!go_up(g, dir))
			break;
	}
}

static int move(const char *dir, unsigned int pid)
{
	char path[FILE_BYTES], number[16];

	print_to(path, sizeof(path), "%s/cgroup.procs", dir);
	print_to(number, sizeof(number), "%u", pid);
	return writefile(path, number);
}

void cgroup_begin(struct cgroup *g, pid_t pid)
{
	size_t len;
	int error;

	*g = (struct cgroup){ .peak_kib = UNKNOWN, .limit_kib = UNKNOWN };
	if (choose_place(g))
		return;
	len = strlen(g->path);
	print_to(g->path + len, sizeof(g->path) - len,
		 "/memstrack-run.%u", (unsigned int)pid);
	error = (int)syscall(SYS_mkdirat, AT_FDCWD, g->path, 0755) ? -errno : 0;
	if (!error) {
		error = move(g->path, (unsigned int)pid);
		if (error)
			syscall(SYS_unlinkat, AT_FDCWD, g->path, AT_REMOVEDIR);
	}
	if (error) {
		print_to(g->why, sizeof(g->why), "%s: %s", g->path,
			 error_text(error));
		return;
	}
	g->made = 1;
	look_above(g, 0);
}

static void send_back(void *context, char *line, size_t len)
{
	const struct cgroup *g = context;
	uint64_t pid;

	if (!parse_u64(line, len, 10, 1, UINT32_MAX, &pid))
		move(g->old_path, (unsigned int)pid);
}

void cgroup_end(struct cgroup *g)
{
	char path[FILE_BYTES];

	if (!g->made)
		return;
	if (read_kib(g->path, "memory.peak", &g->peak_kib))
		print_to(g->why, sizeof(g->why), "no memory.peak (it exists "
			 "since Linux 5.19)");
	g->max_events = count_of(g->path, "memory.events", "max");
	g->oom_kills = count_of(g->path, "memory.events", "oom_kill");
	look_above(g, 1);
	print_to(path, sizeof(path), "%s/cgroup.procs", g->path);
	each_line(path, send_back, g);
	if (syscall(SYS_unlinkat, AT_FDCWD, g->path, AT_REMOVEDIR))
		print_to(g->why, sizeof(g->why), "%s remains: %s", g->path,
			 error_text(errno));
}
