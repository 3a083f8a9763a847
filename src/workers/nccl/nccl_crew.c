/* SPDX-License-Identifier: MIT */
#include "workers/nccl/nccl_crew.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "workers/cuda/cuda_call.h"
#include "workers/cuda/placement.h"
#include "workers/nccl/nccl_api.h"

enum {
    GPU_LOOK_US = 20,      /* between two looks at the GPU */
    PROCESS_LOOK_US = 200, /* ... at other processes, and their letters */
    SHARING_MOST = 16, /* ranks on a GPU: NCCL allocates memory for each */
};

static const int64_t ENDING_NS = 2000000000; /* that a process takes to end */

/* Letters ---------------------------------------------------------------- */

/* The other end of a socket: the chief, or one of its ranks. */
struct end {
    int fd;    /* -1: none */
    pid_t pid; /* of a rank's process; 0: none, or after waitpid() */
};

struct mail {
    int count; /* ends: of a rank 1, the chief's */
    int next;  /* the one to read from next */
    struct end ends[];
};

struct head {
    int64_t kind, length;
};

static struct mail *
mail_new(int count)
{
    struct mail *m = mem_new(sizeof *m + (size_t)count * sizeof *m->ends, 1);

    m->count = count;
    for (int i = 0; i < count; i++)
        m->ends[i].fd = -1;
    return m;
}

/* Says how a rank's process ended, if a signal ended it: its peers fail when it
 * dies, so this is asked before they are believed.  A process closes its
 * sockets before it can be waited for; between the two a driver may take its
 * time, so that it gets patience_ns. */
static bool
was_killed(struct mail *m, int rank, int64_t patience_ns, struct err *err)
{
    struct end *end = &m->ends[rank];
    int64_t until = clock_ns() + patience_ns;
    int status = 0;
    pid_t pid = -1;

    while (end->pid != 0 &&
           (pid = waitpid(end->pid, &status, WNOHANG)) == 0 &&
           clock_ns() < until)
        usleep(PROCESS_LOOK_US);
    if (end->pid == 0 || pid != end->pid)
        return false;
    end->pid = 0;
    if (!WIFSIGNALED(status))
        return false;
    err_set(err, "rank %d: its process was ended by signal %d (%s)", rank,
            WTERMSIG(status), strsignal(WTERMSIG(status)));
    return true;
}

/* The other end is closed. Always returns false. */
static bool
is_gone(struct mail *m, int which, struct err *err)
{
    if (m->ends[which].pid == 0)
        return err_set(err, "collviz-cuda has ended");
    return !was_killed(m, which, ENDING_NS, err) &&
           err_set(err, "rank %d: its process has ended", which);
}

/* Sends it all, or receives it.  A signal, a stop or a length above 2 GiB makes
 * recv() return a part. */
static bool
pass_bytes(struct mail *m, int end, bool out, void *data, size_t length,
           struct err *err)
{
    unsigned char *at = data;

    while (length > 0) {
        ssize_t n = out ? send(m->ends[end].fd, at, length, MSG_NOSIGNAL)
                        : recv(m->ends[end].fd, at, length, MSG_WAITALL);
        if (n == 0 || (n < 0 && errno != EINTR))
            return is_gone(m, end, err);
        at += n > 0 ? n : 0;
        length -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* If several ranks have failed, the first to blame is one that died, by a
 * signal or without a word. */
static bool
all_live(struct mail *m, int but, struct err *err)
{
    char byte;

    for (int rank = 0; rank < m->count; rank++)
        if (was_killed(m, rank, 0, err) ||
            (rank != but && recv(m->ends[rank].fd, &byte, 1,
                                 MSG_PEEK | MSG_DONTWAIT) == 0 &&
             !is_gone(m, rank, err)))
            return false;
    return true;
}

bool
mail_post(struct mail *m, int to, enum letter_kind kind, void *bytes,
          size_t length, struct err *err)
{
    struct head head = {kind, (int64_t)length};
    bool ok = pass_bytes(m, to, true, &head, sizeof head, err) &&
              pass_bytes(m, to, true, bytes, length, err);

    free(bytes);
    return ok;
}

/* A letter whose head has come follows at once. */
bool
mail_take(struct mail *m, struct letter *letter, struct err *err)
{
    *letter = (struct letter){LETTER_NONE, 0, NULL, 0};
    for (int i = 0; i < m->count; i++) {
        int from = (m->next + i) % m->count, fd = m->ends[from].fd;
        struct head head;
        ssize_t n = recv(fd, &head, sizeof head, MSG_DONTWAIT);
        unsigned char *bytes;

        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            continue;
        if (n <= 0)
            return is_gone(m, from, err);
        if (!pass_bytes(m, from, false, (unsigned char *)&head + n,
                        sizeof head - (size_t)n, err))
            return false;
        bytes = head.length > 0 ? mem_new((size_t)head.length, 1) : NULL;
        if (!pass_bytes(m, from, false, bytes, (size_t)head.length, err)) {
            free(bytes);
            return false;
        }
        *letter = (struct letter){(enum letter_kind)head.kind, from, bytes,
                                  (size_t)head.length};
        m->next = from + 1;
        return head.kind != LETTER_FAILED || all_live(m, from, err);
    }
    return true;
}

/* A rank that is silent but alive is waited for as long as it takes. */
int64_t
mail_heard_ns(const struct mail *m, int from)
{
    (void)m, (void)from;
    return clock_ns();
}

bool
mail_sent(struct mail *m, bool *all, struct err *err)
{
    (void)m, (void)err;
    *all = true;
    return true;
}

/* The crew --------------------------------------------------------------- */

int64_t
crew_ns(const void *crew)
{
    (void)crew;
    return clock_ns();
}

/* A letter ends a rank's nap. */
void
crew_nap(struct crew *c, int64_t most_us)
{
    struct pollfd chief = {.fd = -1, .events = POLLIN};
    int64_t us = most_us <= NAP_UNWOKEN_US ? GPU_LOOK_US : most_us;

    if (c->rank >= 0)
        chief.fd = c->mail->ends[0].fd;
    else
        us = PROCESS_LOOK_US;
    ppoll(&chief, 1, &(struct timespec){.tv_nsec = us * 1000}, NULL);
}

/* Letters wake whom they are for, and NCCL needs nobody awake. */
void
crew_wake(struct crew *c)
{
    (void)c;
}

bool
crew_is_whole(const struct crew *c, struct err *err)
{
    (void)c, (void)err;
    return true;
}

const char *
crew_host(const struct crew *c, int rank)
{
    (void)c, (void)rank;
    return NULL;
}

/* Ranks then continue within microseconds of each other, if each has a core.
 * If one fails, the chief ends all of them. */
bool
crew_meet(struct crew *c, struct err *err)
{
    struct nccl_crew *own = c->with;
    uint64_t all = (uint64_t)c->size * ++own->meetings;
    uint64_t *arrived = &own->shared->arrived;

    (void)err;
    __atomic_add_fetch(arrived, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(arrived, __ATOMIC_ACQUIRE) < all)
        sched_yield();
    return true;
}

/* The life of a rank. _exit(): the cleanup of CUDA and NCCL would wait for
 * peers that are gone. */
static _Noreturn void
become_rank(struct nccl_crew *c, int rank, int chief, pid_t parent)
{
    struct mail *ends = c->crew.mail;
    struct err err;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    for (int i = 0; i <= rank; i++)
        close(ends->ends[i].fd);
    c->crew.rank = rank;
    c->crew.mail = mail_new(1);
    c->crew.mail->ends[0].fd = chief;
    dup2(STDERR_FILENO, STDOUT_FILENO); /* NCCL_DEBUG writes to it */
    _exit(crew_live(&c->crew, &err) ? EXIT_SUCCESS : EXIT_FAILURE);
}

static bool
start_rank(struct nccl_crew *c, int rank, struct err *err)
{
    struct end *end = &c->crew.mail->ends[rank];
    pid_t parent = getpid();
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return err_set(err, "rank %d: %s", rank, strerror(errno));
    end->fd = pair[0];
    end->pid = fork();
    if (end->pid == 0)
        become_rank(c, rank, pair[1], parent);
    close(pair[1]);
    if (end->pid > 0)
        return true;
    end->pid = 0;
    return err_set(err, "rank %d: %s", rank, strerror(errno));
}

static bool
share_crew_memory(struct nccl_crew *c, struct err *err)
{
    c->shared_bytes = sizeof *c->shared +
                      (size_t)c->crew.size * sizeof *c->shared->seats;
    c->shared = mmap(NULL, c->shared_bytes, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (c->shared != MAP_FAILED)
        return true;
    c->shared = NULL;
    return err_set(err, "sharing memory among %d ranks: %s", c->crew.size,
                   strerror(errno));
}

struct crew *
crew_gather(const struct schedule *s, const struct run_options *o,
            struct err *err)
{
    struct nccl_crew *c = mem_new(1, sizeof *c);
    bool ok;

    *c = (struct nccl_crew){
        .crew = {.rank = -1, .size = s->nranks, .with = c,
                 .wakes_all = true, .mail = mail_new(s->nranks)},
        .s = s, .options = o};
    ok = share_crew_memory(c, err);
    for (int rank = 0; ok && rank < s->nranks; rank++)
        ok = start_rank(c, rank, err);
    if (ok)
        return &c->crew;
    crew_disband(&c->crew);
    return NULL;
}

/* Kills the ranks, whatever they are doing. */
void
crew_disband(struct crew *crew)
{
    struct nccl_crew *c = crew->with;
    struct end *ends = crew->mail->ends;

    for (int rank = 0; rank < crew->size; rank++)
        if (ends[rank].pid != 0)
            kill(ends[rank].pid, SIGKILL);
    for (int rank = 0; rank < crew->size; rank++) {
        if (ends[rank].pid != 0)
            waitpid(ends[rank].pid, NULL, 0);
        if (ends[rank].fd >= 0)
            close(ends[rank].fd);
    }
    if (c->shared != NULL)
        munmap(c->shared, c->shared_bytes);
    free(crew->mail);
    free(c);
}

void
crew_describe(const struct crew *crew, const struct schedule *s,
              bool mismatched, struct run_info *info)
{
    const struct nccl_shared *shared =
        ((const struct nccl_crew *)crew->with)->shared;
    struct placement p = placement_of(s->nranks, shared->seats[0].ngpus);
    char version[NCCL_VERSION_TEXT_MAX];

    (void)mismatched;
    nccl_version_text(shared->version, version);
    info->place = PLACE_GPU;
    info->nplaces = info->ndevices = p.ngpus;
    for (int gpu = 0; gpu < p.ngpus; gpu++) {
        int first = placement_first(&p, gpu);
        for (int rank = first; rank < s->nranks; rank++)
            info->device_of[rank] = gpu; /* to the next GPU's first */
        snprintf(info->devices[gpu], RUN_NAME_MAX, "%.63s, NCCL %.12s%s",
                 shared->seats[first].gpu, version,
                 shared->seats[first].shares
                     ? ", a process a rank, over sockets: slow"
                     : "");
    }
}

/* A rank ----------------------------------------------------------------- */

/* Finds the rank's GPU.  If other ranks share it, sets NCCL's environment so
 * that it allows that. */
static bool
take_gpu(struct nccl_crew *c, int version, int *id, struct err *err)
{
    struct nccl_seat *seat = &c->shared->seats[c->crew.rank];
    struct placement placement;
    const struct gpu *gpu;
    struct gpus gpus;
    int nranks = c->crew.size;

    if (!gpus_find(&gpus, err))
        return false;
    placement = placement_of(nranks, gpus.count);
    gpu = &gpus.gpu[placement_gpu(&placement, c->crew.rank)];
    *id = gpu->id;
    snprintf(seat->gpu, sizeof seat->gpu, "%s", gpu->name);
    seat->ngpus = gpus.count;
    if (nranks > SHARING_MOST * gpus.count)
        return err_set(err, "%d ranks on %d GPU%s are too many for NCCL, which "
                       "takes hundreds of MiB for each: at most %d fit",
                       nranks, gpus.count, err_plural(gpus.count),
                       SHARING_MOST * gpus.count);
    setenv("NCCL_COMM_BLOCKING", "1", 1); /* nccl_api.h requires it */
    seat->shares = nranks > gpus_boards(&gpus, placement.ngpus);
    if (seat->shares)
        nccl_share_gpu(version, c->crew.rank);
    if (c->options->native)
        nccl_profile_begin();
    return true;
}

/* Rank 0 makes the id and the others wait for it, without a limit: if a rank
 * fails, the chief ends them all. */
static bool
get_id(struct nccl_crew *c, const struct nccl *nccl, struct err *err)
{
    struct nccl_shared *shared = c->shared;

    if (c->crew.rank == 0) {
        if (!nccl_ok(nccl, nccl->get_unique_id(&shared->id),
                     "ncclGetUniqueId", NULL, err))
            return false;
        shared->version = nccl->version;
        __atomic_store_n(&shared->id_there, 1, __ATOMIC_RELEASE);
    }
    while (!__atomic_load_n(&shared->id_there, __ATOMIC_ACQUIRE))
        usleep(PROCESS_LOOK_US);
    return true;
}

/* NCCL carries rows as well: they are on the GPU. */
bool
crew_join(struct crew *crew, struct message_rank *r, struct err *err)
{
    struct nccl_crew *c = crew->with;
    struct nccl nccl;
    int gpu;

    r->clock.now_ns = crew_ns;
    if (!nccl_open(&nccl, err) || !take_gpu(c, nccl.version, &gpu, err))
        return false;
    c->gpu = gpu_rank_new(r, gpu, GPU_WAY_NCCL, true, err);
    if (c->gpu == NULL)
        return false;
    c->gpu->nccl = nccl;
    if (!get_id(c, &nccl, err) ||
        !gpu_rank_join(c->gpu, c->shared->id, err))
        return false;
    r->rows_by = r->payloads_by;
    return !c->options->native || nccl_compare_prepare(c, err);
}
