/* SPDX-License-Identifier: MIT */
/* Recording a run to a file: written beside it, renamed when it is whole, so
 * that a recording is there in full or not at all.  What is no regular file (a
 * pipe, a device) is written to directly. */
#ifndef APP_RECORD_H
#define APP_RECORD_H

#include "app/session.h"

struct record;

/* NULL, with the reason, where FILE can not be written. */
struct record *record_open(const char *path, struct err *err);

/* Takes items of a session down. */
struct session_sink record_sink(struct record *r);

/* Puts the file in its place, if `keep` and the run's end was written; else
 * leaves nothing behind. False if that fails. */
bool record_close(struct record *r, bool keep, struct err *err);

#endif
