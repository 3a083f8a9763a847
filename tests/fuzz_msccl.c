/* SPDX-License-Identifier: MIT */
/* libFuzzer's way into what reads MSCCL's XML and runs its thread blocks. */
#include <stdio.h>

#include "schedule/check.h"
#include "schedule/msccl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct schedule *s;
    struct msccl *m;
    struct err err;
    FILE *file;
    bool ok;

    if (size == 0 || (file = fmemopen((void *)data, size, "r")) == NULL)
        return 0;
    ok = msccl_read(&m, file, "fuzz", &err);
    fclose(file);
    if (!ok)
        return 0;
    s = msccl_schedule(m, false, &err);
    if (s != NULL)
        schedule_check(s, 1000, NULL, &err);
    schedule_free(s);
    msccl_one_deep(m, &err);
    msccl_free(m);
    return 0;
}
