/* SPDX-License-Identifier: MIT */
/* The verb `settle`: lets a run go on until it ends or gets no farther, and
 * tells the script what came of it. */
#include "model/holdup.h"
#include "tutor/tutor.h"

enum { BUSY_NS = 2000000000 }; /* for which a busy machine may stop a rank */

/* A run with a rank that never goes on is taken to stand still when nothing has
 * moved for so long: another rank may be late. */
static int64_t
patience(const struct job *job)
{
    int64_t longest = 0;

    for (size_t i = 0; i < job->o.ndelays; i++)
        if (job->o.delays[i].ns != DELAY_FOREVER &&
            job->o.delays[i].ns > longest)
            longest = job->o.delays[i].ns;
    return longest + BUSY_NS;
}

bool
tutor_has_dead_rank(const struct job *job)
{
    for (size_t i = 0; i < job->o.ndelays; i++)
        if (job->o.delays[i].ns == DELAY_FOREVER)
            return true;
    return false;
}

/* How long nothing has moved: no event has come, and no step has come to its
 * end on the screen, after which the run may be granted the next. */
static int64_t
quiet(struct tutor *t, int64_t now)
{
    const struct world *w = tutor_world(t);

    if (t->quiet_since == 0 || t->last_ns != w->last_ns ||
        t->last_position != w->position) {
        t->last_ns = w->last_ns;
        t->last_position = w->position;
        t->quiet_since = now;
    }
    t->quiet_ns = now - t->quiet_since;
    return t->quiet_ns;
}

/* Whether the run is over with all of its steps on the screen. */
static bool
is_through(const struct tutor *t)
{
    const struct world *w = tutor_world(t);

    return w->has_end && w->position == w->nsteps && t->player.step == 0 &&
           t->player.target < 0;
}

static json_int_t
events_so_far(const struct world *w)
{
    size_t count = 0;

    for (int step = 1; step <= w->nsteps; step++)
        count += w->steps[step].count;
    return (json_int_t)count;
}

/* Whether the run has come as far as it did before: it comes no farther. */
static bool
is_known_end(const struct tutor *t)
{
    const struct world *w = tutor_world(t);
    const json_t *known = json_object_get(tutor_known(t, "settle"),
                                          t->commands[t->shown]);

    return json_is_integer(known) &&
           json_integer_value(known) == events_so_far(w) &&
           w->position == world_complete_steps(w);
}

/* Whether the run gets no farther.  If so, *h says why. */
static bool
stands_still(struct tutor *t, int64_t now, struct holdup *h)
{
    const struct world *w = tutor_world(t);
    const struct job *job = t->runs[t->shown];
    struct scene scene = {.world = w};

    if (tutor_has_dead_rank(job))
        scene.awaited_ns = is_known_end(t) ? patience(job) : quiet(t, now);
    return (w->has_end || scene.awaited_ns >= patience(job)) &&
           holdup_of(&scene, h);
}

static json_t *
list_guilty(const struct holdup *h, int nranks)
{
    json_t *list = json_array();

    for (int rank = 0; rank < nranks; rank++)
        if (h->ranks[rank].guilty)
            json_array_append_new(list, json_integer(rank));
    return list;
}

static json_t *
list_waits(const struct holdup *h, int nranks)
{
    json_t *list = json_array();

    for (int rank = 0; rank < nranks; rank++)
        if (h->ranks[rank].waits_for >= 0)
            json_array_append_new(list,
                                  json_pack("{si si}", "rank", rank, "on",
                                            h->ranks[rank].waits_for));
    return list;
}

/* The same collective by the library; NULL if it was not called. */
static json_t *
describe_native(const struct run_native *n)
{
    if (n->name[0] == '\0')
        return NULL;
    return json_pack("{ss sf sI sI}", "call", n->name, "us",
                     (double)n->wall_ns / 1e3, "wrong", (json_int_t)n->wrong,
                     "differ", (json_int_t)n->differ);
}

/* What the script is told. `h` is NULL if nothing holds the run up. */
static json_t *
outcome(const struct world *w, const char *verdict, const struct holdup *h)
{
    static const struct holdup nobody;
    int nranks = h != NULL ? w->schedule->nranks : 0;

    if (h == NULL)
        h = &nobody;
    return json_pack("{ss so so sI ss sf so*}", "verdict", verdict, "guilty",
                     list_guilty(h, nranks), "waits", list_waits(h, nranks),
                     "wrong", (json_int_t)w->result.wrong, "said",
                     w->result.first_wrong, "us",
                     (double)w->result.wall_ns / 1e3, "native",
                     describe_native(&w->result.native));
}

json_t *
tutor_settled(struct tutor *t, int64_t now)
{
    const struct world *w = tutor_world(t);
    struct holdup h;

    if (is_through(t))
        return outcome(w, result_right(&w->result) ? "correct" : "wrong",
                       NULL);
    if (!stands_still(t, now, &h))
        return NULL;
    player_next(&t->player, now); /* not on the way to the last step any more */
    json_object_set_new(tutor_known(t, "settle"), t->commands[t->shown],
                        json_integer(events_so_far(w)));
    return outcome(w, "hangs", &h);
}

void
tutor_settle_on(struct tutor *t, int64_t now)
{
    struct player *p = &t->player;

    if (p->step > 0 || p->target >= 0)
        return;
    if (tutor_unwatched(t))
        player_go(p, tutor_world(t)->nsteps);
    else
        player_next(p, now);
}

/* Whether tutor_settle_on() has a step to begin. */
static bool
is_at_rest(const struct tutor *t)
{
    const struct world *w = tutor_world(t);

    return w->schedule != NULL && w->position < w->nsteps &&
           t->player.step == 0 && t->player.target < 0;
}

int64_t
tutor_settle_due(const struct tutor *t)
{
    int64_t most;

    if (is_at_rest(t) ||
        is_through(t)) /* whoever has taken in the end of the run */
        return 0;
    most = patience(t->runs[t->shown]);
    /* A run that has been quiet for so long and goes on nevertheless waits for
     * the step on the screen, whose end has a time of its own. */
    return t->quiet_since > 0 && t->quiet_ns < most ? t->quiet_since + most
                                                    : INT64_MAX;
}

enum tutor_did
tutor_settle(struct tutor *t, const struct request *r, json_t **reply,
             struct err *err)
{
    int index;

    (void)reply;
    if (tutor_run(t, r, &index, err) == NULL)
        return DID_REFUSE;
    tutor_show(t, index);
    t->settling = true;
    t->quiet_since = 0;
    return DID_WAIT;
}
