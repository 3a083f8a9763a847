/* SPDX-License-Identifier: MIT */
#include "draw/block.h"

#include <stdio.h>
#include <string.h>

#include "base/bounds.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "schedule/collective.h"
#include "text/sum.h"
#include "text/word.h"

enum { TEXT_MAX = 32, STRIP_MOST = 256 };

/* A block as it is composed: in each column a character, 0 if there is none,
 * and in each half of a column the ground under it. */
struct strip {
    const struct block *block;
    const struct canvas *canvas; /* on which it will be */
    const struct schedule *schedule;
    int chunk_columns; /* of the chunk's number behind the bar */
    int width;         /* for the data */
    bool hollow;       /* letters without a ground */
    struct sum sum;
    int used;
    uint32_t text[STRIP_MOST];
    uint8_t ground[2 * STRIP_MOST]; /* enum role; ROLE_TEXT: none */
    uint8_t attrs[STRIP_MOST];
};

static int
label_columns(const struct schedule *s)
{
    char letters[LABEL_RANK_MAX];

    return utf8_columns(label_rank(schedule_members(s) - 1, letters));
}

static int
chunk_columns(const struct schedule *s)
{
    return snprintf(NULL, 0, "%d", s->nchunks - 1);
}

/* The columns of the chunk's number behind the bar; 0 if it goes without
 * saying. */
static int
chunk_room(const struct schedule *s, bool knows_chunk)
{
    return knows_chunk || s->nchunks == 1 ? 0 : 1 + chunk_columns(s);
}

int
block_columns(const struct schedule *s, enum block_form form, int parts,
              bool knows_chunk)
{
    int label = label_columns(s), one = label + chunk_columns(s);
    int after = chunk_room(s, knows_chunk);
    int members = schedule_members(s);
    int terms = least(parts, members - 1); /* all together are S3 */

    switch (form) {
    case BLOCK_NAMES:
        return terms > 1 ? terms * (one + 1) - 1 : one;
    case BLOCK_LETTERS:
        return terms > 1 ? most(terms * label + after, one) : one;
    case BLOCK_COUNT:
        return terms > 1 ? most(2 * snprintf(NULL, 0, "%d", members) + 1 +
                                    after, one)
                         : one;
    default:
        return 1;
    }
}

static enum role
ground_of(const struct contribution *part)
{
    return part->faulty ? ROLE_WARNING : palette_origin(part->rank);
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
             part->faulty ? "!" : "", times,
             label_rank(part->rank, letters), chunk);
    return text;
}

static void
put_code(struct strip *s, uint32_t code, enum role ground, unsigned attrs)
{
    if (s->used >= s->width || s->used >= STRIP_MOST)
        return;
    s->text[s->used] = code;
    s->ground[2 * s->used] = s->ground[2 * s->used + 1] = (uint8_t)ground;
    s->attrs[s->used++] = (uint8_t)attrs;
}

/* Appends a text in the middle of so many columns. */
static void
put_centred(struct strip *s, const char *text, int columns, enum role ground,
            unsigned attrs)
{
    int pad = columns - utf8_columns(text);
    uint32_t code;

    for (int i = 0; i < pad / 2; i++)
        put_code(s, 0, ground, attrs);
    while ((code = utf8_next(&text)) != 0)
        put_code(s, code, ground, attrs);
    for (int i = pad / 2; i < pad; i++)
        put_code(s, 0, ground, attrs);
}

/* What follows the chunk's number: "-6" after the first of several. */
static const char *
range_text(const struct block *b, int chunk, char text[TEXT_MAX])
{
    text[0] = '\0';
    if (b->others)
        snprintf(text, TEXT_MAX, "..");
    else if (b->chunks > 1)
        snprintf(text, TEXT_MAX, "-%d", chunk + b->chunks - 1);
    return text;
}

int
block_range_columns(const struct block *b)
{
    char text[TEXT_MAX];

    return utf8_columns(range_text(b, b->world->schedule->nchunks - 1, text));
}

/* Appends the number of the chunk, behind the bar, if it has columns. */
static void
put_chunk(struct strip *s, int columns)
{
    char text[TEXT_MAX], range[TEXT_MAX];

    snprintf(text, sizeof text, s->sum.chunk >= 0 ? " %d" : " ?", s->sum.chunk);
    if (columns > 0) {
        put_centred(s, text, 0, ROLE_TEXT, 0);
        put_centred(s, range_text(s->block, s->sum.chunk, range), 0, ROLE_TEXT,
                    0);
    }
}

/* The columns of a whole bar: the slot's, or where chunks are of different
 * lengths (schedule/counts.h), its part of those of the longest one. */
static int64_t
whole_columns(const struct strip *s)
{
    int64_t length =
        (int64_t)s->block->row[ledger_words(s->schedule->nranks)];
    int64_t longest =
        schedule_chunk_length(s->schedule, 0, s->schedule->longest);

    return s->schedule->counts == NULL || length >= longest
               ? s->width
               : (s->width * length + longest - 1) / longest;
}

/* The columns of the bar in a slot: it grows towards the complete sum, but in
 * the smallest form it is a tile that fills the slot. */
static int
bar_columns(const struct strip *s, int text)
{
    const struct block *b = s->block;
    int whole = s->schedule->collective->reduces ? schedule_members(s->schedule)
                                                 : 1;
    int64_t count = s->sum.count < whole ? s->sum.count : whole;

    if (b->trace)
        return text;
    if (b->snug)
        return text + 2 <= s->width ? text + 2 : text;
    if (b->form == BLOCK_BAR)
        return (int)whole_columns(s);
    return most(text, (int)((whole_columns(s) * count + whole - 1) / whole));
}

/* The name of a contribution, or its letters, without the chunk. */
static const char *
part_name(const struct contribution *part, bool letters, char text[TEXT_MAX])
{
    return letters ? label_rank(part->rank, text) : part_text(part, text);
}

/* What stands on a contribution, and behind them. */
enum parts { PARTS_NAMES, PARTS_LETTERS, PARTS_LETTERS_ALONE };

/* The blanks beside each letter for which a complete sum still has room: as
 * many beside those of all sums, so that more of them are never shorter. */
static int
letter_pad(const struct strip *s, int after)
{
    int64_t each = (whole_columns(s) - after) / schedule_members(s->schedule);

    return most(0, (int)each - label_columns(s->schedule));
}

/* The names of contributions, or letters and perhaps the chunk, each on its
 * colour.  Returns false if there is no room for all. */
static bool
put_parts(struct strip *s, enum parts as)
{
    bool letters = as != PARTS_NAMES, alone = as == PARTS_LETTERS_ALONE;
    int n = s->sum.nparts;
    int after = as == PARTS_LETTERS ? s->chunk_columns : 0;
    int need = letters ? 0 : n - 1, pad;
    char text[TEXT_MAX], range[TEXT_MAX] = "";

    if (after == 0 && (n == 1 || letters) && !alone)
        after = utf8_columns(range_text(s->block, s->sum.chunk, range));

    for (int i = 0; i < n; i++)
        need += utf8_columns(part_name(&s->sum.parts[i], letters, text));
    if (need + after > s->width)
        return false;
    pad = (bar_columns(s, need + after) - after - need) / n;
    if (letters && pad > 0 && s->block->form != BLOCK_BAR)
        pad = least(pad, letter_pad(s, after));
    for (int i = 0; i < n; i++) {
        const struct contribution *part = &s->sum.parts[i];
        enum role ground = ground_of(part);

        if (i > 0 && !letters)
            put_code(s, '+', s->block->trace ? ROLE_TEXT : ground, 0);
        part_name(part, letters, text);
        put_centred(s, text, utf8_columns(text) + pad, ground,
                    palette_pattern(part->rank) % 2 ? ATTR_UNDERLINE : 0);
    }
    while (s->block->form == BLOCK_BAR && !s->block->trace &&
           s->used < whole_columns(s)) /* a tile is full */
        put_code(s, 0, ground_of(&s->sum.parts[n - 1]), 0);
    if (range[0] == '\0' && letters)
        put_chunk(s, after);
    else
        put_centred(s, range, 0, ROLE_TEXT, 0);
    return true;
}

/* Whether the colours can stand side by side in so many columns. */
static bool
shows_colours(const struct strip *s, int columns)
{
    int halves = s->canvas->glyphs == GLYPHS_ASCII ? columns : 2 * columns;

    return !s->canvas->colourless && s->sum.nparts > 0 &&
           s->sum.nparts <= halves && s->schedule->nranks <= HEAT_RANKS;
}

/* A bar of all colours, or one of one hue, which may have a text on it. */
static void
put_bar(struct strip *s, int columns, const char *text)
{
    int first = s->used;
    enum role heat = s->sum.faulty ? ROLE_WARNING
                                  : palette_heat((double)s->sum.count,
                                                 s->schedule->nranks);
    bool colours = shows_colours(s, columns) &&
                   (s->sum.nparts == 1 || (!s->block->trace && *text == '\0'));

    put_centred(s, text, columns, heat, 0);
    for (int i = 0; colours && i < 2 * (s->used - first); i++)
        s->ground[2 * first + i] = (uint8_t)ground_of(
            &s->sum.parts[i * s->sum.nparts / (2 * columns)]);
}

/* Half a column of colour for each contribution, then in plain ink how many
 * they are: "4/8", or with less room "4", but not before a chunk's number.
 * Returns false if colours cannot be seen. */
static bool
put_stripes(struct strip *s, const char *count)
{
    int columns = (s->sum.nparts + 1) / 2;
    int room = s->width - s->chunk_columns - columns;
    char alone[TEXT_MAX];

    if (s->hollow || room < 0 || !shows_colours(s, columns))
        return false;
    put_bar(s, columns, "");
    if (utf8_columns(count) < room) {
        put_code(s, 0, ROLE_TEXT, 0);
        put_centred(s, count, 0, ROLE_TEXT, 0);
    } else if (s->chunk_columns == 0 &&
               snprintf(alone, sizeof alone, "%d", s->sum.nparts) <= room) {
        put_centred(s, alone, room, ROLE_TEXT, 0);
    }
    return true;
}

/* One contribution: its name, or the part that says most in one column. */
static void
put_single(struct strip *s)
{
    const struct block *b = s->block;
    const struct schedule *schedule = s->schedule;
    const struct contribution *part = &s->sum.parts[0];
    bool of_root = schedule->nchunks > 1 && schedule->nranks > 1 &&
                   schedule_input(schedule, schedule->root == 0).count == 0;
    char text[TEXT_MAX];

    if ((b->form != BLOCK_BAR || !schedule->collective->reduces ||
         s->width >= label_columns(schedule) + chunk_columns(schedule)) &&
        put_parts(s, PARTS_NAMES))
        return;
    label_rank(part->rank, text);
    if (part->faulty)
        snprintf(text, sizeof text, "!");
    else if (of_root && !b->knows_chunk) /* all data has the same letter */
        snprintf(text, sizeof text, "%d", part->chunk % 10);
    if (utf8_columns(text) > s->width)
        snprintf(text, sizeof text, s->canvas->colourless ? "1" : "");
    put_bar(s, s->width, text);
}

/* A partial sum: its names if the picture has them, else its letters if they
 * fit, else how many they are. */
static void
put_partial(struct strip *s)
{
    const struct block *b = s->block;
    int n = schedule_members(s->schedule), after = s->chunk_columns;
    bool listed = s->sum.nparts > 0 && n <= HEAT_RANKS, faulty = s->sum.faulty;
    char text[TEXT_MAX];
    int length = snprintf(text, sizeof text, "%lld/%d",
                          (long long)s->sum.count, n);

    if ((listed && (b->form == BLOCK_NAMES || faulty) &&
         put_parts(s, PARTS_NAMES)) ||
        (listed && !faulty && put_parts(s, PARTS_LETTERS)) ||
        (listed && !faulty && b->snug && !b->trace &&
         put_parts(s, PARTS_LETTERS_ALONE)))
        return;
    if (b->trace && b->snug && !faulty)
        return;
    if (b->form <= BLOCK_COUNT && !faulty && length + after <= s->width) {
        if (!put_stripes(s, text))
            put_bar(s, bar_columns(s, length + after) - after, text);
        put_chunk(s, after);
        return;
    }
    if (faulty || length > s->width || !b->snug)
        length = snprintf(text, sizeof text, faulty ? "!" : "%lld",
                          (long long)s->sum.count);
    if (length > s->width) /* without colour a sign, for it is not empty */
        length = snprintf(text, sizeof text,
                          s->canvas->colourless ? "+" : "");
    put_bar(s, b->trace ? length : bar_columns(s, length), text);
}

/* Draws the lost contributions behind the others: all of them, else one
 * sign. */
static void
put_lost(struct strip *s)
{
    const struct block *b = s->block;
    uint32_t sign = glyph(s->canvas->glyphs, GLYPH_LOST);
    int each = label_columns(s->schedule) + chunk_columns(s->schedule) + 1;
    bool all = s->used + __builtin_popcount(b->lost.ranks) * each <= b->width;
    char text[TEXT_MAX];

    if (b->lost.ranks != 0 && !all)
        put_code(s, sign, ROLE_WARNING, 0);
    for (int rank = 0; all && rank < OUTLOOK_RANKS_MOST; rank++)
        if (b->lost.ranks >> rank & 1) {
            put_code(s, sign, ROLE_WARNING, 0);
            put_centred(s, part_text(&(struct contribution){
                                         rank, 1, b->lost.chunk, false}, text),
                        0, ROLE_WARNING, 0);
        }
}

static void
put_data(struct strip *s)
{
    const struct block *b = s->block;
    char text[TEXT_MAX], range[TEXT_MAX];
    int length;

    sum_of(b->world, b->row, &s->sum);
    if (s->sum.count == 0) {
        if (b->lost.ranks == 0)
            put_code(s, glyph(s->canvas->glyphs, GLYPH_EMPTY), ROLE_QUIET, 0);
    } else if (b->wrong) {
        put_code(s, '!', ROLE_WARNING, 0);
    } else if (s->sum.complete) {
        length = snprintf(text, sizeof text, "S%d%.12s", s->sum.chunk,
                          range_text(b, s->sum.chunk, range));
        if (length > s->width)
            text[length = 1] = '\0';
        put_centred(s, text, bar_columns(s, length), ROLE_TEXT, ATTR_REVERSE);
    } else if (s->sum.nparts == 1) {
        put_single(s);
    } else {
        put_partial(s);
    }
}

/* The look of a column.  In a hollow block, or without a ground, the colour is
 * that of the letters. */
static struct cell
strip_cell(const struct strip *s, int i, bool upper)
{
    const struct block *b = s->block;
    enum glyph_set set = s->canvas->glyphs;
    uint32_t code = upper ? s->text[i] : 0, shown = code != 0 ? code : ' ';
    uint8_t left = s->ground[2 * i], right = s->ground[2 * i + 1];
    uint8_t attrs = b->changed ? ATTR_BOLD : 0;

    if (b->faint || (left == ROLE_QUIET && s->sum.count == 0))
        return (struct cell){shown, quiet};
    if (left == ROLE_WARNING)
        return (struct cell){shown, warning};
    if (s->hollow) /* heat is no colour for letters */
        return (struct cell){shown,
                             {left < ROLE_ORIGIN ? ROLE_TEXT : left, 0, attrs}};
    if (left == ROLE_TEXT)
        return (struct cell){shown, {0, 0, attrs | s->attrs[i]}};
    if (left != right && code == 0 && set != GLYPHS_ASCII)
        return (struct cell){glyph(set, GLYPH_STRIPE),
                             {left, right, ATTR_AREA}};
    return (struct cell){shown,
                         {(uint8_t)palette_ink(left), left,
                          code != 0 ? attrs | s->attrs[i] : attrs}};
}

int
block_draw(const struct block *b, struct canvas *c, int x, int y)
{
    const struct schedule *schedule = b->world->schedule;
    struct strip s = {.block = b, .canvas = c, .schedule = schedule,
                      .chunk_columns = chunk_room(schedule, b->knows_chunk),
                      /* of fewer elements than chunks some chunks have none */
                      .hollow = b->trace ||
                                b->row[ledger_words(schedule->nranks)] == 0,
                      .width = b->width};
    int rows = b->height > 1 && !s.hollow && !b->faint ? b->height : 1;

    if (b->form == BLOCK_BAR)
        s.chunk_columns = 0;
    if (s.chunk_columns > 0)
        s.chunk_columns += block_range_columns(b);
    put_data(&s);
    if (b->lost.ranks != 0 && s.used == b->width && b->width > 1) {
        s.used = 0; /* what was lost stands behind the name, and hides none */
        s.width--;
        put_data(&s);
        s.width++;
    }
    put_lost(&s);
    for (int row = 0; row < rows; row++)
        for (int i = 0; i < s.used; i++) {
            struct cell cell = strip_cell(&s, i, row == (rows - 1) / 2);
            canvas_put(c, x + i, y + row, cell.code, cell.pen);
        }
    return s.used;
}

void
block_draw_values(const struct block *b, struct canvas *c, int x, int y)
{
    OWN(buf) text = {0};

    world_add_values(b->world, b->row, &text);
    canvas_fill(c, x, y, b->width, ' ', quiet);
    canvas_puts_within(c, x, y, b->width, buf_text(&text), quiet);
}

int
badge_draw(const struct holdup *h, int rank, struct canvas *c,
           struct point at, int room)
{
    struct pen pen = bright;
    OWN(buf) words = {0};
    int columns = 1;

    if (h == NULL || !holdup_has(h, rank) || room < 1)
        return 0;
    if (!h->ranks[rank].is_cause) {
        canvas_glyph(c, at.x, at.y, GLYPH_LEFT,
                     h->awaited_ns / HOLDUP_PULSE_NS % 2 == 0 ? strong : quiet);
        buf_puts(&words,
                 word_rank_name(h->schedule, h->ranks[rank].waits_for).text);
        pen = plain;
    } else if (h->forever) {
        pen = warning;
        canvas_put(c, at.x, at.y, '!', pen);
        buf_puts(&words, _("for ever"));
    } else {
        canvas_glyph(c, at.x, at.y, GLYPH_CLOCK, pen);
        if (h->awaited_ns > 0)
            buf_addf(&words, _("%lld s"),
                     (long long)(h->awaited_ns / 1000000000));
    }
    if (words.length > 0 && utf8_columns(buf_text(&words)) + 2 <= room) {
        canvas_put(c, at.x + 1, at.y, ' ', pen);
        columns += 1 + canvas_puts(c, at.x + 2, at.y, buf_text(&words), pen);
    }
    return columns;
}
