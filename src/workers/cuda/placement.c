/* SPDX-License-Identifier: MIT */
#include "workers/cuda/placement.h"

struct placement
placement_of(int nranks, int ngpus)
{
    return (struct placement){nranks, ngpus < nranks ? ngpus : nranks};
}

int
placement_first(const struct placement *p, int gpu)
{
    return (gpu * p->nranks + p->ngpus - 1) / p->ngpus;
}

int
placement_gpu(const struct placement *p, int rank)
{
    return rank * p->ngpus / p->nranks;
}

int
placement_stage(const struct placement *p, const struct program *program,
                const bool *reach, bool *staged)
{
    int count = 0;

    for (int rank = 0; rank < p->nranks; rank++)
        for (size_t i = program->first[rank]; i < program->first[rank + 1];
             i++) {
            const struct instr *in = &program->instrs[i];
            bool *slots = staged + in->peer * program->nslots + in->src_slot;
            if (reach[placement_gpu(p, rank) * p->ngpus +
                      placement_gpu(p, in->peer)])
                continue;
            for (int k = 0; k < in->nslots; k++) {
                count += !slots[k];
                slots[k] = true;
            }
        }
    return count;
}
