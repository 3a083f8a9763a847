/* SPDX-License-Identifier: MIT */
#include "view/log_layout.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"

enum { DATA_MOST = 40 };

static int
larger(int a, int b)
{
    return a > b ? a : b;
}

static int
phases_width(const struct schedule *s)
{
    int width = utf8_columns(_("phase"));

    for (int i = 0; i < s->nsteps; i++)
        if (i == 0 || s->steps[i].phase != s->steps[i - 1].phase)
            width = larger(width,
                           utf8_columns(translated(s->steps[i].phase)));
    return width;
}

/* Leaves half of the lines to what has happened. */
static void
find_held(struct log *l)
{
    int n = l->scene->world->schedule->nranks, most = l->area.height / 2;

    if (!holdup_of(l->scene, &l->holdup))
        return;
    for (int pass = 0; pass < 2; pass++)
        for (int rank = 0; rank < n && l->nheld < most; rank++)
            if (l->holdup.ranks[rank].guilty == (pass == 0) &&
                holdup_has(&l->holdup, rank))
                l->held[l->nheld++] = rank;
    l->area.height -= l->nheld;
}

struct log
log_arrange(const struct scene *s, struct canvas *c, struct rect area)
{
    const struct schedule *p = s->world->schedule;
    struct log l = {.scene = s, .canvas = c, .step = scene_step(s)};
    char name[SCENE_NAME_MAX];
    int fixed;

    l.area = (struct rect){area.x, area.y + 1, area.width, area.height - 1};
    l.step_width =
        larger(snprintf(NULL, 0, "%d", p->nsteps) + 2, utf8_columns(_("step")));
    l.phase_width = phases_width(p);
    l.name_width = utf8_columns(scene_rank_name(p->nranks - 1, name));
    fixed = l.step_width + 2 + l.phase_width + 2 + 2 * l.name_width + 4 + 2 +
            2 + LOG_BYTES + LOG_TOOK + 1 + LOG_WAITED;
    l.data_width = area.width - fixed;
    if (l.data_width < 8) { /* the line of progress names the phase, too */
        l.data_width += l.phase_width + 2;
        l.phase_width = -2;
    }
    if (l.data_width > DATA_MOST)
        l.data_width = DATA_MOST;
    l.bytes_x = l.step_width + 2 + l.phase_width + 2 + 2 * l.name_width + 4 +
                2 + 2 + l.data_width;
    l.took_x = l.bytes_x + LOG_BYTES;
    l.waited_x = l.took_x + LOG_TOOK + 1;
    find_held(&l);
    return l;
}

static int
by_time(const void *a, const void *b)
{
    const struct event *x = *(const struct event *const *)a;
    const struct event *y = *(const struct event *const *)b;

    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return x->dst - y->dst;
}

const struct event **
log_sorted(const struct world_step *s)
{
    const struct event **events = mem_new(s->count, sizeof *events);

    for (size_t i = 0; i < s->count; i++)
        events[i] = &s->events[i];
    qsort(events, s->count, sizeof *events, by_time);
    return events;
}

/* The line, counted from 0, that stays in the middle: in the step shown, the
 * first transfer that the selected rank sent, else the last that it received,
 * else the first of all. */
static size_t
middle_line(const struct log *l)
{
    const struct world *w = l->scene->world;
    const struct event **events;
    size_t line = 0, found = 0;
    bool sends = false;

    for (int step = 1; step < l->step; step++)
        line += w->steps[step].count;
    if (l->step == 0)
        return 0;
    events = log_sorted(&w->steps[l->step]);
    for (size_t i = 0; i < w->steps[l->step].count && !sends; i++) {
        sends = events[i]->src == l->scene->selected;
        if (sends || events[i]->dst == l->scene->selected)
            found = i;
    }
    free(events);
    return line + found;
}

static size_t
all_lines(const struct world *w)
{
    size_t lines = 0;

    for (int step = 1; step <= w->nsteps + 1; step++)
        lines += w->steps[step].count;
    return lines;
}

int
log_count(const struct log *l)
{
    size_t lines = all_lines(l->scene->world);
    int height = l->area.height;

    return lines < (size_t)height ? (int)lines : height;
}

size_t
log_first(const struct log *l)
{
    size_t height = (size_t)l->area.height, all = all_lines(l->scene->world);
    size_t line = middle_line(l);
    size_t first = line > height / 2 ? line - height / 2 : 0;

    if (first + height > all)
        first = all > height ? all - height : 0;
    return first;
}

bool
log_event(const struct world *w, size_t line, struct event *found)
{
    for (int step = 1; step <= w->nsteps + 1; step++) {
        size_t count = w->steps[step].count;
        if (line < count) {
            const struct event **events = log_sorted(&w->steps[step]);
            *found = *events[line];
            free(events);
            return true;
        }
        line -= count;
    }
    return false;
}
