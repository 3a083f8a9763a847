/* SPDX-License-Identifier: MIT */
/* The pars of what learners wire, in lessons and exercises: no schedule takes
 * fewer steps within the par's chunks, nor fewer chunks within its steps.
 *
 * What is shown of each task is a bound for all schedules, by the contributions
 * that may have come to each GPU: a GPU that knows of data has all of it, as if
 * it had memory without end.  Two bounds are counted, of how fast data spreads
 * and of how much must move; the third is searched for: in how few steps all
 * GPUs can know of all, if only so many messages are sent.
 *
 * PARS_ROUNDS=500 tests/pars looks at so many rounds of each exercise. */
#include <dirent.h>

#include "base/load.h"
#include "exercise_run.h"

enum { ROUNDS = 60, AGAIN = 3, QUESTIONS = 40 };

/* A task as the bounds see it. */
struct net {
    int n, ports;
    bool links[WIRING_RANKS][WIRING_RANKS];
};

static struct net
net_of(const struct wiring *w)
{
    struct net net = {.n = w->nranks, .ports = w->ports};

    for (int a = 0; a < net.n; a++)
        for (int b = 0; b < net.n; b++)
            net.links[a][b] =
                a != b && (!w->one_way || b == (a + 1) % net.n) &&
                topology_links(&w->topology, net.n, w->root, a, b);
    return net;
}

/* After so many steps: how many GPUs can know of the data of `rank`, or, if
 * `into`, of how many GPUs it can know. */
static int
most_known(const struct net *net, int rank, bool into, int steps)
{
    uint32_t near = 1u << rank;
    int most = 1, reached = 1;

    while (steps-- > 0) {
        uint32_t before = near;
        for (int a = 0; a < net->n; a++)
            for (int b = 0; b < net->n; b++)
                if ((before >> a & 1) != 0 &&
                    (into ? net->links[b][a] : net->links[a][b]))
                    near |= 1u << b;
        most *= 1 + net->ports;
        reached = __builtin_popcount(near);
        most = most < reached ? most : reached;
    }
    return most;
}

/* The fewest steps in which data can spread as the collective needs it. */
static int
spread_bound(const struct wiring *w)
{
    struct net net = net_of(w);
    enum collective_at from = w->collective->input_at;
    enum collective_at to = w->collective->output_at;

    for (int steps = 0;; steps++) {
        bool all = true;
        for (int rank = 0; rank < net.n; rank++) {
            if (from != AT_ROOT && (to != AT_ROOT || rank == w->root))
                all &= most_known(&net, rank, true, steps) == net.n;
            if (to != AT_ROOT && (from != AT_ROOT || rank == w->root))
                all &= most_known(&net, rank, false, steps) == net.n;
        }
        if (all)
            return steps;
    }
}

/* The fewest chunks that the busiest GPU must send. */
static int
volume_bound(const struct wiring *w)
{
    const char *name = w->collective->name;
    int n = w->nranks, s = w->pieces;

    if (strcmp(name, "allreduce") == 0)
        return (2 * (n - 1) * s + n - 1) / n;
    if (strcmp(name, "broadcast") == 0)
        return ((n - 1) * s + n - 1) / n;
    if (strcmp(name, "reduce") == 0 || strcmp(name, "gather") == 0)
        return s;
    return (n - 1) * s; /* all-gather, reduce-scatter, scatter, all-to-all */
}

/* Gossip: whether all GPUs can know of all in so many steps, with so many
 * messages. */
struct gossip {
    struct net net;
    int steps, messages;
    uint8_t left[8]; /* by GPU: messages that it may still send */
};

static bool gossip_steps(const struct gossip *g, const uint8_t *known);

/* Adds messages to a step, from the link with number `link` on. */
static bool
gossip_links(const struct gossip *g, const uint8_t *before,
             const uint8_t *known, int link, const uint8_t *sent,
             const uint8_t *got)
{
    int n = g->net.n, a = link / n, b = link % n, lack = 0;
    struct gossip next = *g;

    for (int rank = 0; rank < n; rank++)
        lack += known[rank] != (1 << n) - 1;
    if (lack == 0)
        return true;
    if (lack > g->messages)
        return false;
    if (link == n * n) {
        next.steps--;
        return next.steps > 0 && gossip_steps(&next, known);
    }
    if (g->net.links[a][b] && sent[a] < g->net.ports && g->left[a] > 0 &&
        got[b] < g->net.ports && (before[a] & ~known[b]) != 0) {
        uint8_t with[8], sends[8], gets[8];
        memcpy(with, known, sizeof with);
        memcpy(sends, sent, sizeof sends);
        memcpy(gets, got, sizeof gets);
        with[b] |= before[a];
        sends[a]++;
        gets[b]++;
        next.messages--;
        next.left[a]--;
        if (gossip_links(&next, before, with, link + 1, sends, gets))
            return true;
    }
    return gossip_links(g, before, known, link + 1, sent, got);
}

static bool
gossip_steps(const struct gossip *g, const uint8_t *known)
{
    uint8_t before[8], none[8] = {0};

    memcpy(before, known, sizeof before);
    return gossip_links(g, before, before, 0, none, none);
}

/* Whether an all-reduce might take so many steps and chunks: of one of its
 * chunks there are at most as many messages as of each on the average, and each
 * GPU sends at most all of its own. */
static bool
might_gossip(const struct wiring *w, int steps, int chunks)
{
    struct gossip g = {net_of(w), steps, w->nranks * chunks / w->pieces, {0}};
    uint8_t known[8] = {0};

    if (steps == 0 || w->nranks > 5)
        return steps > 0;
    for (int rank = 0; rank < w->nranks; rank++) {
        known[rank] = (uint8_t)(1 << rank);
        g.left[rank] = (uint8_t)chunks;
    }
    return gossip_steps(&g, known);
}

/* Whether a gather might: what comes into the root in each step is at most what
 * its senders can have, or may send. */
static bool
might_gather(const struct wiring *w, int steps, int chunks)
{
    int comes = 0, had = 1;

    for (; steps > 0; steps--) {
        comes += w->ports * (had < chunks ? had : chunks);
        had *= 1 + w->ports;
    }
    return comes >= w->nranks - 1;
}

/* Whether an all-to-all might.  Without a chunk to spare each goes straight to
 * its GPU, and every GPU sends to all others.  If it does so in every step, no
 * slot waits to be moved: what comes takes the place of what has gone to the
 * same GPU, so two GPUs swap in one step. */
static bool
might_exchange(const struct wiring *w, int steps, int chunks)
{
    int n = w->nranks, sends = steps * w->ports;

    return chunks > (n - 1) * w->pieces || sends > n - 1 ||
           (sends == n - 1 && n * (n - 1) / 2 <= steps * (n * w->ports / 2));
}

/* One slot a GPU, in place: all that could be wired is tried.  What a slot
 * holds are bits of GPUs; what has one twice is of no use, and counts as
 * nothing. */
struct slots {
    struct net net;
    uint8_t want[8]; /* by GPU; 0: anything */
};

static bool slots_step(const struct slots *s, const uint8_t *held, int steps);

/* Chooses what comes to the GPUs from `rank` on, in a step that began with
 * `held`; `from`: the next that might send to it, after `receives` others,
 * which make it `sum`. */
static bool
slots_choose(const struct slots *s, const uint8_t *held, const uint8_t *after,
             const uint8_t *sent, int rank, int from, int receives, int sum,
             int steps)
{
    uint8_t next[8], sends[8];

    memcpy(next, after, sizeof next);
    memcpy(sends, sent, sizeof sends);
    if (rank == s->net.n)
        return slots_step(s, after, steps - 1);
    if (from == s->net.n) {
        if (receives == 0)
            return slots_choose(s, held, after, sent, rank + 1, 0, 0, 0, steps);
        for (int adds = 0; adds <= 1; adds++) {
            int own = adds ? held[rank] : 0;
            next[rank] = (uint8_t)((own & sum) != 0 ? 0 : own | sum);
            if (slots_choose(s, held, next, sent, rank + 1, 0, 0, 0, steps))
                return true;
        }
        return false;
    }
    if (s->net.links[from][rank] && sent[from] < s->net.ports &&
        receives < s->net.ports && held[from] != 0 && (sum & held[from]) == 0) {
        sends[from]++;
        if (slots_choose(s, held, after, sends, rank, from + 1, receives + 1,
                         sum | held[from], steps))
            return true;
    }
    return slots_choose(s, held, after, sent, rank, from + 1, receives, sum,
                        steps);
}

static bool
slots_step(const struct slots *s, const uint8_t *held, int steps)
{
    static const uint8_t none[8];
    bool all = true;

    for (int rank = 0; rank < s->net.n; rank++)
        all &= s->want[rank] == 0 || held[rank] == s->want[rank];
    return all || (steps > 0 &&
                   slots_choose(s, held, held, none, 0, 0, 0, 0, steps));
}

static bool
might_reduce(const struct wiring *w, int steps)
{
    struct slots s = {.net = net_of(w)};
    uint8_t held[8] = {0};

    if (w->nranks > 4 || w->pieces > 1)
        return true;
    for (int rank = 0; rank < w->nranks; rank++) {
        held[rank] = (uint8_t)(1 << rank);
        s.want[rank] = (uint8_t)((1 << w->nranks) - 1);
    }
    return slots_step(&s, held, steps);
}

/* Whether, for all that the bounds say, so many steps and chunks (below 0: any
 * number) might do. */
static bool
might_do(const struct wiring *w, int steps, int chunks)
{
    const char *name = w->collective->name;

    if (steps < spread_bound(w) ||
        (strcmp(name, "allreduce") == 0 && !might_reduce(w, steps)))
        return false;
    return chunks < 0 ||
           (chunks >= volume_bound(w) &&
           (strcmp(name, "allreduce") != 0 || might_gossip(w, steps, chunks)) &&
           (strcmp(name, "gather") != 0 || might_gather(w, steps, chunks)) &&
           (strcmp(name, "alltoall") != 0 ||
            might_exchange(w, steps, chunks)));
}

/* What was looked at. */
struct tally {
    struct wiring seen[200];
    int tasks, beaten;
};

static void
look(const char *path, int question, int round, const struct wiring *w,
     struct tally *tally)
{
    OWN(buf) par = {0};
    bool fewer_steps, fewer_chunks;

    for (int i = 0; i < tally->tasks; i++)
        if (memcmp(&tally->seen[i], w, sizeof *w) == 0)
            return;
    if (tally->tasks == 200)
        die("too many tasks");
    memcpy(&tally->seen[tally->tasks++], w, sizeof *w);
    fewer_steps = w->par_steps > 0 &&
                  might_do(w, w->par_steps - 1,
                           w->par_chunks > 0 ? w->par_chunks : -1);
    fewer_chunks = w->par_chunks > 0 &&
                   might_do(w, w->par_steps > 0 ? w->par_steps : WIRING_STEPS,
                            w->par_chunks - 1);
    tally->beaten += fewer_steps || fewer_chunks;
    wiring_add_par(w, &par);
    if (fewer_steps || fewer_chunks)
        diag("%s, question %d, round %d, %s of %d: fewer %s than %s", path,
             question + 1, round, w->collective->name, w->nranks,
             fewer_steps ? "steps" : "chunks", buf_text(&par));
}

/* The task of a round; false if it is none, or a rule. */
static bool
look_at(const char *path, int question, int round, struct tally *tally)
{
    struct tutor *t = ask(path, question, round);
    bool wires = seen(t)->state == TUTOR_ASKS &&
        seen(t)->question.kind == QUIZ_WIRING;

    if (wires)
        look(path, question, round, &seen(t)->question.wiring, tally);
    tutor_close(t);
    return wires;
}

static void
test_exercise(int rounds)
{
    enum { QUESTIONS_OF_WIRE = 7 };
    struct tally tally = {.tasks = 0};
    char *path = exercise("wire");

    for (int i = 0; i < rounds * QUESTIONS_OF_WIRE; i++)
        look_at(path, i % QUESTIONS_OF_WIRE, i / QUESTIONS_OF_WIRE + 1, &tally);
    ok(tally.tasks >= 30, "%d tasks of the exercise", tally.tasks);
    is_int(tally.beaten, 0, "none can be done in less than its par");
    free(path);
}

/* The tasks of a lesson, as it asks them, and in its three rounds. */
static void
look_at_lesson(const char *path, struct tally *tally)
{
    static const struct options o = {.backend = (char *)"auto", .count = -1,
                                     .step = -1};
    bool wires[QUESTIONS] = {false};
    struct err err;
    struct tutor *t = tutor_open(path, &o, &unseen, &err);
    int question = 0;

    if (t == NULL)
        die("%s", err.text);
    for (play_on(t); seen(t)->state != TUTOR_OVER; play_on(t)) {
        if (seen(t)->state == TUTOR_ASKS) {
            wires[question] = seen(t)->question.kind == QUIZ_WIRING;
            if (wires[question])
                look(path, question, 0, &seen(t)->question.wiring, tally);
            question++;
        }
        turn(t, &err);
    }
    tutor_close(t);
    for (int q = 0; q < question; q++)
        for (int round = 1; wires[q] && round <= AGAIN; round++)
            look_at(path, q, round, tally);
}

static void
test_lessons(void)
{
    const char *srcdir = getenv("srcdir");
    struct tally tally = {.tasks = 0};
    OWN(buf) folder = {0}, path = {0}, script = {0};
    const struct dirent *file;
    struct err err;
    DIR *lessons;

    buf_addf(&folder, "%s/lessons", srcdir != NULL ? srcdir : ".");
    lessons = opendir(buf_text(&folder));
    while (lessons != NULL && (file = readdir(lessons)) != NULL) {
        if (strstr(file->d_name, ".lua") == NULL)
            continue;
        buf_clear(&path);
        buf_clear(&script);
        buf_addf(&path, "%s/%s", buf_text(&folder), file->d_name);
        if (load(buf_text(&path), 1 << 20, &script, &err) &&
            strstr(buf_text(&script), "\"wiring\"") != NULL)
            look_at_lesson(buf_text(&path), &tally);
    }
    closedir(lessons);
    ok(tally.tasks >= 40, "%d tasks of lessons", tally.tasks);
    is_int(tally.beaten, 0, "none can be done in less than its par");
}

int
main(void)
{
    const char *said = getenv("PARS_ROUNDS");

    tutor_begin();
    test_exercise(said != NULL ? atoi(said) : ROUNDS);
    test_lessons();
    lab_remove();
    return done_testing();
}
