/* SPDX-License-Identifier: MIT */
/* Recording a run to a file (base/replace.h): the recording is there in full or
 * not at all, and an older one stands until then. */
#ifndef PLAY_RECORD_H
#define PLAY_RECORD_H

#include "model/world.h"

struct record;

/* NULL, with the reason, where FILE can not be written. */
struct record *record_open(const char *path, struct err *err);
const char *record_path(const struct record *r);

/* Takes down the next item, or all that a world was fed with so far. */
bool record_take(struct record *r, const struct item *item, struct err *err);
bool record_world(struct record *r, struct world *w, struct err *err);

/* Puts the file in its place if `keep`, which wants the run's end to have been
 * taken down; else leaves nothing behind. False if that fails. */
bool record_close(struct record *r, bool keep, struct err *err);

#endif
