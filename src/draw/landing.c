/* SPDX-License-Identifier: MIT */
#include "draw/landing.h"

#define HOLLOW_FROM 0.5 /* of what is left of the landing */
#define FLASH_FROM 0.25 /* a complete sum, which flashes */

static struct block
block_with(const struct block *block, const uint64_t *row, bool changed)
{
    struct block other = *block;

    other.row = row;
    other.changed = changed;
    return other;
}

/* What is added comes from the right, as far as there is room. */
static void
draw_added(const struct landing *l, const struct block *block,
           struct canvas *c, struct point at)
{
    struct block there = block_with(block, l->before, false);
    struct block comes = block_with(block, l->brought, true);
    struct block both = *block;
    double way = (l->left - HOLLOW_FROM) / (1 - HOLLOW_FROM);
    int room, chunk;

    canvas_fill(c, at.x, at.y, block->width, ' ', (struct pen){0});
    if (l->left <= HOLLOW_FROM) {
        both.trace = !world_is_sum(block->world, l->after, &chunk) ||
                     l->left <= FLASH_FROM;
        block_draw(&both, c, at.x, at.y);
        return;
    }
    at.x += block_draw(&there, c, at.x, at.y);
    room = block->width - block_draw(&there, NULL, 0, 0) -
           block_draw(&comes, NULL, 0, 0);
    if (room >= 0)
        block_draw(&comes, c, at.x + (int)(room * way + 0.5), at.y);
}

/* Draws the new block and the old one side by side, and shows the part of both
 * that is in the slot so far. */
static void
draw_replaced(const struct landing *l, const struct block *block,
              struct canvas *c, struct point at)
{
    struct block old = block_with(block, l->before, false);
    struct canvas both = {0};
    int width = block->width, from = (int)(l->left * width + 0.5);

    canvas_resize(&both, 2 * width, 1);
    block_draw(block, &both, 0, 0);
    block_draw(&old, &both, width, 0);
    for (int x = 0; x < width; x++)
        canvas_put(c, at.x + x, at.y, both.cells[from + x].code,
                   both.cells[from + x].pen);
    canvas_done(&both);
}

void
landing_draw(const struct landing *l, const struct block *block,
             struct canvas *c, struct point at)
{
    if (l->adds)
        draw_added(l, block, c, at);
    else
        draw_replaced(l, block, c, at);
}
