/* SPDX-License-Identifier: MIT */
/* The proof on random schedules, most of them wrong, compared with a proof that
 * keeps a set for each slot and copies all of them in every step.
 * PROOF_ROUNDS=100000 tests/proof tries that many schedules. */
#include "schedule/check.h"

#include <stdlib.h>

#include "random_schedule.h"
#include "tap.h"

/* What a slot holds: a bit for each rank, up to 64 of them. */
struct cell {
    uint64_t ranks;
    int chunk; /* NONE: never written; MIXED: of different chunks */
    int twice; /* the step that added a rank a second time */
};

enum { NONE = -1, MIXED = -2 };

struct plain {
    const struct schedule *s;
    struct cell *cells;
    int64_t elements;  /* sent to other ranks */
    int fault;         /* the first step with a fault, or 0 */
};

static void
fault_in(struct plain *p, int step)
{
    if (p->fault == 0 || step < p->fault)
        p->fault = step;
}

static struct cell
sum_of(struct cell a, struct cell b, int step)
{
    if (a.chunk == NONE)
        a.chunk = b.chunk;
    else if (b.chunk != NONE && b.chunk != a.chunk)
        a.chunk = MIXED;
    if (a.twice == 0)
        a.twice = a.ranks & b.ranks ? step : b.twice;
    a.ranks |= b.ranks;
    return a;
}

static void
plain_step(struct plain *p, int64_t count, int step)
{
    const struct schedule *s = p->s;
    size_t cells = (size_t)s->nranks * (size_t)s->nslots, n;
    struct cell *old = mem_new(cells, sizeof *old);
    bool *written = mem_new(cells, sizeof *written);
    const struct transfer *t = schedule_transfers(s, step, &n);

    memcpy(old, p->cells, cells * sizeof *old);
    for (; n-- > 0; t++)
        for (int k = 0; k < t->nslots; k++) {
            int to = t->dst * s->nslots + t->dst_slot + k;
            int add = t->dst * s->nslots + t->add_slot + k;
            struct cell from = old[t->src * s->nslots + t->src_slot + k];
            struct cell base = written[to] ? p->cells[to] : old[add];

            if (from.chunk == NONE)
                fault_in(p, step);
            else if (t->src != t->dst)
                p->elements += schedule_chunk_length(
                    s, count, from.chunk == MIXED ? 0 : from.chunk);
            if (t->op == TRANSFER_REDUCE && base.chunk == NONE)
                fault_in(p, step);
            p->cells[to] = t->op == TRANSFER_COPY ? from
                                                  : sum_of(base, from, step);
            written[to] = true;
        }
    free(old);
    free(written);
}

static bool
keeps(const struct plain *p, const struct cell *cell, struct promise want)
{
    uint64_t all = UINT64_MAX >> (64 - p->s->nranks);

    return cell->chunk == want.chunk && cell->twice == 0 &&
           cell->ranks == (want.origin == PROMISE_ALL
                               ? all : UINT64_C(1) << want.origin);
}

static void
judge(struct plain *p, int rank)
{
    struct region out = schedule_output(p->s, rank);
    struct region in = schedule_input(p->s, rank);
    const struct cell *own = p->cells + rank * p->s->nslots;

    for (int c = 0; c < out.count; c++) {
        const struct cell *cell = own + out.first + c;
        if (!keeps(p, cell, schedule_promise(p->s, rank, c)))
            fault_in(p, cell->twice != 0 ? cell->twice : p->s->nsteps + 1);
    }
    for (int c = 0; !p->s->in_place && c < in.count; c++)
        if (!keeps(p, own + in.first + c, (struct promise){rank, c}))
            fault_in(p, p->s->nsteps + 1);
}

/* Runs a schedule slot by slot. */
static struct plain
plain_proof(const struct schedule *s, int64_t count)
{
    struct plain p = {.s = s, .cells = mem_new((size_t)s->nranks *
                                                   (size_t)s->nslots,
                                               sizeof *p.cells)};

    for (int i = 0; i < s->nranks * s->nslots; i++) {
        int rank = i / s->nslots, slot = i % s->nslots;
        struct region input = schedule_input(s, rank);
        p.cells[i].chunk = NONE;
        if (region_has(input, slot))
            p.cells[i] = (struct cell){UINT64_C(1) << rank,
                                       slot - input.first, 0};
    }
    for (int step = 1; step <= s->nsteps; step++)
        plain_step(&p, count, step);
    for (int rank = 0; rank < s->nranks; rank++)
        judge(&p, rank);
    free(p.cells);
    return p;
}

static struct transfer
any_transfer(const struct schedule *s, uint32_t *seed)
{
    int most = random_below(seed, 2) || s->nslots < 5 ? s->nslots : 5;
    int nslots = 1 + random_below(seed, most), room = s->nslots - nslots + 1;
    struct transfer t = {
        .src = random_below(seed, s->nranks),
        .dst = random_below(seed, s->nranks),
        .src_slot = random_below(seed, room),
        .dst_slot = random_below(seed, room),
        .nslots = nslots,
        .op = random_below(seed, 2) ? TRANSFER_REDUCE : TRANSFER_COPY,
    };

    if (random_below(seed, 2))
        t.src_slot = t.dst_slot;
    t.add_slot = t.op == TRANSFER_REDUCE && random_below(seed, 3) == 0
                     ? random_below(seed, room) : t.dst_slot;
    return t;
}

/* Long rows of slots, so that extents are cut and joined. */
static struct schedule *
any_schedule(uint32_t *seed)
{
    static const char *const names[] = {"allreduce", "broadcast", "allgather",
                                        "alltoall", "reduce-scatter"};
    struct schedule *s = schedule_new(&(struct schedule_spec){
        .collective = collective_find(names[random_below(seed, 5)]),
        .algorithm = "random", .nranks = 1 + random_below(seed, 9),
        .pieces = 1 + random_below(seed, 30),
        .scratch = random_below(seed, 150),
        .in_place = random_below(seed, 2)});
    int steps = random_below(seed, 6);

    for (int step = 0; step < steps; step++) {
        schedule_step(s, "random");
        for (int dst = 0; dst < s->nranks; dst++) {
            struct transfer t = any_transfer(s, seed);
            t.dst = dst;
            schedule_add(s, t);
            for (int more = random_below(seed, 3); more > 0; more--) {
                struct transfer next = t;
                next.src = random_below(seed, s->nranks);
                if (t.op == TRANSFER_REDUCE)
                    schedule_add(s, next);
            }
        }
    }
    return s;
}

int
main(void)
{
    const char *text = getenv("PROOF_ROUNDS");
    int rounds = text != NULL ? atoi(text) : 3000, differ = 0, wrong = 0;
    uint32_t seed = 1;

    for (int i = 0; i < rounds; i++) {
        OWNS(schedule) *s = any_schedule(&seed);
        int64_t count = random_below(&seed, 1000);
        struct plain plain = plain_proof(s, count);
        struct check_counts counts;
        struct err err = {0};
        bool right = schedule_check(s, count, &counts, &err);
        /* "step 3: ...", "...: step 3 adds it again"; without a step it is
         * what is wrong in the end */
        const char *at = strstr(err.text, "step ");
        int step = at != NULL ? atoi(at + 5) : s->nsteps + 1;

        if (right != (plain.fault == 0) || counts.total != plain.elements ||
            (!right && step != plain.fault)) {
            differ++;
            diag("schedule %d: fault in step %d, %lld elements: %s", i,
                 plain.fault, (long long)plain.elements, err.text);
        }
        wrong += !right;
    }
    is_int(differ, 0, "%d random schedules, %d of them wrong", rounds, wrong);
    ok(wrong > rounds / 2 && wrong < rounds, "some are right");
    return done_testing();
}
