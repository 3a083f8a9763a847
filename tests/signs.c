/* SPDX-License-Identifier: MIT */
/* The help explains every sign that a view can draw: real runs of every
 * algorithm, slow ones, faulty ones and mismatches, are drawn in every view at
 * every step, and each character that is no letter, no digit and no line must
 * be among the view's symbols. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "coll/coll.h"
#include "picture.h"
#include "play/job.h"
#include "play/play.h"
#include "tap.h"
#include "view/keys.h"
#include "view/view.h"

enum { SIGNS_MOST = 64, VIEWS_MOST = 32, INSPECTOR = VIEWS_MOST - 1 };

/* The signs that a view has drawn without explaining them. */
struct signs {
    uint32_t codes[SIGNS_MOST];
    char where[SIGNS_MOST][128]; /* the first place */
    int count;
};

static struct signs missing[VIEWS_MOST];
static int runs;

/* Lines of frames, of links and of the axis speak for themselves, and so do
 * the edges of blocks and the marks of sentences. */
static bool
speaks_for_itself(uint32_t code)
{
    return (code >= 0x2500 && code <= 0x257f &&
            code != glyph(GLYPHS_FULL, GLYPH_LOST)) ||
           code == glyph(GLYPHS_FULL, GLYPH_STRIPE) ||
           (code <= 0x7f && strchr("-|.,:;", (int)code) != NULL);
}

static bool
is_sign(uint32_t code)
{
    return code > ' ' && !speaks_for_itself(code) &&
           (code > 0x7f || !isalnum((int)code));
}

static bool
has_code(const char *text, uint32_t code)
{
    while (*text != '\0')
        if (utf8_next(&text) == code)
            return true;
    return false;
}

/* An arrowhead explains all four. */
static bool
is_glyph(enum glyph g, uint32_t code)
{
    if (g == GLYPH_RIGHT)
        for (enum glyph arrow = GLYPH_UP; arrow <= GLYPH_RIGHT; arrow++)
            if (glyph(GLYPHS_FULL, arrow) == code)
                return true;
    return glyph(GLYPHS_FULL, g) == code;
}

static bool
is_explained(const struct view *view, uint32_t code)
{
    struct help_symbols symbols = help_symbols(view);

    for (int i = 0; i < HELP_LISTS; i++)
        for (const struct symbol *s = symbols.lists[i];
             s != NULL && s->meaning != NULL; s++)
            if (s->text != NULL ? has_code(s->text, code)
                                : is_glyph(s->glyph, code))
                return true;
    return false;
}

static void
miss(struct signs *s, uint32_t code, const char *where)
{
    for (int i = 0; i < s->count; i++)
        if (s->codes[i] == code)
            return;
    if (s->count == SIGNS_MOST)
        return;
    snprintf(s->where[s->count], sizeof s->where[0], "%s", where);
    s->codes[s->count++] = code;
}

static void
look_at(const struct canvas *c, struct rect area,
        const struct view *view, struct signs *signs, const char *where)
{
    for (int y = area.y; y < area.y + area.height; y++)
        for (int x = area.x; x < area.x + area.width; x++) {
            uint32_t code = canvas_at(c, x, y)->code;
            if (is_sign(code) && !is_explained(view, code))
                miss(signs, code, where);
        }
}

static bool
suits(const struct scene *s, int view, struct rect area)
{
    struct scene asked = *s;

    asked.view = view;
    return view_choose(&asked, area) == view_at(view);
}

static void
look_at_scene(struct scene *s, struct point size, const char *where)
{
    OWN(canvas) c = {0};
    struct rect area = {0, 0, size.x, size.y};

    canvas_resize(&c, size.x, size.y);
    for (int view = 0; view_at(view) != NULL; view++) {
        if (!suits(s, view, area))
            continue;
        s->view = view;
        canvas_clear(&c, area);
        view_draw(view_at(view), s, &c, area);
        look_at(&c, area, view_at(view), &missing[view], where);
    }
    canvas_clear(&c, area);
    view_draw(&view_slots, s, &c, area);
    look_at(&c, area, &view_slots, &missing[INSPECTOR], where);
}

static void
look_at_run(struct session *session, const char *where)
{
    static const struct point sizes[] = {{78, 18}, {118, 32}};
    struct world *w = session->world;
    struct flight flights[4096];

    for (int step = 0; step <= w->nsteps; step++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            struct scene s = {.world = w};
            size_t count = 0;
            world_seek(w, step);
            look_at_scene(&s, sizes[i], where);
            if (step < w->nsteps)
                schedule_transfers(w->schedule, step + 1, &count);
            if (step < w->nsteps && count <= 4096 &&
                w->steps[step + 1].count >= count) {
                fly(&s, flights, 0.4);
                look_at_scene(&s, sizes[i], where);
            }
        }
}

static void
test_run(const char *words[])
{
    OWN(options) o;
    struct job *job = NULL;
    struct err err;
    int count = 0;
    OWN(buf) where = {0};

    for (; words[count] != NULL; count++)
        buf_addf(&where, "%s ", words[count]);
    if (!options_parse(&o, count, (char **)words, &err) ||
        (job = job_new(plan_new(o.operands[0], NULL, &o, &err))) == NULL ||
        !job_start(job, true, &err) ||
        !play_through(&job->session, job->plan->run.free, &err))
        diag("%s: %s", buf_text(&where), err.text);
    else {
        look_at_run(&job->session, buf_text(&where));
        runs++;
    }
    job_free(job);
}

#define RUN(...) test_run((const char *[]){"collviz", __VA_ARGS__, NULL})

static void
test_algorithms(const char *ranks)
{
    const struct algorithm *a;
    int i;

    for (i = 0; (a = coll_at(i)) != NULL && a->script == NULL; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s-%s", a->name, a->collective);
        RUN(name, "--backend", "threads", "--gpus", ranks);
    }
    is_int(runs, i, "every algorithm runs on %s ranks", ranks);
    runs = 0;
}

/* The first cell with a character; outside of the canvas: none. */
static struct point
first_with(const struct canvas *c, uint32_t code)
{
    int i = 0;

    while (i < c->columns * c->rows && c->cells[i].code != code)
        i++;
    return (struct point){i % c->columns, i / c->columns};
}

/* Whether a page's frame is whole: nothing is written over it. */
static bool
has_frame(const struct canvas *c)
{
    struct point a = first_with(c, 0x256d), b = first_with(c, 0x256f);
    bool whole = b.y < c->rows;

    for (int x = a.x + 1; whole && x < b.x; x++)
        whole = canvas_at(c, x, a.y)->code == 0x2500 &&
                canvas_at(c, x, b.y)->code == 0x2500;
    for (int y = a.y + 1; whole && y < b.y; y++)
        whole = canvas_at(c, a.x, y)->code == 0x2502 &&
                canvas_at(c, b.x, y)->code == 0x2502;
    return whole;
}

/* Every page of every view fits on the smallest screen. */
static void
test_pages(void)
{
    OWN(canvas) c = {0};
    int bad = 0, pages = 0;

    canvas_resize(&c, LAYOUT_COLUMNS_LEAST, LAYOUT_ROWS_LEAST);
    for (int view = 0; view == 0 || view_at(view - 1) != NULL; view++) {
        const struct view *v =
            view_at(view) != NULL ? view_at(view) : &view_slots;
        struct help h = {.on = ON_WATCH, .views = {v},
                         .nviews = 1};
        for (int page = 1; page > 0; pages++) {
            canvas_clear(&c, (struct rect){0, 0, c.columns, c.rows});
            help_draw(&h, page, &c);
            if (!has_frame(&c)) {
                diag("page %d of %s", page,
                     v->name != NULL ? v->name : "-");
                bad++;
            }
            page = help_after(&h, page, '?', c.columns, c.rows);
        }
    }
    ok(pages > 40, "several pages for each view and the inspector");
    is_int(bad, 0, "every page fits on 40x10");
}

static void
report(const struct signs *s, const char *name)
{
    if (!ok(s->count == 0, "the help explains every sign of: %s", name))
        for (int i = 0; i < s->count; i++) {
            char bytes[5] = {0};
            bytes[utf8_put(bytes, s->codes[i])] = '\0';
            diag("%s (U+%04X), as in: %s", bytes, (unsigned)s->codes[i],
                 s->where[i]);
        }
}

int
main(void)
{
    test_algorithms("4");
    test_algorithms("9");
    test_algorithms("18");
    RUN("ring-allreduce", "--gpus", "4", "--fault", "drop:1:2");
    RUN("ring-allreduce", "--gpus", "4", "--fault", "repeat:2:1");
    RUN("tree-allreduce", "--gpus", "8", "--fault", "corrupt:1:1");
    RUN("butterfly-allreduce", "--gpus", "8", "--fault", "drop:1:2");
    RUN("ring-allreduce", "--gpus", "16", "--fault", "drop:1:2");
    RUN("ring-allreduce", "--gpus", "3", "--op", "avg");
    RUN("ring-allreduce", "--gpus", "3", "--out-of-place");
    RUN("ring-allreduce", "--gpus", "4", "--pace", "free", "--delay", "2=3");
    RUN("broadcast", "--gpus", "4", "--mismatch", "2=root:1");
    RUN("ring-allreduce", "--gpus", "4", "--mismatch", "1=count:3");
    is_int(runs, 10, "so do slow, faulty and mismatched runs");
    for (int view = 0; view_at(view) != NULL; view++)
        report(&missing[view], view_at(view)->name);
    report(&missing[INSPECTOR], "the inspector");
    test_pages();
    return done_testing();
}
