/* SPDX-License-Identifier: MIT */
/* The whole screen: the view and what stands around it. */
#ifndef VIEW_FRAME_H
#define VIEW_FRAME_H

#include "draw/layout.h"
#include "model/scene.h"
#include "view/help.h"
#include "view/panel.h"

/* What stands around the picture of a scene. */
struct surround {
    bool playing;
    int speed;          /* 0: normal, each +1 doubles it, each -1 halves it */
    const char *typed;  /* a number before a key; NULL: none */
    const char *prompt; /* shown instead of the keys; NULL: none */
    const char *notice; /* shown above the keys; NULL: none */
    bool alarm;         /* the notice is an error */
    const char *back;   /* where q leads back to; NULL: q ends collviz */
    bool in_lesson;     /* that is a lesson, to which the run belongs */
    const char *task;   /* what the lesson asks the learner to do; NULL: none */
    const struct panel *panel; /* of the lesson if the scene is taught */
};

/* Draws the scene on the whole canvas; with `a` NULL as a picture to give away,
 * without keys.  If the canvas is too small, draws only a message with the size
 * that is needed; if the world has no schedule yet, a message that the run is
 * being prepared. */
void frame_draw(const struct scene *s, const struct surround *a,
                struct canvas *c);

/* How long it takes to read the sentence about the scene's step, in ns; 0 if
 * there was a step of its kind before. */
int64_t frame_reading_ns(const struct scene *s, int columns, int rows);

/* Its line of keys, with the state in which keys are looked up. */
struct key_line frame_keys(const struct scene *s, const struct surround *a);

/* What is at a point of a frame of columns x rows; a key is a button of its
 * canvas. */
enum frame_what { FRAME_NOTHING, FRAME_RANK, FRAME_STEP };
struct frame_target {
    enum frame_what what;
    int number; /* of the rank or of the step */
    int slot;   /* of the rank, or -1 */
};
struct frame_target frame_at(const struct scene *s, int columns, int rows,
                             struct point at);

/* What its help explains: its keys, and the views that it shows. */
struct help frame_help(const struct scene *s, const struct surround *a,
                       int columns, int rows);

#endif
