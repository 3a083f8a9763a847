/* SPDX-License-Identifier: MIT */
/* Runs that have ended, kept by what was asked for, for whoever asks for the
 * same again: a lesson that is played many times makes few of its runs anew.
 * Their ranks and memory are gone, what they did is there as in a recording. */
#ifndef TUTOR_KEPT_H
#define TUTOR_KEPT_H

#include "play/job.h"

struct kept_runs {
    struct kept_run {
        char *asked;
        struct job *job;
    } *list;
    size_t count, capacity;
};

/* The run, which the caller now has alone, before its first step.  NULL: there
 * is none, or `k` is NULL. */
struct job *kept_take(struct kept_runs *k, const char *asked);

/* Takes over a run: keeps it if it has ended, else frees it, as it does where
 * `k` or `asked` is NULL. */
void kept_put(struct kept_runs *k, const char *asked, struct job *job);

void kept_done(struct kept_runs *k);

#endif
