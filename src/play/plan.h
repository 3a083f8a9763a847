/* SPDX-License-Identifier: MIT */
/* A plan: what an algorithm's name and options come to, before any rank is
 * made.  plan_new() finds errors in the options, and is quick, unless the
 * algorithm is a script: a screen lives on meanwhile (screen/window.h). */
#ifndef PLAY_PLAN_H
#define PLAY_PLAN_H

#include "play/options.h"
#include "run/backend.h"

/* The members are set in this order, each once. */
struct plan {
    struct options o; /* its own copy, without operands */
    char *name;       /* of the algorithm */
    bool given; /* its schedule was, and there is no name to make it from */
    int chunks; /* of its pipeline; 0: it is none */
    struct broken broken; /* whole NULL: it is not */
    const struct schedule *theirs; /* what ranks follow: as it was made, or
                                    * broken; in a mismatch all but one */
    const struct backend *backend;
    struct run_options run;
    unsigned char *input;
    int64_t *delays;
    struct mismatch mismatch; /* its NULL: there is none */
    const struct schedule *seen; /* what is reported and shown */
};

/* `given`, which it takes over, is a schedule that somebody has made, valid but
 * perhaps wrong; the options say on which inputs and where it runs.  NULL: the
 * name and the options ask for one.  Returns NULL, with the reason in *err, on
 * failure. */
struct plan *plan_new(const char *name, struct schedule *given,
                      const struct options *o, struct err *err);
void plan_free(struct plan *plan);

/* The memory that the ranks will need, and whether a run may take that many
 * bytes, of those that this process may have (base/memory.h).  This is checked
 * in advance: the kernel hands memory out when it is first touched, and kills
 * the process if there is not enough. */
double plan_bytes(const struct plan *plan);
bool plan_fits(double needed, struct err *err);

#endif
