/* SPDX-License-Identifier: MIT */
/* The matrix: one row for each rank, one column for each slot.
 *
 * The height of a cell's fill is the number of contributions in the slot.  A
 * single contribution has the colour of its rank, several have a neutral colour
 * that gets warmer towards the complete sum.  If there is room, the letter or
 * the number is drawn before the fill.  A mark beside a cell shows what a
 * transfer did: `›` sent it, `+` added to it, `=` replaced it.
 *
 * If there are more ranks or slots than cells on the screen, each cell shows
 * the mean of several slots.  This density map is bright where the step changed
 * something.  Below the map, a lens shows the cells around the selected rank
 * and the slot that it sends; the map shows that place in reverse video. */
#include <stdio.h>

#include "base/translate.h"
#include "base/utf8.h"
#include "draw/badge.h"
#include "draw/glyph.h"
#include "schedule/label.h"
#include "view/matrix_map.h"
#include "view/view.h"

enum { TEXT_MAX = 16 };

static const struct pen quiet = {.fg = ROLE_QUIET};

/* Sets the text before the fill: the only contributor's letter, the number of
 * contributions, or S for all. "" if a number would leave too little room for
 * the fill. */
static void
cell_text(const struct matrix *m, const uint64_t *row, int room,
          char text[TEXT_MAX])
{
    const struct world *w = m->scene->world;
    struct contribution parts[LEDGER_RANKS];
    int64_t total = ledger_count(row, w->schedule->nranks);
    int chunk;

    text[0] = '\0';
    if (world_is_sum(w, row, &chunk))
        snprintf(text, TEXT_MAX, "S");
    else if (total == 1 && scene_contributions(w, row, parts) == 1)
        label_rank(parts[0].rank, text);
    else if (room >= m->text_width + 2)
        snprintf(text, TEXT_MAX, "%*d", m->text_width, (int)total);
    if (utf8_columns(text) >= room)
        text[0] = '\0';
}

static struct pen
cell_pen(const struct matrix *m, const uint64_t *row, bool changed)
{
    const struct world *w = m->scene->world;
    struct contribution parts[LEDGER_RANKS];
    int n = w->schedule->nranks;
    int64_t total = ledger_count(row, n);
    struct pen pen = {.fg = palette_warmth((double)total, n),
                      .attrs = changed ? ATTR_BOLD : 0};

    if (total == 1 && scene_contributions(w, row, parts) == 1)
        pen.fg = palette_origin(parts[0].rank);
    if (total > n)
        pen.fg = ROLE_WARNING;
    return pen;
}

/* A letter is drawn on its rank's colour, so that it can be read on any
 * screen. */
static struct pen
letter_pen(struct pen fill, int rank)
{
    return (struct pen){
        .fg = palette_ink(fill.fg),
        .bg = fill.fg,
        .attrs = fill.attrs |
                 (palette_pattern(rank) % 2 ? ATTR_UNDERLINE : 0)};
}

static void
draw_cell(const struct matrix *m, int rank, int slot, const uint64_t *row,
          bool changed)
{
    const struct world *w = m->scene->world;
    int n = w->schedule->nranks;
    enum glyph_set set = m->scene->glyphs;
    struct contribution parts[LEDGER_RANKS];
    int64_t total = ledger_count(row, n);
    int room = m->cell_width > 1 ? m->cell_width - 1 : 1;
    struct point at = matrix_cell(m, rank, slot);
    struct pen pen = cell_pen(m, row, changed);
    char text[TEXT_MAX];
    int before;

    if (!matrix_shows(m, rank, slot))
        return;
    canvas_fill(m->canvas, at.x, at.y, room, ' ', pen);
    if (total == 0) {
        canvas_put(m->canvas, at.x, at.y, glyph(set, GLYPH_EMPTY), quiet);
        return;
    }
    cell_text(m, row, room, text);
    before = canvas_puts(m->canvas, at.x, at.y, text,
                         total == 1 && scene_contributions(w, row, parts) == 1
                             ? letter_pen(pen, parts[0].rank)
                             : pen);
    if (room >= m->text_width + 2)
        before = m->text_width;
    canvas_fill(m->canvas, at.x + before, at.y, room - before,
                total > n ? '!' : glyph_level(set, (double)total, n), pen);
}

/* Highlights a cell if it has the data that is followed, else fades it. */
static void
show_trail(const struct matrix *m, int step, int rank, int slot)
{
    struct point at = matrix_cell(m, rank, slot);
    bool fades = scene_fades(m->scene, step, rank, slot);

    for (int x = at.x; x < at.x + m->cell_width; x++) {
        const struct cell *cell = canvas_at(m->canvas, x, at.y);
        struct pen pen = cell == NULL || fades ? quiet : cell->pen;
        pen.attrs |= fades ? 0 : ATTR_BOLD;
        if (cell != NULL)
            canvas_put(m->canvas, x, at.y, cell->code, pen);
    }
}

static void
draw_mark(const struct matrix *m, int rank, int slot, uint32_t mark)
{
    struct point at = matrix_cell(m, rank, slot);

    if (m->cell_width > 1 && matrix_shows(m, rank, slot))
        canvas_put(m->canvas, at.x + m->cell_width - 1, at.y, mark,
                   (struct pen){.fg = mark == '!' ? ROLE_WARNING : ROLE_TEXT,
                                .attrs = ATTR_BOLD});
}

static void
draw_change(const void *matrix, int rank, int slot, const uint64_t *row,
            char mark)
{
    (void)mark; /* draw_marks() draws both ends */
    draw_cell(matrix, rank, slot, row, true);
}

/* Marks both ends of each transfer of the scene's step. */
static void
draw_marks(const struct matrix *m)
{
    const struct scene *s = m->scene;
    size_t count;
    const struct transfer *t =
        schedule_transfers(s->world->schedule, scene_step(s), &count);

    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < t[i].nslots; k++) {
            draw_mark(m, t[i].src, t[i].src_slot + k,
                      glyph(s->glyphs, GLYPH_SENDS));
            draw_mark(m, t[i].dst, t[i].dst_slot + k,
                      (unsigned char)scene_change_mark(s, &t[i]));
        }
}

static void
draw_asked(const struct matrix *m)
{
    struct point at;
    int rank, slot;

    if (!scene_asks_about(m->scene, &rank, &slot) ||
        !matrix_shows(m, rank, slot))
        return;
    at = matrix_cell(m, rank, slot);
    canvas_turn(m->canvas,
                (struct rect){at.x, at.y,
                              m->cell_width > 1 ? m->cell_width - 1 : 1, 1});
}

static void
draw_cells(const struct matrix *m)
{
    const struct world *w = m->scene->world;
    const struct rect *in = &m->window;

    for (int rank = in->y; rank < in->y + in->height; rank++)
        for (int slot = in->x; slot < in->x + in->width; slot++)
            draw_cell(m, rank, slot, world_row(w, rank, slot), false);
    scene_each_change(m->scene, draw_change, m);
    draw_marks(m);
    for (int rank = in->y; rank < in->y + in->height; rank++)
        for (int slot = in->x; slot < in->x + in->width; slot++) {
            if (m->scene->trail != NULL)
                show_trail(m, w->position, rank, slot);
            if (world_is_wrong(w, w->position, rank, slot))
                draw_mark(m, rank, slot, '!');
        }
    draw_asked(m);
}

static void
draw_labels(const struct matrix *m)
{
    const struct rect *in = &m->window;
    int every = 1;
    char text[SCENE_NAME_MAX];
    struct holdup holdup;
    bool held = holdup_of(m->scene, &holdup);

    while (every * m->cell_width < 4 && m->cell_width > 0)
        every++;
    for (int rank = in->y; rank < in->y + in->height; rank += m->ranks_a_row) {
        bool selected = m->scene->selected >= rank &&
                        m->scene->selected < rank + m->ranks_a_row;
        struct point at = {m->area.x - m->label_width,
                           matrix_cell(m, rank, in->x).y};
        at.x += canvas_puts(m->canvas, at.x, at.y, scene_rank_name(rank, text),
                            selected ? (struct pen){.attrs = ATTR_BOLD}
                                     : quiet);
        if (held && m->ranks_a_row == 1)
            badge_draw(&holdup, rank, m->scene->glyphs, m->canvas, at, 1);
    }
    for (int i = 0; i * m->slots_a_column < in->width; i += every) {
        snprintf(text, sizeof text, "%d", in->x + i * m->slots_a_column);
        canvas_puts(m->canvas, m->area.x + i * m->cell_width, m->area.y - 1,
                    text, quiet);
    }
}

static void
draw_lens(const struct scene *s, struct canvas *c, struct rect area)
{
    struct matrix m = matrix_arrange_lens(s, c, area);
    struct buf title = {0};
    char name[SCENE_NAME_MAX];
    int y = matrix_lens_area(s, area).y;

    buf_addf(&title, _(" around %s "), scene_rank_name(s->selected, name));
    canvas_fill(c, area.x, y, area.width, glyph(s->glyphs, GLYPH_HORIZONTAL),
                quiet);
    canvas_puts(c, area.x + 2, y, buf_text(&title),
                (struct pen){.attrs = ATTR_BOLD});
    buf_done(&title);
    draw_labels(&m);
    draw_cells(&m);
}

static void
draw(const struct scene *s, struct canvas *c, struct rect area)
{
    struct matrix m = matrix_arrange(s, c, area);

    if (m.cell_width == 0)
        return;
    draw_labels(&m);
    if (!matrix_is_map(&m)) {
        draw_cells(&m);
        return;
    }
    matrix_map_draw(&m);
    draw_lens(s, c, area);
}

static int
rank_at(const struct scene *s, struct rect area, struct point at)
{
    struct matrix m = matrix_arrange(s, NULL, area);
    int row;

    if (matrix_is_map(&m) && at.y == matrix_lens_area(s, area).y)
        return s->selected; /* the rule has its name */
    if (matrix_is_map(&m) && at.y > matrix_lens_area(s, area).y)
        m = matrix_arrange_lens(s, NULL, area);
    row = at.y - m.area.y;
    return row >= 0 && row < m.area.height
               ? m.window.y + row * m.ranks_a_row
               : -1;
}

static const struct symbol symbols[] = {
    {"A", 0, N_("one contribution: GPU 0's (B: GPU 1, C: GPU 2, ...)")},
    {"12", 0, N_("the number of contributions, as the fill shows")},
    {"S", 0, N_("complete: the sum over all GPUs")},
    {"+", 0, N_("this step added to the slot")},
    {"=", 0, N_("this step replaced it")},
    {NULL, GLYPH_SENDS, N_("this step sent it")},
    {NULL, GLYPH_EMPTY, N_("an empty slot")},
    {NULL, GLYPH_LEVEL + 3,
     N_("the mean of many slots; bright: changed in this step")},
    {"!", 0, N_("something is wrong there")},
    {NULL, 0, NULL},
};

const struct view view_matrix = {
    .name = N_("matrix"),
    .draw = draw,
    .rank_at = rank_at,
    .symbols = symbols,
    .moves = false,
};
