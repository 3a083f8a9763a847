/* SPDX-License-Identifier: MIT */
#include "draw/block.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "schedule/label.h"
#include "text/sum_name.h"

enum { TEXT_MAX = 32 };

static const struct pen warning = {.fg = ROLE_WARNING, .attrs = ATTR_BOLD};

static int
digits(int number)
{
    int count = 1;

    while ((number /= 10) > 0)
        count++;
    return count;
}

static int
label_columns(const struct schedule *s)
{
    char letters[LABEL_RANK_MAX];

    return utf8_columns(label_rank(s->nranks - 1, letters)) +
           digits(s->nchunks - 1);
}

int
block_columns_whole(const struct schedule *s, int pad)
{
    return s->nranks * (label_columns(s) + 2 * pad + 1) + 1;
}

int
block_columns_short(const struct schedule *s)
{
    return label_columns(s) * 2 + 1; /* "A-D1" or a little more */
}

int
block_columns_pair(const struct schedule *s)
{
    return 1 + digits(s->nchunks - 1);
}

static enum role
ground(const struct contribution *part)
{
    return scene_contribution_faulty(part) ? ROLE_WARNING
                                           : palette_origin(part->rank);
}

/* The pen for text on the colour of its rank. */
static struct pen
pen_on(const struct contribution *part, bool changed)
{
    enum role bg = ground(part);

    return (struct pen){
        .fg = palette_ink(bg),
        .bg = bg,
        .attrs = (changed ? ATTR_BOLD : 0) |
                 (palette_pattern(part->rank) % 2 ? ATTR_UNDERLINE : 0)};
}

static const char *
part_text(const struct contribution *part, char text[TEXT_MAX])
{
    char letters[LABEL_RANK_MAX], times[16] = "", chunk[16] = "?";

    if (part->times > 1)
        snprintf(times, sizeof times, "%d*", part->times);
    if (part->chunk >= 0)
        snprintf(chunk, sizeof chunk, "%d", part->chunk);
    snprintf(text, TEXT_MAX, "%s%s%s%s",
             scene_contribution_faulty(part) ? "!" : "", times,
             label_rank(part->rank, letters), chunk);
    return text;
}

/* Draws cells of a block from left to right, up to its width. If the canvas is
 * NULL, only counts them. */
struct brush {
    const struct block *block;
    struct canvas *canvas;
    int x, y;
    int used;
};

static void
put(struct brush *b, uint32_t code, struct pen pen)
{
    if (b->used >= b->block->width)
        return;
    if (b->block->faint)
        pen = (struct pen){.fg = ROLE_QUIET};
    else if (b->block->trace && code != glyph(b->block->glyphs, GLYPH_STRIPE))
        pen = (struct pen){.fg = pen.bg};
    if (b->canvas != NULL)
        canvas_put(b->canvas, b->x + b->used, b->y, code, pen);
    b->used++;
}

static void
put_blanks(struct brush *b, int count, struct pen pen)
{
    for (int i = 0; i < count; i++)
        put(b, ' ', pen);
}

static void
put_text(struct brush *b, const char *text, struct pen pen)
{
    uint32_t code;

    while ((code = utf8_next(&text)) != 0)
        put(b, code, pen);
}

/* Draws the end of a block if `next` is NULL, else the joint of two parts, in
 * both colours. */
static void
put_edge(struct brush *b, enum glyph g, const struct contribution *part,
         const struct contribution *next)
{
    struct pen pen = {.fg = ground(part), .attrs = ATTR_AREA};

    if (b->block->trace) {
        put(b, next != NULL ? '+' : ' ', (struct pen){0});
        return;
    }
    if (next != NULL && b->block->glyphs != GLYPHS_ASCII)
        pen.bg = ground(next);
    if (b->block->glyphs == GLYPHS_ASCII)
        pen.fg = ROLE_TEXT;
    put(b, glyph(b->block->glyphs, g), pen);
}

/* The padding, or 0 if the parts would be too wide with it, because a fault
 * makes names longer. */
static int
padding(const struct block *block, const struct contribution *parts, int count)
{
    int columns = 1;
    char text[TEXT_MAX];

    for (int i = 0; i < count; i++)
        columns += utf8_columns(part_text(&parts[i], text)) +
                   2 * block->pad + 1;
    return block->trace || columns > block->width ? 0 : block->pad;
}

static void
draw_parts(struct brush *b, const struct contribution *parts, int count)
{
    char text[TEXT_MAX];
    int pad = padding(b->block, parts, count);

    for (int i = 0; i < count; i++) {
        const struct contribution *part = &parts[i];
        bool other = palette_pattern(part->rank) >= 2;
        bool last = i == count - 1;
        struct pen pen = pen_on(part, b->block->changed);

        if (i == 0)
            put_edge(b, other ? GLYPH_BLOCK_BEGIN_2 : GLYPH_BLOCK_BEGIN, part,
                     NULL);
        put_blanks(b, pad, pen);
        put_text(b, part_text(part, text), pen);
        put_blanks(b, pad, pen);
        put_edge(b,
                 !last   ? GLYPH_BLOCK_JOIN
                 : other ? GLYPH_BLOCK_END_2
                         : GLYPH_BLOCK_END,
                 part, last ? NULL : part + 1);
    }
}

/* Draws stripes: each cell shows the colours of two ranks. */
static void
draw_stripes(struct brush *b, const struct contribution *parts, int count,
             int cells)
{
    int shown = count < 2 * cells ? count : 2 * cells;

    for (int i = 0; i < shown; i += 2) {
        const struct contribution *left = &parts[i * count / shown];
        struct pen pen = {.fg = ground(left)};
        if (i + 1 < shown)
            pen.bg = ground(&parts[(i + 1) * count / shown]);
        put(b, glyph(b->block->glyphs, GLYPH_STRIPE), pen);
    }
}

/* Draws a complete sum, as wide as a block with all its parts. */
static void
draw_sum(struct brush *b, const struct contribution *parts, int count,
         int chunk)
{
    const struct block *block = b->block;
    bool whole = block->form == BLOCK_WHOLE && !block->trace;
    bool ascii = block->glyphs == GLYPHS_ASCII;
    struct pen pen = {.attrs = ATTR_REVERSE |
                               (block->changed ? ATTR_BOLD : 0)};
    char text[TEXT_MAX];
    int length = snprintf(text, sizeof text, "S%d", chunk);
    int stripes = ascii || block->trace ? 0 : (count + 1) / 2;
    int room, before;

    if (stripes > block->width - length - whole)
        stripes = block->width - length - whole;
    room = whole ? block->width - 1 - stripes - ascii : length;
    before = room > length ? (room - length) / 2 : 0;
    if (whole)
        put(b, glyph(block->glyphs, GLYPH_BLOCK_BEGIN), (struct pen){0});
    put_blanks(b, before, pen);
    put_text(b, text, pen);
    put_blanks(b, room - before - length, pen);
    if (whole && ascii)
        put(b, glyph(block->glyphs, GLYPH_BLOCK_END), (struct pen){0});
    draw_stripes(b, parts, count, stripes);
}

/* Draws a term of a name; of a range, the first and the last rank on their
 * colours. */
static void
draw_term(struct brush *b, const struct sum_term *term)
{
    struct contribution first = {term->first, term->times, term->chunk};
    struct contribution last = {term->last, term->times, term->chunk};
    char text[SUM_TERM_MAX], letters[LABEL_RANK_MAX];
    const char *rest = sum_term_text(term, text);

    if (term->last > term->first) {
        put_text(b, label_rank(term->first, letters),
                 pen_on(&first, b->block->changed));
        put_text(b, "..", (struct pen){0});
        rest += strlen(letters) + 2;
    }
    put_text(b, scene_contribution_faulty(&last) ? "!" : "",
             pen_on(&last, b->block->changed));
    put_text(b, rest, pen_on(&last, b->block->changed));
}

/* Draws the colours of the contributions, then the chunk: what there is room
 * for instead of a name. */
static void
draw_colours(struct brush *b, const struct contribution *parts, int count)
{
    int nranks = b->block->world->schedule->nranks, cells;
    char chunk[16] = "?";

    if (parts[0].chunk >= 0)
        snprintf(chunk, sizeof chunk, "%d", parts[0].chunk);
    for (int i = 0; i < count && b->used == 0; i++)
        if (scene_contribution_faulty(&parts[i]))
            put_text(b, "!", pen_on(&parts[i], b->block->changed));
    cells = b->block->width - b->used - (int)strlen(chunk);
    if (cells > (count + 1) / 2)
        cells = (count + 1) / 2;
    if (b->block->glyphs == GLYPHS_ASCII)
        put(b, glyph_level(GLYPHS_ASCII, count, nranks), (struct pen){0});
    else
        draw_stripes(b, parts, count, cells);
    put_text(b, chunk,
             (struct pen){.attrs = b->block->changed ? ATTR_BOLD : 0});
}

/* Draws the name, or if it is too wide, what draw_colours() draws. */
static void
draw_short(struct brush *b, const struct contribution *parts, int count)
{
    const struct block *block = b->block;
    struct sum_term terms[LEDGER_RANKS];
    int nterms = sum_terms(block->world, block->row, terms);
    struct buf name = {0};
    int columns;
    bool fits;

    sum_name(block->world, block->row, block->sums, &name);
    columns = utf8_columns(buf_text(&name));
    for (int i = 0; i < count; i++)
        columns += scene_contribution_faulty(&parts[i]); /* ! */
    fits = columns <= block->width;
    if (count > 0 && !fits)
        draw_colours(b, parts, count);
    else if (count == 0)
        put_text(b, buf_text(&name), (struct pen){.attrs = ATTR_REVERSE});
    for (int i = 0; fits && i < nterms; i++) {
        put_text(b, i > 0 ? "+" : "", (struct pen){0});
        draw_term(b, &terms[i]);
    }
    buf_done(&name);
}

static bool
is_lost(const struct block *b, int rank)
{
    return rank < OUTLOOK_RANKS_MOST && b->lost.ranks >> rank & 1;
}

/* Draws one column: the letter of the only contributor, the level of a partial
 * sum, or S for a complete one. */
static void
draw_cell(struct brush *b, const struct contribution *parts, int count,
          bool is_sum)
{
    const struct block *block = b->block;
    int nranks = block->world->schedule->nranks;
    int64_t total = ledger_count(block->row, nranks);
    char letters[LABEL_RANK_MAX];
    uint8_t attrs = block->changed ? ATTR_BOLD : 0;

    if (block->wrong)
        put(b, '!', warning);
    else if (is_sum && count != 1)
        put(b, 'S', (struct pen){.attrs = attrs | ATTR_REVERSE});
    else if (total > nranks)
        put(b, '!', warning);
    else if (count == 1 && label_rank(parts->rank, letters)[1] == '\0')
        put(b, (unsigned char)letters[0], pen_on(parts, block->changed));
    else
        put(b, glyph_level(block->glyphs, (double)total, nranks),
            (struct pen){.fg = palette_warmth((double)total, nranks),
                         .attrs = attrs});
}

/* Whether all data is of the root, so that only its chunk says what it is. */
static bool
is_all_of_root(const struct block *b)
{
    const struct schedule *s = b->world->schedule;
    int other = s->root == 0 ? 1 : 0;

    return s->nchunks > 1 && s->nranks > 1 &&
           schedule_input(s, other).count == 0;
}

/* Draws the last digit of the chunk. */
static void
draw_digit(struct brush *b, const struct contribution *part)
{
    put(b, (uint32_t)('0' + part->chunk % 10),
        pen_on(part, b->block->changed));
}

/* A chunk that is mixed with others has the number of none. */
static void
draw_pair(struct brush *b, const struct contribution *parts, int count,
          bool is_sum)
{
    struct pen pen = {.attrs = b->block->changed ? ATTR_BOLD : 0};
    char chunk[16] = "?";

    draw_cell(b, parts, count, is_sum);
    if (count == 0)
        return;
    if (is_sum && count != 1)
        pen.attrs |= ATTR_REVERSE;
    else if (count == 1)
        pen = pen_on(parts, b->block->changed);
    if (parts[0].chunk >= 0)
        snprintf(chunk, sizeof chunk, "%d", parts[0].chunk);
    put_text(b, chunk, pen);
}

/* A lost contribution has its place among the others. */
static void
draw_letters(struct brush *b, const struct contribution *parts, int count)
{
    char letters[LABEL_RANK_MAX];
    int nranks = b->block->world->schedule->nranks;

    for (int rank = 0, i = 0; rank < nranks; rank++)
        if (i < count && parts[i].rank == rank) {
            put_text(b, label_rank(rank, letters),
                     pen_on(&parts[i], b->block->changed));
            i++;
        } else if (is_lost(b->block, rank)) {
            put(b, glyph(b->block->glyphs, GLYPH_LOST), warning);
        }
}

static int
lost_count(const struct block *b)
{
    return __builtin_popcount(b->lost.ranks);
}

/* Draws the lost contributions after the others: all of them, else one sign, if
 * there is room. */
static void
draw_lost(struct brush *b)
{
    const struct block *block = b->block;
    uint32_t sign = glyph(block->glyphs, GLYPH_LOST);
    int columns = lost_count(block) * (label_columns(block->world->schedule)
                                       + 1);
    struct contribution part = {.times = 1, .chunk = block->lost.chunk};
    char text[TEXT_MAX];

    if (lost_count(block) > 0 && b->used + columns > block->width)
        put(b, sign, warning);
    else
        for (; part.rank < block->world->schedule->nranks; part.rank++)
            if (is_lost(block, part.rank)) {
                put(b, sign, warning);
                put_text(b, part_text(&part, text), warning);
            }
}

/* If there are fewer elements than chunks, some chunks have no elements. */
static bool
has_no_elements(const struct block *b)
{
    return b->row[ledger_words(b->world->schedule->nranks)] == 0;
}

/* Draws what the slot holds. */
static void
draw_held(struct brush *brush, const struct block *b)
{
    struct contribution parts[LEDGER_RANKS];
    int count = scene_contributions(b->world, b->row, parts);
    int chunk;
    bool is_sum = world_is_sum(b->world, b->row, &chunk);

    if (b->form == BLOCK_CELL && count == 1 && is_all_of_root(b) &&
        parts->chunk >= 0 && !scene_contribution_faulty(parts))
        draw_digit(brush, parts);
    else if (b->form == BLOCK_CELL)
        draw_cell(brush, parts, count, is_sum);
    else if (b->form == BLOCK_PAIR)
        draw_pair(brush, parts, count, is_sum);
    else if (b->form == BLOCK_LETTERS && count > 0 &&
             count + lost_count(b) <= b->width)
        draw_letters(brush, parts, count);
    else if (b->form == BLOCK_LETTERS && count > 0 && !is_sum)
        draw_stripes(brush, parts, count, b->width);
    else if (sum_is_complete(b->world, b->row, b->sums, &chunk) ||
             (is_sum && b->form == BLOCK_LETTERS))
        draw_sum(brush, parts, count, chunk);
    else if (b->form == BLOCK_WHOLE && count > 0)
        draw_parts(brush, parts, count);
    else
        draw_short(brush, parts, count);
}

int
block_draw(const struct block *b, struct canvas *c, int x, int y)
{
    struct block hollow = *b;
    struct brush brush = {b, c, x, y, 0};
    bool is_empty = ledger_count(b->row, b->world->schedule->nranks) == 0;

    if (has_no_elements(b)) { /* draw the name without a ground */
        hollow.trace = true;
        brush.block = &hollow;
    }
    if (!is_empty)
        draw_held(&brush, b);
    else if (lost_count(b) == 0)
        put(&brush, glyph(b->glyphs, GLYPH_EMPTY),
            (struct pen){.fg = ROLE_QUIET});
    if (is_empty || b->form == BLOCK_WHOLE || b->form == BLOCK_SHORT)
        draw_lost(&brush);
    return brush.used;
}

void
block_draw_lower(const struct block *b, struct canvas *c, int x, int y)
{
    if (ledger_count(b->row, b->world->schedule->nranks) == 0)
        return;
    for (int i = x; i < x + b->width; i++) {
        const struct cell *above = canvas_at(c, i, y - 1);
        if (above != NULL)
            canvas_put(c, i, y, above->code > 0x7f ? above->code : ' ',
                       above->pen);
    }
}

void
block_draw_values(const struct block *b, struct canvas *c, int x, int y)
{
    static const struct pen quiet = {.fg = ROLE_QUIET};
    const struct world *w = b->world;
    const uint64_t *values = b->row + ledger_words(w->schedule->nranks);
    int64_t length = (int64_t)*values++;
    char number[DTYPE_TEXT_MAX];
    struct buf text = {0};

    for (int i = 0; i < EVENT_VALUES && i < length; i++) {
        dtype_format(w->run->type, &values[i], number);
        buf_puts(&text, i > 0 ? " " : "");
        buf_puts(&text, number);
    }
    if (length > EVENT_VALUES)
        buf_puts(&text, " ...");
    canvas_fill(c, x, y, b->width, ' ', quiet);
    canvas_puts_within(c, x + 1, y, b->width - 1, buf_text(&text), quiet);
    buf_done(&text);
}
