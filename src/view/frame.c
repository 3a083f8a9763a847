/* SPDX-License-Identifier: MIT */
#include "view/frame.h"

#include <stdio.h>

#include "base/translate.h"
#include "base/utf8.h"
#include "draw/glyph.h"
#include "draw/wrap.h"
#include "schedule/pattern.h"
#include "text/reading.h"
#include "text/text.h"
#include "text/words.h"
#include "view/inspect.h"
#include "view/keys.h"
#include "view/panel.h"
#include "view/panes.h"
#include "view/progress.h"
#include "view/too_small.h"
#include "view/traffic.h"
#include "view/view.h"

static const struct pen plain = {0}, quiet = {.fg = ROLE_QUIET},
                        strong = {.attrs = ATTR_BOLD},
                        warning = {.fg = ROLE_WARNING, .attrs = ATTR_BOLD};

static bool
is_narrow(const struct layout *l)
{
    return l->width < LAYOUT_COLUMNS_FULL - 2;
}

/* The parts of the title that may have to be left out. */
struct title {
    bool brand; /* "collviz" */
    struct buf name, wrong, where, what;
};

/* "! mismatch 2=root:1": what is wrong on purpose. */
static void
add_wrong(const struct run_info *run, struct buf *out)
{
    if (run->mismatch[0] != '\0')
        buf_addf(out, _("! mismatch %s"), run->mismatch);
    if (run->fault[0] != '\0')
        buf_addf(out, _("! fault %s"), run->fault);
    if (run->delay[0] != '\0') {
        buf_puts(out, out->length > 0 ? "  " : "");
        buf_addf(out, _("! delay %s"), run->delay);
    }
}

/* "float32 sum, 6 elements" */
static void
add_what(const struct world *w, struct buf *out)
{
    int64_t count = w->run->count;

    buf_puts(out, dtype_name(w->run->type));
    if (w->schedule->collective->reduces)
        buf_addf(out, " %s", redop_name(w->run->op));
    buf_addf(out,
             ngettext(", %lld element", ", %lld elements",
                      (unsigned long)count), (long long)count);
}

/* The columns of the parts, with two between them. */
static int
title_columns(const struct title *t)
{
    int columns = utf8_columns(buf_text(&t->name)) +
                  (t->brand ? (int)sizeof "collviz" + 1 : 0);

    if (t->wrong.length > 0)
        columns += utf8_columns(buf_text(&t->wrong)) + 2;
    if (t->where.length > 0)
        columns += utf8_columns(buf_text(&t->where)) + 2;
    if (t->what.length > 0)
        columns += utf8_columns(buf_text(&t->what)) + 2;
    return columns;
}

/* Leaves out what there is no room for, first "collviz", then where it runs,
 * but not the name. */
static void
shorten_title(const struct world *w, int room, struct title *t)
{
    bool brand = t->brand;

    t->brand = false;
    if (title_columns(t) > room) {
        buf_clear(&t->where);
        text_gpus(w, &t->where);
    }
    if (title_columns(t) > room)
        buf_clear(&t->where);
    if (title_columns(t) > room)
        buf_clear(&t->what);
    t->brand = brand;
    t->brand = brand && title_columns(t) <= room;
}

/* Draws the title. */
static void
draw_title(const struct scene *s, struct canvas *c, const struct layout *l)
{
    const struct world *w = s->world;
    struct title t = {.brand = !is_narrow(l)};
    int x = l->margin, end = x + l->width, left;

    if (w->schedule != NULL) {
        text_title(w->schedule, &t.name);
        add_wrong(w->run, &t.wrong);
        add_what(w, &t.what);
        text_where(w, &t.where);
        left = s->replay ? utf8_columns(_("replay")) + 1 : 0;
        shorten_title(w, l->width - left, &t);
    }
    if (t.brand)
        x += canvas_puts(c, x, l->title, "collviz", quiet) + 2;
    if (s->replay)
        x += canvas_puts(c, t.brand ? x - 1 : x, l->title, _("replay"),
                         quiet) + 1;
    if (w->schedule == NULL) {
        canvas_puts(c, x, l->title, _("preparing the run ..."), plain);
        return;
    }
    x += canvas_puts_within(c, x, l->title, end - x, buf_text(&t.name),
                            (struct pen){.fg = ROLE_ACCENT,
                                         .attrs = ATTR_BOLD}) + 2;
    if (x < end && t.wrong.length > 0)
        x += canvas_puts_within(c, x, l->title, end - x, buf_text(&t.wrong),
                                warning) + 2;
    end -= utf8_columns(buf_text(&t.what));
    canvas_puts(c, end, l->title, buf_text(&t.what), plain);
    left = (end - 2 - x - utf8_columns(buf_text(&t.where))) / 2;
    canvas_puts(c, x + (left > 0 ? left : 0), l->title, buf_text(&t.where),
                plain);
    buf_done(&t.name);
    buf_done(&t.wrong);
    buf_done(&t.where);
    buf_done(&t.what);
}

static void
put_line(struct canvas *c, int x, int y, const struct wrap *w, struct pen pen)
{
    for (const char *p = w->line; p < w->line + w->length;) {
        uint32_t code = utf8_next(&p);
        canvas_put(c, x, y, code, pen);
        x += utf8_width(code);
    }
}

/* Draws text in at most so many rows.  If they are too few, the last one ends
 * with an ellipsis.  Returns the number of rows. */
static int
put_text(struct canvas *c, struct rect area, const char *text, struct pen pen)
{
    struct wrap w = {.text = text, .columns = area.width};
    int y = area.y, last = area.y + area.height - 1;

    for (; y < last && wrap_next(&w); y++)
        put_line(c, area.x, y, &w, pen);
    while (*w.text == ' ')
        w.text++;
    if (*w.text != '\0')
        canvas_puts_within(c, area.x, y++, area.width, w.text, pen);
    return y - area.y;
}

/* A warning begins with a sign, and so does the verdict, on a ground of its
 * own.  A cycle of waits takes many words. */
static void
draw_toned(const struct scene *s, struct canvas *c, struct rect area,
           const char *text, enum words_tone tone)
{
    struct pen right = {.fg = (uint8_t)palette_ink(ROLE_CORRECT),
                        .bg = ROLE_CORRECT, .attrs = ATTR_BOLD};
    int mark = 0;

    if (tone == WORDS_WRONG)
        mark = canvas_puts(c, area.x, area.y, "! ", warning);
    if (tone == WORDS_CORRECT) {
        canvas_puts(c, area.x, area.y, "   ", right);
        canvas_put(c, area.x + 1, area.y, glyph(s->glyphs, GLYPH_YES), right);
        mark = 3 + canvas_puts(c, area.x + 3, area.y, _("correct"), right);
        canvas_put(c, area.x + mark, area.y, ' ', right);
        mark += 2;
    }
    area.x += mark;
    area.width -= mark;
    put_text(c, area, text,
             tone == WORDS_WRONG ? (struct pen){.fg = ROLE_WARNING} : plain);
}

/* The columns that the sentence about the scene's step may take. */
static int
columns_now(const struct layout *l)
{
    return l->width * (l->words - 1);
}

static void
draw_words(const struct scene *s, struct canvas *c, const struct layout *l)
{
    struct rect area = {l->margin, l->now, l->width, l->words - 1};
    struct buf now = {0}, next = {0};
    int rows = l->words;
    enum words_tone tone;
    bool wrong;

    words_now(s, columns_now(l), &now);
    tone = words_next(s, l->width, &next);
    wrong = tone == WORDS_WRONG;
    if (wrong && l->traffic > l->now + l->words)
        rows++; /* the blank row */
    if (wrap_rows(buf_text(&next), l->width) > 1)
        area.height = 1;
    if (!wrong || wrap_rows(buf_text(&next), l->width - 2) < rows) {
        area.y += put_text(c, area, buf_text(&now), strong);
        if (area.y < l->next)
            area.y = l->next; /* there was nothing to say */
    } /* else the warning needs all rows */
    area.height = l->now + rows - area.y;
    draw_toned(s, c, area, buf_text(&next), tone);
    buf_done(&now);
    buf_done(&next);
}

struct key_line
frame_keys(const struct scene *s)
{
    bool at_slot = s->inspect || s->trail != NULL;
    struct key_line l = {.keys = watch_keys, .glyphs = s->glyphs,
                         .speed = s->speed, .back = s->back};

    if (s->panel != NULL) {
        l.keys = s->panel->keys;
        l.state = s->panel->state;
        return l;
    }
    l.state = (s->playing ? KEY_PLAYING : 0) |
              (s->inspect ? KEY_INSPECTING : 0) |
              (at_slot ? KEY_AT_SLOT : 0) |
              (at_slot || s->typed != NULL ? KEY_ON_TOP : 0) |
              (s->in_lesson ? KEY_IN_LESSON : 0) |
              (s->back != NULL ? KEY_VISITING : 0);
    return l;
}

/* Draws the keys, after the digits typed before one. */
static void
draw_keys(const struct scene *s, struct canvas *c, const struct layout *l)
{
    struct key_line keys = frame_keys(s);
    int x = l->margin + (s->panel != NULL);

    if (s->panel == NULL && s->typed != NULL)
        x += canvas_puts(c, x, l->keys, s->typed, strong) + 2;
    keys_draw(&keys, c, x, l->keys);
}

/* The row for what a lesson asks the learner to do: blank on most screens. */
static int
task_row(const struct layout *l)
{
    if (l->picture.y > l->progress + 1)
        return l->progress + 1;
    return l->traffic >= 0 ? l->traffic : l->keys - 1;
}

static void
draw_task(const struct scene *s, struct canvas *c, const struct layout *l)
{
    int y = task_row(l);

    canvas_clear(c, (struct rect){0, y, c->columns, 1});
    canvas_puts_within(c, l->margin, y, l->width, s->task,
                       (struct pen){.fg = ROLE_CURRENT, .attrs = ATTR_BOLD});
}

static const char *
notice_mark(const struct scene *s)
{
    return s->alarm ? "! " : "";
}

static int
notice_rows(const struct scene *s, const struct layout *l)
{
    return s->notice != NULL
               ? wrap_rows(s->notice,
                           l->width - utf8_columns(notice_mark(s)))
               : 0;
}

/* Draws the whole notice, in as many rows as it needs, right above the keys or
 * what the lesson asks for. */
static void
draw_notice(const struct scene *s, struct canvas *c, const struct layout *l)
{
    struct pen pen = s->alarm ? (struct pen){.fg = ROLE_WARNING} : plain;
    const char *mark = notice_mark(s);
    int indent = utf8_columns(mark), last, y;
    struct wrap w = {.text = s->notice, .columns = l->width - indent};

    last = s->panel == NULL && l->traffic >= 0 ? l->traffic : l->keys - 1;
    last -= s->task != NULL && task_row(l) == last;
    y = last + 1 - notice_rows(s, l);
    canvas_clear(c, (struct rect){0, y, c->columns, last + 1 - y});
    canvas_puts(c, l->margin, y, mark, warning);
    for (; wrap_next(&w); y++)
        put_line(c, l->margin + indent, y, &w, pen);
}

/* The views that are shown. */
static struct panes
panes_of(const struct scene *s, struct rect picture)
{
    struct panes p = {.count = 1}; /* nothing is shown yet */

    if (s->world->schedule != NULL)
        panes_arrange(&p, s, picture);
    return p;
}

struct help
frame_help(const struct scene *s, int columns, int rows)
{
    struct key_line line = frame_keys(s);
    struct help h = {.keys = line.keys, .state = line.state};
    struct layout l;
    struct panes p;

    if (!layout(columns, rows, s->panel != NULL, &l))
        return h;
    p = panes_of(s, l.picture);
    for (; h.nviews < p.count; h.nviews++)
        h.views[h.nviews] = p.panes[h.nviews].view;
    return h;
}

static bool
is_ready(const struct scene *s)
{
    return s->world->schedule != NULL && world_step_complete(s->world, 0);
}

struct frame_target
frame_at(const struct scene *s, int columns, int rows, struct point at)
{
    struct layout l;
    int number;

    if (!layout(columns, rows, s->panel != NULL, &l) || !is_ready(s))
        return (struct frame_target){FRAME_NOTHING, 0};
    if (at.y == l.progress && (number = progress_at(s, &l, at.x)) > 0)
        return (struct frame_target){FRAME_STEP, number};
    if ((number = panes_rank_at(s, l.picture, at)) >= 0)
        return (struct frame_target){FRAME_RANK, number};
    return (struct frame_target){FRAME_NOTHING, 0};
}

static void
draw_lesson(const struct scene *s, struct canvas *c, const struct layout *l)
{
    struct layout raised = *l;

    if (!s->panel->full && s->panel->table == NULL && is_ready(s)) {
        progress_draw(s, c, l);
        panes_draw(s, c, l->picture);
    }
    panel_make_room(s->panel, notice_rows(s, l), &raised);
    panel_draw(s->panel, s->glyphs, c, &raised);
    if (s->panel->text[0] == '\0' && !s->panel->full && is_ready(s) &&
        s->panel->table == NULL) {
        struct layout words = raised; /* the lesson shows no text here */
        words.margin++;
        words.width -= 2;
        words.now = raised.panel.y + 1;
        words.next = raised.panel.y + 2;
        draw_words(s, c, &words);
    }
}

int64_t
frame_reading_ns(const struct scene *s, int columns, int rows)
{
    const struct schedule *schedule = s->world->schedule;
    int step = scene_step(s);
    struct buf now = {0};
    struct layout l;
    int64_t ns;

    if (!layout(columns, rows, false, &l) ||
        (step > 0 && !pattern_is_new(schedule, step)))
        return 0;
    words_now(s, columns_now(&l), &now);
    ns = reading_ns(buf_text(&now));
    buf_done(&now);
    return ns;
}

void
frame_draw(const struct scene *s, struct canvas *c)
{
    struct layout l;

    canvas_clear(c, (struct rect){0, 0, c->columns, c->rows});
    if (!layout(c->columns, c->rows, s->panel != NULL, &l)) {
        if (s->panel != NULL)
            too_small(c, LAYOUT_COLUMNS_FULL, LAYOUT_ROWS_FULL - 1);
        else
            too_small(c, LAYOUT_COLUMNS_LEAST, LAYOUT_ROWS_LEAST);
        return;
    }
    if (s->panel == NULL || (!s->panel->full && s->panel->table == NULL))
        draw_title(s, c, &l);
    if (s->panel != NULL) {
        draw_lesson(s, c, &l);
    } else if (is_ready(s)) {
        progress_draw(s, c, &l);
        panes_draw(s, c, l.picture);
        draw_words(s, c, &l);
        traffic_draw(s, c, &l);
    } else if (s->note != NULL) {
        canvas_puts_within(c, l.margin, l.next, l.width, s->note, plain);
    }
    if (s->task != NULL)
        draw_task(s, c, &l);
    if (s->notice != NULL)
        draw_notice(s, c, &l);
    if (s->prompt != NULL)
        keys_draw_prompt(s->prompt, s->glyphs, c, l.keys);
    else if (!s->published)
        draw_keys(s, c, &l);
}
