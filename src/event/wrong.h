/* SPDX-License-Identifier: MIT */
/* The first thing that is wrong with a result: an element, a sum, or messages
 * that do not fit together.
 *
 * The verdict (run/verify.h) and the waits of ranks (run/waits.h) fill it in.
 * Text is made of it only where it is shown.
 *
 *     w = (struct wrong){.kind = WRONG_SUM, .rank = 1, .chunk = 2,
 *                        .said = "2*A2+B2"};
 *     wrong_text(&w, &out);           "rank 1, chunk 2: it holds 2*A2+B2" */
#ifndef EVENT_WRONG_H
#define EVENT_WRONG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/dtype.h"

enum wrong_kind {
    WRONG_NOTHING,
    WRONG_VALUE,      /* an element is not what was expected */
    WRONG_UNLIKE,     /* nor what a peer has by the same additions */
    WRONG_SUM,        /* a slot holds another sum than was promised */
    WRONG_HANGS,      /* ranks wait for ever */
    WRONG_STOPS,      /* ranks have stopped, and no other one waits */
    WRONG_UNRECEIVED, /* a message that its receiver does not expect */
    WRONG_LENGTH,     /* a message of another length than its receive */
    WRONG_SAID        /* only a sentence about it is known */
};

enum wait_kind {
    WAIT_NONE,      /* it can leave its step */
    WAIT_THROUGH,   /* it has left its last step */
    WAIT_RECEIVE,   /* for a message that the peer has not sent */
    WAIT_SEND,      /* for the peer to receive */
    WAIT_TRUNCATED, /* the peer's message was too long: it has stopped */
};

/* What a rank waits for in a step, or a message to it from its peer. */
struct rank_wait {
    enum wait_kind kind;
    int rank, peer, step;
    int64_t length, room; /* elements, of the message and of its receive */
};

enum {
    WRONG_TEXT_MAX = 256,  /* of a sentence, with its end */
    WRONG_LIBRARY_MAX = 33,
    WRONG_WAITS_MAX = 3 /* of a chain, in words: two lines of 80 */
};

/* Members that a kind does not name are 0. */
struct wrong {
    enum wrong_kind kind;
    char library[WRONG_LIBRARY_MAX]; /* the call whose output is wrong; "": it
                                      * is ours */
    int rank, chunk;                 /* VALUE, UNLIKE, SUM */
    int64_t element;                 /* VALUE, UNLIKE: of the chunk, from 0 */
    int peer;                        /* UNLIKE */
    char expected[DTYPE_TEXT_MAX];   /* VALUE; UNLIKE: what the peer has */
    char found[DTYPE_TEXT_MAX];      /* VALUE, UNLIKE */
    char said[WRONG_TEXT_MAX];       /* SUM: what the slot holds; SAID */
    struct rank_wait waits[WRONG_WAITS_MAX]; /* HANGS, STOPS: a chain; else the
                                              * message is the first */
    int nwaits;                              /* HANGS, STOPS: 1 to 3 */
    int skipped; /* waits of the chain that are left out after the first */
    bool cycle;  /* it ends at the rank with which it begins; if not, at one
                  * that is through, or has stopped */
    int others; /* HANGS: how many more ranks wait */
};

/* Appends a sentence in English, of less than WRONG_TEXT_MAX bytes: "rank 0,
 * chunk 1, element 0: expected 24, found 12", "the run hangs: rank 0 waits for
 * rank 2 (step 3), rank 2 waits for rank 0 (step 2): a cycle", or nothing.
 * Names that come from a file are not escaped. */
void wrong_text(const struct wrong *w, struct buf *out);

#endif
