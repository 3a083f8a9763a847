/* SPDX-License-Identifier: MIT */
#include "workers/nccl/nccl_ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "workers/nccl/nccl_process.h"

enum { NAP_US = 200 };

void
nccl_ranks_init(struct nccl_ranks *r, const struct nccl_job *job)
{
    size_t n = (size_t)job->s->nranks;

    *r = (struct nccl_ranks){.job = job,
                             .pids = mem_new(n, sizeof *r->pids),
                             .commands = mem_new(n, sizeof *r->commands)};
    for (size_t rank = 0; rank < n; rank++)
        r->commands[rank] = -1;
}

void
nccl_ranks_done(struct nccl_ranks *r)
{
    int n = r->job->s->nranks;

    for (int rank = 0; rank < n; rank++)
        if (r->pids[rank] != 0)
            kill(r->pids[rank], SIGKILL);
    for (int rank = 0; rank < n; rank++) {
        if (r->pids[rank] != 0)
            waitpid(r->pids[rank], NULL, 0);
        if (r->commands[rank] >= 0)
            close(r->commands[rank]);
    }
    free(r->pids);
    free(r->commands);
}

/* In the child: closes the other ranks' pipes, and dies with its parent. */
static void
become(struct nccl_ranks *r, int rank, int commands, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    for (int i = 0; i <= rank; i++)
        close(r->commands[i]);
    nccl_process(r->job, rank, commands);
}

static bool
start(struct nccl_ranks *r, int rank, struct err *err)
{
    pid_t parent = getpid();
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        return err_set(err, "rank %d: %s", rank, strerror(errno));
    r->commands[rank] = ends[1];
    r->pids[rank] = fork();
    if (r->pids[rank] == 0)
        become(r, rank, ends[0], parent);
    close(ends[0]);
    if (r->pids[rank] < 0) {
        r->pids[rank] = 0;
        return err_set(err, "rank %d: %s", rank, strerror(errno));
    }
    return true;
}

bool
nccl_ranks_start(struct nccl_ranks *r, struct err *err)
{
    bool ready = false;

    for (int rank = 0; rank < r->job->s->nranks; rank++)
        if (!start(r, rank, err))
            return false;
    while (!ready) {
        if (!nccl_ranks_look(r, NCCL_POST_READY, &ready, err))
            return false;
        usleep(NAP_US);
    }
    return true;
}

static int
post_state(const struct nccl_ranks *r, int rank)
{
    return __atomic_load_n(&r->job->shared->posts[rank].state,
                           __ATOMIC_ACQUIRE);
}

/* Whether a rank's process is alive; if not, *err says how it ended. */
static bool
is_alive(struct nccl_ranks *r, int rank, struct err *err)
{
    int status = 0;

    if (r->pids[rank] == 0 ||
        waitpid(r->pids[rank], &status, WNOHANG) != r->pids[rank])
        return true;
    r->pids[rank] = 0;
    if (WIFSIGNALED(status))
        return err_set(err, "rank %d: its process was ended by signal %d (%s)",
                       rank, WTERMSIG(status), strsignal(WTERMSIG(status)));
    return post_state(r, rank) == NCCL_POST_FAILED ||
           err_set(err, "rank %d: its process has ended", rank);
}

/* Looks for deaths before failures: others fail when one dies. */
static bool
are_well(struct nccl_ranks *r, struct err *err)
{
    int n = r->job->s->nranks;

    for (int rank = 0; rank < n; rank++)
        if (!is_alive(r, rank, err))
            return false;
    for (int rank = 0; rank < n; rank++)
        if (post_state(r, rank) == NCCL_POST_FAILED) {
            *err = r->job->shared->posts[rank].err;
            return err_prefix(err, "rank %d", rank);
        }
    return true;
}

bool
nccl_ranks_look(struct nccl_ranks *r, int needed, bool *all, struct err *err)
{
    *all = true;
    for (int rank = 0; rank < r->job->s->nranks; rank++)
        *all = *all && post_state(r, rank) == needed;
    return *all || are_well(r, err);
}

bool
nccl_ranks_command(struct nccl_ranks *r, int32_t what, struct err *err)
{
    for (int rank = 0; rank < r->job->s->nranks; rank++)
        if (write(r->commands[rank], &what, sizeof what) != sizeof what)
            return are_well(r, err) &&
                   err_set(err, "rank %d does not listen: %s", rank,
                           strerror(errno));
    return true;
}

bool
nccl_ranks_ask(struct nccl_ranks *r, int32_t what, struct err *err)
{
    const struct nccl_post *posts = r->job->shared->posts;

    if (!nccl_ranks_command(r, what, err))
        return false;
    r->asked++;
    for (int rank = 0; rank < r->job->s->nranks; rank++)
        while (__atomic_load_n(&posts[rank].answers, __ATOMIC_ACQUIRE) <
               r->asked) {
            if (!are_well(r, err))
                return false;
            usleep(NAP_US);
        }
    return true;
}
