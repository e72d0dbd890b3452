/* memstrack replay FILE [OPTIONS]: see replay.c. Returns the exit status: 0, 1
 * (the file or the output is not whole), 2 (usage). */
#ifndef MEMSTRACK_REPLAY_H
#define MEMSTRACK_REPLAY_H

int replay_main(int argc, char *argv[]);

#endif
