/* SPDX-License-Identifier: MIT */
/*
 * replay: lists the targets. replay TARGET DIRECTORY: runs one on each file of
 * its corpus, and prints how many there are; none is a failure. The last words of
 * a run that fails are the file's name.
 */
#include <dirent.h>
#include <sanitizer/asan_interface.h>
#include "fuzz.h"

/* Of the input that runs. */
static char path[4096];

static void print_path(void)
{
	fprintf(stderr, "input: %s\n", path);
}

static void run(const struct target *t)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data;
	long size;

	must(file && !fseek(file, 0, SEEK_END) && (size = ftell(file)) >= 0);
	rewind(file);
	data = malloc((size_t)size + !size);
	must(data && fread(data, 1, (size_t)size, file) == (size_t)size);
	fclose(file);
	t->input(data, (size_t)size);
	free(data);
}

int main(int argc, char **argv)
{
	const struct target *t = argc == 3 ? target_find(argv[1]) : NULL;
	DIR *corpus = t ? opendir(argv[2]) : NULL;
	int inputs = 0;

	for (const struct target *all = targets(); argc == 1 && all->name; all++)
		puts(all->name);
	if (argc == 1)
		return 0;
	if (!corpus) {
		fprintf(stderr, "no such target, or no corpus\n");
		return 1;
	}
	__sanitizer_set_death_callback(print_path);
	for (struct dirent *d; (d = readdir(corpus));) {
		if (d->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", argv[2], d->d_name);
		run(t);
		inputs++;
	}
	closedir(corpus);
	printf("%d inputs\n", inputs);
	return !inputs;
}
