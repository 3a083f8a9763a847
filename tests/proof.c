/* SPDX-License-Identifier: MIT */
/* The proof on random schedules, most of them wrong, compared with a proof that
 * keeps a set for each slot and copies all of them in every step.
 * PROOF_ROUNDS=100000 tests/proof tries that many schedules. */
#include "schedule/check.h"

#include <stdlib.h>

#include "random_schedule.h"
#include "tap.h"

static bool
keeps(const struct plain *p, int rank, int slot, struct promise want)
{
    int ranks = want.last - want.first + 1;
    const struct plain_cell *cell = &p->now[plain_at(p, rank, slot)];

    return cell->chunk == want.chunk && cell->twice == 0 &&
           cell->ranks == UINT64_MAX >> (64 - ranks) << want.first;
}

/* Runs a schedule slot by slot.  Returns the first step with a fault, or 0, and
 * the elements that are sent to other ranks. */
static int
plain_proof(const struct schedule *s, int64_t count, int64_t *elements)
{
    OWN(plain) p = plain_run(s, 0);
    int fault = s->nsteps + 2;

    *elements = 0;
    for (int step = 1; step <= s->nsteps; step++) {
        size_t n;
        const struct transfer *t = schedule_transfers(s, step, &n);
        plain_step(&p, step);
        for (; n-- > 0; t++)
            for (int k = 0; t->src != t->dst && k < t->nslots; k++) {
                int chunk =
                    p.before[plain_at(&p, t->src, t->src_slot + k)].chunk;
                if (chunk != PLAIN_NONE)
                    *elements += schedule_chunk_length(
                        s, count, chunk == PLAIN_MIXED ? 0 : chunk);
            }
        for (t = schedule_transfers(s, step, &n); n-- > 0; t++)
            for (int k = 0; k < t->nslots; k++) {
                int slot = t->dst_slot + k;
                int chunk = p.now[plain_at(&p, t->dst, slot)].chunk;
                int room = schedule_slot_room(s, t->dst, slot);
                if (chunk != PLAIN_NONE && chunk != PLAIN_MIXED &&
                    schedule_chunk_length(s, count, chunk) >
                        schedule_chunk_length(s, count, room) &&
                    step < fault)
                    fault = step;
            }
    }
    for (int rank = 0; rank < s->nranks; rank++) {
        struct region out = schedule_output(s, rank);
        struct region in = schedule_input(s, rank);
        for (int c = 0; c < out.count; c++) {
            int twice = p.now[plain_at(&p, rank, out.first + c)].twice;
            int step = twice != 0 ? twice : s->nsteps + 1;
            if (step < fault && !keeps(&p, rank, out.first + c,
                                       schedule_promise(s, rank, c)))
                fault = step;
        }
        for (int c = 0; !s->in_place && c < in.count; c++)
            if (fault > s->nsteps + 1 &&
                !keeps(&p, rank, in.first + c, (struct promise){rank, rank, c}))
                fault = s->nsteps + 1;
    }
    if (p.fault != 0 && p.fault < fault)
        fault = p.fault;
    return fault > s->nsteps + 1 ? 0 : fault;
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
            struct transfer t = random_transfer(
                s, random_below(seed, 2) ? s->nslots : 5, seed);
            if (random_below(seed, 2))
                t.src_slot = t.dst_slot;
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
        int64_t elements;
        int fault = plain_proof(s, count, &elements);
        struct check_counts counts;
        struct err err = {0};
        bool right = schedule_check(s, count, &counts, &err);
        /* "step 3: ...", "...: step 3 adds it again"; without a step it is
         * what is wrong in the end */
        const char *at = strstr(err.text, "step ");
        int step = at != NULL ? atoi(at + 5) : s->nsteps + 1;

        if (right != (fault == 0) || counts.total != elements ||
            (!right && step != fault)) {
            differ++;
            diag("schedule %d: fault in step %d, %lld elements: %s", i,
                 fault, (long long)elements, err.text);
        }
        wrong += !right;
    }
    is_int(differ, 0, "%d random schedules, %d of them wrong", rounds, wrong);
    ok(wrong > rounds / 2 && wrong < rounds, "some are right");
    return done_testing();
}
