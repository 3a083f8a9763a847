/* SPDX-License-Identifier: MIT */
/* What NCCL's own collective has left in job->own, judged by the reference and
 * compared, element by element, with ours in job->slots. */
#ifndef WORKERS_NCCL_NCCL_VERDICT_H
#define WORKERS_NCCL_NCCL_VERDICT_H

#include "workers/nccl/nccl_shared.h"

/* `wrong`: where native->wrong is not 0, the first difference. */
void nccl_verdict(const struct nccl_job *job, struct run_native *native,
                  char wrong[RUN_WRONG_MAX]);

#endif
