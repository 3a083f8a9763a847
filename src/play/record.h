/* SPDX-License-Identifier: MIT */
/* Records a run to a file (base/replace.h): the recording is complete or does
 * not exist, and an older one stands until then.  A pipe or a device is written
 * to directly. */
#ifndef PLAY_RECORD_H
#define PLAY_RECORD_H

#include "model/world.h"

struct record;

/* Returns NULL, with the reason in *err, if FILE cannot be written. */
struct record *record_open(const char *path, struct err *err);
const char *record_path(const struct record *r);

/* Writes the next item, or all items that a world has taken in so far. */
bool record_take(struct record *r, const struct item *item, struct err *err);
bool record_world(struct record *r, struct world *w, struct err *err);

/* Gives the file its own name if `keep` and the run's end was written, else
 * removes it.  Returns false, with the reason in *err, if that fails. */
bool record_close(struct record *r, bool keep, struct err *err);

#endif
