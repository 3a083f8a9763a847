/* SPDX-License-Identifier: MIT */
#include "screen/preview.h"

#include <stdlib.h>

#include "base/mem.h"
#include "play/recording.h"

enum { ROUNDS = 3 };

static const int64_t PAUSE_NS = 2500000000; /* at the end of a round */

static struct session *
session_of(struct preview *p)
{
    return p->job != NULL ? &p->job->session : &p->recorded;
}

void
preview_close(struct preview *p)
{
    if (!p->open)
        return;
    player_done(&p->player);
    if (p->job == NULL)
        session_done(&p->recorded);
    job_free(p->job);
    *p = (struct preview){0};
}

static void
begin(struct preview *p)
{
    p->open = true;
    p->rounds = ROUNDS;
    p->again_ns = INT64_MIN;
    player_init(&p->player, session_of(p));
}

bool
preview_run(struct preview *p, const char *command, struct err *err)
{
    struct options plain, o;
    char *name = NULL;
    int status;

    preview_close(p);
    if (options_parse(&plain, 1, (char *[]){"", NULL}, err)) {
        if (job_options(&o, &plain, command, &name, err)) {
            free(o.backend);
            o.backend = mem_string("threads");
            p->job = job_new(name, &o, &status, err);
        }
        options_done(&o);
    }
    options_done(&plain);
    free(name);
    if (p->job == NULL)
        return false;
    begin(p);
    if (job_start(p->job, false, err))
        return true;
    preview_close(p);
    return false;
}

bool
preview_recording(struct preview *p, const char *path, struct err *err)
{
    preview_close(p);
    session_init(&p->recorded);
    begin(p);
    if (recording_read(&p->recorded, path, err))
        return true;
    preview_close(p);
    return false;
}

/* Whether the run has come to rest where it cannot go on. */
static bool
is_over(const struct preview *p)
{
    const struct world *w = p->player.session->world;

    return p->player.step == 0 && w->schedule != NULL &&
           w->position == w->nsteps;
}

static void
play_again(struct preview *p, int64_t now)
{
    p->rounds--;
    p->again_ns = INT64_MAX;
    p->player.playing = false;
    player_play(&p->player, now);
}

bool
preview_advance(struct preview *p, int64_t now, struct err *err)
{
    if (!p->open)
        return true;
    if (p->rounds > 0 && now >= p->again_ns)
        play_again(p, now);
    if (!player_advance(&p->player, now, err))
        return false;
    if (p->again_ns == INT64_MAX && p->rounds > 0 && is_over(p))
        p->again_ns = now + PAUSE_NS;
    return true;
}

int64_t
preview_due(const struct preview *p, int64_t now)
{
    int64_t due;

    if (!p->open)
        return INT64_MAX;
    due = player_due(&p->player, now);
    return p->rounds > 0 && p->again_ns < due ? p->again_ns : due;
}

struct scene
preview_scene(const struct preview *p, enum glyph_set glyphs)
{
    const struct player *player = &p->player;

    return (struct scene){
        .world = player->session->world,
        .step = player->step,
        .flights = player->flights,
        .nflights = player->nflights,
        .glyphs = glyphs,
        .view = -1,
    };
}
