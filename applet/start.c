/*
 * What runs before main(), in place of musl's: 2 KiB less.
 *
 * musl prepares threads, their storage, a stack protector and constructors.
 * Here are none: one thread, errno a variable as any other, and no function
 * linked that asks for more (tests/house/binary.t looks for %fs).
 *
 * Other architectures start as musl does.
 */
#ifdef __x86_64__
#include <elf.h>
#include <errno.h>
#include <sys/auxv.h>
#include <unistd.h>

/* So musl's own functions call them. */
char **__environ;
extern char **environ __attribute__((alias("__environ")));

/* calls.S sets it. */
int last_error;

int *__errno_location(void)
{
	return &last_error;
}

int *___errno_location(void)
	__attribute__((const, alias("__errno_location")));

/* What it looks through lies behind the environment. */
unsigned long getauxval(unsigned long type)
{
	char **end = __environ;

	while (*end++)
		;
	for (const Elf64_auxv_t *a = (const void *)end; a->a_type; a++)
		if (a->a_type == type)
			return a->a_un.a_val;
	return 0;
}

int main(int argc, char *argv[]);
_Noreturn void run_main(long *argc);

/* calls.S has it from the kernel: where argc lies on the stack, and behind it
 * the arguments, the environment and the auxiliary vector. */
_Noreturn void run_main(long *argc)
{
	char **argv = (char **)(argc + 1);

	__environ = argv + *argc + 1;
	_exit(main((int)*argc, argv));
}
#else
typedef int not_empty;
#endif
