/* SPDX-License-Identifier: MIT */
/* The inputs of all ranks of a run. */
#ifndef RUN_INPUT_H
#define RUN_INPUT_H

#include <stdint.h>

#include "base/dtype.h"

struct input {
    enum dtype type;
    enum redop op;
    int64_t count; /* elements of each rank */
    const unsigned char *given; /* [rank * count + index], or NULL: the
                                 * default pattern (dtype_default) */
};

/* Writes element `index` of a rank's input. */
void input_element(const struct input *in, int rank, int64_t index,
                   void *element);

#endif
