/* SPDX-License-Identifier: MIT */
#include "view/frame.h"

#include <stdio.h>

#include "base/translate.h"
#include "base/utf8.h"
#include "draw/wrap.h"
#include "text/text.h"
#include "text/words.h"
#include "view/help.h"
#include "view/inspect.h"
#include "view/keys.h"
#include "view/panel.h"
#include "view/progress.h"
#include "view/traffic.h"
#include "view/view.h"

static const struct pen plain = {0}, quiet = {.fg = ROLE_QUIET},
                        strong = {.attrs = ATTR_BOLD};

static void
draw_right(struct canvas *c, const struct layout *l, int y, const char *text,
           struct pen pen)
{
    canvas_puts(c, l->margin + l->width - utf8_columns(text), y, text, pen);
}

/* "ring all-reduce", and what was changed on purpose. Returns the width. */
static int
draw_name(const struct world *w, struct canvas *c, const struct layout *l,
          int x)
{
    struct buf text = {0};
    int left = x;

    text_title(w->schedule, &text);
    x += canvas_puts_within(c, x, l->title, l->width / 3, buf_text(&text),
                            strong);
    buf_clear(&text);
    buf_addf(&text, _("! mismatch %s"), w->run->mismatch);
    if (w->run->mismatch[0] != '\0')
        x += 2 + canvas_puts_within(c, x + 2, l->title, l->width / 3,
                                    buf_text(&text),
                                    (struct pen){.fg = ROLE_WARNING,
                                                 .attrs = ATTR_BOLD});
    buf_done(&text);
    return x - left;
}

static void
draw_title(const struct scene *s, struct canvas *c, const struct layout *l)
{
    const struct world *w = s->world;
    struct buf text = {0};
    int x = l->margin, left, right;

    x += canvas_puts(c, x, l->title, "collviz", quiet) + 2;
    if (s->replay)
        x += canvas_puts(c, x - 1, l->title, _("replay"), quiet) + 1;
    if (w->schedule == NULL) {
        canvas_puts(c, x, l->title, _("preparing the run ..."), plain);
        return;
    }
    left = x + draw_name(w, c, l, x) + 2;
    buf_puts(&text, dtype_name(w->run->type));
    if (w->schedule->collective->reduces)
        buf_addf(&text, " %s", redop_name(w->run->op));
    buf_addf(&text, ", %lld", (long long)w->run->count);
    right = l->margin + l->width - utf8_columns(buf_text(&text));
    draw_right(c, l, l->title, buf_text(&text), plain);
    buf_clear(&text);
    text_where(w, &text);
    x = left + (right - 2 - left - utf8_columns(buf_text(&text))) / 2;
    canvas_puts_within(c, x < left ? left : x, l->title, right - 2 - left,
                       buf_text(&text), plain);
    buf_done(&text);
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

/* In two rows if one is too short: a cycle of waits takes many words. */
static void
draw_warning(struct canvas *c, const struct layout *l, const char *text)
{
    struct pen pen = {.fg = ROLE_WARNING};
    int x = l->margin + canvas_puts(c, l->margin, l->next, "! ",
                                    (struct pen){.fg = ROLE_WARNING,
                                                 .attrs = ATTR_BOLD});
    struct wrap w = {.text = text, .columns = l->width - (x - l->margin)};

    if (l->next + wrap_rows(text, w.columns) > l->traffic)
        canvas_puts_within(c, x, l->next, w.columns, text, pen);
    else
        for (int y = l->next; wrap_next(&w); y++)
            put_line(c, x, y, &w, pen);
}

static void
draw_words(const struct scene *s, struct canvas *c, const struct layout *l)
{
    struct buf text = {0};
    bool wrong;

    words_now(s, l->width, &text);
    canvas_puts_within(c, l->margin, l->now, l->width, buf_text(&text), strong);
    buf_clear(&text);
    words_next(s, &text, &wrong);
    if (wrong)
        draw_warning(c, l, buf_text(&text));
    else
        canvas_puts_within(c, l->margin, l->next, l->width, buf_text(&text),
                           plain);
    buf_done(&text);
}

enum { SPEED_MAX = 16 };

/* The word of a key in the last line. The result may point into `speed`. */
static const char *
word_of(const struct scene *s, const struct key *k, char speed[SPEED_MAX])
{
    enum { SPEED_COLUMNS = 5 }; /* fixed: the keys after it must not move */
    char text[SPEED_MAX];

    switch (k->request) {
    case WATCH_FASTER:
        snprintf(text, sizeof text, s->speed >= 0 ? "x%d" : "x1/%d",
                 1 << (s->speed >= 0 ? s->speed : -s->speed));
        snprintf(speed, SPEED_MAX, "%-*s", SPEED_COLUMNS, text);
        return speed;
    case WATCH_QUIT:
        return s->back != NULL ? s->back : "";
    default:
        return key_word(k);
    }
}

static bool
is_shown(const struct scene *s, const struct key *k)
{
    return k->name != NULL && key_applies(k, keys_state(s));
}

/* The number of columns that a key takes in the last line. */
static int
columns_of(const struct scene *s, const struct key *k)
{
    char speed[SPEED_MAX];

    return key_columns(key_name(k, s->glyphs), word_of(s, k, speed));
}

static void
draw_keys(const struct scene *s, struct canvas *c, const struct layout *l)
{
    int x = l->margin, room = l->width + KEY_GAP;
    char speed[SPEED_MAX];

    for (const struct key *k = watch_keys; k->request != 0; k++)
        if (is_shown(s, k) && !k->spare)
            room -= columns_of(s, k);
    for (const struct key *k = watch_keys; k->request != 0; k++) {
        if (!is_shown(s, k) || (k->spare && (room -= columns_of(s, k)) < 0))
            continue;
        x += key_put(c, x, l->keys, key_name(k, s->glyphs),
                     word_of(s, k, speed));
    }
    if (s->typed != NULL) {
        canvas_clear(c, (struct rect){c->columns - 6, l->keys, 6, 1});
        draw_right(c, l, l->keys, s->typed, strong);
    }
}

/* If the prompt is too long, draws only its end, where the user types. */
static void
draw_prompt(const struct scene *s, struct canvas *c, const struct layout *l)
{
    const char *text = s->prompt;
    int x = l->margin;

    while (utf8_columns(text) > l->width - 1)
        utf8_next(&text);
    x += canvas_puts(c, x, l->keys, text, strong);
    canvas_put(c, x, l->keys, '_', strong);
}

/* Draws the whole notice, in as many rows as it needs, right above the keys. */
static void
draw_notice(const struct scene *s, struct canvas *c, const struct layout *l)
{
    struct pen pen = s->alarm ? (struct pen){.fg = ROLE_WARNING} : plain;
    const char *mark = s->alarm ? "! " : "";
    int indent = utf8_columns(mark), last, y;
    struct wrap w = {.text = s->notice, .columns = l->width - indent};

    last = s->panel != NULL ? l->keys - 1 : l->traffic;
    y = last + 1 - wrap_rows(w.text, w.columns);
    canvas_clear(c, (struct rect){0, y, c->columns, last + 1 - y});
    canvas_puts(c, l->margin, y, mark,
                (struct pen){.fg = ROLE_WARNING, .attrs = ATTR_BOLD});
    for (; wrap_next(&w); y++)
        put_line(c, l->margin + indent, y, &w, pen);
}

static void
draw_too_small(struct canvas *c)
{
    struct buf text = {0};
    int x, y = c->rows / 2;

    buf_addf(&text, _("%dx%d is too small: %dx%d is needed"), c->columns,
             c->rows, LAYOUT_COLUMNS_LEAST, LAYOUT_ROWS_LEAST);
    x = (c->columns - utf8_columns(buf_text(&text))) / 2;
    canvas_puts_within(c, x < 0 ? 0 : x, y, c->columns, buf_text(&text),
                       plain);
    buf_done(&text);
}

static void
draw_picture(const struct scene *s, struct canvas *c, struct rect area)
{
    if (s->inspect)
        inspect_draw(s, c, area);
    else
        view_draw(view_choose(s, area), s, c, area);
}

/* The view that is shown; NULL: the inspector, or nothing yet. */
static const struct view *
view_shown(const struct scene *s, struct rect picture)
{
    return s->inspect || s->world->schedule == NULL ? NULL
                                                    : view_choose(s, picture);
}

/* The help covers the whole screen, because the picture has too few rows. */
static void
draw_help(const struct scene *s, struct canvas *c, struct rect picture)
{
    help_draw(s, view_shown(s, picture), c,
              (struct rect){0, 0, c->columns, c->rows});
}

int
frame_help_after(const struct scene *s, int columns, int rows, int key)
{
    struct layout l;

    if (key != '?' || !layout(columns, rows, s->panel != NULL, &l) ||
        s->help >= help_pages(s, view_shown(s, l.picture), columns, rows))
        return 0;
    return s->help + 1;
}

static bool
is_ready(const struct scene *s)
{
    return s->world->schedule != NULL && world_step_complete(s->world, 0);
}

static void
draw_lesson(const struct scene *s, struct canvas *c, const struct layout *l)
{
    if (!s->panel->full && s->panel->table == NULL && is_ready(s)) {
        progress_draw(s, c, l);
        draw_picture(s, c, l->picture);
    }
    panel_draw(s->panel, s->glyphs, c, l);
    if (s->panel->text[0] == '\0' && !s->panel->full && is_ready(s) &&
        s->panel->table == NULL) {
        struct layout words = *l; /* the lesson shows no text here */
        words.margin++;
        words.width -= 2;
        words.now = l->panel.y + 1;
        words.next = l->panel.y + 2;
        draw_words(s, c, &words);
    }
}

void
frame_draw(const struct scene *s, struct canvas *c)
{
    struct layout l;

    canvas_clear(c, (struct rect){0, 0, c->columns, c->rows});
    if (!layout(c->columns, c->rows, s->panel != NULL, &l)) {
        draw_too_small(c);
        return;
    }
    if (s->panel == NULL || (!s->panel->full && s->panel->table == NULL))
        draw_title(s, c, &l);
    if (s->panel != NULL) {
        draw_lesson(s, c, &l);
    } else if (is_ready(s)) {
        progress_draw(s, c, &l);
        draw_picture(s, c, l.picture);
        draw_words(s, c, &l);
        traffic_draw(s, c, &l);
    } else if (s->note != NULL) {
        canvas_puts_within(c, l.margin, l.next, l.width, s->note, plain);
    }
    if (s->notice != NULL)
        draw_notice(s, c, &l);
    if (s->prompt != NULL)
        draw_prompt(s, c, &l);
    else if (s->panel == NULL && !s->shared)
        draw_keys(s, c, &l);
    if (s->help > 0)
        draw_help(s, c, l.picture);
}
