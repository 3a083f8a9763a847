/* SPDX-License-Identifier: MIT */
#include "screen/follow.h"

#include <string.h>

#include "base/clock.h"
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
    struct outline outline; /* of the lesson */
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

/* Plays the lesson for what comes next. */
static void
begin_outline(struct follow *f)
{
    struct options o;

    outline_done(&f->outline);
    if (f->place.lesson == NULL)
        return;
    options_copy(&o, f->o);
    o.nranks = f->place.gpus;
    outline_init(&f->outline, f->place.lesson, &o);
    options_done(&o);
}

static void
look(struct follow *f, int64_t now)
{
    struct place seen;
    bool same;

    f->looked_ns = now;
    podium_look(&seen);
    same = is_same_lesson(&f->place, &seen);
    podium_place_done(&f->place);
    f->place = seen;
    if (!same)
        begin_outline(f);
}

/* What is shown. */

static void
add_page(struct follow *f)
{
    const struct place *p = &f->place;
    const struct outline *o = &f->outline;
    bool known = outline_has(o, p->page, p->first);

    if (known && o->complete)
        buf_addf(&f->text, _("Page %d of %d"), p->page, (int)o->count);
    else
        buf_addf(&f->text, _("Page %d"), p->page);
    buf_addf(&f->text, ": %s\n\n%s", p->first, p->notes);
    if (known && (size_t)p->page < o->count)
        buf_addf(&f->next, _("next: %s"), o->pages[p->page]);
}

static void
fill_texts(struct follow *f, int64_t now)
{
    buf_clear(&f->text);
    buf_clear(&f->next);
    buf_clear(&f->status);
    if (f->place.lesson == NULL)
        buf_puts(&f->text, _("No lesson is being presented. On another "
                             "terminal:\ncollviz learn LESSON --present"));
    else if (f->place.page == 0)
        buf_puts(&f->text, _("The lesson is over."));
    else
        add_page(f);
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
             f->place.lesson != NULL ? f->place.title : "",
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
    bool presented = f->place.lesson != NULL;
    struct panel panel = {
        .number = f->place.number,
        .title = presented ? f->place.title : "collviz",
        .progress = presented ? f->place.progress : -1,
        .full = true, .headed = presented,
        .text = buf_text(&f->text),
        .chosen = -1, .refused = -1, .right = -1, .asked.rank = -1,
        .aside = f->next.length > 0 ? buf_text(&f->next) : NULL,
        .status = f->status.length > 0 ? buf_text(&f->status) : NULL,
        .keys = {.on = ON_NOTES, .glyphs = f->stage.glyphs},
    };
    struct scene scene = {.world = f->empty, .target = -1, .view = -1,
                          .glyphs = f->stage.glyphs,
                          .colourless = f->stage.colourless,
                          .taught = true};

    frame_draw(&scene, &(struct surround){.panel = &panel},
               stage_canvas(&f->stage));
    stage_show(&f->stage);
}

/* The loop. */

static bool
turn(struct follow *f)
{
    int64_t now = clock_ns(), due = f->looked_ns + LOOK_NS;
    int64_t plays = outline_due(&f->outline, now);
    int key;

    f->stage.stale = false; /* it waits for the next look */
    switch (stage_wait(&f->stage, outline_fd(&f->outline),
                       plays < due ? plays : due, false, &key)) {
    case SCREEN_KEY:
        return keys_request(ON_NOTES, 0, key) != DO_QUIT;
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

    stage_init(&f.stage, screen, o->ascii, ROLE_LEARN);
    while (goes_on) {
        int64_t now = clock_ns();
        if (now - f.looked_ns >= LOOK_NS)
            look(&f, now);
        outline_advance(&f.outline, now);
        fill_texts(&f, now);
        if (has_changed(&f) || f.stale)
            draw(&f);
        f.stale = f.stage.blocked;
        goes_on = turn(&f);
    }
    outline_done(&f.outline);
    podium_place_done(&f.place);
    buf_done(&f.text);
    buf_done(&f.next);
    buf_done(&f.status);
    buf_done(&f.shown);
    stage_done(&f.stage);
    world_free(f.empty);
}
