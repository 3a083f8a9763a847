/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "fake_kernels.h"
#include "run/kernels.h"

/* Only its address is used. */
void
nccl_kernel(struct nccl_kernel_work work)
{
    (void)work;
}

static void
report(const struct nccl_kernel_work *w)
{
    uint64_t *values = w->content + ledger_words(w->nranks) + 1;
    int64_t shown = w->length < EVENT_VALUES ? w->length : EVENT_VALUES;

    if (w->row_to != NULL)
        ledger_copy(w->content, w->row_to, w->nranks);
    values[-1] = (uint64_t)w->length;
    memset(values, 0, EVENT_VALUES * sizeof *values);
    for (int64_t i = 0; i < shown; i++)
        memcpy(&values[i], (char *)w->to + i * w->element,
               (size_t)w->element);
}

void
fake_work(const struct nccl_kernel_work *w)
{
    struct kernels k = kernels_for(w->type, w->redop);

    switch (w->op) {
    case WORK_COPY:
        memcpy(w->to, w->from, (size_t)w->length * (size_t)w->element);
        if (w->row_to != NULL)
            ledger_copy(w->row_to, w->row_from, w->nranks);
        break;
    case WORK_COMBINE:
        k.combine(w->to, w->add, w->from, w->length);
        if (w->row_to != NULL)
            ledger_add(w->row_to, w->row_add, w->row_from, w->nranks);
        break;
    case WORK_SPOIL:
        if (w->length > 0)
            k.corrupt(w->to);
        break;
    case WORK_DIVIDE:
        k.divide(w->to, w->length, w->nranks);
        break;
    case WORK_REPORT:
        report(w);
        break;
    }
}
