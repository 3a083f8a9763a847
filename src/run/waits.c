/* SPDX-License-Identifier: MIT */
#include "run/waits.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/mem.h"

enum side { RECEIVES, SENDS, SIDES };
enum { NOWHERE = INT_MAX };

/* A send or a receive of a message, or of a slice of it. */
struct message_end {
    int rank, peer, step;
    int end_step;  /* of the peer, in which it has the other end; or NOWHERE */
    int over_step; /* of the peer, from which on it can be over */
    int64_t length, end_length;
    int64_t message, end_message; /* elements of the whole message */
};

struct waits {
    int nranks;
    int *nsteps; /* by rank */
    int most;    /* of these */
    bool cut;    /* messages are cut into slices */
    struct nccl_cut nccl;
    struct message_end *ends[SIDES]; /* in the order of ranks, then of steps */
    size_t *starts[SIDES]; /* [rank * (most + 1) + step], and the end */
};

static size_t
start_index(const struct waits *w, int rank, int step)
{
    return (size_t)rank * (size_t)(w->most + 1) + (size_t)step;
}

/* Lists a message, or its slices, if there is room; returns how many. */
static size_t
list_message(const struct waits *w, int rank, int step,
             const struct message *m, struct message_end *to)
{
    struct message_end p = {rank, m->peer, step, NOWHERE, NOWHERE, m->length, 0,
                            m->length, 0};
    int64_t n = w->cut ? nccl_slices(&w->nccl, m->length) : 1, from;

    for (int64_t i = 0; to != NULL && i < n; i++) {
        if (w->cut)
            p.length = nccl_slice(&w->nccl, m->length, i, &from);
        to[i] = p;
    }
    return (size_t)n;
}

/* Lists all sends, or receives; returns how many. */
static size_t
list_message_ends(struct waits *w, struct share *const *shares, enum side side)
{
    size_t n = 0, all = 0;

    for (int rank = 0; rank < w->nranks; rank++) {
        const struct share *s = shares[rank];
        for (size_t i = 0; i < (side == SENDS ? s->nsends : s->nreceives); i++)
            all += list_message(
                w, rank, 0, side == SENDS ? &s->sends[i] : &s->receives[i],
                NULL);
    }
    w->ends[side] = mem_new(all, sizeof *w->ends[side]);
    w->starts[side] = mem_new(start_index(w, w->nranks, 1),
                              sizeof *w->starts[side]);
    for (int rank = 0; rank < w->nranks; rank++) {
        const struct share *s = shares[rank];
        const struct message *m = side == SENDS ? s->sends : s->receives;
        for (int step = 0; step <= w->most; step++) {
            int count = 0;
            if (step > 0 && step <= s->nsteps)
                count = side == SENDS ? s->steps[step - 1].nsends
                                      : s->steps[step - 1].nreceives;
            w->starts[side][start_index(w, rank, step)] = n;
            for (; count > 0; count--, m++)
                n += list_message(w, rank, step, m, w->ends[side] + n);
        }
    }
    return w->starts[side][start_index(w, w->nranks, 0)] = n;
}

/* A send is over when its receive is posted.  By NCCL's rules it is over when
 * the receive of an earlier slice is, the `ahead`-th before it.  `first` and
 * `next` are 1 + the index of a send, or 0: the first one of a pair of ranks,
 * the next one of the same pair. */
static void
end_sends(struct waits *w, const size_t *first, const size_t *next)
{
    struct message_end *sends = w->ends[SENDS];

    for (int pair = 0; pair < w->nranks * w->nranks; pair++) {
        size_t behind = first[pair];
        int ahead = w->cut ? w->nccl.ahead : 0;
        for (size_t i = first[pair]; i > 0; i = next[i - 1], ahead--) {
            sends[i - 1].over_step =
                ahead > 0 ? 0 : sends[behind - 1].end_step;
            behind = ahead > 0 ? behind : next[behind - 1];
        }
    }
}

/* Each receive takes the first send that is left of its pair of ranks. */
static void
join_ends(struct waits *w, size_t nsends, size_t nreceives)
{
    size_t n = (size_t)w->nranks;
    /* 1 + its index, or 0 */
    OWN_MEMORY size_t *left = mem_new(n * n, sizeof *left);
    OWN_MEMORY size_t *first = mem_new(n * n, sizeof *first);
    OWN_MEMORY size_t *next = mem_new(nsends, sizeof *next);

    for (size_t i = nsends; i-- > 0;) {
        const struct message_end *p = &w->ends[SENDS][i];
        size_t pair = (size_t)p->rank * n + (size_t)p->peer;
        next[i] = left[pair];
        left[pair] = first[pair] = i + 1;
    }
    for (size_t i = 0; i < nreceives; i++) {
        struct message_end *p = &w->ends[RECEIVES][i], *end;
        size_t pair = (size_t)p->peer * n + (size_t)p->rank;
        if (left[pair] == 0)
            continue;
        end = &w->ends[SENDS][left[pair] - 1];
        left[pair] = next[left[pair] - 1];
        p->end_step = p->over_step = end->step;
        p->end_length = end->length;
        p->end_message = end->message;
        end->end_step = p->step;
        end->end_length = p->length;
        end->end_message = p->message;
    }
    end_sends(w, first, next);
}

struct waits *
waits_new(struct share *const *shares, int nranks, const struct nccl_cut *cut)
{
    struct waits *w = mem_new(1, sizeof *w);
    size_t nsends, nreceives;

    w->nranks = nranks;
    w->cut = cut != NULL;
    if (w->cut)
        w->nccl = *cut;
    w->nsteps = mem_new((size_t)nranks, sizeof *w->nsteps);
    for (int rank = 0; rank < nranks; rank++) {
        w->nsteps[rank] = shares[rank]->nsteps;
        w->most = most(w->most, w->nsteps[rank]);
    }
    nsends = list_message_ends(w, shares, SENDS);
    nreceives = list_message_ends(w, shares, RECEIVES);
    join_ends(w, nsends, nreceives);
    return w;
}

void
waits_free(struct waits *w)
{
    if (w == NULL)
        return;
    for (int side = 0; side < SIDES; side++) {
        free(w->ends[side]);
        free(w->starts[side]);
    }
    free(w->nsteps);
    free(w);
}

/* The first of the ends of messages in the step of a rank that is not over.  A
 * message that has come may be too long whatever else is missing. */
static struct rank_wait
first_wait(const struct waits *w, const int *steps, int rank, enum side side)
{
    struct rank_wait first = {.kind = WAIT_NONE};
    const size_t *start = &w->starts[side][start_index(w, rank, steps[rank])];

    for (size_t i = start[0]; i < start[1]; i++) {
        const struct message_end *p = &w->ends[side][i];
        if (p->over_step > steps[p->peer]) {
            if (first.kind == WAIT_NONE)
                first = (struct rank_wait){
                    side == SENDS ? WAIT_SEND : WAIT_RECEIVE, rank, p->peer,
                    p->step, 0, 0};
        } else if (side == RECEIVES && !w->cut && p->end_length > p->length) {
            return (struct rank_wait){WAIT_TRUNCATED, rank, p->peer, p->step,
                                      p->end_length, p->length};
        }
    }
    return first;
}

/* What a rank waits for when each rank r has posted the messages of its steps
 * 1 .. steps[r].  A rank that is through has a step beyond its last one. */
static struct rank_wait
waits_of(const struct waits *w, bool buffered, const int *steps, int rank)
{
    struct rank_wait wait = {.kind = WAIT_THROUGH, .rank = rank};

    if (steps[rank] > w->nsteps[rank])
        return wait;
    wait = first_wait(w, steps, rank, RECEIVES);
    if (wait.kind == WAIT_NONE && (w->cut || !buffered))
        wait = first_wait(w, steps, rank, SENDS);
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
        if (is_waiting(&waits[rank]) ||
            (waits[rank].kind == WAIT_TRUNCATED &&
             (first == w->nranks || !is_waiting(&waits[first]))))
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

/* Follows the waits from a rank, to the end or round a cycle.  A long chain
 * keeps its first wait and its last ones, which say who is to blame.  Returns
 * how many ranks of it wait. */
static int
follow_waits(const struct rank_wait *waits, int start, struct wrong *wrong)
{
    int rank = start, waiting = 0;

    do {
        if (wrong->nwaits == WRONG_WAITS_MAX) {
            memmove(&wrong->waits[1], &wrong->waits[2],
                    (WRONG_WAITS_MAX - 2) * sizeof wrong->waits[0]);
            wrong->nwaits--;
            wrong->skipped++;
        }
        wrong->waits[wrong->nwaits++] = waits[rank];
        if (!is_waiting(&waits[rank]))
            return waiting;
        waiting++;
        rank = waits[rank].peer;
    } while (rank != start);
    wrong->cycle = true;
    return waiting;
}

bool
waits_hang(const struct waits *w, bool buffered, const int *steps,
           struct wrong *wrong)
{
    OWN_MEMORY struct rank_wait *waits =
        mem_new((size_t)w->nranks, sizeof *waits);
    bool goes_on = false, hangs = false;
    int waiting = 0;

    for (int rank = 0; rank < w->nranks; rank++) {
        waits[rank] = waits_of(w, buffered, steps, rank);
        goes_on = goes_on || waits[rank].kind == WAIT_NONE;
        hangs = hangs || waits[rank].kind != WAIT_THROUGH;
        waiting += is_waiting(&waits[rank]);
    }
    hangs = hangs && !goes_on;
    if (hangs) {
        *wrong = (struct wrong){
            .kind = waiting > 0 ? WRONG_HANGS : WRONG_STOPS};
        wrong->others =
            waiting - follow_waits(waits, choose_start(w, waits), wrong);
    }
    return hangs;
}

bool
waits_unfit(const struct waits *w, struct wrong *wrong)
{
    size_t count = w->starts[SENDS][start_index(w, w->nranks, 0)];

    for (size_t i = 0; i < count; i++) {
        const struct message_end *p = &w->ends[SENDS][i];
        struct rank_wait message = {.rank = p->peer, .peer = p->rank,
                                    .step = p->step};

        if (p->end_step != NOWHERE && p->end_length == p->length)
            continue;
        *wrong = (struct wrong){.kind = WRONG_UNRECEIVED};
        if (p->end_step != NOWHERE) {
            wrong->kind = WRONG_LENGTH;
            message.step = p->end_step;
            message.length = p->message;
            message.room = p->end_message;
        }
        wrong->waits[0] = message;
        return true;
    }
    return false;
}
