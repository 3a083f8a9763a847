/* SPDX-License-Identifier: MIT */
#include "view/stages_window.h"

#include <stdio.h>

void
stages_window(struct stages_window *w, const struct scene *s,
              struct rect area)
{
    int n = s->world->schedule->nranks, room = area.height - 2;
    int count = area.height < n + 1 && 4 * room >= 3 * n ? room : n;

    *w = (struct stages_window){n, count, 0, area};
    if (count < n)
        w->whole.height = n + 1;
    if (s->selected >= count)
        w->first = n - count;
}

static void
copy_row(const struct canvas *from, int y, struct canvas *to, struct rect row)
{
    for (int x = row.x; x < row.x + row.width; x++) {
        const struct cell *cell = canvas_at(from, x, y);
        if (cell != NULL && cell->code != 0)
            canvas_put(to, x, row.y, cell->code, cell->pen);
    }
}

void
stages_window_draw(const struct stages_window *w, const struct canvas *whole,
                   struct canvas *c, struct rect area)
{
    struct rect row = {area.x, area.y, area.width, 1};
    char text[24];

    copy_row(whole, area.y, c, row);
    row.y += w->first > 0 ? 2 : 1;
    for (int i = 0; i < w->count; i++, row.y++)
        copy_row(whole, area.y + 1 + w->first + i, c, row);
    snprintf(text, sizeof text, "... +%d", w->nranks - w->count);
    canvas_puts(c, area.x, w->first > 0 ? area.y + 1 : row.y, text,
                (struct pen){.fg = ROLE_QUIET});
}
