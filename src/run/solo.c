/* SPDX-License-Identifier: MIT */
#include "run/solo.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct solo {
    struct kernels kernels;
    size_t element;
    size_t count, capacity;
    struct solo_move {
        struct rank_move m;
        bool reduces;
    } *moves;
};

static void
add_instr(struct solo *solo, const struct instr *in,
          const struct rank_move *moves)
{
    for (int k = 0; k < in->nslots; k++) {
        const struct rank_move *m = &moves[in->first_slot + (uint32_t)k];
        if (m->length == 0)
            continue;
        solo->moves = mem_grow(solo->moves, solo->count, &solo->capacity,
                               sizeof *solo->moves);
        solo->moves[solo->count++] =
            (struct solo_move){*m, in->op == INSTR_REDUCE};
    }
}

/* One phase of a step, rank by rank. */
static void
add_phase(struct solo *solo, const struct program *p, int step, bool applies,
          const struct rank_move *moves)
{
    for (int rank = 0; rank < p->nranks; rank++) {
        uint32_t end = program_at_step(p, rank, step + 1);
        for (uint32_t i = program_at_step(p, rank, step); i < end; i++) {
            const struct instr *in = &p->instrs[p->first[rank] + i];
            if ((in->op == INSTR_APPLY) == applies)
                add_instr(solo, in, moves);
        }
    }
}

struct solo *
solo_new(const struct program *p, const struct rank_move *moves,
         const struct kernels *kernels, size_t element)
{
    struct solo *solo = mem_new(1, sizeof *solo);

    solo->kernels = *kernels;
    solo->element = element;
    for (int step = 1; step <= p->nsteps; step++) {
        add_phase(solo, p, step, false, moves);
        add_phase(solo, p, step, true, moves);
    }
    return solo;
}

void
solo_free(struct solo *solo)
{
    if (solo == NULL)
        return;
    free(solo->moves);
    free(solo);
}

void
solo_run(const struct solo *solo)
{
    const struct solo_move *last = solo->moves + solo->count;

    for (const struct solo_move *s = solo->moves; s < last; s++) {
        if (s->reduces)
            solo->kernels.combine(s->m.dst, s->m.add, s->m.src, s->m.length);
        else
            memcpy(s->m.dst, s->m.src, (size_t)s->m.length * solo->element);
    }
}
