/* SPDX-License-Identifier: MIT */
#include "workers/nccl/nccl_verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "run/verify.h"

/* Slots for verify(), whose outputs are those of NCCL's own collective. */
static struct rank_slot *
own_slots(const struct nccl_job *job)
{
    size_t element = dtype_size(job->options.input.type);
    size_t nslots = (size_t)job->nslots, n = (size_t)job->s->nranks * nslots;
    struct rank_slot *slots = mem_new(n, sizeof *slots);

    for (int rank = 0; rank < job->s->nranks; rank++) {
        struct region out = schedule_output(job->s, rank);
        unsigned char *data = job->own[rank].data;
        for (int slot = out.first; slot < out.first + out.count; slot++) {
            size_t cell = (size_t)rank * nslots + (size_t)slot;
            int64_t length = job->slots[cell].length;
            slots[cell] = (struct rank_slot){data, length};
            data += (size_t)length * element;
        }
    }
    return slots;
}

/* The number of elements of NCCL's outputs whose bits differ from ours. */
static int64_t
count_differences(const struct nccl_job *job, const struct rank_slot *own)
{
    size_t n = (size_t)job->s->nranks * (size_t)job->nslots;
    size_t size = dtype_size(job->options.input.type);
    int64_t count = 0;

    for (size_t cell = 0; cell < n; cell++)
        for (size_t i = 0; i < (size_t)own[cell].length; i++)
            count += memcmp(own[cell].data + i * size,
                            job->slots[cell].data + i * size, size) != 0;
    return count;
}

/* The median time from the last rank's call to the last rank's result, of all
 * rounds except the first, in which connections are made. */
static int64_t
own_ns(const struct nccl_job *job)
{
    int64_t ns[NCCL_ROUNDS] = {0};
    int n = 0;

    for (int round = 1; round < NCCL_ROUNDS; round++) {
        int64_t begin = 0, end = 0, took;
        int at = n++;
        for (int rank = 0; rank < job->s->nranks; rank++) {
            const struct nccl_post *post = &job->shared->posts[rank];
            if (post->begin_ns[round] > begin)
                begin = post->begin_ns[round];
            if (post->end_ns[round] > end)
                end = post->end_ns[round];
        }
        took = end > begin ? end - begin : 0;
        for (; at > 0 && ns[at - 1] > took; at--)
            ns[at] = ns[at - 1];
        ns[at] = took;
    }
    return ns[n / 2];
}

void
nccl_verdict(const struct nccl_job *job, struct run_native *native,
             char wrong[RUN_WRONG_MAX])
{
    const struct nccl_post *post = &job->shared->posts[0];
    struct rank_slot *own = own_slots(job);
    struct run_result result;

    verify(job->s, &job->options.input, own, NULL, job->nslots, &result);
    *native = (struct run_native){.wall_ns = own_ns(job),
                                  .wrong = result.wrong,
                                  .differ = count_differences(job, own)};
    snprintf(native->name, sizeof native->name, "%s", post->name);
    snprintf(native->inside, sizeof native->inside, "%s", post->inside);
    snprintf(wrong, RUN_WRONG_MAX, "%.32s: %.200s", native->name,
             result.first_wrong);
    free(own);
}
