/* SPDX-License-Identifier: MIT */
/* Rows that may be used again: see tables.h, idle. */
#include <stddef.h>
#include "ledger/tables.h"
#include "limits.h"

/* One more than the rows need: idle_next() may ask for the word behind them. */
static uint32_t words_for(uint32_t rows)
{
	return rows / 64 + 1;
}

uint64_t idle_bytes(uint32_t rows)
{
	uint64_t words = 0;

	for (unsigned int i = 0; i < IDLE_LEVELS; i++) {
		rows = words_for(rows);
		words += rows;
	}
	return words * sizeof(uint64_t);
}

void idle_init(struct idle *s, struct arena *a, uint32_t first, uint32_t rows)
{
	uint64_t *word = arena_take(a, idle_bytes(rows), 1);

	s->first = s->hand = first;
	s->rows = rows;
	for (unsigned int i = 0; i < IDLE_LEVELS && word; i++) {
		s->level[i] = word;
		rows = words_for(rows);
		word += rows;
	}
}

void idle_mark(struct idle *s, uint32_t row)
{
	for (unsigned int i = 1; i < IDLE_LEVELS; i++) {
		uint64_t *word, bit;

		row /= 64;
		word = &s->level[i][row / 64];
		bit = (uint64_t)1 << row % 64;
		if (*word & bit)
			return;
		*word |= bit;
	}
}

uint32_t idle_next(struct idle *s, uint32_t row)
{
	unsigned int i = 0;

	for (;;) {
		uint64_t *upper = &s->level[i][row / 64];
		const uint64_t word = *upper >> row % 64;

		if (!word) {
			if (++i == IDLE_LEVELS)
				return 0;
			row = row / 64 + 1;
			continue;
		}
		row += (uint32_t)__builtin_ctzll(word);
		if (!i)
			return row;
		if (s->level[i - 1][row]) {
			row *= 64;
			i--;
		} else {
			*upper &= ~((uint64_t)1 << row % 64);
		}
	}
}

uint32_t idle_choose(struct idle *s, const uint32_t *peak, size_t row_bytes)
{
	const uint32_t rows = s->rows - s->first;
	uint32_t best = 0, least = 0, passed = 0, at = s->hand;

	for (uint32_t seen = 0; seen < RECYCLE_CHOICE; seen++) {
		uint32_t row = idle_has(s, at) ? at : idle_next(s, at), of;

		if (!row)
			row = idle_next(s, s->first);
		passed += row < at ? row + rows - at : row - at;
		if (!row || passed >= rows || (best && passed >= RECYCLE_ROWS))
			break;
		of = *(const uint32_t *)(const void *)((const char *)peak +
						       row * row_bytes);
		if (!best || of < least) {
			best = row;
			least = of;
		}
		passed++;
		at = row + 1;
	}
	if (best)
		idle_recycled(s, best, least);
	return best;
}

void idle_recycled(struct idle *s, uint32_t row, uint32_t peak)
{
	s->hand = row;
	s->recycled++;
	if (peak > s->recycled_peak)
		s->recycled_peak = peak;
}
