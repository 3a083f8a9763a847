/* SPDX-License-Identifier: MIT */
#include "event/ledger.h"

#include <inttypes.h>
#include <string.h>

#include "schedule/collective.h"

void
ledger_text(struct buf *out, const uint64_t *row, int nranks, int members)
{
    const struct ledger_entry *entries = (const struct ledger_entry *)row;
    char letter[LABEL_RANK_MAX];
    bool first = true;

    if (nranks > LEDGER_RANKS) {
        if (row[0] > 0)
            buf_addf(out, "%" PRIu64 "/%d", row[0], members);
        return;
    }
    for (int rank = 0; rank < nranks; rank++) {
        struct ledger_entry e = entries[rank];
        if (e.times == 0)
            continue;
        buf_puts(out, first ? "" : "+");
        if (e.times > 1)
            buf_addf(out, "%d*", e.times);
        buf_puts(out, label_rank(rank, letter));
        if (e.chunk == LEDGER_MIXED)
            buf_putc(out, '?');
        else
            buf_addf(out, "%d", e.chunk);
        first = false;
    }
}

void
ledger_promise(uint64_t *row, int nranks, struct promise promise)
{
    uint64_t more[2];

    memset(row, 0, (size_t)ledger_words(nranks) * sizeof *row);
    ledger_input(row, nranks, promise.first, promise.chunk);
    for (int rank = promise.first + 1; rank <= promise.last; rank++) {
        if (nranks <= LEDGER_RANKS) {
            ledger_input(row, nranks, rank, promise.chunk);
        } else {
            ledger_input(more, nranks, rank, promise.chunk);
            ledger_add(row, row, more, nranks);
        }
    }
}

bool
ledger_keeps(const uint64_t *row, int nranks, struct promise promise)
{
    uint64_t promised[LEDGER_WORDS_MAX];

    ledger_promise(promised, nranks, promise);
    return memcmp(row, promised,
                  (size_t)ledger_words(nranks) * sizeof *row) == 0;
}

int64_t
ledger_count(const uint64_t *row, int nranks)
{
    int64_t count = 0;

    if (nranks > LEDGER_RANKS)
        return (int64_t)row[0];
    for (int rank = 0; rank < nranks; rank++)
        count += ((const struct ledger_entry *)row)[rank].times;
    return count;
}
