/* SPDX-License-Identifier: MIT */
/* Several NCCL ranks on one GPU, for a laptop or a class.
 *
 * NCCL refuses a second rank on a GPU ("Duplicate GPU detected"), and
 * identifies a GPU by host and bus, which MIG devices of a GPU share.  With a
 * process for each rank there are two ways around it: before 2.30 each process
 * pretends to be on a host of its own; 2.30 has a switch for it.  Either way
 * ranks communicate over sockets on the loopback interface, so that nothing
 * assumes shared memory: correct, but slow.
 *
 *     struct nccl_setting set[NCCL_SETTINGS_MAX];
 *     int n = nccl_share_settings(set, nccl.version, rank);
 *     for (int i = 0; i < n; i++)
 *         setenv(set[i].name, set[i].value, set[i].needed);
 *
 * in the process of that rank, before it first uses NCCL, which reads its
 * environment once.  ncclGetVersion reads none of it. */
#ifndef WORKERS_NCCL_NCCL_SHARE_H
#define WORKERS_NCCL_NCCL_SHARE_H

#include <stdbool.h>

enum {
    NCCL_SETTINGS_MAX = 20,
    NCCL_SETTING_MAX = 64,
};

struct nccl_setting {
    const char *name;
    char value[NCCL_SETTING_MAX];
    bool needed; /* overrides the user's setting: it does not work otherwise */
};

/* The environment of `rank`'s process; returns the number of settings. */
int nccl_share_settings(struct nccl_setting set[NCCL_SETTINGS_MAX],
                        int version, int rank);

#endif
