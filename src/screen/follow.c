/* SPDX-License-Identifier: MIT */
#include "screen/follow.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/signals.h"
#include "base/translate.h"
#include "lesson/podium.h"
#include "screen/stage.h"
#include "tutor/outline.h"
#include "view/frame.h"
#include "view/keys.h"
#include "view/panel.h"

enum { LOOK_NS = 250000000 }; /* between two looks at the podium */

struct follow {
    struct stage stage;
    const struct options *o;
    struct world *empty;
    struct place place; /* lesson NULL: nothing is presented */
    struct outline *outline; /* of the lesson, or NULL */
    struct err trouble; /* why there is none */
    struct buf text, next, status; /* what is to be shown */
    struct buf shown; /* all of it, as it was drawn last */
    int64_t looked_ns;
    bool stale; /* the screen must be drawn again in any case */
};

/* The lesson. */

static bool
is_same_lesson(const struct place *a, const struct place *b)
{
    return a->lesson != NULL && b->lesson != NULL &&
           strcmp(a->lesson, b->lesson) == 0 && a->gpus == b->gpus;
}

/* Plays the lesson for its pages.  It may be one that cannot be read. */
static void
open_outline(struct follow *f)
{
    struct options o;

    outline_close(f->outline);
    f->outline = NULL;
    f->trouble.text[0] = '\0';
    if (f->place.lesson == NULL)
        return;
    options_copy(&o, f->o);
    o.nranks = f->place.gpus;
    f->outline = outline_open(f->place.lesson, &o, f->stage.glyphs,
                              &f->trouble);
    options_done(&o);
}

static void
look(struct follow *f, int64_t now)
{
    struct place seen = {0};
    bool same;

    f->looked_ns = now;
    if (!podium_look(&seen))
        seen = (struct place){0};
    same = is_same_lesson(&f->place, &seen);
    free(f->place.lesson);
    f->place = seen;
    if (!same)
        open_outline(f);
}

/* What is shown. */

static const struct outline_page *
page_at(const struct follow *f, int page)
{
    const struct outline *o = f->outline;

    return o != NULL && page >= 1 && (size_t)page <= o->count
               ? &o->pages[page - 1]
               : NULL;
}

static void
add_heading(const struct follow *f, struct buf *text)
{
    const struct outline *o = f->outline;
    const struct outline_page *here = page_at(f, f->place.page);

    if (o->over)
        buf_addf(text, _("Page %d of %d"), f->place.page, (int)o->count);
    else
        buf_addf(text, _("Page %d"), f->place.page);
    if (here != NULL)
        buf_addf(text, ": %s\n\n%s", here->first, here->notes);
}

static void
fill_texts(struct follow *f, int64_t now)
{
    const struct outline *o = f->outline;
    const struct outline_page *next = page_at(f, f->place.page + 1);

    buf_clear(&f->text);
    buf_clear(&f->next);
    buf_clear(&f->status);
    if (f->place.lesson == NULL)
        buf_puts(&f->text, _("No lesson is being presented. On another "
                             "terminal:\ncollviz learn LESSON --present"));
    else if (o == NULL || o->trouble.text[0] != '\0')
        buf_puts(&f->text, o == NULL ? f->trouble.text : o->trouble.text);
    else if (f->place.page == 0)
        buf_puts(&f->text, _("The lesson is over."));
    else
        add_heading(f, &f->text);
    if (next != NULL && f->place.page > 0)
        buf_addf(&f->next, _("next: %s"), next->first);
    podium_add_status(&f->place, now, &f->status);
}

/* Whether what is to be shown differs from what is on the screen. */
static bool
has_changed(struct follow *f)
{
    struct buf all = {0};
    bool changed;

    buf_addf(&all, "%s\n%s\n%s\n%s\n%g", buf_text(&f->text),
             buf_text(&f->next), buf_text(&f->status),
             f->outline != NULL && f->outline->title != NULL
                 ? f->outline->title : "",
             f->place.progress);
    changed = strcmp(buf_text(&all), buf_text(&f->shown)) != 0;
    buf_clear(&f->shown);
    buf_puts(&f->shown, buf_text(&all));
    buf_done(&all);
    return changed;
}

static void
draw(struct follow *f)
{
    const struct outline *o = f->outline;
    struct panel panel = {
        .number = o != NULL ? o->number : 0,
        .title = o != NULL && o->title != NULL ? o->title : "collviz",
        .progress = f->place.lesson != NULL ? f->place.progress : -1,
        .full = true, .headed = f->place.lesson != NULL,
        .text = buf_text(&f->text),
        .chosen = -1, .refused = -1, .right = -1, .asked.rank = -1,
        .aside = f->next.length > 0 ? buf_text(&f->next) : NULL,
        .status = f->status.length > 0 ? buf_text(&f->status) : NULL,
    };
    struct scene scene = {.world = f->empty, .target = -1, .view = -1,
                          .glyphs = f->stage.glyphs, .panel = &panel};

    panel_add_key(&panel, "q", _("quit"));
    frame_draw(&scene, stage_canvas(&f->stage));
    stage_show(&f->stage);
}

/* The loop. */

static bool
turn(struct follow *f)
{
    int64_t now = clock_ns(), due = f->looked_ns + LOOK_NS;
    int64_t plays = f->outline != NULL ? outline_due(f->outline, now)
                                       : INT64_MAX;
    int fd = f->outline != NULL ? outline_fd(f->outline) : -1, key;

    f->stage.stale = false; /* it waits for the next look */
    switch (stage_wait(&f->stage, fd, plays < due ? plays : due, false,
                       &key)) {
    case SCREEN_KEY:
        return keys_request(follow_keys, 0, key) != FOLLOW_QUIT;
    case SCREEN_RESIZED:
    case SCREEN_READY:
        f->stale = true;
        return true;
    case SCREEN_SIGNAL:
        return false;
    default:
        return true;
    }
}

void
follow(struct screen *screen, const struct options *o)
{
    struct follow f = {.o = o, .empty = world_new(), .stale = true};
    bool goes_on = signals_ending() == 0;

    stage_init(&f.stage, screen, o->ascii);
    while (goes_on) {
        int64_t now = clock_ns();
        if (now - f.looked_ns >= LOOK_NS)
            look(&f, now);
        if (f.outline != NULL)
            outline_advance(f.outline, now);
        fill_texts(&f, now);
        if (has_changed(&f) || f.stale)
            draw(&f);
        f.stale = f.stage.blocked;
        goes_on = turn(&f);
    }
    outline_close(f.outline);
    free(f.place.lesson);
    buf_done(&f.text);
    buf_done(&f.next);
    buf_done(&f.status);
    buf_done(&f.shown);
    stage_done(&f.stage);
    world_free(f.empty);
}
