/* SPDX-License-Identifier: MIT */
#include "view/inspect_slot.h"

#include "base/translate.h"
#include "draw/prose.h"
#include "model/order.h"
#include "schedule/program.h"
#include "text/text.h"

/* Draws ASCII text on the rows of an area. */
static void
put_wrapped(struct canvas *c, struct rect area, const char *text)
{
    const struct pen strong = {.attrs = ATTR_BOLD};

    for (int i = 0; *text != '\0' && i < area.width * area.height; i++)
        canvas_put(c, area.x + i % area.width, area.y + i / area.width,
                   (unsigned char)*text++, strong);
}

void
inspect_slot_order(const struct scene *s, struct canvas *c, struct rect area,
                   int rank, int slot)
{
    const struct pen quiet = {.fg = ROLE_QUIET};
    struct buf text = {0};
    int columns;

    if (s->world->schedule->nranks > LEDGER_RANKS) {
        buf_addf(&text, _("order of addition: shown for up to %d ranks"),
                 LEDGER_RANKS);
        canvas_puts_within(c, area.x, area.y, area.width, buf_text(&text),
                           quiet);
    } else {
        columns =
            canvas_puts(c, area.x, area.y, _("order of addition: "), quiet);
        area.x += columns;
        area.width -= columns;
        order_text(s->world, rank, slot,
                   (size_t)(area.width * area.height - 3), &text);
        put_wrapped(c, area, buf_text(&text));
    }
    buf_done(&text);
}

/* Appends what changed the slot, and when. */
static void
add_change(const struct scene *s, const struct event *e, struct buf *out)
{
    struct buf at = {0}, took = {0};
    char name[SCENE_NAME_MAX];

    text_ns(e->end_ns, false, &at);
    text_ns(e->end_ns - e->begin_ns, false, &took);
    if (e->op == EVENT_DIVIDE)
        buf_addf(out, _("divided by %1$d, %2$s after the start, in %3$s"),
                 s->world->schedule->nranks, buf_text(&at), buf_text(&took));
    else if (e->fault == FAULT_DROP)
        buf_addf(out, _("in step %1$d data from %2$s was to come, and was "
                        "dropped on purpose"),
                 e->step, scene_rank_name(e->src, name));
    else
        buf_addf(out,
                 _("changed in step %1$d by data from %2$s, %3$s after the "
                   "start, in %4$s"),
                 e->step, scene_rank_name(e->src, name), buf_text(&at),
                 buf_text(&took));
    buf_done(&at);
    buf_done(&took);
}

void
inspect_slot_change(const struct scene *s, struct canvas *c, struct rect area,
                    const struct event *change)
{
    struct buf text = {0};

    if (change != NULL)
        add_change(s, change, &text);
    else
        buf_puts(&text, _("not changed so far"));
    prose_draw(c, area, buf_text(&text), (struct pen){0}, (struct pen){0});
    buf_done(&text);
}
