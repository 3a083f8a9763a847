/* SPDX-License-Identifier: MIT */
#include "workers/mpi/mpi_world.h"

#include <dirent.h>
#include <limits.h>
#include <linux/futex.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

#if CREW_SIMULATED
#include <simgrid/version.h>
#include <smpi/smpi_helpers_internal.h>
#endif

enum {
    CLOCK_ROUNDS = 10,
    CLOCK_TAG = 1,
    CUT_OFF_MS = 45000, /* without another host, the run is over */
};

bool
mpi_ok(int code, const char *what, struct err *err)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;

    if (code == MPI_SUCCESS)
        return true;
    MPI_Error_string(code, text, &length);
    return err_set(err, "%s: %s", what, text);
}

static int64_t
own_clock_ns(void)
{
    return CREW_SIMULATED ? llround(MPI_Wtime() * 1e9) : clock_ns();
}

int64_t
crew_ns(const void *crew)
{
    const struct mpi_world *w = ((const struct crew *)crew)->with;

    return own_clock_ns() - w->clock_offset_ns;
}

#if CREW_SIMULATED
static void
sleep_simulated(int64_t ns)
{
    if (ns > 0)
        smpi_nanosleep(&(struct timespec){ns / 1000000000, ns % 1000000000},
                       NULL);
}

void (*const mpi_world_sleep)(int64_t ns) = sleep_simulated;
#else
void (*const mpi_world_sleep)(int64_t ns) = NULL;
#endif

/* Returns how long another host's kernel has not acknowledged what this process
 * has sent over TCP, in ms: the host or the network is down.  0 where all was
 * acknowledged, even if no process there has read it. */
static int64_t
unheard_ms(void)
{
    DIR *folder = opendir("/proc/self/fd");
    const struct dirent *entry;
    int64_t most = 0;

    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        struct tcp_info info = {.tcpi_state = TCP_CLOSE};
        socklen_t size = sizeof info;

        getsockopt(atoi(entry->d_name), IPPROTO_TCP, TCP_INFO, &info, &size);
        if (info.tcpi_state == TCP_ESTABLISHED && info.tcpi_unacked > 0 &&
            info.tcpi_last_ack_recv > most)
            most = info.tcpi_last_ack_recv;
    }
    if (folder != NULL)
        closedir(folder);
    return most;
}

/* Every rank says something each second, so one that is cut off finds out: MPI
 * would try for ever to reach the others. */
bool
crew_is_whole(const struct crew *c, struct err *err)
{
    const struct mpi_world *w = c->with;

    return w->nhosts == 1 || unheard_ms() <= CUT_OFF_MS ||
           err_set(err, "no answer from another host for %d s: the host or its "
                   "network is down", CUT_OFF_MS / 1000);
}

const char *
crew_host(const struct crew *c, int rank)
{
    return ((const struct mpi_world *)c->with)->seats[rank].host_name;
}

#if CREW_SIMULATED
void
mpi_world_library(char *text, size_t size)
{
    snprintf(text, size, "SimGrid %d.%d", SIMGRID_VERSION_MAJOR,
             SIMGRID_VERSION_MINOR);
}
#else
/* "Open MPI 4.1.4" of "Open MPI v4.1.4, package: ...", "MPICH 4.0.2" of "MPICH
 * Version:\t4.0.2\n...". */
void
mpi_world_library(char *text, size_t size)
{
    char whole[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    const char *between = "";
    char *rest = whole, *word;
    int ignored;

    MPI_Get_library_version(whole, &ignored);
    whole[strcspn(whole, ",\n")] = '\0';
    text[0] = '\0';
    while ((word = strtok_r(rest, " \t", &rest)) != NULL) {
        if (strcmp(word, "Version:") == 0)
            continue;
        word += word[0] == 'v' && word[1] >= '0' && word[1] <= '9';
        snprintf(text + strlen(text), size - strlen(text), "%s%s", between,
                 word);
        between = " ";
    }
}
#endif

static struct mpi_seat
own_seat(const struct mpi_world *w)
{
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    struct mpi_seat seat = {.core = -1};
    cpu_set_t cores;
    int length, local;

    MPI_Get_processor_name(name, &length);
    snprintf(seat.host_name, sizeof seat.host_name, "%.63s", name);
    snprintf(seat.build, sizeof seat.build, "%s (%d.%zu.%zu.%zu)",
             PACKAGE_STRING, __BYTE_ORDER__, sizeof(void *),
             sizeof(struct share), sizeof(struct event));
    if (!CREW_SIMULATED && sched_getaffinity(0, sizeof cores, &cores) == 0 &&
        CPU_COUNT(&cores) == 1)
        seat.core = sched_getcpu();
    if (!CREW_SIMULATED) {
        MPI_Comm_rank(w->host, &local);
        mpi_gpu_find(local, &seat.gpu);
    }
    return seat;
}

/* Hosts have numbers in the order in which they appear.  Not MPI_Allgather(),
 * for which SMPI sends size * size messages. */
static bool
take_seats(struct mpi_world *w, struct err *err)
{
    struct mpi_seat own = own_seat(w);

    w->seats = mem_new((size_t)w->crew.size, sizeof *w->seats);
    if (!mpi_ok(MPI_Gather(&own, sizeof own, MPI_BYTE, w->seats, sizeof own,
                           MPI_BYTE, 0, w->control),
                "MPI_Gather", err) ||
        !mpi_ok(MPI_Bcast(w->seats, w->crew.size * (int)sizeof own, MPI_BYTE, 0,
                          w->control),
                "MPI_Bcast", err))
        return false;
    for (int rank = 0; rank < w->crew.size; rank++) {
        struct mpi_seat *seat = &w->seats[rank];
        int first = 0;
        while (strcmp(w->seats[first].host_name, seat->host_name) != 0)
            first++;
        seat->host = first < rank ? w->seats[first].host : w->nhosts++;
        if (strcmp(seat->build, w->seats[0].build) != 0)
            return err_set(err, "host %s has %s, host %s has %s: install the "
                           "same one on all hosts", w->seats[0].host_name,
                           w->seats[0].build, seat->host_name, seat->build);
    }
    return true;
}

/* Sends a time to a peer, or receives one. */
static bool
pass_time(const struct mpi_world *w, int peer, bool out, int64_t *ns,
          struct err *err)
{
    return mpi_ok(out ? MPI_Send(ns, 1, MPI_INT64_T, peer, CLOCK_TAG,
                                 w->control)
                      : MPI_Recv(ns, 1, MPI_INT64_T, peer, CLOCK_TAG,
                                 w->control, MPI_STATUS_IGNORE),
                  out ? "MPI_Send" : "MPI_Recv", err);
}

/* A peer's clock against this one: {offset, error} by the quickest of some
 * answers, which lies between question and answer (F. Cristian, "Probabilistic
 * clock synchronization", Distributed Computing 3, 1989). */
static bool
ask_clock(struct mpi_world *w, int peer, int64_t found[2], struct err *err)
{
    int64_t least = INT64_MAX;

    for (int round = 0; round < CLOCK_ROUNDS; round++) {
        int64_t asked = own_clock_ns(), answer, took;
        if (!pass_time(w, peer, true, &asked, err) ||
            !pass_time(w, peer, false, &answer, err))
            return false;
        took = own_clock_ns() - asked;
        if (took >= least)
            continue;
        least = took;
        found[0] = answer - asked - took / 2;
        found[1] = took / 2 + 1;
    }
    return true;
}

/* Rank 0 asks one rank on each other host, which answers. */
static bool
compare_host_clocks(struct mpi_world *w, struct err *err)
{
    int64_t(*found)[2] = mem_new((size_t)w->nhosts, sizeof *found);
    bool ok = true;

    for (int host = 1; ok && host < w->nhosts; host++) {
        int peer = 0, rounds; /* the lowest rank there */
        int64_t ns;
        while (w->seats[peer].host != host)
            peer++;
        rounds = w->crew.rank == peer ? CLOCK_ROUNDS : 0;
        if (w->crew.rank == 0)
            ok = ask_clock(w, peer, found[host], err);
        for (int round = 0; ok && round < rounds; round++)
            ok = pass_time(w, 0, false, &ns, err) &&
                 (ns = own_clock_ns(), pass_time(w, 0, true, &ns, err));
    }
    ok = ok && mpi_ok(MPI_Bcast(found, 2 * w->nhosts, MPI_INT64_T, 0,
                                w->control),
                      "MPI_Bcast", err);
    w->clock_offset_ns = found[w->seats[w->crew.rank].host][0];
    for (int host = 0; host < w->nhosts; host++)
        if (found[host][1] > w->clock_error_ns)
            w->clock_error_ns = found[host][1];
    free(found);
    return ok;
}

static bool
split_hosts(struct mpi_world *w, struct err *err)
{
    if (!mpi_ok(MPI_Comm_split_type(w->control, MPI_COMM_TYPE_SHARED,
                                    w->crew.rank, MPI_INFO_NULL, &w->host),
                "MPI_Comm_split_type", err))
        return false;
    MPI_Comm_set_errhandler(w->host, MPI_ERRORS_RETURN);
    return true;
}

bool
mpi_world_open(struct mpi_world *w, struct err *err)
{
    *w = (struct mpi_world){.data = MPI_COMM_NULL, .control = MPI_COMM_NULL,
                            .host = MPI_COMM_NULL, .crew.with = w,
                            .nap.window = MPI_WIN_NULL};
    MPI_Comm_rank(MPI_COMM_WORLD, &w->crew.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &w->crew.size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    return mpi_ok(MPI_Comm_dup(MPI_COMM_WORLD, &w->data), "MPI_Comm_dup",
                  err) &&
           mpi_ok(MPI_Comm_dup(MPI_COMM_WORLD, &w->control), "MPI_Comm_dup",
                  err) &&
           (CREW_SIMULATED || split_hosts(w, err)) && take_seats(w, err) &&
           (CREW_SIMULATED || compare_host_clocks(w, err)) &&
           (w->crew.mail = mail_new(w, err)) != NULL &&
           (mpi_nap_open(w), true);
}

void
mpi_world_close(struct mpi_world *w)
{
    mail_free(w->crew.mail);
    mpi_nap_close(w);
    free(w->seats);
    if (w->host != MPI_COMM_NULL)
        MPI_Comm_free(&w->host);
    if (w->data != MPI_COMM_NULL)
        MPI_Comm_free(&w->data);
    if (w->control != MPI_COMM_NULL)
        MPI_Comm_free(&w->control);
}

/* A rank that has posted something wakes all ranks on its host, through memory
 * that they share.  Nothing wakes a rank on another host.  So a rank that waits
 * for messages from there naps for NAP_UNWOKEN_US at most, or its waits would
 * seem longer than they are. */
enum {
    YIELDS = 100,       /* before the first nap */
    SHORT_NAPS = 100,   /* of NAP_LEAST_US, before they grow */
    NAP_LEAST_US = 50,
};

/* The host's first rank has the memory.  Whether it is there is agreed on by
 * all ranks of the host: those that have none must not be waited for. */
static bool
share_nap_memory(struct mpi_nap *n, const struct mpi_world *w)
{
    MPI_Aint bytes;
    int rank, unit, ok, all;

    MPI_Comm_rank(w->host, &rank);
    ok = MPI_Win_allocate_shared(rank == 0 ? sizeof *n->calls : 0, 1,
                                 MPI_INFO_NULL, w->host, &n->calls,
                                 &n->window) == MPI_SUCCESS;
    if (!ok)
        n->window = MPI_WIN_NULL;
    else
        ok = MPI_Win_shared_query(n->window, 0, &bytes, &unit, &n->calls) ==
                 MPI_SUCCESS &&
             MPI_Win_lock_all(MPI_MODE_NOCHECK, n->window) == MPI_SUCCESS;
    if (ok && rank == 0)
        *n->calls = 0;
    return MPI_Allreduce(&ok, &all, 1, MPI_INT, MPI_MIN, w->host) ==
               MPI_SUCCESS &&
           all != 0;
}

void
mpi_nap_open(struct mpi_world *w)
{
    w->nap.window = MPI_WIN_NULL;
    if (!CREW_SIMULATED && !share_nap_memory(&w->nap, w))
        w->nap.calls = NULL;
    w->crew.wakes_all = w->nap.calls != NULL && w->nhosts == 1;
}

void
mpi_nap_close(struct mpi_world *w)
{
    if (w->nap.calls != NULL)
        MPI_Win_unlock_all(w->nap.window);
    if (w->nap.window != MPI_WIN_NULL)
        MPI_Win_free(&w->nap.window);
}

static uint32_t
count_calls(const struct mpi_nap *n)
{
    return n->calls != NULL ? __atomic_load_n(n->calls, __ATOMIC_ACQUIRE) : 0;
}

/* 50 us for 5 ms, then a quarter more each time. */
static int64_t
nap_ns(const struct mpi_nap *n, int64_t most_ns)
{
    int64_t ns = NAP_LEAST_US * 1000;

    for (int i = YIELDS + SHORT_NAPS; i < n->turns && ns < most_ns; i++)
        ns += ns / 4;
    return ns < most_ns ? ns : most_ns;
}

/* A call since this rank was last busy starts the naps anew: what was posted
 * may take a moment to arrive. */
void
crew_nap(struct crew *c, int64_t most_us)
{
    struct mpi_nap *n = &((struct mpi_world *)c->with)->nap;
    uint32_t heard = count_calls(n);
    struct timespec length;

    if (heard != n->heard)
        n->turns = 0;
    n->heard = heard;
    n->turns += n->turns < INT_MAX;
    if (n->turns <= YIELDS) {
        sched_yield();
        return;
    }
    length = (struct timespec){.tv_nsec = nap_ns(n, most_us * 1000)};
    if (n->calls != NULL)
        syscall(SYS_futex, n->calls, FUTEX_WAIT, heard, &length, NULL, 0);
    else
        nanosleep(&length, NULL);
}

void
crew_wake(struct crew *c)
{
    struct mpi_nap *n = &((struct mpi_world *)c->with)->nap;

    if (n->calls != NULL) {
        __atomic_add_fetch(n->calls, 1, __ATOMIC_RELEASE);
        syscall(SYS_futex, n->calls, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    }
    n->turns = 0;
    n->heard = count_calls(n);
}
