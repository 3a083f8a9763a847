/* SPDX-License-Identifier: MIT */
/* A crew: the processes of a run in which each rank is one and passes messages
 * (run/message_rank.h).  One of them, the chief, talks to collviz and tells the
 * ranks what to do, in letters; it may be a rank itself.
 *
 * chief.c and member.c are the same for all crews.  How processes are started
 * and where they are, what carries their messages, and the library's own
 * collective are the worker's: collviz-mpi has ranks that a launcher has
 * started on many hosts (workers/mpi/mpi_world.c), collviz-cuda forks them on
 * this one (workers/nccl/nccl_crew.c).  Each program has one of the two. */
#ifndef WORKERS_CREW_CREW_H
#define WORKERS_CREW_CREW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "run/machine.h"
#include "run/message_rank.h"

/* Whether ranks are threads of a simulation (SimGrid), which has a time of its
 * own. */
#ifdef SMPI_SIMULATED
#define CREW_SIMULATED true
#else
#define CREW_SIMULATED false
#endif

/* What carries messages between ranks on GPUs.  It is the same for all ranks of
 * a run, and the best that all of them can do:
 *
 *     NCCL            if each rank has a GPU of its own, and the same NCCL
 *     CUDA-aware MPI  reads and writes the GPUs' memory itself
 *     MPI             through host memory
 *
 * NCCL does not take a mismatched run: it does not report a message that is
 * longer than what its receiver expects.  Ranks in host memory are MPI's
 * anyway. */
enum gpu_way { GPU_WAY_HOST, GPU_WAY_AWARE, GPU_WAY_NCCL };

/* The longest naps (crew_nap()). */
enum {
    NAP_UNWOKEN_US = 1000, /* where nothing wakes the process: it waits for a
                            * device, or for a rank on another host */
    NAP_WOKEN_US = 100000,
};

struct crew {
    int rank; /* of this process; -1: it is the chief and no rank */
    int size; /* ranks */
    struct mail *mail;
    bool wakes_all; /* crew_wake() reaches every rank that this may wait for */
    bool left; /* a run was left while its messages were under way: their memory
                * must not be freed, and the library not be finalized */
    void *with; /* the worker's */
};

/* The library's own collective runs so many times; the first does not count,
 * since connections are made then. */
enum { NATIVE_ROUNDS = 7 };

/* When one rank called it and had its result. */
struct native_times {
    int64_t begin_ns[NATIVE_ROUNDS], end_ns[NATIVE_ROUNDS];
    int64_t timed_ns; /* in a timed run: of all timed calls together */
};

/* What a rank knows of it; its output follows, the chunks in a row. */
struct crew_native {
    struct native_times times;
    char name[RUN_NAME_MAX];   /* "MPI_Allreduce" */
    char inside[RUN_NAME_MAX]; /* the library's choices; "" if unknown */
};

/* The machine that is the chief.  `backend` is its name. */
struct machine crew_machine(const char *backend);

/* All of the life of a rank that is not the chief.  Where it fails, it reports
 * that and waits to be ended. */
bool crew_live(struct crew *c, struct err *err);

/* For the chief: lets the ranks end. */
void crew_dismiss(struct crew *c);

/* Puts "rank 3 on host cv2: " before the message. Always returns false. */
bool crew_blame(const struct crew *c, int rank, struct err *err);

/* The worker's: ---------------------------------------------------------- */

/* The ranks of a run: starts them, or finds that those that are there can do
 * it.  Returns NULL on failure, with the reason. */
struct crew *crew_gather(const struct schedule *s, const struct run_options *o,
                         struct err *err);

/* Ends processes that crew_gather() has started. */
void crew_disband(struct crew *c);

/* Fills in the members of machine's describe(). */
void crew_describe(const struct crew *c, const struct schedule *s,
                   bool mismatched, struct run_info *info);

/* The host that a rank is on; NULL if all are on one. */
const char *crew_host(const struct crew *c, int rank);

/* The time in ns, on a clock that is the same for all; a rank's clock, too
 * (struct message_clock). `crew` is a struct crew. */
int64_t crew_ns(const void *crew);

/* A process that can do nothing now looks again after naps, which grow, up to
 * most_us.  One that has posted something wakes those on its host. */
void crew_nap(struct crew *c, int64_t most_us);
void crew_wake(struct crew *c);

/* Returns false, with the reason, if another host is out of reach. */
bool crew_is_whole(const struct crew *c, struct err *err);

/* Gives a rank its clock, carriers and device. To be called by all ranks. */
bool crew_join(struct crew *c, struct message_rank *r, struct err *err);

/* Waits until all ranks have come here. */
bool crew_meet(struct crew *c, struct err *err);

/* Lets crew_rounds() run the library's own collective.  `algorithm`: "" for the
 * library's choice.  Fills in *found, which the output follows. */
bool crew_compare(struct crew *c, const struct message_rank *r,
                  const char *algorithm, struct crew_native *found,
                  struct err *err);

/* The library's own collective as calls, with the argument of all of these. */
struct native_calls {
    void *with;
    bool (*restore)(void *with, struct err *err); /* its input */
    bool (*call)(void *with, struct err *err);
    bool (*settle)(void *with, struct err *err); /* waits for what was called;
                                                  * NULL: a call does */

    /* Copies the output to where it is read. */
    bool (*fetch)(void *with, struct err *err);
};

/* Calls it NATIVE_ROUNDS times, each time on its input; or in a timed run once,
 * and then as often as that asks for, going on from what the call before has
 * left.  The output is that of the last round. */
bool crew_rounds(struct crew *c, const struct native_calls *calls,
                 const struct timing *t, struct native_times *times,
                 struct err *err);

/* Letters of any size between the chief of a crew and its ranks.  They are
 * posted, and taken when they are there.
 *
 *     mail_post(mail, 0, LETTER_EVENTS, bytes, length, &err)
 *     mail_take(mail, &letter, &err)     letter.kind, .from, .bytes
 *
 * The letters of one sender come in order.  The chief hears from all ranks,
 * itself included if it is one; the others hear from the chief, to whom they
 * post as 0.  mpi_mail.c passes letters with MPI, nccl_crew.c over sockets. */
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
    LETTER_READY,    /* its input is where it belongs */
    LETTER_EVENTS,   /* struct letter_events, events, contents */
    LETTER_OUTPUT,   /* the rows of its output, then the slots */
    LETTER_COMPARED, /* struct crew_native, then its output */
    LETTER_TIMED,    /* int64_t: the ns of all calls */
    LETTER_ALIVE,
    LETTER_FAILED, /* struct err */
    LETTER_KINDS
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

/* The side of a rank that carries out the chief's letters and answers them.  A
 * chief that is a rank has one, too, and writes to itself. */
struct member {
    struct crew *crew;
    struct message_rank *rank; /* NULL: nothing has been shared out */
    bool working; /* what was granted has not all been reported */
    int reported_step; /* that was reported last */
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
