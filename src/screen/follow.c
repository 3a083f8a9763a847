/* SPDX-License-Identifier: MIT */
#include "screen/follow.h"

#include <string.h>

#include "base/translate.h"
#include "lesson/podium.h"
#include "screen/stage.h"
#include "tutor/notes.h"
#include "view/frame.h"
#include "view/keys.h"

enum { LOOK_NS = 250000000 }; /* between two looks at the podium */

struct follow {
    struct stage stage;
    const struct options *o;
    struct world *empty;
    struct place place; /* lesson NULL: nothing is presented */
    struct outline outline; /* of the lesson */
    struct buf text, next, status; /* what is to be shown */
    int64_t looked_ns;
};

/* Looks at the podium, and plays another lesson for what comes next. */
static void
look(struct follow *f, int64_t now)
{
    struct place seen;
    struct options o;
    bool same;

    f->looked_ns = now;
    podium_look(&seen);
    same = f->place.lesson != NULL && seen.lesson != NULL &&
           strcmp(f->place.lesson, seen.lesson) == 0 &&
           f->place.gpus == seen.gpus;
    podium_place_done(&f->place);
    f->place = seen;
    if (same)
        return;
    outline_done(&f->outline);
    if (seen.lesson == NULL)
        return;
    options_copy(&o, f->o);
    o.nranks = seen.gpus;
    outline_init(&f->outline, seen.lesson, &o);
    options_done(&o);
}

static void
fill_texts(struct follow *f, int64_t now)
{
    const struct place *p = &f->place;
    const struct outline *o = &f->outline;
    bool known;

    buf_clear(&f->text);
    buf_clear(&f->next);
    buf_clear(&f->status);
    podium_add_status(p, now, &f->status);
    if (p->lesson == NULL) {
        buf_puts(&f->text, _("No lesson is being presented. On another "
                             "terminal:\ncollviz learn LESSON --present"));
        return;
    }
    if (p->page == 0) {
        buf_puts(&f->text, _("The lesson is over."));
        return;
    }
    known = outline_has(o, p->page, p->first);
    if (known && o->complete)
        buf_addf(&f->text, _("Page %d of %d"), p->page, (int)o->count);
    else
        buf_addf(&f->text, _("Page %d"), p->page);
    buf_addf(&f->text, ": %s\n\n%s", p->first, p->notes);
    if (known && (size_t)p->page < o->count)
        buf_addf(&f->next, _("next: %s"), o->pages[p->page]);
}

static bool
draw(void *self, struct canvas *c)
{
    struct follow *f = self;
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

    frame_draw(&scene, &(struct surround){.panel = &panel}, c);
    return true;
}

static bool
advance(void *self, int64_t now, struct err *err)
{
    struct follow *f = self;

    (void)err;
    if (now - f->looked_ns >= LOOK_NS)
        look(f, now);
    outline_advance(&f->outline, now);
    fill_texts(f, now);
    return true;
}

static struct pause
wait_for(const void *self, int64_t now)
{
    const struct follow *f = self;
    int64_t plays = outline_due(&f->outline, now);
    int64_t looks = f->looked_ns + LOOK_NS;

    return (struct pause){.due_ns = plays < looks ? plays : looks,
                          .fd = outline_fd(&f->outline)};
}

static bool
answer(void *self, int request, struct err *err)
{
    struct follow *f = self;

    (void)err;
    f->stage.over = request == DO_QUIT;
    return true;
}

bool
follow(const struct options *o, struct err *err)
{
    static const struct act act = {.accent = ROLE_LEARN, .draw = draw,
                                   .on = ON_NOTES, .request = answer,
                                   .advance = advance, .pause = wait_for};
    struct follow f = {.o = o, .empty = world_new()};
    bool ok = stage_run(&f.stage, NULL, o->ascii, &act, &f, err);

    outline_done(&f.outline);
    podium_place_done(&f.place);
    buf_done(&f.text);
    buf_done(&f.next);
    buf_done(&f.status);
    world_free(f.empty);
    return ok;
}
