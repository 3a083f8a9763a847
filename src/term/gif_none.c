/* SPDX-License-Identifier: MIT */
/* Replaces gif.c if cairo or giflib is missing. */
#include "term/gif.h"

struct gif *
gif_begin(int columns, int rows, enum ground ground, FILE *out,
          struct err *err)
{
    (void)columns, (void)rows, (void)ground, (void)out;
    err_set(err, "this collviz was built without GIFs, which need cairo and "
            "giflib: write run.cast instead");
    return NULL;
}

void
gif_add(struct gif *g, const struct canvas *c, int64_t begin_ms)
{
    (void)g, (void)c, (void)begin_ms;
}

bool
gif_end(struct gif *g, int64_t end_ms, struct err *err)
{
    (void)g, (void)end_ms;
    return err_set(err, "there is no GIF");
}
