/* SPDX-License-Identifier: MIT */
#include "view/timeline_layout.h"

#include "base/utf8.h"

enum { PITCH_MOST = 3 };

struct timeline
timeline_arrange(const struct scene *s, struct canvas *c, struct rect area)
{
    int n = s->world->schedule->nranks;
    struct timeline t = {
        .scene = s, .canvas = c, .area = area, .step = scene_step(s)};
    char name[SCENE_NAME_MAX];

    t.label_width = utf8_columns(scene_rank_name(n - 1, name)) + 2;
    t.area.x += t.label_width;
    t.area.width -= t.label_width + TIMELINE_WAITED;
    t.area.y += TIMELINE_HEAD;
    t.area.height -= TIMELINE_HEAD + TIMELINE_FOOT;
    t.pitch = t.area.height / n;
    t.pitch = t.pitch < 1 ? 1 : t.pitch > PITCH_MOST ? PITCH_MOST : t.pitch;
    t.count = n * t.pitch <= t.area.height ? n : t.area.height;
    t.first = s->selected - t.count / 2;
    if (t.first > n - t.count)
        t.first = n - t.count;
    if (t.first < 0)
        t.first = 0;
    t.axis = axis_of(s->world, t.step, t.area.width);
    return t;
}

int
timeline_row(const struct timeline *t, int rank)
{
    return rank >= t->first && rank < t->first + t->count
               ? t->area.y + (rank - t->first) * t->pitch
               : -1;
}

bool
timeline_cursor(const struct timeline *t, int *column)
{
    const struct axis *a = &t->axis;
    const struct world_step *s = &t->scene->world->steps[t->step];

    for (int i = 0; i < a->nspans && t->step > 0 && s->count > 0; i++)
        if (t->step >= a->spans[i].first && t->step <= a->spans[i].last) {
            *column = axis_column(&a->spans[i], s->end_ns);
            return true;
        }
    return false;
}
