/*
 * Probes on vmalloc, where the kernel has kprobes.
 *
 * ledger/areas.h says what they tell. A kretprobe on the bulk allocator gives
 * the number of pages that no page event shows. Probes on entry and return of
 * the one function that every vmalloc calls tell which area gets these pages. A
 * probe on the function that removes an area tells when the area is gone. The
 * last argument of the entry is the return address in the code that asked for
 * the area; /proc/vmallocinfo prints the same address.
 *
 * The functions have one name from Linux 5.13 to 6.9 and another one since
 * 6.10. Before 5.14 vmalloc has no bulk allocator, and page events show all
 * pages. A tracer that was killed leaves its probes behind, disabled.
 */
#include <errno.h>
#include "base/print.h"
#include "base/readfile.h"
#include "source/tracefs/tracepoints.h"

/* `caller`, the ninth argument of __vmalloc_node_range(). On these two machines
 * $argN names only the eight arguments in registers, and the ninth is the first
 * one on the stack. On other machines $arg9 finds it. */
#if defined(__aarch64__) || defined(__riscv)
#define CALLER "$stack0"
#else
#define CALLER "$arg9"
#endif

/* r64: a kretprobe follows 64 calls of a function at a time. By default a
 * kernel for one CPU follows one, but a vmalloc may call another one or
 * sleep. */
static const struct probe {
	const char *type, *event, *function;
	const char *renamed;	/* the function's name since 6.10 */
	const char *argument;
} probes[] = {
	{ "r64", "bulk", "__alloc_pages_bulk", "alloc_pages_bulk_noprof",
	  "n=$retval" },
	{ "p", "enter", "__vmalloc_node_range", "__vmalloc_node_range_noprof",
	  "c=" CALLER },
	{ "r64", "leave", "__vmalloc_node_range", "__vmalloc_node_range_noprof",
	  "n=$retval" },
	{ "p", "free", "remove_vm_area", "remove_vm_area", "n=$arg1" },
};

static int write_command(const char *text)
{
	char path[64];
	int error = -ENOENT;

	for (unsigned int i = 0; i < TRACEFS_ROOTS && error == -ENOENT; i++) {
		print_to(path, sizeof(path), "%s/kprobe_events",
			 tracefs_roots[i]);
		error = writefile(path, text);
	}
	return error == -EEXIST ? 0 : error;
}

static int add_probe(const struct probe *p, const char *function)
{
	char text[96];

	print_to(text, sizeof(text), "%s:memstrack/%s %s %s", p->type,
		 p->event, function, p->argument);
	return write_command(text);
}

/* Removes old probes first: those of a killed tracer may be another
 * version's. */
int tracefs_probe(void)
{
	int error = 0;

	tracefs_unprobe();
	for (unsigned int i = 0; i < ARRAY_LEN(probes) && !error; i++) {
		error = add_probe(&probes[i], probes[i].function);
		if (error)
			error = add_probe(&probes[i], probes[i].renamed);
	}
	if (error)
		tracefs_unprobe();
	return error;
}

void tracefs_unprobe(void)
{
	char text[32];

	for (unsigned int i = 0; i < ARRAY_LEN(probes); i++) {
		print_to(text, sizeof(text), "-:memstrack/%s",
			 probes[i].event);
		write_command(text);
	}
}
