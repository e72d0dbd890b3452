/* SPDX-License-Identifier: MIT */
/*
 * Our own probes, where the kernel has kprobes.
 *
 * On vmalloc (ledger/tables.h, areas). A kretprobe on the bulk allocator gives
 * the number of pages that no page event shows. Probes on entry and return of
 * the one function that every vmalloc calls give the area that gets these
 * pages. A probe on the function that removes an area gives the end of the
 * area. The last argument at the entry is the return address in the code that
 * asked for the area; /proc/vmallocinfo prints the same address. These
 * functions have one name from Linux 5.13 to 6.9 and another name since 6.10.
 * Before 5.14 vmalloc has no bulk allocator, and page events show all pages.
 *
 * On the two system calls that load a module, and on a function that reboot()
 * calls once it has checked that the caller may reboot. (Later would be too
 * late: the kernel ends all perf events.) Without these probes the tracer uses
 * the kernel's events of system calls. But while such an event is open, each
 * system call of each process takes a longer path in the kernel: in a boot of
 * 30 modules and 150 programs this cost 0.7 % of all instructions.
 *
 * On the function that gives a moved page the flags of the old page, when the
 * move can no longer fail. Its arguments are the page structs of both. Before
 * 5.16 the function has another name, which until 5.19 also belongs to a
 * function that nobody calls.
 *
 * A tracer that was killed leaves its probes behind, disabled.
 */
#include <errno.h>
#include <string.h>
#include "base/base.h"
#include "base/system.h"
#include "source/tracefs/tracefs.h"

/* `caller`, the ninth argument of __vmalloc_node_range(). On these two machines
 * $argN names only the eight arguments in registers, and the ninth argument is
 * the first one on the stack. On other machines $arg9 works. */
#if defined(__aarch64__) || defined(__riscv)
#define CALLER "$stack0"
#else
#define CALLER "$arg9"
#endif

/* If the kernel has dynamic ftrace, a probe at the entry of a function uses it:
 * adding such a probe takes a pass over the entries of all functions, 5 million
 * instructions on x86-64. A probe right behind the entry takes no pass. The
 * entry is then a call of 5 bytes, with or without endbr64 of 4 bytes before
 * the call; the kernel refuses an address in the middle of an instruction.
 * Behind the entry the arguments are still in their registers. The last offset
 * is the entry itself. */
#ifdef __x86_64__
#define FIRST_ARGUMENT "%di"
#define SECOND_ARGUMENT "%si"
static const char *const behind_entry[] = { "+5", "+9", "" };
#else
#define FIRST_ARGUMENT "$arg1"
#define SECOND_ARGUMENT "$arg2"
static const char *const behind_entry[] = { "" };
#endif

/* The prefix of the functions of system calls. */
#if defined(__x86_64__)
#define CALL "__x64_sys_"
#elif defined(__i386__)
#define CALL "__ia32_sys_"
#elif defined(__aarch64__)
#define CALL "__arm64_sys_"
#elif defined(__s390x__)
#define CALL "__s390x_sys_"
#elif defined(__riscv)
#define CALL "__riscv_sys_"
#else
#define CALL "sys_"
#endif

/* Takes commands, and lists the probes. */
#define PROBES "kprobe_events"

/* Probes that are useful only together. */
enum set { ON_VMALLOC, ON_LOADS, ON_REBOOT, ON_MOVES, SETS };

/* r64: a kretprobe follows up to 64 calls of a function at a time. The default
 * of a kernel for one CPU is one call, but a vmalloc or the load of a module
 * may sleep or nest. Two probes with one name are one event (since 5.5; before
 * that the kernel refuses the second probe, so the set is not used). The result
 * of a load has a signed type: without it, the ENOMEM of a 32-bit kernel would
 * be a large number. */
static const struct probe {
	enum set set;
	int behind_entry;	/* may be right behind the entry */
	const char *type, *event, *argument, *function;
	const char *renamed;	/* the function's name on other kernels */
} probes[] = {
	{ ON_VMALLOC, 0, "r64", "bulk", "n=$retval",
	  "__alloc_pages_bulk", "alloc_pages_bulk_noprof" },
	{ ON_VMALLOC, 0, "p", "enter", "c=" CALLER,
	  "__vmalloc_node_range", "__vmalloc_node_range_noprof" },
	{ ON_VMALLOC, 0, "r64", "leave", "n=$retval",
	  "__vmalloc_node_range", "__vmalloc_node_range_noprof" },
	{ ON_VMALLOC, 1, "p", "free", "n=" FIRST_ARGUMENT, "remove_vm_area",
	  NULL },
	{ ON_LOADS, 0, "p", "load", "", CALL "init_module", NULL },
	{ ON_LOADS, 0, "p", "load", "", CALL "finit_module", NULL },
	{ ON_LOADS, 0, "r64", "loaded", "n=$retval:s32", CALL "init_module",
	  NULL },
	{ ON_LOADS, 0, "r64", "loaded", "n=$retval:s32", CALL "finit_module",
	  NULL },
	{ ON_REBOOT, 1, "p", "reboot", "cmd=" SECOND_ARGUMENT ":u32",
	  "reboot_pid_ns", NULL },
	{ ON_MOVES, 1, "p", "move",
	  "to=" FIRST_ARGUMENT " from=" SECOND_ARGUMENT,
	  "folio_migrate_flags", "migrate_page_states" },
};

/* On i386 the sixth argument, a pgprot_t, takes two words if the kernel has
 * PAE, and $arg9 is the argument before `caller`. Then physical addresses take
 * two words too: the kernel prints those of ioremap's areas with 16 digits. */
#ifdef __i386__
static void look_for_pae(void *context, char *line, size_t len)
{
	int *has_pae = context;
	struct word rest = { line, len }, number;

	*has_pae |= !word_seek(&rest, " phys=0x") &&
		    next_word(&rest, &number)->len > 8;
}

static const char *argument_of(const struct probe *p)
{
	int has_pae = 0;

	if (strcmp(p->argument, "c=" CALLER))
		return p->argument;
	each_line("/proc/vmallocinfo", look_for_pae, &has_pae);
	return has_pae ? "c=$stack7" : p->argument;
}
#else
static const char *argument_of(const struct probe *p)
{
	return p->argument;
}
#endif

struct wanted {
	const char *text;
	int is_there;
};

static void look_for_probe(void *context, char *line, size_t len)
{
	struct wanted *w = context;

	w->is_there |= find_text(line, len, w->text) != NULL;
}

/* A probe that another program uses could not be removed. If we added a second
 * probe on the function, each call would have two events. */
static int has_probe(const struct probe *p, const char *function)
{
	char path[PATH_BYTES], text[64];
	struct wanted w = { text, 0 };

	print_to(text, sizeof(text), "memstrack/%s %s", p->event, function);
	each_line(tracefs_path(path, PROBES), look_for_probe, &w);
	return w.is_there;
}

static int add_probe(const struct probe *p, const char *function)
{
	const int behind = p->behind_entry &&
			   tracefs_has("available_filter_functions");
	const char *argument = argument_of(p);
	unsigned int i = behind ? 0 : ARRAY_LEN(behind_entry) - 1;
	int error = -ENOENT;
	char text[96];

	if (has_probe(p, function))
		return 0;
	for (; i < ARRAY_LEN(behind_entry) && error; i++) {
		print_to(text, sizeof(text), "%s:memstrack/%s %s%s %s", p->type,
			 p->event, function, behind_entry[i], argument);
		error = tracefs_set(PROBES, text);
	}
	return error;
}

static void remove_set(enum set set)
{
	char text[32];

	for (unsigned int i = 0; i < ARRAY_LEN(probes); i++) {
		if (probes[i].set != set)
			continue;
		print_to(text, sizeof(text), "-:memstrack/%s",
			 probes[i].event);
		tracefs_set(PROBES, text);
	}
}

static int add_set(enum set set)
{
	int error = 0;

	for (unsigned int i = 0; i < ARRAY_LEN(probes) && !error; i++) {
		const struct probe *p = &probes[i];

		if (p->set != set)
			continue;
		error = add_probe(p, p->function);
		if (error && p->renamed)
			error = add_probe(p, p->renamed);
	}
	if (error)
		remove_set(set);
	return error;
}

/* Some time after a probe was added, the kernel replaces its breakpoint by a
 * jump. Before this it waits until each task has slept once, and meanwhile no
 * event can be opened, because opening changes code too
 * (kprobe_optimizer()). */
#define OPTIMIZES "/proc/sys/debug/kprobes-optimization"

int tracefs_probes_rest(void)
{
	uint64_t optimizes = 0;

	read_number(OPTIMIZES, 10, &optimizes);
	return optimizes && !writefile(OPTIMIZES, "0");
}

void tracefs_probes_go_on(void)
{
	writefile(OPTIMIZES, "1");
}

/* While ftrace is off, the kernel notes at which entries of functions our probes
 * are; when ftrace is on again, one pass switches on all of them, instead of one
 * pass for each (15 million instructions less). A tracer of functions would miss
 * calls; there is none if its name has three letters ("nop", "blk") and an end of
 * line. */
#define FTRACE "/proc/sys/kernel/ftrace_enabled"

int tracefs_ftrace_pause(void)
{
	uint64_t on = 0;
	char tracer[8];

	read_number(FTRACE, 10, &on);
	return on && tracefs_text("current_tracer", tracer, sizeof(tracer)) ==
		     4 && !writefile(FTRACE, "0");
}

int tracefs_ftrace_go_on(void)
{
	return writefile(FTRACE, "1");
}

/* Removes the probes of a killed tracer first, which may be of another
 * version. */
int tracefs_probe(void)
{
	tracefs_unprobe();
	add_set(ON_LOADS);
	add_set(ON_REBOOT);
	add_set(ON_MOVES);
	return add_set(ON_VMALLOC);
}

void tracefs_unprobe(void)
{
	for (enum set set = 0; set < SETS; set++)
		remove_set(set);
}
