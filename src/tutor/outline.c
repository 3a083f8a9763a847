/* SPDX-License-Identifier: MIT */
#include "tutor/outline.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tutor/notes.h"

enum { PAGES_MOST = 1000 }; /* a lesson that never ends would fill the memory */

void
outline_init(struct outline *o, const char *path,
             const struct options *options)
{
    struct err none;

    *o = (struct outline){.path = mem_string(path)};
    options_copy(&o->options, options);
    o->tutor = tutor_open(o->path, &o->options, &none);
    if (o->tutor != NULL)
        o->tutor->hurry = true;
}

void
outline_done(struct outline *o)
{
    tutor_close(o->tutor);
    for (size_t i = 0; i < o->count; i++)
        free(o->pages[i]);
    free(o->pages);
    options_done(&o->options);
    free(o->path);
    *o = (struct outline){.tutor = NULL};
}

bool
outline_has(const struct outline *o, int page, const char *first)
{
    return page >= 1 && (size_t)page <= o->count &&
           strcmp(o->pages[page - 1], first) == 0;
}

static void
add_page(struct outline *o)
{
    struct buf first = {0};

    notes_add_first_line(o->tutor, &first);
    o->pages = mem_grow(o->pages, o->count, &o->capacity, sizeof *o->pages);
    o->pages[o->count++] = mem_string(buf_text(&first));
    buf_done(&first);
}

/* Takes in a page, and leaves it.  Returns false if no more are known. */
static bool
turn(struct outline *o, struct err *err)
{
    struct tutor *t = o->tutor;

    add_page(o);
    return o->count < PAGES_MOST && (t->state == TUTOR_ASKS
                                         ? tutor_answer(t, NULL, err)
                                         : tutor_go_on(t, err));
}

void
outline_advance(struct outline *o, int64_t now)
{
    struct tutor *t = o->tutor;
    struct err none;
    bool ok;

    if (t == NULL)
        return;
    while ((ok = tutor_advance(t, now, &none)) &&
           (t->state == TUTOR_PAGE || t->state == TUTOR_ASKS) &&
           (ok = turn(o, &none)))
        ;
    o->complete = ok && t->state == TUTOR_OVER;
    if (ok && !o->complete && t->measurement == NULL)
        return;
    tutor_close(t);
    o->tutor = NULL;
}

int
outline_fd(const struct outline *o)
{
    return o->tutor != NULL ? tutor_fd(o->tutor) : -1;
}

int64_t
outline_due(const struct outline *o, int64_t now)
{
    return o->tutor != NULL ? tutor_due(o->tutor, now) : INT64_MAX;
}
