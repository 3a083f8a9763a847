/* SPDX-License-Identifier: MIT */
/* What is in an MSCCL file, between its reading and its schedule. Private to
 * msccl_*.c. */
#ifndef MSCCL_PROGRAM_H
#define MSCCL_PROGRAM_H

#include "msccl/msccl.h"

/* What a step does. */
enum {
    DOES_RECEIVE = 1, /* takes a message */
    DOES_READ = 2,    /* reads src */
    DOES_ADD = 4,     /* adds */
    DOES_WRITE = 8,   /* writes dst */
    DOES_SEND = 16,   /* leaves a message */
};

enum msccl_buffer { MSCCL_INPUT, MSCCL_OUTPUT, MSCCL_SCRATCH };

struct msccl_step {
    int does;
    enum msccl_buffer src_buffer, dst_buffer;
    int src, dst; /* chunk of the buffer; from msccl_place() on, slot */
    int count;    /* chunks */
    int dep_block, dep_step; /* -1: none; as in the file, and from
                              * msccl_link() on indices into the arrays */
    bool awaited; /* some step waits for it */
    int line;
};

struct msccl_block {
    int rank, id;
    int send, recv, chan; /* peers; -1: none */
    int first, count;     /* steps */
    int out, in;          /* links; -1: it never sends, or receives */
};

struct msccl_link {
    int src, dst, chan;
    int sender, receiver; /* blocks; -1: none */
};

struct msccl {
    char name[SCHEDULE_NAME_MAX];
    const struct collective *collective;
    int nranks, root;
    int chunks; /* of the longer of input and output */
    bool in_place, out_of_place;
    int scratch; /* chunks, the most of any rank */
    int *scratch_of; /* by rank */
    struct msccl_block *blocks;
    size_t nblocks, blocks_capacity;
    int *first_block; /* nranks + 1 */
    struct msccl_step *steps;
    size_t nsteps, steps_capacity;
    struct msccl_link *links;
    size_t nlinks;
};

/* Reads the file. msccl_done() in either case. */
bool msccl_parse(struct msccl *m, FILE *file, const char *name,
                 struct err *err);
void msccl_done(struct msccl *m);

/* Finds links and dependencies, and whether messages fit their receivers. */
bool msccl_link(struct msccl *m, const char *name, struct err *err);

/* Whether it comes to its end on links that hold `depth` messages. */
bool msccl_ends(const struct msccl *m, int depth, struct err *err);

/* Chunks to slots of such a schedule. */
bool msccl_place(struct msccl *m, const struct schedule *s, const char *name,
                 struct err *err);

/* Fills the schedule with what a program does that comes to its end. */
bool msccl_run(const struct msccl *m, struct schedule *s, struct err *err);

/* "rank 2, thread block 1, step 3" at the front of the message. Always
 * returns false. */
bool msccl_at(const struct msccl *m, int block, int step, struct err *err);

#endif
