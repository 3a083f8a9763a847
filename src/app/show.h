/* SPDX-License-Identifier: MIT */
/* Showing a session on standard output as it goes on: as text or as JSON. */
#ifndef APP_SHOW_H
#define APP_SHOW_H

#include "app/options.h"
#include "app/session.h"
#include "base/buf.h"
#include "event/stream.h"

struct show {
    struct world *world; /* borrowed */
    bool json, states;
    int shown; /* steps, -1: not even the input */
    struct buf text;
    struct stream_writer writer;
};

/* A sink that shows `session`; `show` must stay where it is. */
void show_init(struct show *show, struct session *session,
               const struct options *o);
void show_done(struct show *show);

#endif
