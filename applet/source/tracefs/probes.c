/*
 * Probes on vmalloc, where the kernel has kprobes.
 *
 * What they tell is in ledger/areas.h. A kretprobe on the bulk allocator gives
 * the number of pages that no page event shows; entry and end of the one
 * function that all of vmalloc goes through say for which area; the function
 * that takes any area away says when it is over. The entry's last argument is
 * the return address in the code that asked for the area, which is what
 * /proc/vmallocinfo prints. Names as of Linux 5.13 to
 * 6.9, and since 6.10; before 5.14 vmalloc has no bulk allocator, and page
 * events show all. A tracer that was killed leaves its probes, idle, behind.
 */
#include <errno.h>
#include "base/print.h"
#include "base/readfile.h"
#include "source/tracefs/tracepoints.h"

/* `caller`, the ninth argument of __vmalloc_node_range(). The kernel finds it
 * behind $arg9 where the stack's arguments can be counted; where eight go in
 * registers, which that leaves out, the ninth is the first on the stack. */
#if defined(__aarch64__) || defined(__riscv)
#define CALLER "$stack0"
#else
#define CALLER "$arg9"
#endif

#define PROBES 4u
#define RENAMED 3u

/* 64 calls of a function at a time: by default a kernel for one CPU follows
 * one, and a vmalloc may be in another or sleep. */
static const char probes[] =
	"r64:memstrack/bulk __alloc_pages_bulk n=$retval\0"
	"p:memstrack/enter __vmalloc_node_range c=" CALLER "\0"
	"r64:memstrack/leave __vmalloc_node_range n=$retval\0"
	"p:memstrack/free remove_vm_area n=$arg1\0"
	"r64:memstrack/bulk alloc_pages_bulk_noprof n=$retval\0"
	"p:memstrack/enter __vmalloc_node_range_noprof c=" CALLER "\0"
	"r64:memstrack/leave __vmalloc_node_range_noprof n=$retval";

static int write_probe(const char *text)
{
	char path[64];
	int error = -ENOENT;

	for (const char *root = tracefs_roots; *root && error == -ENOENT;
	     root = text_after(root)) {
		print_to(path, sizeof(path), "%s/kprobe_events", root);
		error = writefile(path, text);
	}
	return error == -EEXIST ? 0 : error;
}

/* Those left behind may be another version's. */
int tracefs_probe(void)
{
	int error = 0;

	tracefs_unprobe();
	for (unsigned int i = 0; i < PROBES && !error; i++) {
		error = write_probe(text_at(probes, i));
		if (error && i < RENAMED)
			error = write_probe(text_at(probes, PROBES + i));
	}
	if (error)
		tracefs_unprobe();
	return error;
}

void tracefs_unprobe(void)
{
	char text[64];

	for (unsigned int i = 0; i < PROBES; i++) {
		const char *name = find_text(text_at(probes, i), 8, ":");

		print_to(text, sizeof(text), "-%.*s",
			 (int)(find_text(name, sizeof(text), " ") - name), name);
		write_probe(text);
	}
}
