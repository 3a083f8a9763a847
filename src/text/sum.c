/* SPDX-License-Identifier: MIT */
#include "text/sum.h"

#include "base/translate.h"
#include "schedule/collective.h"

/* The contributions of a sum that are all spelled out, and those that have
 * letters. */
enum { NAMES_MOST = 4, LETTERS_MOST = 12 };

void
sum_of(const struct world *w, const uint64_t *row, struct sum *s)
{
    const struct ledger_entry *entries = (const struct ledger_entry *)row;
    int n = w->schedule->nranks;

    s->nparts = 0;
    s->count = ledger_count(row, w->schedule->nranks);
    s->faulty = s->count > schedule_members(w->schedule);
    s->complete = world_is_sum(w, row, &s->chunk);
    for (int rank = 0; rank < n && n <= LEDGER_RANKS; rank++) {
        int times = entries[rank].times;
        int chunk = entries[rank].chunk == LEDGER_MIXED ? -1
                                                        : entries[rank].chunk;
        if (times == 0)
            continue;
        s->parts[s->nparts++] = (struct contribution){
            rank, times, chunk, times > 1 || chunk < 0};
        s->faulty |= times > 1 || chunk < 0;
    }
    if (!s->complete)
        s->chunk = s->nparts > 0 ? s->parts[0].chunk : -1;
    for (int i = 0; i < s->nparts; i++)
        if (s->parts[i].chunk != s->chunk)
            s->chunk = -1;
}

void
sum_name(const struct world *w, const uint64_t *row, struct buf *out)
{
    const struct schedule *schedule = w->schedule;
    int members = schedule_members(schedule);
    char letter[LABEL_RANK_MAX];
    struct sum s;

    sum_of(w, row, &s);
    if (s.complete) {
        buf_addf(out, "S%d", s.chunk);
        return;
    }
    if (s.nparts <= NAMES_MOST || s.faulty || s.chunk < 0) {
        ledger_text(out, row, schedule->nranks, members);
        return;
    }
    /* With more ranks than letters, AB could be one rank or two. */
    if (s.nparts <= LETTERS_MOST && members <= LABEL_LETTERS) {
        for (int i = 0; i < s.nparts; i++)
            buf_puts(out, label_rank(s.parts[i].rank, letter));
        if (schedule->nchunks > 1)
            buf_addf(out, " %d", s.chunk);
    } else if (schedule->nchunks > 1) {
        buf_addf(out, _("%1$d/%2$d of chunk %3$d"), s.nparts, members,
                 s.chunk);
    } else {
        buf_addf(out, "%d/%d", s.nparts, members);
    }
}
