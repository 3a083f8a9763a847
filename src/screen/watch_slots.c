/* SPDX-License-Identifier: MIT */
#include "screen/watch_slots.h"

#include "base/translate.h"
#include "text/sum.h"

void
watch_follow_none(struct watch *w)
{
    trail_free(w->trail);
    w->trail = NULL;
}

/* Follows what the selected slot holds. */
static void
follow(struct watch *w)
{
    const struct world *world = w->session->world;
    const uint64_t *row = world_row(world, w->selected, w->slot);
    struct buf text = {0}, name = {0};
    char rank[SCENE_NAME_MAX];

    watch_follow_none(w);
    sum_name(world, row, &name);
    scene_rank_name(w->selected, rank);
    if (name.length == 0)
        buf_addf(&text, _("slot %1$d of %2$s is empty"), w->slot, rank);
    else if ((w->trail = trail_new(world->schedule, w->selected, w->slot,
                                   world->position)) == NULL)
        buf_puts(&text, _("this run is too large to follow data in it"));
    else
        buf_addf(&text, _("following %1$s of %2$s; Up, Down: another slot; "
                          "Esc: no more"), buf_text(&name), rank);
    watch_notify(w, false, buf_text(&text));
    buf_done(&text);
    buf_done(&name);
}

/* The slot that the selected rank sends next, or else the one that it received
 * in last; -1 if there is none. */
static int
slot_in_use(const struct watch *w)
{
    const struct world *world = w->session->world;
    size_t count;
    const struct transfer *t = schedule_transfers(
        world->schedule, world->position + 1, &count);

    for (size_t i = 0; i < count; i++)
        if (t[i].src == w->selected)
            return t[i].src_slot;
    t = schedule_transfers(world->schedule, world->position, &count);
    for (size_t i = 0; i < count; i++)
        if (t[i].dst == w->selected)
            return t[i].dst_slot;
    return -1;
}

void
watch_follow(struct watch *w)
{
    const struct world *world = w->session->world;
    int slot;

    if (world->schedule == NULL || !world_step_complete(world, 0))
        return;
    if (w->trail != NULL && w->trail->rank == w->selected &&
        (w->trail->slot == w->slot || !w->inspect)) {
        watch_follow_none(w);
        return;
    }
    if (!w->inspect && (slot = slot_in_use(w)) >= 0)
        w->slot = slot;
    if (w->slot >= world->schedule->nslots)
        w->slot = 0;
    follow(w);
}

void
watch_pick_slot(struct watch *w, int rank, int slot)
{
    w->selected = rank;
    w->slot = slot;
    if (!w->inspect && w->trail != NULL && w->trail->rank == rank &&
        w->trail->slot == slot)
        watch_follow_none(w);
    else if (!w->inspect)
        follow(w);
}

void
watch_select_slot(struct watch *w, int by)
{
    const struct schedule *s = w->session->world->schedule;

    if (!w->inspect && w->trail == NULL) {
        watch_notify(w, false, _("no slot is looked into: i does that"));
        return;
    }
    if (s == NULL || w->slot + by < 0 || w->slot + by >= s->nslots)
        return;
    w->slot += by;
    if (w->trail != NULL && !w->inspect)
        follow(w);
}

void
watch_next_wrong(struct watch *w)
{
    const struct world *world = w->session->world;
    const struct schedule *s = world->schedule;
    int cells = s != NULL ? s->nranks * s->nslots : 0;

    for (int k = 0; k < cells; k++) {
        int cell = (w->selected * s->nslots + w->slot + k + w->inspect) % cells;
        if (!world_is_wrong(world, world->position, cell / s->nslots,
                            cell % s->nslots))
            continue;
        w->selected = cell / s->nslots;
        w->slot = cell % s->nslots;
        w->inspect = true;
        return;
    }
    watch_notify(w, false,
                 _("no slot is known to be wrong at this step"));
}
