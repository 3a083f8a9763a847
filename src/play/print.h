/* SPDX-License-Identifier: MIT */
/* Showing a session on standard output as it goes on: as text or as JSON. */
#ifndef PLAY_PRINT_H
#define PLAY_PRINT_H

#include "base/buf.h"
#include "event/stream.h"
#include "play/options.h"
#include "play/session.h"

struct print {
    struct world *world; /* borrowed */
    bool json, states;
    int shown; /* steps, -1: not even the input */
    struct buf text;
    struct stream_writer writer;
};

/* A sink that shows `session`; `show` must stay where it is. */
void print_init(struct print *show, struct session *session,
               const struct options *o);
void print_done(struct print *show);

#endif
