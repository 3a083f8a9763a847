/* SPDX-License-Identifier: MIT */
/* A run without a user: it is played from its first step to its end, and
 * printed on standard output. */
#ifndef PLAY_PLAY_H
#define PLAY_PLAY_H

#include "base/buf.h"
#include "event/stream.h"
#include "play/options.h"
#include "play/session.h"

/* Grants one step after another, or all at once, until the run ends, a signal
 * arrives (base/signals.h) or the session's timeout is over.  Returns false,
 * with the reason in *err, if the run failed.  Standard error says what the run
 * waits for, or which ranks hold it up. */
bool play_through(struct session *s, bool free_pace, struct err *err);

/* Prints a session while it runs, or is read, as text or as JSON. */
struct printer {
    struct world *world; /* borrowed */
    bool json, states;
    int shown; /* steps, -1: not even the input */
    struct buf text;
    struct stream_writer writer;
};

/* Prints `session` by a sink in it; the printer must not move. */
void printer_init(struct printer *p, struct session *session,
                  const struct options *o);
void printer_done(struct printer *p);

#endif
