/* SPDX-License-Identifier: MIT */
/* The network that SimGrid simulates for backend smpi: a file of the user's, or
 * one of a few networks that collviz describes to SimGrid itself, as in
 * "fat-tree:12.5GBps,2us".
 *
 * | name     | links                                                       |
 * |----------|-------------------------------------------------------------|
 * | cluster  | one from each host to a switch that is never busy           |
 * | ring     | host a to a-1 and a+1, modulo N                             |
 * | torus    | to the neighbours in every dimension, with wrap-around      |
 * | fat-tree | two levels of switches; each leaf switch has as many links  |
 * |          | up, one to each spine switch, as it has hosts               |
 *
 * All links of a network are alike and carry messages both ways at once; the
 * latency is that of one link.  Rank r runs on host-r.  A torus has the shape
 * of the algorithm, if that is made for a torus or a mesh, and is as square as
 * possible otherwise. */
#ifndef RUN_PLATFORM_H
#define RUN_PLATFORM_H

#include "base/buf.h"
#include "base/err.h"
#include "schedule/schedule.h"

enum { PLATFORM_UNIT_MAX = 32 };

struct platform {
    const char *file; /* the user's; NULL: the members below say it all */
    enum platform_kind {
        PLATFORM_CLUSTER,
        PLATFORM_RING,
        PLATFORM_TORUS,
        PLATFORM_FAT_TREE,
        PLATFORM_KINDS
    } kind;
    char bandwidth[PLATFORM_UNIT_MAX]; /* "12.5GBps", as SimGrid has it */
    char latency[PLATFORM_UNIT_MAX];   /* "2us" */
};

/* Reads "NAME", "NAME:BANDWIDTH,LATENCY" or the path of a file.  NULL is the
 * default.  `p` borrows the text.  Returns false, with the reason in *err. */
bool platform_parse(const char *text, struct platform *p, struct err *err);

/* Appends SimGrid's description of a network without a file, and its hosts in
 * the order of the ranks, one a line. */
void platform_describe(const struct platform *p, const struct schedule *s,
                       struct buf *xml, struct buf *hosts);

#endif
