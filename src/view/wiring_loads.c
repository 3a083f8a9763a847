/* SPDX-License-Identifier: MIT */
#include "view/wiring_loads.h"

#include "base/mem.h"

/* The link for a transfer, or NULL. Of several links, prefers the one for the
 * transfer's part of the data, then the one in its direction. */
static const struct link *
link_of(const struct wiring *w, const struct transfer *t)
{
    const struct link *found = NULL;
    int part = t->src_slot % w->schedule->pieces * 2 / w->schedule->pieces;
    int best = -1;

    for (int i = 0; i < w->nlinks; i++) {
        const struct link *link = &w->links[i];
        bool ahead = link->a == t->src && link->b == t->dst;
        int grade = 2 * (link->part == part) + ahead;

        if (grade > best &&
            (ahead || (link->b == t->src && link->a == t->dst))) {
            found = link;
            best = grade;
        }
    }
    return found;
}

/* The path from `src` along the link, without its cells on the boxes. */
static struct path
way_of(const struct link *link, int src)
{
    struct path p = link->a == src ? link->path : path_reversed(&link->path);
    struct path way = {0};
    int last = p.count - 1;
    struct point *a = &p.points[0], *b = &p.points[last];

    a->x += (p.points[1].x > a->x) - (p.points[1].x < a->x);
    a->y += (p.points[1].y > a->y) - (p.points[1].y < a->y);
    b->x += (p.points[last - 1].x > b->x) - (p.points[last - 1].x < b->x);
    b->y += (p.points[last - 1].y > b->y) - (p.points[last - 1].y < b->y);
    for (int i = 0; i < p.count; i++)
        if (i == 0 || p.points[i].x != p.points[i - 1].x ||
            p.points[i].y != p.points[i - 1].y)
            path_add(&way, p.points[i].x, p.points[i].y);
    return way;
}

/* The load of transfer `i` of the scene's step alone. */
static struct wiring_load
load_of(const struct scene *s, size_t i, const struct transfer *t,
        const struct link *link)
{
    bool flies = s->step > 0 && i < s->nflights;

    return (struct wiring_load){
        .first = t,
        .link = link,
        .way = way_of(link, t->src),
        .nslots = t->nslots,
        .progress = flies && s->flights[i].event != NULL
                        ? s->flights[i].progress
                        : 0,
        .landed = flies && flight_landed(&s->flights[i]),
        .lost = scene_lacks(s, i),
        .followed = !scene_fades_transfer(s, scene_step(s), t),
    };
}

static bool
same_way(const struct wiring_load *a, const struct wiring_load *b)
{
    return a->first->src == b->first->src && a->first->dst == b->first->dst &&
           a->link == b->link;
}

/* Adds what goes the same way. */
static void
add(struct wiring_load *sum, const struct wiring_load *more)
{
    sum->nslots += more->nslots;
    if (more->progress < sum->progress)
        sum->progress = more->progress;
    sum->landed &= more->landed;
    sum->lost |= more->lost;
    sum->followed |= more->followed;
}

struct point
wiring_load_head(const struct wiring_load *load)
{
    return load->way.points[load->way.count - 1];
}

static void
find_joined(struct wiring_load *loads, int count)
{
    for (int i = 0; i < count; i++) {
        struct point head = wiring_load_head(&loads[i]);
        for (int k = 0; loads[i].lost && k < count; k++) {
            struct point at = wiring_load_head(&loads[k]);
            loads[i].joined |=
                !loads[k].lost && at.x == head.x && at.y == head.y;
        }
    }
}

int
wiring_loads(const struct wiring *w, const struct scene *s,
             struct wiring_load **loads)
{
    size_t ntransfers;
    const struct transfer *t =
        schedule_transfers(s->world->schedule, scene_step(s), &ntransfers);
    int count = 0;

    *loads = mem_new(ntransfers + 1, sizeof **loads);
    for (size_t i = 0; i < ntransfers; i++) {
        const struct link *link = link_of(w, &t[i]);
        struct wiring_load load;
        int k = 0;

        if (t[i].src == t[i].dst || link == NULL ||
            (w->crowded && t[i].src != s->selected))
            continue;
        load = load_of(s, i, &t[i], link);
        while (k < count && !same_way(&(*loads)[k], &load))
            k++;
        if (k < count)
            add(&(*loads)[k], &load);
        else
            (*loads)[count++] = load;
    }
    find_joined(*loads, count);
    return count;
}
