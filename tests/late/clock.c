/* SPDX-License-Identifier: MIT */
/* The clock of tests/late/collviz, which is collviz otherwise: it is late by as
 * many seconds as the file $LATE has bytes, so that a test lets time pass:
 *
 *     truncate -s 60 "$LATE"
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

int __real_clock_gettime(clockid_t id, struct timespec *now);
int __wrap_clock_gettime(clockid_t id, struct timespec *now);

int
__wrap_clock_gettime(clockid_t id, struct timespec *now)
{
    int status = __real_clock_gettime(id, now);
    const char *path = getenv("LATE");
    struct stat late;

    if (path != NULL && stat(path, &late) == 0)
        now->tv_sec += late.st_size;
    return status;
}
