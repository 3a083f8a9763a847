/* SPDX-License-Identifier: MIT */
/* Compares algorithms of one collective on the same input: the cost of each as
 * counted, as measured, and as simulated on a network (schedule/simulation.h):
 * that of --network, or threads on this machine's cores, whose figures are
 * fitted to what rings take on them (network_fit()). */
#ifndef PLAY_COMPARE_H
#define PLAY_COMPARE_H

#include "play/job.h"
#include "schedule/check.h"
#include "schedule/network.h"
#include "text/series.h"

enum { COMPARE_MAX = 8 };

struct entrant {
    struct job *job;
    const struct plan *plan; /* the job's */
    struct check_counts counts;
    int64_t busiest_nic; /* elements that one sends, if there are hosts */
    double measured_ns;
    double low_ns, high_ns; /* a half of the times measured is between these */
    double modelled_ns; /* on the network */
    double race_ns; /* the one of these that a race shows */
    bool right;
};

struct comparison {
    struct entrant entrants[COMPARE_MAX];
    int nentrants;
    double bytes; /* of memory, for all of them */
    bool modelled; /* the race shows times of the network; else it was fitted to
                    * those that are measured */
    struct network network;
    int64_t fitted_from, fitted_to; /* bytes of a rank's input */
    struct reigns winners; /* entrants by the model, over the bytes of a rank's
                            * input, from 0 on */
};

/* Builds, proves, runs and measures the algorithms that the operands of `o`
 * name. Returns false, with the reason in *err, on failure.  Call
 * compare_done() in either case. */
bool compare(struct comparison *c, const struct options *o,
             struct err *err);
void compare_done(struct comparison *c);

/* Whether `a` is faster than `b` as measured, by more than their times vary. */
bool compare_is_faster(const struct entrant *a, const struct entrant *b);

/* "all-reduce of float32 on 4 ranks, 32 B a rank"; screens call them GPUs. */
void compare_title(const struct comparison *c, bool gpus, struct buf *out);

#endif
