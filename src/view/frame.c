/* SPDX-License-Identifier: MIT */
#include "view/frame.h"

#include <stdio.h>

#include "base/translate.h"
#include "base/utf8.h"
#include "draw/prose.h"
#include "schedule/pattern.h"
#include "text/text.h"
#include "text/word.h"
#include "text/words.h"
#include "view/keys.h"
#include "view/panel.h"
#include "view/panes.h"
#include "view/progress.h"
#include "view/sheet.h"
#include "view/view.h"

static const struct pen plain = {0}, quiet = {.fg = ROLE_QUIET},
                        strong = {.attrs = ATTR_BOLD},
                        warning = {.fg = ROLE_WARNING, .attrs = ATTR_BOLD};

/* The parts of the title. */
enum title { NAME, WRONG, WHERE, WHAT, TITLE };

static void
add_title(const struct world *w, struct buf parts[TITLE])
{
    static const char *const wrong[] = {
        N_("! mismatch %s"), N_("! fault %s"), N_("! delay %s")};
    const struct run_info *run = w->run;
    const char *const on_purpose[] = {run->mismatch, run->fault, run->delay};
    struct buf *out = &parts[WRONG];

    text_title(w->schedule, &parts[NAME]);
    for (int i = 0; i < 3; i++)
        if (on_purpose[i][0] != '\0') {
            buf_puts(out, out->length > 0 ? "  " : "");
            buf_addf(out, _(wrong[i]), on_purpose[i]);
        }
    text_where(w, &parts[WHERE]);
    buf_puts(&parts[WHAT], dtype_name(run->type));
    if (w->schedule->collective->reduces)
        buf_addf(&parts[WHAT], " %s", redop_name(run->op));
    buf_addf(&parts[WHAT],
             ngettext(", %lld element", ", %lld elements",
                      (unsigned long)run->count), (long long)run->count);
}

/* Draws the title.  What there is no room for is left out, first "collviz",
 * then where the ranks run, but not the algorithm's name. */
static void
draw_title(const struct scene *s, struct canvas *c, const struct layout *l)
{
    const struct pen name = {.fg = ROLE_ACCENT, .attrs = ATTR_BOLD};
    const struct world *w = s->world;
    bool brand = l->width >= LAYOUT_COLUMNS_FULL - 2;
    int x = l->margin, y = l->title, end = x + l->width, columns, left;
    int room = l->width - (s->replay ? utf8_columns(_("replay")) + 1 : 0);
    struct buf parts[TITLE] = {{0}};

    if (w->schedule != NULL)
        add_title(w, parts);
    for (int cut = 0; cut < 4; cut++) {
        columns = -2;
        for (int i = 0; i < TITLE; i++)
            if (parts[i].length > 0)
                columns += utf8_columns(buf_text(&parts[i])) + 2;
        if (columns <= room)
            break;
        if (cut < 3)
            buf_clear(&parts[cut < 2 ? WHERE : WHAT]);
        if (cut == 0)
            buf_puts(&parts[WHERE], word_gpus(w->schedule->nranks).text);
    }
    brand = brand && columns + (int)sizeof "collviz" + 1 <= room;
    if (brand)
        x += canvas_puts(c, x, y, "collviz", quiet) + 1;
    if (s->replay)
        x += canvas_puts(c, x, y, _("replay"), quiet) + 1;
    x += brand;
    if (w->schedule == NULL)
        canvas_puts(c, x, y, _("preparing the run ..."), plain);
    x += canvas_puts_within(c, x, y, end - x, buf_text(&parts[NAME]),
                            name) + 2;
    if (parts[WRONG].length > 0)
        x += canvas_puts_within(c, x, y, end - x, buf_text(&parts[WRONG]),
                                warning) + 2;
    end -= utf8_columns(buf_text(&parts[WHAT]));
    canvas_puts(c, end, y, buf_text(&parts[WHAT]), plain);
    left = (end - 2 - x - utf8_columns(buf_text(&parts[WHERE]))) / 2;
    canvas_puts(c, x + (left > 0 ? left : 0), y, buf_text(&parts[WHERE]),
                plain);
    for (int i = 0; i < TITLE; i++)
        buf_done(&parts[i]);
}

/* Draws text in at most so many rows.  If they are too few, the last one ends
 * with an ellipsis.  Returns the number of rows. */
static int
put_text(struct canvas *c, struct rect area, const char *text, struct pen pen)
{
    struct wrap w = {.text = text, .columns = area.width};
    int y = area.y, last = area.y + area.height - 1;

    for (; y < last && wrap_next(&w); y++)
        canvas_putf(c, area.x, y, pen, "%.*s", (int)w.length, w.line);
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
        mark = canvas_putf(c, area.x, area.y, right, "   %s ", _("correct"));
        canvas_put(c, area.x + 1, area.y, glyph(s->glyphs, GLYPH_YES), right);
        mark++;
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
frame_keys(const struct scene *s, const struct surround *a)
{
    bool at_slot = s->inspect || s->trail != NULL;
    struct key_line l = {.on = ON_WATCH, .glyphs = s->glyphs,
                         .speed = a->speed, .back = a->back};

    if (s->taught)
        return a->panel->keys;
    l.state = (a->playing ? KEY_PLAYING : 0) |
              (s->inspect ? KEY_INSPECTING : 0) |
              (at_slot ? KEY_AT_SLOT : 0) |
              (at_slot || a->typed != NULL ? KEY_ON_TOP : 0) |
              (a->in_lesson ? KEY_IN_LESSON : 0) |
              (a->back != NULL ? KEY_VISITING : 0);
    return l;
}

/* The row for what a lesson asks the learner to do: blank on most screens. */
static int
task_row(const struct layout *l)
{
    if (l->picture.y > l->progress + 1)
        return l->progress + 1;
    return l->traffic >= 0 ? l->traffic : l->keys - 1;
}

/* The columns of the sign before an alarm. */
static int
notice_indent(const struct surround *a)
{
    return a->alarm ? 2 : 0;
}

static int
notice_rows(const struct surround *a, const struct layout *l)
{
    return a->notice != NULL
               ? wrap_rows(a->notice, l->width - notice_indent(a))
               : 0;
}

/* Draws the whole notice, in as many rows as it needs, right above the keys or
 * what the lesson asks for. */
static void
draw_notice(const struct surround *a, struct canvas *c, const struct layout *l)
{
    int rows = notice_rows(a, l);
    struct rect area = {0, l->keys - rows, c->columns, rows};

    if (a->panel == NULL && l->traffic >= 0)
        area.y = l->traffic + 1 - rows;
    if (a->task != NULL && task_row(l) == area.y + rows - 1)
        area.y--;
    canvas_clear(c, area);
    if (a->alarm)
        canvas_puts(c, l->margin, area.y, "!", warning);
    area.x = l->margin + notice_indent(a);
    area.width = l->width - notice_indent(a);
    put_text(c, area, a->notice,
             a->alarm ? (struct pen){.fg = ROLE_WARNING} : plain);
}

struct help
frame_help(const struct scene *s, const struct surround *a, int columns,
           int rows)
{
    struct key_line line = frame_keys(s, a);
    struct panes p = {.count = 1}; /* nothing is shown yet */
    struct help h = {.on = line.on, .state = line.state};
    struct layout l;

    if (!layout(columns, rows, s->taught, &l))
        return h;
    if (s->world->schedule != NULL)
        panes_arrange(&p, s, l.picture);
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
    struct view_target target;
    struct layout l;
    int step;

    if (!layout(columns, rows, s->taught, &l) || !is_ready(s))
        return (struct frame_target){FRAME_NOTHING, 0, -1};
    if (at.y == l.progress && (step = progress_at(s, &l, at.x)) > 0)
        return (struct frame_target){FRAME_STEP, step, -1};
    target = panes_at(s, l.picture, at);
    return (struct frame_target){
        target.rank >= 0 ? FRAME_RANK : FRAME_NOTHING, target.rank,
        target.slot};
}

/* Whether there is room for the scene beside what a lesson shows. */
static bool
shows_picture(const struct scene *s, const struct surround *a)
{
    return !s->taught || (!a->panel->full && a->panel->table == NULL);
}

static void
draw_lesson(const struct scene *s, const struct surround *a, struct canvas *c,
            const struct layout *l)
{
    bool shown = shows_picture(s, a) && is_ready(s);
    struct layout raised = *l;

    if (shown) {
        progress_draw(s, c, l);
        panes_draw(s, c, l->picture);
    }
    panel_make_room(a->panel, notice_rows(a, l), &raised);
    panel_draw(a->panel, s->glyphs, c, &raised);
    if (shown && a->panel->text[0] == '\0') {
        raised.margin++; /* the lesson shows no text here */
        raised.width -= 2;
        raised.now = raised.panel.y + 1;
        raised.next = raised.panel.y + 2;
        draw_words(s, c, &raised);
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
    ns = text_reading_ns(buf_text(&now));
    buf_done(&now);
    return ns;
}

void
frame_draw(const struct scene *s, const struct surround *a, struct canvas *c)
{
    const struct surround none = {0};
    bool published = a == NULL;
    struct layout l;

    a = a != NULL ? a : &none;
    canvas_clear(c, (struct rect){0, 0, c->columns, c->rows});
    if (!layout(c->columns, c->rows, s->taught, &l)) {
        if (s->taught)
            too_small(c, LAYOUT_COLUMNS_FULL, LAYOUT_ROWS_FULL - 1);
        else
            too_small(c, LAYOUT_COLUMNS_LEAST, LAYOUT_ROWS_LEAST);
        return;
    }
    if (shows_picture(s, a))
        draw_title(s, c, &l);
    if (s->taught) {
        draw_lesson(s, a, c, &l);
    } else if (is_ready(s)) {
        progress_draw(s, c, &l);
        panes_draw(s, c, l.picture);
        draw_words(s, c, &l);
        traffic_draw(s, c, &l);
    } else if (s->note != NULL) {
        canvas_puts_within(c, l.margin, l.next, l.width, s->note, plain);
    }
    if (a->task != NULL) {
        canvas_clear(c, (struct rect){0, task_row(&l), c->columns, 1});
        canvas_puts_within(c, l.margin, task_row(&l), l.width, a->task,
                           (struct pen){.fg = ROLE_CURRENT,
                                        .attrs = ATTR_BOLD});
    }
    if (a->notice != NULL)
        draw_notice(a, c, &l);
    if (a->prompt != NULL) {
        keys_draw_prompt(a->prompt, s->glyphs, c, l.keys);
    } else if (!published) {
        struct key_line keys = frame_keys(s, a);
        int x = l.margin + s->taught;
        if (a->typed != NULL) /* digits before a key */
            x += canvas_puts(c, x, l.keys, a->typed, strong) + 2;
        keys_draw(&keys, c, x, l.keys);
    }
}
