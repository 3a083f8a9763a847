/* SPDX-License-Identifier: MIT */
/* All-reduces that read memory which nobody wrote, each in another way.  The
 * proof refutes them; where that memory is zero their sum is right. */
#ifndef TESTS_UNWRITTEN_H
#define TESTS_UNWRITTEN_H

#include "made.h"
#include "play.h"

/* What rank 0 does with slots 1 and 2, which nobody wrote, between adding all
 * up in slot 0 and sending that to all. */
static const struct unwritten {
    const char *name, *steps;
} unwritten_ways[] = {
    {"adds to it", "0.0+0.1; 0.1>0.0"},
    {"adds it", "0.1+0.0"},
    {"adds it from elsewhere", "1.1+0.0"},
    {"copies it and adds that", "1.1>0.1; 0.1+0.0"},
    {"adds to it, and puts the sum elsewhere", "0.0+0.1=2; 0.2>0.0"},
    {"adds to it where it is staged", "0.0+0.1 0.1>1.2; 0.1>0.0"},
    {"copies it over what was there, and adds that",
     "0.0>1.2; 0.1>1.2; 1.2+0.0"},
};

enum { UNWRITTEN_WAYS = sizeof unwritten_ways / sizeof unwritten_ways[0] };

static inline struct schedule *
unwritten_schedule(int way, int nranks)
{
    OWN(buf) first = {0}, last = {0}, steps = {0};

    for (int rank = 1; rank < nranks; rank++) {
        buf_addf(&first, "%d.0+0.0 ", rank);
        buf_addf(&last, " 0.0>%d.0", rank);
    }
    buf_addf(&steps, "%s; %s;%s", buf_text(&first), unwritten_ways[way].steps,
             buf_text(&last));
    return made_in_place(nranks, 1, 2, buf_text(&steps));
}

/* Runs such a schedule on a backend.  Returns whether the verdict, its reason
 * and the ledger of every output show what was read. */
static inline bool
unwritten_shows(const struct backend *backend, const struct schedule *s,
                const struct run_options *o)
{
    OWN(reported) reported;
    struct err err = {.text = ""};
    bool shows;

    run_on(backend, s, o, &reported, &err);
    shows = reported.counts[ITEM_END] > 0 && !reported.correct &&
            strstr(reported.why, "expected") != NULL &&
            reported.wrong_outputs == s->nranks;
    if (!shows)
        diag("%s %s: %s", dtype_name(o->input.type), redop_name(o->input.op),
             err.text);
    return shows;
}

/* Two ranks on a backend, with a third of all types and operators. */
static inline void
check_unwritten(const struct backend *backend, int way)
{
    OWNS(schedule) *s = unwritten_schedule(way, 2);
    int hidden = 0;

    for (int kind = way % 3; kind < DTYPES * REDOPS; kind += 3) {
        struct run_options o = {
            .input = {(enum dtype)(kind % DTYPES),
                      (enum redop)(kind / DTYPES), 10, NULL},
            .free = kind % 2};
        if ((int)o.input.op >= redop_count(o.input.type))
            continue;
        hidden += !unwritten_shows(backend, s, &o);
    }
    is_int(hidden, 0, "%s: wrong with types and operators",
           unwritten_ways[way].name);
}

#endif
