/* SPDX-License-Identifier: MIT */
/* Turns what a machine does into items, in the order that event/event.h gives:
 * the run, inputs, events as they happen, the result, the end.  It serves
 * machines in this process (run/run.c) and in workers.
 *
 *     struct reporter *r = reporter_new(&machine_threads, s, &options, &err);
 *     reporter_grant(r, 1, &err);
 *     while (reporter_next(r, &item, &err) == RUN_ITEM) ...
 *     reporter_free(r); */
#ifndef RUN_REPORTER_H
#define RUN_REPORTER_H

#include "run/machine.h"

enum run_got {
    RUN_ITEM,
    RUN_LATER,     /* nothing yet */
    RUN_CAUGHT_UP, /* nothing until more is granted */
    RUN_JUDGES,    /* all events are reported: the next call judges the result,
                    * which takes time where it is large, and longer where the
                    * library's own collective is run as well.  Never of
                    * run_next() */
    RUN_FAILED
};

struct reporter;

/* Makes the ranks of a watched run, or of a timed one. The schedule and what
 * the options point to must outlive the reporter. Returns NULL on failure, with
 * the reason. */
struct reporter *reporter_new(const struct machine *machine,
                              const struct schedule *s,
                              const struct run_options *o, struct err *err);
void reporter_free(struct reporter *r);

/* Lets ranks run up to and including step `to`. Everything granted before must
 * have been reported. */
bool reporter_grant(struct reporter *r, int to, struct err *err);

/* Takes the next item, if there is one. Its pointers are valid until the next
 * call. Never waits for ranks. */
enum run_got reporter_next(struct reporter *r, struct item *item,
                           struct err *err);

/* The machine's run. */
void *reporter_run(struct reporter *r);

#endif
