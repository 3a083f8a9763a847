/* SPDX-License-Identifier: MIT */
/* Prints a session on standard output while it runs, as text or as JSON. */
#ifndef PLAY_PRINTER_H
#define PLAY_PRINTER_H

#include "base/buf.h"
#include "event/stream.h"
#include "play/options.h"
#include "play/session.h"

struct printer {
    struct world *world; /* borrowed */
    bool json, states;
    int shown; /* steps, -1: not even the input */
    struct buf text;
    struct stream_writer writer;
};

/* Prints `session` by a sink in it; `show` must not move. */
void printer_init(struct printer *p, struct session *session,
               const struct options *o);
void printer_done(struct printer *p);

#endif
