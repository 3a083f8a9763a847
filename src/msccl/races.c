/* SPDX-License-Identifier: MIT */
/* Races: two steps of a rank that use the same slot, at least one of which
 * writes it, and that nothing orders.
 *
 * A step comes after the step before it in its block, after the step that
 * publishes the one it waits for, and after the step that sent the message it
 * receives.  Steps are visited in an order in which they can end.  Every access
 * to a slot must come after the slot's last writer, and a write also after all
 * its readers since then.  So all accesses that matter form a chain.
 *
 * To find out whether one step comes after another, we search backwards from
 * the later one, no further than the earlier one in the order.  Usually the
 * answer is one step away: the dependency that was put there for this purpose.
 *
 * One rule is finer than steps.  A step that receives and sends forwards its
 * message part by part.  So if there are only such steps between two steps,
 * chunk k of the later one comes only after chunks 0 to k of the earlier one.
 * If the protocol is LL or LL128, it comes only after chunk k: each thread then
 * passes on what it has, whatever the others do (LLGenericOp() in
 * src/device/prims_ll.h). */
#include <stdlib.h>

#include "base/mem.h"
#include "msccl/file.h"

struct reading {
    int step;
    int next; /* reading of the same slot, or MSCCL_NONE */
};

struct cell {
    int writer;  /* last step that wrote, or MSCCL_NONE */
    int reading; /* first reading since then, or MSCCL_NONE */
};

/* One use of a slot. */
struct access {
    int step;
    int first; /* slot that holds the step's chunk 0 */
};

struct search {
    struct msccl *m;
    struct err *err;
    int *when;   /* by step: its place in the order */
    int *linked; /* by step: the last one up to it in its block that comes after
                  * a step of another block, or MSCCL_NONE */
    int *seen;   /* by step: the last search that visited it */
    int searches;
    int *found; /* stack of steps before which the earlier step must come */
    size_t nfound, found_capacity;
    int64_t work;
    struct access before, after; /* this order is known */

    int nslots;         /* of a rank */
    struct cell *cells; /* by rank and slot */
    struct reading *readings;
    size_t nreadings, readings_capacity;
    int free_reading;
};

static int
step_before(const struct msccl *m, int step)
{
    return step == m->blocks[m->steps[step].block].first ? MSCCL_NONE
                                                         : step - 1;
}

/* Notes a step x that comes before the later step.  Returns true if this shows
 * that `a` does, too. */
static bool
note_earlier(struct search *s, int x, int a)
{
    if (x == MSCCL_NONE || s->when[x] < s->when[a])
        return false;
    if (s->m->steps[x].block == s->m->steps[a].block)
        return true;
    s->found = mem_grow(s->found, s->nfound, &s->found_capacity,
                        sizeof *s->found);
    s->found[s->nfound++] = x;
    return false;
}

/* Notes everything that a step comes after, except its message.  Nops before it
 * add dependencies. */
static bool
note_waits(struct search *s, int x, int a)
{
    const struct msccl_step *steps = s->m->steps;

    do {
        s->work++;
        if (note_earlier(s, steps[x].waits_for, a))
            return true;
        x = step_before(s->m, x);
    } while (x != MSCCL_NONE && steps[x].does == 0);
    return note_earlier(s, x, a);
}

/* Begins at `b`, going back along messages only. */
static bool
search_messages(struct search *s, struct access a, struct access b)
{
    s->nfound = 0;
    s->searches++;
    for (int x = b.step; x != MSCCL_NONE && s->when[x] > s->when[a.step];
         x = s->m->steps[x].sender) {
        if (note_waits(s, x, a.step))
            return true;
        if (s->m->steps[x].sender == a.step)
            return b.first == a.first ||
                   (b.first < a.first && s->m->protocol->in_order);
    }
    return false;
}

/* Whether step a, or its chunk, is over before b, or its chunk, begins. */
static bool
comes_after(struct search *s, struct access a, struct access b)
{
    const struct msccl_step *steps = s->m->steps;

    if (steps[a.step].block == steps[b.step].block || search_messages(s, a, b))
        return true;
    while (s->nfound > 0) {
        int x = s->linked[s->found[--s->nfound]];
        s->work++;
        if (x == MSCCL_NONE || s->seen[x] == s->searches)
            continue;
        s->seen[x] = s->searches;
        if (note_earlier(s, steps[x].sender, a.step) ||
            note_waits(s, x, a.step))
            return true;
    }
    return false;
}

static bool
check_order(struct search *s, struct access a, struct access b, int slot)
{
    const struct msccl *m = s->m;
    const struct msccl_block *of = &m->blocks[m->steps[a.step].block];

    if (s->work > MSCCL_WORK_MAX)
        return msccl_too_large(s->m, s->err, "deciding whether steps race "
                               "takes more work than collviz's limit");
    if (a.step == b.step ||
        (s->before.step == a.step && s->before.first == a.first &&
         s->after.step == b.step && s->after.first == b.first))
        return true;
    if (comes_after(s, a, b)) {
        s->before = a;
        s->after = b;
        return true;
    }
    err_set(s->err, "races with thread block %d, step %d: nothing orders them, "
            "both use slot %d, and one writes it", of->id, a.step - of->first,
            slot);
    return msccl_at(m, b.step, s->err);
}

/* A later reading by the same block stands for the earlier one. */
static void
add_reading(struct search *s, struct cell *c, int step)
{
    const struct msccl_step *steps = s->m->steps;
    int at = c->reading;

    if (at != MSCCL_NONE &&
        steps[s->readings[at].step].block == steps[step].block) {
        s->readings[at].step = step;
        return;
    }
    at = s->free_reading;
    if (at != MSCCL_NONE) {
        s->free_reading = s->readings[at].next;
    } else {
        s->readings = mem_grow(s->readings, s->nreadings,
                               &s->readings_capacity, sizeof *s->readings);
        at = (int)s->nreadings++;
    }
    s->readings[at] = (struct reading){step, c->reading};
    c->reading = at;
}

/* The cell of a slot of the step's rank. */
static struct cell *
cell_at(const struct search *s, int step, int slot)
{
    int rank = s->m->blocks[s->m->steps[step].block].rank;

    return s->cells + (size_t)rank * (size_t)s->nslots + slot;
}

static bool
check_writer(struct search *s, struct access b, int slot)
{
    int writer = cell_at(s, b.step, slot)->writer;

    return writer == MSCCL_NONE ||
           check_order(s, (struct access){writer, s->m->steps[writer].dst}, b,
                       slot);
}

/* A copy of chunks onto themselves, as in place, changes nothing: others may
 * read them meanwhile. */
static bool
changes_chunks(const struct msccl_step *t)
{
    return (t->does & DOES_WRITE) &&
           (t->does != (DOES_READ | DOES_WRITE) || t->src != t->dst);
}

static bool
check_reads(struct search *s, int step)
{
    const struct msccl_step *t = &s->m->steps[step];

    for (int slot = t->src; slot < t->src + t->count; slot++) {
        if (!check_writer(s, (struct access){step, t->src}, slot))
            return false;
        add_reading(s, cell_at(s, step, slot), step);
    }
    return true;
}

static bool
check_writes(struct search *s, int step)
{
    const struct msccl_step *t = &s->m->steps[step];

    for (int slot = t->dst; slot < t->dst + t->count; slot++) {
        struct cell *c = cell_at(s, step, slot);
        struct access b = {step, t->dst};
        if (!check_writer(s, b, slot))
            return false;
        while (c->reading != MSCCL_NONE) {
            int at = c->reading, by = s->readings[at].step;
            if (!check_order(s, (struct access){by, s->m->steps[by].src}, b,
                             slot))
                return false;
            c->reading = s->readings[at].next;
            s->readings[at].next = s->free_reading;
            s->free_reading = at;
        }
        c->writer = step;
    }
    return true;
}

bool
msccl_races(struct msccl *m, const struct schedule *s, const int *order,
            struct err *err)
{
    size_t cells = schedule_cell(s, s->nranks, 0);
    struct search search = {
        .m = m, .err = err, .free_reading = MSCCL_NONE, .nslots = s->nslots,
        .when = mem_new(m->nsteps, sizeof *search.when),
        .linked = mem_new(m->nsteps, sizeof *search.linked),
        .seen = mem_new(m->nsteps, sizeof *search.seen),
        .cells = mem_new(cells, sizeof *search.cells)};
    bool ok = true;

    for (int i = 0; i < (int)m->nsteps; i++) {
        const struct msccl_step *t = &m->steps[i];
        int before = step_before(m, i);
        search.when[order[i]] = i;
        search.linked[i] = t->waits_for >= 0 || t->sender >= 0 ? i
                           : before >= 0 ? search.linked[before] : MSCCL_NONE;
    }
    for (size_t i = 0; i < cells; i++)
        search.cells[i] = (struct cell){MSCCL_NONE, MSCCL_NONE};
    for (size_t i = 0; ok && i < m->nsteps; i++) {
        const struct msccl_step *t = &m->steps[order[i]];
        ok = (!(t->does & DOES_READ) || check_reads(&search, order[i])) &&
             (!changes_chunks(t) || check_writes(&search, order[i]));
    }
    free(search.when);
    free(search.linked);
    free(search.seen);
    free(search.found);
    free(search.cells);
    free(search.readings);
    return ok;
}
