/* SPDX-License-Identifier: MIT */
#include "schedule/program.h"

#include <stdlib.h>

void
program_free(struct program *p)
{
    if (p == NULL)
        return;
    free(p->instrs);
    free(p->first);
    free(p->waits);
    free(p->sends);
    free(p->first_send);
    free(p);
}

uint32_t
program_length(const struct program *p, int rank)
{
    return (uint32_t)(p->first[rank + 1] - p->first[rank]);
}

uint32_t
program_at_step(const struct program *p, int rank, int step)
{
    const struct instr *list = p->instrs + p->first[rank];
    uint32_t low = 0, high = program_length(p, rank);

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (list[middle].step < step)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int
program_set_fault(struct program *p, const struct fault *fault)
{
    int marked = 0;

    for (int rank = 0; fault->kind != FAULT_NONE && rank < p->nranks; rank++) {
        uint32_t end = program_at_step(p, rank, fault->step + 1);
        for (uint32_t i = program_at_step(p, rank, fault->step); i < end; i++) {
            struct instr *in = &p->instrs[p->first[rank] + i];
            if (in->peer != fault->src || in->op == INSTR_APPLY ||
                rank == fault->src)
                continue;
            in->fault = (uint8_t)fault->kind;
            marked++;
        }
    }
    return marked;
}
