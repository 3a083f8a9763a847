/* SPDX-License-Identifier: MIT */
#include "view/matrix_layout.h"

#include <stdio.h>

#include "base/utf8.h"

enum {
    CELL_WIDTH_MOST = 8,
    VALUES_LEAST = 7,       /* columns for the values of a slot: "120 140" */
    CELL_WIDTH_AIRY = 12,   /* of a fill with values */
    CELL_HEIGHT_MOST = 4,   /* two rows, the values, a blank row */
};

/* Ways to draw contents as blocks, best first. */
static const struct trial {
    enum block_form form;
    int pad;
} trials[] = {{BLOCK_WHOLE, 1}, {BLOCK_WHOLE, 0}, {BLOCK_LETTERS, 0}};

static int
divided_up(int a, int b)
{
    return (a + b - 1) / b;
}

static void
place_cells(struct matrix *m, struct rect area, int columns, int rows)
{
    int width = area.width - m->label_width, height = area.height - 1;

    m->area.width = columns * m->cell_width;
    m->area.height = rows * m->cell_height;
    m->area.x = area.x + m->label_width + (width - m->area.width) / 2;
    m->area.y = area.y + 1 + (height - m->area.height) / 2;
}

static struct matrix
fit(const struct scene *s, struct canvas *c, struct rect area,
    struct rect window)
{
    const struct schedule *p = s->world->schedule;
    struct matrix m = {
        .scene = s, .canvas = c, .window = window, .cell_height = 1};
    int height = area.height - 1, width, columns, rows;
    char name[SCENE_NAME_MAX];

    m.text_width = snprintf(NULL, 0, "%d", p->nranks);
    m.label_width = utf8_columns(scene_rank_name(p->nranks - 1, name)) + 1;
    width = area.width - m.label_width;
    if (height < 1 || width < 1)
        return m;
    m.ranks_a_row = divided_up(window.height, height);
    m.slots_a_column = divided_up(window.width > 0 ? window.width : 1, width);
    columns = divided_up(window.width, m.slots_a_column);
    rows = divided_up(window.height, m.ranks_a_row);
    m.cell_width = columns > 0 ? width / columns : 1;
    if (m.cell_width > CELL_WIDTH_MOST)
        m.cell_width = CELL_WIDTH_MOST;
    m.height = 1;
    m.width = m.cell_width > 1 ? m.cell_width - 1 : 1;
    m.change_x = m.sends_x = m.width;
    place_cells(&m, area, columns, rows);
    return m;
}

/* The most contributions that any slot has in the run, at any step. */
static int
most_parts(const struct outlook *o)
{
    int parts = 1;

    for (int step = 0; step <= o->schedule->nsteps; step++)
        if (o->most[step].parts > parts)
            parts = o->most[step].parts;
    return parts;
}

/* Shows blocks, if one fits in `room` columns with a mark. */
static void
choose_blocks(struct matrix *m, int room)
{
    const struct world *w = m->scene->world;
    int parts;

    if (w->outlook == NULL)
        return;
    parts = most_parts(w->outlook);
    for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++) {
        const struct trial *t = &trials[i];
        int part = (block_columns_whole(w->schedule, t->pad) - 1) /
                   w->schedule->nranks;
        int width = t->form == BLOCK_WHOLE ? parts * part + 1 : parts;
        if (m->values && width < VALUES_LEAST && room > VALUES_LEAST)
            width = VALUES_LEAST;
        if (width + 1 > room)
            continue;
        m->blocks = true;
        m->form = t->form;
        m->pad = t->pad;
        m->width = width;
        m->change_x = -1;
        m->sends_x = width + 2 <= room ? width : -1;
        m->cell_width = width + 3 < room ? width + 3 : room;
        return;
    }
}

/* Uses the room of an area in which every slot has a cell. */
static void
spread(struct matrix *m, struct rect area)
{
    int rows = (area.height - 1) / m->window.height;
    int columns = m->window.width > 0 ? m->window.width : 1;
    int room = (area.width - m->label_width) / columns;

    m->cell_height = rows < CELL_HEIGHT_MOST ? rows : CELL_HEIGHT_MOST;
    m->values = rows > 1 && room > VALUES_LEAST;
    m->height = rows - m->values > 1 ? 2 : 1;
    choose_blocks(m, room);
    if (!m->blocks && m->values) {
        m->cell_width = room < CELL_WIDTH_AIRY ? room : CELL_WIDTH_AIRY;
        m->width = m->change_x = m->sends_x = m->cell_width - 1;
    }
    place_cells(m, area, columns, m->window.height);
}

bool
matrix_is_map(const struct matrix *m)
{
    return m->ranks_a_row > 1 || m->slots_a_column > 1;
}

struct rect
matrix_lens_area(const struct scene *s, struct rect area)
{
    int ranks = area.height / 10 * 2 + 1;
    int height;

    if (ranks > s->world->schedule->nranks)
        ranks = s->world->schedule->nranks;
    height = ranks + 2;
    return (struct rect){area.x, area.y + area.height - height, area.width,
                         height};
}

struct matrix
matrix_arrange(const struct scene *s, struct canvas *c, struct rect area)
{
    const struct schedule *p = s->world->schedule;
    struct rect all = {0, 0, p->nslots, p->nranks};
    struct matrix m = fit(s, c, area, all);

    if (!matrix_is_map(&m)) {
        if (m.cell_width > 0)
            spread(&m, area);
        return m;
    }
    area.height -= matrix_lens_area(s, area).height;
    return fit(s, c, area, all);
}

int
matrix_lens_slot(const struct scene *s)
{
    size_t count;
    const struct transfer *t =
        schedule_transfers(s->world->schedule, scene_step(s), &count);
    int received = -1;

    for (size_t i = 0; i < count; i++) {
        if (t[i].src == s->selected)
            return t[i].src_slot;
        if (t[i].dst == s->selected)
            received = t[i].dst_slot;
    }
    return received >= 0 ? received : s->slot;
}

/* The first of `size` consecutive items out of `all`, with `middle` as near to
 * their middle as possible. */
static int
first_around(int middle, int size, int all)
{
    int first = middle - size / 2;

    if (first > all - size)
        first = all - size;
    return first < 0 ? 0 : first;
}

struct matrix
matrix_arrange_lens(const struct scene *s, struct canvas *c, struct rect area)
{
    const struct schedule *p = s->world->schedule;
    char name[SCENE_NAME_MAX];
    int label = utf8_columns(scene_rank_name(p->nranks - 1, name)) + 1;
    int slots = (area.width - label) / CELL_WIDTH_MOST;
    struct rect rows = matrix_lens_area(s, area);
    struct rect window = {.width = slots < p->nslots ? slots : p->nslots,
                          .height = rows.height - 2};

    window.x = first_around(matrix_lens_slot(s), window.width, p->nslots);
    window.y = first_around(s->selected, window.height, p->nranks);
    rows.y++;
    rows.height--;
    return fit(s, c, rows, window);
}

bool
matrix_shows(const struct matrix *m, int rank, int slot)
{
    const struct rect *w = &m->window;

    return rank >= w->y && rank < w->y + w->height && slot >= w->x &&
           slot < w->x + w->width;
}

struct point
matrix_cell(const struct matrix *m, int rank, int slot)
{
    return (struct point){
        m->area.x + (slot - m->window.x) / m->slots_a_column * m->cell_width +
            (m->change_x < 0),
        m->area.y +
            (rank - m->window.y) / m->ranks_a_row * m->cell_height};
}
