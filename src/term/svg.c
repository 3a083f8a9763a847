/* SPDX-License-Identifier: MIT */
#include "term/svg.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/utf8.h"

/* Sizes of a cell and of the font, in units of half a pixel.  Box-drawing
 * characters of DejaVu Sans Mono (and Menlo) join in this size.  textLength
 * gives other fonts the same widths. */
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

/* A piece of a canvas's row.  It has one pen and ends at a gap.  A span that
 * appears in several frames is stored once, with the frames in which it is
 * visible.  The visible spans of a frame do not overlap. */
struct svg_span {
    int x, y, columns;
    struct pen pen;
    char *text; /* UTF-8; all its characters are equally wide */
    struct svg_time {
        int begin, end; /* frames begin .. end - 1 */
    } *times; /* in order, with gaps between them */
    size_t ntimes, capacity;
};

static int
order_ints(int a, int b)
{
    return (a > b) - (a < b);
}

static int
compare_places(const struct svg_span *a, const struct svg_span *b)
{
    return a->y != b->y ? order_ints(a->y, b->y) : order_ints(a->x, b->x);
}

static int
compare_looks(const void *one, const void *other)
{
    const struct svg_span *a = one, *b = other;
    int result = compare_places(a, b);

    if (result == 0)
        result = memcmp(&a->pen, &b->pen, sizeof a->pen);
    return result != 0 ? result : strcmp(a->text, b->text);
}

static int
compare_times(const struct svg_span *a, const struct svg_span *b)
{
    int result = order_ints((int)a->ntimes, (int)b->ntimes);

    for (size_t i = 0; i < a->ntimes && result == 0; i++) {
        result = order_ints(a->times[i].begin, b->times[i].begin);
        if (result == 0)
            result = order_ints(a->times[i].end, b->times[i].end);
    }
    return result;
}

static int
compare_all(const void *one, const void *other)
{
    const struct svg_span *a = *(struct svg_span *const *)one;
    const struct svg_span *b = *(struct svg_span *const *)other;
    int result = compare_times(a, b);

    return result != 0 ? result : compare_places(a, b);
}

static void
ignore_span(void *span)
{
    (void)span; /* the array owns it */
}

void
svg_done(struct svg *s)
{
    tdestroy(s->tree, ignore_span);
    for (size_t i = 0; i < s->count; i++) {
        free(s->spans[i]->text);
        free(s->spans[i]->times);
        free(s->spans[i]);
    }
    free(s->spans);
    free(s->begins);
    *s = (struct svg){0};
}

/* Records that a span is visible in the frame that is being added. */
static void
keep_span(struct svg *s, const struct svg_span *seen)
{
    struct svg_span *const *found = tfind(seen, &s->tree, compare_looks);
    struct svg_span *span = found != NULL ? *found : mem_new(1, sizeof *span);

    if (found == NULL) {
        *span = *seen;
        span->text = mem_string(seen->text);
        if (tsearch(span, &s->tree, compare_looks) == NULL)
            die("out of memory");
        s->spans = mem_grow(s->spans, s->count, &s->capacity,
                            sizeof *s->spans);
        s->spans[s->count++] = span;
    }
    if (span->ntimes > 0 && span->times[span->ntimes - 1].end == s->nframes) {
        span->times[span->ntimes - 1].end++;
        return;
    }
    span->times = mem_grow(span->times, span->ntimes, &span->capacity,
                           sizeof *span->times);
    span->times[span->ntimes++] =
        (struct svg_time){s->nframes, s->nframes + 1};
}

/* Whether a cell is blank. */
static bool
is_gap(const struct cell *cell)
{
    return cell->code == 0 ||
           (cell->code == ' ' && cell->pen.bg == ROLE_TEXT &&
            (cell->pen.attrs & (ATTR_REVERSE | ATTR_UNDERLINE)) == 0);
}

/* A single blank between words belongs to the span; several are a gap. */
static bool
goes_on(const struct canvas *c, int x, int y, struct pen pen, int width)
{
    const struct cell *cell = canvas_at(c, x, y);

    return cell != NULL && pen_same(cell->pen, pen) &&
           utf8_width(cell->code) == width &&
           !(is_gap(cell) && (x + 1 == c->columns ||
                              is_gap(canvas_at(c, x + 1, y))));
}

/* The span that begins at x; the caller frees its text. */
static struct svg_span
cut_span(const struct canvas *c, int x, int y)
{
    const struct cell *first = canvas_at(c, x, y);
    int width = utf8_width(first->code);
    struct svg_span span = {.x = x, .y = y, .pen = first->pen};
    struct buf text = {0};

    do {
        char bytes[4];
        uint32_t code = canvas_at(c, x + span.columns, y)->code;
        buf_add(&text, bytes, (size_t)utf8_put(bytes, code));
        span.columns += width;
    } while (goes_on(c, x + span.columns, y, span.pen, width));
    span.text = text.data;
    return span;
}

void
svg_add(struct svg *s, const struct canvas *c, int64_t begin_ms)
{
    s->columns = c->columns;
    s->rows = c->rows;
    for (int y = 0; y < c->rows; y++)
        for (int x = 0; x < c->columns; x++)
            if (!is_gap(canvas_at(c, x, y))) {
                struct svg_span span = cut_span(c, x, y);
                keep_span(s, &span);
                free(span.text);
                x += span.columns - 1;
            }
    s->begins = mem_grow(s->begins, (size_t)s->nframes, &s->begins_capacity,
                         sizeof *s->begins);
    s->begins[s->nframes++] = begin_ms;
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
             FONT_SIZE, fonts, (unsigned)palette_text[ground], WIDE_SPACING,
             (unsigned)palette_text[ground], (unsigned)palette_ground[ground]);
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
    utf8_add_xml(out, title);
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
add_ground(const struct svg_span *s, enum ground ground, struct buf *out)
{
    bool reverse = s->pen.attrs & ATTR_REVERSE;

    if (!reverse && s->pen.bg == ROLE_TEXT)
        return;
    buf_addf(out,
             "<rect class=\"c%d\" x=\"%d\" y=\"%d\" width=\"%d\" "
             "height=\"%d\"%s/>",
             role_drawn(reverse ? s->pen.fg : s->pen.bg), s->x * CELL_WIDTH,
             s->y * CELL_HEIGHT, s->columns * CELL_WIDTH, CELL_HEIGHT,
             ground == GROUNDS ? "" : " shape-rendering=\"crispEdges\"");
}

/* Whether characters have another shade of their role on this ground; GROUNDS:
 * on either. */
static bool
is_shaded(struct pen pen, enum ground ground)
{
    if (ground == GROUNDS)
        return is_shaded(pen, GROUND_DARK) || is_shaded(pen, GROUND_LIGHT);
    return pen_colour(pen, ground)->rgb != palette_colour(pen.fg)->rgb;
}

static void
add_classes(struct pen pen, enum ground ground, bool wide, struct buf *out)
{
    OWN(buf) list = {0};

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
        buf_addf(&list, " %c%d",
                 is_shaded(pen, ground) ? 't' : 'c', pen.fg);
    if (list.length > 0)
        buf_addf(out, " class=\"%s\"", buf_text(&list) + 1);
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

/* Draws the dots of a span, and its text without them. */
static void
add_span(const struct svg_span *s, enum ground ground, struct buf *out)
{
    bool wide = utf8_width(utf8_next(&(const char *){s->text})) == 2;
    bool has_text = false, joins = false;
    OWN(buf) dots = {0}, text = {0};
    int left = s->x * CELL_WIDTH;

    add_ground(s, ground, out);
    for (const char *at = s->text; *at != '\0'; left += CELL_WIDTH) {
        char bytes[4];
        uint32_t code = utf8_next(&at);
        bool braille = code >= BRAILLE && code < BRAILLE + (1 << DOTS);
        if (braille)
            add_dots(code, left, s->y * CELL_HEIGHT, &dots);
        has_text = has_text || !braille;
        joins = joins || code >= 0x80 || ground != GROUNDS;
        buf_add(&text, bytes, (size_t)utf8_put(bytes, braille ? ' ' : code));
    }
    if (dots.length > 0) {
        buf_puts(out, "<path");
        add_classes(s->pen, ground, false, out);
        buf_addf(out, " d=\"%s\"/>\n", buf_text(&dots));
    }
    if (has_text) {
        buf_addf(out, "<text x=\"%d\"", s->x * CELL_WIDTH);
        if (ground != GROUNDS) /* a page's style moves it down */
            buf_addf(out, " y=\"%d\"", s->y * CELL_HEIGHT + BASELINE);
        if (ground != GROUNDS || s->columns > 1)
            buf_addf(out, " textLength=\"%d\"", s->columns * CELL_WIDTH);
        /* Characters are stretched, so that lines join.  Wide ones keep their
         * shape; so do words in a page, which is to be small. */
        if (!wide && joins && (ground != GROUNDS || s->columns > 1))
            buf_puts(out, " lengthAdjust=\"spacingAndGlyphs\"");
        add_classes(s->pen, ground, wide, out);
        buf_putc(out, '>');
        utf8_add_xml(out, buf_text(&text));
        buf_puts(out, "</text>\n");
    }
}

/* Opens a group of spans, with keyframes for the moments at which they appear
 * or disappear. */
static void
open_span_group(const struct svg *s, const struct svg_span *span, int number,
                int64_t end_ms, struct buf *out)
{
    bool at_end = span->times[span->ntimes - 1].end == s->nframes;

    if (at_end && span->ntimes == 1 && span->times[0].begin == 0) {
        buf_puts(out, "<g>\n");
        return;
    }
    buf_addf(out, "<style>@keyframes k%d{", number);
    for (int hide = 0; hide < 2; hide++) {
        const char *comma = "";
        if (hide && span->times[0].begin > 0) {
            buf_puts(out, "0%");
            comma = ",";
        }
        for (size_t i = 0; i < span->ntimes; i++) {
            int frame = hide ? span->times[i].end : span->times[i].begin;
            if (frame == s->nframes)
                break;
            buf_addf(out, "%s%.6g%%", comma,
                     100.0 * (double)s->begins[frame] / (double)end_ms);
            comma = ",";
        }
        buf_addf(out, "{visibility:%s}", hide ? "hidden" : "visible");
    }
    buf_addf(out, "}.k%d{animation:k%d %.3fs step-end infinite}</style>\n"
             "<g class=\"k%d\"%s>\n", number, number, (double)end_ms / 1000,
             number, at_end ? "" : " visibility=\"hidden\"");
}

void
svg_write(struct svg *s, const char *title, int64_t end_ms, struct buf *out)
{
    int groups = 0;

    if (s->count > 0)
        qsort(s->spans, s->count, sizeof *s->spans, compare_all);
    open_document(s, title, out);
    for (size_t i = 0; i < s->count; i++) {
        if (i == 0 || compare_times(s->spans[i - 1], s->spans[i]) != 0) {
            buf_puts(out, i > 0 ? "</g>\n" : "");
            open_span_group(s, s->spans[i], groups++, end_ms, out);
        }
        add_span(s->spans[i], s->ground, out);
    }
    buf_puts(out, s->count > 0 ? "</g>\n</svg>\n" : "</svg>\n");
}

/* Fragments. */

/* The same as add_style, but the colours of a ground are properties, which the
 * page's preference sets. */
void
svg_add_page_style(struct buf *out)
{
    for (int ground = 0; ground < GROUNDS; ground++) {
        buf_addf(out, "%s:root{color-scheme:%s;--ground:#%06x;--text:#%06x",
                 ground == GROUND_LIGHT
                     ? "@media(prefers-color-scheme:light){" : "",
                 ground == GROUND_LIGHT ? "light" : "dark",
                 (unsigned)palette_ground[ground],
                 (unsigned)palette_text[ground]);
        for (enum role role = 1; role < ROLES; role++)
            if (is_shaded((struct pen){.fg = (uint8_t)role}, GROUNDS))
                buf_addf(out, ";--t%d:#%06x", role,
                         (unsigned)palette_fg(role, ROLE_TEXT, ground)->rgb);
        buf_puts(out, ground == GROUND_LIGHT ? "}}\n" : "}\n");
    }
    buf_addf(out,
             ".canvas text{font:%dpx %s;fill:var(--text);white-space:pre;"
             "direction:ltr;unicode-bidi:bidi-override;"
             "transform:translateY(%dpx)}\n"
             ".canvas rect{shape-rendering:crispEdges}"
             ".canvas .b{font-weight:bold}"
             ".canvas .u{text-decoration:underline}"
             ".canvas .w{letter-spacing:%dpx}"
             ".canvas .c0{fill:var(--text)}.canvas .g{fill:var(--ground)}\n",
             FONT_SIZE, fonts, BASELINE, WIDE_SPACING);
    for (enum role role = 1; role < ROLES; role++) {
        if (role_drawn(role) != ROLE_TEXT)
            buf_addf(out, ".canvas .c%d{fill:#%06x}", role,
                     (unsigned)palette_colour(role)->rgb);
        if (is_shaded((struct pen){.fg = (uint8_t)role}, GROUNDS))
            buf_addf(out, ".canvas .t%d{fill:var(--t%d)}", role, role);
    }
    buf_putc(out, '\n');
}

void
svg_add_row(const struct canvas *c, int y, struct buf *out)
{
    for (int x = 0; x < c->columns; x++)
        if (!is_gap(canvas_at(c, x, y))) {
            struct svg_span span = cut_span(c, x, y);
            span.y = 0;
            add_span(&span, GROUNDS, out);
            free(span.text);
            x += span.columns - 1;
        }
}

void
svg_add_fragment(const struct canvas *c, struct rect area, const char *id,
                 const char *label, const char *words, struct buf *out)
{
    buf_addf(out, "<svg class=\"canvas\" viewBox=\"%d 0 %d %d\" role=\"img\" "
             "aria-label=\"", area.x * CELL_WIDTH, area.width * CELL_WIDTH,
             area.height * CELL_HEIGHT);
    utf8_add_xml(out, label);
    if (words[0] != '\0') {
        buf_addf(out, "\" aria-describedby=\"%s-words\">"
                 "<desc id=\"%s-words\">", id, id);
        utf8_add_xml_lines(out, words);
        buf_puts(out, "</desc>\n");
    } else {
        buf_puts(out, "\">\n");
    }
    for (int y = 0; y < area.height; y++) {
        buf_addf(out, "<g transform=\"translate(0 %d)\">", y * CELL_HEIGHT);
        svg_add_row(c, area.y + y, out);
        buf_puts(out, "</g>\n");
    }
    buf_puts(out, "</svg>\n");
}
