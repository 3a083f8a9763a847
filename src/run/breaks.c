/* SPDX-License-Identifier: MIT */
#include "run/breaks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/mix.h"
#include "run/waits.h"
#include "schedule/check.h"

enum { DRAWS = 400 }; /* of a change that may break the schedule */

const char *const break_names[BREAK_KINDS + 1] = {
    "lost", "slot", "peer", "op", "order", "root", "race", "deadlock", NULL};

/* Changes. */

struct schedule *
edit_schedule(const struct schedule *s, const struct edit *e)
{
    struct schedule *edited = schedule_copy(s, 0);

    for (int step = 1; step <= s->nsteps; step++) {
        int from = e->swap == 0      ? step
                   : step == e->step ? e->swap
                   : step == e->swap ? e->step
                                     : step;
        bool puts = e->swap == 0 && step == e->to;
        size_t count;
        const struct transfer *t = schedule_transfers(s, from, &count);
        schedule_step(edited, s->steps[from - 1].phase);
        for (size_t i = 0; i < count; i++) {
            bool taken = e->swap == 0 && step == e->step && (int)i == e->index;
            if (!taken)
                schedule_add(edited, t[i]);
            else if (puts) /* in its place */
                schedule_add(edited, e->put);
            puts = puts && !taken;
        }
        if (puts)
            schedule_add(edited, e->put);
    }
    return edited;
}

/* The same schedule with one slot in each transfer.  `turns`: each step becomes
 * two, in the first of which the lower rank of each pair sends.  `any`: it may
 * use any link. */
static struct schedule *
spread_steps(const struct schedule *s, bool turns, bool any)
{
    struct schedule *out = schedule_copy(s, 0);

    if (any)
        out->topology = (struct topology){.kind = TOPOLOGY_ANY};
    for (int step = 1; step <= s->nsteps; step++) {
        size_t count;
        const struct transfer *all = schedule_transfers(s, step, &count);
        for (int turn = 0; turn <= turns; turn++) {
            schedule_step(out, s->steps[step - 1].phase);
            for (size_t i = 0; i < count; i++) {
                struct transfer t = all[i];
                if (turns && (t.src > t.dst) != turn)
                    continue;
                for (t.nslots = 1; t.src_slot < all[i].src_slot + all[i].nslots;
                     t.src_slot++, t.dst_slot++, t.add_slot++)
                    schedule_add(out, t);
            }
        }
    }
    return out;
}

/* Finds the transfer that was changed in the broken schedule. */
struct edit
break_undone(const struct broken *b, struct transfer *about)
{
    const struct edit *e = &b->edit;
    struct edit back = {.step = e->to, .index = -1, .to = e->step};
    size_t count;
    const struct transfer *t;

    if (e->swap != 0) {
        t = schedule_transfers(b->schedule, e->step, &count);
        while (b->rank >= 0 && t->src != b->rank && t->dst != b->rank)
            t++;
        *about = *t;
        return *e;
    }
    back.put = schedule_transfers(b->whole, e->step, &count)[e->index];
    *about = e->to > 0 ? e->put : back.put;
    if (e->to == 0) {
        back.step = e->step;
        return back;
    }
    t = schedule_transfers(b->schedule, e->to, &count);
    back.index = e->to == e->step ? e->index : (int)count - 1;
    assert(memcmp(&t[back.index], &e->put, sizeof *t) == 0);
    return back;
}

/* Judging. */

/* Whether sends that block let all ranks come to their end, if `rank` follows
 * `its`. */
static bool
comes_through(const struct schedule *theirs, const struct schedule *its,
              int rank, struct err *err)
{
    struct mismatch m = {.rank = rank, .its = its, .theirs = theirs,
                         .its_count = its->nchunks};
    struct run_options o = {.input.count = theirs->nchunks, .mismatch = &m};
    size_t n = (size_t)theirs->nranks;
    OWN_MEMORY struct share **shares = mem_new(n, sizeof *shares);
    OWN_MEMORY int *steps = mem_new(n, sizeof *steps);
    OWN(buf) why = {0};
    struct wrong wrong;
    struct waits *w;
    bool hangs;

    share_out(theirs, &o, shares, &w);
    for (int r = 0; r < theirs->nranks; r++)
        steps[r] = 1;
    waits_settle(w, false, steps);
    hangs = waits_hang(w, false, steps, &wrong) || waits_unfit(w, &wrong);
    if (hangs) {
        wrong_text(&wrong, &why);
        err_set(err, "%s", buf_text(&why));
    }
    for (int r = 0; r < theirs->nranks; r++)
        free(shares[r]);
    waits_free(w);
    return !hangs;
}

static bool
is_same_schedule(const struct schedule *a, const struct schedule *b)
{
    bool alike = a->nsteps == b->nsteps && a->ntransfers == b->ntransfers;

    for (int i = 0; alike && i < a->nsteps; i++)
        alike = a->steps[i].count == b->steps[i].count;
    return alike && memcmp(a->transfers, b->transfers,
                           a->ntransfers * sizeof *a->transfers) == 0;
}

bool
break_mends(const struct broken *b, const struct edit *e, struct err *err)
{
    struct schedule *mended = edit_schedule(b->schedule, e);
    bool right = b->rank < 0 ? schedule_check(mended, 0, NULL, err)
                             : comes_through(b->whole, mended, b->rank, err) &&
                                   (is_same_schedule(b->whole, mended) ||
                                    err_set(err, "rank %d now sends and "
                                            "receives in another order than "
                                            "its peers expect", b->rank));

    schedule_free(mended);
    return right;
}

/* Whether moving a transfer, or its step, mends the schedule. */
static bool
mends_by_moving(const struct broken *b, struct edit e)
{
    struct err ignored;

    for (int to = 1; to <= b->schedule->nsteps; to++) {
        e.swap = 0;
        e.to = to;
        if (to != e.step && b->rank < 0 && e.index >= 0 &&
            break_mends(b, &e, &ignored))
            return true;
        e.swap = to;
        if (to != e.step && break_mends(b, &e, &ignored))
            return true;
    }
    return false;
}

/* Whether a transfer in the place of this one, or one more, mends it. */
static bool
mends_by_replacing(const struct broken *b, struct edit e)
{
    const struct schedule *s = b->schedule;
    struct transfer t = e.put;
    struct err ignored;

    e.to = e.step;
    for (int other = 0; other < 2 * s->nranks; other++) {
        bool sends = other < s->nranks;
        int rank = other % s->nranks;
        e.put = t;
        *(sends ? &e.put.src : &e.put.dst) = rank;
        if (e.put.src == e.put.dst ||
            (e.index < 0 && rank != (sends ? t.src : t.dst)))
            continue;
        for (int i = 0; i < 2 * s->nslots; i++) {
            int by = i / 2 - t.src_slot;
            e.put.src_slot = t.src_slot + by;
            e.put.dst_slot = e.put.add_slot = t.dst_slot + by;
            e.put.op = i % 2 == 0 ? TRANSFER_COPY : TRANSFER_REDUCE;
            if (e.put.dst_slot >= 0 && e.put.dst_slot < s->nslots &&
                break_mends(b, &e, &ignored))
                return true;
        }
    }
    return false;
}

bool
break_mends_at(const struct broken *b, int step, int src, int dst)
{
    size_t count;
    const struct transfer *t = schedule_transfers(b->schedule, step, &count);
    struct transfer about;
    struct edit e, undone = break_undone(b, &about);
    bool blocks = b->rank >= 0;
    struct err ignored;

    if (step < 1 || step > b->schedule->nsteps || src == dst)
        return false;
    if (step == undone.step && src == about.src && dst == about.dst)
        return true;
    for (size_t i = 0; i < count; i++) {
        e = (struct edit){.step = step, .index = (int)i, .put = t[i]};
        if (t[i].src == src && t[i].dst == dst &&
            (blocks ? (src == b->rank || dst == b->rank) &&
                          step == b->edit.step && mends_by_moving(b, e)
                    : break_mends(b, &e, &ignored) || mends_by_moving(b, e) ||
                          mends_by_replacing(b, e)))
            return true;
    }
    e = (struct edit){.step = step, .index = -1,
                      .put = {.src = src, .dst = dst, .nslots = 1}};
    return !blocks && mends_by_replacing(b, e);
}

/* Breaking. */

/* Draws a number below `below`, another one with each call. */
static int
draw_number(uint32_t *seed, int below)
{
    return (int)(mix32(*seed += 0x9e3779b9) % (uint32_t)below);
}

/* The transfer that a rank has in a schedule for another root, as `t`: into the
 * rank, or out of it if the root gets all.  Returns the step; 0: there is
 * none. */
static int
as_of_other(const struct schedule *other, const struct transfer *t,
            struct transfer *found)
{
    bool sends = other != NULL && other->collective->output_at == AT_ROOT;

    for (int step = 1; other != NULL && step <= other->nsteps; step++) {
        size_t count;
        const struct transfer *u = schedule_transfers(other, step, &count);
        for (size_t i = 0; i < count; i++)
            if (sends ? u[i].src == t->src : u[i].dst == t->dst) {
                *found = *t;
                found->src = u[i].src;
                found->dst = u[i].dst;
                return step;
            }
    }
    return 0;
}

/* The last step before `step` that writes a slot; 0: none. */
static int
written_in(const struct schedule *s, int step, int rank, int slot)
{
    while (--step > 0) {
        size_t count;
        const struct transfer *t = schedule_transfers(s, step, &count);
        for (size_t i = 0; i < count; i++)
            if (t[i].dst == rank && t[i].dst_slot == slot)
                return step;
    }
    return 0;
}

/* Draws a change of a kind.  Returns false if it is none. */
static bool
draw_edit(struct broken *b, const struct schedule *other, uint32_t *seed)
{
    const struct schedule *s = b->whole;
    struct region out = schedule_outputs(s);
    struct edit *e = &b->edit;
    int step = 1 + draw_number(seed, s->nsteps), by, rank;
    size_t count;
    const struct transfer *all = schedule_transfers(s, step, &count);
    struct transfer t;

    if (count == 0)
        return false;
    *e = (struct edit){.step = step, .index = draw_number(seed, (int)count)};
    e->to = step;
    e->put = t = all[e->index];
    if (t.src == t.dst)
        return false;
    rank = draw_number(seed, schedule_members(s));
    switch (b->kind) {
    case BREAK_LOST:
        e->to = 0;
        return true;
    case BREAK_SLOT:
        by = out.first + draw_number(seed, out.count) - t.src_slot;
        e->put.src_slot += by;
        e->put.dst_slot += by;
        e->put.add_slot += by;
        return by != 0 && region_has(out, t.src_slot) &&
               region_has(out, t.dst_slot + by);
    case BREAK_PEER:
        *(draw_number(seed, 2) == 0 ? &e->put.src : &e->put.dst) = rank;
        return rank != t.src && rank != t.dst &&
               topology_links(&s->topology, s->nranks, s->root, e->put.src,
                              e->put.dst);
    case BREAK_OP:
        e->put.op = t.op == TRANSFER_COPY ? TRANSFER_REDUCE : TRANSFER_COPY;
        e->put.add_slot = t.dst_slot;
        return true;
    case BREAK_ROOT:
        e->to = as_of_other(other, &t, &e->put);
        return e->to > 0 && e->to <= s->nsteps && e->put.src != e->put.dst &&
               (e->to != step || e->put.src != t.src || e->put.dst != t.dst);
    case BREAK_RACE:
        return (e->to = written_in(s, step, t.src, t.src_slot)) > 0;
    case BREAK_DEADLOCK:
        e->step = step - (step + 1) % 2; /* the first of its two turns */
        e->swap = e->step + 1;
        b->rank = rank;
        return true;
    default:
        e->swap = 1 + draw_number(seed, s->nsteps);
        schedule_transfers(s, e->swap, &count);
        return e->swap != step && count > 0;
    }
}

/* Whether what was drawn shows in a run. */
static bool
has_effect(const struct broken *b)
{
    struct check_counts counts;
    struct err ignored;

    if (b->rank >= 0)
        return !is_same_schedule(b->whole, b->schedule) &&
               !comes_through(b->whole, b->schedule, b->rank, &ignored);
    return !schedule_check(b->schedule, 0, &counts, &ignored) &&
           counts.unkept > 0;
}

bool
break_schedule(struct broken *b, const struct schedule *s,
               const struct schedule *other, enum break_kind kind,
               uint32_t seed, struct err *err)
{
    bool turns = kind == BREAK_DEADLOCK;
    struct err ignored;

    *b = (struct broken){.kind = kind, .rank = -1,
                         .whole = spread_steps(s, turns, kind == BREAK_ROOT)};
    if (s->nsteps > 0 && schedule_check(b->whole, 0, NULL, &ignored))
        for (int i = 0; i < DRAWS; i++) {
            if (!draw_edit(b, other, &seed))
                continue;
            b->schedule = edit_schedule(b->whole, &b->edit);
            if (has_effect(b))
                return true;
            schedule_free(b->schedule);
        }
    schedule_free(b->whole);
    *b = (struct broken){.rank = -1};
    return err_set(err, "%s on %d rank%s cannot be broken so: %s",
                   s->algorithm, schedule_members(s),
                   err_plural(schedule_members(s)), break_names[kind]);
}

void
broken_done(struct broken *b)
{
    schedule_free(b->whole);
    schedule_free(b->schedule);
    *b = (struct broken){0};
}
