/* SPDX-License-Identifier: MIT */
/* A task to wire: a collective, the GPUs and their links, what a GPU may do in
 * one step, and a par.  The learner makes a schedule for it, step by step; each
 * step is a line of transfers (text/notation.h), and an answer is a list of
 * such lines:
 *
 *     ["0>1 =0", "0>2 =0, 1>3 =0"]
 *
 * Nobody says what the right schedule is: a step is refused if it breaks the
 * rules of the task, and the proof (schedule/check.h) judges the whole.
 *
 * The par counts steps, and the chunks that the busiest GPU sends. A task of a
 * rule has numbers of GPUs to try it with, and no par. */
#ifndef TUTOR_WIRING_H
#define TUTOR_WIRING_H

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "schedule/check.h"

enum {
    WIRING_RANKS = 16,
    WIRING_SLOTS = 64,
    WIRING_STEPS = 32,
    WIRING_TRANSFERS = 128, /* of a step */
    WIRING_TRIES = 5,
    RULE_BYTES = 200 /* of a rule that is typed */
};

struct wiring {
    const struct collective *collective; /* NULL: the question has no task */
    int nranks, root, pieces;
    int ports; /* GPUs that a GPU may send to, and receive from, in a step */
    struct topology topology;
    bool one_way; /* on a ring: only to the next GPU */
    int par_steps, par_chunks; /* 0: there is none */
    int tries[WIRING_TRIES], ntries; /* of a rule: numbers of GPUs */
    bool piece_each; /* of a rule: as many chunks as there are GPUs */
};

/* Reads `of`, `ranks`, `root`, `chunks`, `links`, `ports` and `par` of a
 * question; of a rule `ranks` is a list. */
bool wiring_read(struct wiring *w, const json_t *with, bool rule,
                 struct err *err);

/* The task of a rule for another number of GPUs. */
struct wiring wiring_for(const struct wiring *w, int nranks);

/* A schedule without steps. */
struct schedule *wiring_new(const struct wiring *w);

/* Adds transfers to the last step if it is `open`, else to one after it, up to
 * the first that may not be there; then it returns false, with the reason in
 * *err. */
bool wiring_add(const struct wiring *w, struct schedule *s, bool open,
                const struct transfer *list, size_t n, struct err *err);

/* A transfer that could be added; without slots if there is none. */
struct transfer wiring_example(const struct wiring *w,
                               const struct schedule *s, bool open);

/* The steps as an answer, and back; NULL, with the reason in *err, if it is
 * none. */
json_t *wiring_answer(const struct schedule *s);
struct schedule *wiring_schedule(const struct wiring *w, const json_t *answer,
                                 struct err *err);

/* Above 0 if the cost is more than the par, below if it is less.  A chunk
 * counts as an element: schedule_check(s, s->nchunks, &counts, &err). */
int wiring_over(const struct wiring *w, const struct check_counts *counts);

/* Append the cost, "3 steps, 4 chunks a GPU"; the par in the same form; and the
 * model, that is what a GPU may do: "any to any, 1 send, 1 receive". */
void wiring_add_cost(const struct wiring *w, const struct check_counts *counts,
                     struct buf *out);
void wiring_add_par(const struct wiring *w, struct buf *out);
void wiring_add_model(const struct wiring *w, struct buf *out);

#endif
