/* SPDX-License-Identifier: MIT */
/* Pictures of the screen as text, compared with golden ones.
 *
 * A golden header is written anew when its pictures have become better:
 *
 *     tests/view --write >tests/view_golden.h
 *
 * Read the diff before you commit it. */
#ifndef TESTS_PICTURE_H
#define TESTS_PICTURE_H

#include "canvas_text.h"
#include "model/scene.h"
#include "tap.h"
#include "view/frame.h"

/* Indices in the table of views. */
enum { RING, STAGES = 5, ARCS, TABLE, MATRIX, HEAT, PATHS, TIMELINE, LOG };

/* What stands around each picture. */
TAP_UNUSED static struct surround around;

/* The picture of a scene as text, valid until `out` changes. */
TAP_UNUSED static const char *
picture(const struct scene *s, int columns, int rows, struct buf *out)
{
    struct canvas c = {0};

    canvas_resize(&c, columns, rows);
    frame_draw(s, &around, &c);
    buf_clear(out);
    canvas_text(&c, out);
    canvas_done(&c);
    return buf_text(out);
}

/* Puts the next step in flight, every transfer at the same place of its way. */
TAP_UNUSED static size_t
fly(struct scene *s, struct flight *flights, double progress)
{
    const struct transfer *t;
    size_t count;

    s->step = s->world->position + 1;
    t = schedule_transfers(s->world->schedule, s->step, &count);
    for (size_t i = 0; i < count; i++)
        flights[i] = (struct flight){
            .transfer = &t[i],
            .event = &s->world->steps[s->step].events[i],
            .progress = progress};
    s->flights = flights;
    return s->nflights = count;
}

/* With --write a test prints its golden pictures instead of comparing them. */
static bool writing;

/* Reads the arguments of main(), and prints the head of the golden file. */
TAP_UNUSED static void
picture_arguments(int argc, char **argv)
{
    writing = argc > 1 && strcmp(argv[1], "--write") == 0;
    if (writing)
        printf("/* SPDX-License-Identifier: MIT */\n"
               "/* Written by %s --write. */\n", argv[0]);
}

TAP_UNUSED static void
check_text(const char *line, const char *name, const char *expected,
           const char *what)
{
    const char *end;

    if (!writing) {
        is_str(line, expected, "%s", what);
        return;
    }
    printf("\n/* %s */\nstatic const char %s[] =", what, name);
    for (; (end = strchr(line, '\n')) != NULL; line = end + 1)
        printf("\n    \"%.*s\\n\"", (int)(end - line), line);
    printf(";\n");
}

TAP_UNUSED static void
check_picture(const struct scene *s, struct point size, const char *name,
              const char *expected, const char *what)
{
    struct buf text = {0};

    check_text(picture(s, size.x, size.y, &text), name, expected, what);
    buf_done(&text);
}

#define PICTURE_AT(columns, rows, scene, name, what)                          \
    check_picture(scene, (struct point){columns, rows}, #name, name, what)
#define PICTURE(scene, name, what) PICTURE_AT(80, 24, scene, name, what)

/* The number of characters that are not ASCII, other than newlines. */
TAP_UNUSED static int
foreign_characters(const char *text)
{
    int count = 0;

    for (; *text != '\0'; text++)
        count += *text != '\n' && (*text < ' ' || *text > '~');
    return count;
}

#endif
