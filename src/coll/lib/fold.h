/* SPDX-License-Identifier: MIT */
/* Folding: makes an algorithm for powers of two work on any number of ranks.
 *
 * With N = p + e ranks, p the largest power of two, e ranks give their data to
 * a partner first, and get the result from it at the end.  In between, the p
 * ranks that stay are numbered 0 to p-1 ("seats").  Of neighbours 2i and
 * 2i+1, for i < e, the even one stays (R. Thakur, R. Rabenseifner, W. Gropp,
 * IJHPCA 19, 2005); on cube wiring rank i stays for p+i, since those two have a
 * link. */
#ifndef COLL_LIB_FOLD_H
#define COLL_LIB_FOLD_H

#include "coll/lib/algorithm.h"

struct fold {
    int nranks;
    int seats, folded; /* p and e */
    bool cube;
};

struct fold fold_of(int nranks, bool cube);

/* The rank in a seat, and the rank that it also stands for, or -1. */
int fold_rank(const struct fold *f, int seat);
int fold_partner(const struct fold *f, int seat);

/* The ranks that seats first .. first + count - 1 stand for: up to two runs of
 * consecutive ranks; the second one may be empty. */
struct fold_run {
    int first, count;
};
void fold_runs(const struct fold *f, int first, int count,
               struct fold_run runs[2]);

/* The first step, in which slots of those that wait are added to their seats',
 * and the last one, in which they get them back. */
void fold_in(struct schedule *s, const struct fold *f, int slot, int nslots);
void fold_out(struct schedule *s, const struct fold *f, int slot, int nslots);

#endif
