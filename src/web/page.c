/* SPDX-License-Identifier: MIT */
#include "web/page.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "model/holdup.h"
#include "term/svg.h"
#include "text/text.h"
#include "text/words.h"
#include "tutor/read.h"
#include "view/frame.h"
#include "web/page_css.h"
#include "web/page_js.h"

/* "<p class="quiet">two\nlines</p>", or nothing if the text is "". */
static void
add_xml_element(struct buf *out, const char *tag, const char *text)
{
    if (text[0] == '\0')
        return;
    buf_addf(out, "<%s>", tag);
    utf8_add_xml_lines(out, text);
    buf_addf(out, "</%.*s>\n", (int)strcspn(tag, " "), tag);
}

void
page_begin(const char *title, const char *more, struct buf *out)
{
    /* TRANSLATORS: the language of these messages, as HTML calls it: zh-CN */
    buf_addf(out, "<!DOCTYPE html>\n"
             "<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"%s\">\n"
             "<head><meta charset=\"utf-8\"/>\n"
             "<meta name=\"viewport\" content=\"width=device-width, "
             "initial-scale=1\"/>\n%s", _("en"), more);
    add_xml_element(out, "title", title);
}

static void
open_page(const char *title, const char *about, struct buf *out)
{
    page_begin(title, "<meta http-equiv=\"Content-Security-Policy\" content=\""
               "default-src 'none'; style-src 'unsafe-inline'; "
               "script-src 'unsafe-inline'\"/>\n", out);
    buf_puts(out, "<style>\n");
    svg_add_page_style(out);
    buf_addf(out, "%s</style></head>\n<body>\n<header>\n", page_css);
    add_xml_element(out, "h1", title);
    add_xml_element(out, "p", about);
    buf_puts(out, "</header>\n<main>\n");
}

/* Ends the <main>.  The page still lacks the rows of its frames. */
static void
add_controls(int sections, bool plays, struct buf *out)
{
    const char *const buttons[][2] = {
        {"first", _("First")}, {"back", _("Back")}, {"play", _("Play")},
        {"next", _("Next")}, {"last", _("Last")}};

    buf_puts(out, "</main>\n<nav hidden=\"hidden\">\n");
    for (int i = 0; i < 5; i++)
        if (plays || strcmp(buttons[i][0], "play") != 0)
            buf_addf(out, "<button type=\"button\" id=\"%s\">%s</button>\n",
                     buttons[i][0], buttons[i][1]);
    buf_addf(out, "<input type=\"range\" id=\"slider\" min=\"0\" max=\"%d\" "
             "value=\"0\" aria-label=\"%s\"/>\n", sections - 1, _("Where"));
    add_xml_element(out, "small", plays ? _("← → Home End  space: play")
                                        : _("← → Home End  a: the answer"));
    buf_puts(out, "</nav>\n<p id=\"said\" class=\"unseen\" role=\"status\">"
                  "</p>\n");
}

static void
close_page(struct buf *out)
{
    buf_addf(out, "<script>//<![CDATA[\n%s//]]></script>\n</body>\n</html>\n",
             page_js);
}

/* Runs. */

struct reel {
    json_t *rows; /* an object: its keys are the SVG of all rows of cells, its
                   * values their numbers in the page; -1: it has none yet */
    struct shot { /* a frame */
        int step;
        int64_t ms;
        const char **rows; /* keys */
    } *shots;
    size_t nshots, capacity;
    struct rect box; /* all that is drawn in any frame */
    int in_page;     /* rows with a number */
};

/* The key for a row, the same one however often it is drawn. */
static const char *
keep_row(struct reel *r, const char *text)
{
    if (json_object_get(r->rows, text) == NULL)
        json_object_set_new(r->rows, text, json_integer(-1));
    return json_object_iter_key(json_object_iter_at(r->rows, text));
}

/* Widens the box to what is drawn in this area. */
static void
widen_box(struct rect *box, const struct canvas *c, struct rect area)
{
    for (int y = area.y; y < area.y + area.height; y++)
        for (int x = area.x; x < area.x + area.width; x++) {
            const struct cell *cell = canvas_at(c, x, y);
            int right = x + 1, bottom = y + 1;
            if (cell->code <= ' ' && pen_same(cell->pen, plain))
                continue;
            if (box->width > 0) {
                right = most(right, box->x + box->width);
                bottom = most(bottom, box->y + box->height);
            }
            box->x = box->width > 0 ? least(box->x, x) : x;
            box->y = box->width > 0 ? least(box->y, y) : y;
            box->width = right - box->x;
            box->height = bottom - box->y;
        }
}

/* Leaves of a frame the picture and, below it, the bytes sent: the page has the
 * words.  Returns their area. */
static struct rect
trim_frame(struct canvas *c)
{
    struct rect area = {0, 0, c->columns, c->rows};
    struct layout l;

    if (!layout(c->columns, c->rows, false, &l))
        return area;
    for (int x = 0; l.traffic >= 0 && x < c->columns; x++)
        *canvas_at(c, x, l.next) = *canvas_at(c, x, l.traffic);
    canvas_clear(c, (struct rect){0, l.now, c->columns, 1});
    return (struct rect){0, l.picture.y, c->columns,
                         l.next - l.picture.y + (l.traffic >= 0)};
}

static void
add_shot(struct reel *r, struct film *f)
{
    const struct player *p = &f->player;
    struct shot shot = {
        .step = p->step > 0 ? p->step : p->session->world->position,
        .ms = f->ms,
        .rows = mem_new((size_t)f->canvas.rows, sizeof *shot.rows),
    };
    OWN(buf) row = {0};

    if (shot.step > world_complete_steps(p->session->world)) {
        free(shot.rows); /* a step that never ends has no page */
        return;
    }
    widen_box(&r->box, &f->canvas, trim_frame(&f->canvas));
    for (int y = 0; y < f->canvas.rows; y++) {
        buf_clear(&row);
        svg_add_row(&f->canvas, y, &row);
        shot.rows[y] = keep_row(r, buf_text(&row));
    }
    r->shots = mem_grow(r->shots, r->nshots, &r->capacity, sizeof *r->shots);
    r->shots[r->nshots++] = shot;
}

static void
reel_done(struct reel *r)
{
    for (size_t i = 0; i < r->nshots; i++)
        free(r->shots[i].rows);
    free(r->shots);
    json_decref(r->rows);
}

/* The number of a row that is in the page, from now on. */
static int
number_row(struct reel *r, const char *row)
{
    json_t *number = json_object_get(r->rows, row);

    if (json_integer_value(number) < 0)
        json_integer_set(number, r->in_page++);
    return (int)json_integer_value(number);
}

/* Opens the section of a step, whose frames are those from *at on; the last one
 * is at rest.  "90 3 17 4 18;": for 90 ms row 3 is number 17, and row 4 number
 * 18. */
static void
open_step_section(struct reel *r, int step, size_t *at, int64_t end_ms,
                  struct buf *out)
{
    size_t rest = *at;

    while (rest + 1 < r->nshots && r->shots[rest + 1].step == step)
        rest++;
    buf_addf(out, "<section id=\"s%d\" data-ms=\"%lld\" data-frames=\"", step,
             (long long)((rest + 1 < r->nshots ? r->shots[rest + 1].ms
                                               : end_ms) -
                         r->shots[rest].ms));
    for (; *at < rest; ++*at) {
        const struct shot *shot = &r->shots[*at];
        buf_addf(out, "%lld", (long long)(shot[1].ms - shot->ms));
        for (int y = r->box.y; y < r->box.y + r->box.height; y++)
            if (shot->rows[y] != r->shots[rest].rows[y])
                buf_addf(out, " %d %d", y - r->box.y,
                         number_row(r, shot->rows[y]));
        buf_putc(out, ';');
    }
    *at = rest + 1;
    buf_puts(out, "\">\n");
}

/* Appends the rows with a number, in their order. */
static void
add_rows(const struct reel *r, struct buf *out)
{
    const char **all = mem_new((size_t)r->in_page + 1, sizeof *all), *row;
    json_t *number;

    json_object_foreach(r->rows, row, number) {
        if (json_integer_value(number) >= 0)
            all[json_integer_value(number)] = row;
    }
    buf_puts(out, "<svg id=\"rows\" width=\"0\" height=\"0\"><defs>\n");
    for (int i = 0; i < r->in_page; i++)
        buf_addf(out, "<g>%s</g>\n", all[i]);
    buf_puts(out, "</defs></svg>\n");
    free(all);
}

/* A step's picture and text; of the last one also the result. */
static void
add_step_section(struct film *f, int step, bool last, struct rect box,
                 struct buf *out)
{
    struct world *w = f->player.session->world;
    OWN(buf) text = {0}, now = {0}, head = {0};
    OWN(step_rows) rows = {0};
    struct scene scene;

    text_step_head(w, step, false, &head);
    text_step_rows(w, step, false, &rows);
    step_rows_add(&rows, &text);
    film_still(f, step);
    trim_frame(&f->canvas);
    scene = film_scene(f);
    words_now(&scene, 1000, &now);
    buf_puts(out, "<figure>\n");
    svg_add_fragment(&f->canvas, box, "", buf_text(&head), "", out);
    buf_puts(out, "</figure>\n<div>\n");
    add_xml_element(out, "h2", buf_text(&head));
    add_xml_element(out, "p", buf_text(&now));
    add_xml_element(out, "pre", buf_text(&text));
    if (last) {
        buf_clear(&text);
        text_result(w, &text);
        add_xml_element(out, "pre class=\"result\"", buf_text(&text));
    }
    buf_puts(out, "</div>\n</section>\n");
}

void
page_run(struct film *f, struct buf *out)
{
    struct world *w = f->player.session->world;
    OWN(reel) reel = {.rows = json_object()};
    OWN(buf) title = {0}, where = {0};
    size_t at = 0;

    while (film_next(f))
        add_shot(&reel, f);
    text_title(w->schedule, &title);
    text_where(w, &where);
    open_page(buf_text(&title), buf_text(&where), out);
    for (int step = 0; at < reel.nshots; step++) {
        open_step_section(&reel, step, &at, f->ms, out);
        add_step_section(f, step, at == reel.nshots, reel.box, out);
    }
    add_controls(reel.shots[reel.nshots - 1].step + 1, true, out);
    add_rows(&reel, out);
    close_page(out);
}

/* Lessons. */

struct deck {
    const struct tutor_seen *seen; /* of its tutor */
    const struct options *o;
    struct buf *out;
    int sections, questions;
    bool open; /* the section of a question waits for its answer */
    struct shown {
        int run, position, tables;
    } last; /* the picture of the last section */
};

static void
close_section(struct deck *d)
{
    buf_puts(d->out, d->open ? "</div>\n</section>\n" : "");
    d->open = false;
}

/* What the screen shows above the text, with its words for screen readers: a
 * table, a figure or the run; with an answer, what has changed. */
static void
add_shown(struct deck *d, bool asks)
{
    const struct tutor_seen *t = d->seen;
    const struct picture *shown = &t->picture;
    const struct question *q = &t->question;
    bool about = asks || page_answers(t->page.kind);
    struct asked_slot asked = {about ? q->rank : -1, about ? q->slot : -1};
    struct panel panel = {.title = "", .text = " ", .table = shown->table,
                          .figure = shown->figure, .chosen = -1,
                          .refused = -1, .right = -1, .progress = -1,
                          .asked = asked};
    struct world *w = picture_world(shown);
    OWNS(world) *empty = w == NULL ? world_new() : NULL;
    struct scene scene = {
        .world = empty != NULL ? empty : w,
        .target = -1, .view = -1, .taught = true,
        .asked = &asked,
        .hides = asks && q->predicts,
        .trail = asks ? NULL : t->page.trail,
    };
    struct rect box = {0};
    OWN(canvas) c = {0};
    struct layout l;
    struct shown here = {shown->shown,
                         empty != NULL ? 0 : scene.world->position,
                         shown->table != NULL ? shown->tables : 0};
    OWN(buf) id = {0}, words = {0};

    if (about && !asks && memcmp(&here, &d->last, sizeof here) == 0)
        return; /* nothing has changed since the question */
    d->last = here;
    if (shown->table != NULL && shown->figure == NULL)
        add_xml_element(d->out, "pre class=\"shown\"", shown->table);
    if (shown->figure == NULL && (shown->table != NULL || empty != NULL))
        return;
    if (empty == NULL)
        player_show(&shown->player, clock_ns(), &scene);
    if (scene.awaited_ns > 0) /* nobody has waited: the lesson hurries */
        scene.awaited_ns = asks ? 0 : HOLDUP_NS;
    c.glyphs = d->o->ascii ? GLYPHS_ASCII : GLYPHS_FULL;
    canvas_resize(&c, d->o->columns, d->o->rows);
    if (layout(c.columns, c.rows, true, &l)) {
        frame_draw(&scene, &(struct surround){.panel = &panel}, &c);
        widen_box(&box, &c, (struct rect){0, l.picture.y, c.columns,
                                          l.picture.height});
    }
    if (box.width > 0) {
        if (shown->figure == NULL && scene.step == 0)
            text_step(w, scene.world->position, false, &words);
        buf_addf(&id, "s%d%s", d->sections, about && !asks ? "a" : "");
        buf_puts(d->out, "<figure>\n");
        svg_add_fragment(&c, box, buf_text(&id), _("picture"),
                         shown->figure != NULL ? shown->table
                                               : buf_text(&words), d->out);
        buf_puts(d->out, "</figure>\n");
    }
}

/* Begins a section, whose text goes into the <div> that is left open. */
static void
open_section(struct deck *d, const char *head)
{
    close_section(d);
    buf_addf(d->out, "<section id=\"s%d\">\n", d->sections);
    add_shown(d, d->seen->state == TUTOR_ASKS);
    d->sections++;
    d->open = true;
    buf_puts(d->out, "<div>\n");
    add_xml_element(d->out,
                    head != d->seen->card.title ? "h2"
                                                 : "h2 class=\"unseen\"",
                    head);
}

static void
add_question(void *self)
{
    struct deck *d = self;
    const struct question *q = &d->seen->question;
    OWN(buf) head = {0}, form = {0};

    buf_addf(&head, _("Question %d"), ++d->questions);
    open_section(d, buf_text(&head));
    add_xml_element(d->out, "p", q->text);
    if (question_kind(q)->explain != NULL) {
        question_kind(q)->explain(q, &form);
        add_xml_element(d->out, "p", buf_text(&form));
    }
    buf_puts(d->out, q->nitems > 0 ? "<ol type=\"a\">\n" : "");
    for (int i = 0; i < q->nitems; i++)
        add_xml_element(d->out, "li", question_item(q, q->shown[i]));
    buf_puts(d->out, q->nitems > 0 ? "</ol>\n" : "");
    for (int i = 0; i < q->nhints; i++) {
        buf_puts(d->out, "<details>");
        add_xml_element(d->out, "summary", _("A hint"));
        add_xml_element(d->out, "p", q->hints[i]);
        buf_puts(d->out, "</details>\n");
    }
}

static void
add_page(void *self)
{
    struct deck *d = self;
    const struct page *page = &d->seen->page;

    open_section(d, page->kind == PAGE_PLAY       ? _("Now you.")
                    : page->kind == PAGE_REMEMBER ? _("To remember")
                    : page->kind == PAGE_USED     ? _("Where it is used")
                                                  : d->seen->card.title);
    add_xml_element(d->out, "p", page->text);
    close_section(d);
}

/* The choices once more: which is right, and why others are wrong. */
static void
add_judged(const struct question *q, const json_t *truth, struct buf *out)
{
    buf_puts(out, "<ol type=\"a\" class=\"judged\">\n");
    for (int i = 0; i < q->nitems; i++) {
        const char *why = question_choice_line(q, q->shown[i]);
        bool right = q->shown[i] == json_integer_value(truth);
        buf_puts(out, right ? "<li>✓ " : "<li>✗ ");
        add_xml_element(out, right ? "b class=\"right\"" : "b class=\"wrong\"",
                        question_item(q, q->shown[i]));
        if (why != NULL)
            add_xml_element(out, "span class=\"quiet\"", why);
        buf_puts(out, "</li>\n");
    }
    buf_puts(out, "</ol>\n");
}

/* The answer to the question, and what is wrong with others. */
static void
add_answer_details(void *self)
{
    struct deck *d = self;
    const struct question *q = &d->seen->question;
    json_t *step;
    OWN(buf) line = {0};
    size_t i;

    if (!d->open) {
        add_page(d);
        return;
    }
    buf_puts(d->out, "<details class=\"answer\">");
    add_xml_element(d->out, "summary", _("The answer"));
    add_xml_element(d->out, "p", d->seen->page.text);
    if (question_kind(q)->steps)
        json_array_foreach (record_truth(&d->seen->record), i, step)
            add_xml_element(d->out, "pre", json_string_value(step));
    if (question_kind(q)->chooses)
        add_judged(q, record_truth(&d->seen->record), d->out);
    for (int k = 0; k < q->nlines && !question_kind(q)->chooses; k++) {
        OWN(buf) answer = {0};
        question_answer_text(q, q->lines[k].answer, &answer);
        buf_clear(&line);
        buf_addf(&line, _("not %s: "), buf_text(&answer));
        buf_puts(&line, q->lines[k].text);
        add_xml_element(d->out, "p class=\"quiet\"", buf_text(&line));
    }
    add_shown(d, false);
    buf_puts(d->out, "</details>\n");
}

static bool
open_lesson_page(void *self, struct err *err)
{
    const struct deck *d = self;
    const struct card *card = &d->seen->card;

    if (d->o->lecture && card->lecture == 0) {
        err_set(err, "--lecture: '%s' is not part of the lecture, whose plan "
                "is 'collviz learn --lecture --plain'", card->title);
        return err_typed(err);
    }
    open_page(card->title, card->idea, d->out);
    return true;
}

bool
page_lesson(const char *path, const struct options *o, struct buf *out,
            struct err *err)
{
    static const struct tutor_reader sections = {
        open_lesson_page, add_page, add_question, add_answer_details};
    static const struct tutor_how how = {.unwatched = true};
    struct tutor *t = tutor_open(path, o, &how, err);
    struct deck d = {.o = o, .out = out};
    bool ok;

    if (t == NULL)
        return false;
    d.seen = tutor_seen(t);
    ok = tutor_read(t, &sections, &d, err);
    close_section(&d);
    add_controls(d.sections, false, out);
    close_page(out);
    tutor_close(t);
    return ok;
}
