/* SPDX-License-Identifier: MIT */
#include "workers/mpi/mpi_run.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "run/native.h"
#include "workers/mpi/mpi_carrier.h"
#include "workers/mpi/mpi_choice.h"
#include "workers/mpi/mpi_mail.h"
#include "workers/mpi/mpi_member.h"
#include "workers/mpi/mpi_nap.h"
#include "workers/mpi/mpi_native.h"
#include "run/share.h"

enum {
    SILENCE_MS = 3000, /* then a rank is said to be silent */
    LAST_HEARD_MS = 1500, /* ranks say something every second */
    ANSWER_MS = 60000, /* the longest wait for an answer */
    AWAY_MS = 2000,    /* after so long without a look, silence starts anew */
    TICK_MS = 1000,    /* between looks at ranks that are idle */
    QUIET_MS = 3000,   /* then MPI does not buffer what ranks still send */
    BUSY_US = 500,     /* a look goes on for so long if nothing moves */
    LOOK_MOST_US = 100000, /* ... and for so long if something does */
    /* In which every simulated rank hears that it may go on.  It costs nothing,
     * and is not counted. */
    SIMULATED_LEAD_NS = 1000000000,
};

/* Events of a rank that came in one letter. */
struct batch {
    struct batch *next;
    struct letter_events *letter; /* owns them */
    struct event *events;
    int64_t taken;
};

/* A rank, as rank 0 knows it. */
struct peer {
    int64_t answers;        /* READY, OUTPUT, COMPARED, TIMED that came */
    int step;               /* that it is in */
    bool idle;              /* all that was granted is done and here */
    struct batch *batches;  /* in order; the first has events to take */
    struct batch *read;     /* whose events may still be in use */
    unsigned char *contents, *output, *compared, *timed; /* letters' bytes, or
                                                          * NULL */
};

struct mpi_run {
    const struct schedule *s;
    struct run_options options;
    struct mpi_world *world;
    struct member *member;  /* this process's rank */
    struct peer *peers;     /* by rank */
    int reading;            /* the rank whose events are taken now */
    int nslots;
    int64_t turned_ns;      /* when letters were last looked for */
    int64_t back_ns;        /* when that was done again after a long time */
    int64_t answers;        /* expected of each rank */
    int64_t start_ns;       /* of the run; 0: no step was granted yet */
    struct rank_slot *slots; /* [rank * nslots + slot]: outputs */
    uint64_t *ledger;        /* rows, the same; NULL: plain */
    struct waits *waits;     /* of a mismatched run, else NULL */
    int64_t moved_ns;        /* when a rank last came to another step */
};

/* The schedule that a rank follows. */
static const struct schedule *
schedule_of(const struct mpi_run *r, int rank)
{
    const struct mismatch *m = r->options.mismatch;

    return m != NULL ? mismatch_schedule(m, rank) : r->s;
}

static void
free_batches(struct batch *b)
{
    while (b != NULL) {
        struct batch *next = b->next;
        free(b->letter);
        free(b);
        b = next;
    }
}

static void
take_events(struct mpi_run *r, const struct letter *letter)
{
    struct peer *peer = &r->peers[letter->from];
    struct letter_events *head = (struct letter_events *)letter->bytes;
    struct batch *b = mem_new(1, sizeof *b), **last = &peer->batches;
    uint64_t *content;

    b->letter = head;
    b->events = (struct event *)(head + 1);
    content = (uint64_t *)(b->events + head->nevents);
    for (int64_t i = 0; i < head->nevents; i++) {
        b->events[i].content = content;
        content += (size_t)b->events[i].nslots *
                   (size_t)content_words(r->s->nranks);
    }
    while (*last != NULL)
        last = &(*last)->next;
    *last = b;
    if (peer->step != (int)head->step)
        r->moved_ns = clock_ns();
    peer->step = (int)head->step;
    peer->idle = head->idle != 0;
}

/* Keeps a letter's bytes as the rank's answer. */
static void
keep(struct peer *peer, unsigned char **place, const struct letter *letter)
{
    free(*place);
    *place = letter->bytes;
    peer->answers++;
}

static bool
fail(struct mpi_run *r, const struct letter *letter, struct err *err)
{
    memcpy(err, letter->bytes, sizeof *err);
    free(letter->bytes);
    return mpi_world_blame(r->world, letter->from, err);
}

static bool
read_letter(struct mpi_run *r, struct letter *letter, struct err *err)
{
    struct peer *peer = &r->peers[letter->from];

    switch (letter->kind) {
    case LETTER_READY:
        keep(peer, &peer->contents, letter);
        return true;
    case LETTER_OUTPUT:
        keep(peer, &peer->output, letter);
        return true;
    case LETTER_COMPARED:
        keep(peer, &peer->compared, letter);
        return true;
    case LETTER_TIMED:
        keep(peer, &peer->timed, letter);
        return true;
    case LETTER_EVENTS:
        take_events(r, letter);
        return true;
    case LETTER_FAILED:
        return fail(r, letter, err);
    case LETTER_ALIVE:
        return true;
    default: /* of rank 0, to its own rank */
        return member_obey(r->member, letter, err) ||
               mpi_world_blame(r->world, 0, err);
    }
}

/* Whether this process has not looked for letters for a long time. */
static bool
was_away(const struct mpi_run *r, int64_t now_ns)
{
    return now_ns - r->turned_ns > AWAY_MS * INT64_C(1000000);
}

/* Reads all letters that have come, and lets this process's rank go on. Sets
 * *moved if anything happened. */
static bool
turn(struct mpi_run *r, bool *moved, struct err *err)
{
    int64_t now_ns = clock_ns();
    struct letter letter;

    if (was_away(r, now_ns))
        r->back_ns = now_ns;
    r->turned_ns = now_ns;
    *moved = false;
    do {
        if (!mail_take(r->world->mail, &letter, err))
            return false;
        *moved |= letter.kind != LETTER_NONE && letter.kind != LETTER_ALIVE;
        if (letter.kind != LETTER_NONE && !read_letter(r, &letter, err))
            return false;
    } while (letter.kind != LETTER_NONE);
    if (!member_turn(r->member, moved, err))
        return mpi_world_blame(r->world, 0, err);
    if (*moved)
        nap_wake(r->world->nap);
    return true;
}

/* For how long nothing has come from a rank, in ms.  Time in which this process
 * did not look does not count: it was busy, or all were stopped. */
static int64_t
silent_ms(const struct mpi_run *r, int rank)
{
    int64_t heard_ns = mail_heard_ns(r->world->mail, rank);
    int64_t now_ns = clock_ns();

    if (was_away(r, now_ns))
        return 0;
    if (heard_ns < r->back_ns)
        heard_ns = r->back_ns;
    return (now_ns - heard_ns) / 1000000;
}

static bool
post_all(struct mpi_run *r, enum letter_kind kind, const void *bytes,
         size_t length, struct err *err)
{
    for (int rank = 0; rank < r->s->nranks; rank++) {
        void *copy = length > 0 ? mem_new(length, 1) : NULL;
        if (length > 0)
            memcpy(copy, bytes, length);
        if (!mail_post(r->world->mail, rank, kind, copy, length, err))
            return false;
    }
    nap_wake(r->world->nap);
    return true;
}

/* The first rank that has not answered; nranks if all have. */
static int
first_missing(const struct mpi_run *r)
{
    int rank = 0;

    while (rank < r->s->nranks && r->peers[rank].answers >= r->answers)
        rank++;
    return rank;
}

/* Waits for an answer from every rank.  A rank says nothing while it writes a
 * large input or runs MPI's own collective. */
static bool
await_answers(struct mpi_run *r, struct err *err)
{
    int rank;
    bool moved;

    r->answers++;
    while ((rank = first_missing(r)) < r->s->nranks) {
        if ((MPI_SIMULATED && !mail_wait(r->world->mail, err)) ||
            !turn(r, &moved, err))
            return false;
        if (moved)
            continue;
        if (!MPI_SIMULATED && silent_ms(r, rank) > ANSWER_MS) {
            err_set(err, "it has been silent for %d s: check that the host is "
                    "up and reachable", ANSWER_MS / 1000);
            return mpi_world_blame(r->world, rank, err);
        }
        nap_take(r->world->nap, NAP_REMOTE_US);
    }
    return true;
}

/* Deals out the schedule. */
static bool
deal_out(struct mpi_run *r, struct err *err)
{
    struct share **shares =
        mem_new((size_t)r->s->nranks, sizeof(struct share *));
    bool ok = true;

    share_out(r->s, &r->options, shares, &r->waits);
    r->nslots = r->s->nslots;
    for (int rank = 0; ok && rank < r->s->nranks; rank++)
        ok = mail_post(r->world->mail, rank, LETTER_SHARE, shares[rank],
                       share_length(shares[rank]), err);
    free(shares);
    nap_wake(r->world->nap);
    return ok && await_answers(r, err);
}

static bool
meet_ranks(struct mpi_run *r, struct err *err)
{
    char library[64];

    mpi_world_library(library, sizeof library);
    if (r->world->size == 1 && r->s->nranks > 1)
        return err_set(err, "the launcher has started no process but this one "
                       "for %d ranks: it must start as many as -n says, and be "
                       "the launcher of %s", r->s->nranks, library);
    if (r->world->size != r->s->nranks)
        return err_set(err, "the launcher has started %d processes for %d "
                       "ranks: it must start as many as -n says",
                       r->world->size, r->s->nranks);
    r->peers = mem_new((size_t)r->s->nranks, sizeof *r->peers);
    r->member = member_new(r->world);
    return true;
}

static void
mpi_run_free(void *state)
{
    struct mpi_run *r = state;

    if (r == NULL)
        return;
    if (r->member != NULL && !member_rests(r->member)) {
        r->world->at_work = true;
        return;
    }
    for (int rank = 0; r->peers != NULL && rank < r->s->nranks; rank++) {
        free_batches(r->peers[rank].batches);
        free_batches(r->peers[rank].read);
        free(r->peers[rank].contents);
        free(r->peers[rank].output);
        free(r->peers[rank].compared);
        free(r->peers[rank].timed);
    }
    member_free(r->member);
    free(r->peers);
    waits_free(r->waits);
    free(r->slots);
    free(r->ledger);
    free(r);
}

static struct mpi_world *world;

void
mpi_run_on(struct mpi_world *w)
{
    world = w;
}

static bool
native_is_possible(const struct schedule *s, const struct run_options *o,
                   struct err *err)
{
    const char *function;

    if (!o->native)
        return true;
    function = mpi_native_name(s, &o->input, err);
    return function != NULL &&
           (o->native_algorithm == NULL ||
            mpi_choice_known(function, o->native_algorithm, err));
}

static void *
mpi_run_new(const struct schedule *s, const struct run_options *o,
            struct err *err)
{
    struct mpi_run *r = mem_new(1, sizeof *r);

    r->s = s;
    r->options = *o;
    r->world = world;
    if (native_is_possible(s, o, err) && meet_ranks(r, err) &&
        deal_out(r, err))
        return r;
    return NULL; /* the process ends, and with it all others */
}

static void
list_no_devices(const struct mpi_world *w, struct run_info *info)
{
    char library[64];

    mpi_world_library(library, sizeof library);
    info->ndevices = 1;
    snprintf(info->devices[0], RUN_NAME_MAX, "%d hosts, %s", w->nhosts,
             library);
    memset(info->device_of, 0, sizeof info->device_of);
    run_forget_cores(info);
}

/* The first rank on the same host, or on the same GPU there. */
static int
first_beside(const struct mpi_world *w, int rank)
{
    const struct mpi_seat *seat = &w->seats[rank];
    int first = 0;

    while (w->seats[first].host != seat->host ||
           strcmp(w->seats[first].gpu.name, seat->gpu.name) != 0)
        first++;
    return first;
}

/* A device is a host, or a GPU of one; where there are too many to list, one
 * line is for all. */
static void
mpi_run_describe(void *state, struct run_info *info)
{
    const struct mpi_run *r = state;
    const struct mpi_world *w = r->world;
    enum mpi_carrier carrier =
        mpi_carrier_of(w, r->options.mismatch != NULL);

    info->place = PLACE_HOST;
    info->nplaces = w->nhosts;
    info->clock_ns = w->clock_error_ns;
    for (int rank = 0; rank < w->size; rank++) {
        int first = first_beside(w, rank);

        if (first == rank && info->ndevices == RUN_DEVICES_MAX) {
            list_no_devices(w, info);
            return;
        }
        if (first == rank)
            mpi_carrier_describe(w, carrier, rank,
                                 info->devices[info->ndevices]);
        info->device_of[rank] = first < rank ? info->device_of[first]
                                             : (uint8_t)info->ndevices++;
        info->core_of[rank] = (int16_t)w->seats[rank].core;
    }
}

static bool
mpi_run_grant(void *state, int to, int64_t *at_ns, struct err *err)
{
    struct mpi_run *r = state;
    int64_t now = mpi_world_ns(r->world);
    struct letter_go go = {.to = to};

    if (r->start_ns == 0)
        r->start_ns = now;
    *at_ns = now - r->start_ns;
    if (MPI_SIMULATED)
        r->start_ns += SIMULATED_LEAD_NS;
    go.start_ns = r->start_ns;
    go.begin_ns = *at_ns;
    for (int rank = 0; rank < r->s->nranks; rank++) {
        r->peers[rank].idle = false;
        r->peers[rank].step = 1;
        free_batches(r->peers[rank].read);
        r->peers[rank].read = NULL;
    }
    r->reading = 0;
    r->moved_ns = clock_ns();
    return post_all(r, LETTER_GO, &go, sizeof go, err);
}

static bool
all_idle(const struct mpi_run *r)
{
    for (int rank = 0; rank < r->s->nranks; rank++)
        if (!r->peers[rank].idle)
            return false;
    return true;
}

/* Goes on for a moment while something moves: this process is also a rank, and
 * its peers wait for it. */
static bool
mpi_run_look(void *state, bool *idle, struct err *err)
{
    struct mpi_run *r = state;
    int64_t begin = clock_ns(), until;
    bool moved;

    do {
        if (MPI_SIMULATED && !all_idle(r) &&
            member_waits_for_letter(r->member) &&
            !mail_wait(r->world->mail, err))
            return false;
        if (!turn(r, &moved, err))
            return false;
        until = begin + (moved ? LOOK_MOST_US : BUSY_US) * INT64_C(1000);
        if (!moved)
            sched_yield();
        *idle = all_idle(r);
    } while (!*idle && clock_ns() < until);
    return true;
}

static bool
mpi_run_event(void *state, struct event *event)
{
    struct mpi_run *r = state;

    for (int i = 0; i < r->s->nranks; i++) {
        struct peer *peer = &r->peers[r->reading];
        struct batch *b = peer->batches;

        if (b != NULL && b->taken < b->letter->nevents) {
            *event = b->events[b->taken++];
            return true;
        }
        if (b != NULL) {
            peer->batches = b->next;
            b->next = peer->read;
            peer->read = b;
            i--;
        } else {
            r->reading = (r->reading + 1) % r->s->nranks;
        }
    }
    return false;
}

static void
mpi_run_contents(void *state, int rank, uint64_t *contents)
{
    const struct mpi_run *r = state;
    size_t words = (size_t)content_words(r->s->nranks);

    memset(contents, 0, (size_t)r->s->nslots * words * sizeof *contents);
    memcpy(contents, r->peers[rank].contents,
           (size_t)schedule_of(r, rank)->nslots * words * sizeof *contents);
}

/* Puts what a rank has sent where verify() looks. */
static void
place_output(struct mpi_run *r, int rank)
{
    const struct schedule *s = schedule_of(r, rank);
    const struct mismatch *m = r->options.mismatch;
    int64_t count = r->options.input.count;
    struct region out = schedule_output(s, rank);
    size_t first = (size_t)rank * (size_t)r->nslots + (size_t)out.first;
    size_t row =
        r->options.watched ? (size_t)ledger_words(r->s->nranks) : 0;
    size_t element = dtype_size(r->options.input.type);
    unsigned char *at = r->peers[rank].output;

    if (m != NULL)
        count = mismatch_count(m, rank, count);
    if (out.count > 0 && row > 0)
        memcpy(r->ledger + first * row, at,
               (size_t)out.count * row * sizeof *r->ledger);
    at += (size_t)out.count * row * sizeof *r->ledger;
    for (int i = 0; i < out.count; i++) {
        int64_t length = schedule_chunk_length(
            s, count, schedule_slot_room(s, rank, out.first + i));
        r->slots[first + (size_t)i] = (struct rank_slot){at, length};
        at += (size_t)length * element;
    }
}

static bool
mpi_run_fetch(void *state, struct err *err)
{
    struct mpi_run *r = state;
    size_t n = (size_t)r->s->nranks * (size_t)r->nslots;

    if (!post_all(r, LETTER_FETCH, NULL, 0, err) || !await_answers(r, err))
        return false;
    r->slots = mem_new(n, sizeof *r->slots);
    if (r->options.watched)
        r->ledger = mem_new(n, (size_t)ledger_words(r->s->nranks) *
                                   sizeof *r->ledger);
    for (int rank = 0; rank < r->s->nranks; rank++)
        place_output(r, rank);
    return true;
}

static const struct rank_slot *
mpi_run_slots(void *state, int *nslots)
{
    const struct mpi_run *r = state;

    *nslots = r->nslots;
    return r->slots;
}

static const uint64_t *
mpi_run_ledger(void *state)
{
    return ((struct mpi_run *)state)->ledger;
}

/* Appends the silent ranks of a host, of which one has been silent for
 * SILENCE_MS: "rank 2", "ranks 2, 3".  The others fell silent with it, but what
 * came from them last came a little later. */
static void
add_silent(const struct mpi_run *r, int host, struct buf *text)
{
    struct buf ranks = {0};
    int n = 0;

    for (int rank = 0; rank < r->s->nranks; rank++)
        if (r->world->seats[rank].host == host &&
            silent_ms(r, rank) > SILENCE_MS - LAST_HEARD_MS)
            buf_addf(&ranks, n++ > 0 ? ", %d" : "%d", rank);
    buf_addf(text, "rank%s %s", err_plural(n), buf_text(&ranks));
    buf_done(&ranks);
}

/* "host cv2 has been silent for 3 s (ranks 2, 3)", of the first host that has
 * silent ranks. A rank says that it is alive every second. */
static bool
mpi_run_note(void *state, struct buf *text)
{
    const struct mpi_run *r = state;
    const struct mpi_seat *seat;
    int rank = 0;

    while (rank < r->s->nranks && silent_ms(r, rank) <= SILENCE_MS)
        rank++;
    if (MPI_SIMULATED || rank == r->s->nranks)
        return false;
    seat = &r->world->seats[rank];
    buf_addf(text, "host %s has been silent for %d s (", seat->host_name,
             (int)(silent_ms(r, rank) / 1000));
    add_silent(r, seat->host, text);
    buf_putc(text, ')');
    return true;
}

/* Whether no rank has gone on for QUIET_MS, though all of them could say so. */
static bool
is_quiet(const struct mpi_run *r)
{
    int64_t now_ns = clock_ns();
    int64_t since_ns = r->moved_ns > r->back_ns ? r->moved_ns : r->back_ns;
    int rank = 0;

    while (rank < r->s->nranks && silent_ms(r, rank) <= SILENCE_MS)
        rank++;
    return rank == r->s->nranks && !was_away(r, now_ns) &&
           (now_ns - since_ns) / 1000000 > QUIET_MS;
}

/* If all ranks wait for messages, or have stopped or ended, they will for ever,
 * even if some reports are old: the first rank to go on would need a message
 * that another sends after going on.  Whether a rank that sends goes on depends
 * on what MPI buffers, which only shows in time. */
static bool
mpi_run_mismatch(void *state, struct buf *why)
{
    const struct mpi_run *r = state;
    bool quiet = is_quiet(r);
    int *steps;
    bool found;

    if (all_idle(r))
        return waits_unfit(r->waits, why);
    steps = mem_new((size_t)r->s->nranks, sizeof *steps);
    for (int rank = 0; rank < r->s->nranks; rank++)
        steps[rank] = r->peers[rank].step;
    found = waits_hang(r->waits, true, steps, why) ||
            (quiet && waits_hang(r->waits, false, steps, why));
    free(steps);
    return found;
}

/* The slowest rank's. */
static bool
mpi_run_time(void *state, int calls, int64_t *ns, struct err *err)
{
    struct mpi_run *r = state;
    int64_t many = calls;

    *ns = 0;
    if (!post_all(r, LETTER_TIME, &many, sizeof many, err) ||
        !await_answers(r, err))
        return false;
    for (int rank = 0; rank < r->s->nranks; rank++) {
        int64_t own;
        memcpy(&own, r->peers[rank].timed, sizeof own);
        *ns = own > *ns ? own : *ns;
    }
    return true;
}

static bool
mpi_run_compare(void *state, struct run_native *native,
                char wrong[RUN_WRONG_MAX], struct err *err)
{
    struct mpi_run *r = state;
    size_t n = (size_t)r->s->nranks;
    const struct native_times **times;
    const char *algorithm = r->options.native_algorithm;
    struct rank_slot *own;

    if (algorithm == NULL)
        algorithm = "";
    if (!post_all(r, LETTER_COMPARE, algorithm, strlen(algorithm) + 1, err) ||
        !await_answers(r, err))
        return false;
    times = mem_new(n, sizeof *times);
    own = mem_new(n, sizeof *own);
    for (size_t rank = 0; rank < n; rank++) {
        times[rank] = (const struct native_times *)r->peers[rank].compared;
        own[rank].data = r->peers[rank].compared + sizeof **times;
    }
    *native = (struct run_native){
        .wall_ns = native_ns(times, r->s->nranks),
        .timed_ns = native_timed_ns(times, r->s->nranks)};
    snprintf(native->name, sizeof native->name, "%s",
             mpi_native_name(r->s, &r->options.input, err));
    snprintf(native->inside, sizeof native->inside, "%s%s", algorithm,
             !mpi_carrier_needed(r->world) ? ""
             : *algorithm != '\0'          ? ", host memory"
                                           : "host memory");
    native_judge(r->s, &r->options.input, r->slots, r->nslots, own, native,
                 wrong);
    free(times);
    free(own);
    return true;
}

const struct machine machine_mpi = {
    .backend = MPI_SIMULATED ? "smpi" : "mpi",
    .new = mpi_run_new,
    .free = mpi_run_free,
    .describe = mpi_run_describe,
    .grant = mpi_run_grant,
    .look = mpi_run_look,
    .event = mpi_run_event,
    .contents = mpi_run_contents,
    .fetch = mpi_run_fetch,
    .slots = mpi_run_slots,
    .ledger = mpi_run_ledger,
    .note = mpi_run_note,
    .tick_ms = MPI_SIMULATED ? 0 : TICK_MS,
    .mismatch = MPI_SIMULATED ? NULL : mpi_run_mismatch,
    .time = mpi_run_time,
    .compare = mpi_run_compare,
};
