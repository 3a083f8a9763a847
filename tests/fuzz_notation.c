/* SPDX-License-Identifier: MIT */
/* libFuzzer's input as typed transfers.  Whatever can be read is within the
 * run, and is read again as it is written. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ring_world.h"
#include "text/notation.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 16 };

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct world *w;
    char *line = mem_new(size + 1, 1);
    struct transfer list[MOST], again;
    struct buf text = {0};
    struct notation n;
    size_t count, one;
    struct err err;

    if (w == NULL)
        w = ring_world(4, 6);
    memcpy(line, data, size);
    n = notation_of(w, size > 0 ? data[0] % 7 : 0);
    if (!notation_read(&n, line, list, MOST, &count, &err))
        count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct transfer *t = &list[i];
        if (t->src < 0 || t->src >= 4 || t->dst < 0 || t->dst >= 4 ||
            t->nslots < 1 || t->src_slot < 0 || t->dst_slot < 0 ||
            t->src_slot + t->nslots > 4 || t->dst_slot + t->nslots > 4)
            abort();
        buf_clear(&text);
        notation_add(&n, t, &text);
        if (!notation_read(&n, buf_text(&text), &again, 1, &one, &err) ||
            memcmp(&again, t, sizeof again) != 0)
            abort();
    }
    buf_done(&text);
    free(line);
    return 0;
}
