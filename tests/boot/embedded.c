/* SPDX-License-Identifier: MIT */
/*
 * The only program of an embedded machine, PID 1 after memstrack. It takes
 * pages, asks all processes to end, as any init does, and waits for them. Then
 * it writes what it found to the second serial port, whose node is in the
 * image. It is static; there is no /proc.
 */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define TAKEN_BYTES (8 << 20)
#define KLOG_READ_ALL 3

static void list(FILE *facts, const char *path)
{
	struct dirent *e;
	DIR *dir = opendir(path);

	fprintf(facts, "%s=", path);
	while (dir && (e = readdir(dir)))
		if (e->d_name[0] != '.')
			fprintf(facts, "%s ", e->d_name);
	fputs("\n", facts);
}

/* Of the kernel log, the lines of memstrack. */
static void tell_log(FILE *facts)
{
	static char log[1 << 20];
	int len = klogctl(KLOG_READ_ALL, log, sizeof(log) - 1);
	char *text, *end;

	for (text = log; len > 0 && *text; text = end + 1) {
		char *ours = strstr(text, "memstrack: ");

		end = strchr(text, '\n');
		if (!end)
			break;
		if (ours && ours < end)
			fprintf(facts, "%.*s\n", (int)(end - ours), ours);
	}
}

int main(int argc, char *argv[], char *envp[])
{
	FILE *facts = fopen("/dev/ttyS1", "w");
	struct stat dev, root;
	struct termios line;
	int ended = 0;
	char *taken;

	if (!facts)
		return 1;
	tcgetattr(fileno(facts), &line);
	line.c_oflag &= ~(tcflag_t)OPOST;
	tcsetattr(fileno(facts), TCSANOW, &line);
	fprintf(facts, "pid=%d arguments=%d init=%s\n", getpid(), argc,
		argv[0]);
	for (char **e = envp; *e; e++)
		fprintf(facts, "environment=%s\n", *e);
	/* What others mounted would show here. */
	list(facts, "/");
	list(facts, "/dev");
	if (!stat("/", &root) && !stat("/dev", &dev))
		fprintf(facts, "static=%d\n", root.st_dev == dev.st_dev);
	/* Without one, what was opened first took its number. */
	fprintf(facts, "console=%d\n", fileno(facts) > STDERR_FILENO);

	taken = mmap(NULL, TAKEN_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (taken == MAP_FAILED)
		return 1;
	for (long i = 0; i < TAKEN_BYTES; i += 4096)
		taken[i] = 1;

	kill(-1, SIGTERM);
	while (wait(NULL) > 0)
		ended++;
	fprintf(facts, "ended=%d\n", ended);
	tell_log(facts);
	fprintf(facts, "told=all\n");
	fflush(facts);
	tcdrain(fileno(facts));
	tcdrain(STDOUT_FILENO);
	reboot(RB_POWER_OFF);
	return 1;
}
