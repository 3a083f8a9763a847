/* SPDX-License-Identifier: MIT */
/* Pictures of the screen as text. */
#ifndef TESTS_PICTURE_H
#define TESTS_PICTURE_H

#include "canvas_text.h"
#include "model/scene.h"
#include "tap.h"
#include "view/frame.h"

/* Indices in the table of views. */
enum { RING, STAGES = 5, ARCS, TABLE, MATRIX, HEAT, PATHS, TIMELINE, LOG };

OWN_FREE(trail)

/* What stands around each picture. */
TAP_UNUSED static struct surround around;

/* What the screen of each picture can show. */
TAP_UNUSED static struct canvas like;

/* Whether the pens of each picture follow it. */
TAP_UNUSED static bool with_pens;

/* The picture of a scene as text, valid until `out` changes. */
TAP_UNUSED static const char *
picture(const struct scene *s, int columns, int rows, struct buf *out)
{
    struct canvas c = like;

    canvas_resize(&c, columns, rows);
    frame_draw(s, &around, &c);
    buf_clear(out);
    canvas_text(&c, out);
    if (with_pens)
        canvas_pens(&c, out);
    canvas_done(&c);
    return buf_text(out);
}

/* The same with a page of its help, from 1, in front. */
TAP_UNUSED static const char *
help_picture(const struct scene *s, int page, struct point size,
             struct buf *out)
{
    struct canvas c = like;
    struct help help = frame_help(s, &around, size.x, size.y);

    canvas_resize(&c, size.x, size.y);
    frame_draw(s, &around, &c);
    help_draw(&help, page, &c);
    buf_clear(out);
    canvas_text(&c, out);
    canvas_done(&c);
    return buf_text(out);
}

/* Puts the next step in flight, every transfer at the same place of its way. */
TAP_UNUSED static size_t
fly(struct scene *s, struct flight *flights, double progress)
{
    const struct transfer *t;
    size_t count;

    s->step = s->world->position + 1;
    t = schedule_transfers(s->world->schedule, s->step, &count);
    for (size_t i = 0; i < count; i++)
        flights[i] = (struct flight){
            .transfer = &t[i],
            .event = &s->world->steps[s->step].events[i],
            .progress = progress};
    s->flights = flights;
    return s->nflights = count;
}

/* Counts the ranks that no click finds, at points so far apart. */
TAP_UNUSED static int
unseen_ranks(const struct scene *s, struct point size, struct point apart)
{
    int unseen = s->world->schedule->nranks;
    bool seen[LEDGER_RANKS] = {false};
    OWN(canvas) c = {0};

    canvas_resize(&c, size.x, size.y);
    frame_draw(s, &around, &c);
    for (int y = 0; y < size.y; y += apart.y)
        for (int x = 40 % apart.x; x < size.x; x += apart.x) {
            struct target hit = canvas_target_at(&c, (struct point){x, y});
            if (hit.kind == TARGET_RANK && !seen[hit.number]) {
                seen[hit.number] = true;
                unseen--;
            }
        }
    return unseen;
}

/* The number of characters that are not ASCII, other than newlines. */
TAP_UNUSED static int
foreign_characters(const char *text)
{
    int count = 0;

    for (; *text != '\0'; text++)
        count += *text != '\n' && (*text < ' ' || *text > '~');
    return count;
}

#endif
