/* SPDX-License-Identifier: MIT */
/* What devices a backend's worker finds on this machine, for people:
 *
 *     struct buf lines = {0};
 *     devices_ask(backend, &lines, &err)     "NVIDIA H200 0000:1b:00.0, ..."
 *
 * A line for each, of at least one. */
#ifndef RUN_DEVICES_H
#define RUN_DEVICES_H

#include "base/buf.h"
#include "run/backend.h"

/* Waits for the worker, half a minute at most. False with the reason. */
bool devices_ask(const struct backend *backend, struct buf *lines,
                 struct err *err);

#endif
