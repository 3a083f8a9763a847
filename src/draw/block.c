/* SPDX-License-Identifier: MIT */
#include "draw/block.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "schedule/label.h"
#include "text/sum.h"

enum { TEXT_MAX = 32, STRIP_MOST = 256 };

static const struct pen warning = {.fg = ROLE_WARNING, .attrs = ATTR_BOLD},
                        quiet = {.fg = ROLE_QUIET};

/* A block as it is composed: in each column a character, 0 if there is none,
 * and in each half of a column the ground under it. */
struct strip {
    const struct block *block;
    struct sum sum;
    int used;
    uint32_t text[STRIP_MOST];
    uint8_t ground[2 * STRIP_MOST]; /* enum role; ROLE_TEXT: none */
    uint8_t attrs[STRIP_MOST];
};

static int
least(int a, int b)
{
    return a < b ? a : b;
}

static int
most(int a, int b)
{
    return a > b ? a : b;
}

static int
label_columns(const struct schedule *s)
{
    char letters[LABEL_RANK_MAX];

    return utf8_columns(label_rank(s->nranks - 1, letters));
}

static int
chunk_columns(const struct schedule *s)
{
    return snprintf(NULL, 0, "%d", s->nchunks - 1);
}

int
block_columns(const struct schedule *s, enum block_form form, int parts,
              bool knows_chunk)
{
    int label = label_columns(s), chunk = chunk_columns(s);
    int after = knows_chunk || s->nchunks == 1 ? 0 : 1 + chunk;
    int terms = least(parts, s->nranks - 1); /* all together are S3 */
    int one = label + chunk;

    switch (form) {
    case BLOCK_NAMES:
        return terms > 1 ? terms * (one + 1) - 1 : one;
    case BLOCK_LETTERS:
        return terms > 1 ? most(terms * label + after, one) : one;
    case BLOCK_COUNT:
        return terms > 1 ? most(2 * snprintf(NULL, 0, "%d", s->nranks) + 1 +
                                    after, one)
                         : one;
    default:
        return 1;
    }
}

static int
lost_count(const struct block *b)
{
    return __builtin_popcount(b->lost.ranks);
}

/* How many contributions the slots of a run are filled by. */
static int
whole_of(const struct schedule *s)
{
    return s->collective->reduces ? s->nranks : 1;
}

static enum role
ground_of(const struct contribution *part)
{
    return scene_contribution_faulty(part) ? ROLE_WARNING
                                           : palette_origin(part->rank);
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

/* Appends a column. */
static void
put(struct strip *s, uint32_t code, enum role ground, unsigned attrs)
{
    if (s->used >= s->block->width || s->used >= STRIP_MOST)
        return;
    s->text[s->used] = code;
    s->ground[2 * s->used] = s->ground[2 * s->used + 1] = (uint8_t)ground;
    s->attrs[s->used++] = (uint8_t)attrs;
}

static void
put_text(struct strip *s, const char *text, enum role ground, unsigned attrs)
{
    uint32_t code;

    while ((code = utf8_next(&text)) != 0)
        put(s, code, ground, attrs);
}

static void
put_blanks(struct strip *s, int count, enum role ground)
{
    for (int i = 0; i < count; i++)
        put(s, 0, ground, 0);
}

/* The columns of the chunk's number behind the bar; 0 if it goes without
 * saying. */
static int
chunk_room(const struct block *b)
{
    return b->knows_chunk || b->world->schedule->nchunks == 1
               ? 0
               : 1 + chunk_columns(b->world->schedule);
}

/* Appends the number of the chunk, behind the bar. */
static void
put_chunk(struct strip *s)
{
    char text[TEXT_MAX];

    snprintf(text, sizeof text, s->sum.chunk >= 0 ? " %d" : " ?",
             s->sum.chunk);
    if (chunk_room(s->block) > 0)
        put_text(s, text, ROLE_TEXT, 0);
}

/* The columns of the bar in a slot: it grows towards the complete sum. */
static int
bar_columns(const struct strip *s, int text)
{
    int whole = whole_of(s->block->world->schedule), width = s->block->width;
    int64_t count = s->sum.count < whole ? s->sum.count : whole;

    if (s->block->trace || s->block->snug)
        return text + (s->block->snug && !s->block->trace && text + 2 <= width
                           ? 2 : 0);
    return most(text, (int)((width * count + whole - 1) / whole));
}

/* The names of contributions, each on its colour; with `letters`, without their
 * chunks. `columns` are more than they need. */
static void
put_parts(struct strip *s, bool letters, int columns, int need)
{
    int spare = columns - need, n = s->sum.nparts;

    for (int i = 0; i < n; i++) {
        const struct contribution *part = &s->sum.parts[i];
        enum role ground = ground_of(part);
        int pad = spare * (i + 1) / n - spare * i / n;
        unsigned attrs =
            palette_pattern(part->rank) % 2 ? ATTR_UNDERLINE : 0;
        char text[TEXT_MAX];

        if (i > 0 && !letters)
            put(s, '+', s->block->trace ? ROLE_TEXT : ground, 0);
        put_blanks(s, pad / 2, ground);
        put_text(s, letters ? label_rank(part->rank, text)
                            : part_text(part, text), ground, attrs);
        put_blanks(s, pad - pad / 2, ground);
    }
}

/* The columns of all names, or letters. */
static int
parts_columns(const struct strip *s, bool letters)
{
    int columns = letters ? 0 : s->sum.nparts - 1;
    char text[TEXT_MAX];

    for (int i = 0; i < s->sum.nparts; i++)
        columns += utf8_columns(letters ? label_rank(s->sum.parts[i].rank, text)
                                        : part_text(&s->sum.parts[i], text));
    return columns;
}

/* Whether the colours can stand side by side in so many columns. */
static bool
shows_colours(const struct strip *s, int columns)
{
    int halves = s->block->glyphs == GLYPHS_ASCII ? columns : 2 * columns;

    return s->sum.nparts > 0 && s->sum.nparts <= halves &&
           s->block->world->schedule->nranks <= HEAT_RANKS;
}

/* A bar of all colours, or of one hue, with a text on it. */
static void
put_bar(struct strip *s, int columns, const char *text)
{
    const struct block *b = s->block;
    int first = s->used, n = b->world->schedule->nranks;
    enum role heat = s->sum.faulty ? ROLE_WARNING
                                   : palette_heat((double)s->sum.count, n);
    bool colours = shows_colours(s, columns);

    put_blanks(s, columns, heat);
    for (int i = 0; colours && i < 2 * (s->used - first); i++)
        s->ground[2 * first + i] = (uint8_t)ground_of(
            &s->sum.parts[i * s->sum.nparts / (2 * columns)]);
    for (int i = 0; i < s->used - first && text[i] != '\0'; i++) {
        s->text[first + i] = (unsigned char)text[i];
        s->ground[2 * (first + i) + 1] = s->ground[2 * (first + i)];
    }
}

static void
put_sum(struct strip *s)
{
    const struct block *b = s->block;
    int room = b->width;
    char text[TEXT_MAX];
    int length = snprintf(text, sizeof text, "S%d", s->sum.chunk), columns;

    if (length > room)
        length = 1;
    text[length] = '\0';
    columns = b->trace ? length
              : b->snug ? least(length + 2, room)
                        : room;
    for (int i = 0; i < columns; i++) {
        int k = i - (columns - length) / 2;
        put(s, k >= 0 && k < length ? (uint32_t)text[k] : 0, ROLE_TEXT,
            ATTR_REVERSE);
    }
}

static bool
is_all_of_root(const struct block *b)
{
    const struct schedule *s = b->world->schedule;
    int other = s->root == 0 ? 1 : 0;

    return s->nchunks > 1 && s->nranks > 1 &&
           schedule_input(s, other).count == 0;
}

/* One contribution: its name, or what of it says most in one column. */
static void
put_single(struct strip *s)
{
    const struct block *b = s->block;
    const struct contribution *part = &s->sum.parts[0];
    char text[TEXT_MAX];
    int need = utf8_columns(part_text(part, text));

    if (need <= b->width) {
        put_parts(s, false, bar_columns(s, need), need);
        return;
    }
    label_rank(part->rank, text);
    if (scene_contribution_faulty(part))
        snprintf(text, sizeof text, "!");
    else if (is_all_of_root(b) && !b->knows_chunk)
        snprintf(text, sizeof text, "%d", part->chunk % 10);
    if (utf8_columns(text) > b->width)
        snprintf(text, sizeof text, b->colourless ? "1" : "");
    put_bar(s, b->width, text);
}

/* A partial sum, in the first form from the picture's on that fits. */
static void
put_partial(struct strip *s)
{
    const struct block *b = s->block;
    int n = b->world->schedule->nranks;
    int after = chunk_room(b);
    int names = parts_columns(s, false), letters = parts_columns(s, true);
    bool listed = s->sum.nparts > 0 && n <= HEAT_RANKS;
    char text[TEXT_MAX], number[TEXT_MAX];

    snprintf(text, sizeof text, "%lld/%d", (long long)s->sum.count, n);
    snprintf(number, sizeof number, "%lld", (long long)s->sum.count);
    if (s->sum.faulty)
        snprintf(number, sizeof number, "!");
    if (listed && names <= b->width &&
        (b->form == BLOCK_NAMES || s->sum.faulty)) {
        put_parts(s, false, bar_columns(s, names), names);
    } else if (listed && b->form <= BLOCK_LETTERS && !s->sum.faulty &&
               letters + after <= b->width) {
        put_parts(s, true, most(bar_columns(s, letters + after) - after,
                                letters), letters);
        put_chunk(s);
    } else if (b->form <= BLOCK_COUNT && !s->sum.faulty &&
               (int)strlen(text) + after <= b->width) {
        put_bar(s, most(bar_columns(s, (int)strlen(text) + after) - after,
                        (int)strlen(text)), text);
        put_chunk(s);
    } else {
        bool bare = shows_colours(s, b->width) && !b->colourless &&
                    !s->sum.faulty;
        int columns = bar_columns(s, (s->sum.nparts + 1) / 2);
        if ((int)strlen(number) > b->width)
            number[0] = '\0';
        put_bar(s, bare ? columns : most(columns, (int)strlen(number)),
                bare ? "" : number);
    }
}

static bool
is_lost(const struct block *b, int rank)
{
    return rank < OUTLOOK_RANKS_MOST && b->lost.ranks >> rank & 1;
}

/* Draws the lost contributions behind the others: all of them, else one
 * sign. */
static void
put_lost(struct strip *s)
{
    const struct block *b = s->block;
    const struct schedule *schedule = b->world->schedule;
    uint32_t sign = glyph(b->glyphs, GLYPH_LOST);
    struct contribution part = {.times = 1, .chunk = b->lost.chunk};
    int columns = lost_count(b) * (label_columns(schedule) +
                                   chunk_columns(schedule) + 1);
    char text[TEXT_MAX];

    if (lost_count(b) == 0)
        return;
    if (s->used + columns > b->width) {
        s->used -= s->used == b->width && s->used > 1;
        put(s, sign, ROLE_WARNING, 0);
        return;
    }
    for (; part.rank < schedule->nranks; part.rank++)
        if (is_lost(b, part.rank)) {
            put(s, sign, ROLE_WARNING, 0);
            put_text(s, part_text(&part, text), ROLE_WARNING, 0);
        }
}

static void
compose(struct strip *s)
{
    const struct block *b = s->block;

    sum_of(b->world, b->row, &s->sum);
    if (s->sum.count == 0) {
        if (lost_count(b) == 0)
            put(s, glyph(b->glyphs, GLYPH_EMPTY), ROLE_QUIET, 0);
    } else if (b->wrong) {
        put(s, '!', ROLE_WARNING, 0);
    } else if (s->sum.complete) {
        put_sum(s);
    } else if (s->sum.nparts == 1) {
        put_single(s);
    } else {
        put_partial(s);
    }
    put_lost(s);
}

/* If there are fewer elements than chunks, some chunks have no elements. */
static bool
has_no_elements(const struct block *b)
{
    return b->row[ledger_words(b->world->schedule->nranks)] == 0;
}

/* The look of a column that has a ground on both halves. */
static struct cell
cell_on(const struct strip *s, int i, bool upper)
{
    const struct block *b = s->block;
    uint32_t code = upper ? s->text[i] : 0;
    enum role left = s->ground[2 * i], right = s->ground[2 * i + 1];
    unsigned attrs = b->changed ? ATTR_BOLD : 0;

    if (left != right && code == 0 && b->glyphs != GLYPHS_ASCII)
        return (struct cell){glyph(b->glyphs, GLYPH_STRIPE),
                             {(uint8_t)left, (uint8_t)right, ATTR_AREA}};
    return (struct cell){code != 0 ? code : ' ',
                         {(uint8_t)palette_ink(left), (uint8_t)left,
                          (uint8_t)(attrs | (code != 0 ? s->attrs[i] : 0))}};
}

static struct cell
cell_of(const struct strip *s, int i, bool upper, bool hollow)
{
    const struct block *b = s->block;
    uint32_t code = upper && s->text[i] != 0 ? s->text[i] : ' ';
    enum role left = s->ground[2 * i];
    unsigned attrs = b->changed ? ATTR_BOLD : 0;

    if (b->faint || (left == ROLE_QUIET && s->sum.count == 0))
        return (struct cell){code, quiet};
    if (left == ROLE_WARNING)
        return (struct cell){code, warning};
    if (hollow && left < ROLE_ORIGIN) /* heat is no colour for letters */
        left = ROLE_TEXT;
    if (hollow)
        return (struct cell){code, {(uint8_t)left, 0, (uint8_t)attrs}};
    if (left == ROLE_TEXT)
        return (struct cell){code, {0, 0, (uint8_t)(attrs | s->attrs[i])}};
    return cell_on(s, i, upper);
}

int
block_draw(const struct block *b, struct canvas *c, int x, int y)
{
    struct strip s = {.block = b};
    bool hollow = b->trace || has_no_elements(b);
    int rows = b->height > 1 && !hollow && !b->faint ? b->height : 1;

    compose(&s);
    for (int row = 0; c != NULL && row < rows; row++)
        for (int i = 0; i < s.used; i++) {
            struct cell cell = cell_of(&s, i, row == (rows - 1) / 2, hollow);
            canvas_put(c, x + i, y + row, cell.code, cell.pen);
        }
    return s.used;
}

void
block_draw_values(const struct block *b, struct canvas *c, int x, int y)
{
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
    canvas_puts_within(c, x, y, b->width, buf_text(&text), quiet);
    buf_done(&text);
}
