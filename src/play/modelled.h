/* SPDX-License-Identifier: MIT */
/* A chart that needs no run: the times of algorithms on a network by its model,
 * over the size of the data or over the number of ranks.
 *
 *     if (modelled_init(&m, o, &err))
 *         modelled_series(&m, axes, &set, &note);
 */
#ifndef PLAY_MODELLED_H
#define PLAY_MODELLED_H

#include "play/options.h"
#include "play/prediction.h"
#include "text/series.h"

enum {
    MODELLED_MOST = 8, /* algorithms */
    MODELLED_BYTES_LEAST = 8,
    MODELLED_BYTES_MOST = 1 << 30
};

struct modelled {
    const struct algorithm *algorithms[MODELLED_MOST];
    struct algorithm own[MODELLED_MOST]; /* those of files */
    int count;
    const struct collective *collective;
    struct network network;
    struct coll_options coll; /* chunks, root, and a shape of coll.nranks */
    int nranks;   /* of curves over the size */
    double bytes; /* of curves over the number of ranks */
};

/* Takes the algorithms that the operands name, all of one collective, and
 * the options.  *m must not move.  Returns false, with the reason in *err, if
 * they do not fit. */
bool modelled_init(struct modelled *m, const struct options *o,
                   struct err *err);

/* Fills an empty set, one series for each algorithm: from 8 B to 1 GiB, or from
 * 2 ranks to COLL_RANKS_MODELLED.  *note gets a line for each algorithm that
 * lacks some of these points, and for each that has extrapolated ones. */
void modelled_series(const struct modelled *m, enum curve_over over,
                     struct series_set *set, struct buf *note);

/* "all-reduce on 8 GPUs" or "all-reduce of 1 MiB". */
void modelled_title(const struct modelled *m, enum curve_over over,
                    struct buf *out);

/* "modelled, not measured: ethernet, alpha=20us,..." */
void modelled_source(const struct modelled *m, struct buf *out);

#endif
