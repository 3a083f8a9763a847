/* SPDX-License-Identifier: MIT */
#include "view/lane.h"

#include "base/translate.h"
#include "base/utf8.h"
#include "base/whole.h"
#include "draw/glyph.h"
#include "draw/layout.h"
#include "text/text.h"
#include "view/sheet.h"
#include "view/traffic.h"

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

/* Draws a text that ends at the column before `right`, if it does not reach to
 * the left of x. */
static bool
put_right(struct canvas *c, int x, int right, int y, const char *text,
          struct pen pen)
{
    int columns = utf8_columns(text);

    if (x + columns > right)
        return false;
    canvas_puts(c, right - columns, y, text, pen);
    return true;
}

/* Draws the name, and how far the lane is, in as few words as there is room
 * for. */
static void
draw_name(const struct lane *l, struct canvas *c, struct rect at)
{
    struct pen pen = l->place == 1 ? strong : plain;
    struct buf text = {0}, brief = {0};
    int right = at.x + at.width;
    int x = at.x + 1 + canvas_puts_within(c, at.x, at.y, at.width, l->name,
                                          strong);

    if (l->place > 0) {
        buf_addf(&text, _("place %d"), l->place);
        buf_puts(&brief, l->level ? _("level") : buf_text(&text));
        if (l->level)
            buf_addf(&text, ", %s", _("level"));
    } else {
        buf_addf(&brief, "%d/%d", l->scene.world->position,
                 l->scene.world->nsteps);
        buf_addf(&text, _("step %1$d/%2$d"), l->scene.world->position,
                 l->scene.world->nsteps);
    }
    if (!put_right(c, x, right, at.y, buf_text(&text), pen))
        put_right(c, x, right, at.y, buf_text(&brief), pen);
    buf_done(&text);
    buf_done(&brief);
}

static void
draw_bar(const struct lane *l, struct canvas *c, struct rect at)
{
    struct buf text = {0};
    int bar, filled;

    text_ns(l->of_ns, false, &text);
    if (run_times(l->scene.world->run) != TIMES_MEASURED)
        buf_puts(&text, run_times(l->scene.world->run) == TIMES_SIMULATED
                            ? _(" simulated")
                            : _(" modelled"));
    bar = at.width - utf8_columns(buf_text(&text)) - 1;
    filled = l->of_ns > 0 ? (int)(l->ns * bar / l->of_ns) : bar;
    canvas_fill(c, at.x, at.y, filled, glyph(l->scene.glyphs, GLYPH_FULL),
                plain);
    canvas_fill(c, at.x + filled, at.y, bar - filled,
                glyph(l->scene.glyphs, GLYPH_TROUGH), quiet);
    canvas_puts(c, at.x + bar + 1, at.y, buf_text(&text), plain);
    buf_done(&text);
}

static void
draw_sent(const struct lane *l, struct canvas *c, struct rect at)
{
    struct traffic t = traffic_of(l->scene.world);
    struct buf sent = {0}, total = {0}, here = {0}, text = {0};

    text_bytes(t.sent.now, &sent);
    text_bytes(t.sent.total, &total);
    if (l->here_ns > 0) {
        text_ns(l->here_ns, false, &here);
        buf_addf(&text, _("here: %s"), buf_text(&here));
        if (l->here_level)
            buf_addf(&text, ", %s", _("level"));
        buf_puts(&text, "; ");
    }
    buf_addf(&text, _("sent: %1$s of %2$s"), buf_text(&sent),
             buf_text(&total));
    canvas_puts_within(c, at.x, at.y, at.width, buf_text(&text), quiet);
    buf_done(&sent);
    buf_done(&total);
    buf_done(&here);
    buf_done(&text);
}

static const struct view *
view_of(const struct lane *l, struct rect at, struct rect *picture)
{
    *picture = (struct rect){at.x, at.y + WORDS_ROWS, at.width,
                             at.height - WORDS_ROWS};
    return view_choose(&l->scene, *picture);
}

static void
draw_lane(const struct lane *l, struct canvas *c, struct rect at)
{
    struct rect picture;
    const struct view *view = view_of(l, at, &picture);

    draw_name(l, c, at);
    at.y++;
    draw_bar(l, c, at);
    at.y++;
    draw_sent(l, c, at);
    view_draw(view, &l->scene, c, picture);
}

/* How many lanes are side by side: all if they are wide enough, or if two rows
 * of them would be too low; else half of them, or as many as fit. */
static int
lanes_a_row(int n, int columns, int rows)
{
    int half = n > 2 ? (n + 1) / 2 : n;

    if (columns / n >= COLUMNS_ROOMY ||
        (columns / n >= COLUMNS_LEAST && rows / 2 < ROWS_ROOMY))
        return n;
    return columns / half >= COLUMNS_LEAST ? half : columns / COLUMNS_LEAST;
}

/* Draws the rules between a lane and those above it and to its left. */
static void
draw_rules(const struct lane *l, struct canvas *c, struct rect at)
{
    if (at.x > 0)
        for (int y = at.y; y < at.y + at.height; y++)
            canvas_put(c, at.x, y, glyph(l->scene.glyphs, GLYPH_VERTICAL),
                       quiet);
    if (at.y > TITLE_ROWS)
        canvas_fill(c, at.x, at.y - 1, at.width,
                    glyph(l->scene.glyphs, GLYPH_HORIZONTAL), quiet);
}

/* The place of a lane without its rules, and with them. */
static struct rect
place(int i, int n, const struct canvas *c, struct rect *with_rules)
{
    int rows = c->rows - TITLE_ROWS - KEYS_ROWS;
    int a_row = lanes_a_row(n, c->columns, rows);
    int down = (n + a_row - 1) / a_row;
    int width = c->columns / a_row, height = rows / down;
    struct rect at = {i % a_row * width, TITLE_ROWS + i / a_row * height,
                      width, height - (down > 1)};

    *with_rules = at;
    at.x++;
    at.width -= 2;
    return at;
}

/* The title gives way to the network. */
static void
draw_title(const char *title, const struct lane *lanes, struct canvas *c)
{
    struct buf network = {0};
    int room = c->columns - 2;

    text_network(lanes[0].scene.world, &network);
    put_right(c, 1, 1 + room, 0, buf_text(&network), quiet);
    if (network.length > 0)
        room -= utf8_columns(buf_text(&network)) + GAP;
    canvas_puts_within(c, 1, 0, room, title,
                       (struct pen){.fg = ROLE_ACCENT, .attrs = ATTR_BOLD});
    buf_done(&network);
}

void
lanes_draw(const char *title, const struct lane *lanes, int n,
           struct canvas *c)
{
    canvas_clear(c, (struct rect){0, 0, c->columns, c->rows});
    if (too_small(c, LAYOUT_COLUMNS_FULL, LAYOUT_ROWS_FULL - 1))
        return;
    draw_title(title, lanes, c);
    for (int i = 0; i < n; i++) {
        struct rect with_rules, at = place(i, n, c, &with_rules);
        draw_rules(&lanes[i], c, with_rules);
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
    struct buf text = {0}, time = {0};
    int y = c->rows - KEYS_ROWS;
    int x = keys_draw(&keys, c, 1, y);

    text_ns(whole(1e9 / slower), false, &time);
    buf_addf(&text,
             run_times(lanes[0].scene.world->run) == TIMES_SIMULATED
                 ? _("each second shows %s of simulated time")
                 : _("each second shows %s"),
             buf_text(&time));
    put_right(c, x, c->columns - 1, y, buf_text(&text), quiet);
    buf_done(&text);
    buf_done(&time);
}
