/* SPDX-License-Identifier: MIT */
/* The side of a rank that carries out rank 0's letters (mpi_mail.h) and answers
 * them.  Rank 0 has one, too, and writes to itself. */
#ifndef WORKERS_MPI_MPI_MEMBER_H
#define WORKERS_MPI_MPI_MEMBER_H

#include "workers/mpi/mpi_mail.h"

struct member;

struct letter_go {
    int64_t to;       /* step */
    int64_t start_ns; /* of the run, on rank 0's clock */
    int64_t begin_ns; /* since then; a simulated rank waits until then */
};

/* Before events and contents. */
struct letter_events {
    int64_t nevents;
    int64_t idle; /* not 0: everything granted is done */
    int64_t step; /* that the rank is in (mpi_rank_step) */
};

/* The world must outlive it. */
struct member *member_new(const struct mpi_world *w);
void member_free(struct member *m);

/* Obeys a letter from rank 0 and frees its bytes. */
bool member_obey(struct member *m, struct letter *letter, struct err *err);

/* Goes on with what was granted, and reports; sets *moved if anything could be
 * done. */
bool member_turn(struct member *m, bool *moved, struct err *err);

/* For how long the rank may nap if it can do nothing now. */
int64_t member_nap_us(const struct member *m);

/* Whether only a letter can make the rank go on. */
bool member_waits_for_letter(const struct member *m);

/* Whether none of its messages are under way. Only then may it be freed. */
bool member_rests(const struct member *m);

/* All of the life of a rank other than 0, until rank 0 ends the run.  Where it
 * fails, it reports that and waits to be ended. */
bool member_live(struct mpi_world *w, struct err *err);

/* For rank 0: lets the other ranks end. */
void member_dismiss(struct mpi_world *w);

#endif
