/* SPDX-License-Identifier: MIT */
/*
 * source/proc/in_use.c: of lines of /proc/modules, cut off anywhere, which are
 * in use: by others than modules, by a module that is, or as a disk's driver.
 */
#include "exact.h"
#include "source/proc/in_use.h"
#include "tap.h"

static char told[256];

static void hear(struct event_out *o, const struct event *e)
{
	const size_t len = strlen(told);

	(void)o;
	snprintf(told + len, sizeof(told) - len, "%s ",
		 e->type == EVENT_IN_USE ? e->name : "wrong");
}

static struct event_out out = { hear };

static void each(struct in_use *u, const char *text)
{
	*told = '\0';
	for (size_t len; *text; text += len + 1) {
		len = strcspn(text, "\n");
		in_use_line(u, exact_once(text, len), len);
	}
}

int main(void)
{
	static const char begun[] = "busy 9 1 - Live 0x0\n";
	static struct in_use u = { .out = &out };
	char line[64];
	int wrong = 0;

	event_begin(&u.event, EVENT_IN_USE, 7);
	strcpy(u.name[u.names++], "virtio_pci");
	each(&u, "begun 9 1 - Loading 0x0 (O+)\n"
	     "going 9 1 - Unloading 0x0\n"
	     "idle 9 0 - Live 0x0\n"
	     "ext4 9 1 - Live 0x0\n"
	     "virtio_blk 9 2 - Live 0x0 (E)\n"
	     "virtio_pci 9 0 - Live 0x0\n"
	     "jbd2 9 1 ext4, Live 0x0\n"
	     "nls 9 1 idle, Live 0x0\n"
	     "crc16 9 2 idle,ext4, Live 0x0\n"
	     "opened 9 2 idle, Live 0x0\n"
	     "fixed 9 0 [permanent], Live 0x0\n"
	     "fixed2 9 1 idle,[permanent], Live 0x0\n"
	     "fixed3 9 1 [permanent], Live 0x0\n"
	     "virtio 9 1 virtio_pci, Live 0x0\n"
	     "not_counted 9 - - Live 0x0\n");
	tap_ok(!strcmp(told, "ext4 virtio_blk virtio_pci jbd2 crc16 opened "
		       "fixed3 virtio not_counted "), "in use: %s", told);
	for (size_t len = 0; len < strlen("busy 9 1 - Live"); len++) {
		snprintf(line, sizeof(line), "%.*s", (int)len, begun);
		each(&u, line);
		wrong += *told != '\0';
	}
	tap_ok(!wrong, "a line that is cut off tells nothing");
	for (int i = 0; i < 100; i++) {
		snprintf(line, sizeof(line), "m%d 9 1 - Live 0x0", i);
		each(&u, line);
	}
	tap_ok(u.names == IN_USE_MAX && !strcmp(told, "m99 "),
	       "so many and no more are known; each is told");
	each(&u, "idle 9 0 - Live 0x0\n");
	tap_ok(!strcmp(told, "idle "), "from then on all are in use");
	return tap_plan_done();
}
