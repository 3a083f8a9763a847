/* SPDX-License-Identifier: MIT */
/* The main loop of a worker: requests come in, the stream goes out
 * (run/request.h), and a machine runs the ranks. */
#ifndef RUN_SERVE_H
#define RUN_SERVE_H

#include "run/machine.h"

/* Serves one run, from standard input to standard output, until collviz ends
 * it. Returns false, with the reason, on failure; the machine's run is then
 * left as it is, since freeing it could wait for a device that hangs. */
bool serve(const struct machine *machine, struct err *err);

#endif
