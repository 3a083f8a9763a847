/* SPDX-License-Identifier: MIT */
/* What an algorithm is: a row of the table in coll/coll.c. */
#ifndef COLL_LIB_ALGORITHM_H
#define COLL_LIB_ALGORITHM_H

#include "schedule/schedule.h"

struct coll_options {
    int nranks;
    int root;   /* ignored if the collective has none */
    int chunks; /* of the pipeline; 0: the algorithm's default */
    int dims[TOPOLOGY_DIMS]; /* --shape; 0: not given. coll_build() fills in
                              * what the algorithm needs: the functions below
                              * see sizes whose product is nranks, with 1 for
                              * unused ones */
    int host; /* the ranks of a host, in their order: the default size of nodes;
               * 0: not known */
    bool in_place;
    int transfers_most; /* a file with more is refused; 0: with any number */
};

enum { COLL_ALIASES = 3 };

/* The critical path of an algorithm: what follows one another on it.  Each rank
 * sends one message at a time and receives one at a time, and can do both at
 * once (schedule/network.h). */
struct path {
    double messages;
    double chunks; /* in these messages */
    double added;  /* those of them that are reduced, if the collective does */
};

/* Steps of communication, and what the busiest rank sends, of S bytes of input,
 * on two ranks or more.  NULL: no simple formula is known. */
struct formulas {
    const char *steps, *bytes;
};

/* The ranks and shapes for which formulas hold (coll_holds()). */
enum formula_holds {
    HOLDS_ALWAYS,
    HOLDS_EVEN,
    HOLDS_POWER_OF_TWO,
    HOLDS_POWER_OF_FOUR,
    HOLDS_X_ABOVE_3,
    HOLDS_Y_ABOVE_1,
    HOLDS_SIDES_ABOVE_1,
    HOLDS_SIDES_ABOVE_2,
};

/* The functions see complete options: root 0 if there is none, chunks at least
 * 1, sizes as described above. */
struct algorithm {
    const char *name; /* "ring" */
    const char *collective;
    const char *aliases[COLL_ALIASES]; /* of the name; the last one is NULL */
    enum topology_kind topology;
    int dims;   /* the number of sizes in its --shape: 0, 2 or 3 */
    int chunks; /* default of --chunks; 0: it is not pipelined */
    /* Chunks that a unit of the input is cut into (collective.h); NULL: one. */
    int (*pieces)(const struct coll_options *o);
    int (*scratch)(const struct coll_options *o); /* slots; NULL: none */
    /* Switches that add and multicast, ranks after all others (schedule.h);
     * NULL: none. */
    int (*switches)(const struct coll_options *o);
    void (*build)(struct schedule *s, const struct coll_options *o);
    /* The critical path in closed form, for any number of ranks: `messages` is
     * NAN where there is none.  NULL: there is none at all. */
    struct path (*path)(const struct coll_options *o);
    /* The number of ranks from which on each doubling of them adds the same
     * time, on a network as above; tests/prediction.c looks.  0: none. */
    int steady;
    /* `formulas` hold where `holds` says, `otherwise` elsewhere; tests/coll.c
     * evaluates both. */
    struct formulas formulas;
    enum formula_holds holds;
    struct formulas otherwise;
    const char *idea; /* one sentence, to be translated */
    const char *when; /* when it wins; one sentence, to be translated */
    const char *nccl; /* the nearest of its algorithms and kernels; or NULL */
    const char *mpi;  /* Open MPI's number and name of it; or NULL */
    const char *source;
    /* The script on the shelf, lessons/algorithms/, that takes the place of
     * `build`; the row is made of its head.  `differ`: its ranks add in
     * different orders. */
    const char *script;
    bool differ;
    /* The path of an algorithm that is not in the table (play/author.h).  It
     * has a name, a collective, a topology, sizes and chunks; the rest is
     * NULL. */
    const char *file;
};

#endif
