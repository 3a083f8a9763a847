/* SPDX-License-Identifier: MIT */
/* Topologies: which ranks are wired to which, as plain arithmetic on ranks.
 *
 * An algorithm names the wiring it was made for; schedule_check() then refuses
 * a transfer over a missing link, and a view draws the ranks as they are
 * wired.
 *
 * | kind     | rank a is linked to                                          |
 * |----------|--------------------------------------------------------------|
 * | any      | every rank                                                   |
 * | ring     | a-1 and a+1, modulo N                                        |
 * | star     | the root; the root to every rank                             |
 * | binomial | parent and children of the binomial tree at the root         |
 * | tree     | parent and children of NCCL's binary tree                    |
 * | trees    | parent and children in either of NCCL's two binary trees     |
 * | torus    | its neighbours in every dimension, with wrap-around          |
 * | mesh     | the same without wrap-around                                 |
 * | cube     | ranks whose number differs in one bit                        |
 * | nodes    | all ranks of its node; the same rank of every other node     |
 *
 * A switch that adds and multicasts is a rank after all others.  On a star the
 * switch is in the middle, in place of the root.  Of nodes, either each has a
 * switch, which is linked to its ranks, or there is one, linked to all ranks.
 *
 * Torus, mesh and nodes have sizes x, y, z (z = 1 in two dimensions; nodes: x
 * nodes of y ranks); rank = (i * y + j) * z + k. */
#ifndef SCHEDULE_TOPOLOGY_H
#define SCHEDULE_TOPOLOGY_H

#include <stdbool.h>

#include "base/buf.h"

enum topology_kind {
    TOPOLOGY_ANY,
    TOPOLOGY_RING,
    TOPOLOGY_STAR,
    TOPOLOGY_BINOMIAL,
    TOPOLOGY_TREE,
    TOPOLOGY_TREES,
    TOPOLOGY_TORUS,
    TOPOLOGY_MESH,
    TOPOLOGY_CUBE,
    TOPOLOGY_NODES,
    TOPOLOGY_KINDS
};

enum { TOPOLOGY_DIMS = 3 };

enum { HOSTS_LISTED_MAX = 256 };

/* Hosts, and how ranks are placed on them. */
struct hosts {
    int gpus; /* of a host; 0: there is one host */
    int turn; /* ranks are dealt to so many hosts in turn; 0: they fill one
               * host after the other */
    int listed; /* but so many of them have these places on all hosts */
    int places[HOSTS_LISTED_MAX];
};

/* The place of a rank: GPU place % h->gpus of host place / h->gpus. */
static inline int
hosts_place(const struct hosts *h, int rank)
{
    return rank < h->listed ? h->places[rank]
           : h->turn > 0    ? rank % h->turn * h->gpus + rank / h->turn
                            : rank;
}

/* The host of a rank. */
static inline int
hosts_at(const struct hosts *h, int rank)
{
    return h->gpus == 0 ? 0 : hosts_place(h, rank) / h->gpus;
}

/* Appends how ranks are placed, as a network is given it: ",order=cyclic"
 * or ",order=0,4,1,5"; nothing if they fill one host after the other. */
void hosts_order(const struct hosts *h, struct buf *out);

struct topology {
    enum topology_kind kind;
    int dims[TOPOLOGY_DIMS]; /* x, y, z; all 0 for kinds without sizes */
    int switches; /* the last ones of the ranks; other sizes leave them out */
};

/* "ring", as in recordings. */
const char *topology_name(enum topology_kind kind);
bool topology_find(const char *name, enum topology_kind *kind);

/* Whether the kind has such sizes and switches, and they make that many
 * ranks. */
bool topology_fits(const struct topology *t, int nranks);

/* Whether rank a has a link to rank b. A rank always has one to itself. */
bool topology_links(const struct topology *t, int nranks, int root, int a,
                    int b);

/* The middle of a star: its root, or its switch. */
int topology_center(const struct topology *t, int nranks, int root);

/* The parent of `rank` in the binomial tree at `root`, -1 for the root.
 * Counted from the root, a parent's number is its child's without the lowest
 * set bit. */
int topology_binomial_parent(int nranks, int root, int rank);

/* The parent of `rank` in tree 0 or 1 of NCCL's two binary trees (ncclGetDtree
 * in NCCL's src/graph/trees.cc), -1 for the root.  Tree 1 is tree 0 mirrored
 * for even N and shifted by one for odd N, so that most inner ranks of one tree
 * are leaves of the other (P. Sanders, J. Speck, J. L. Traeff, "Two-tree
 * algorithms for full bandwidth broadcast, reduction and scan", 2009). */
int topology_trees_parent(int nranks, int tree, int rank);

#endif
