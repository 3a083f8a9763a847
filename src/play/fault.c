/* SPDX-License-Identifier: MIT */
#include "play/fault.h"

#include "schedule/check.h"

static bool
is_hit(const struct transfer *t, int src)
{
    return t->src == src && t->dst != src;
}

/* The elements that a rank sends in a step. */
struct moved {
    const struct schedule *s;
    int64_t count, elements;
    int step, src;
};

/* A walk_fn: chunks are as long as what is sent, not as the slots that it may
 * be sent through. */
static void
add_moved(void *state, int step, const struct transfer *t, int k, int chunk)
{
    struct moved *m = state;

    (void)k;
    if (step == m->step && is_hit(t, m->src))
        m->elements += schedule_chunk_length(m->s, m->count, chunk);
}

/* Whether the schedule would still be right without these transfers. */
static bool
is_right_without(const struct schedule *s, int step, int src)
{
    struct schedule_spec spec = {s->collective, s->algorithm, s->nranks,
                                 s->root,       s->pieces,    s->scratch,
                                 s->in_place,   s->topology};
    struct schedule *less = schedule_new(&spec);
    struct err ignored;
    bool right;

    for (int k = 1; k <= s->nsteps; k++) {
        size_t count;
        const struct transfer *t = schedule_transfers(s, k, &count);
        schedule_step(less, s->steps[k - 1].phase);
        for (size_t i = 0; i < count; i++)
            if (k != step || !is_hit(&t[i], src))
                schedule_add(less, t[i]);
    }
    right = schedule_check(less, 0, NULL, &ignored);
    schedule_free(less);
    return right;
}

bool
fault_shows(const struct schedule *s, int64_t count, const struct options *o,
            struct err *err)
{
    int step = o->fault.step, src = o->fault.src;
    int hit = 0, copies = 0;
    struct moved moved = {s, count, 0, step, src};
    size_t ntransfers;
    const struct transfer *t = schedule_transfers(s, step, &ntransfers);

    if (src >= s->nranks)
        return err_set(err, "--fault: there is no rank %d, the ranks are 0 "
                       "to %d", src, s->nranks - 1);
    if (step > s->nsteps)
        return err_set(err, "--fault: there is no step %d, this run has %d",
                       step, s->nsteps);
    for (size_t i = 0; i < ntransfers; i++, t++) {
        if (!is_hit(t, src))
            continue;
        hit++;
        copies += t->op == TRANSFER_COPY;
    }
    if (hit == 0)
        return err_set(err, "--fault: rank %d sends nothing in step %d", src,
                       step);
    schedule_walk(s, add_moved, &moved);
    if (moved.elements == 0)
        return err_set(err, "--fault: the chunk that rank %d sends in step %d "
                       "is empty; with more elements (--count) it is not",
                       src, step);
    if (o->fault.kind == FAULT_REPEAT && copies == hit)
        return err_set(err, "--fault: rank %d's data is copied in step %d, "
                       "and copying it twice changes nothing", src, step);
    if (is_right_without(s, step, src))
        return err_set(err, "--fault: nothing depends on what rank %d sends "
                       "in step %d", src, step);
    return true;
}
