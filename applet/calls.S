/*
 * Where the program starts; and system calls, of four or seven bytes each,
 * where the C library takes some forty.
 *
 * A function takes its arguments where the kernel wants them, but for the
 * fourth. So each only notes its number and goes on as all do. On other
 * architectures the C library's serve.
 */
#ifdef __x86_64__
#include <sys/syscall.h>

	.text

	.globl	_start
_start:
	mov	%rsp, %rdi
	call	run_main

/* Whatever the kernel answers, it does not return. */
	.globl	_exit
	.type	_exit, @function
_exit:
	mov	$SYS_exit_group, %eax
	syscall
	jmp	_exit

	.macro system_call function, number
	.globl	\function
	.type	\function, @function
\function:
	push	$\number
	jmp	enter
	.endm

	system_call chdir, SYS_chdir
	system_call chroot, SYS_chroot
	system_call close, SYS_close
	system_call dup2, SYS_dup2
	system_call execve, SYS_execve
	system_call fstatat, SYS_newfstatat
	system_call fstatfs, SYS_fstatfs
	system_call ftruncate, SYS_ftruncate
	system_call geteuid, SYS_geteuid
	system_call getpid, SYS_getpid
	system_call ioctl, SYS_ioctl
	system_call kill, SYS_kill
	system_call lseek, SYS_lseek
	system_call mkdir, SYS_mkdir
	system_call mknod, SYS_mknod
	system_call mlockall, SYS_mlockall
	system_call mount, SYS_mount

/* syscall(number, ...): all arguments but the number one place on. */
	.globl	syscall
	.type	syscall, @function
syscall:
	push	%rdi
	mov	%rsi, %rdi
	mov	%rdx, %rsi
	mov	%rcx, %rdx
	mov	%r8, %rcx
	mov	%r9, %r8
	mov	16(%rsp), %r9

/* -1 and errno for what the kernel says with a negative number. */
enter:
	pop	%rax
	mov	%rcx, %r10
	syscall
	cmp	$-4096, %rax
	jbe	1f
	neg	%eax
	mov	%eax, last_error(%rip)
	or	$-1, %rax
1:	ret

	system_call munmap, SYS_munmap
	system_call poll, SYS_poll
	system_call pread, SYS_pread64
	system_call pwrite, SYS_pwrite64
	system_call read, SYS_read
	system_call setpriority, SYS_setpriority
	system_call setsid, SYS_setsid
	system_call sysinfo, SYS_sysinfo
	system_call umount2, SYS_umount2
	system_call uname, SYS_uname
	system_call unlinkat, SYS_unlinkat
	system_call unshare, SYS_unshare
	system_call write, SYS_write
#endif
	.section .note.GNU-stack, "", %progbits
