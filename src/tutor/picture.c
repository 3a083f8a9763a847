/* SPDX-License-Identifier: MIT */
#include "tutor/picture.h"

#include <stdlib.h>

#include "base/mem.h"
#include "model/holdup.h"

enum { BUSY_NS = 2000000000 }; /* for which a busy machine may stop a rank */

static void
take_table_away(struct picture *p)
{
    free(p->table);
    figure_free(p->figure);
    p->table = NULL;
    p->figure = NULL;
    p->nlines = 0;
}

static void
end_player(struct picture *p)
{
    if (p->shown >= 0)
        player_done(&p->player);
    p->shown = -1;
}

void
picture_done(struct picture *p, struct kept_runs *kept)
{
    end_player(p);
    for (int i = 0; i < p->nruns; i++) {
        kept_put(kept, p->commands[i], p->runs[i]);
        free(p->commands[i]);
    }
    take_table_away(p);
}

struct job *
picture_job(const struct picture *p)
{
    return p->shown >= 0 ? p->runs[p->shown] : NULL;
}

struct world *
picture_world(const struct picture *p)
{
    return p->shown >= 0 ? p->runs[p->shown]->session.world : NULL;
}

const char *
picture_command(const struct picture *p)
{
    return p->shown >= 0 ? p->commands[p->shown] : NULL;
}

void
picture_show(struct picture *p, int run)
{
    p->changed = p->changed || p->table != NULL || p->shown != run;
    take_table_away(p);
    if (p->shown == run)
        return;
    end_player(p);
    p->shown = run;
    player_init(&p->player, &p->runs[run]->session);
}

int
picture_put(struct picture *p, int run, struct job *job, const char *command)
{
    if (run < 0) {
        run = p->nruns++;
        p->commands[run] = command != NULL ? mem_string(command) : NULL;
    } else {
        if (run == p->shown)
            end_player(p);
        job_free(p->runs[run]);
    }
    p->runs[run] = job;
    picture_show(p, run);
    return run;
}

void
picture_put_table(struct picture *p, const struct buf *table,
                  struct figure *figure, bool whole)
{
    take_table_away(p);
    p->table = mem_string(buf_text(table));
    p->figure = figure;
    p->changed = true;
    p->tables += whole;
}

/* Moving. */

void
picture_move(struct picture *p, int run, int to, int64_t now)
{
    picture_show(p, run);
    p->moving_to = to;
    if (now == 0)
        player_go(&p->player, to);
    else
        player_next(&p->player, now);
}

void
picture_settle(struct picture *p, int run)
{
    picture_show(p, run);
    p->settling = true;
    p->quiet_since = 0;
}

bool
picture_moves(const struct picture *p)
{
    return p->moving_to >= 0 || p->settling;
}

/* A run with a rank that never goes on counts as stuck when nothing has moved
 * for so long, since another rank may be late. */
static int64_t
patience_ns(const struct job *job)
{
    int64_t longest = 0;

    for (size_t i = 0; i < job->plan->o.ndelays; i++)
        if (job->plan->o.delays[i].ns != DELAY_FOREVER &&
            job->plan->o.delays[i].ns > longest)
            longest = job->plan->o.delays[i].ns;
    return longest + BUSY_NS;
}

/* How long nothing has moved: no event has come, and no step has come to its
 * end on the screen, after which the run may be granted the next. */
static int64_t
measure_quiet(struct picture *p, int64_t now)
{
    const struct world *w = picture_world(p);

    if (p->quiet_since == 0 || p->last_ns != w->last_ns ||
        p->last_position != w->position) {
        p->last_ns = w->last_ns;
        p->last_position = w->position;
        p->quiet_since = now;
    }
    p->quiet_ns = now - p->quiet_since;
    return p->quiet_ns;
}

/* Whether the player has nothing to move. */
static bool
is_resting(const struct picture *p)
{
    return p->player.step == 0 && p->player.target < 0;
}

static json_int_t
events_so_far(const struct world *w)
{
    size_t count = 0;

    for (int step = 1; step <= w->nsteps; step++)
        count += w->steps[step].count;
    return (json_int_t)count;
}

/* The reply to the script.  `h` is NULL if nothing holds the run up. */
static json_t *
describe_outcome(const struct world *w, const char *verdict,
                 const struct holdup *h)
{
    const struct run_native *n = &w->result.native;
    json_t *guilty = json_array(), *waits = json_array(), *native = NULL;
    OWN(buf) said = {0};

    wrong_text(&w->result.first_wrong, &said);
    for (int rank = 0; h != NULL && rank < w->schedule->nranks; rank++) {
        if (h->ranks[rank].is_cause)
            json_array_append_new(guilty, json_integer(rank));
        if (h->ranks[rank].waits_for >= 0)
            json_array_append_new(waits, json_pack("{si si}", "rank", rank,
                                                   "on",
                                                   h->ranks[rank].waits_for));
    }
    if (n->name[0] != '\0') /* the same collective by the library */
        native = json_pack("{ss sf sI sI}", "call", n->name, "us",
                           (double)n->wall_ns / 1e3, "wrong",
                           (json_int_t)n->wrong, "differ",
                           (json_int_t)n->differ);
    return json_pack("{ss so so sI ss sf so*}", "verdict", verdict, "guilty",
                     guilty, "waits", waits, "wrong",
                     (json_int_t)w->result.wrong, "said",
                     buf_text(&said), "us",
                     (double)w->result.wall_ns / 1e3, "native", native);
}

/* The reply to the script about a run that settles; NULL: it still goes on. */
static json_t *
settled_reply(struct picture *p, json_t *known, int64_t now)
{
    const struct world *w = picture_world(p);
    const struct job *job = picture_job(p);
    const char *command = picture_command(p);
    const json_t *before = json_object_get(known, command);
    bool is_known = json_is_integer(before) &&
                    json_integer_value(before) == events_so_far(w) &&
                    w->position == world_complete_steps(w);
    struct scene scene = {.world = w};
    struct holdup h;

    if (w->has_end && w->position == w->nsteps && is_resting(p))
        return describe_outcome(
            w, result_right(&w->result) ? "correct" : "wrong", NULL);
    /* A run that has come as far as it did before comes no farther, and is not
     * awaited. */
    if (options_dead_rank(&job->plan->o) >= 0)
        scene.awaited_ns = is_known ? patience_ns(job) : measure_quiet(p, now);
    if ((!w->has_end && scene.awaited_ns < patience_ns(job)) ||
        !holdup_of(&scene, &h))
        return NULL;
    player_next(&p->player, now); /* not on the way to the last step any more */
    json_object_set_new(known, command, json_integer(events_so_far(w)));
    return describe_outcome(w, "hangs", &h);
}

/* Divisions may follow the last step, for avg. */
bool
picture_advance(struct picture *p, bool unwatched, json_t *known, int64_t now,
                json_t **reply, struct err *err)
{
    const struct world *w = picture_world(p);

    *reply = NULL;
    if (w == NULL)
        return true;
    if (p->settling && is_resting(p) && unwatched)
        player_go(&p->player, w->nsteps);
    else if (p->settling && is_resting(p))
        player_next(&p->player, now);
    if (!player_advance(&p->player, now, err))
        return false;
    if (p->settling)
        *reply = settled_reply(p, known, now);
    else if (p->moving_to == w->position && is_resting(p) &&
             (w->position < w->nsteps || w->nsteps == 0 || w->has_result))
        *reply = json_integer(p->moving_to);
    if (*reply == NULL)
        return true;
    p->settling = false;
    p->moving_to = -1;
    return p->changed = true;
}

int64_t
picture_due(const struct picture *p, int64_t now)
{
    const struct world *w = picture_world(p);
    int64_t due = w != NULL ? player_due(&p->player, now) : INT64_MAX, look;

    if (!p->settling)
        return due;
    /* The next step can begin, or the run has ended. */
    if (is_resting(p) && (w->position < w->nsteps || w->has_end))
        return 0;
    /* A run that has been quiet for so long and goes on nevertheless waits for
     * the step on the screen, whose end has a time of its own. */
    look = patience_ns(picture_job(p));
    if (p->quiet_since == 0 || p->quiet_ns >= look)
        return due;
    look += p->quiet_since;
    return look < due ? look : due;
}

void
picture_hasten(struct picture *p)
{
    if (p->moving_to >= 0)
        player_go(&p->player, p->moving_to);
    else if (p->settling)
        player_go(&p->player, p->player.step > 0 ? p->player.step
                                                 : picture_world(p)->position);
}
