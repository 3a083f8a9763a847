/* SPDX-License-Identifier: MIT */
#include "view/matrix_layout.h"

#include <stdio.h>

#include "base/utf8.h"

enum { CELL_WIDTH_MOST = 8 };

static int
divided_up(int a, int b)
{
    return (a + b - 1) / b;
}

static struct matrix
fit(const struct scene *s, struct canvas *c, struct rect area,
    struct rect window)
{
    const struct schedule *p = s->world->schedule;
    struct matrix m = {.scene = s, .canvas = c, .window = window};
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
    m.area.width = columns * m.cell_width;
    m.area.height = rows;
    m.area.x = area.x + m.label_width + (width - m.area.width) / 2;
    m.area.y = area.y + 1 + (height - rows) / 2;
    return m;
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

    if (!matrix_is_map(&m))
        return m;
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
        m->area.x + (slot - m->window.x) / m->slots_a_column * m->cell_width,
        m->area.y + (rank - m->window.y) / m->ranks_a_row};
}
