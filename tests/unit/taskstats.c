/* SPDX-License-Identifier: MIT */
/*
 * run/taskstats.c: messages of netlink in files of tests/fuzz/corpus/taskstats,
 * behind two bytes of the family: records as each version of the kernel has
 * them, and what is none of them.
 */
#include "base/readfile.h"
#include "run/taskstats.h"
#include "cases.h"

/* The first record of so many bytes of messages, and as which answer they are
 * understood. */
static const char *outcome(const char *bytes, size_t len)
{
	static char text[OUTCOME_BYTES];
	const unsigned char *at = exact_once(bytes + 2, len);
	struct taskstats_reader r = { .at = at, .len = len };
	struct task_end e;

	memcpy(&r.family, bytes, sizeof(r.family));
	text[0] = '\0';
	if (taskstats_next(&r, &e))
		append(text, "%s[%u/%u] by %u, %x%s, %llu ns, %llu and %llu "
		       "KiB, sums %llu %llu", e.comm, e.pid, e.tgid, e.parent,
		       e.status, e.last ? ", the last" : "",
		       (unsigned long long)e.run_ns,
		       (unsigned long long)e.rss_kib,
		       (unsigned long long)e.vm_kib,
		       (unsigned long long)e.rss_mib_us,
		       (unsigned long long)e.vm_mib_us);
	if (taskstats_family(at, len) != -EINVAL)
		append(text, "family %d", taskstats_family(at, len));
	if (taskstats_is_status(at, len))
		append(text, ", status %d", taskstats_status(at, len));
	else
		must(taskstats_status(at, len) == -EINVAL);
	return *text ? text : "none";
}

static void test_case(const struct cases *c)
{
	char bytes[2048], path[80];
	uint32_t whole = 0;
	ssize_t n;

	snprintf(path, sizeof(path), "tests/fuzz/corpus/taskstats/%.40s",
		 c->text);
	n = readfile(path, bytes, sizeof(bytes));
	must(n > 2);
	case_is(c, outcome(bytes, (size_t)n - 2));
	for (size_t len = 0; len < (size_t)n - 2; len++)
		whole += strcmp(outcome(bytes, len), "none") != 0;
	tap_ok(!whole, "%s: cut off anywhere it is none", c->text);
}

int main(void)
{
	struct cases c = { .file = NULL };

	while (next_case(&c, "taskstats"))
		test_case(&c);
	return tap_plan_done();
}
