/* SPDX-License-Identifier: MIT */
/* Letters between rank 0 and the other ranks, of any size, on a communicator of
 * their own.  Nothing here waits: letters are posted, and taken when they are
 * there.
 *
 *     mail_post(mail, 0, LETTER_EVENTS, bytes, length, &err)
 *     mail_take(mail, &letter, &err)     letter.kind, .from, .bytes
 *
 * The letters of one sender come in order.  Rank 0 hears from all ranks, itself
 * included; the others hear from rank 0.
 *
 * When simulated, a letter's bytes do not cross the network: all ranks are
 * threads of one process, and only its address travels.  So the letters do not
 * disturb the messages that are being timed. */
#ifndef WORKERS_MPI_MPI_MAIL_H
#define WORKERS_MPI_MPI_MAIL_H

#include <stddef.h>

#include "workers/mpi/mpi_world.h"

enum letter_kind {
    LETTER_NONE,
    /* From rank 0 */
    LETTER_SHARE,   /* what the rank is to run (run/share.h) */
    LETTER_GO,      /* struct letter_go */
    LETTER_FETCH,   /* asks for LETTER_OUTPUT */
    LETTER_COMPARE, /* run MPI's own collective, with the algorithm that the
                     * letter names ("": any); asks for LETTER_COMPARED */
    LETTER_TIME,    /* int64_t: so many calls; asks for LETTER_TIMED */
    LETTER_QUIT,
    /* To rank 0 */
    LETTER_READY,    /* contents of all slots before step 1 */
    LETTER_EVENTS,   /* struct letter_events, events, contents */
    LETTER_OUTPUT,   /* the rows of its output, then the slots */
    LETTER_COMPARED, /* struct native_times, then its output */
    LETTER_TIMED,    /* int64_t: the ns of all calls */
    LETTER_ALIVE,
    LETTER_FAILED, /* struct err */
};

struct letter {
    enum letter_kind kind; /* LETTER_NONE: none has come */
    int from;
    unsigned char *bytes; /* the receiver frees them; NULL: empty */
    size_t length;
};

struct mail;

/* The world, without its mail so far, must outlive it. */
struct mail *mail_new(const struct mpi_world *w, struct err *err);

/* All that was posted must have been sent; drops what has not been taken. Does
 * nothing for NULL. */
void mail_free(struct mail *m);

/* Posts a letter, whose bytes came from malloc() and belong to the mail from
 * now on; NULL for a letter without any. */
bool mail_post(struct mail *m, int to, enum letter_kind kind, void *bytes,
               size_t length, struct err *err);

/* Takes a letter, if one has come. */
bool mail_take(struct mail *m, struct letter *letter, struct err *err);

/* Waits for the next letter, which mail_take() then takes.  For the simulation,
 * where polling would let simulated time pass. */
bool mail_wait(struct mail *m, struct err *err);

/* When anything last came from a rank (base/clock.h). */
int64_t mail_heard_ns(const struct mail *m, int from);

/* Whether all letters that were posted have been sent. */
bool mail_sent(struct mail *m, bool *all, struct err *err);

#endif
