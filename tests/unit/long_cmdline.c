/* SPDX-License-Identifier: MIT */
/*
 * main.c: a kernel command line of any length is read, for what init is told
 * by it is needed whatever else fails; of one that is longer than can be, the
 * words that fit.
 */
#include "base/system.h"
#include "exact.h"
#include "output/output.h"
#include "tap.h"

static struct {
	const char *path;	/* of the file that stands for it */
	uint32_t said;
	char last[256];
} cmdline;

static ssize_t faked_readfile(const char *path, char *buf, size_t size)
{
	must(!strcmp(path, "/proc/cmdline"));
	return readfile(cmdline.path, buf, size);
}

static void faked_sink_say(struct sink *s, const char *text)
{
	(void)s;
	cmdline.said++;
	snprintf(cmdline.last, sizeof(cmdline.last), "%s", text);
}

#define main faked_main
#define readfile faked_readfile
#define sink_say faked_sink_say
#include "main.c"
#undef main
#undef readfile

/* A bootconfig's words, `before` bytes of them, then what we are told. */
static int read_after(size_t before, struct config *c)
{
	static const char ours[] =
		" rd.memstrack=2 rd.memstrack.init=\"/sbin/my init\" ro\n";
	static char text[3 * CMDLINE_BYTES];
	static struct sink sink;
	const size_t words = before / 21;
	int error;

	for (size_t i = 0; i < before; i++)
		text[i] = i / 21 < words ? "driver.key=\"a value\" "[i % 21] :
					   ' ';
	strcpy(text + before, ours);
	memset(&cmdline, 0, sizeof(cmdline));
	cmdline.path = file_of(text, strlen(text));
	config_defaults(c);
	error = read_cmdline(c, &sink);
	unlink(cmdline.path);
	return error;
}

int main(void)
{
	static const size_t before[] = { 0, 2000, 4095, 4096, 9000, 65000 };
	struct config c;

	for (size_t i = 0; i < ARRAY_LEN(before); i++)
		tap_ok(!read_after(before[i], &c) && c.level == 2 &&
		       !strcmp(c.init, "/sbin/my init") && !cmdline.said,
		       "behind %zu bytes: rd.memstrack and its init",
		       before[i]);
	tap_ok(!read_after(CMDLINE_BYTES + 100, &c) && !c.level &&
	       cmdline.said == 1 && strstr(cmdline.last, "longer than 64 KiB"),
	       "more than can be read: what fits, and one warning");
	tap_ok(!read_after(CMDLINE_BYTES - 45, &c) && c.level == 2 &&
	       !c.init[0] && cmdline.said == 1,
	       "cut within the path of init: half of it is none");
	return tap_plan_done();
}
