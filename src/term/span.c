/* SPDX-License-Identifier: MIT */
#include "term/span.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/utf8.h"

static int
compare_places(const struct span *a, const struct span *b)
{
    if (a->y != b->y)
        return a->y < b->y ? -1 : 1;
    return a->x != b->x ? (a->x < b->x ? -1 : 1) : 0;
}

static int
compare_looks(const void *one, const void *other)
{
    const struct span *a = one, *b = other;
    int order = compare_places(a, b);

    if (order == 0)
        order = a->pen.fg - b->pen.fg;
    if (order == 0)
        order = a->pen.bg - b->pen.bg;
    if (order == 0)
        order = a->pen.attrs - b->pen.attrs;
    return order != 0 ? order : strcmp(a->text, b->text);
}

static int
compare_times(const struct span *a, const struct span *b)
{
    if (a->ntimes != b->ntimes)
        return a->ntimes < b->ntimes ? -1 : 1;
    for (size_t i = 0; i < a->ntimes; i++) {
        struct span_time s = a->times[i], t = b->times[i];
        if (s.begin != t.begin)
            return s.begin < t.begin ? -1 : 1;
        if (s.end != t.end)
            return s.end < t.end ? -1 : 1;
    }
    return 0;
}

static int
compare_all(const void *one, const void *other)
{
    const struct span *a = *(struct span *const *)one;
    const struct span *b = *(struct span *const *)other;
    int order = compare_times(a, b);

    return order != 0 ? order : compare_places(a, b);
}

static void
leave(void *span)
{
    (void)span; /* the array owns it */
}

void
spans_done(struct spans *s)
{
    tdestroy(s->tree, leave);
    for (size_t i = 0; i < s->count; i++) {
        free(s->all[i]->text);
        free(s->all[i]->times);
        free(s->all[i]);
    }
    free(s->all);
    *s = (struct spans){0};
}

/* Records that a span is visible in a frame. */
static void
note(struct span *span, int frame)
{
    if (span->ntimes > 0 && span->times[span->ntimes - 1].end == frame) {
        span->times[span->ntimes - 1].end++;
        return;
    }
    span->times = mem_grow(span->times, span->ntimes, &span->capacity,
                           sizeof *span->times);
    span->times[span->ntimes++] = (struct span_time){frame, frame + 1};
}

static void
keep(struct spans *s, const struct span *seen)
{
    struct span *const *found = tfind(seen, &s->tree, compare_looks);
    struct span *span;

    if (found != NULL) {
        note(*found, s->nframes);
        return;
    }
    span = mem_new(1, sizeof *span);
    *span = *seen;
    span->text = mem_string(seen->text);
    note(span, s->nframes);
    if (tsearch(span, &s->tree, compare_looks) == NULL)
        die("out of memory");
    s->all = mem_grow(s->all, s->count, &s->capacity, sizeof *s->all);
    s->all[s->count++] = span;
}

/* Whether a cell is blank. */
static bool
is_gap(const struct cell *cell)
{
    return cell->code == 0 ||
           (cell->code == ' ' && cell->pen.bg == ROLE_TEXT &&
            (cell->pen.attrs & (ATTR_REVERSE | ATTR_UNDERLINE)) == 0);
}

/* A single blank between words belongs to the span; several are a gap. */
static bool
goes_on(const struct canvas *c, int x, int y, struct pen pen, int width)
{
    const struct cell *cell = canvas_at(c, x, y);

    return cell != NULL && pen_same(cell->pen, pen) &&
           utf8_width(cell->code) == width &&
           !(is_gap(cell) && (x + 1 == c->columns ||
                              is_gap(canvas_at(c, x + 1, y))));
}

/* Adds the span that begins at x. Returns its width in columns. */
static int
cut(struct spans *s, const struct canvas *c, int x, int y)
{
    const struct cell *first = canvas_at(c, x, y);
    int width = utf8_width(first->code);
    struct span span = {.x = x, .y = y, .pen = first->pen};
    struct buf text = {0};
    char bytes[4];

    do {
        uint32_t code = canvas_at(c, x + span.columns, y)->code;
        buf_add(&text, bytes, (size_t)utf8_put(bytes, code));
        span.columns += width;
    } while (goes_on(c, x + span.columns, y, span.pen, width));
    span.text = text.data;
    keep(s, &span);
    buf_done(&text);
    return span.columns;
}

void
spans_add(struct spans *s, const struct canvas *c)
{
    for (int y = 0; y < c->rows; y++)
        for (int x = 0; x < c->columns;)
            x += is_gap(canvas_at(c, x, y)) ? 1 : cut(s, c, x, y);
    s->nframes++;
}

void
spans_sort(struct spans *s)
{
    qsort(s->all, s->count, sizeof(struct span *), compare_all);
}

bool
span_same_times(const struct span *a, const struct span *b)
{
    return compare_times(a, b) == 0;
}
