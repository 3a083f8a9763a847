/* SPDX-License-Identifier: MIT */
#include "view/matrix_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "draw/glyph.h"

/* Adds a rank's counts to the sums. Compilers vectorize the inner loop of
 * eight. */
static void
add_counts(uint32_t *sums, const uint16_t *counts, int slots)
{
    int slot = 0;

    for (; slot + 8 <= slots; slot += 8)
        for (int k = 0; k < 8; k++)
            sums[slot + k] += counts[slot + k];
    for (; slot < slots; slot++)
        sums[slot] += counts[slot];
}

/* Draws a row of the map: each cell shows the mean of its slots. Reads memory
 * in order, because there may be a million slots. */
static void
draw_density(const struct matrix *m, int first_rank, uint32_t *sums)
{
    const struct world *w = m->scene->world;
    int n = w->schedule->nranks, slots = w->schedule->nslots;
    int width = m->slots_a_column, columns = (slots + width - 1) / width;
    int end_rank = first_rank + m->ranks_a_row;

    end_rank = end_rank < n ? end_rank : n;
    memset(sums, 0, (size_t)slots * sizeof *sums);
    for (int rank = first_rank; rank < end_rank; rank++)
        add_counts(sums, world_counts(w, rank), slots);
    for (int i = 0; i < columns; i++) {
        struct point at = matrix_cell(m, first_rank, i * width);
        int here = slots - i * width < width ? slots - i * width : width;
        int64_t sum = 0;
        double mean;
        for (int slot = i * width; slot < i * width + here; slot++)
            sum += sums[slot];
        mean = (double)sum / (end_rank - first_rank) / here;
        if (sum > 0)
            canvas_fill(m->canvas, at.x, at.y, m->cell_width,
                        glyph_level(m->scene->glyphs, mean, n),
                        (struct pen){.fg = palette_warmth(mean, n)});
    }
}

/* Adds attributes to the cells that show a slot on the map. */
static void
emphasize(const struct matrix *m, int rank, int slot, unsigned attrs)
{
    struct point at = matrix_cell(m, rank, slot);

    for (int x = at.x; x < at.x + m->cell_width; x++) {
        const struct cell *cell = canvas_at(m->canvas, x, at.y);
        struct pen pen = cell != NULL ? cell->pen : (struct pen){0};
        if (cell == NULL)
            continue;
        pen.attrs |= attrs;
        if (attrs & ATTR_BOLD)
            pen.fg = ROLE_CURRENT;
        canvas_put(m->canvas, x, at.y, cell->code, pen);
    }
}

void
matrix_map_draw(const struct matrix *m)
{
    const struct scene *s = m->scene;
    uint32_t *sums =
        mem_new((size_t)s->world->schedule->nslots, sizeof *sums);
    size_t count;
    const struct transfer *t =
        schedule_transfers(s->world->schedule, s->world->position, &count);

    for (int rank = 0; rank < m->window.height; rank += m->ranks_a_row)
        draw_density(m, rank, sums);
    free(sums);
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < t[i].nslots; k++)
            emphasize(m, t[i].dst, t[i].dst_slot + k, ATTR_BOLD);
    emphasize(m, s->selected, matrix_lens_slot(s), ATTR_REVERSE);
}
