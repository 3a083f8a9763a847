/* SPDX-License-Identifier: MIT */
#include "workers/crew/crew.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/clock.h"
#include "base/mem.h"
#include "run/prepare.h"
#include "run/verify.h"
#include "run/waits.h"

enum {
    SILENCE_MS = 3000, /* then a rank is said to be silent */
    LAST_HEARD_MS = 1500, /* ranks say something every second */
    ANSWER_MS = 60000, /* the longest wait for an answer */
    AWAY_MS = 2000,    /* after so long without a look, silence starts anew */
    TICK_MS = 1000,    /* between looks at ranks that are idle */
    QUIET_MS = 3000,   /* then what ranks still send is not buffered */
    BUSY_US = 500,     /* a look goes on for so long if nothing moves */
    LOOK_MOST_US = 100000, /* ... and for so long if something does */
    /* Every simulated rank hears in this time that it may go on.  The time is
     * not counted. */
    SIMULATED_LEAD_NS = 1000000000,
};

/* A rank, as the chief knows it. */
struct peer {
    int64_t answers;        /* that came */
    int step;               /* that it is in */
    bool idle;              /* all that was granted is done and here */
    struct rank_log log;    /* what it has reported since the last grant */
    unsigned char *answer[LETTER_KINDS]; /* the last one's bytes, by kind */
};

struct chief {
    const struct schedule *s;
    struct run_options options;
    struct crew *crew;
    struct member member;   /* this process's rank, if it is one */
    struct peer *peers;     /* by rank */
    struct log_reader reader; /* of the peers' logs */
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
rank_schedule(const struct chief *r, int rank)
{
    const struct mismatch *m = r->options.mismatch;

    return m == NULL ? r->s : rank == m->rank ? m->its : m->theirs;
}

/* Room has been made for what the rank's share can report. */
static bool
take_events(struct chief *r, const struct letter *letter, struct err *err)
{
    struct peer *peer = &r->peers[letter->from];
    struct rank_log *log = &peer->log;
    const struct letter_events *l = (struct letter_events *)letter->bytes;
    const struct event *events = (const struct event *)(l + 1);
    const uint64_t *content = (const uint64_t *)(events + l->nevents);
    size_t words = (size_t)content_words(r->s->nranks);

    for (int64_t i = 0; i < l->nevents; i++) {
        size_t nslots = (size_t)events[i].nslots;
        struct event *e = &log->events[log->nevents];
        if (log->nevents == log->room.events ||
            nslots > log->room.contents - log->ncontents) {
            free(letter->bytes);
            err_set(err, "it reports more than its steps have");
            return crew_blame(r->crew, letter->from, err);
        }
        log->nevents++;
        *e = events[i];
        e->content = memcpy(log->contents + log->ncontents * words, content,
                            nslots * words * sizeof *content);
        log->ncontents += nslots;
        content += nslots * words;
    }
    if (peer->step != (int)l->step)
        r->moved_ns = clock_ns();
    peer->step = (int)l->step;
    peer->idle = l->idle != 0;
    free(letter->bytes);
    return true;
}

static bool
read_letter(struct chief *r, struct letter *letter, struct err *err)
{
    struct peer *peer = &r->peers[letter->from];

    switch (letter->kind) {
    case LETTER_READY:
    case LETTER_OUTPUT:
    case LETTER_COMPARED:
    case LETTER_TIMED:
        free(peer->answer[letter->kind]);
        peer->answer[letter->kind] = letter->bytes;
        peer->answers++;
        return true;
    case LETTER_EVENTS:
        return take_events(r, letter, err);
    case LETTER_FAILED:
        memcpy(err, letter->bytes, sizeof *err);
        free(letter->bytes);
        return crew_blame(r->crew, letter->from, err);
    case LETTER_ALIVE:
        return true;
    default: /* of the chief, to its own rank */
        return member_obey(&r->member, letter, err) ||
               crew_blame(r->crew, r->crew->rank, err);
    }
}

/* Whether this process has not looked for letters for a long time. */
static bool
was_away(const struct chief *r, int64_t now_ns)
{
    return now_ns - r->turned_ns > AWAY_MS * INT64_C(1000000);
}

/* Reads all letters that have come, and lets this process's rank go on. Sets
 * *moved if anything happened. */
static bool
advance_all(struct chief *r, bool *moved, struct err *err)
{
    int64_t now_ns = clock_ns();
    struct letter letter;

    if (was_away(r, now_ns))
        r->back_ns = now_ns;
    r->turned_ns = now_ns;
    *moved = false;
    do {
        if (!mail_take(r->crew->mail, &letter, err))
            return false;
        *moved |= letter.kind != LETTER_NONE && letter.kind != LETTER_ALIVE;
        if (letter.kind != LETTER_NONE && !read_letter(r, &letter, err))
            return false;
    } while (letter.kind != LETTER_NONE);
    if (r->crew->rank >= 0 && !member_turn(&r->member, moved, err))
        return crew_blame(r->crew, r->crew->rank, err);
    if (*moved)
        crew_wake(r->crew);
    return true;
}

/* Returns how long nothing has come from a rank, in ms.  Time in which this
 * process did not look does not count: it was busy, or all were stopped. */
static int64_t
silent_ms(const struct chief *r, int rank)
{
    int64_t heard_ns = mail_heard_ns(r->crew->mail, rank);
    int64_t now_ns = clock_ns();

    if (was_away(r, now_ns))
        return 0;
    if (heard_ns < r->back_ns)
        heard_ns = r->back_ns;
    return (now_ns - heard_ns) / 1000000;
}

static bool
post_all(struct chief *r, enum letter_kind kind, const void *bytes,
         size_t length, struct err *err)
{
    for (int rank = 0; rank < r->s->nranks; rank++) {
        void *copy = length > 0 ? mem_new(length, 1) : NULL;
        if (length > 0)
            memcpy(copy, bytes, length);
        if (!mail_post(r->crew->mail, rank, kind, copy, length, err))
            return false;
    }
    crew_wake(r->crew);
    return true;
}

/* Waits for an answer from every rank.  A rank says nothing while it writes a
 * large input or runs the library's own collective. */
static bool
await_answers(struct chief *r, struct err *err)
{
    int rank = 0; /* the first that has not answered */
    bool moved;

    r->answers++;
    for (;;) {
        while (rank < r->s->nranks && r->peers[rank].answers >= r->answers)
            rank++;
        if (rank == r->s->nranks)
            return true;
        if ((CREW_SIMULATED && !mail_wait(r->crew->mail, err)) ||
            !advance_all(r, &moved, err))
            return false;
        if (moved)
            continue;
        if (!CREW_SIMULATED && silent_ms(r, rank) > ANSWER_MS) {
            err_set(err, "it has been silent for %d s: check that the host is "
                    "up and reachable", ANSWER_MS / 1000);
            return crew_blame(r->crew, rank, err);
        }
        crew_nap(r->crew, NAP_UNWOKEN_US);
    }
}

static void
chief_free(void *state)
{
    struct chief *r = state;

    if (r == NULL)
        return;
    if (!member_done(&r->member)) {
        r->crew->left = true;
        return;
    }
    for (int rank = 0; rank < r->s->nranks; rank++) {
        log_done(&r->peers[rank].log);
        for (int kind = 0; kind < LETTER_KINDS; kind++)
            free(r->peers[rank].answer[kind]);
    }
    crew_disband(r->crew);
    log_reader_done(&r->reader);
    free(r->peers);
    waits_free(r->waits);
    free(r->slots);
    free(r->ledger);
    free(r);
}

static void *
chief_new(const struct schedule *s, const struct run_options *o,
          struct err *err)
{
    struct chief *r = mem_new(1, sizeof *r);
    struct share **shares;
    bool ok = true;

    r->s = s;
    r->options = *o;
    r->crew = crew_gather(s, o, err);
    if (r->crew == NULL)
        return NULL;
    shares = mem_new((size_t)s->nranks, sizeof(struct share *));
    r->member = (struct member){.crew = r->crew, .said_ns = clock_ns()};
    r->peers = mem_new((size_t)s->nranks, sizeof *r->peers);
    share_out(s, &r->options, shares, &r->waits);
    log_reader_init(&r->reader, &r->peers->log, sizeof *r->peers, s->nranks);
    for (int rank = 0; ok && rank < s->nranks; rank++) {
        struct rank_log *log = &r->peers[rank].log;
        log->published = &log->nevents;
        log_reserve(log, message_rank_room(shares[rank]), s->nranks);
        ok = mail_post(r->crew->mail, rank, LETTER_SHARE, shares[rank],
                       share_length(shares[rank]), err);
    }
    free(shares);
    crew_wake(r->crew);
    if (ok && await_answers(r, err))
        return r;
    crew_disband(r->crew); /* then this process ends, too */
    return NULL;
}

static void
chief_describe(void *state, struct run_info *info)
{
    const struct chief *r = state;

    info->messages = true;
    crew_describe(r->crew, r->s, r->options.mismatch != NULL, info);
}

static bool
chief_grant(void *state, int to, int64_t *at_ns, struct err *err)
{
    struct chief *r = state;
    int64_t now = crew_ns(r->crew);
    struct letter_go go = {.to = to};

    if (r->start_ns == 0)
        r->start_ns = now;
    *at_ns = now - r->start_ns;
    if (CREW_SIMULATED)
        r->start_ns += SIMULATED_LEAD_NS;
    go.start_ns = r->start_ns;
    go.begin_ns = *at_ns;
    for (int rank = 0; rank < r->s->nranks; rank++) {
        r->peers[rank].idle = false;
        r->peers[rank].step = 1;
        r->peers[rank].log.nevents = r->peers[rank].log.ncontents = 0;
    }
    log_reader_restart(&r->reader);
    r->moved_ns = clock_ns();
    return post_all(r, LETTER_GO, &go, sizeof go, err);
}

static bool
all_idle(const struct chief *r)
{
    for (int rank = 0; rank < r->s->nranks; rank++)
        if (!r->peers[rank].idle)
            return false;
    return true;
}

/* A chief that is a rank goes on for a moment while something moves: its peers
 * wait for it. */
static bool
chief_look(void *state, bool *idle, struct err *err)
{
    struct chief *r = state;
    int64_t begin = clock_ns(), until;
    bool moved;

    do {
        if (CREW_SIMULATED && !all_idle(r) &&
            member_waits_for_letter(&r->member) &&
            !mail_wait(r->crew->mail, err))
            return false;
        if (!advance_all(r, &moved, err))
            return false;
        until = begin + (moved ? LOOK_MOST_US : BUSY_US) * INT64_C(1000);
        if (!moved)
            sched_yield();
        *idle = all_idle(r);
    } while (r->crew->rank >= 0 && !*idle && clock_ns() < until);
    return true;
}

static bool
chief_event(void *state, struct event *event)
{
    return log_reader_next(&((struct chief *)state)->reader, event);
}

/* Puts what a rank has sent where verify() looks. */
static void
place_output(struct chief *r, int rank)
{
    const struct schedule *s = rank_schedule(r, rank);
    const struct mismatch *m = r->options.mismatch;
    int64_t count = r->options.input.count;
    struct region out = schedule_output(s, rank);
    size_t first = (size_t)rank * (size_t)r->s->nslots + (size_t)out.first;
    size_t row =
        r->options.watched ? (size_t)ledger_words(r->s->nranks) : 0;
    size_t element = dtype_size(r->options.input.type);
    unsigned char *at = r->peers[rank].answer[LETTER_OUTPUT];

    if (m != NULL && rank == m->rank)
        count = m->its_count;
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
chief_fetch(void *state, struct rank_slots *found, struct err *err)
{
    struct chief *r = state;
    size_t n = (size_t)r->s->nranks * (size_t)r->s->nslots;

    if (!post_all(r, LETTER_FETCH, NULL, 0, err) || !await_answers(r, err))
        return false;
    r->slots = mem_new(n, sizeof *r->slots);
    if (r->options.watched)
        r->ledger = mem_new(n, (size_t)ledger_words(r->s->nranks) *
                                   sizeof *r->ledger);
    for (int rank = 0; rank < r->s->nranks; rank++)
        place_output(r, rank);
    *found = (struct rank_slots){r->slots, r->s->nslots, r->ledger};
    return true;
}

/* The first rank that has been silent for SILENCE_MS; nranks if none has. */
static int
first_silent(const struct chief *r)
{
    int rank = 0;

    while (rank < r->s->nranks && silent_ms(r, rank) <= SILENCE_MS)
        rank++;
    return rank;
}

/* "host cv2 has been silent for 3 s (ranks 2, 3)", of the first host that has
 * silent ranks. A rank says that it is alive every second.  Only the first of
 * these ranks must have been silent for SILENCE_MS: the others fell silent with
 * it, but their last messages came a little later. */
static bool
chief_note(void *state, struct buf *text)
{
    const struct chief *r = state;
    OWN(buf) ranks = {0};
    const char *host;
    int rank = first_silent(r), n = 0;

    if (CREW_SIMULATED || rank == r->s->nranks)
        return false;
    host = crew_host(r->crew, rank);
    for (int other = 0; other < r->s->nranks; other++)
        if (strcmp(crew_host(r->crew, other), host) == 0 &&
            silent_ms(r, other) > SILENCE_MS - LAST_HEARD_MS)
            buf_addf(&ranks, n++ > 0 ? ", %d" : "%d", other);
    buf_addf(text, "host %s has been silent for %d s (rank%s %s)", host,
             (int)(silent_ms(r, rank) / 1000), err_plural(n),
             buf_text(&ranks));
    return true;
}

/* Ranks that all wait for messages, or have stopped or ended, stay so, even if
 * some reports are old: the first rank to go on would need a message that
 * another sends after going on.  Whether a rank that sends goes on depends
 * on what is buffered, which only shows in time. */
static bool
chief_mismatch(void *state, struct wrong *wrong)
{
    const struct chief *r = state;
    int64_t now_ns = clock_ns();
    int64_t since_ns = r->moved_ns > r->back_ns ? r->moved_ns : r->back_ns;
    /* No rank has gone on for QUIET_MS, though all of them could say so. */
    bool quiet = first_silent(r) == r->s->nranks && !was_away(r, now_ns) &&
                 (now_ns - since_ns) / 1000000 > QUIET_MS;
    int *steps;
    bool found;

    if (all_idle(r))
        return waits_unfit(r->waits, wrong);
    steps = mem_new((size_t)r->s->nranks, sizeof *steps);
    for (int rank = 0; rank < r->s->nranks; rank++)
        steps[rank] = r->peers[rank].step;
    found = waits_hang(r->waits, true, steps, wrong) ||
            (quiet && waits_hang(r->waits, false, steps, wrong));
    free(steps);
    return found;
}

/* The slowest rank's. */
static bool
chief_time(void *state, int calls, int64_t *ns, struct err *err)
{
    struct chief *r = state;
    int64_t many = calls;

    *ns = 0;
    if (!post_all(r, LETTER_TIME, &many, sizeof many, err) ||
        !await_answers(r, err))
        return false;
    for (int rank = 0; rank < r->s->nranks; rank++) {
        int64_t own;
        memcpy(&own, r->peers[rank].answer[LETTER_TIMED], sizeof own);
        *ns = most64(*ns, own);
    }
    return true;
}

static const struct crew_native *
native_of(const struct chief *r, int rank)
{
    return (const struct crew_native *)r->peers[rank].answer[LETTER_COMPARED];
}

static int
by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* The median of the times from the last rank's call to the last rank's
 * result. */
static int64_t
native_ns(const struct chief *r)
{
    enum { COUNTED = NATIVE_ROUNDS - 1 };
    int64_t ns[COUNTED];

    for (int round = 0; round < COUNTED; round++) {
        int64_t begin = 0, end = 0;
        for (int rank = 0; rank < r->s->nranks; rank++) {
            const struct native_times *t = &native_of(r, rank)->times;
            begin = most64(begin, t->begin_ns[round + 1]);
            end = most64(end, t->end_ns[round + 1]);
        }
        ns[round] = most64(end - begin, 0);
    }
    qsort(ns, COUNTED, sizeof *ns, by_value);
    return ns[COUNTED / 2];
}

static bool
chief_compare(void *state, struct run_native *native, struct wrong *wrong,
              struct err *err)
{
    struct chief *r = state;
    const char *algorithm = r->options.native_algorithm;
    struct rank_slot *own;

    if (algorithm == NULL)
        algorithm = "";
    if (!post_all(r, LETTER_COMPARE, algorithm, strlen(algorithm) + 1, err) ||
        !await_answers(r, err))
        return false;
    *native = (struct run_native){.wall_ns = native_ns(r)};
    snprintf(native->name, sizeof native->name, "%s", native_of(r, 0)->name);
    snprintf(native->inside, sizeof native->inside, "%s",
             native_of(r, 0)->inside);
    own = mem_new((size_t)r->s->nranks, sizeof *own);
    for (int rank = 0; rank < r->s->nranks; rank++) {
        own[rank].data = (unsigned char *)(native_of(r, rank) + 1);
        native->timed_ns =
            most64(native->timed_ns, native_of(r, rank)->times.timed_ns);
    }
    native_judge(r->s, &r->options.input,
                 &(struct rank_slots){r->slots, r->s->nslots, NULL}, own,
                 native, wrong);
    free(own);
    return true;
}

bool
crew_blame(const struct crew *c, int rank, struct err *err)
{
    const char *host = crew_host(c, rank);

    return host != NULL ? err_prefix(err, "rank %d on host %s", rank, host)
                        : err_prefix(err, "rank %d", rank);
}

struct machine
crew_machine(const char *backend)
{
    return (struct machine){
        .backend = backend,
        .new = chief_new,
        .free = chief_free,
        .describe = chief_describe,
        .grant = chief_grant,
        .look = chief_look,
        .event = chief_event,
        .fetch = chief_fetch,
        .note = chief_note,
        .tick_ms = CREW_SIMULATED ? 0 : TICK_MS,
        .mismatch = CREW_SIMULATED ? NULL : chief_mismatch,
        .time = chief_time,
        .compare = chief_compare,
    };
}
