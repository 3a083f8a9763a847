/* SPDX-License-Identifier: MIT */
#include "workers/crew/crew.h"

#include <assert.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

enum {
    REPORT_MS = 20,  /* between two reports of a rank that is not idle */
    ALIVE_MS = 1000, /* a rank that has nothing else to say says this */
    FAILED_MS = 3000, /* for the chief to read why this one failed */
    DISMISS_MS = 300, /* for the other ranks to be reached */
};

bool
member_done(struct member *m)
{
    if (m->rank == NULL)
        return true;
    if (!message_rank_rests(m->rank))
        return false;
    message_rank_done(m->rank);
    free(m->rank);
    m->rank = NULL;
    return true;
}

static bool
send_letter(struct member *m, enum letter_kind kind, void *bytes, size_t length,
            struct err *err)
{
    m->said_ns = clock_ns();
    if (length == 0) {
        free(bytes);
        bytes = NULL;
    }
    return mail_post(m->crew->mail, 0, kind, bytes, length, err);
}

static bool
take_share(struct member *m, struct letter *letter, struct err *err)
{
    struct share *share;

    if (!member_done(m)) /* with a run that has ended */
        return err_set(err, "messages of the run before are still under way: "
                       "another run needs processes of its own");
    share = share_of(letter->bytes, letter->length);
    if (share == NULL)
        return err_set(err, "rank 0 sent a message that this rank cannot "
                       "read: install the same collviz on all hosts");
    letter->bytes = NULL;
    m->rank = mem_new(1, sizeof *m->rank);
    message_rank_init(m->rank, share);
    m->reported_step = 0;
    return crew_join(m->crew, m->rank, err) &&
           send_letter(m, LETTER_READY, NULL, 0, err);
}

/* Reports what has happened, and how far the rank is. */
static bool
say_events(struct member *m, struct err *err)
{
    struct message_rank *r = m->rank;
    struct rank_log *log = &r->log;
    size_t events = log->nevents * sizeof *log->events;
    size_t contents = log->ncontents * sizeof *log->contents *
                      (size_t)content_words(r->share->nranks);
    size_t length = sizeof(struct letter_events) + events + contents;
    struct letter_events *letter = mem_new(length, 1);

    if (log->nevents > 0) {
        memcpy(letter + 1, log->events, events);
        memcpy((unsigned char *)(letter + 1) + events, log->contents, contents);
    }
    letter->nevents = (int64_t)log->nevents;
    letter->idle = message_rank_idle(r);
    letter->step = m->reported_step = r->step;
    log->nevents = log->ncontents = 0;
    m->working = !letter->idle;
    return send_letter(m, LETTER_EVENTS, letter, length, err);
}

static bool
say_output(struct member *m, struct err *err)
{
    const struct share *s = m->rank->share;
    const struct rank_memory *memory = &m->rank->memory;
    size_t words = s->watched ? (size_t)ledger_words(s->nranks) : 0;
    size_t row = words * sizeof(uint64_t);
    size_t length = (size_t)s->output.count * row + share_output_bytes(s);
    unsigned char *output, *at;

    if (!message_rank_fetch(m->rank, err))
        return false;
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
    return send_letter(m, LETTER_OUTPUT, output, length, err);
}

/* Calls so many times, from when all ranks have come here until all have ended;
 * the times are this rank's own. */
static bool
time_calls(struct crew *c, const struct native_calls *of, int64_t calls,
           int64_t *begin_ns, int64_t *end_ns, struct err *err)
{
    if (!crew_meet(c, err))
        return false;
    *begin_ns = crew_ns(c);
    for (int64_t i = 0; i < calls; i++)
        if (!of->call(of->with, err))
            return false;
    if (of->settle != NULL && !of->settle(of->with, err))
        return false;
    *end_ns = crew_ns(c);
    return crew_meet(c, err);
}

bool
crew_rounds(struct crew *c, const struct native_calls *calls,
            const struct timing *t, struct native_times *times,
            struct err *err)
{
    int64_t begin, end;

    for (int i = 0; i < (t->calls > 0 ? 1 : NATIVE_ROUNDS); i++)
        if (!calls->restore(calls->with, err) ||
            !time_calls(c, calls, 1, &times->begin_ns[i], &times->end_ns[i],
                        err))
            return false;
    if (!calls->fetch(calls->with, err))
        return false;
    if (t->calls == 0)
        return true;
    if (!time_calls(c, calls, t->warm_up, &begin, &end, err) ||
        !time_calls(c, calls, t->calls, &begin, &end, err))
        return false;
    times->timed_ns = end - begin;
    return true;
}

/* Runs all steps so many times. */
static bool
time_steps(struct member *m, const struct letter *letter, struct err *err)
{
    const struct native_calls steps = {
        .with = m->rank, .call = message_rank_call,
        .settle = message_rank_settle};
    int64_t calls, begin_ns, *ns = mem_new(1, sizeof *ns);

    assert(letter->length == sizeof calls);
    memcpy(&calls, letter->bytes, sizeof calls);
    if (!time_calls(m->crew, &steps, calls, &begin_ns, ns, err))
        return false;
    *ns -= begin_ns;
    return send_letter(m, LETTER_TIMED, ns, sizeof *ns, err);
}

static bool
compare_with_native(struct member *m, const char *algorithm, struct err *err)
{
    size_t length = sizeof(struct crew_native) +
                    share_output_bytes(m->rank->share);
    struct crew_native *found = mem_new(length, 1);

    if (crew_compare(m->crew, m->rank, algorithm, found, err))
        return send_letter(m, LETTER_COMPARED, found, length, err);
    free(found);
    return false;
}

bool
member_obey(struct member *m, struct letter *letter, struct err *err)
{
    const struct letter_go *go = (const struct letter_go *)letter->bytes;
    bool ok = true;

    switch (letter->kind) {
    case LETTER_SHARE:
        ok = take_share(m, letter, err);
        break;
    case LETTER_GO:
        assert(letter->length == sizeof *go);
        if (CREW_SIMULATED)
            m->rank->clock.sleep(go->start_ns + go->begin_ns -
                                 crew_ns(m->crew));
        message_rank_grant(m->rank, (int)go->to, go->start_ns);
        m->working = true;
        break;
    case LETTER_FETCH:
        ok = say_output(m, err);
        break;
    case LETTER_COMPARE:
        ok = compare_with_native(m, (const char *)letter->bytes, err);
        break;
    case LETTER_TIME:
        ok = time_steps(m, letter, err);
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
    struct message_rank *r = m->rank;
    int64_t silent_ms;
    bool news;

    if (m->working && !message_rank_advance(r, moved, err))
        return false;
    silent_ms = (clock_ns() - m->said_ns) / 1000000;
    news = m->working &&
           (r->log.nevents > 0 ||
            (r->share->mismatched && r->step != m->reported_step));
    if (m->working && (message_rank_idle(r) || (news && !CREW_SIMULATED &&
                                                silent_ms > REPORT_MS)))
        return say_events(m, err);
    if (!CREW_SIMULATED && silent_ms > ALIVE_MS)
        return crew_is_whole(m->crew, err) &&
               send_letter(m, LETTER_ALIVE, NULL, 0, err);
    return true;
}

/* For how long the rank may nap if it can do nothing now. */
static int64_t
nap_us(const struct member *m)
{
    int64_t most = NAP_WOKEN_US, delay;

    if (!m->working)
        return most;
    if (!m->crew->wakes_all || message_rank_waits_for_device(m->rank))
        most = NAP_UNWOKEN_US;
    delay = message_rank_delay_us(m->rank);
    return delay != DELAY_FOREVER && delay < most ? delay : most;
}

bool
member_waits_for_letter(const struct member *m)
{
    return !m->working ||
           message_rank_delay_us(m->rank) == DELAY_FOREVER;
}

static bool
run_member(struct member *m, struct err *err)
{
    struct letter letter;

    while (!m->over) {
        bool moved = false;

        if (CREW_SIMULATED && member_waits_for_letter(m) &&
            !mail_wait(m->crew->mail, err))
            return false;
        if (!mail_take(m->crew->mail, &letter, err))
            return false;
        if (letter.kind != LETTER_NONE) {
            moved = true;
            if (!member_obey(m, &letter, err))
                return false;
        }
        if (!member_turn(m, &moved, err))
            return false;
        if (moved)
            crew_wake(m->crew);
        else if (!CREW_SIMULATED)
            crew_nap(m->crew, nap_us(m));
    }
    return true;
}

/* The chief ends all ranks once it has read this; if it cannot read, in a
 * collective that this rank has left, this rank does so after a while. */
static void
say_failed(struct member *m, const struct err *why)
{
    int64_t until = clock_ns() + FAILED_MS * INT64_C(1000000);
    struct err *copy = mem_new(1, sizeof *copy), ignored;
    struct letter letter = {.kind = LETTER_NONE};

    *copy = *why;
    if (!send_letter(m, LETTER_FAILED, copy, sizeof *copy, &ignored))
        return;
    while (letter.kind != LETTER_QUIT && clock_ns() < until &&
           mail_take(m->crew->mail, &letter, &ignored)) {
        free(letter.bytes);
        crew_wake(m->crew);
        crew_nap(m->crew, NAP_UNWOKEN_US);
    }
}

bool
crew_live(struct crew *c, struct err *err)
{
    struct member m = {.crew = c, .said_ns = clock_ns()};
    bool ok = run_member(&m, err), sent = false;
    struct err ignored;

    if (!ok) {
        say_failed(&m, err);
        crew_blame(c, c->rank, err); /* as the chief does, who may be busy */
    }
    c->left = (m.rank != NULL && !message_rank_rests(m.rank)) ||
              !mail_sent(c->mail, &sent, &ignored) || !sent;
    if (!c->left)
        member_done(&m);
    return ok;
}

void
crew_dismiss(struct crew *c)
{
    int64_t until = clock_ns() + DISMISS_MS * INT64_C(1000000);
    bool sent = false;
    struct err ignored;

    for (int rank = 0; rank < c->size; rank++)
        if (rank != c->rank &&
            !mail_post(c->mail, rank, LETTER_QUIT, NULL, 0, &ignored))
            return;
    crew_wake(c);
    while (!sent && clock_ns() < until) {
        if (!mail_sent(c->mail, &sent, &ignored))
            break;
        sched_yield();
    }
    c->left |= !sent;
}
