/* SPDX-License-Identifier: MIT */
/* The first flaw of a run that ends wrong: where, when, and in words. */
#ifndef TEXT_FLAW_H
#define TEXT_FLAW_H

#include "base/buf.h"
#include "model/world.h"

struct flaw {
    int step, rank, slot;
};

/* The first slot that holds a contribution twice, or mixes chunks; if there is
 * none, the first output that ends as something else than was promised.  All
 * steps of the world must be complete. */
struct flaw flaw_find(const struct world *w);

/* Appends "GPU 6 slot 2 has F twice", what it lacks, or what it holds. */
void flaw_name(const struct world *w, const struct flaw *f, struct buf *out);

#endif
