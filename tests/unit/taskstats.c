/* SPDX-License-Identifier: MIT */
/*
 * run/taskstats.c: messages of netlink in files of tests/fuzz/corpus/taskstats,
 * behind two bytes of the family: records as each version of the kernel has
 * them, and what is none of them.
 */
#include <errno.h>
#include "base/readfile.h"
#include "run/taskstats.h"
#include "exact.h"
#include "tap.h"

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
	return text;
}

#define FIGURES "1234000 ns, 4096 and 8192 KiB, sums 10 20"

int main(void)
{
	static const struct {
		const char *file, *want, *what;
	} t[] = {
		{ "version-8-of-328", "0123456789abcde[78/0] by 5, 300, "
		  "the last, " FIGURES, "its name is cut, no process told" },
		{ "version-11-of-368", "0123456789abcde[78/0] by 5, 300, "
		  "the last, " FIGURES, "longer, the same" },
		{ "version-12-of-368", "0123456789abcde[78/0] by 5, 300, "
		  "the last, " FIGURES, "of an older header" },
		/* Only version 12 tells by its flag, AGROUP, that the task was
		 * the last one of its process; in the later ones here all
		 * flags but that are set. */
		{ "version-12-of-400", "0123456789abcde[78/77] by 5, 300, "
		  "the last, " FIGURES, "its process" },
		{ "version-13-of-400", "0123456789abcde[78/77] by 5, 300, "
		  FIGURES, "not the last one" },
		/* Three pairs of bounds of delays stand in front of the name,
		 * and six in front of the process. */
		{ "version-15", "0123456789abcde[78/77] by 5, 300, " FIGURES,
		  "more fields in front" },
		{ "last-thread", "0123456789abcde[78/60] by 5, 300, "
		  "the last, " FIGURES,
		  "the last thread tells its process, behind another message" },
		{ "too-short", "", "a struct that is too short is none" },
		{ "attribute-too-long", "", "or says that it is longer" },
		{ "family", "family 28", "no record, nor a status" },
		{ "refused", "family -1, status -1", "an error" },
		{ "no-error", ", status 0", "all is well" },
		{ "no-errno", ", status -22", "no error of ours" },
	};
	char bytes[2048], path[80];

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		uint32_t whole = 0;
		ssize_t n;

		snprintf(path, sizeof(path), "tests/fuzz/corpus/taskstats/%s",
			 t[i].file);
		n = readfile(path, bytes, sizeof(bytes));
		must(n > 2);
		tap_ok(!strcmp(outcome(bytes, (size_t)n - 2), t[i].want),
		       "%s: %s", t[i].file, t[i].what);
		for (size_t len = 0; len < (size_t)n - 2; len++)
			whole += *outcome(bytes, len) != '\0';
		tap_ok(!whole, "%s: cut off anywhere it is none", t[i].file);
	}
	return tap_plan_done();
}
