/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer on the target that FUZZ_TARGET names.
 *
 * Recorded traces are changed a record at a time: one twice, one left out, one
 * elsewhere, bytes within one. A change of any byte, as the fuzzer makes by
 * itself (and here every second time), mostly moves where records begin, and
 * the reader stops there; these get to the ledger. Little-endian traces only.
 */
#include "fuzz.h"

#define PRELUDE_BYTES 24u
#define RECORDS_MOST 512u

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned int seed);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct target *target(void)
{
	static const struct target *t;
	const char *name = getenv("FUZZ_TARGET");

	if (!t && name)
		t = target_find(name);
	must(t != NULL);
	return t;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	target()->input(data, size);
	return 0;
}

struct records {
	size_t at[RECORDS_MOST], bytes[RECORDS_MOST];
	unsigned int count;
};

static void records_find(struct records *r, const uint8_t *data, size_t size)
{
	size_t at = target()->trace_at + PRELUDE_BYTES;

	for (r->count = 0; at + 4 <= size && r->count < RECORDS_MOST;
	     r->count++) {
		size_t bytes = data[at] | (size_t)data[at + 1] << 8;

		if (bytes < 4 || bytes > size - at)
			return;
		r->at[r->count] = at;
		r->bytes[r->count] = bytes;
		at += bytes;
	}
}

/* Record `one` once more in front of `other`. */
static size_t records_copy(const struct records *r, uint8_t *data, size_t size,
			   size_t max_size, unsigned int one,
			   unsigned int other)
{
	uint8_t copy[UINT16_MAX];
	const size_t n = r->bytes[one], to = r->at[other];

	if (size + n > max_size)
		return size;
	memcpy(copy, data + r->at[one], n);
	memmove(data + to + n, data + to, size - to);
	memcpy(data + to, copy, n);
	return size + n;
}

/* A few of its bytes: those of another record, a small number, or all bits. */
static void records_spoil(const struct records *r, uint8_t *data,
			  unsigned int one, unsigned int other,
			  unsigned int seed)
{
	const size_t room = r->bytes[one] - 4, place = seed % (room + 1);
	size_t n = (size_t)1 << (seed >> 8) % 4;
	uint8_t *to = data + r->at[one] + 4 + place;

	if (n > room - place)
		n = room - place;
	if (seed >> 10 & 1 && place + n + 4 <= r->bytes[other])
		memmove(to, data + r->at[other] + 4 + place, n);
	else if (seed >> 11 & 1)
		memset(to, seed >> 12 & 1 ? 0xff : 0, n);
	else if (n)
		*to = (uint8_t)(*to + (seed >> 13) % 9 - 4);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned int seed)
{
	struct records r;
	unsigned int one, other;

	if (seed & 1 || !target()->trace_at)
		return LLVMFuzzerMutate(data, size, max_size);
	records_find(&r, data, size);
	if (r.count < 3)
		return LLVMFuzzerMutate(data, size, max_size);
	seed = seed / 2 * 2654435761u >> 3;
	one = 1 + seed % (r.count - 1);
	other = 1 + (seed >> 9) % (r.count - 1);
	switch (seed >> 18 & 7) {
	case 0:
		memmove(data + r.at[one], data + r.at[one] + r.bytes[one],
			size - r.at[one] - r.bytes[one]);
		return size - r.bytes[one];
	case 1:
	case 2:
		return records_copy(&r, data, size, max_size, one, other);
	default:
		records_spoil(&r, data, one, other, seed >> 4);
		return size;
	}
}
