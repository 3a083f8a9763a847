/* SPDX-License-Identifier: MIT */
/* libFuzzer's way into what reads MSCCL's XML. */
#include <stdio.h>
#include <stdlib.h>

#include "schedule/check.h"
#include "schedule/msccl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FILE *file;
    struct schedule *s;
    struct msccl_notes notes;
    struct err err;

    if (size == 0)
        return 0;
    file = fmemopen((void *)data, size, "r");
    if (file == NULL)
        return 0;
    s = msccl_read(file, "fuzz", false, &notes, &err);
    fclose(file);
    if (s == NULL)
        return 0;
    if (!schedule_valid(s, &err))
        abort();
    if (s->nranks * s->nslots < 1 << 12)
        schedule_check(s, 1, NULL, &err);
    schedule_free(s);
    return 0;
}
