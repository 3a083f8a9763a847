/* SPDX-License-Identifier: MIT */
/* Finds the library.  This is a file of its own, so that tests can replace
 * it. */
#include <dlfcn.h>
#include <stdio.h>

#include "workers/nccl/nccl_api.h"

bool
nccl_open(struct nccl *n, struct err *err)
{
    static const char *const files[] = {
        "libnccl.so.2", "/usr/local/cuda/lib64/libnccl.so.2"};
    char why[256] = "";

    for (size_t i = 0; i < 2; i++) {
        void *library = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
        if (library != NULL)
            return nccl_bind(n, dlsym, library, err);
        if (i == 0)
            snprintf(why, sizeof why, "%s", dlerror());
    }
    return err_set(err, "NCCL cannot be loaded: %s; install libnccl2, or add "
                   "the folder it is in to LD_LIBRARY_PATH", why);
}
