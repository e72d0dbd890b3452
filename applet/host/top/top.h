/* SPDX-License-Identifier: MIT */
/* The account live, on a terminal. */
#ifndef MEMSTRACK_TOP_TOP_H
#define MEMSTRACK_TOP_TOP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <termios.h>
#include "base/base.h"
#include "base/system.h"
#include "control/control.h"
#include "report/report.h"

/*
 * --- rows
 *
 * A picture: the tracer's answer, in tables of fixed size, and what changed
 * since the picture before.
 *
 * A row is recognized by its number in the tracer's table and by its owner,
 * because the tracer may use a row again. Rows without room are counted.
 */

#define PICTURE_ROWS 256u	/* of each table */
#define PICTURE_STACKS 64u
#define PICTURE_FRAMES 1024u
#define ROW_NAME_BYTES 120u
#define ROW_NOTE_BYTES 40u
/* No picture before had this row, but there was none, or it was cut. */
#define NO_CHANGE INT64_MIN

enum top_table { TOP_TASKS, TOP_MODULES, TOP_INITCALLS, TOP_SITES, TOP_TABLES };

struct top_row {
	uint32_t number;	/* UINT32_MAX: many rows in one */
	uint64_t key;		/* whose it is */
	uint64_t start_ns;	/* of a task; else 0 */
	uint64_t addr;		/* its name is looked for; 0: it has one */
	uint64_t now, peak, image, vmalloc;	/* bytes, or UNKNOWN */
	int64_t change;		/* of now; or NO_CHANGE */
	char name[ROW_NAME_BYTES];
	char note[ROW_NOTE_BYTES];	/* state, module or cache */
};

struct top_rows {
	uint32_t used;
	uint64_t others;	/* rows that are not here */
	struct top_row row[PICTURE_ROWS];
};

struct top_frame {
	uint64_t addr;		/* as in a row */
	char text[ROW_NAME_BYTES];
};

struct top_stack {
	uint64_t now, peak;
	uint32_t first, frames;
};

struct top_stacks {
	uint32_t used, frames;
	uint64_t others;	/* stacks that are not here */
	int cut;		/* no room for all frames */
	struct top_stack stack[PICTURE_STACKS];
	struct top_frame frame[PICTURE_FRAMES];
};

struct top_picture {
	uint64_t start_ns, end_ns;
	uint64_t before_ns;	/* end_ns of the picture before; 0: none */
	uint64_t ram_kib, free_kib, lowest_kib;
	uint64_t now, peak;	/* traced bytes */
	uint64_t lost;
	uint64_t page_bytes;
	int whole;		/* the last line was there */
	int sampled;
	struct top_rows table[TOP_TABLES];
	struct top_stacks stacks;
	struct top_rows before[TOP_TABLES];	/* of the picture before */
};

/* Takes an answer of the tracer. `stacks_only`: the tables stay as they are. 0;
 * -EPROTO: the text is no answer. */
int picture_take(struct top_picture *p, const char *text, size_t len,
		 int stacks_only);

/* The tracer's table. */
enum table top_table(enum top_table t);

/* Bytes that the row holds. */
uint64_t row_held(const struct top_row *r);

/* The row with this number of this owner; NULL: it is gone. */
const struct top_row *rows_find(const struct top_rows *t, uint32_t number,
				uint64_t key);

/*
 * --- naming
 *
 * Names for the addresses in a picture. The tracer does not look for them,
 * since that means to read /proc/kallsyms, 200,000 lines. The client does, but
 * only when it shows an address that it has not looked for.
 */

#define NAMES_MAX 2048u

/* Looks for names of the table's rows, or of the frames of stacks, unless all
 * were looked for. */
void naming_look(struct symbols *n, const struct top_picture *p,
		 enum top_table t, int stacks);

/* Writes a name as the tracer sent it, or the name of the address; for an
 * initcall without the offset in the function. */
void naming_write(const struct symbols *n, struct line *l, const char *shown,
		  uint64_t addr, int offset);

/*
 * --- columns
 *
 * The lines of a picture, as text of a given width: its title, the heading of a
 * table, a row, a stack.
 *
 *	 task                       now     peak   change
 *	>load[88]                123.7M   123.7M   +40.0M exited
 *
 * At 40 columns the name has what the three figures leave. Wider lines have
 * image and vmalloc of modules, and a note.
 */

enum sort { SORT_NOW, SORT_PEAK, SORT_CHANGE, SORT_NAME, SORTS };

const char *sort_name(enum sort s);
/* "tasks", "modules", "initcalls", "slab sites" */
const char *table_title(enum top_table t);

void columns_title(struct line *l, const struct top_picture *p);
/* What was traced, and what was lost. */
void columns_traced(struct line *l, const struct top_picture *p);
void columns_heading(struct line *l, enum top_table t, unsigned int width);
void columns_row(struct line *l, const struct symbols *n, enum top_table t,
		 const struct top_row *r, unsigned int width);
/* The row's name alone. */
void columns_name(struct line *l, const struct symbols *n, enum top_table t,
		  const struct top_row *r);
/* "stack 1 of 3" and its figures. */
void columns_stack(struct line *l, const struct top_stacks *k, uint32_t stack);

/*
 * --- keys
 *
 * Bytes from a terminal -> keys.
 *
 * Arrows and the like are sequences that begin with ESC; the answer to the
 * question where the cursor is (ESC [ 6 n) is one too. Sequences of any other
 * kind are skipped, and one that does not end is given up, so that no bytes can
 * block the keyboard.
 */

enum key {
	KEY_NONE, KEY_UP, KEY_DOWN, KEY_PAGE_UP, KEY_PAGE_DOWN, KEY_HOME,
	KEY_END, KEY_ENTER, KEY_BACK, KEY_NEXT_TABLE, KEY_TABLE_1,
	KEY_TABLE_2, KEY_TABLE_3, KEY_TABLE_4, KEY_SORT, KEY_PAUSE, KEY_NOW,
	KEY_REDRAW, KEY_QUIT,
	KEY_SIZE,		/* the terminal sent rows and cols */
};

#define KEYS_NUMBERS 2u
#define KEYS_NUMBER_MAX 9999u

struct keys {
	enum { KEYS_PLAIN, KEYS_ESC, KEYS_SEQUENCE, KEYS_LETTER } state;
	unsigned int bytes;		/* of the sequence */
	unsigned int numbers;		/* that have begun */
	unsigned int number[KEYS_NUMBERS];
	unsigned int rows, cols;	/* of KEY_SIZE */
};

enum key keys_byte(struct keys *k, unsigned char byte);

/* Nothing came for a while: an ESC that nothing followed was the key. */
enum key keys_pause(struct keys *k);
/* A sequence has begun. */
static inline int keys_wait(const struct keys *k)
{
	return k->state != KEYS_PLAIN;
}

/*
 * --- screen
 *
 * The terminal's screen: what should stand there, what stands there, and the
 * bytes that make the one into the other.
 *
 * Only changed runs of cells are written. The sequences are those that a VT100
 * has: cursor position, erase to the end of the line, reverse video where the
 * terminal has it. A terminal that has none (TERM=dumb) gets the whole picture
 * again as lines.
 */

#define SCREEN_ROWS 100u
#define SCREEN_COLS 240u
#define SCREEN_REVERSE 0x80	/* in a cell, besides its character */
#define SCREEN_OUT_BYTES (2 * SCREEN_ROWS * SCREEN_COLS)

struct screen {
	unsigned int rows, cols;
	int plain;		/* no sequences; set before the size */
	int reverse;		/* the terminal has reverse video */
	int known;		/* `shown` is what stands there */
	size_t out_len, out_at;	/* bytes to write, bytes written */
	char out[SCREEN_OUT_BYTES];
	unsigned char want[SCREEN_ROWS][SCREEN_COLS];
	unsigned char shown[SCREEN_ROWS][SCREEN_COLS];
};

/* A new size, within what there is room for; nothing is known of the screen. */
void screen_resize(struct screen *s, unsigned int rows, unsigned int cols);

/* Begins a picture: all is blank. */
void screen_clear(struct screen *s);
/* What a line shows, cut at the screen's edge. */
void screen_line(struct screen *s, unsigned int row, const char *text,
		 size_t len, int reverse);

/* Puts the bytes for all that changed into `out`. Only when what was there is
 * written: what a slow line has not taken yet is never added to. */
void screen_compose(struct screen *s);

/* Leaves the cursor on a line of its own below the picture. */
void screen_leave(struct screen *s);

/*
 * --- view
 *
 * What the user looks at: which table, in which order, which row, or the stacks
 * of a row; and how this is laid out on a screen of any size.
 */

struct view {
	enum top_table table;
	enum sort sort;
	int in_stacks;
	int paused;
	/* The row that is marked, or whose stacks are shown: it stays marked
	 * when the order changes. */
	uint32_t number;
	uint64_t key;
	uint32_t at;		/* its place in the order */
	uint32_t first;		/* the first row, or line of stacks, on the
				 * screen */
	uint32_t page;		/* rows on the screen */
	uint16_t order[PICTURE_ROWS];
	char message[80];	/* instead of the keys; "": none */
};

/* Puts the rows of the table in order, and finds the marked one again. */
void view_order(struct view *v, const struct top_picture *p);

/* What a key changes here. 1: the tracer must be asked at once. */
int view_key(struct view *v, const struct top_picture *p, enum key key);

void view_draw(struct view *v, const struct top_picture *p,
	       const struct symbols *n, struct screen *s);

/*
 * --- asker
 *
 * Pictures from the tracer, one at a time. Asking does not wait: the answer's
 * descriptor is polled beside the keyboard.
 */

/* The answer has room for 256 rows of each of four tables. */
#define ANSWER_BYTES (512u << 10)

struct asker {
	int file;		/* given to the tracer */
	const char *text;	/* its content */
	int fd;			/* an answer will come; -1: none is awaited */
	struct control_way way;
	struct control_message wanted;	/* what was asked */
};

/* 0 or -errno. */
int asker_init(struct asker *a);

/* Asks for what the view shows, unless an answer is awaited. 0 or -errno. */
int asker_ask(struct asker *a, const struct view *v);
/* Are the stacks shown those of the row that was asked for? */
int asker_asked_for(const struct asker *a, const struct view *v);
/* The answer can be read: takes it. 0 or -errno. */
int asker_take(struct asker *a, const struct view *v, struct top_picture *p);
void asker_give_up(struct asker *a);

/* The words for an error of these functions. */
const char *asker_why(int error);

/*
 * --- terminal
 *
 * The terminal: its settings, changed and given back; its size; its bytes.
 *
 * Output never waits: a terminal that has stopped (^S, a serial line without a
 * reader) must not keep a signal from ending the program.
 */

struct terminal {
	int out;		/* a descriptor of its own, nonblocking */
	int taken;		/* the settings are ours */
	int plain;		/* TERM=dumb: no sequences */
	int reverse;		/* it has reverse video */
	int alternate;		/* and a second screen */
	int asked;		/* for its size; it has not answered */
	struct termios before;
};

/* Whether the descriptor is a terminal. */
int terminal_is(int fd);

/* What TERM means. Changes nothing. */
void terminal_init(struct terminal *t);

/* Takes the terminal: bytes come as they are typed, without echo. 0 or -errno.
 * */
int terminal_take(struct terminal *t);
/* Writes this and gives the terminal back as it was. One that ^S has stopped
 * goes on; for a slow one we wait a second at most. */
void terminal_give_back(struct terminal *t, const char *text, size_t len);

/* Its size, from the kernel, or from COLUMNS and LINES. 0: neither knows. */
int terminal_size(unsigned int *rows, unsigned int *cols);
/* Asks the terminal itself; the answer comes as KEY_SIZE. */
void terminal_ask_size(struct terminal *t);

/* The bytes that it took, which may be 0; or -errno. */
ssize_t terminal_write(const struct terminal *t, const char *text, size_t len);

/*
 * --- state
 *
 * What the parts of `memstrack top` share: the picture that the tracer gave,
 * what the user looks at, and the terminal.
 */

#define DEFAULT_ROWS 24u
#define DEFAULT_COLS 80u
#define SECOND_NS 1000000000u

struct top {
	uint32_t interval_s;
	int once;
	int ended;		/* a key or a signal ends the program */
	int status;
	int signal_fd;
	int dirty;		/* the screen is not what should be shown */
	uint64_t next_ns;	/* the next picture is due */
	struct keys keys;
	struct view view;
	struct symbols naming;
	struct arena arena;
	struct terminal terminal;
	struct asker asker;
	struct top_picture picture;
	struct screen screen;
	_Alignas(64) char names[NAMES_MAX * sizeof(struct symbol) + 64];
};

/* Prints all rows as text. Returns the exit status. */
int top_once(struct top *t);

/* --- top: memstrack top: see top.c */

/* Returns the exit status. */
int top_main(int argc, char *argv[]);

#endif
