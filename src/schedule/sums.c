/* SPDX-License-Identifier: MIT */
#include "schedule/sums.h"

#include <stdlib.h>

#include "base/mix.h"

/* The numbers of a slot that was never written, and of what a fault adds. */
#define NEVER_WRITTEN UINT64_C(1)
#define CORRUPTED UINT64_C(0x5bd1e995)

struct sums {
    const struct schedule *s;
    const struct fault *fault; /* NULL: none */
    uint64_t (*add)(uint64_t a, uint64_t b);
    uint64_t *held; /* by cell: before the step */
    uint64_t *made; /* by cell: what its last step has written so far */
    int *last;      /* by cell: the last step that writes it; 0: none */
};

/* The same for a + b as for b + a, and for no other sum. */
static uint64_t
add_in_order(uint64_t a, uint64_t b)
{
    return mix64((a < b ? a : b) + mix64(a < b ? b : a));
}

/* The same in any order: says only what was added, and how often. */
static uint64_t
add_in_any_order(uint64_t a, uint64_t b)
{
    return a + b;
}

static uint64_t
number_of_input(int rank, int chunk)
{
    return mix64((uint64_t)rank << 32 | (uint32_t)chunk);
}

/* Moves slot k of a transfer.  If it is lost, the slot that it is written to
 * gets what it would have been added to. */
static void
move_slot(struct sums *all, int step, const struct transfer *t, int k)
{
    const struct schedule *s = all->s;
    const struct fault *f = all->fault;
    bool hit = f != NULL && f->step == step && f->src == t->src &&
               t->dst != t->src;
    bool adds = t->op == TRANSFER_REDUCE;
    uint64_t src = all->held[schedule_cell(s, t->src, t->src_slot + k)];
    size_t own = schedule_cell(s, t->dst,
                               (adds ? t->add_slot : t->dst_slot) + k);
    size_t cell = schedule_cell(s, t->dst, t->dst_slot + k);
    uint64_t *now = &all->made[cell];

    if (all->last[cell] != step)
        *now = all->held[own];
    all->last[cell] = step;
    if (hit && f->kind == FAULT_DROP)
        return;
    *now = adds ? all->add(*now, src) : src;
    if (hit && f->kind == FAULT_REPEAT && adds)
        *now = all->add(*now, src);
    if (hit && f->kind == FAULT_CORRUPT)
        *now = all->add(*now, CORRUPTED);
}

static void
carry_step(struct sums *all, int step)
{
    size_t count;
    const struct transfer *t = schedule_transfers(all->s, step, &count);

    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < t[i].nslots; k++)
            move_slot(all, step, &t[i], k);
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < t[i].nslots; k++) {
            size_t cell = schedule_cell(all->s, t[i].dst, t[i].dst_slot + k);
            all->held[cell] = all->made[cell];
        }
}

/* The numbers of all cells after the last step; the caller frees them. */
static uint64_t *
carry_sums(const struct schedule *s, const struct fault *fault,
           uint64_t (*add)(uint64_t a, uint64_t b))
{
    size_t cells = (size_t)s->nranks * (size_t)s->nslots;
    struct sums all = {.s = s, .fault = fault, .add = add,
                       .held = mem_new(cells, sizeof *all.held),
                       .made = mem_new(cells, sizeof *all.made),
                       .last = mem_new(cells, sizeof *all.last)};

    for (size_t cell = 0; cell < cells; cell++)
        all.held[cell] = NEVER_WRITTEN;
    for (int rank = 0; rank < s->nranks; rank++) {
        struct region in = schedule_input(s, rank);
        for (int k = 0; k < in.count; k++)
            all.held[schedule_cell(s, rank, in.first + k)] =
                number_of_input(rank, k);
    }
    for (int step = 1; step <= s->nsteps; step++)
        carry_step(&all, step);
    free(all.made);
    free(all.last);
    return all.held;
}

uint64_t *
sums_orders(const struct schedule *s)
{
    return carry_sums(s, NULL, add_in_order);
}

/* Neighbouring ranks share most promises. */
static bool
same_promise(struct promise a, struct promise b)
{
    return a.first == b.first && a.last == b.last && a.chunk == b.chunk;
}

bool
sums_agree(const struct schedule *s)
{
    OWN_MEMORY uint64_t *orders = NULL;

    if (!s->collective->reduces)
        return true;
    orders = sums_orders(s);
    for (int rank = 1; rank < s->nranks; rank++) {
        struct region last = schedule_output(s, rank - 1);
        struct region out = schedule_output(s, rank);
        for (int k = 0; k < out.count && k < last.count; k++)
            if (same_promise(schedule_promise(s, rank - 1, k),
                             schedule_promise(s, rank, k)) &&
                orders[schedule_cell(s, rank - 1, last.first + k)] !=
                    orders[schedule_cell(s, rank, out.first + k)])
                return false;
    }
    return true;
}

static uint64_t
number_promised(struct promise p)
{
    uint64_t sum = 0;

    for (int rank = p.first; rank <= p.last; rank++)
        sum += number_of_input(rank, p.chunk);
    return sum;
}

bool
sums_spoilt(const struct schedule *s, int64_t count, const struct fault *fault)
{
    OWN_MEMORY uint64_t *sums = carry_sums(s, fault, add_in_any_order);

    for (int k = 0; k < s->noutputs; k++) {
        struct promise last = {-1, -1, -1};
        uint64_t right = 0;
        for (int rank = 0; rank < s->nranks; rank++) {
            struct region out = schedule_output(s, rank);
            struct promise p = schedule_promise(s, rank, k);
            if (k >= out.count)
                continue;
            if (!same_promise(p, last))
                right = number_promised(p);
            last = p;
            if (sums[schedule_cell(s, rank, out.first + k)] != right &&
                schedule_chunk_length(
                    s, count, schedule_id(s, p.first, p.chunk)) > 0)
                return true;
        }
    }
    return false;
}
