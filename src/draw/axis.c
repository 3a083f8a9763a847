/* SPDX-License-Identifier: MIT */
#include "draw/axis.h"

/* Idle time longer than a tenth of the busy time counts as a pause. */
enum { PAUSE_PART = 10 };

static int64_t
longest_pause(const struct world *w, const struct axis *a)
{
    int64_t busy = 0, until = INT64_MIN;

    for (int step = a->first; step <= a->last; step++) {
        const struct world_step *s = &w->steps[step];
        int64_t begin = s->begin_ns > until ? s->begin_ns : until;
        if (s->count == 0 || s->end_ns <= begin)
            continue;
        busy += s->end_ns - begin;
        until = s->end_ns;
    }
    return busy / PAUSE_PART;
}

static void
add_step(struct axis *a, const struct world_step *s, int step, int64_t pause)
{
    struct span *last = a->nspans > 0 ? &a->spans[a->nspans - 1] : NULL;

    if (last == NULL || s->begin_ns - last->end_ns > pause) {
        a->spans[a->nspans++] = (struct span){.begin_ns = s->begin_ns,
                                              .end_ns = s->end_ns,
                                              .first = step,
                                              .last = step};
        return;
    }
    last->last = step;
    if (s->begin_ns < last->begin_ns)
        last->begin_ns = s->begin_ns;
    if (s->end_ns > last->end_ns)
        last->end_ns = s->end_ns;
}

/* All pages have the same number of steps; otherwise the last might have only
 * one.  Every span but the last keeps its last column free for the cut mark. */
struct axis
axis_of(const struct world *w, int step, int width)
{
    int most = width / AXIS_STEP_COLUMNS, pages, length, steps;
    struct axis a = {.width = width};
    int64_t pause;

    most = most < 1 ? 1 : most > AXIS_SPANS_MOST ? AXIS_SPANS_MOST : most;
    pages = (w->nsteps + most - 1) / most;
    length = pages > 0 ? (w->nsteps + pages - 1) / pages : 1;
    a.first = step > 0 ? (step - 1) / length * length + 1 : 1;
    a.last = a.first + length - 1;
    a.last = a.last < w->nsteps ? a.last : w->nsteps;
    steps = a.last - a.first + 1;
    pause = longest_pause(w, &a);
    for (int i = a.first; i <= a.last; i++)
        if (w->steps[i].count > 0)
            add_step(&a, &w->steps[i], i, pause);
    /* The divisions of avg are shown with the last step. */
    if (a.nspans > 0 && a.last == w->nsteps &&
        w->steps[a.last + 1].end_ns > a.spans[a.nspans - 1].end_ns)
        a.spans[a.nspans - 1].end_ns = w->steps[a.last + 1].end_ns;
    for (int i = 0; i < a.nspans; i++) {
        struct span *span = &a.spans[i];
        int end = width * (span->last - a.first + 1) / steps;
        span->x = width * (span->first - a.first) / steps;
        span->width = end - span->x - (span->last < a.last);
    }
    return a;
}

int
axis_column(const struct span *span, int64_t ns)
{
    double part = (double)(ns - span->begin_ns) /
                  (double)(span->end_ns - span->begin_ns + 1);
    int column = (int)(part * span->width);

    return span->x + (column < span->width ? column : span->width - 1);
}

bool
axis_columns(const struct span *span, int64_t begin_ns, int64_t end_ns,
             int *first, int *last)
{
    if (end_ns < span->begin_ns || begin_ns > span->end_ns)
        return false;
    *first = axis_column(span,
                         begin_ns > span->begin_ns ? begin_ns : span->begin_ns);
    *last = axis_column(span, end_ns < span->end_ns ? end_ns : span->end_ns);
    return true;
}
