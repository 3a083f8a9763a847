/* SPDX-License-Identifier: MIT */
/* All that a backend's items report, kept in the plainest way: how many there
 * were, and for every slot the content that was reported last. */
#ifndef TESTS_MODEL_OF_EVENTS_H
#define TESTS_MODEL_OF_EVENTS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "event/event.h"
#include "why.h"

struct reported {
    const struct schedule *s;
    int counts[ITEM_END + 1];
    uint64_t *contents;
    bool correct;
    char why[256];
    int64_t *bytes_sent;
    struct run_native native;
    int64_t timed_ns;
    int wrong_outputs; /* output slots whose row is not as promised */
};

static inline void
reported_init(struct reported *t, const struct schedule *s)
{
    size_t cells = (size_t)s->nranks * (size_t)s->nslots;

    *t = (struct reported){.s = s};
    t->contents = mem_new(cells * (size_t)content_words(s->nranks),
                          sizeof *t->contents);
    t->bytes_sent = mem_new((size_t)s->nranks, sizeof *t->bytes_sent);
}

static inline void
reported_done(struct reported *t)
{
    free(t->contents);
    free(t->bytes_sent);
}

static inline void
reported_result(struct reported *t, const struct run_result *r)
{
    size_t words = (size_t)content_words(t->s->nranks);

    t->correct = r->correct;
    t->native = r->native;
    t->timed_ns = r->timed_ns;
    snprintf(t->why, sizeof t->why, "%s", why_of(&r->first_wrong));
    memcpy(t->bytes_sent, r->bytes_sent,
           (size_t)t->s->nranks * sizeof *t->bytes_sent);
    for (int rank = 0; rank < t->s->nranks; rank++) {
        struct region out = schedule_output(t->s, rank);
        for (int c = 0; c < out.count; c++) {
            size_t cell = (size_t)(rank * t->s->nslots + out.first + c);
            t->wrong_outputs +=
                !ledger_keeps(t->contents + cell * words, t->s->nranks,
                              schedule_promise(t->s, rank, c));
        }
    }
}

static inline void
reported_take(struct reported *t, const struct item *item)
{
    size_t words = (size_t)content_words(t->s->nranks);
    const struct event *e = &item->event;
    size_t first;

    t->counts[item->type]++;
    if (item->type == ITEM_INPUT)
        memcpy(t->contents + (size_t)(item->rank * t->s->nslots) * words,
               item->content,
               (size_t)t->s->nslots * words * sizeof *t->contents);
    if (item->type == ITEM_TRANSFER && e->content != NULL) {
        first = (size_t)(e->dst * t->s->nslots + e->dst_slot);
        memcpy(t->contents + first * words, e->content,
               (size_t)e->nslots * words * sizeof *t->contents);
    }
    if (item->type == ITEM_RESULT)
        reported_result(t, item->result);
}

#endif
