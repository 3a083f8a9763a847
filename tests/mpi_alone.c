/* SPDX-License-Identifier: MIT */
/* Parts of the MPI worker in one process, with functions of this test's own in
 * place of MPI's: the clocks of several hosts, what is timed, who is woken, and
 * the choice of an algorithm. */
#include <linux/futex.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "schedules.h"
#include "tap.h"
#include "workers/mpi/mpi_world.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

enum {
    RANKS = 3,
    THERE_NS = 3000, /* a message's way to another host */
    BACK_NS = 5000,
    FAR_NS = 600, /* how much longer from the last host */
    WARM_UPS = 4,
};

static const int64_t ahead_ns = 86400000000000; /* of the other hosts' clocks */

static int rank;
static int64_t now_ns = 1000000000;

/* In place of libc's: time passes only with messages and MPI's calls. */
int
clock_gettime(clockid_t clock, struct timespec *now)
{
    *now = (struct timespec){now_ns / 1000000000, now_ns % 1000000000};
    return 0;
}

/* A function of MPI's that does so much, and succeeds. */
#define FAKE(name, parameters, ...) \
    int name parameters             \
    {                               \
        __VA_ARGS__                 \
        return MPI_SUCCESS;         \
    }

/* The world ------------------------------------------------------------- */

FAKE(MPI_Comm_rank, (MPI_Comm comm, int *own), *own = rank;)
FAKE(MPI_Comm_size, (MPI_Comm comm, int *size), *size = RANKS;)
FAKE(MPI_Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler handler),)
FAKE(MPI_Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info,
     MPI_Comm *part),
     *part = comm;)
FAKE(MPI_Comm_free, (MPI_Comm *comm), *comm = MPI_COMM_NULL;)
FAKE(MPI_Get_processor_name, (char *name, int *length),
     *length = sprintf(name, "host%d", rank);)
static const char *version = "Test v1";
FAKE(MPI_Get_library_version, (char *text, int *length),
     *length = sprintf(text, "%s", version);)

/* The name and version of a library, of what it says of itself. */
static void
test_library(void)
{
    static const char *const rows[][2] = {
        {"Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4",
         "Open MPI 4.1.4"},
        {"MPICH Version:\t4.0.2\nMPICH Release date:\tThu", "MPICH 4.0.2"},
        {"MPICH Version:      5.0.2\nMPICH ABI:", "MPICH 5.0.2"},
        {"Intel(R) MPI Library 2021.19 for Linux* OS\n",
         "Intel(R) MPI Library 2021.19 for Linux* OS"},
        {"MVAPICH2 Version      :\t2.3.7\n", "MVAPICH2 Version : 2.3.7"},
        {"", ""},
    };
    char text[64];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        version = rows[i][0];
        mpi_world_library(text, sizeof text);
        is_str(text, rows[i][1], "%s", rows[i][1]);
        mpi_world_library(text, 7);
        ok(strlen(text) < 7 && strncmp(text, rows[i][1], strlen(text)) == 0,
           "in 7 bytes: %s", text);
    }
}

/* Every rank is on a host of its own. */
static void
fill_seats(struct mpi_seat *seats)
{
    for (int i = 0; i < RANKS; i++) {
        seats[i] = seats[rank];
        sprintf(seats[i].host_name, "host%d", i);
    }
}

int
MPI_Gather(const void *from, int count, MPI_Datatype type, void *to, int counts,
           MPI_Datatype types, int root, MPI_Comm comm)
{
    struct mpi_seat *seats = to;

    seats[rank] = *(const struct mpi_seat *)from;
    fill_seats(seats);
    return MPI_SUCCESS;
}

/* What rank 0 has found of the hosts' clocks goes to the others, which run here
 * afterwards. */
int
MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    static int64_t found[2 * RANKS];
    size_t bytes = (size_t)count * sizeof *found;

    if (type == MPI_INT64_T)
        memcpy(rank == 0 ? found : data, rank == 0 ? data : found, bytes);
    return MPI_SUCCESS;
}

static int answers; /* every third is quick */

FAKE(MPI_Send, (const void *data, int count, MPI_Datatype type, int to, int tag,
     MPI_Comm comm),
     now_ns += THERE_NS;)
FAKE(MPI_Recv, (void *data, int count, MPI_Datatype type, int from, int tag,
     MPI_Comm comm, MPI_Status *status),
     *(int64_t *)data = now_ns + ahead_ns;
     now_ns += BACK_NS + (from == RANKS - 1 ? FAR_NS : 0) +
               (answers++ % 3 == 1 ? 0 : 20000);)

static int64_t
apart(int64_t a, int64_t b)
{
    return a > b ? a - b : b - a;
}

static void
test_clocks(void)
{
    struct mpi_world w;
    struct err err;

    rank = 0;
    ok(mpi_world_open(&w, &err), "rank 0 compares the clocks");
    is_int(w.nhosts, RANKS, "of three hosts");
    ok(crew_ns(&w.crew) == now_ns, "its own is that of the run");
    mpi_world_close(&w);
    rank = 1;
    ok(mpi_world_open(&w, &err), "rank 1 has a clock that is a day ahead");
    ok(apart(w.clock_offset_ns, ahead_ns) <= w.clock_error_ns,
       "which is known as well as it says");
    ok(w.clock_offset_ns == ahead_ns - (BACK_NS - THERE_NS) / 2,
       "as if the answer were from half way");
    ok(crew_ns(&w.crew) == now_ns - w.clock_offset_ns,
       "and taken from its own time once");
    is_int(w.clock_error_ns, (THERE_NS + BACK_NS + FAR_NS) / 2 + 1,
           "to half the time of a question and the slowest host's answer");
    mpi_world_close(&w);
    rank = 0;
}

/* Letters: the other ranks' answers --------------------------------------- */

static const int64_t times_ns[RANKS] = {4000, 7000, 5000};

static struct {
    struct letter letters[2 * RANKS];
    int first, count;
} box;

struct mail *
mail_new(const struct mpi_world *w, struct err *err)
{
    return (struct mail *)&box;
}

void
mail_free(struct mail *m)
{
    (void)m;
}

/* A rank that has its share is ready; one that was asked for a time has it. */
bool
mail_post(struct mail *m, int to, enum letter_kind kind, void *bytes,
          size_t length, struct err *err)
{
    struct letter answer = {.kind = LETTER_READY, .from = to};

    free(bytes);
    if (kind == LETTER_TIME) {
        answer.kind = LETTER_TIMED;
        answer.length = sizeof *times_ns;
        answer.bytes = mem_new(answer.length, 1);
        memcpy(answer.bytes, &times_ns[to], answer.length);
    }
    box.letters[(box.first + box.count++) % (2 * RANKS)] = answer;
    return true;
}

bool
mail_take(struct mail *m, struct letter *letter, struct err *err)
{
    *letter = (struct letter){.kind = LETTER_NONE};
    if (box.count > 0) {
        *letter = box.letters[box.first];
        box.first = (box.first + 1) % (2 * RANKS);
        box.count--;
    } else {
        now_ns += 1000; /* time passes while nothing comes */
    }
    return true;
}

bool
mail_wait(struct mail *m, struct err *err)
{
    return true;
}

int64_t
mail_heard_ns(const struct mail *m, int from)
{
    return now_ns;
}

bool
mail_sent(struct mail *m, bool *all, struct err *err)
{
    *all = true;
    return true;
}

static void
test_slowest(void)
{
    OWNS(schedule) *s = ring(RANKS);
    struct run_options o = {.input = {DTYPE_INT32, REDOP_SUM, 6, NULL},
                            .timing = {.calls = 5}};
    struct machine chief = crew_machine("mpi");
    struct mpi_world w;
    struct err err;
    int64_t ns;
    void *run;

    mpi_world_open(&w, &err);
    mpi_world_use(&w);
    run = chief.new(s, &o, &err);
    ok(chief.time(run, 5, &ns, &err), "all ranks time their calls");
    is_int(ns, times_ns[1], "the slowest one's time is the run's");
    chief.free(run);
    mpi_world_close(&w);
}

/* A letter with an event of so many slots. */
static void
post_event(int from, int nslots)
{
    size_t content = (size_t)nslots * (size_t)content_words(RANKS) *
                     sizeof(uint64_t);
    struct letter_events *l = mem_new(sizeof *l + sizeof(struct event) +
                                          content, 1);

    l->nevents = 1;
    l->step = 1;
    ((struct event *)(l + 1))->nslots = nslots;
    box.letters[(box.first + box.count++) % (2 * RANKS)] = (struct letter){
        .kind = LETTER_EVENTS, .from = from, .bytes = (void *)l};
}

/* The chief believes no letter that reports more than there can be, and wakes
 * the others if there is news. */
static void
test_letters(void)
{
    OWNS(schedule) *s = ring(RANKS);
    struct run_options o = {.input = {DTYPE_INT32, REDOP_SUM, 6, NULL},
                            .watched = true};
    struct machine chief = crew_machine("mpi");
    uint32_t wakes = 0;
    struct mpi_world w;
    struct err err;
    bool idle;
    void *run;

    mpi_world_open(&w, &err);
    mpi_world_use(&w);
    run = chief.new(s, &o, &err);
    w.nap.calls = &wakes;
    box.letters[box.first] = (struct letter){.kind = LETTER_ALIVE, .from = 2};
    box.count = 1;
    ok(chief.look(run, &idle, &err), "a rank is alive");
    is_int((int)wakes, 0, "which is no news");
    post_event(1, 1);
    ok(chief.look(run, &idle, &err), "a rank reports a slot");
    ok(wakes > 0, "which is news");
    for (int more = 0; more < 3; more++) {
        post_event(1, 0);
        ok(chief.look(run, &idle, &err), "and %d more events", more + 1);
    }
    post_event(1, 0);
    ok(!chief.look(run, &idle, &err), "of 4 transfers there is no fifth");
    post_event(2, 64);
    ok(!chief.look(run, &idle, &err) &&
           strstr(err.text, "it reports more than its steps have") != NULL,
       "64 are refused: %s", err.text);
    w.nap.calls = NULL;
    chief.free(run);
    mpi_world_close(&w);
}

/* MPI's own collective ---------------------------------------------------- */

static int calls;

/* The first call and the warm-up take longer. */
int
MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type,
              MPI_Op op, MPI_Comm comm)
{
    if (type == MPI_INT) /* what ranks agree on: struct nap */
        memcpy(to, from, (size_t)count * sizeof(int));
    else
        now_ns += ++calls <= 1 + WARM_UPS ? 100000 : 1000;
    return MPI_SUCCESS;
}

FAKE(MPI_Barrier, (MPI_Comm comm),)

static void
test_native(void)
{
    OWNS(schedule) *s = ring(1);
    struct run_options o = {
        .input = {DTYPE_FLOAT32, REDOP_SUM, 6, NULL}, .native = true,
        .timing = {.calls = 7, .warm_up = WARM_UPS}};
    struct mpi_world w = {.crew = {.size = 1, .with = &w},
                          .data = MPI_COMM_WORLD,
                          .seats = &(struct mpi_seat){.core = -1}};
    struct message_rank r = {.share = NULL};
    struct crew_native *found;
    struct waits *waits;
    struct err err;

    share_out(s, &o, &r.share, &waits);
    found = mem_new(sizeof *found + share_output_bytes(r.share), 1);
    ok(crew_compare(&w.crew, &r, "", found, &err), "MPI's own collective");
    is_int(calls, 1 + WARM_UPS + 7, "MPI's own is called, warms up, is timed");
    is_int(found->times.timed_ns, 7 * 1000,
           "and only the last calls' time counts");
    free(found);
    free(r.share);
}

/* Naps -------------------------------------------------------------------- */

static uint32_t shared;
static int sleeps, woken;

/* Of another name, which Makefile.am gives it here and in the worker's parts:
 * libraries use libc's. */
long
syscall(long number, ...)
{
    va_list rest;
    int op, count;

    va_start(rest, number);
    (void)va_arg(rest, uint32_t *);
    op = va_arg(rest, int);
    count = va_arg(rest, int);
    va_end(rest);
    sleeps += number == SYS_futex && op == FUTEX_WAIT;
    if (number == SYS_futex && op == FUTEX_WAKE)
        woken = count;
    return 0;
}

FAKE(MPI_Win_allocate_shared, (MPI_Aint bytes, int unit, MPI_Info info,
     MPI_Comm comm, void *memory, MPI_Win *window),
     *(uint32_t **)memory = &shared;
     *window = MPI_WIN_NULL;)
FAKE(MPI_Win_shared_query, (MPI_Win window, int owner, MPI_Aint *bytes,
     int *unit, void *memory),
     *(uint32_t **)memory = &shared;)
FAKE(MPI_Win_lock_all, (int assert, MPI_Win window),)
FAKE(MPI_Win_unlock_all, (MPI_Win window),)

static void
test_naps(void)
{
    enum { PATIENCE = 1000, RANKS_MOST = 1024 };
    struct mpi_world one = {.crew.with = &one, .nhosts = 1};
    struct mpi_world other = {.crew.with = &other, .nhosts = 1};
    int turns = 0;

    mpi_nap_open(&one);
    mpi_nap_open(&other);
    while (sleeps == 0 && turns++ < PATIENCE)
        crew_nap(&one.crew, NAP_WOKEN_US);
    ok(sleeps == 1 && turns > 1, "a rank with nothing to do sleeps, not soon");
    crew_wake(&other.crew);
    ok(woken >= RANKS_MOST, "another one wakes all who sleep");
    crew_nap(&one.crew, NAP_WOKEN_US);
    is_int(sleeps, 1, "and they look for a while before they sleep again");
    mpi_nap_close(&one);
    mpi_nap_close(&other);
}

/* The choice of an algorithm ---------------------------------------------- */

static const char *const variables[] = {"coll_tuned_use_dynamic_rules",
                                        "coll_tuned_allreduce_algorithm"};
static const char *const algorithms[] = {"linear", "ring"};
static int values[] = {1, 0};
static int chosen = -1; /* when a communicator was last copied */

FAKE(MPI_T_init_thread, (int required, int *provided), *provided = required;)
FAKE(MPI_T_finalize, (void),)
FAKE(MPI_T_cvar_get_num, (int *count), *count = 2;)
FAKE(MPI_T_cvar_get_info, (int index, char *name, int *length, int *verbosity,
     MPI_Datatype *type, MPI_T_enum *names, char *text, int *text_length,
     int *bind, int *scope),
     snprintf(name, (size_t)*length, "%s", variables[index]);
     *names = (MPI_T_enum)algorithms;)
FAKE(MPI_T_enum_get_info, (MPI_T_enum names, int *count, char *name,
     int *length),
     *count = 2;)
FAKE(MPI_T_enum_get_item, (MPI_T_enum names, int index, int *value, char *name,
     int *length),
     *value = 10 + index;
     snprintf(name, (size_t)*length, "%s", algorithms[index]);)
FAKE(MPI_T_cvar_handle_alloc, (int index, void *object,
     MPI_T_cvar_handle *handle, int *count),
     *handle = (MPI_T_cvar_handle)&values[index];
     *count = 1;)
FAKE(MPI_T_cvar_handle_free, (MPI_T_cvar_handle *handle),)
FAKE(MPI_T_cvar_read, (MPI_T_cvar_handle handle, void *value),
     memcpy(value, handle, sizeof(int));)
FAKE(MPI_T_cvar_write, (MPI_T_cvar_handle handle, const void *value),
     memcpy((void *)handle, value, sizeof(int));)
FAKE(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm *copy),
     chosen = values[1];
     *copy = comm;)

static void
test_choice(void)
{
    MPI_Comm copy;
    struct err err;

    values[1] = 3;
    ok(mpi_choice_dup(MPI_COMM_WORLD, "MPI_Allreduce", "ring", &copy, &err),
       "an algorithm is chosen");
    is_int(chosen, 11, "for the communicator that is made");
    is_int(values[1], 3, "and for no other: the old choice is put back");
    ok(!mpi_choice_dup(MPI_COMM_WORLD, "MPI_Allreduce", "rign", &copy, &err),
       "one that is not there is refused: %s", err.text);
}

/* The run before may have ended in a hang. */
static void
test_under_way(void)
{
    struct message_rank busy = {.phase = PHASE_EXCHANGE};
    struct member m = {.rank = &busy};
    struct letter letter = {.kind = LETTER_SHARE};
    struct err err = {.text = ""};

    ok(!member_obey(&m, &letter, &err) && m.rank == &busy,
       "a rank whose messages are under way keeps them");
    is_str(err.text, "messages of the run before are still under way: another "
           "run needs processes of its own", "and takes no other run");
}

int
main(void)
{
    test_library();
    test_clocks();
    test_slowest();
    test_letters();
    test_native();
    test_naps();
    test_choice();
    test_under_way();
    return done_testing();
}
