/* SPDX-License-Identifier: MIT */
/* Each page of a lesson as a frame, in several sizes: whether all of its text
 * is there.
 *
 *     wrong += wrong_frames(t, false);     where the tutor has stopped */
#ifndef TESTS_LESSON_FRAMES_H
#define TESTS_LESSON_FRAMES_H

#include "canvas_text.h"
#include "draw/prose.h"
#include "screen/answer.h"
#include "screen/lesson_panel.h"
#include "tap.h"
#include "view/frame.h"

/* Whether every line of a text is in the frame, in full. */
static bool
has_lines(const char *frame, const char *text, int columns)
{
    struct wrap w = {.text = text, .columns = columns};
    bool all = true;

    while (wrap_next(&w)) {
        char line[1024];
        snprintf(line, sizeof line, "%.*s", (int)w.length, w.line);
        while (line[0] != '\0' && line[strlen(line) - 1] == ' ')
            line[strlen(line) - 1] = '\0';
        if (strstr(frame, line) == NULL) {
            diag("not shown: '%s' in\n%s", line, frame);
            all = false;
        }
    }
    return all;
}

/* Whether all of the panel is there.  Above a closing text, only the right item
 * must be, and not even that if the text says it. */
static bool
shows_all(const struct panel *p, const struct canvas *c, int columns)
{
    OWN(buf) frame = {0};
    bool all;

    canvas_text(c, &frame);
    all = has_lines(buf_text(&frame),
                    p->closing != NULL ? p->closing : p->text, columns);
    for (int i = 0; i < p->nitems; i++)
        if ((p->closing == NULL || (i == p->right && !p->headed)) &&
            strstr(buf_text(&frame), p->items[i]) == NULL) {
            diag("not shown: '%s' in\n%s", p->items[i], buf_text(&frame));
            all = false;
        }
    return all;
}

static bool
frame_is_right(const struct panel *panel, const struct world *world,
               const int size[2])
{
    struct scene s = {.world = world, .target = -1, .view = -1,
                      .taught = true, .asked = &panel->asked};
    int columns = panel->full ? 76 : size[0] > 104 ? 100 : size[0] - 4;
    OWN(canvas) c = {0};

    canvas_resize(&c, size[0], size[1]);
    frame_draw(&s, &(struct surround){.panel = panel}, &c);
    return shows_all(panel, &c, columns);
}

/* How many frames lack something, for a class or not. */
static int
wrong_frames(const struct tutor_seen *t, bool class)
{
    static const int sizes[][2] = {{80, 24}, {120, 40}, {200, 60}};
    OWNS(world) *none = t->picture.shown < 0 ? world_new() : NULL;
    OWN(lesson_panel) panel = {.class = class, .presents = class};
    struct answer answer = {.question = NULL};
    int wrong = 0;

    if (t->state == TUTOR_ASKS)
        answer_begin(&answer, t, NULL);
    lesson_panel_fill(&panel, t, &answer, GLYPHS_FULL);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        wrong += !frame_is_right(&panel.panel,
                                 none != NULL ? none
                                              : picture_world(&t->picture),
                                 sizes[i]);
    return wrong;
}

#endif
