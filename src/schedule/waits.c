/* SPDX-License-Identifier: MIT */
#include "schedule/waits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { LINKS_MAX = 4 }; /* of a chain of waits, in words: three lines */

/* A send or a receive. */
struct parcel {
    int peer, step;
    int64_t length;
    size_t number; /* among those with this peer, from 0 */
};

/* The sends, or the receives, of all ranks. */
struct side {
    struct parcel *parcels; /* of rank r: of_rank[r] .. of_rank[r + 1] - 1, in
                             * the order of steps */
    size_t *of_rank;
    size_t *by_pair;   /* indices of parcels, by rank and peer, in order */
    size_t *pair_first; /* [rank * nranks + peer], and the end */
};

struct waits {
    int nranks;
    int *nsteps; /* by rank */
    struct side sends, receives;
};

static const struct message *
messages_of(const struct message_plan *plan, int rank, int step, bool sends,
            size_t *count)
{
    struct message_step part = message_plan_step(plan, rank, step);

    *count = sends ? part.nsends : part.nreceives;
    return sends ? part.sends : part.receives;
}

/* Lists parcels by rank, and counts those of each pair in pair_first[pair + 1].
 */
static void
list_parcels(struct side *side, const struct message_plan *const *plans,
             int nranks, bool sends)
{
    size_t n = 0, capacity = 0, count;

    for (int rank = 0; rank < nranks; rank++) {
        side->of_rank[rank] = n;
        for (int step = 1; step <= message_plan_steps(plans[rank]); step++) {
            const struct message *m =
                messages_of(plans[rank], rank, step, sends, &count);
            for (size_t i = 0; i < count; i++) {
                size_t *of_pair =
                    &side->pair_first[(size_t)rank * (size_t)nranks +
                                      (size_t)m[i].peer + 1];
                side->parcels = mem_grow(side->parcels, n, &capacity,
                                         sizeof *side->parcels);
                side->parcels[n++] = (struct parcel){m[i].peer, step,
                                                     m[i].length,
                                                     (*of_pair)++};
            }
        }
    }
    side->of_rank[nranks] = n;
}

static void
make_side(struct side *side, const struct message_plan *const *plans,
          int nranks, bool sends)
{
    size_t pairs = (size_t)nranks * (size_t)nranks;

    side->of_rank = mem_new((size_t)nranks + 1, sizeof *side->of_rank);
    side->pair_first = mem_new(pairs + 1, sizeof *side->pair_first);
    list_parcels(side, plans, nranks, sends);
    for (size_t i = 0; i < pairs; i++)
        side->pair_first[i + 1] += side->pair_first[i];
    side->by_pair = mem_new(side->of_rank[nranks], sizeof *side->by_pair);
    for (int rank = 0; rank < nranks; rank++)
        for (size_t i = side->of_rank[rank]; i < side->of_rank[rank + 1]; i++) {
            const struct parcel *p = &side->parcels[i];
            size_t pair = (size_t)rank * (size_t)nranks + (size_t)p->peer;
            side->by_pair[side->pair_first[pair] + p->number] = i;
        }
}

static void
free_side(struct side *side)
{
    free(side->parcels);
    free(side->of_rank);
    free(side->by_pair);
    free(side->pair_first);
}

struct waits *
waits_new(const struct message_plan *const *plans, int nranks)
{
    struct waits *w = mem_new(1, sizeof *w);

    w->nranks = nranks;
    w->nsteps = mem_new((size_t)nranks, sizeof *w->nsteps);
    for (int rank = 0; rank < nranks; rank++)
        w->nsteps[rank] = message_plan_steps(plans[rank]);
    make_side(&w->sends, plans, nranks, true);
    make_side(&w->receives, plans, nranks, false);
    return w;
}

void
waits_free(struct waits *w)
{
    if (w == NULL)
        return;
    free_side(&w->sends);
    free_side(&w->receives);
    free(w->nsteps);
    free(w);
}

/* The other end of a parcel of `rank`; NULL if its peer has none. */
static const struct parcel *
other_end(const struct waits *w, const struct side *side, int rank,
          const struct parcel *p)
{
    size_t pair = (size_t)p->peer * (size_t)w->nranks + (size_t)rank;
    size_t at = side->pair_first[pair] + p->number;

    return at < side->pair_first[pair + 1] ? &side->parcels[side->by_pair[at]]
                                           : NULL;
}

static struct rank_wait
wait_for_end(const struct parcel *p, const struct parcel *end,
             const int *steps, enum wait_kind kind)
{
    if (end == NULL || end->step > steps[p->peer])
        return (struct rank_wait){kind, p->step, p->peer, 0, 0};
    if (kind == WAIT_RECEIVE && end->length > p->length)
        return (struct rank_wait){WAIT_TRUNCATED, p->step, p->peer,
                                  end->length, p->length};
    return (struct rank_wait){.kind = WAIT_NONE};
}

/* The rank's first parcel of step `step` or later. */
static size_t
at_step(const struct side *side, int rank, int step)
{
    size_t low = side->of_rank[rank], high = side->of_rank[rank + 1];

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (side->parcels[middle].step < step)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The first of a rank's parcels in its step that is not over. A message that
 * has come may be too long whatever else is missing. */
static struct rank_wait
first_wait(const struct waits *w, const struct side *own,
           const struct side *others, const int *steps, int rank,
           enum wait_kind kind)
{
    struct rank_wait first = {.kind = WAIT_NONE};

    size_t end = at_step(own, rank, steps[rank] + 1);

    for (size_t i = at_step(own, rank, steps[rank]); i < end; i++) {
        const struct parcel *p = &own->parcels[i];
        struct rank_wait wait = wait_for_end(
            p, other_end(w, others, rank, p), steps, kind);

        if (wait.kind == WAIT_TRUNCATED)
            return wait;
        if (first.kind == WAIT_NONE)
            first = wait;
    }
    return first;
}

struct rank_wait
waits_of(const struct waits *w, bool buffered, const int *steps, int rank)
{
    struct rank_wait wait = {WAIT_THROUGH, steps[rank], rank, 0, 0};

    if (steps[rank] > w->nsteps[rank])
        return wait;
    wait = first_wait(w, &w->receives, &w->sends, steps, rank, WAIT_RECEIVE);
    if (wait.kind == WAIT_NONE && !buffered)
        wait = first_wait(w, &w->sends, &w->receives, steps, rank, WAIT_SEND);
    return wait;
}

void
waits_settle(const struct waits *w, bool buffered, int *steps)
{
    bool moved;

    do {
        moved = false;
        for (int rank = 0; rank < w->nranks; rank++)
            if (waits_of(w, buffered, steps, rank).kind == WAIT_NONE) {
                steps[rank]++;
                moved = true;
            }
    } while (moved);
}

static bool
is_waiting(const struct rank_wait *wait)
{
    return wait->kind == WAIT_RECEIVE || wait->kind == WAIT_SEND;
}

/* The lowest rank of a cycle of waits; else the lowest that waits; else the
 * lowest that has stopped; nranks for none. */
static int
choose_start(const struct waits *w, const struct rank_wait *waits)
{
    int first = w->nranks;

    for (int rank = w->nranks - 1; rank >= 0; rank--)
        if (waits[rank].kind == WAIT_TRUNCATED)
            first = rank;
    for (int rank = w->nranks - 1; rank >= 0; rank--)
        if (is_waiting(&waits[rank]))
            first = rank;
    for (int rank = 0; rank < w->nranks; rank++) {
        int at = rank;
        for (int n = 0; n < w->nranks && is_waiting(&waits[at]); n++) {
            at = waits[at].peer;
            if (at == rank)
                return rank;
        }
    }
    return first;
}

/* "rank 0 waits for rank 2 (step 3)" */
static void
add_link(int rank, const struct rank_wait *wait, struct buf *out)
{
    if (wait->kind == WAIT_THROUGH)
        buf_addf(out, "rank %d has finished", rank);
    else if (wait->kind == WAIT_TRUNCATED)
        buf_addf(out, "rank %d stopped at a message of %" PRId64
                 " element%s from rank %d where it expects %" PRId64
                 " (step %d)", rank, wait->length, err_plural(wait->length),
                 wait->peer, wait->room, wait->step);
    else if (wait->kind == WAIT_SEND)
        buf_addf(out, "rank %d waits until rank %d receives (step %d)", rank,
                 wait->peer, wait->step);
    else
        buf_addf(out, "rank %d waits for rank %d (step %d)", rank, wait->peer,
                 wait->step);
}

/* Follows the waits from a rank, to the end or round a cycle. Returns how many
 * waiting ranks that names. */
static int
add_chain(const struct waits *w, const struct rank_wait *waits, int start,
          struct buf *out)
{
    int rank = start, links = 0, named = 0;

    while (links < w->nranks && links < LINKS_MAX) {
        buf_puts(out, links++ > 0 ? ", " : "");
        add_link(rank, &waits[rank], out);
        if (!is_waiting(&waits[rank]))
            return named;
        named++;
        rank = waits[rank].peer;
        if (rank == start) {
            buf_puts(out, ": a cycle");
            return named;
        }
    }
    buf_puts(out, ", and so on");
    return named;
}

static void
explain_hang(const struct waits *w, const struct rank_wait *waits,
             struct buf *out)
{
    int start = choose_start(w, waits), waiting = 0, named;

    for (int rank = 0; rank < w->nranks; rank++)
        waiting += is_waiting(&waits[rank]);
    buf_puts(out, waiting > 0 ? "the run hangs: " : "the run stops: ");
    named = add_chain(w, waits, start, out);
    if (waiting > named)
        buf_addf(out, "; %d more wait%s", waiting - named,
                 waiting - named == 1 ? "s" : "");
}

bool
waits_hang(const struct waits *w, bool buffered, const int *steps,
           struct buf *out)
{
    struct rank_wait *waits = mem_new((size_t)w->nranks, sizeof *waits);
    bool goes_on = false, hangs = false;

    for (int rank = 0; rank < w->nranks; rank++) {
        waits[rank] = waits_of(w, buffered, steps, rank);
        goes_on = goes_on || waits[rank].kind == WAIT_NONE;
        hangs = hangs || waits[rank].kind != WAIT_THROUGH;
    }
    hangs = hangs && !goes_on;
    if (hangs)
        explain_hang(w, waits, out);
    free(waits);
    return hangs;
}

bool
waits_unfit(const struct waits *w, struct buf *out)
{
    for (int rank = 0; rank < w->nranks; rank++)
        for (size_t i = w->sends.of_rank[rank]; i < w->sends.of_rank[rank + 1];
             i++) {
            const struct parcel *p = &w->sends.parcels[i];
            const struct parcel *end = other_end(w, &w->receives, rank, p);

            if (end == NULL)
                buf_addf(out, "rank %d never receives what rank %d sends it in "
                         "step %d", p->peer, rank, p->step);
            else if (end->length != p->length)
                buf_addf(out, "rank %d expects %" PRId64 " element%s in step "
                         "%d, rank %d sends %" PRId64, p->peer, end->length,
                         err_plural(end->length), end->step, rank, p->length);
            else
                continue;
            return true;
        }
    return false;
}
