/* SPDX-License-Identifier: MIT */
/* The devices that a backend's worker finds on this machine, as text:
 *
 *     struct buf lines = {0};
 *     devices_ask(backend, &lines, &err)     "NVIDIA H200 0000:1b:00.0, ..."
 *
 * There is a line for each device, and at least one. */
#ifndef RUN_DEVICES_H
#define RUN_DEVICES_H

#include "base/buf.h"
#include "run/backend.h"

/* Asks the worker and waits half a minute at most. Returns false, with the
 * reason, on failure. */
bool devices_ask(const struct backend *backend, struct buf *lines,
                 struct err *err);

#endif
