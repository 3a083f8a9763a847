/* SPDX-License-Identifier: MIT */
/* The matrix: one row for each rank, one column for each slot.
 *
 * A cell is a block, with the first values of the slot below it, if there is
 * room for that.  Else the height of its fill is the number of contributions in
 * the slot.  A single contribution has the colour of its rank, several have a
 * neutral colour that gets warmer towards the complete sum.  If there is room,
 * the letter or the number is drawn before the fill.  A mark beside a cell says
 * what a transfer did: `›` sent it, `+` added to it, `=` replaced it.
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
#include "view/matrix_content.h"
#include "view/matrix_map.h"
#include "view/view.h"

static const struct pen quiet = {.fg = ROLE_QUIET};

/* The part of the picture that belongs to a slot: its content and the columns
 * for marks beside it. */
static struct rect
cell_area(const struct matrix *m, int rank, int slot)
{
    struct point at = matrix_cell(m, rank, slot);

    return (struct rect){at.x - (m->change_x < 0), at.y, m->cell_width,
                         m->height + m->values};
}

/* Highlights a cell if it has the data that is followed, else fades it. */
static void
show_trail(const struct matrix *m, int step, int rank, int slot)
{
    struct rect r = cell_area(m, rank, slot);
    bool fades = scene_fades(m->scene, step, rank, slot);

    for (int i = 0; i < r.width * r.height; i++) {
        struct point at = {r.x + i % r.width, r.y + i / r.width};
        const struct cell *cell = canvas_at(m->canvas, at.x, at.y);
        struct pen pen = cell == NULL || fades ? quiet : cell->pen;
        pen.attrs |= fades ? 0 : ATTR_BOLD;
        if (cell != NULL)
            canvas_put(m->canvas, at.x, at.y, cell->code, pen);
    }
}

/* Draws a mark beside the name of a block, or beside the foot of a fill. */
static void
draw_mark(const struct matrix *m, int rank, int slot, uint32_t mark)
{
    struct point at = matrix_cell(m, rank, slot);
    bool sends = mark == glyph(m->scene->glyphs, GLYPH_SENDS);

    if (m->cell_width > 1 && matrix_shows(m, rank, slot))
        canvas_put(m->canvas, at.x + (sends ? m->sends_x : m->change_x),
                   at.y + (m->blocks ? 0 : m->height - 1), mark,
                   (struct pen){.fg = mark == '!' ? ROLE_WARNING : ROLE_TEXT,
                                .attrs = ATTR_BOLD});
}

static void
draw_change(const void *matrix, int rank, int slot, const uint64_t *row,
            char mark)
{
    const struct matrix *m = matrix;

    (void)mark; /* draw_marks() draws both ends */
    matrix_content_draw(m, scene_step(m->scene), rank, slot, row, true);
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
    canvas_turn(m->canvas, (struct rect){at.x, at.y, m->width, m->height});
}

static void
draw_cells(const struct matrix *m)
{
    const struct world *w = m->scene->world;
    const struct rect *in = &m->window;

    for (int rank = in->y; rank < in->y + in->height; rank++)
        for (int slot = in->x; slot < in->x + in->width; slot++)
            matrix_content_draw(m, w->position, rank, slot,
                                world_row(w, rank, slot), false);
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
        canvas_puts(m->canvas,
                    m->area.x + i * m->cell_width + (m->change_x < 0),
                    m->area.y - 1, text, quiet);
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
               ? m.window.y + row / m.cell_height * m.ranks_a_row
               : -1;
}

static const struct symbol symbols[] = {
    {"A", 0, N_("one contribution: GPU 0's (B: GPU 1, C: GPU 2, ...)")},
    {"A1 ABC", 0, N_("with room: the data, its values below")},
    {"12", 0, N_("the number of contributions, as the fill shows")},
    {"S", 0, N_("complete: the sum over all GPUs")},
    {"+", 0, N_("this step added to the slot")},
    {"=", 0, N_("this step replaced it")},
    {NULL, GLYPH_SENDS, N_("this step sent it")},
    {NULL, GLYPH_EMPTY, N_("an empty slot")},
    {NULL, GLYPH_LEVEL + 3,
     N_("the mean of many slots; bright: changed in this step")},
    {"*", 0, N_("a contribution that is in a sum several times")},
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
