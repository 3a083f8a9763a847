/* SPDX-License-Identifier: MIT */
/* Judges the output of NCCL's own collective in job->own by the reference, and
 * compares it, element by element, with ours in job->slots. */
#ifndef WORKERS_NCCL_NCCL_VERDICT_H
#define WORKERS_NCCL_NCCL_VERDICT_H

#include "workers/nccl/nccl_shared.h"

/* `wrong` gets the first difference, if native->wrong is not 0. */
void nccl_verdict(const struct nccl_job *job, struct run_native *native,
                  char wrong[RUN_WRONG_MAX]);

#endif
