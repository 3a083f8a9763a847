/* SPDX-License-Identifier: MIT */
#include "run/native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "run/verify.h"

/* Slots for verify(), whose outputs are the library's. */
static struct rank_slot *
own_slots(const struct schedule *s, size_t element,
          const struct rank_slot *ours, int nslots,
          const struct rank_slot *own)
{
    struct rank_slot *slots =
        mem_new((size_t)s->nranks * (size_t)nslots, sizeof *slots);

    for (int rank = 0; rank < s->nranks; rank++) {
        struct region out = schedule_output(s, rank);
        unsigned char *data = own[rank].data;
        for (int slot = out.first; slot < out.first + out.count; slot++) {
            size_t cell = (size_t)rank * (size_t)nslots + (size_t)slot;
            slots[cell] = (struct rank_slot){data, ours[cell].length};
            data += (size_t)ours[cell].length * element;
        }
    }
    return slots;
}

/* Elements of the library's outputs whose bits are not the same as ours. */
static int64_t
count_differences(size_t ncells, size_t element, const struct rank_slot *ours,
                  const struct rank_slot *own)
{
    int64_t count = 0;

    for (size_t cell = 0; cell < ncells; cell++)
        for (size_t i = 0; i < (size_t)own[cell].length; i++)
            count += memcmp(own[cell].data + i * element,
                            ours[cell].data + i * element, element) != 0;
    return count;
}

void
native_judge(const struct schedule *s, const struct input *in,
             const struct rank_slot *ours, int nslots,
             const struct rank_slot *own, struct run_native *native,
             char wrong[RUN_WRONG_MAX])
{
    size_t element = dtype_size(in->type);
    struct rank_slot *slots = own_slots(s, element, ours, nslots, own);
    struct run_result result = {0};

    verify(s, in, slots, NULL, nslots, &result);
    native->wrong = result.wrong;
    native->differ = count_differences((size_t)s->nranks * (size_t)nslots,
                                       element, ours, slots);
    snprintf(wrong, RUN_WRONG_MAX, "%.32s: %.200s", native->name,
             result.first_wrong);
    free(slots);
}

int64_t
native_ns(const struct native_times *const *times, int nranks)
{
    int64_t ns[NATIVE_ROUNDS] = {0};
    int n = 0;

    for (int round = 1; round < NATIVE_ROUNDS; round++) {
        int64_t begin = 0, end = 0, took;
        int at = n++;
        for (int rank = 0; rank < nranks; rank++) {
            if (times[rank]->begin_ns[round] > begin)
                begin = times[rank]->begin_ns[round];
            if (times[rank]->end_ns[round] > end)
                end = times[rank]->end_ns[round];
        }
        took = end > begin ? end - begin : 0;
        for (; at > 0 && ns[at - 1] > took; at--)
            ns[at] = ns[at - 1];
        ns[at] = took;
    }
    return ns[n / 2];
}

int64_t
native_timed_ns(const struct native_times *const *times, int nranks)
{
    int64_t most = 0;

    for (int rank = 0; rank < nranks; rank++)
        if (times[rank]->timed_ns > most)
            most = times[rank]->timed_ns;
    return most;
}
