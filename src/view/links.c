/* SPDX-License-Identifier: MIT */
#include "view/links.h"

#include <stdio.h>

#include "base/translate.h"
#include "base/utf8.h"
#include "text/text.h"

enum {
    BAR_LEAST = 6,
    BAR_MOST = 16,
    GAP = 3,      /* columns between two cells */
    HEAD_ROWS = 2 /* a blank row and the heading */
};

/* A cell for each link that carries data in the run; arithmetic only. */
struct links {
    int count;
    int name, bar, figure; /* columns of the parts of a cell */
    int across, rows;      /* cells side by side, rows of cells */
};

static const struct pen quiet = {.fg = ROLE_QUIET};

static int
digits(const struct schedule *s)
{
    return snprintf(NULL, 0, "%d", s->nranks - 1);
}

/* Appends "8 B of 16 B". */
static void
add_figure(int64_t sent, int64_t total, struct buf *out)
{
    struct buf texts[2] = {{0}, {0}};

    text_bytes(sent, &texts[0]);
    text_bytes(total, &texts[1]);
    buf_addf(out, _("%1$s of %2$s"), buf_text(&texts[0]), buf_text(&texts[1]));
    buf_done(&texts[0]);
    buf_done(&texts[1]);
}

/* The columns of the widest figure that a link with this total may have. */
static int
figure_columns(int64_t total)
{
    static const int64_t widest = 2017; /* "1.97 KiB" */
    struct buf text = {0};
    int columns;

    add_figure(total < 1000 ? total : widest, total, &text);
    columns = utf8_columns(buf_text(&text));
    buf_done(&text);
    return columns;
}

static void
measure(struct links *l, const struct world *w)
{
    int n = w->schedule->nranks;

    *l = (struct links){.name = 2 * digits(w->schedule) + 1};
    for (int link = 0; link < n * n; link++) {
        int64_t total = w->links[link].total;
        int figure = total > 0 ? figure_columns(total) : 0;
        l->count += total > 0;
        l->figure = figure > l->figure ? figure : l->figure;
    }
}

/* Returns false if there is no link, or none fits. */
static bool
arrange(struct links *l, const struct scene *s, int width)
{
    int least;

    if (s->world->links == NULL)
        return false;
    measure(l, s->world);
    least = l->name + 1 + BAR_LEAST + 1 + l->figure + GAP;
    l->across = (width + GAP) / least;
    if (l->across > l->count)
        l->across = l->count;
    if (l->across == 0)
        return false;
    l->rows = (l->count + l->across - 1) / l->across;
    l->bar = BAR_LEAST + (width + GAP) / l->across - least;
    if (l->bar > BAR_MOST)
        l->bar = BAR_MOST;
    return true;
}

int
links_rows(const struct scene *s, int width)
{
    struct links l;

    return arrange(&l, s, width) ? HEAD_ROWS + l.rows : 0;
}

/* Draws the cell of a link; the bar has the sender's colour. */
static void
draw_link(const struct links *l, const struct scene *s, struct canvas *c,
          struct point at, int src, int dst)
{
    const struct world *w = s->world;
    const struct world_link *link = &w->links[src * w->schedule->nranks + dst];
    bool selected = src == s->selected || dst == s->selected;
    struct pen pen = selected ? (struct pen){0} : quiet;
    double part = (double)link->sent / (double)link->total;
    int filled = part < 1 ? (int)(part * l->bar) : l->bar;
    int width = digits(w->schedule);
    struct buf text = {0};

    buf_addf(&text, "%*d", width, src);
    canvas_puts(c, at.x, at.y, buf_text(&text), pen);
    canvas_put(c, at.x + width, at.y, glyph(s->glyphs, GLYPH_RIGHT), pen);
    buf_clear(&text);
    buf_addf(&text, "%d", dst);
    canvas_puts(c, at.x + width + 1, at.y, buf_text(&text), pen);
    at.x += l->name + 1;
    canvas_fill(c, at.x, at.y, filled, glyph(s->glyphs, GLYPH_FULL),
                (struct pen){.fg = palette_origin(src)});
    canvas_fill(c, at.x + filled, at.y, l->bar - filled,
                glyph(s->glyphs, GLYPH_TROUGH), quiet);
    buf_clear(&text);
    add_figure(link->sent, link->total, &text);
    at.x += l->bar + 1 + l->figure - utf8_columns(buf_text(&text));
    canvas_puts(c, at.x, at.y, buf_text(&text), pen);
    buf_done(&text);
}

void
links_draw(const struct scene *s, struct canvas *c, struct rect area)
{
    int n = s->world->schedule->nranks, count = 0;
    struct links l;

    if (!arrange(&l, s, area.width))
        return;
    canvas_puts_within(c, area.x, area.y + 1, area.width,
                       _("bytes sent over each link"), quiet);
    for (int link = 0; link < n * n; link++)
        if (s->world->links[link].total > 0) {
            int pitch = l.name + 1 + l.bar + 1 + l.figure + GAP;
            draw_link(&l, s, c,
                      (struct point){area.x + count % l.across * pitch,
                                     area.y + HEAD_ROWS + count / l.across},
                      link / n, link % n);
            count++;
        }
}
