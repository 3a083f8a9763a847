/* SPDX-License-Identifier: MIT */
#include "tutor/outline.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "tutor/notes.h"

enum {
    PAGES_MOST = 1000,
    BYTES_MOST = 1 << 20,
    COLUMNS = 80, /* of a page's first line */
};

struct outline *
outline_open(const char *path, const struct options *options,
             enum glyph_set glyphs, struct err *err)
{
    struct outline *o = mem_new(1, sizeof *o);

    o->path = mem_string(path);
    o->glyphs = glyphs;
    options_copy(&o->options, options);
    o->tutor = tutor_open(o->path, &o->options, err);
    if (o->tutor == NULL) {
        outline_close(o);
        return NULL;
    }
    o->tutor->hurry = o->tutor->unread = true;
    return o;
}

void
outline_close(struct outline *o)
{
    if (o == NULL)
        return;
    tutor_close(o->tutor);
    for (size_t i = 0; i < o->count; i++) {
        free(o->pages[i].first);
        free(o->pages[i].notes);
    }
    free(o->pages);
    options_done(&o->options);
    free(o->title);
    free(o->path);
    free(o);
}

static void
end(struct outline *o)
{
    tutor_close(o->tutor);
    o->tutor = NULL;
    o->over = true;
}

/* A line, cut to a screen's width; the caller frees it. */
static char *
cut(const char *line)
{
    char *copy = mem_string(line);
    const char *end = copy, *next = copy;
    int columns = 0;

    while ((columns += utf8_width(utf8_next(&next))) <= COLUMNS && *end != '\0')
        end = next;
    copy[end - copy] = '\0';
    return copy;
}

/* A lesson that never ends would fill the memory. */
static bool
is_bounded(struct outline *o)
{
    if (o->count > PAGES_MOST)
        return err_set(&o->trouble, "the lesson has more than %d pages: does "
                       "it end?", PAGES_MOST);
    return o->bytes <= BYTES_MOST ||
           err_set(&o->trouble, "the notes of the lesson are longer than %d "
                   "KiB", BYTES_MOST / 1024);
}

static bool
add_page(struct outline *o)
{
    struct buf text = {0};
    struct outline_page *page;

    o->pages = mem_grow(o->pages, o->count, &o->capacity,
                        sizeof *o->pages);
    page = &o->pages[o->count++];
    notes_add_first_line(o->tutor, &text);
    page->first = cut(buf_text(&text));
    buf_clear(&text);
    notes_add(o->tutor, o->glyphs, &text);
    page->notes = mem_string(buf_text(&text));
    o->bytes += text.length;
    buf_done(&text);
    return is_bounded(o);
}

/* Takes in a page, and leaves it.  Returns false if the lesson has failed. */
static bool
turn(struct outline *o)
{
    struct tutor *t = o->tutor;

    if (!add_page(o))
        return false;
    return t->state == TUTOR_ASKS ? tutor_answer(t, NULL, &o->trouble)
                                  : tutor_go_on(t, &o->trouble);
}

void
outline_advance(struct outline *o, int64_t now)
{
    struct tutor *t = o->tutor;
    bool ok;

    if (o->over)
        return;
    while ((ok = tutor_advance(t, now, &o->trouble)) &&
           (t->state == TUTOR_PAGE || t->state == TUTOR_ASKS) &&
           (ok = turn(o)))
        ;
    if (o->title == NULL && t->title != NULL) {
        o->title = mem_string(t->title);
        o->number = t->number;
    }
    if (!ok || t->state == TUTOR_OVER)
        end(o);
}

int
outline_fd(const struct outline *o)
{
    return o->over ? -1 : tutor_fd(o->tutor);
}

int64_t
outline_due(const struct outline *o, int64_t now)
{
    return o->over ? INT64_MAX : tutor_due(o->tutor, now);
}
