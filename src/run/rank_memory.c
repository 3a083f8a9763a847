/* SPDX-License-Identifier: MIT */
#include "run/rank_memory.h"

#include <string.h>

#include "base/mem.h"
#include "event/ledger.h"

void
input_elements(const struct input *in, int rank, int64_t index, int64_t count,
               void *elements)
{
    size_t size = dtype_size(in->type);
    size_t at = (size_t)(rank - in->first) * (size_t)in->count + (size_t)index;

    if (in->given == NULL)
        dtype_defaults(in->type, in->op, rank, index, count, elements);
    else if (count > 0)
        memcpy(elements, in->given + at * size, (size_t)count * size);
}

unsigned char *
input_copy(const struct input *in, int rank)
{
    unsigned char *input = mem_new((size_t)in->count, dtype_size(in->type));

    input_elements(in, rank, 0, in->count, input);
    return input;
}

uint64_t *
rank_memory_row(const struct rank_memory *m, int slot)
{
    return m->rows + (size_t)slot * (size_t)ledger_words(m->nranks);
}

static void
fill_slot(const struct rank_slot *slot, const void *element, size_t size)
{
    size_t length = (size_t)slot->length;

    if (length > 0)
        memcpy(slot->data, element, size);
    for (size_t done = 1; done < length; done *= 2)
        memcpy(slot->data + done * size, slot->data,
               (done < length - done ? done : length - done) * size);
}

void
rank_memory_input(const struct rank_memory *m, struct region region,
                  const int64_t *lengths, const struct input *in)
{
    unsigned char unwritten[DTYPE_SIZE_MAX];
    int64_t index = 0;

    dtype_unwritten(in->type, in->op, unwritten);
    for (int slot = 0; m->rows != NULL && slot < m->nslots; slot++)
        fill_slot(&m->slots[slot], unwritten, (size_t)m->element);
    for (int chunk = 0; chunk < region.count; chunk++) {
        int slot = region.first + chunk;
        input_elements(in, m->rank, index, lengths[chunk],
                       m->slots[slot].data);
        index += lengths[chunk];
        if (m->rows != NULL && (lengths[chunk] > 0 || !m->uneven))
            ledger_input(rank_memory_row(m, slot), m->nranks, m->rank, chunk);
    }
}
