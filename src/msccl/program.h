/* SPDX-License-Identifier: MIT */
/* What is in an MSCCL file, between its reading and its schedule. Private to
 * files of this room.
 *
 *     parse -> link -> ends -> races
 *                           -> order
 */
#ifndef MSCCL_PROGRAM_H
#define MSCCL_PROGRAM_H

#include "msccl/msccl.h"

enum { MSCCL_NONE = -1 };

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
    bool publishes; /* hasdep="1" */
    int line;
    int block; /* that it is in */
    /* As in the file, and from msccl_link() on indices into the arrays, or
     * MSCCL_NONE. */
    int dep_block, dep_step;
    /* From msccl_link() on: the step that publishes dep_step, itself or a
     * later one of its block, and the step that sends what this one receives;
     * or MSCCL_NONE. */
    int waits_for, sender;
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

/* Chunks that a GPU says it has. */
struct msccl_buffers {
    int chunks[3]; /* by enum msccl_buffer */
};

struct msccl {
    const char *file; /* its name; borrowed */
    bool too_large;   /* that was the error */
    char name[SCHEDULE_NAME_MAX];
    const struct collective *collective;
    int nranks, root;
    int nchannels;
    int chunks; /* of the longer of input and output */
    bool in_place, out_of_place;
    int scratch; /* chunks, the most of any rank */
    struct msccl_buffers *buffers; /* by rank */
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

/* Chunks to slots of such a schedule. */
bool msccl_place(struct msccl *m, const struct schedule *s, struct err *err);

/* Finds links and dependencies, and whether messages fit their receivers. */
bool msccl_link(struct msccl *m, struct err *err);

/* Whether it comes to its end on links that hold `depth` messages.  Then
 * `order`, unless it is NULL, has all steps in an order in which they can
 * end. */
bool msccl_ends(const struct msccl *m, int depth, int *order,
                struct err *err);

/* Whether any two steps of a rank that use the same slot, one of them writing,
 * have an order. `order` is that of msccl_ends(). */
bool msccl_races(struct msccl *m, const struct schedule *s, const int *order,
                 struct err *err);

/* Fills the schedule with what a program does that comes to its end. */
bool msccl_run(struct msccl *m, struct schedule *s, struct err *err);

/* "rank 2, thread block 1, step 3" at the front of the message. Always
 * returns false. */
bool msccl_at(const struct msccl *m, int step, struct err *err);

/* For what is above a limit. Always false. */
#define msccl_too_large(m, err, ...) \
    ((m)->too_large = true, err_set(err, __VA_ARGS__))

#endif
