/* SPDX-License-Identifier: MIT */
/* libFuzzer's input as MSCCL's XML. A program that can be read is written, and
 * must be readable again. */
#include <stdio.h>
#include <stdlib.h>

#include "msccl/msccl.h"
#include "schedule/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct schedule *
read_text(const void *text, size_t size)
{
    FILE *file = fmemopen((void *)text, size, "r");
    struct msccl_notes notes;
    struct schedule *s;
    struct err err;

    if (file == NULL)
        return NULL;
    s = msccl_read(file, "fuzz", false, &notes, &err);
    fclose(file);
    return s;
}

static void
write_and_read(const struct schedule *s)
{
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    struct schedule *back;
    struct err warning;

    msccl_write(s, file, &warning);
    fclose(file);
    back = read_text(text, size);
    if (back == NULL)
        abort();
    schedule_free(back);
    free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct schedule *s = size == 0 ? NULL : read_text(data, size);
    struct err err;

    if (s == NULL)
        return 0;
    if (!schedule_valid(s, &err))
        abort();
    if (s->nranks * s->nslots < 1 << 12) {
        schedule_check(s, 1, NULL, &err);
        write_and_read(s);
    }
    schedule_free(s);
    return 0;
}
