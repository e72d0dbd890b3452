/*
 * reboot cad | reboot nobody: calls of reboot() that no system ends with: the
 * keys Ctrl-Alt-Del set, as systemd does when it starts; and one that a user
 * is refused.
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
