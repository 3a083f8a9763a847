/* SPDX-License-Identifier: MIT */
/* The ledger: the text of a row after sums that are right, repeated, mixed, or
 * of memory that nobody wrote, with entries by rank and above LEDGER_RANKS. */
#include "event/ledger.h"

#include <stdlib.h>

#include "tap.h"

enum { N = 3, MANY = LEDGER_RANKS + 1 };

static const uint64_t unwritten[LEDGER_WORDS_MAX];

static const uint64_t *
row_of(uint64_t row[LEDGER_WORDS_MAX], int nranks, int rank, int chunk)
{
    memset(row, 0, LEDGER_WORDS_MAX * sizeof *row);
    ledger_input(row, nranks, rank, chunk);
    return row;
}

/* Checks the text of a row. */
static void
reads(const uint64_t *row, int nranks, const char *expected, const char *name)
{
    OWN(buf) text = {0};

    ledger_text(&text, row, nranks);
    is_str(buf_text(&text), expected, "%s", name);
}

static void
test_sums(void)
{
    uint64_t sum[LEDGER_WORDS_MAX], more[LEDGER_WORDS_MAX];

    row_of(sum, N, 2, 1);
    reads(sum, N, "C1", "an input");
    ledger_add(sum, sum, row_of(more, N, 0, 1), N);
    reads(sum, N, "A1+C1", "a sum, in rank order");
    is_int(ledger_count(sum, N), 2, "of two contributions");
    ok(!ledger_keeps(sum, N, (struct promise){0, N - 1, 1}),
       "which is not complete");
    ledger_add(sum, sum, more, N);
    reads(sum, N, "2*A1+C1", "one of them twice");
    is_int(ledger_count(sum, N), 3, "three contributions");
    ok(!ledger_keeps(sum, N, (struct promise){0, N - 1, 1}),
       "which are not one of each rank");
}

static void
test_mixed(void)
{
    uint64_t sum[LEDGER_WORDS_MAX], more[LEDGER_WORDS_MAX];

    row_of(sum, N, 0, 0);
    ledger_add(sum, sum, row_of(more, N, 0, 1), N);
    reads(sum, N, "2*A?", "two chunks of one rank");
    row_of(sum, N, 0, 0);
    ledger_add(sum, sum, row_of(more, N, 1, 1), N);
    reads(sum, N, "A0+B1", "two chunks of two ranks");
    row_of(sum, N, 1, 0);
    ledger_add(sum, sum, unwritten, N);
    reads(sum, N, "B?", "memory that nobody wrote, added to a chunk");
    row_of(sum, N, 1, 0);
    ledger_add(sum, unwritten, sum, N);
    reads(sum, N, "B?", "and the other way round");
    ledger_add(sum, unwritten, unwritten, N);
    ok(ledger_is_empty(sum, N), "memory that nobody wrote, added to its like");
}

static void
test_saturation(void)
{
    uint64_t sum[LEDGER_WORDS_MAX];

    row_of(sum, N, 0, 0);
    for (int i = 0; i < 16; i++)
        ledger_add(sum, sum, sum, N);
    is_int(ledger_count(sum, N), 0xffff, "65536 times count as 65535");
}

static void
test_promises(int nranks)
{
    uint64_t sum[LEDGER_WORDS_MAX] = {0}, more[LEDGER_WORDS_MAX];
    const struct promise all = {0, nranks - 1, 7};
    const struct promise one = {nranks - 1, nranks - 1, 7};

    for (int rank = nranks; rank-- > 0;) {
        row_of(more, nranks, rank, 7);
        ok(ledger_keeps(more, nranks, one) == (rank == nranks - 1),
           "%d ranks: chunk 7 of the last rank is not rank %d's", nranks,
           rank);
        if (rank == nranks - 1)
            ledger_copy(sum, more, nranks);
        else
            ledger_add(sum, sum, more, nranks);
        ok(ledger_keeps(sum, nranks, all) == (rank == 0),
           "a sum from rank %d on", rank);
    }
    ok(!ledger_keeps(sum, nranks, (struct promise){0, nranks - 1, 6}),
       "it is not the sum of other chunks");
    ledger_add(sum, sum, unwritten, nranks);
    ok(!ledger_keeps(sum, nranks, all), "nor complete with more added");
    is_int(ledger_count(sum, nranks), nranks, "as it has %d contributions",
           nranks);
}

static void
test_many(void)
{
    uint64_t sum[LEDGER_WORDS_MAX], more[LEDGER_WORDS_MAX];

    reads(unwritten, MANY, "", "many ranks: nothing");
    row_of(sum, MANY, 64, 0);
    ledger_add(sum, sum, row_of(more, MANY, 1, 0), MANY);
    reads(sum, MANY, "2/65", "many ranks: how many contributions");
}

int
main(void)
{
    test_sums();
    test_mixed();
    test_saturation();
    test_promises(N);
    test_promises(LEDGER_RANKS);
    test_promises(MANY);
    test_many();
    return done_testing();
}
