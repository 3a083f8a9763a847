/* SPDX-License-Identifier: MIT */
#include "play/film.h"

#include <math.h>

#include "base/bounds.h"
#include "view/frame.h"

/* Ten frames for a flight that nobody has to read about: few enough for a small
 * file, enough for the eye to follow. */
enum { FRAME_MS = 90, FIRST_MS = 1500, LAST_MS = 3000 };
#define NS_OF_MS INT64_C(1000000)

struct scene
film_scene(const struct film *f)
{
    struct scene s = {.view = f->view, .beside = f->beside,
                      .selected = f->selected};

    player_show(&f->player, f->ns, &s);
    return s;
}

/* A film may be watched by somebody who has never seen the algorithm. */
static int64_t
film_reading(const void *film)
{
    const struct film *f = film;
    struct scene scene = film_scene(f);

    return frame_reading_ns(&scene, f->canvas.columns, f->canvas.rows);
}

void
film_init(struct film *f, struct session *session, int columns, int rows,
          enum glyph_set glyphs)
{
    *f = (struct film){.canvas.glyphs = glyphs, .view = -1, .pace = 1};
    player_init(&f->player, session);
    canvas_resize(&f->canvas, columns, rows);
}

void
film_done(struct film *f)
{
    player_done(&f->player);
    canvas_done(&f->canvas);
}

static void
draw_film(struct film *f)
{
    struct scene scene = film_scene(f);

    frame_draw(&scene, NULL, &f->canvas);
}

/* The time of the film at a time of the player. */
static int64_t
film_ms(const struct film *f, int64_t ns)
{
    return llround((double)ns / (double)NS_OF_MS / f->pace);
}

bool
film_next(struct film *f)
{
    struct player *p = &f->player;
    int64_t now = f->ns, due, reads;
    struct err err; /* unused: a player without a run cannot fail */

    if (!f->begun) {
        f->begun = true;
        p->reading = film_reading;
        p->reader = f;
        reads = film_reading(f); /* how long the input is shown at least */
        player_play(p, reads > FIRST_MS * NS_OF_MS ? reads
                                                   : FIRST_MS * NS_OF_MS);
    } else {
        due = player_due(p, now);
        if (due == INT64_MAX) {
            f->ms = film_ms(f, now + LAST_MS * NS_OF_MS);
            return false;
        }
        now += most64(1, (int64_t)(FRAME_MS * f->pace * NS_OF_MS));
        if (due < now || !player_moves(p) || !f->canvas.moves)
            now = due;
    }
    player_advance(p, now, &err);
    f->ns = now;
    f->ms = film_ms(f, now);
    draw_film(f);
    return true;
}

void
film_last(struct film *f, int seconds)
{
    struct film all;

    film_init(&all, f->player.session, f->canvas.columns, f->canvas.rows,
              f->canvas.glyphs);
    while (film_next(&all))
        ;
    f->pace = (double)all.ms / (seconds * 1000.0);
    film_done(&all);
    world_seek(f->player.session->world, 0);
}

void
film_still(struct film *f, int step)
{
    world_seek(f->player.session->world, step);
    draw_film(f);
}
