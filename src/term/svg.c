/* SPDX-License-Identifier: MIT */
#include "term/svg.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "base/xml.h"

/* Sizes of a cell and of the font, in units of half a pixel.  With DejaVu Sans
 * Mono (and Menlo) box-drawing characters of this size join.  textLength gives
 * other fonts the same widths. */
enum {
    CELL_WIDTH = 18,
    CELL_HEIGHT = 34,
    BASELINE = 27,
    FONT_SIZE = 30,
    MARGIN = 24,
    WIDE_SPACING = 2 * CELL_WIDTH - FONT_SIZE, /* after a CJK character */
    BRAILLE = 0x2800,
    DOTS = 8, /* of a braille character */
    DOT_SIZE = 6,
};

static const char fonts[] =
    "'DejaVu Sans Mono',Menlo,Consolas,'Cascadia Mono','Liberation Mono',"
    "'Noto Sans Mono CJK SC','WenQuanYi Zen Hei Mono',monospace";

void
svg_done(struct svg *s)
{
    spans_done(&s->spans);
    free(s->begins);
    *s = (struct svg){0};
}

void
svg_add(struct svg *s, const struct canvas *c, int64_t begin_ms)
{
    s->columns = c->columns;
    s->rows = c->rows;
    spans_add(&s->spans, c);
    s->begins = mem_grow(s->begins, s->nbegins, &s->capacity,
                         sizeof *s->begins);
    s->begins[s->nbegins++] = begin_ms;
}

/* The classes: cN is a role as a background, tN as characters on the picture's
 * own background, g that background. */
static void
add_style(enum ground ground, struct buf *out)
{
    buf_addf(out,
             "<style>\n"
             "text{font:%dpx %s;fill:#%06x;white-space:pre;"
             "direction:ltr;unicode-bidi:bidi-override}\n"
             ".b{font-weight:bold}.u{text-decoration:underline}"
             ".w{letter-spacing:%dpx}.c0{fill:#%06x}.g{fill:#%06x}\n",
             FONT_SIZE, fonts, (unsigned)palette_text(ground), WIDE_SPACING,
             (unsigned)palette_text(ground), (unsigned)palette_ground(ground));
    for (enum role role = 1; role < ROLES; role++) {
        int32_t rgb = palette_colour(role)->rgb;
        int32_t text = palette_fg(role, ROLE_TEXT, ground)->rgb;
        if (rgb >= 0)
            buf_addf(out, ".c%d{fill:#%06x}", role, (unsigned)rgb);
        if (text != rgb)
            buf_addf(out, ".t%d{fill:#%06x}", role, (unsigned)text);
    }
    buf_puts(out, "\n@media(prefers-reduced-motion:reduce)"
                  "{g{animation:none!important}}\n</style>\n");
}

static void
open_document(const struct svg *s, const char *title, struct buf *out)
{
    int width = s->columns * CELL_WIDTH + 2 * MARGIN;
    int height = s->rows * CELL_HEIGHT + 2 * MARGIN;

    buf_addf(out,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
             "height=\"%d\" viewBox=\"%d %d %d %d\" xml:space=\"preserve\" "
             "role=\"img\">\n<title>",
             width / 2, height / 2, -MARGIN, -MARGIN, width, height);
    xml_add(out, title);
    buf_puts(out, "</title>\n");
    add_style(s->ground, out);
    buf_addf(out,
             "<rect class=\"g\" x=\"%d\" y=\"%d\" width=\"%d\" "
             "height=\"%d\" rx=\"%d\"/>\n",
             -MARGIN, -MARGIN, width, height, MARGIN / 2);
}

static int
role_drawn(enum role role)
{
    return palette_colour(role)->rgb >= 0 ? (int)role : ROLE_TEXT;
}

static void
add_ground(const struct span *s, struct buf *out)
{
    bool reverse = s->pen.attrs & ATTR_REVERSE;

    if (!reverse && s->pen.bg == ROLE_TEXT)
        return;
    buf_addf(out,
             "<rect class=\"c%d\" x=\"%d\" y=\"%d\" width=\"%d\" "
             "height=\"%d\" shape-rendering=\"crispEdges\"/>",
             role_drawn(reverse ? s->pen.fg : s->pen.bg), s->x * CELL_WIDTH,
             s->y * CELL_HEIGHT, s->columns * CELL_WIDTH, CELL_HEIGHT);
}

/* Whether characters of the pen have another shade than its role's colour. */
static bool
is_shaded(struct pen pen, enum ground ground)
{
    return pen_colour(pen, ground)->rgb != palette_colour(pen.fg)->rgb;
}

static void
add_classes(struct pen pen, enum ground ground, bool wide, struct buf *out)
{
    struct buf list = {0};

    if (wide)
        buf_puts(&list, " w");
    if (pen.attrs & ATTR_BOLD)
        buf_puts(&list, " b");
    if (pen.attrs & ATTR_UNDERLINE)
        buf_puts(&list, " u");
    if (pen.attrs & ATTR_REVERSE && pen.bg == ROLE_TEXT)
        buf_puts(&list, " g");
    else if (pen.attrs & ATTR_REVERSE)
        buf_addf(&list, " c%d", role_drawn(pen.bg));
    else if (role_drawn(pen.fg) != ROLE_TEXT)
        buf_addf(&list, " %c%d", is_shaded(pen, ground) ? 't' : 'c', pen.fg);
    if (list.length > 0)
        buf_addf(out, " class=\"%s\"", buf_text(&list) + 1);
    buf_done(&list);
}

static bool
is_braille(uint32_t code)
{
    return code >= BRAILLE && code < BRAILLE + (1 << DOTS);
}

/* The squares of a braille character's dots, as parts of a path. */
static void
add_dots(uint32_t code, int left, int top, struct buf *out)
{
    /* Columns and rows by bit, in the order of Unicode. */
    static const int across[DOTS] = {0, 0, 0, 1, 1, 1, 0, 1},
                     down[DOTS] = {0, 1, 2, 0, 1, 2, 3, 3};

    for (int i = 0; i < DOTS; i++)
        if ((code - BRAILLE) >> i & 1)
            buf_addf(out, "M%d %dh%dv%dh-%dz",
                     left + (2 * across[i] + 1) * CELL_WIDTH / 4 -
                         DOT_SIZE / 2,
                     top + (2 * down[i] + 1) * CELL_HEIGHT / 8 - DOT_SIZE / 2,
                     DOT_SIZE, DOT_SIZE, DOT_SIZE);
}

/* Draws the dots of a span, and appends its text without them.  Returns whether
 * there is such a text. */
static bool
add_braille(const struct span *s, enum ground ground, struct buf *text,
            struct buf *out)
{
    struct buf dots = {0};
    bool has_text = false;
    int left = s->x * CELL_WIDTH;
    uint32_t code;

    for (const char *at = s->text; *at != '\0'; left += CELL_WIDTH) {
        char bytes[4];
        code = utf8_next(&at);
        if (is_braille(code))
            add_dots(code, left, s->y * CELL_HEIGHT, &dots);
        has_text = has_text || !is_braille(code);
        buf_add(text, bytes,
                (size_t)utf8_put(bytes, is_braille(code) ? ' ' : code));
    }
    if (dots.length > 0) {
        buf_puts(out, "<path");
        add_classes(s->pen, ground, false, out);
        buf_addf(out, " d=\"%s\"/>\n", buf_text(&dots));
    }
    buf_done(&dots);
    return has_text;
}

static void
add_text(const struct span *s, const char *text, bool wide,
         enum ground ground, struct buf *out)
{
    buf_addf(out, "<text x=\"%d\" y=\"%d\" textLength=\"%d\"",
             s->x * CELL_WIDTH, s->y * CELL_HEIGHT + BASELINE,
             s->columns * CELL_WIDTH);
    if (!wide) /* stretch it, so that lines join; wide characters keep shape */
        buf_puts(out, " lengthAdjust=\"spacingAndGlyphs\"");
    add_classes(s->pen, ground, wide, out);
    buf_putc(out, '>');
    xml_add(out, text);
    buf_puts(out, "</text>\n");
}

static void
add_span(const struct span *s, enum ground ground, struct buf *out)
{
    bool wide = utf8_width(utf8_next(&(const char *){s->text})) == 2;
    struct buf text = {0};

    add_ground(s, out);
    if (wide || add_braille(s, ground, &text, out))
        add_text(s, wide ? s->text : buf_text(&text), wide, ground, out);
    buf_done(&text);
}

/* Adds, as a list of keyframes, the moments at which the span appears or
 * disappears. Adds nothing if there are none. */
static void
add_moments(const struct svg *s, const struct span *span, bool appear,
            int64_t end_ms, struct buf *out)
{
    const char *comma = "";

    if (!appear && span->times[0].begin > 0) {
        buf_puts(out, "0%");
        comma = ",";
    }
    for (size_t i = 0; i < span->ntimes; i++) {
        int frame = appear ? span->times[i].begin : span->times[i].end;
        if (frame == s->spans.nframes)
            break;
        buf_addf(out, "%s%.6g%%", comma,
                 100.0 * (double)s->begins[frame] / (double)end_ms);
        comma = ",";
    }
    buf_addf(out, "{visibility:%s}", appear ? "visible" : "hidden");
}

static void
open_group(const struct svg *s, const struct span *span, int number,
           int64_t end_ms, struct buf *out)
{
    bool at_end = span->times[span->ntimes - 1].end == s->spans.nframes;

    if (at_end && span->ntimes == 1 && span->times[0].begin == 0) {
        buf_puts(out, "<g>\n");
        return;
    }
    buf_addf(out, "<style>@keyframes k%d{", number);
    add_moments(s, span, true, end_ms, out);
    add_moments(s, span, false, end_ms, out);
    buf_addf(out, "}.k%d{animation:k%d %.3fs step-end infinite}</style>\n"
             "<g class=\"k%d\"%s>\n", number, number, (double)end_ms / 1000,
             number, at_end ? "" : " visibility=\"hidden\"");
}

void
svg_write(struct svg *s, const char *title, int64_t end_ms, struct buf *out)
{
    struct span **all = s->spans.all;
    int groups = 0;

    spans_sort(&s->spans);
    open_document(s, title, out);
    for (size_t i = 0; i < s->spans.count; i++) {
        if (i == 0 || !span_same_times(all[i - 1], all[i])) {
            buf_puts(out, i > 0 ? "</g>\n" : "");
            open_group(s, all[i], groups++, end_ms, out);
        }
        add_span(all[i], s->ground, out);
    }
    buf_puts(out, s->spans.count > 0 ? "</g>\n</svg>\n" : "</svg>\n");
}
