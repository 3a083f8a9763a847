/* SPDX-License-Identifier: MIT */
#include "workers/mpi/mpi_member.h"

#include <assert.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "workers/mpi/mpi_nap.h"
#include "workers/mpi/mpi_native.h"
#include "workers/mpi/mpi_rank.h"
#include "workers/mpi/mpi_time.h"

enum {
    REPORT_MS = 20,  /* between two reports of a rank that is not idle */
    ALIVE_MS = 1000, /* a rank that has nothing else to say says this */
    FAILED_MS = 3000, /* for rank 0 to read why this one failed */
    CUT_OFF_MS = 45000, /* without another host, the run is over */
    DISMISS_MS = 300, /* for the other ranks to be reached */
};

struct member {
    const struct mpi_world *w;
    struct mpi_rank *rank; /* NULL: nothing has been shared out */
    bool working;          /* what was granted has not all been reported */
    bool over;
    int64_t said_ns;
};

struct member *
member_new(const struct mpi_world *w)
{
    struct member *m = mem_new(1, sizeof *m);

    m->w = w;
    m->said_ns = clock_ns();
    return m;
}

void
member_free(struct member *m)
{
    if (m == NULL)
        return;
    mpi_rank_free(m->rank);
    free(m);
}

static bool
say(struct member *m, enum letter_kind kind, void *bytes, size_t length,
    struct err *err)
{
    m->said_ns = clock_ns();
    if (length == 0) {
        free(bytes);
        bytes = NULL;
    }
    return mail_post(m->w->mail, 0, kind, bytes, length, err);
}

/* Every rank says something each second, so one that is cut off finds out: MPI
 * would try for ever to reach the others. */
static bool
say_alive(struct member *m, struct err *err)
{
    if (m->w->nhosts > 1 && mpi_world_unheard_ms() > CUT_OFF_MS)
        return err_set(err, "no answer from another host for %d s: the host "
                       "or its network is down", CUT_OFF_MS / 1000);
    return say(m, LETTER_ALIVE, NULL, 0, err);
}

/* The contents of the schedule's slots before step 1. */
static bool
say_ready(struct member *m, struct err *err)
{
    const struct share *s = mpi_rank_share(m->rank);
    size_t words = s->watched ? (size_t)content_words(s->nranks) : 0;
    size_t length = (size_t)s->nschedule_slots * words * sizeof(uint64_t);
    uint64_t *contents = mem_new(length, 1);

    if (words > 0)
        mpi_rank_contents(m->rank, contents);
    return say(m, LETTER_READY, contents, length, err);
}

static bool
take_share(struct member *m, struct letter *letter, struct err *err)
{
    struct share *share = share_of(letter->bytes, letter->length);

    if (share == NULL)
        return err_set(err, "rank 0 sent a message that this rank cannot "
                       "read: install the same collviz on all hosts");
    letter->bytes = NULL;
    mpi_rank_free(m->rank); /* of a run that has ended */
    m->rank = mpi_rank_new(m->w, share, err);
    return m->rank != NULL && say_ready(m, err);
}

/* Reports what has happened, and how far the rank is. */
static bool
say_events(struct member *m, struct err *err)
{
    size_t nevents, length;
    struct event *events = mpi_rank_report(m->rank, &nevents, &length);
    struct letter_events *letter = mem_new(sizeof *letter + length, 1);

    letter->nevents = (int64_t)nevents;
    letter->idle = mpi_rank_idle(m->rank);
    letter->step = mpi_rank_step(m->rank);
    if (length > 0)
        memcpy(letter + 1, events, length);
    free(events);
    m->working = !letter->idle;
    return say(m, LETTER_EVENTS, letter, sizeof *letter + length, err);
}

static bool
say_output(struct member *m, struct err *err)
{
    const struct share *s = mpi_rank_share(m->rank);
    const struct rank_memory *memory = mpi_rank_memory(m->rank);
    size_t words = s->watched ? (size_t)ledger_words(s->nranks) : 0;
    size_t row = words * sizeof(uint64_t);
    size_t length = (size_t)s->output.count * row;
    unsigned char *output, *at;

    if (!mpi_rank_fetch(m->rank, err))
        return false;
    for (int i = 0; i < s->output.count; i++)
        length += (size_t)memory->slots[s->output.first + i].length *
                  (size_t)memory->element;
    output = at = mem_new(length, 1);
    if (length > 0 && row > 0)
        memcpy(at, (unsigned char *)memory->rows +
                       (size_t)s->output.first * row,
               (size_t)s->output.count * row);
    at += (size_t)s->output.count * row;
    for (int i = 0; i < s->output.count; i++) {
        const struct rank_slot *slot = &memory->slots[s->output.first + i];
        size_t bytes = (size_t)slot->length * (size_t)memory->element;
        memcpy(at, slot->data, bytes);
        at += bytes;
    }
    return say(m, LETTER_OUTPUT, output, length, err);
}

static void
go(struct member *m, const struct letter *letter)
{
    const struct letter_go *go = (const struct letter_go *)letter->bytes;

    assert(letter->length == sizeof *go);
    mpi_world_sleep(go->start_ns + go->begin_ns - mpi_world_ns(m->w));
    mpi_rank_grant(m->rank, (int)go->to, go->start_ns);
    m->working = true;
}

static bool
compare(struct member *m, const struct letter *letter, struct err *err)
{
    size_t length;
    void *compared = mpi_native_run(m->w, mpi_rank_share(m->rank),
                                    (const char *)letter->bytes, &length, err);

    return compared != NULL &&
           say(m, LETTER_COMPARED, compared, length, err);
}

static bool
time_calls(struct member *m, const struct letter *letter, struct err *err)
{
    int64_t calls, *ns = mem_new(1, sizeof *ns);

    assert(letter->length == sizeof calls);
    memcpy(&calls, letter->bytes, sizeof calls);
    if (mpi_time_calls(m->rank, calls, ns, err))
        return say(m, LETTER_TIMED, ns, sizeof *ns, err);
    free(ns);
    return false;
}

bool
member_obey(struct member *m, struct letter *letter, struct err *err)
{
    bool ok = true;

    switch (letter->kind) {
    case LETTER_SHARE:
        ok = take_share(m, letter, err);
        break;
    case LETTER_GO:
        go(m, letter);
        break;
    case LETTER_FETCH:
        ok = say_output(m, err);
        break;
    case LETTER_COMPARE:
        ok = compare(m, letter, err);
        break;
    case LETTER_TIME:
        ok = time_calls(m, letter, err);
        break;
    default:
        m->over = true;
    }
    free(letter->bytes);
    return ok;
}

bool
member_turn(struct member *m, bool *moved, struct err *err)
{
    int64_t silent_ms;

    if (m->working && !mpi_rank_advance(m->rank, moved, err))
        return false;
    silent_ms = (clock_ns() - m->said_ns) / 1000000;
    if (m->working && (mpi_rank_idle(m->rank) ||
                       (!MPI_SIMULATED && silent_ms > REPORT_MS &&
                        mpi_rank_has_news(m->rank))))
        return say_events(m, err);
    if (!MPI_SIMULATED && silent_ms > ALIVE_MS)
        return say_alive(m, err);
    return true;
}

int64_t
member_nap_us(const struct member *m)
{
    int64_t most = NAP_MOST_US, delay;

    if (!m->working)
        return most;
    if (!nap_reaches_all(m->w->nap) || mpi_rank_waits_for_device(m->rank))
        most = NAP_REMOTE_US;
    delay = mpi_rank_delay_us(m->rank);
    return delay < most ? delay : most;
}

bool
member_waits_for_letter(const struct member *m)
{
    return !m->working || mpi_rank_never_goes_on(m->rank);
}

static bool
live(struct member *m, struct err *err)
{
    struct letter letter;

    while (!m->over) {
        bool moved = false;

        if (MPI_SIMULATED && member_waits_for_letter(m) &&
            !mail_wait(m->w->mail, err))
            return false;
        if (!mail_take(m->w->mail, &letter, err))
            return false;
        if (letter.kind != LETTER_NONE) {
            moved = true;
            if (!member_obey(m, &letter, err))
                return false;
        }
        if (!member_turn(m, &moved, err))
            return false;
        if (moved)
            nap_wake(m->w->nap);
        else if (!MPI_SIMULATED)
            nap_take(m->w->nap, member_nap_us(m));
    }
    return true;
}

/* Rank 0 ends all ranks once it has read this; if it cannot read, in a
 * collective that this rank has left, this rank does so after a while. */
static void
say_failed(struct member *m, const struct err *why)
{
    int64_t until = clock_ns() + FAILED_MS * INT64_C(1000000);
    struct err *copy = mem_new(1, sizeof *copy), ignored;
    struct letter letter = {.kind = LETTER_NONE};

    *copy = *why;
    if (!say(m, LETTER_FAILED, copy, sizeof *copy, &ignored))
        return;
    while (letter.kind != LETTER_QUIT && clock_ns() < until &&
           mail_take(m->w->mail, &letter, &ignored)) {
        free(letter.bytes);
        nap_wake(m->w->nap);
        nap_take(m->w->nap, NAP_REMOTE_US);
    }
}

bool
member_rests(const struct member *m)
{
    return m->rank == NULL || mpi_rank_rests(m->rank);
}

bool
member_live(struct mpi_world *w, struct err *err)
{
    struct member *m = member_new(w);
    bool ok = live(m, err), sent = false;
    struct err ignored;

    if (!ok) {
        say_failed(m, err);
        mpi_world_blame(w, w->rank, err); /* as rank 0 does, who may be busy */
    }
    w->at_work = !member_rests(m) ||
                 !mail_sent(w->mail, &sent, &ignored) || !sent;
    if (!w->at_work)
        member_free(m);
    return ok;
}

void
member_dismiss(struct mpi_world *w)
{
    int64_t until = clock_ns() + DISMISS_MS * INT64_C(1000000);
    bool sent = false;
    struct err ignored;

    for (int rank = 1; rank < w->size; rank++)
        if (!mail_post(w->mail, rank, LETTER_QUIT, NULL, 0, &ignored))
            return;
    nap_wake(w->nap);
    while (!sent && clock_ns() < until) {
        if (!mail_sent(w->mail, &sent, &ignored))
            break;
        sched_yield();
    }
    w->at_work |= !sent;
}
