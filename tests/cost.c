/* SPDX-License-Identifier: MIT */
/* The cost model, on numbers worked out by hand; and walking through a
 * schedule, which it is built on. */
#include "schedule/cost.h"

#include <math.h>

#include "schedule/walk.h"
#include "tap.h"

static struct schedule *
allreduce(int nranks, int pieces)
{
    return schedule_new(&(struct schedule_spec){
        .collective = collective_find("allreduce"), .algorithm = "test",
        .nranks = nranks, .pieces = pieces, .in_place = true});
}

static void
add(struct schedule *s, enum transfer_op op, int src, int dst, int slot,
    int nslots)
{
    schedule_add(s, (struct transfer){.src = src, .dst = dst, .src_slot = slot,
                                      .dst_slot = slot, .add_slot = slot,
                                      .nslots = nslots, .op = op});
}

/* 10 elements in 4 chunks: chunks 0 and 1 have 3, the others 2. Rank 0 is the
 * busiest in step 1; in step 2 all ranks do the same. */
static struct schedule *
uneven(void)
{
    struct schedule *s = allreduce(4, 4);

    schedule_step(s, "uneven");
    add(s, TRANSFER_REDUCE, 1, 0, 0, 1);
    add(s, TRANSFER_REDUCE, 2, 0, 0, 1);
    add(s, TRANSFER_COPY, 3, 2, 2, 2);
    schedule_step(s, "even");
    for (int rank = 0; rank < 4; rank++)
        add(s, TRANSFER_COPY, rank, (rank + 1) % 4, 3, 1);
    return s;
}

static void
test_load(void)
{
    static const struct {
        int lanes, messages, bytes, added;
    } known[] = {
        {4, 2 + 1, 24 + 8, 24},  /* the busiest rank decides both steps */
        {2, 2 + 2, 24 + 16, 24}, /* step 2 is shared out: two ranks a lane */
        {1, 3 + 4, 40 + 32, 24}, /* one lane does everything */
    };
    struct schedule *s = uneven();

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct load l = cost_load(s, 10, 4, known[i].lanes);
        is_int((int)l.messages, known[i].messages, "messages on %d lanes",
               known[i].lanes);
        is_int((int)l.bytes, known[i].bytes, "bytes moved");
        is_int((int)l.added, known[i].added, "bytes added");
    }
    schedule_free(s);
}

/* Every rank adds 40 bytes, on two lanes; within a rank nothing is sent. */
static void
test_shared(void)
{
    struct schedule *s = allreduce(4, 1);
    int64_t sent[4], received[4];
    struct load l;

    schedule_step(s, "all add");
    for (int rank = 0; rank < 4; rank++)
        add(s, TRANSFER_REDUCE, rank, (rank + 1) % 4, 0, 1);
    l = cost_load(s, 10, 4, 2);
    is_int((int)l.added, 2 * 40, "additions are shared out as well");
    schedule_step(s, "within rank 2");
    add(s, TRANSFER_REDUCE, 2, 2, 0, 1);
    schedule_traffic(s, 10, sent, received);
    is_int(sent[1], 10, "elements that a rank sends");
    is_int(sent[2], 10, "without those that it moves within itself");
    schedule_free(s);
}

static void
test_time(void)
{
    const struct cost_model m = {2000, 0.5, 0.25};
    const struct load l = {3, 32, 24};

    is_int((int)cost_time(&m, &l), 6000 + 16 + 6,
           "time: messages, bytes moved, bytes added");
}

enum { POINTS = 8 };

/* Runs of several kinds, with the times that a model gives. */
static void
measure(struct cost_point points[POINTS], const struct cost_model *m)
{
    for (int i = 0; i < POINTS; i++) {
        struct load l = {1 + i % 3 * 4, 1000 << i % 4, i % 2 ? 500 << i : 0};
        points[i] = (struct cost_point){l, cost_time(m, &l)};
    }
}

static double
squared_errors(const struct cost_point *points, const struct cost_model *m)
{
    double sum = 0;

    for (int i = 0; i < POINTS; i++)
        sum += pow(cost_time(m, &points[i].load) / points[i].ns - 1, 2);
    return sum;
}

/* The sum of squares has one minimum, so a model that no small change makes
 * better is the best. */
static bool
is_best(const struct cost_point *points, struct cost_model m)
{
    double least = squared_errors(points, &m);
    double *terms[] = {&m.alpha, &m.beta, &m.gamma};
    static const double steps[] = {1, 1e-3, 1e-3};

    if (m.alpha < 0 || m.beta < 0 || m.gamma < 0)
        return false;
    for (int i = 0; i < 3; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double before = *terms[i];
            *terms[i] = fmax(before + sign * steps[i], 0);
            if (squared_errors(points, &m) < least)
                return false;
            *terms[i] = before;
        }
    return true;
}

static void
test_fit(void)
{
    const struct cost_model truth = {1500, 0.25, 0.75},
                            impossible = {30000, 0.25, -0.1};
    struct cost_point points[POINTS];
    struct cost_model m;

    measure(points, &truth);
    m = cost_fit(points, POINTS);
    ok(fabs(m.alpha - truth.alpha) < 1e-3 && fabs(m.beta - truth.beta) < 1e-6 &&
           fabs(m.gamma - truth.gamma) < 1e-6,
       "a model is found again from its times: %g, %g, %g", m.alpha, m.beta,
       m.gamma);
    measure(points, &impossible);
    m = cost_fit(points, POINTS);
    ok(is_best(points, m), "else the best without negative coefficients: "
       "%g, %g, %g", m.alpha, m.beta, m.gamma);
    for (int i = 0; i < POINTS; i++)
        points[i].load.added = 0;
    m = cost_fit(points, POINTS);
    ok(is_best(points, m) && m.gamma == 0, "nothing was added: %g, %g, %g",
       m.alpha, m.beta, m.gamma);
}

/* Which chunk each slot of a walk holds: "1:0 1:1 2:1" by step. */
static void
note_chunk(void *state, int step, const struct transfer *t, int k, int chunk)
{
    char *text = state;
    size_t length = strlen(text);

    (void)t, (void)k;
    snprintf(text + length, 64 - length, "%s%d:%d", length > 0 ? " " : "",
             step, chunk);
}

/* In step 1 the ranks swap two slots: both transfers read chunks as they were
 * before the step. Step 2 sees what step 1 wrote. */
static void
test_walk(void)
{
    struct schedule *s = allreduce(2, 2);
    char text[64] = "";
    int64_t sent[2], received[2];

    schedule_step(s, "swap");
    schedule_add(s, (struct transfer){.dst_slot = 1, .dst = 1, .nslots = 1});
    schedule_add(s, (struct transfer){.src = 1, .src_slot = 1, .nslots = 1});
    schedule_step(s, "back");
    add(s, TRANSFER_COPY, 1, 0, 0, 2);
    schedule_walk(s, note_chunk, text);
    is_str(text, "1:0 1:1 2:0 2:0", "the chunks that a walk visits");
    schedule_traffic(s, 3, sent, received);
    is_int(sent[0], 2, "elements that rank 0 sends");
    is_int(sent[1], 1 + 2 + 2, "and rank 1");
    is_int(received[0], 1 + 2 + 2, "elements that rank 0 receives");
    is_int(received[1], 2, "and rank 1");
    schedule_free(s);
}

int
main(void)
{
    test_load();
    test_shared();
    test_time();
    test_fit();
    test_walk();
    return done_testing();
}
