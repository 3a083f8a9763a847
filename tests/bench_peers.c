/* SPDX-License-Identifier: MIT */
/* make bench-peers: our collectives on threads beside MPI's and Gloo's,
 * float32, sum, from 8 bytes to 64 MiB, on 2, 3, 4 and 8 ranks, in place and
 * out of place.
 *
 * MPI's processes (peer_mpi.c) are started three times: as MPI is by default,
 * and once more for each algorithm that Open MPI has for all-reduce; without
 * copies from process to process (CMA); with coll/sm.  All live at once and
 * take turns (peers.h): a round is one measurement of each, so a change of the
 * machine's speed meets all of them.  Ours are the plain engine, with the
 * algorithms of `ours` below.  Every peer's result is checked before it is
 * measured.
 *
 * Columns, medians of rounds, of a call on its slowest rank:
 *     ours us   the fastest of our algorithms, and its name
 *     MPI us    MPI as it is by default
 *     best us   the fastest of all peers, and its name
 *     Gloo us   "-" where Gloo has no such collective, or is not here
 *     ratio     MPI / ours, then best / ours: medians of the rounds' ratios.
 *               Above 1 ours is faster
 *     threads   of ours; one thread runs all ranks of a small call, which then
 *               sends nothing from core to core, as MPI's processes have to
 *
 *     bench_peers [sizes=8,1048576] [ranks=2,4] [collectives=allreduce,...]
 *                 [mpirun=mpirun] [csv=FILE] [charts=FOLDER]
 *
 * The file has a line for each peer of each row.  The folder gets a chart of
 * each collective out of place, COLLECTIVE-RANKS.svg. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "machine_speed.h"
#include "peers.h"
#include "play.h"
#include "processes.h"
#include "web/publish.h"

enum {
    JOBS = 4,
    PEERS = 16,       /* of a row */
    ROUNDS = 9,
    ROUNDS_LEAST = 3, /* of a row that takes longer than ROW_NS */
    LIST = 16,
    PATIENCE_S = 60,  /* for a command */
};
static const int64_t ROW_NS = 1500000000;

static const struct {
    const char *name;
    const char *ours[5];
} collectives[PEER_COLLECTIVES] = {
    {"allreduce", {"ring-allreduce"}},
    {"allgather", {"ring-allgather"}},
    {"reduce-scatter", {"ring-reduce-scatter"}},
    {"broadcast",
     {"binomial-broadcast", "chain-broadcast", "flat-broadcast",
      "scatter-allgather-broadcast"}},
    {"alltoall", {"pairwise-alltoall", "exchange-alltoall"}},
};

/* A start of a peer's processes. */
struct job {
    const char *name;
    const char *library, *program;
    const char *options[6]; /* of mpirun */
    bool chooses;           /* all algorithms that Open MPI has */
    pid_t pid;              /* 0: it does not run */
    struct peer_board *board;
};

struct peer {
    char name[48];
    bool ours, wrong;
    struct schedule *schedule; /* ours */
    struct engine *engine;
    struct job *job; /* MPI's */
    int variant;
    double us[ROUNDS];
    double median;
};

struct bench {
    struct job jobs[JOBS];
    const char *mpirun;
    const char *charts; /* a folder, or NULL */
    FILE *csv;
    struct series_set times; /* of a collective, out of place */
    int n;
    struct peer_cell cell;
    struct peer peers[PEERS];
    int npeers, rounds;
};

static void
job_end(struct job *job)
{
    if (job->pid > 0) {
        process_signal(job->pid, SIGTERM);
        while (waitpid(job->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    job->pid = 0;
    if (job->board != NULL)
        munmap(job->board, sizeof *job->board);
    job->board = NULL;
}

/* Waits until all processes have carried out the last command. If they do not,
 * the job is ended. */
static bool
job_wait(struct job *job, int n)
{
    int64_t begin = clock_ns();
    uint32_t done;

    while ((done = __atomic_load_n(&job->board->done, __ATOMIC_ACQUIRE)) <
           (uint32_t)n) {
        peer_sleep(&job->board->done, done, 100);
        if (waitpid(job->pid, NULL, WNOHANG) == job->pid)
            job->pid = 0;
        if (job->pid != 0 &&
            clock_ns() - begin < PATIENCE_S * INT64_C(1000000000))
            continue;
        printf("# skipped from here on: %s %s\n", job->name,
               job->pid == 0 ? "has ended" : "does not answer");
        job_end(job);
        return false;
    }
    return true;
}

static bool
job_do(struct job *job, int n, enum peer_order order)
{
    if (job->pid == 0)
        return false;
    job->board->order = order;
    job->board->done = job->board->wrong = 0;
    __atomic_fetch_add(&job->board->command, 1, __ATOMIC_RELEASE);
    peer_wake(&job->board->command);
    return order == PEER_QUIT || job_wait(job, n);
}

/* A file that the processes map as well; they are given its name. */
static struct peer_board *
new_board(char path[])
{
    int fd = mkstemp(path);
    void *board;

    if (fd < 0 || ftruncate(fd, sizeof(struct peer_board)) != 0)
        die("bench_peers: cannot make %s", path);
    board = mmap(NULL, sizeof(struct peer_board), PROT_READ | PROT_WRITE,
                 MAP_SHARED, fd, 0);
    if (board == MAP_FAILED)
        die("bench_peers: cannot map %s", path);
    close(fd);
    return board;
}

/* Gloo's processes have met in a folder beside the board. */
static void
forget_meeting(const char *board)
{
    char path[512];
    DIR *folder;

    snprintf(path, sizeof path, "%s.gloo", board);
    if ((folder = opendir(path)) == NULL)
        return;
    for (struct dirent *e; (e = readdir(folder)) != NULL;)
        unlinkat(dirfd(folder), e->d_name, 0);
    closedir(folder);
    rmdir(path);
}

static void
job_start(struct job *job, const struct bench *b)
{
    char path[] = "/dev/shm/bench_peers.XXXXXX", ranks[12];
    const char *argv[16] = {b->mpirun, "-n", ranks, "--oversubscribe"};
    int argc = 4, error;
    extern char **environ;

    if (access(job->program, X_OK) != 0)
        return;
    snprintf(ranks, sizeof ranks, "%d", b->n);
    for (int i = 0; job->options[i] != NULL; i++)
        argv[argc++] = job->options[i];
    argv[argc++] = job->program;
    argv[argc++] = path;
    argv[argc++] = job->chooses ? "choose" : NULL;
    job->board = new_board(path);
    error = posix_spawnp(&job->pid, b->mpirun, NULL, NULL,
                         (char *const *)argv, environ);
    if (error != 0) {
        printf("# skipped: %s: %s: %s\n", job->name, b->mpirun,
               strerror(error));
        job->pid = 0;
    } else {
        job_wait(job, b->n);
    }
    unlink(path);
    forget_meeting(path);
}

static struct peer *
new_peer(struct bench *b, const char *name, bool ours)
{
    struct peer *p = &b->peers[b->npeers++];

    if (b->npeers > PEERS)
        die("bench_peers: more than %d peers", PEERS);
    *p = (struct peer){.ours = ours};
    snprintf(p->name, sizeof p->name, "%s", name);
    return p;
}

static void
add_ours(struct bench *b, const char *name)
{
    struct peer *p = new_peer(b, name, true);
    struct coll_options c = {.nranks = b->n, .in_place = b->cell.in_place};
    struct engine_options o = {
        .run.input = {DTYPE_FLOAT32, REDOP_SUM, peer_inputs(&b->cell, b->n),
                      NULL}};
    struct err err;

    p->schedule = build(name, &c);
    if ((p->engine = engine_new(p->schedule, &o, &err)) == NULL)
        die("bench_peers: %s: %s", name, err.text);
    *strchr(p->name, '-') = '\0';
    if (strncmp(name, "scatter-", 8) == 0)
        snprintf(p->name, sizeof p->name, "scatter-allgather");
}

/* A job's variants; those that choose an algorithm differ for all-reduce
 * only. */
static void
add_variants(struct bench *b, struct job *job)
{
    char names[sizeof job->board->variants], *rest = NULL;
    int variant = 0;

    if (job->pid == 0)
        return;
    job->board->cell = b->cell;
    job->board->cannot = false;
    if (!job_do(job, b->n, PEER_PREPARE) || job->board->cannot)
        return;
    memcpy(names, job->board->variants, sizeof names);
    for (char *name = strtok_r(names, " ", &rest); name != NULL;
         name = strtok_r(NULL, " ", &rest), variant++) {
        struct peer *p;
        if (variant > 0 && b->cell.collective != PEER_ALLREDUCE)
            return;
        p = new_peer(b, variant > 0 ? name : job->name, false);
        p->job = job;
        p->variant = variant;
    }
}

static bool
ours_is_right(struct bench *b, struct peer *p)
{
    struct rank_slots found = engine_slots(p->engine);

    engine_reset(p->engine);
    engine_run(p->engine);
    for (int r = 0; r < b->n; r++) {
        struct region out = schedule_output(p->schedule, r);
        int64_t stride = peer_stride(peer_outputs(&b->cell, b->n));
        int64_t at = 0, next = 0;
        for (int k = 0; k < out.count; k++) {
            const struct rank_slot *s =
                &found.slots[r * found.nslots + out.first + k];
            for (; next < at + s->length; next += stride)
                if (((const float *)s->data)[next - at] !=
                    peer_expected(&b->cell, b->n, r, next))
                    return false;
            at += s->length;
        }
        if (at != peer_outputs(&b->cell, b->n))
            return false;
    }
    return true;
}

static void
check(struct bench *b, struct peer *p)
{
    if (p->ours) {
        p->wrong = !ours_is_right(b, p);
    } else {
        p->job->board->variant = p->variant;
        p->wrong = !job_do(p->job, b->n, PEER_CHECK) ||
                   p->job->board->wrong > 0;
    }
    if (p->wrong)
        printf("# WRONG RESULT: %s\n", p->name);
}

/* Of one call, in us.  A call before these wakes our threads, as a barrier
 * wakes MPI's processes, and both find their data in the caches again. */
static double
measure(struct bench *b, struct peer *p, int calls)
{
    if (p->ours) {
        int64_t begin;
        engine_run(p->engine);
        begin = clock_ns();
        for (int i = 0; i < calls; i++)
            engine_run(p->engine);
        return (double)(clock_ns() - begin) / 1e3 / calls;
    }
    p->job->board->variant = p->variant;
    p->job->board->calls = calls;
    return job_do(p->job, b->n, PEER_TIME) ? p->job->board->us : NAN;
}

/* Rounds, the first of which only warms up. */
static void
run_rounds(struct bench *b)
{
    int calls = calls_for(b->cell.count * 4, 500);
    int64_t begin = clock_ns();

    b->rounds = 0;
    for (int i = -1; i < ROUNDS; i++) {
        for (int k = 0; k < b->npeers; k++) {
            struct peer *p = &b->peers[k];
            if (!p->wrong)
                p->us[i < 0 ? 0 : i] = measure(b, p, calls);
        }
        b->rounds = i + 1;
        if (b->rounds >= ROUNDS_LEAST && clock_ns() - begin > ROW_NS)
            return;
    }
}

static double
median_of(const double *values, int n)
{
    double sorted[ROUNDS];

    memcpy(sorted, values, (size_t)n * sizeof *values);
    return median(sorted, n);
}

/* The median of the rounds' ratios, theirs / ours. */
static double
ratio(const struct bench *b, const struct peer *theirs,
      const struct peer *ours)
{
    double ratios[ROUNDS];

    for (int i = 0; i < b->rounds; i++)
        ratios[i] = theirs->us[i] / ours->us[i];
    return median(ratios, b->rounds);
}

/* The fastest of ours, or of MPI's; NULL if there is none. */
static struct peer *
fastest(struct bench *b, bool ours)
{
    struct peer *best = NULL;

    for (int k = 0; k < b->npeers; k++) {
        struct peer *p = &b->peers[k];
        if (p->ours != ours || p->wrong)
            continue;
        p->median = median_of(p->us, b->rounds);
        if (!isnan(p->median) && (best == NULL || p->median < best->median))
            best = p;
    }
    return best;
}

/* Returns the first of a job, or NULL if there is none that is right. */
static const struct peer *
peer_of(const struct bench *b, const struct job *job)
{
    for (int k = 0; k < b->npeers; k++)
        if (b->peers[k].job == job && !b->peers[k].wrong)
            return &b->peers[k];
    return NULL;
}

static void
add_time(struct bench *b, const char *name, const struct peer *p)
{
    struct series *s = series_find(&b->times, name);

    if (s == NULL)
        s = series_add(&b->times, name);
    series_put(s, (struct series_point){
        .bytes = (double)b->cell.count * 4, .us = p->median, .algbw = NAN,
        .busbw = NAN, .ranks = b->n});
}

static void
print_row(struct bench *b)
{
    const struct peer *ours = fastest(b, true), *best = fastest(b, false);
    const struct peer *usual = peer_of(b, &b->jobs[0]);
    const struct peer *gloo = peer_of(b, &b->jobs[JOBS - 1]);
    int64_t bytes = b->cell.count * 4;

    if (ours == NULL || best == NULL || usual == NULL)
        return;
    printf("%2d %-14s %-3s %9" PRId64 " %10.2f %-17s %10.2f %10.2f %-18s",
           b->n, collectives[b->cell.collective].name,
           b->cell.in_place ? "in" : "out", bytes, ours->median, ours->name,
           usual->median, best->median, best->name);
    if (gloo != NULL)
        printf(" %10.2f", gloo->median);
    else
        printf(" %10s", "-");
    printf(" %6.2f %6.2f", ratio(b, usual, ours), ratio(b, best, ours));
    printf(" %3d\n", engine_threads(ours->engine));
    fflush(stdout);
    if (!b->cell.in_place) {
        add_time(b, "collviz, threads", ours);
        add_time(b, "MPI", usual);
        if (gloo != NULL)
            add_time(b, "Gloo", gloo);
        add_time(b, "the fastest peer", best);
    }
    for (int k = 0; b->csv != NULL && k < b->npeers; k++)
        if (!b->peers[k].wrong)
            fprintf(b->csv, "%d,%s,%s,%" PRId64 ",%s,%s,%.3f,%.3f,%d,%d\n",
                    b->n, collectives[b->cell.collective].name,
                    b->cell.in_place ? "in" : "out", bytes,
                    b->peers[k].ours ? "collviz" : b->peers[k].job->library,
                    b->peers[k].name,
                    b->peers[k].median, ratio(b, &b->peers[k], ours),
                    b->rounds, engine_threads(ours->engine));
}

static void
write_chart(struct bench *b, const char *collective)
{
    char path[256], title[80], source[80];
    struct chart chart = {.set = &b->times, .title = title, .source = source,
                          .note = "ours: one thread runs all ranks of a "
                                  "small call",
                          .axes = {OVER_BYTES, OF_TIME}};
    struct err err;

    snprintf(path, sizeof path, "%s/%s-%d.svg", b->charts, collective, b->n);
    snprintf(title, sizeof title, "%s on %d ranks, out of place",
             collective, b->n);
    snprintf(source, sizeof source, "measured on %d cores: make bench-peers",
             pool_cores());
    if (!publish_chart(path, &chart,
                       &(struct canvas){.columns = 100, .rows = 32},
                       GROUND_DARK, &err))
        die("bench_peers: %s", err.text);
}

/* Returns whether all results were right. */
static bool
bench_cell(struct bench *b)
{
    bool right = true;

    b->npeers = 0;
    for (int i = 0; collectives[b->cell.collective].ours[i] != NULL; i++)
        add_ours(b, collectives[b->cell.collective].ours[i]);
    for (int i = 0; i < JOBS; i++)
        add_variants(b, &b->jobs[i]);
    for (int k = 0; k < b->npeers; k++) {
        check(b, &b->peers[k]);
        right = right && !b->peers[k].wrong;
    }
    run_rounds(b);
    print_row(b);
    for (int k = 0; k < b->npeers; k++)
        if (b->peers[k].ours) {
            engine_free(b->peers[k].engine);
            schedule_free(b->peers[k].schedule);
        }
    for (int i = 0; i < JOBS; i++)
        job_do(&b->jobs[i], b->n, PEER_FREE);
    return right;
}

/* All sizes, out of place and in place. */
static bool
bench_collective(struct bench *b, int c, const int64_t *bytes, int nbytes)
{
    bool right = true;

    for (int k = 0; k < 2 * nbytes; k++) {
        int64_t unit = bytes[k / 2] / 4 / b->n;
        b->cell = (struct peer_cell){(enum peer_collective)c, k % 2,
                                     (unit > 0 ? unit : 1) * b->n};
        right &= bench_cell(b);
    }
    if (b->charts != NULL && b->times.n > 0)
        write_chart(b, collectives[c].name);
    series_set_done(&b->times);
    return right;
}

/* "8,1024" as numbers; returns how many. */
static int
read_list(const char *text, int64_t least, int64_t most, int64_t list[LIST])
{
    int count = 0;
    char *end;

    for (;; text = end + 1) {
        int64_t value = strtoll(text, &end, 10);
        if (end == text || value < least || value > most || count == LIST ||
            (*end != ',' && *end != '\0'))
            die("bench_peers: up to %d numbers from %lld to %lld, with commas",
                LIST, (long long)least, (long long)most);
        list[count++] = value;
        if (*end == '\0')
            return count;
    }
}

static bool
is_listed(const char *list, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = list; (at = strstr(at, name)) != NULL; at++)
        if ((at == list || at[-1] == ',') &&
            (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

/* The value of an argument "name=value"; NULL if it is not given. */
static const char *
argument(int argc, char *argv[], const char *name)
{
    size_t length = strlen(name);

    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], name, length) == 0 && argv[i][length] == '=')
            return argv[i] + length + 1;
    return NULL;
}

static void
print_head(const struct bench *b, int argc, char *argv[])
{
    char date[32], host[RUN_NAME_MAX];
    time_t now = time(NULL);

    engine_processor(host);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    printf("# collviz on threads and %s; float32, sum\n# %s, %d cores of %s\n#",
           b->mpirun, date, pool_cores(), host);
    for (int i = 0; i < argc; i++)
        printf(" %s", argv[i]);
    printf("\n# d += a: %.1f GB/s; a cache line from core to core: %.0f ns\n",
           add_speed(), hop_ns());
    if (access("tests/peer_gloo", X_OK) != 0)
        printf("# Gloo is not measured: configure found none\n");
    printf("\n%2s %-14s %-3s %9s %10s %-17s %10s %10s %-18s %10s %6s %6s "
           "threads\n", "N", "collective", "", "bytes", "ours us", "", "MPI us",
           "best us", "", "Gloo us", "ratio", "best");
}

int
main(int argc, char *argv[])
{
    struct bench b = {
        .jobs = {{"default", "mpi", "tests/peer_mpi", .chooses = true},
                 {"no-CMA", "mpi", "tests/peer_mpi", .options = {
                      "--mca", "btl_vader_single_copy_mechanism", "none"}},
                 {"coll/sm", "mpi", "tests/peer_mpi", .options = {
                      "--mca", "coll_sm_priority", "100"}},
                 {"Gloo", "gloo", "tests/peer_gloo"}},
        .mpirun = argument(argc, argv, "mpirun"),
        .charts = argument(argc, argv, "charts")};
    const char *csv = argument(argc, argv, "csv");
    const char *sizes = argument(argc, argv, "sizes");
    const char *ranks = argument(argc, argv, "ranks");
    const char *names = argument(argc, argv, "collectives");
    int64_t bytes[LIST], ns[LIST];
    int nbytes = read_list(sizes != NULL ? sizes
                                         : "8,1024,32768,1048576,16777216,"
                                           "67108864",
                           4, 1 << 30, bytes);
    int nranks = read_list(ranks != NULL ? ranks : "2,3,4,8", 1, 64, ns);
    bool right = true;

    if (b.mpirun == NULL)
        b.mpirun = "mpirun";
    if (csv != NULL && (b.csv = fopen(csv, "w")) == NULL)
        die("bench_peers: cannot write %s: %s", csv, strerror(errno));
    if (b.csv != NULL)
        fputs("ranks,collective,place,bytes,library,variant,median_us,"
              "ratio_to_ours,rounds,our_threads\n", b.csv);
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    print_head(&b, argc, argv);
    for (int i = 0; i < nranks; i++) {
        b.n = (int)ns[i];
        for (int j = 0; j < JOBS; j++)
            job_start(&b.jobs[j], &b);
        for (int c = 0; c < PEER_COLLECTIVES; c++)
            if (names == NULL || is_listed(names, collectives[c].name))
                right &= bench_collective(&b, c, bytes, nbytes);
        for (int j = 0; j < JOBS; j++) {
            job_do(&b.jobs[j], b.n, PEER_QUIT);
            job_end(&b.jobs[j]);
        }
    }
    printf("\n# a cache line from core to core: %.0f ns\n", hop_ns());
    if (b.csv != NULL && fclose(b.csv) != 0)
        die("bench_peers: cannot write %s: %s", csv, strerror(errno));
    return right ? 0 : 1;
}
