/* SPDX-License-Identifier: MIT */
/* A run that plays by itself beside a list: ranks on threads, or a recording.
 * It plays a few times over, then rests on its end, so that a screen at which
 * nobody looks costs nothing. */
#ifndef SCREEN_PREVIEW_H
#define SCREEN_PREVIEW_H

#include "play/job.h"
#include "play/player.h"

struct preview {
    struct job *job;         /* NULL: a recording */
    struct session recorded; /* used if there is no job */
    struct player player;
    int rounds; /* left to be played */
    int64_t again_ns; /* when the next begins */
    bool open;
};

/* Opens the preview of a run, given as words after `collviz`, or of a
 * recording; the one before is closed.  Returns false, with the reason in
 * *err, if it cannot be shown. */
bool preview_run(struct preview *p, const char *command, struct err *err);
bool preview_recording(struct preview *p, const char *path, struct err *err);
void preview_close(struct preview *p);

/* Moves it to the time `now`.  Returns false, with the reason in *err, if its
 * run failed. */
bool preview_advance(struct preview *p, int64_t now, struct err *err);

/* When it changes next by itself, INT64_MAX for never; as in play/player.h. */
int64_t preview_due(const struct preview *p, int64_t now);

/* The picture, with pointers into *p. */
struct scene preview_scene(const struct preview *p, enum glyph_set glyphs);

#endif
