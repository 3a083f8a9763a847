/* SPDX-License-Identifier: MIT */
/* The side of a rank that carries out the chief's letters (mail.h) and answers
 * them.  A chief that is a rank has one, too, and writes to itself. */
#ifndef WORKERS_CREW_MEMBER_H
#define WORKERS_CREW_MEMBER_H

#include "workers/crew/crew.h"

struct member {
    struct crew *crew;
    struct message_rank *rank; /* NULL: nothing has been shared out */
    bool working; /* what was granted has not all been reported */
    bool over;
    int64_t said_ns;
};

struct letter_go {
    int64_t to;       /* step */
    int64_t start_ns; /* of the run, on the crew's clock */
    int64_t begin_ns; /* since then; a simulated rank waits until then */
};

/* Before events and contents. */
struct letter_events {
    int64_t nevents;
    int64_t idle; /* not 0: everything granted is done */
    int64_t step; /* that the rank is in */
};

/* Frees it, if none of its messages are under way; else returns false. */
bool member_done(struct member *m);

/* Obeys a letter from the chief and frees its bytes. */
bool member_obey(struct member *m, struct letter *letter, struct err *err);

/* Goes on with what was granted, and reports; sets *moved if anything could be
 * done. */
bool member_turn(struct member *m, bool *moved, struct err *err);

/* Whether only a letter can make the rank go on. */
bool member_waits_for_letter(const struct member *m);

#endif
