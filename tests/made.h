/* SPDX-License-Identifier: MIT */
/* Schedules written as text:
 *
 *     s = made((struct schedule_spec){.nranks = 2, .pieces = 1},
 *              "0.2>1.3 1.0+0.1; 0.0+0.1=4*3");
 *
 * Steps with a ";" between them, each of transfers from a rank's slot to
 * another's:
 *
 *     0.2>1.3      rank 1's slot 3 = rank 0's slot 2
 *     1.0+0.1      rank 0's slot 1 += rank 1's slot 0
 *     ...=4        into slot 4 instead
 *     ...*3        the same for 3 slots each
 *
 * An all-reduce, unless another collective is given. */
#ifndef TESTS_MADE_H
#define TESTS_MADE_H

#include <stdio.h>

#include "base/mem.h"
#include "schedules.h"

/* NULL: no steps. The caller frees it. */
static inline struct schedule *
made(struct schedule_spec spec, const char *steps)
{
    const char *at = steps;
    struct schedule *s;

    if (spec.collective == NULL)
        spec.collective = collective_find("allreduce");
    spec.algorithm = "made";
    s = schedule_new(&spec);
    if (at != NULL)
        schedule_step(s, "made");
    while (at != NULL && *at != '\0') {
        struct transfer t = {.nslots = 1};
        char op;
        int length = 1;
        if (*at == ';')
            schedule_step(s, "made");
        if (*at == ';' || *at == ' ') {
            at++;
            continue;
        }
        if (sscanf(at, "%d.%d%c%d.%d%n", &t.src, &t.src_slot, &op, &t.dst,
                   &t.add_slot, &length) != 5)
            die("this is no transfer: %s", at);
        at += length;
        t.op = op == '+' ? TRANSFER_REDUCE : TRANSFER_COPY;
        t.dst_slot = t.add_slot;
        if (sscanf(at, "=%d%n", &t.dst_slot, &length) == 1)
            at += length;
        if (sscanf(at, "*%d%n", &t.nslots, &length) == 1)
            at += length;
        schedule_add(s, t);
    }
    return s;
}

/* An all-reduce in place. */
static inline struct schedule *
made_in_place(int nranks, int pieces, int scratch, const char *steps)
{
    return made((struct schedule_spec){.nranks = nranks, .pieces = pieces,
                                       .scratch = scratch, .in_place = true},
                steps);
}

#endif
