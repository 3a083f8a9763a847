/* SPDX-License-Identifier: MIT */
/* Colours on dark and on light backgrounds: every character of every view has
 * a contrast of at least 3:1 (WCAG 2.1, which asks for it of graphics and of
 * large or bold text), and what a terminal says of its background. */
#include <math.h>
#include <stdlib.h>

#include "colour_vision.h"
#include "picture.h"
#include "ring_world.h"
#include "tap.h"
#include "term/background.h"
#include "term/svg.h"
#include "view/chart.h"
#include "view/view.h"

static double
contrast(int32_t a, int32_t b)
{
    double x = luminance(a) + 0.05, y = luminance(b) + 0.05;

    return x > y ? x / y : y / x;
}

/* Backgrounds that terminals have: pure ones, and those of common themes. */
static const int32_t grounds[GROUNDS][3] = {
    [GROUND_DARK] = {0x000000, 0x16181d, 0x1e1e1e},
    [GROUND_LIGHT] = {0xffffff, 0xffffff, 0xf6f8fa},
};

/* The least contrast of a role as characters, in 24 bits and 256 colours. */
static double
least_contrast(enum role role, enum ground ground)
{
    const struct colour *c = palette_fg(role, ROLE_TEXT, ground);
    double least = 100;

    for (int i = 0; i < 3; i++) {
        int32_t on = grounds[ground][i];
        least = fmin(least, contrast(c->rgb, on));
        least = fmin(least, contrast(colour_of_256(c->x256), on));
    }
    return least;
}

static void
test_roles(void)
{
    for (int ground = 0; ground < GROUNDS; ground++) {
        int bad = 0;
        for (enum role role = 0; role < ROLES; role++) {
            if (palette_colour(role)->rgb < 0 || role == ROLE_BLACK ||
                role == ROLE_WHITE ||
                (role >= ROLE_HEAT && role < ROLE_ORIGIN)) /* only a ground */
                continue;
            if (least_contrast(role, ground) < 3) {
                diag("role %d: %.2f", role, least_contrast(role, ground));
                bad++;
            }
        }
        is_int(bad, 0, "every role is legible on %s",
               ground == GROUND_DARK ? "dark" : "light");
    }
    ok(palette_fg(ROLE_ORIGIN + 3, ROLE_BLACK, GROUND_LIGHT) ==
           palette_colour(ROLE_ORIGIN + 3),
       "on a background of our own a hue stays as it is");
}

/* The accents differ from one another, to everyone, as characters. */
static void
test_accents(void)
{
    for (int ground = 0; ground < GROUNDS; ground++) {
        double least = 1000;
        for (int vision = 0; vision < VISIONS; vision++)
            for (int i = ROLE_LEARN; i <= ROLE_MACHINE; i++)
                for (int k = ROLE_LEARN; k < i; k++) {
                    const struct colour *a = palette_fg(
                        (enum role)i, ROLE_TEXT, (enum ground)ground);
                    const struct colour *b = palette_fg(
                        (enum role)k, ROLE_TEXT, (enum ground)ground);
                    least = fmin(least, colour_difference(a->rgb, b->rgb,
                                                          vision));
                    least = fmin(least, colour_difference(
                                            colour_of_256(a->x256),
                                            colour_of_256(b->x256), vision));
                    if (a->ansi == b->ansi)
                        least = 0;
                }
        ok(least >= 15, "accents can be distinguished on %s: %.1f",
           ground == GROUND_DARK ? "dark" : "light", least);
    }
}

/* On light, what is white among eight colours is the terminal's own. */
static void
test_eight(void)
{
    int bad = 0;

    for (enum role role = ROLE_TREE; role < ROLES; role++) {
        bad += palette_fg(role, ROLE_TEXT, GROUND_LIGHT)->ansi == 7;
        bad += palette_fg(palette_ink(role), role, GROUND_DARK)->ansi ==
               palette_colour(role)->ansi;
    }
    is_int(bad, 0, "nothing is white on white");
}

/* What is written on a verdict's badge, or on a level of heat, is read like
 * text, with 24 bits and 256 colours; with eight, its colour is another. */
static void
test_inks(void)
{
    static const enum role badges[] = {ROLE_WARNING, ROLE_CORRECT};
    double least = 100;
    int same = 0;

    for (int i = 0; i < HEATS + 2; i++) {
        enum role ground = i < HEATS ? ROLE_HEAT + (unsigned)i
                                     : badges[i - HEATS];
        const struct colour *on = palette_colour(ground);
        const struct colour *ink =
            palette_fg(palette_ink(ground), ground, GROUND_DARK);
        least = fmin(least, contrast(ink->rgb, on->rgb));
        least = fmin(least, contrast(colour_of_256(ink->x256),
                                     colour_of_256(on->x256)));
        same += ink->ansi == on->ansi;
    }
    ok(least >= 4.5 && same == 0, "inks on badges and heat: %.2f, %d the same",
       least, same);
}

/* Levels of heat that differ can be told apart, as can the highest from the
 * white of a complete sum; the first and the last stand for one contribution
 * and for all but one. */
static void
test_heat(void)
{
    double least = 100;
    int used = 1, bad = 0;

    for (int i = 1; i <= HEATS; i++) {
        const struct colour *low = palette_colour(ROLE_HEAT + i - 1);
        const struct colour *high = palette_colour(
            i < HEATS ? ROLE_HEAT + i : ROLE_WHITE);
        int32_t from = colour_of_256(low->x256), to = colour_of_256(high->x256);
        least = fmin(least, contrast(low->rgb, high->rgb));
        if (from != to && i < HEATS)
            least = fmin(least, contrast(from, to));
        used += from != to && i < HEATS;
    }
    ok(least >= 1.4 && used == 5, "levels of heat differ: %.2f, %d of 256",
       least, used);
    is_int(palette_heat(1, 8) - ROLE_HEAT, 0, "one of 8 is the lowest");
    is_int(palette_heat(7, 8) - ROLE_HEAT, HEATS - 1, "7 of 8 is the highest");
    is_int(palette_heat(1, 1024) - ROLE_HEAT, 0, "and so for 1024");
    is_int(palette_heat(1023, 1024) - ROLE_HEAT, HEATS - 1, "and so for 1023");
    for (int whole = 3; whole <= 2048; whole++)
        for (int i = 0; i < HEATS; i++)
            bad += palette_heat(pow(whole - 1, i / (HEATS - 1.0)), whole) !=
                   (enum role)(ROLE_HEAT + i);
    is_int(bad, 0, "each level has so many times as many as the one below");
}

static int32_t
rgb_or(const struct colour *c, int32_t own)
{
    return c->rgb >= 0 ? c->rgb : own;
}

/* Whether the cell shows nothing, or joins two blocks, whose colours may be
 * near to each other. */
static bool
is_exempt(const struct cell *c)
{
    bool block = c->code >= 0x2580 && c->code <= 0x259f;

    return c->code == 0 || c->code == ' ' ||
           (block && c->pen.bg != ROLE_TEXT);
}

static double
cell_contrast(const struct cell *c, enum ground ground)
{
    struct pen p = c->pen;

    return contrast(
        rgb_or(palette_fg(p.fg, p.bg, ground), palette_text[ground]),
        rgb_or(palette_colour(p.bg), palette_ground[ground]));
}

/* The cells of a picture that are hard to see. */
static int
bad_cells_of(const struct canvas *c, enum ground ground)
{
    int bad = 0;

    for (int i = 0; i < c->columns * c->rows; i++) {
        const struct cell *cell = &c->cells[i];
        if (is_exempt(cell) || cell_contrast(cell, ground) >= 3)
            continue;
        if (bad++ == 0)
            diag("U+%04X at %d, %d: roles %d on %d", (unsigned)cell->code,
                 i % c->columns, i / c->columns, cell->pen.fg, cell->pen.bg);
    }
    return bad;
}

static int
bad_cells(const struct scene *s, enum ground ground)
{
    OWN(canvas) c = {0};
    int bad;

    canvas_resize(&c, 120, 40);
    frame_draw(s, &(struct surround){.playing = false}, &c);
    frame_notice("an error", true, &c, (struct rect){1, 0, 118, 39});
    bad = bad_cells_of(&c, ground);
    return bad;
}

/* Every view of a run at every step, with a step in flight, the inspector and
 * a warning. */
static void
test_views(int nranks)
{
    OWNS(world) *w = ring_world(nranks, 2 * nranks - 2);
    struct flight flights[64];

    for (int ground = 0; ground < GROUNDS; ground++) {
        int bad = 0;
        for (int view = 0; view_at(view) != NULL; view++)
            for (int step = 0; step <= w->nsteps; step++) {
                struct scene s = {.world = w, .view = view};
                world_seek(w, step);
                bad += bad_cells(&s, ground);
                s.inspect = true;
                bad += bad_cells(&s, ground);
                s.inspect = false;
                if (step < w->nsteps && nranks <= 64) {
                    fly(&s, flights, 0.4);
                    bad += bad_cells(&s, ground);
                }
            }
        is_int(bad, 0, "%d ranks: all that is drawn is legible on %s", nranks,
               ground == GROUND_DARK ? "dark" : "light");
    }
}

/* Eight curves, each of which is the fastest somewhere. */
static void
test_chart(void)
{
    struct series_set set = {0};
    struct chart chart = {.set = &set, .title = "", .source = "",
                          .axes.over = OVER_RANKS, .cursor = 4};
    struct canvas c = {0};

    for (int i = 0; i < HUES; i++) {
        struct series *s = series_add(&set, "a curve");
        for (int k = 0; k < 3 * HUES; k++)
            series_put(s, (struct series_point){
                .bytes = 8, .ranks = k + 1, .us = 10 + (k % HUES != i)});
    }
    canvas_resize(&c, 200, 40);
    chart_draw(&chart, &c);
    for (int ground = 0; ground < GROUNDS; ground++)
        is_int(bad_cells_of(&c, (enum ground)ground), 0,
               "a chart is legible on %s",
               ground == GROUND_DARK ? "dark" : "light");
    canvas_done(&c);
    series_set_done(&set);
}

/* The colour of a character in an SVG: that of its class, if the style has it,
 * else that of all text. */
static int32_t
drawn_in_svg(struct pen pen, enum ground ground)
{
    OWN(svg) svg = {.ground = ground};
    OWN(canvas) c = {0};
    OWN(buf) out = {0}, rule = {0};
    int32_t rgb = palette_text[ground];
    char name[8] = "";
    const char *at;

    canvas_resize(&c, 1, 1);
    canvas_put(&c, 0, 0, 'x', pen);
    svg_add(&svg, &c, 0);
    svg_write(&svg, "", 0, &out);
    at = strstr(buf_text(&out), "<text ");
    if (at == NULL || (at = strstr(at, "class=")) == NULL ||
        sscanf(at, "class=\"%7[^\"]", name) != 1)
        name[0] = '\0';
    buf_addf(&rule, ".%s{fill:#", name);
    at = strstr(buf_text(&out), buf_text(&rule));
    if (at != NULL)
        rgb = (int32_t)strtol(at + rule.length, NULL, 16);
    return rgb;
}

/* The same in a page, for readers who prefer this ground. */
static int32_t
drawn_in_page(struct pen pen, enum ground ground)
{
    OWN(canvas) c = {0};
    OWN(buf) style = {0}, out = {0}, rule = {0};
    char name[8] = "", fill[16] = "";
    const char *at;

    canvas_resize(&c, 1, 1);
    canvas_put(&c, 0, 0, 'x', pen);
    svg_add_page_style(&style);
    svg_add_fragment(&c, (struct rect){0, 0, 1, 1}, "x", "", "", &out);
    at = strstr(buf_text(&out), "<text ");
    if (at != NULL && (at = strstr(at, "class=")) != NULL)
        sscanf(at, "class=\"%7[^\"]", name);
    buf_addf(&rule, name[0] != '\0' ? ".%s{fill:" : "%stext{", name);
    at = strstr(buf_text(&style), buf_text(&rule));
    at = at != NULL ? strstr(at, "fill:") : NULL;
    if (at == NULL || sscanf(at, "fill:%15[^;}]", fill) != 1)
        return -1;
    if (fill[0] == '#')
        return (int32_t)strtol(fill + 1, NULL, 16);
    at = strstr(buf_text(&style), "prefers-color-scheme:light");
    buf_clear(&rule);
    buf_addf(&rule, "%.*s:#", (int)strcspn(fill + 4, ")"), fill + 4);
    at = strstr(ground == GROUND_LIGHT ? at : buf_text(&style),
                buf_text(&rule));
    return at != NULL ? (int32_t)strtol(at + rule.length, NULL, 16) : -1;
}

/* A picture has the shades of a screen, alone or in a page. */
static void
test_svg(int32_t (*drawn)(struct pen pen, enum ground ground),
         enum ground ground)
{
    int wrong = 0;

    for (int role = 0; role < ROLES; role++)
        for (int bg = ROLE_TEXT; bg <= ROLE_WHITE; bg += ROLE_WHITE) {
            struct pen pen = {.fg = (uint8_t)role, .bg = (uint8_t)bg};
            int32_t want = palette_fg(role, bg, ground)->rgb;
            int32_t is = drawn(pen, ground);
            if (is == (want >= 0 ? want : palette_text[ground]))
                continue;
            wrong++;
            diag("role %d on %d: #%06x instead of #%06x", role, bg,
                 (unsigned)is, (unsigned)want);
        }
    is_int(wrong, 0, "%s has the shades for a %s background",
           drawn == drawn_in_svg ? "an SVG" : "a page",
           ground == GROUND_DARK ? "dark" : "light");
}

/* What a picture in a page says to a screen reader, and nothing hostile. */
static void
test_words(void)
{
    OWN(canvas) c = {0};
    OWN(buf) out = {0};

    canvas_resize(&c, 30, 3);
    canvas_puts(&c, 0, 2, "next: </desc><script>", plain);
    svg_add_fragment(&c, (struct rect){0, 0, 30, 3}, "now", "\"><b>\x1b",
                     "next: </desc><script>", &out);
    ok(strstr(buf_text(&out), "aria-label=\"&quot;&gt;&lt;b&gt;\\x1b\" "
              "aria-describedby=\"now-words\"") != NULL, "its label");
    ok(strstr(buf_text(&out), "<desc id=\"now-words\">next: &lt;/desc&gt;"
              "&lt;script&gt;</desc>") != NULL, "its words");
    ok(strstr(buf_text(&out), "<script") == NULL, "  nothing hostile");
    buf_clear(&out);
    svg_add_fragment(&c, (struct rect){3, 2, 9, 1}, "x", "", "two\n<lines>",
                     &out);
    ok(strstr(buf_text(&out), ">two\n&lt;lines&gt;</desc>") != NULL &&
       strstr(buf_text(&out), "viewBox=\"54 0 162 34\"") != NULL,
       "words of the caller's, an area");
}

/* Whether the terminal's reply is taken, and what it says. */
static void
replies(const char *text, bool taken, enum ground expected)
{
    struct background_reply r;
    enum ground ground = GROUND_DARK;
    bool got = false;

    background_begin(&r, false);
    for (; *text != '\0' && r.open; text++)
        got |= background_take(&r, (unsigned char)*text, &ground) ==
               BACKGROUND_KNOWN;
    ok(got == taken && ground == expected && !r.open && *text == '\0',
       "a reply is %s", !taken ? "passed over"
                        : expected == GROUND_LIGHT ? "light" : "dark");
}

/* What follows Escape and ] or, for the last reply, [ and ?. */
static void
are_keys(const char *text, bool last)
{
    struct background_reply r;
    enum ground ground;
    enum background_got got = BACKGROUND_MORE;
    int taken = 0;

    background_begin(&r, last);
    for (; text[taken] != '\0' && got == BACKGROUND_MORE; taken++)
        got = background_take(&r, (unsigned char)text[taken], &ground);
    ok(got == BACKGROUND_KEYS && !r.open && text[taken] == '\0' &&
           r.length == taken - 1 &&
           strncmp(r.text, text, (size_t)r.length) == 0,
       "'%s' are keys", text);
}

static void
test_replies(void)
{
    static const struct {
        const char *value;
        enum ground ground;
    } expected[] = {
        {"15;0", GROUND_DARK},        {"0;15", GROUND_LIGHT},
        {"0;default;15", GROUND_LIGHT}, {"15;8", GROUND_DARK},
        {"0;7", GROUND_LIGHT},        {"", GROUND_DARK},
        {";", GROUND_DARK},           {"0;99", GROUND_DARK},
    };

    replies("11;rgb:ffff/ffff/ffff\033\\", true, GROUND_LIGHT);
    replies("11;rgb:fd/f6/e3\a", true, GROUND_LIGHT);
    replies("11;rgb:0000/2b2b/3636\033\\", true, GROUND_DARK);
    replies("11;rgb:f/f/f\a", true, GROUND_LIGHT);
    replies("11;rgb:ffff/ffff\033\\", false, GROUND_DARK);
    replies("11;rgb:ffff/ffff/ffff/ffff\a", false, GROUND_DARK);
    replies("11;rgb:ffff/ffff/ffff\033x", false, GROUND_DARK);
    are_keys("l", false);
    are_keys("1l", false);
    are_keys("11q", false);
    are_keys("10", false);
    are_keys("\a", false);
    are_keys("l", true);
    are_keys("62;l", true);
    unsetenv("COLORFGBG");
    ok(background_expected() == GROUND_DARK, "dark is expected");
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        setenv("COLORFGBG", expected[i].value, 1);
        ok(background_expected() == expected[i].ground, "unless COLORFGBG='%s'",
           expected[i].value);
    }
}

/* The reply to the last question says nothing of the background, and ends with
 * its letter. */
static void
test_last_reply(void)
{
    struct background_reply r;
    enum ground ground;
    bool open = true;

    background_begin(&r, true);
    for (const char *text = "62;22"; *text != '\0'; text++)
        open &= background_take(&r, *text, &ground) == BACKGROUND_MORE;
    ok(open && background_take(&r, 'c', &ground) == BACKGROUND_OVER && !r.open,
       "the last reply ends with its letter");
}

/* A reply that never ends is given up. */
static void
test_endless(void)
{
    struct background_reply r;
    enum ground ground;
    int taken = 0;

    background_begin(&r, false);
    for (; r.open && taken < 1000; taken++)
        background_take(&r, taken < 2 ? '1' : ';', &ground);
    ok(taken < 100, "a reply that never ends is given up");
}

int
main(void)
{
    test_roles();
    test_eight();
    test_inks();
    test_heat();
    test_accents();
    test_views(3);
    test_views(8);
    test_views(17);
    test_chart();
    test_svg(drawn_in_svg, GROUND_DARK);
    test_svg(drawn_in_svg, GROUND_LIGHT);
    test_svg(drawn_in_page, GROUND_DARK);
    test_svg(drawn_in_page, GROUND_LIGHT);
    test_words();
    test_replies();
    test_last_reply();
    test_endless();
    return done_testing();
}
