/* SPDX-License-Identifier: MIT */
/* The ledger: whose data is in a slot, carried along with the data.
 *
 * In a watched run every slot has a row beside its payload.  The instruction
 * that copies or adds payload copies or adds the row, so a row says what was
 * really added up there, not what should have been: "A1+2*C1" after a reduction
 * that happened twice.
 *
 * Up to LEDGER_RANKS ranks a row has one entry per rank of origin.  Above that
 * it has two words: the number of contributions, and the sum of their keys
 * modulo 2^64.  Views then show how many there are, not whose, and the verdict
 * still knows whether they are the right ones.
 *
 * A slot's content, as events carry it, is its row, the elements it has, and
 * the first EVENT_VALUES of them:
 *
 *     | row: ledger_words(nranks) | length: 1 | values: EVENT_VALUES |  words
 *
 * The functions below are compiled by cc and by nvcc. */
#ifndef EVENT_LEDGER_H
#define EVENT_LEDGER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "schedule/collective.h"

#ifdef __CUDACC__
#define LEDGER_FN static __host__ __device__ inline
#else
#define LEDGER_FN static inline
#endif

enum {
    LEDGER_RANKS = 64,
    LEDGER_WORDS_MAX = LEDGER_RANKS / 2,
    LEDGER_MIXED = 0xffff, /* the chunk of an entry after other chunks, or
                            * memory never written, were added to it */
    EVENT_VALUES = 4,      /* first elements kept of a slot, 8 bytes each */
};

/* Lies in the words of a row, which are uint64_t elsewhere. */
struct __attribute__((may_alias)) ledger_entry {
    uint16_t times; /* how often this origin's data is in the sum; saturates */
    uint16_t chunk; /* which chunk of its input; unused if times is 0 */
};

LEDGER_FN int
ledger_words(int nranks)
{
    return nranks <= LEDGER_RANKS ? (nranks + 1) / 2 : 2;
}

/* Words of a slot's content. */
LEDGER_FN int
content_words(int nranks)
{
    return ledger_words(nranks) + 1 + EVENT_VALUES;
}

/* One key per contribution (splitmix64, S. Vigna, public domain). */
LEDGER_FN uint64_t
ledger_key(int rank, int chunk)
{
    uint64_t z = ((uint64_t)rank << 32 | (uint32_t)chunk) +
                 UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Sets a zeroed row to that of an input chunk of a rank. */
LEDGER_FN void
ledger_input(uint64_t *row, int nranks, int rank, int chunk)
{
    if (nranks <= LEDGER_RANKS) {
        struct ledger_entry *e = (struct ledger_entry *)row + rank;
        e->times = 1;
        e->chunk = (uint16_t)chunk;
    } else {
        row[0] = 1;
        row[1] = ledger_key(rank, chunk);
    }
}

LEDGER_FN void
ledger_copy(uint64_t *row, const uint64_t *from, int nranks)
{
    for (int i = 0; i < ledger_words(nranks); i++)
        row[i] = from[i];
}

/* An element as a word: its bytes, then zeros. */
LEDGER_FN uint64_t
content_value(const unsigned char *data, int element)
{
    uint64_t word = 0;

    switch (element) {
    case 1:
        memcpy(&word, data, 1);
        break;
    case 2:
        memcpy(&word, __builtin_assume_aligned(data, 2), 2);
        break;
    case 4:
        memcpy(&word, __builtin_assume_aligned(data, 4), 4);
        break;
    default:
        memcpy(&word, __builtin_assume_aligned(data, 8), 8);
    }
    return word;
}

/* Copies the content of a slot with `length` elements of `element` bytes, but
 * not its row if that is NULL.  It writes whole words, since `content` may be
 * host memory, across a bus. */
LEDGER_FN void
content_copy(uint64_t *content, const uint64_t *row, int nranks,
             const unsigned char *data, int64_t length, int element)
{
    uint64_t *values = content + ledger_words(nranks) + 1;

    if (row != NULL)
        ledger_copy(content, row, nranks);
    values[-1] = (uint64_t)length;
    for (int i = 0; i < EVENT_VALUES; i++)
        values[i] =
            i < length ? content_value(data + i * element, element) : 0;
}

/* Whether the slot was never written. */
LEDGER_FN bool
ledger_is_empty(const uint64_t *row, int nranks)
{
    uint64_t any = 0;

    for (int i = 0; i < ledger_words(nranks); i++)
        any |= row[i];
    return any == 0;
}

/* row = a + b; row may be a.  Above LEDGER_RANKS ranks, memory that was never
 * written adds no contribution but a key: that of rank `nranks`, which does not
 * exist. */
LEDGER_FN void
ledger_add(uint64_t *row, const uint64_t *a, const uint64_t *b, int nranks)
{
    bool spoilt = ledger_is_empty(a, nranks) != ledger_is_empty(b, nranks);

    if (nranks > LEDGER_RANKS) {
        row[0] = a[0] + b[0];
        row[1] = a[1] + b[1] + (spoilt ? ledger_key(nranks, 0) : 0);
        return;
    }
    for (int i = 0; i < nranks; i++) {
        struct ledger_entry x = ((const struct ledger_entry *)a)[i];
        struct ledger_entry y = ((const struct ledger_entry *)b)[i];
        uint32_t times = (uint32_t)x.times + y.times;

        if (x.times == 0)
            x.chunk = y.chunk;
        else if (y.times > 0 && y.chunk != x.chunk)
            x.chunk = LEDGER_MIXED;
        if (spoilt && times > 0)
            x.chunk = LEDGER_MIXED;
        x.times = (uint16_t)(times < 0xffff ? times : 0xffff);
        ((struct ledger_entry *)row)[i] = x;
    }
}

/* Appends "A1+2*C1", contributions in rank order, or nothing if there are none;
 * above LEDGER_RANKS ranks how many there are of those of all members, as in
 * "12/100". */
void ledger_text(struct buf *out, const uint64_t *row, int nranks,
                 int members);

/* Sets a row of ledger_words(nranks) words to what a collective promises. */
void ledger_promise(uint64_t *row, int nranks, struct promise promise);

/* Whether a row is exactly that. */
bool ledger_keeps(const uint64_t *row, int nranks, struct promise promise);

/* The contributions in a row, counting repeated ones each time. */
int64_t ledger_count(const uint64_t *row, int nranks);

#endif
