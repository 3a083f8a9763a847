/* SPDX-License-Identifier: MIT */
#include "screen/text_pages.h"

#include <stdlib.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "draw/prose.h"
#include "lesson/shelf.h"
#include "text/text.h"
#include "text/word.h"

enum {
    TOP = 2,      /* rows above the text */
    BELOW = 2,    /* rows below it */
    MARGIN = 1,   /* columns on either side */
    NUMBER = 4,   /* columns of a line's number */
    TEXT_MOST = 100 /* columns: the text is in the middle of a wide screen */
};

/* The columns on either side of the text, with its numbers. */
static int
side_of(const struct text_page *p, int columns)
{
    return most((columns - TEXT_MOST - (p->numbered ? NUMBER : 0)) / 2, MARGIN);
}

/* The rows of the text, on a screen with so many columns. */
static struct wrap
rows_of(const struct text_page *p, int columns)
{
    int room = columns - 2 * side_of(p, columns) - (p->numbered ? NUMBER : 0);

    return (struct wrap){.text = p->text, .columns = most(room, 1),
                         .hangs = !p->numbered};
}

static int
room_on(int rows)
{
    return rows > TOP + BELOW ? rows - TOP - BELOW : 1;
}

/* The first row that shows, if the last one is at the bottom. */
static int
last_top(const struct text_page *p, int columns, int rows)
{
    struct wrap w = rows_of(p, columns);

    int count = 0;

    while (wrap_next(&w))
        count++;
    return most(count - room_on(rows), 0);
}

/* Gives the signs and bars in a row of a result their colours. */
static void
colour_signs(struct canvas *c, int y)
{
    static const struct {
        enum glyph sign;
        struct pen pen;
    } signs[] = {
        {GLYPH_YES, {.fg = ROLE_CORRECT, .attrs = ATTR_BOLD}},
        {GLYPH_NO, {.fg = ROLE_WARNING, .attrs = ATTR_BOLD}},
        {GLYPH_RIGHT, {.fg = ROLE_ACCENT, .attrs = ATTR_BOLD}},
        {GLYPH_FULL, {.fg = ROLE_ACCENT}},
        {GLYPH_AHEAD, {.fg = ROLE_QUIET}},
    };

    for (int x = 1; x + 1 < c->columns; x++) {
        uint32_t code = canvas_at(c, x, y)->code;
        uint32_t before = canvas_at(c, x - 1, y)->code;
        uint32_t after = canvas_at(c, x + 1, y)->code;
        for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
            if (code == glyph(c->glyphs, signs[i].sign) &&
                (before == ' ' || before == code ||
                 before == glyph(c->glyphs, GLYPH_FULL)) &&
                (after == ' ' || after == code ||
                 after == glyph(c->glyphs, GLYPH_AHEAD)))
                canvas_put(c, x, y, code, signs[i].pen);
    }
}

void
text_pages_draw(const struct text_page *p, struct canvas *c)
{
    struct wrap w = rows_of(p, c->columns);
    int top = within(p->top, 0, last_top(p, c->columns, c->rows));
    int line = 0, from = 0, to = 0, columns, side = side_of(p, c->columns);
    struct word place;
    const struct key_line keys = {.on = ON_TEXT};
    const struct pen title = {.fg = ROLE_ACCENT, .attrs = ATTR_BOLD};

    canvas_clear(c, (struct rect){0, 0, c->columns, c->rows});
    for (int row = 0; wrap_next(&w); row++) {
        bool begins = w.line == p->text || w.line[-1] == '\n';
        line += begins;
        if (row < top || row >= top + room_on(c->rows))
            continue;
        from = from > 0 ? from : line;
        to = line;
        if (p->numbered && begins)
            canvas_putf(c, side, TOP + row - top, quiet, "%3d", line);
        wrap_put(&w, c, side + (p->numbered ? NUMBER : 0) + w.indent,
                 TOP + row - top, plain);
        if (p->result)
            colour_signs(c, TOP + row - top);
    }
    place = word_of(_("%d-%d of %d"), from, to, line);
    columns = utf8_columns(place.text);
    canvas_puts_within(c, side, 0, c->columns - columns - 2 * side - MARGIN,
                       p->title, p->result ? title : strong);
    canvas_puts(c, c->columns - columns - side, 0, place.text, quiet);
    keys_draw(&keys, c, side, c->rows - 1);
}

struct showing {
    struct window window;
    struct text_page page;
};

static bool
showing_draw(void *self, struct canvas *c)
{
    const struct showing *s = self;

    text_pages_draw(&s->page, c);
    return true;
}

static bool
showing_request(void *self, int request, struct err *err)
{
    struct showing *s = self;
    const struct canvas *c = &s->window.canvas;
    int by = keys_by(request);

    (void)err;
    s->window.over = request == DO_CLOSE;
    if (abs(by) == KEY_STEPS)
        by = by / KEY_STEPS * room_on(c->rows);
    s->page.top = within(s->page.top + by, 0,
                         last_top(&s->page, c->columns, c->rows));
    return true;
}

static const struct window_kind kind = {
    .accent = ROLE_LEARN, .draw = showing_draw, .on = ON_TEXT,
    .request = showing_request};

static void
show_text_page(struct screen *screen, bool ascii, const struct text_page *page)
{
    struct showing s = {.page = *page};
    struct err none;

    window_run(&s.window, screen, ascii, &kind, &s, &none);
}

void
text_pages_result(struct screen *screen, bool ascii, const char *title,
                  const struct buf *text)
{
    show_text_page(screen, ascii,
                   &(struct text_page){title, buf_text(text), .result = true});
}

void
text_pages_promises(const struct window *window)
{
    OWN(buf) text = {0};

    text_promises(&text);
    show_text_page(window->screen, window->canvas.glyphs == GLYPHS_ASCII,
                   &(struct text_page){
                       .title = _("what each collective promises"),
                       .text = buf_text(&text)});
}

void
text_pages_program(struct window *window, const char *lesson, const char *name)
{
    OWN(buf) text = {0};
    struct err why;

    if (name == NULL)
        window_notify(window, false, _("this lesson is not about a program"));
    else if (shelf_program(lesson, name, &text, &why))
        show_text_page(window->screen, window->canvas.glyphs == GLYPHS_ASCII,
                       &(struct text_page){name, buf_text(&text),
                                           .numbered = true});
    else
        window_notify(window, true, "%s", why.text);
}
