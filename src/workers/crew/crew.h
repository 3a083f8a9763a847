/* SPDX-License-Identifier: MIT */
/* A crew: the processes of a run in which each rank is one and passes messages
 * (run/message_rank.h).  One of them, the chief, talks to collviz and tells the
 * ranks what to do, in letters (mail.h); it may be a rank itself.
 *
 * chief.c and member.c are the same for all crews.  How processes are started
 * and where they are, what carries their messages, and the library's own
 * collective are the worker's: collviz-mpi has ranks that a launcher has
 * started on many hosts (workers/mpi/mpi_world.c), collviz-cuda forks them on
 * this one (workers/nccl/nccl_crew.c).  Each program has one of the two. */
#ifndef WORKERS_CREW_CREW_H
#define WORKERS_CREW_CREW_H

#include "run/machine.h"
#include "run/message_rank.h"
#include "run/native.h"
#include "workers/crew/mail.h"

/* Whether ranks are threads of a simulation (SimGrid), which has a time of its
 * own. */
#ifdef SMPI_SIMULATED
#define CREW_SIMULATED true
#else
#define CREW_SIMULATED false
#endif

enum { NAP_DEVICE_US = 1000, NAP_MOST_US = 100000 };

struct crew {
    int rank; /* of this process; -1: it is the chief and no rank */
    int size; /* ranks */
    struct mail *mail;
    bool left; /* a run was left while its messages were under way: their memory
                * must not be freed, and the library not be finalized */
    void *with; /* the worker's */
};

/* What a rank knows of the library's own collective; its output follows, the
 * chunks in a row. */
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

/* The time in ns, on a clock that is the same for all. */
int64_t crew_ns(const struct crew *c);

/* Lets simulated time pass. */
void crew_sleep(int64_t ns);

/* A process that can do nothing now looks again after naps, which grow, up to
 * most_us.  One that has posted something wakes those on its host. */
void crew_nap(struct crew *c, int64_t most_us);
void crew_wake(struct crew *c);

/* Whether crew_wake() reaches every rank that this one may wait for. */
bool crew_wakes_all(const struct crew *c);

/* Returns false, with the reason, if another host is out of reach. */
bool crew_is_whole(const struct crew *c, struct err *err);

/* Gives a rank its clock, carriers and device. To be called by all ranks. */
bool crew_join(struct crew *c, struct message_rank *r, struct err *err);

/* Waits until all ranks have come here. */
bool crew_meet(struct crew *c, struct err *err);

/* Runs the library's own collective NATIVE_ROUNDS times, or once and then as
 * often as a timed run asks for.  `algorithm`: "" for the library's choice.
 * Returns *length bytes, a struct crew_native and the output, which the caller
 * frees; or NULL, with the reason. */
struct crew_native *crew_compare(struct crew *c, const struct message_rank *r,
                                 const char *algorithm, size_t *length,
                                 struct err *err);

#endif
