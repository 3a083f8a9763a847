/* SPDX-License-Identifier: MIT */
/* Uneven inputs (schedule/counts.h): every algorithm that takes counts, proved
 * and run with random ones, with and without zeros, and what ranks end with
 * beside what this file works out itself from the counts. */
#include <stdlib.h>
#include <string.h>

#include "base/mix.h"
#include "bring_worker.h"
#include "play.h"
#include "play/build.h"
#include "schedule/check.h"
#include "schedule/counts.h"
#include "tap.h"

enum { RANKS_MOST = 9, ROUNDS = 3, TEXT_MOST = 1 << 10 };

static uint64_t dice;

/* A number below `n`, the next of always the same ones. */
static int
roll(int n)
{
    return (int)(mix64(++dice) % (uint64_t)n);
}

/* What each rank has for each other, whatever the collective. */
struct want {
    const struct collective *c;
    int n;
    int64_t counts[RANKS_MOST][RANKS_MOST]; /* [maker][unit] */
    char text[TEXT_MOST];
};

static bool
is_matrix(const struct collective *c)
{
    return c->input == UNITS_RANKS && c->output == UNITS_RANKS;
}

static void
make_counts(struct want *w, const struct collective *c, int n)
{
    size_t at = 0;
    int rows = is_matrix(c) ? n : 1;

    w->c = c;
    w->n = n;
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < n; i++) {
            int64_t count = roll(3) == 0 ? 0 : roll(12);
            at += (size_t)snprintf(w->text + at, sizeof w->text - at, "%s%d",
                                   i > 0   ? ","
                                   : r > 0 ? "/"
                                           : "", (int)count);
            for (int maker = 0; maker < n; maker++)
                if (c->input == UNITS_ONE)
                    w->counts[i][0] = count;
                else if (rows == 1 || maker == r)
                    w->counts[maker][i] = count;
        }
}

/* Elements in the input of a rank before a unit. */
static int64_t
elements_before(const struct want *w, int maker, int unit)
{
    int64_t sum = 0;

    for (int u = 0; u < unit; u++)
        sum += w->counts[maker][u];
    return sum;
}

/* The sum, or the copy, of a unit that a rank must end with in unit `at` of its
 * output. */
static int64_t
right_unit(const struct want *w, const struct input *in, int rank, int root,
           int at, int32_t *right)
{
    bool dealt = w->c->input == UNITS_RANKS;
    int unit = dealt ? rank : 0;
    int first = w->c->reduces ? 0 : w->c->input_at == AT_ROOT ? root : at;
    int last = w->c->reduces ? w->n - 1 : first;
    int64_t length = w->counts[first][unit];
    OWN_MEMORY int32_t *part = mem_new((size_t)length + 1, sizeof *part);

    memset(right, 0, (size_t)length * sizeof *right);
    for (int maker = first; maker <= last; maker++) {
        input_elements(in, maker, elements_before(w, maker, unit), length,
                       part);
        for (int64_t i = 0; i < length; i++)
            right[i] += part[i];
    }
    return length;
}

/* The length of a piece: a unit's elements divided as evenly as can be. */
static int64_t
piece_length(int64_t unit, int pieces, int k)
{
    return unit / pieces + (k < unit % pieces);
}

/* The elements of all outputs that are not as they must be. */
static int64_t
count_wrong(const struct want *w, const struct schedule *s,
            const struct input *in, struct rank_slots found)
{
    int64_t wrong = 0;

    for (int rank = 0; rank < w->n; rank++) {
        struct region out = schedule_output(s, rank);
        for (int k = 0; k < out.count; k++) {
            int32_t right[128];
            int piece = k % s->pieces;
            int64_t unit = right_unit(w, in, rank, s->root, k / s->pieces,
                                      right), before = 0;
            const struct rank_slot *slot =
                &found.slots[rank * found.nslots + out.first + k];
            int64_t length = piece_length(unit, s->pieces, piece);
            for (int p = 0; p < piece; p++)
                before += piece_length(unit, s->pieces, p);
            wrong += slot->length < length ||
                     memcmp(slot->data, right + before,
                            (size_t)length * sizeof *right) != 0;
        }
    }
    return wrong;
}

static int64_t
most_elements(const struct schedule *s)
{
    int64_t most = 0;

    for (int rank = 0; rank < s->nranks; rank++)
        most = most > schedule_input_length(s, 0, rank)
                   ? most
                   : schedule_input_length(s, 0, rank);
    return most;
}

struct empties {
    const struct schedule *s;
    int count; /* slots without elements that are moved */
};

static void
count_empty(void *state, int step, const struct transfer *t, int k, int id)
{
    struct empties *e = state;

    (void)step, (void)t, (void)k;
    e->count += schedule_chunk_length(e->s, 0, id) == 0;
}

static void
check_one(const struct algorithm *a, const struct schedule *even,
          const struct want *w)
{
    struct err err = {0};
    OWNS(schedule) *s = counts_apply(even, w->text, &err);
    struct empties moved = {s, 0};
    const char *where = even->in_place ? "in place" : "out of place";

    if (!ok(s != NULL, "%s-%s of %d ranks takes %s", a->name, a->collective,
            w->n, w->text)) {
        diag("%s", err.text);
        return;
    }
    if (!ok(schedule_check(s, most_elements(s), NULL, &err),
            "%s, proved", where))
        diag("%s", err.text);
    schedule_walk(s, count_empty, &moved);
    is_int(moved.count, 0, "it moves nothing that is empty");
    for (int watched = 0; watched < 2; watched++) {
        struct engine_options o = {
            .run = {.input = {DTYPE_INT32, REDOP_SUM, most_elements(s)},
                    .watched = watched}, .own_threads = watched};
        OWNS(engine) *e = engine_new(s, &o, &err);
        struct run_result result;
        if (watched)
            play_engine(e, s, true);
        else
            engine_run(e);
        result = engine_verdict(e, s, &o.run.input);
        is_int(count_wrong(w, s, &o.run.input, engine_slots(e)), 0,
               "%s: every element is where it belongs",
               watched ? "watched" : "plain");
        ok(result.correct, "and the verdict says so");
    }
}

/* Rounds with other counts each; a schedule that a script makes takes time. */
static void
check_some(const struct algorithm *a, int n, bool in_place)
{
    const struct collective *c = collective_find(a->collective);
    struct coll_options o = {.nranks = n, .in_place = in_place,
                             .root = collective_rooted(c) ? n - 1 : 0};
    struct err err;
    OWNS(schedule) *s = build_row(a, &o, &err);

    for (int round = 0; s != NULL && round < ROUNDS; round++) {
        struct want w = {0};
        make_counts(&w, c, schedule_members(s));
        check_one(a, s, &w);
    }
}

static void
test_all(void)
{
    const struct algorithm *a;

    for (int i = 0; (a = coll_at(i)) != NULL; i++) {
        const struct collective *c = collective_find(a->collective);
        if (c->input == UNITS_ONE && c->output == UNITS_ONE)
            continue;
        for (int n = 1; n <= RANKS_MOST; n++)
            for (int in_place = 0; in_place < 2; in_place++)
                check_some(a, n, in_place);
    }
}

/* Fills in the elements that each rank sends and receives. */
struct ledger {
    const struct schedule *s;
    int64_t sent[RANKS_MOST], received[RANKS_MOST];
    int64_t longest[RANKS_MOST]; /* by step: of its messages */
};

static void
note_message(void *state, int step, const struct transfer *t, int k, int id)
{
    struct ledger *l = state;
    int64_t length = schedule_chunk_length(l->s, 0, id);

    (void)k;
    if (t->src == t->dst)
        return;
    l->sent[t->src] += length;
    l->received[t->dst] += length;
    l->longest[step] = length > l->longest[step] ? length : l->longest[step];
}

static void
has_amounts(const int64_t *got, const int64_t *want, int n, const char *what)
{
    for (int i = 0; i < n; i++)
        is_int(got[i], want[i], "%s %d", what, i);
}

/* The matrix of PyTorch's all_to_all_single: torch.distributed's page has it,
 * with these inputs and outputs. */
static void
test_example(void)
{
    struct err err;
    OWNS(schedule) *even = build_in_place("pairwise-alltoall", 4);
    OWNS(schedule) *s = counts_apply(
        even, "2,2,1,1/3,2,2,2/2,1,1,1/2,2,2,1", &err);
    struct ledger l = {.s = s};
    int64_t steps[3] = {0};
    int at = 0;

    schedule_walk(s, note_message, &l);
    has_amounts(l.sent, (int64_t[]){4, 7, 4, 6}, 4, "sent by rank");
    has_amounts(l.received, (int64_t[]){7, 5, 5, 4}, 4, "received by rank");
    for (int step = 1; step <= s->nsteps; step++)
        if (l.longest[step] > 0)
            steps[at++] = l.longest[step];
    has_amounts(steps, (int64_t[]){2, 2, 3}, 3, "the longest of step");
}

/* A ring hands every block on, so that a rank sends all but what the next one
 * has itself. */
static void
test_ring(void)
{
    struct err err;
    OWNS(schedule) *even = build_in_place("ring-allgather", 4);
    OWNS(schedule) *s = counts_apply(even, "3,0,5,2", &err);
    struct ledger l = {.s = s};

    schedule_walk(s, note_message, &l);
    has_amounts(l.sent, (int64_t[]){10, 5, 8, 7}, 4, "sent by rank");
    has_amounts(l.received, (int64_t[]){7, 10, 5, 8}, 4, "received by rank");
    is_int(schedule_input_length(s, 99, 2), 5, "a rank's input");
    is_int(schedule_chunk_length(s, 99, s->longest), 5, "none is longer");
    is_int(schedule_chunk_start(s, 99, schedule_id(s, 3, 0)), 0,
           "each maker's begins with 0");
}

/* Nobody waits for a rank that has nothing: with one that is never there. */
static void
test_holds_nobody_up(void)
{
    struct err err = {0};
    OWNS(schedule) *even = build_in_place("direct-alltoall", 3);
    OWNS(schedule) *s = counts_apply(even, "1,0,2/0,0,0/3,0,1", &err);
    const int64_t delays[] = {0, DELAY_FOREVER, 0};
    struct engine_options o = {
        .run = {.input = {DTYPE_INT32, REDOP_SUM, 4, NULL, 0},
                .watched = true, .delays = delays}, .own_threads = true};
    OWNS(engine) *e = engine_new(s, &o, &err);
    struct event event;
    int events = 0;

    engine_grant(e, s->nsteps, &(int64_t){0}, NULL);
    while (events < 2)
        if (engine_next_event(e, &event))
            events += event.src != event.dst && event.op != EVENT_DIVIDE;
        else
            sched_yield();
    ok(true, "two ranks exchange while the third, which has nothing, sleeps");
}

static void
refuses(const char *algorithm, const char *counts, const char *why)
{
    struct err err = {0};
    OWNS(schedule) *even = build_in_place(algorithm, 3);
    OWNS(schedule) *s = counts_apply(even, counts, &err);

    ok(s == NULL, "%s does not take %.20s", algorithm, counts);
    is_str(err.text, why, "and says why");
}

static void
test_refusals(void)
{
    refuses("ring-allreduce", "1,2,3",
            "all ranks of allreduce hold as much: it takes no counts");
    refuses("ring-allreduce", "1,2,3/1,2,3/1,2,3",
            "all ranks of allreduce hold as much: it takes no counts");
    refuses("ring-allgather", "1,2", "'1,2' has 2 counts, and there are 3 "
            "ranks");
    refuses("ring-allgather", "1,2,3/1,2,3/1,2,3",
            "3 rows of counts: allgather of 3 ranks has 1");
    refuses("pairwise-alltoall", "1,2,3/1,2,3",
            "2 rows of counts: alltoall of 3 ranks has 3");
    refuses("ring-allgather", "1,-2,3",
            "'-2' is not a number of elements, as 5 is");
    refuses("ring-allgather", "1,,3",
            "'' is not a number of elements, as 5 is");
    refuses("ring-allgather", "1,2 ,3",
            "'2 ' is not a number of elements, as 5 is");
    refuses("ring-allgather", "1,99999999999999999999,3",
            "'99999999999999999999' is not a number of elements, as 5 is");
    refuses("ring-reduce-scatter", "1099511627776,1,0",
            "counts of an input are from 0 to 1099511627776, and no more in "
            "all");
}

/* A text of one row is that of every rank of an all-to-all. */
static void
test_one_row(void)
{
    struct err err;
    OWNS(schedule) *even = build_in_place("pairwise-alltoall", 3);
    OWNS(schedule) *row = counts_apply(even, "4,0,1", &err);
    OWNS(schedule) *all = counts_apply(even, "4,0,1/4,0,1/4,0,1", &err);

    ok(memcmp(row->counts, all->counts, 9 * sizeof *row->counts) == 0,
       "one row is that of all");
    is_int(counts_ranks("4,0,1"), 3, "it is for so many ranks");
    is_int(counts_ranks("4,0/1,2"), 2, "as many as rows");
}

int
main(void)
{
    bring_worker();
    test_all();
    test_example();
    test_ring();
    test_holds_nobody_up();
    test_refusals();
    test_one_row();
    return done_testing();
}
