/* SPDX-License-Identifier: MIT */
/* Golden pictures, as text: tests/albums/NAME.txt has one after the other,
 * each below a line "== TITLE".
 *
 *     struct album a;
 *     album_open(&a, "charts");
 *     album_check(&a, "three curves", text);
 *     album_close(&a);
 *
 * With GOLDEN=write in the environment, as in `make golden`, pictures are not
 * compared: the file is written anew. Read the diff before you commit it. */
#ifndef TESTS_ALBUM_H
#define TESTS_ALBUM_H

#include <stdlib.h>

#include "base/buf.h"
#include "base/load.h"
#include "tap.h"

struct album {
    char path[300];
    struct buf old, now; /* the file, and what it should be */
    int checked;
    bool writes;
};

TAP_UNUSED static void
album_open(struct album *a, const char *name)
{
    const char *srcdir = getenv("srcdir"), *golden = getenv("GOLDEN");
    struct err err = {.text = ""};

    *a = (struct album){.writes = golden && strcmp(golden, "write") == 0};
    snprintf(a->path, sizeof a->path, "%s/tests/albums/%s.txt",
             srcdir != NULL ? srcdir : ".", name);
    buf_putc(&a->old, '\n');
    if (!load(a->path, 1 << 22, &a->old, &err))
        diag("%s", err.text);
}

/* The picture with this title, and its bytes; NULL: there is none. */
static const char *
album_find(const struct album *a, const char *title, size_t *length)
{
    size_t named = strlen(title);
    const char *p = buf_text(&a->old), *end;

    while ((p = strstr(p, "\n== ")) != NULL) {
        p += 4;
        if (strncmp(p, title, named) == 0 && p[named] == '\n') {
            p += named + 1;
            end = strncmp(p, "== ", 3) == 0 ? p : strstr(p, "\n== ");
            *length = end == p ? 0 : end != NULL ? (size_t)(end + 1 - p)
                                                 : strlen(p);
            return p;
        }
    }
    return NULL;
}

TAP_UNUSED static void
album_check(struct album *a, const char *title, const char *text)
{
    size_t length = 0;
    const char *old = album_find(a, title, &length);

    a->checked++;
    buf_addf(&a->now, "== %s\n%s", title, text);
    if (a->writes)
        return;
    if (!ok(old != NULL && strlen(text) == length &&
                memcmp(old, text, length) == 0,
            "%s", title))
        diag("got\n%s\nexpected\n%.*s", text, (int)length,
             old != NULL ? old : "");
}

/* What is in the file was looked at, to the last picture. */
TAP_UNUSED static void
album_close(struct album *a)
{
    FILE *file = a->writes ? fopen(a->path, "we") : NULL;
    int there = 0;

    for (const char *p = buf_text(&a->old); (p = strstr(p, "\n== ")); p++)
        there++;
    if (!a->writes)
        is_int(a->checked, there, "%s: all pictures", a->path);
    else if (file == NULL || fputs(buf_text(&a->now), file) < 0 ||
             fclose(file) != 0)
        exit(99);
    buf_done(&a->old);
    buf_done(&a->now);
}

#endif
