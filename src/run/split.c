/* SPDX-License-Identifier: MIT */
#include "run/split.h"

#include <stdlib.h>

#include "base/mem.h"

/* Moves each boundary to the rank at which what lies before is nearest to the
 * worker's share of all. */
void
split_work(const int64_t *work, int nranks, int nworkers, int *first)
{
    int64_t all = 0, before = 0;
    int rank = 0;

    for (int r = 0; r < nranks; r++)
        all += work[r];
    first[0] = 0;
    for (int w = 1; w < nworkers; w++) {
        int64_t wanted = all / nworkers * w;
        int last = nranks - (nworkers - w);
        before += work[rank++];
        while (rank < last &&
               llabs(before + work[rank] - wanted) < llabs(before - wanted))
            before += work[rank++];
        first[w] = rank;
    }
    first[nworkers] = nranks;
}

void
split_program(const struct program *p, const int64_t *lengths, int nworkers,
              int *first)
{
    int64_t *work = mem_new((size_t)p->nranks, sizeof *work);

    for (int r = 0; r < p->nranks; r++)
        for (size_t i = p->first[r]; i < p->first[r + 1]; i++) {
            const struct instr *in = &p->instrs[i];
            if (in->op != INSTR_END)
                for (int k = 0; k < in->nslots; k++)
                    work[r] += lengths[instr_chunk(in, k)];
        }
    split_work(work, p->nranks, nworkers, first);
    free(work);
}
