/* SPDX-License-Identifier: MIT */
/* CPUs that are online, or may be: see proc.h. */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/base.h"
#include "source/proc/proc.h"

static int cpu_range(struct word *range, uint64_t *first, uint64_t *last)
{
	int error = number_to(range, '-', 10, first);

	*last = *first;
	if (!error && range->at)
		error = word_number(range, 10, last);
	return error || *first > *last || *last >= CPUS_MAX;
}

int cpu_list(const char *text, size_t len, void (*set)(void *ctx, uint32_t cpu),
	     void *ctx)
{
	struct word rest = { text, len }, range;
	int count = 0;

	while (rest.len && text[rest.len - 1] == '\n')
		rest.len--;
	while (rest.len) {
		uint64_t first, last;

		if (cpu_range(word_to(&rest, ',', &range), &first, &last))
			return -EINVAL;
		for (; first <= last; first++, count++)
			set(ctx, (uint32_t)first);
	}
	return count;
}

/* Without sysfs, the CPUs on which we may run: at boot these are all CPUs. */
int proc_cpus(void (*set)(void *ctx, uint32_t cpu), void *ctx)
{
	enum { WORD_BITS = 8 * sizeof(long) };
	unsigned long mask[CPUS_MAX / WORD_BITS] = { 1 };
	char online[4096];
	ssize_t len = readfile(CPUS_ONLINE, online,
			       sizeof(online));
	int count = 0;

	if (len >= 0)
		return cpu_list(online, (size_t)len, set, ctx);
	syscall(SYS_sched_getaffinity, 0, sizeof(mask), mask);
	for (uint32_t cpu = 0; cpu < CPUS_MAX; cpu++)
		if (mask[cpu / WORD_BITS] >> cpu % WORD_BITS & 1) {
			set(ctx, cpu);
			count++;
		}
	return count;
}

struct list {
	void (*set)(void *ctx, uint32_t cpu);
	void *ctx;
};

static void take_list(void *context, char *line, size_t len)
{
	const struct list *l = context;

	cpu_list(line, len, l->set, l->ctx);
}

void proc_cpus_again(int fd, void (*set)(void *ctx, uint32_t cpu), void *ctx)
{
	struct list l = { set, ctx };

	each_line_again(fd, take_list, &l);
}

static void no_cpu(void *context, uint32_t cpu)
{
	(void)context;
	(void)cpu;
}

uint32_t proc_possible_cpus(void)
{
	char text[256];
	ssize_t len = readfile("/sys/devices/system/cpu/possible", text,
			       sizeof(text));
	int count = len < 0 ? 0 : cpu_list(text, (size_t)len, no_cpu, NULL);

	return count > 0 ? (uint32_t)count : 0;
}
