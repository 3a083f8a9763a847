/* SPDX-License-Identifier: MIT */
#include "run/input.h"

#include <string.h>

void
input_element(const struct input *in, int rank, int64_t index, void *element)
{
    size_t size = dtype_size(in->type);
    size_t at = (size_t)rank * (size_t)in->count + (size_t)index;

    if (in->given != NULL)
        memcpy(element, in->given + at * size, size);
    else
        dtype_default(in->type, in->op, rank, index, element);
}
