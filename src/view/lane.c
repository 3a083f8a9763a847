/* SPDX-License-Identifier: MIT */
#include "view/lane.h"

#include "base/translate.h"
#include "base/utf8.h"
#include "base/whole.h"
#include "draw/layout.h"
#include "text/text.h"
#include "text/word.h"
#include "view/progress.h"
#include "view/sheet.h"

enum {
    COLUMNS_LEAST = 26, /* of a lane with others beside it */
    COLUMNS_ROOMY = 66, /* with fewer, lanes are in two rows, if these have */
    ROWS_ROOMY = 18,    /* this many rows */
    WORDS_ROWS = 3,     /* a lane's name, its bar, the bytes sent */
    TITLE_ROWS = 1,
    KEYS_ROWS = 1,
    GAP = 2, /* columns between a text on the left and one on the right */
};

static const struct pen plain = {0}, quiet = {.fg = ROLE_QUIET},
                        strong = {.attrs = ATTR_BOLD};

/* Draws a text that ends at the column before `end`, if it does not reach to
 * the left of x. */
static bool
put_before(struct canvas *c, int x, int end, int y, const struct buf *text,
           struct pen pen)
{
    bool fits = x + utf8_columns(buf_text(text)) <= end;

    if (fits)
        canvas_puts_before(c, end, y, buf_text(text), pen);
    return fits;
}

static const struct view *
view_of(const struct lane *l, struct rect at, struct rect *picture)
{
    *picture = (struct rect){at.x, at.y + WORDS_ROWS, at.width,
                             at.height - WORDS_ROWS};
    return view_choose(&l->scene, *picture);
}

/* Draws the name and how far the lane is, in as few words as there is room
 * for, its times, and its picture. */
static void
draw_lane(const struct lane *l, struct canvas *c, struct rect at)
{
    const struct world *w = l->scene.world;
    struct traffic t = traffic_of(w);
    struct pen pen = l->place == 1 ? strong : plain;
    struct rect picture, bar = {at.x, at.y + 1, at.width, 1};
    const struct view *view = view_of(l, at, &picture);
    struct buf text = {0}, brief = {0};
    int x = at.x + 1 + canvas_puts_within(c, at.x, at.y, at.width, l->name,
                                          strong);

    if (l->place > 0) {
        buf_addf(&text, _("place %d"), l->place);
        buf_puts(&brief, l->level ? _("level") : buf_text(&text));
        if (l->level)
            buf_addf(&text, ", %s", _("level"));
    } else {
        buf_addf(&brief, "%d/%d", w->position, w->nsteps);
        buf_addf(&text, _("step %1$d/%2$d"), w->position, w->nsteps);
    }
    if (!put_before(c, x, at.x + at.width, at.y, &text, pen))
        put_before(c, x, at.x + at.width, at.y, &brief, pen);
    buf_clear(&text);
    buf_puts(&text, word_ns(l->of_ns, false).text);
    if (run_times(w->run) != TIMES_MEASURED)
        buf_puts(&text, run_times(w->run) == TIMES_SIMULATED ? _(" simulated")
                                                          : _(" modelled"));
    canvas_puts_before(c, at.x + at.width, bar.y, buf_text(&text), plain);
    bar.width -= utf8_columns(buf_text(&text)) + 1;
    glyph_bar(c, l->scene.glyphs, bar, l->of_ns > 0 ? l->ns : 1,
              l->of_ns > 0 ? l->of_ns : 1, plain);
    buf_clear(&text);
    if (l->here_ns > 0) {
        buf_addf(&text, _("here: %s"), word_ns(l->here_ns, false).text);
        if (l->here_level)
            buf_addf(&text, ", %s", _("level"));
        buf_puts(&text, "; ");
    }
    buf_clear(&brief);
    buf_addf(&brief, _("sent: %1$s of %2$s"), word_bytes(t.sent.now).text,
             word_bytes(t.sent.total).text);
    if (utf8_columns(buf_text(&text)) + utf8_columns(buf_text(&brief)) >
        at.width) {
        buf_clear(&brief);
        buf_addf(&brief, _("sent: %s"), word_bytes(t.sent.now).text);
    }
    buf_puts(&text, buf_text(&brief));
    canvas_puts_within(c, at.x, at.y + 2, at.width, buf_text(&text), quiet);
    view_draw(view, &l->scene, c, picture);
    buf_done(&text);
    buf_done(&brief);
}

/* The place of a lane without its rules, and with them.  All lanes are side by
 * side if they are wide enough, or if two rows of them would be too low; else
 * half of them, or as many as fit. */
static struct rect
place(int i, int n, const struct canvas *c, struct rect *with_rules)
{
    int rows = c->rows - TITLE_ROWS - KEYS_ROWS;
    int half = n > 2 ? (n + 1) / 2 : n, columns = c->columns;
    int a_row = columns / n >= COLUMNS_ROOMY ||
                        (columns / n >= COLUMNS_LEAST && rows / 2 < ROWS_ROOMY)
                    ? n
                : columns / half >= COLUMNS_LEAST ? half
                                                  : columns / COLUMNS_LEAST;
    int down = (n + a_row - 1) / a_row;
    int width = columns / a_row, height = rows / down;
    struct rect at = {i % a_row * width, TITLE_ROWS + i / a_row * height,
                      width, height - (down > 1)};

    *with_rules = at;
    at.x++;
    at.width -= 2;
    return at;
}

void
lanes_draw(const char *title, const struct lane *lanes, int n,
           struct canvas *c)
{
    struct buf network = {0};
    int end = c->columns - 1; /* the title gives way to the network */

    canvas_clear(c, (struct rect){0, 0, c->columns, c->rows});
    if (too_small(c, LAYOUT_COLUMNS_FULL, LAYOUT_ROWS_FULL - 1))
        return;
    text_network(lanes[0].scene.world, &network);
    put_before(c, 1, end, 0, &network, quiet);
    if (network.length > 0)
        end -= utf8_columns(buf_text(&network)) + GAP;
    canvas_puts_within(c, 1, 0, end - 1, title,
                       (struct pen){.fg = ROLE_ACCENT, .attrs = ATTR_BOLD});
    buf_done(&network);
    for (int i = 0; i < n; i++) {
        enum glyph_set set = lanes[i].scene.glyphs;
        struct rect all, at = place(i, n, c, &all);
        for (int y = 0; all.x > 0 && y < all.height; y++)
            canvas_put(c, all.x, all.y + y, glyph(set, GLYPH_VERTICAL), quiet);
        if (all.y > TITLE_ROWS)
            canvas_fill(c, all.x, all.y - 1, all.width,
                        glyph(set, GLYPH_HORIZONTAL), quiet);
        draw_lane(&lanes[i], c, at);
    }
}

struct help
lanes_help(const struct lane *lanes, int n, const struct canvas *c)
{
    struct help h = {.on = ON_RACE};
    struct rect with_rules, picture;

    if (c->columns < LAYOUT_COLUMNS_FULL || c->rows < LAYOUT_ROWS_FULL - 1)
        return h; /* nothing is shown */
    for (; h.nviews < n && h.nviews < HELP_VIEWS; h.nviews++)
        h.views[h.nviews] = view_of(&lanes[h.nviews],
                                    place(h.nviews, n, c, &with_rules),
                                    &picture);
    return h;
}

void
lanes_draw_keys(const struct lane *lanes, double slower, int speed,
                bool playing, struct canvas *c)
{
    const struct key_line keys = {
        .on = ON_RACE, .state = playing ? KEY_PLAYING : 0,
        .glyphs = lanes[0].scene.glyphs, .speed = speed};
    bool simulated = run_times(lanes[0].scene.world->run) == TIMES_SIMULATED;
    int y = c->rows - KEYS_ROWS, x = keys_draw(&keys, c, 1, y);
    struct buf text = {0};

    buf_addf(&text,
             simulated ? _("each second shows %s of simulated time")
                       : _("each second shows %s"),
             word_ns(whole(1e9 / slower), false).text);
    put_before(c, x, c->columns - 1, y, &text, quiet);
    buf_done(&text);
}
