/* SPDX-License-Identifier: MIT */
/* The content of an MSCCL file, between reading it and making its schedule.
 * Private to the files of this room.
 *
 *     parse -> link -> ends -> races
 *                           -> order
 */
#ifndef MSCCL_FILE_H
#define MSCCL_FILE_H

#include "msccl/msccl.h"

enum { MSCCL_NONE = -1 };

/* What a step does: any of these together. */
enum {
    DOES_RECEIVE = 1, /* receives a message */
    DOES_READ = 2,    /* reads src */
    DOES_ADD = 4,     /* adds */
    DOES_WRITE = 8,   /* writes dst */
    DOES_SEND = 16,   /* sends a message */
};

enum msccl_buffer { MSCCL_INPUT, MSCCL_OUTPUT, MSCCL_SCRATCH };

struct msccl_step {
    int does;
    enum msccl_buffer src_buffer, dst_buffer;
    int src, dst; /* chunk of the buffer; after placing, slot */
    int count;    /* chunks */
    bool publishes; /* hasdep="1" */
    int line;
    int block; /* the block it belongs to */
    /* As in the file; after msccl_link(), indices into the arrays, or
     * MSCCL_NONE. */
    int dep_block, dep_step;
    /* Set by msccl_link(), or MSCCL_NONE: the step that publishes dep_step
     * (itself or a later one of its block), and the step that sends the message
     * that this one receives. */
    int waits_for, sender;
};

/* A protocol of NCCL's, and what its links hold. */
struct msccl_protocol {
    const char *name;
    int depth;       /* messages that a link holds */
    int piece_bytes; /* the most bytes of one message */
    bool in_order;   /* no part of a message arrives before all parts in front
                      * of it have been read where it is sent from */
};

struct msccl_block {
    int rank, id, line;
    int send, recv, chan; /* peers; -1: none */
    int first, count;     /* steps */
    int out, in;          /* links; -1: it never sends or never receives */
};

struct msccl_link {
    int src, dst, chan;
    int sender, receiver; /* blocks; -1: none */
};

/* The sizes of a GPU's buffers, as the file states them. */
struct msccl_buffers {
    bool stated;
    int chunks[3]; /* by enum msccl_buffer */
};

struct msccl {
    const char *file; /* its name; borrowed */
    bool too_large;   /* the error was a limit */
    char name[SCHEDULE_NAME_MAX];
    const struct collective *collective;
    const struct msccl_protocol *protocol;
    int64_t max_bytes; /* 0: no limit; MSCCL_NONE: the file does not say */
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

/* Reads the file. Call msccl_done() in either case. */
bool msccl_parse(struct msccl *m, FILE *file, const char *name,
                 struct err *err);
void msccl_done(struct msccl *m);

/* Finds links and dependencies.  Fails if a message has no receive, or a
 * receive of another size. */
bool msccl_link(struct msccl *m, struct err *err);

/* Whether the program finishes on links that hold any number of messages.  If
 * so, `order` gets all steps in an order in which they can end. */
bool msccl_ends(const struct msccl *m, int *order, struct err *err);

/* Whether it finishes on the links of its protocol with all the data that the
 * file allows.  Fills in notes->most_bytes and notes->beyond. */
bool msccl_links_suffice(const struct msccl *m, struct msccl_notes *notes,
                         struct err *err);

/* Whether any two steps of a rank that use the same slot, and at least one of
 * which writes it, are ordered. `order` comes from msccl_ends(). */
bool msccl_races(struct msccl *m, const struct schedule *s, const int *order,
                 struct err *err);

/* Fills the schedule with the transfers of a program that finishes; `order` is
 * that of msccl_ends(). */
bool msccl_run(struct msccl *m, const int *order, struct schedule *s,
               struct err *err);

/* The name of a collective in MSCCL's files. */
const char *msccl_collective_name(const struct collective *c);

/* Puts "rank 2, thread block 1, step 3" before the message. Always returns
 * false. */
bool msccl_at(const struct msccl *m, int step, struct err *err);

/* Reports a limit that is exceeded. Always returns false. */
#define msccl_too_large(m, err, ...) \
    ((m)->too_large = true, err_set(err, __VA_ARGS__))

#endif
