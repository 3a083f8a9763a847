/* SPDX-License-Identifier: MIT */
/* Ranks in this process that pass messages, for mismatched runs of the threads
 * backend.  The rank machine (run/rank.h) pulls from its peers' memory and
 * needs to know what they do; here a rank knows its own share alone.
 *
 * Messages are buffered, as MPI does with small ones: a send is over at once.
 * One thread advances all ranks whenever the run is looked at. */
#ifndef RUN_EXCHANGE_H
#define RUN_EXCHANGE_H

#include "run/machine.h"

/* Its backend is "threads". All steps must be granted at once. */
extern const struct machine machine_exchange;

#endif
