/* SPDX-License-Identifier: MIT */
/* Letters of any size between the chief of a crew and its ranks.  They are
 * posted, and taken when they are there.
 *
 *     mail_post(mail, 0, LETTER_EVENTS, bytes, length, &err)
 *     mail_take(mail, &letter, &err)     letter.kind, .from, .bytes
 *
 * The letters of one sender come in order.  The chief hears from all ranks,
 * itself included if it is one; the others hear from the chief, to whom they
 * post as 0.  mpi_mail.c passes letters with MPI, nccl_crew.c over sockets. */
#ifndef WORKERS_CREW_MAIL_H
#define WORKERS_CREW_MAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum letter_kind {
    LETTER_NONE,
    /* From the chief */
    LETTER_SHARE,   /* what the rank is to run (run/share.h) */
    LETTER_GO,      /* struct letter_go */
    LETTER_FETCH,   /* asks for LETTER_OUTPUT */
    LETTER_COMPARE, /* run the library's own collective, with the algorithm that
                     * the letter names ("": any); asks for LETTER_COMPARED */
    LETTER_TIME,    /* int64_t: so many calls; asks for LETTER_TIMED */
    LETTER_QUIT,
    /* To the chief */
    LETTER_READY,    /* contents of all slots before step 1 */
    LETTER_EVENTS,   /* struct letter_events, events, contents */
    LETTER_OUTPUT,   /* the rows of its output, then the slots */
    LETTER_COMPARED, /* struct crew_native, then its output */
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
