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
    /* If there are more ranks than letters, AB could be one rank or two. */
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

struct flaw
flaw_find(const struct world *w)
{
    const struct schedule *s = w->schedule;
    struct sum sum;

    for (int step = 1; step <= s->nsteps; step++)
        for (int rank = 0; rank < s->nranks; rank++)
            for (int slot = 0; slot < s->nslots; slot++) {
                sum_of(w, world_row_at(w, rank, slot, step), &sum);
                if (sum.faulty)
                    return (struct flaw){step, rank, slot};
            }
    for (int rank = 0; rank < s->nranks; rank++) {
        struct region out = schedule_output(s, rank);
        for (int chunk = 0; chunk < out.count; chunk++)
            if (!ledger_keeps(world_row_at(w, rank, out.first + chunk,
                                           s->nsteps),
                              s->nranks, schedule_promise(s, rank, chunk)))
                return (struct flaw){s->nsteps, rank, out.first + chunk};
    }
    return (struct flaw){s->nsteps, 0, schedule_outputs(s).first};
}

static bool
has_part_of(const struct sum *sum, int rank)
{
    for (int i = 0; i < sum->nparts; i++)
        if (sum->parts[i].rank == rank)
            return true;
    return false;
}

void
flaw_name(const struct world *w, const struct flaw *f, struct buf *out)
{
    const struct schedule *s = w->schedule;
    struct region own = schedule_output(s, f->rank);
    int slot = f->slot - schedule_outputs(s).first, from, twice = -1;
    const uint64_t *row = world_row_at(w, f->rank, f->slot, f->step);
    struct promise p = {.first = 0, .last = 0};
    char letter[LABEL_RANK_MAX];
    OWN(buf) holds = {0};
    struct sum sum;

    sum_of(w, row, &sum);
    sum_name(w, row, &holds);
    for (int i = 0; i < sum.nparts; i++)
        if (twice < 0 && sum.parts[i].times > 1)
            twice = sum.parts[i].rank;
    if (region_has(own, f->slot))
        p = schedule_promise(s, f->rank, f->slot - own.first);
    for (from = p.first; from <= p.last && has_part_of(&sum, from);)
        from++;
    if (twice >= 0)
        buf_addf(out, _("GPU %1$d slot %2$d has %3$s twice"), f->rank, slot,
                 label_rank(twice, letter));
    else if (!sum.faulty && sum.nparts > 0 && p.first < p.last &&
             from <= p.last)
        buf_addf(out, _("GPU %1$d slot %2$d ends as %3$s: %4$s%5$d is missing"),
                 f->rank, slot, buf_text(&holds), label_rank(from, letter),
                 p.chunk);
    else
        buf_addf(out, _("GPU %1$d slot %2$d holds %3$s"), f->rank, slot,
                 holds.length > 0 ? buf_text(&holds) : _("nothing"));
}
