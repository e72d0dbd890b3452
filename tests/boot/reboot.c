/* SPDX-License-Identifier: MIT */
/*
 * reboot cad | reboot nobody: calls of reboot() that end no system. cad sets
 * what the keys Ctrl-Alt-Del do, as systemd does when it starts; nobody is a
 * call that the kernel refuses to an ordinary user.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/reboot.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
	if (argc == 2 && !strcmp(argv[1], "cad")) {
		if (reboot(RB_ENABLE_CAD) || reboot(RB_DISABLE_CAD))
			return 1;
		return puts("cad=set") < 0;
	}
	if (setuid(65534) || !reboot(RB_AUTOBOOT) || errno != EPERM)
		return 1;
	return puts("nobody=refused") < 0;
}
