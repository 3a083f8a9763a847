/* SPDX-License-Identifier: MIT */
#include "run/devices.h"

#include <poll.h>

#include "base/child.h"
#include "base/clock.h"

enum { PATIENCE_MS = 30000 }; /* a driver may have to start first */

/* Waits for a line. Returns false once the time is over. */
static bool
wait_until(const struct child *w, int64_t until_ns)
{
    struct pollfd lines = {.fd = child_fd(w), .events = POLLIN};
    int64_t left = (until_ns - clock_ns()) / 1000000;

    return left > 0 && poll(&lines, 1, (int)left) != 0;
}

/* A worker that fails writes nothing but the reason
 * (workers/collviz_cuda.c). */
static bool
listen(struct child *w, const char *program, struct buf *lines,
       struct err *err)
{
    int64_t until_ns = clock_ns() + PATIENCE_MS * INT64_C(1000000);
    const char *line;

    for (;;)
        switch (child_hear(w, &line, err)) {
        case CHILD_LINE:
            buf_addf(lines, "%s\n", line);
            break;
        case CHILD_GONE:
            return lines->length > 0;
        default:
            if (!wait_until(w, until_ns))
                return err_set(err, "%s has said nothing for %d seconds: the "
                               "device, or its driver, hangs", program,
                               PATIENCE_MS / 1000);
        }
}

bool
devices_ask(const struct backend *backend, struct buf *lines, struct err *err)
{
    char *const argv[] = {(char *)backend->worker, (char *)"devices",
                          (char *)backend->mode, NULL};
    struct child *w = child_open(backend->worker, argv, err);
    bool ok = w != NULL && listen(w, backend->worker, lines, err);
    child_close(w);
    return ok;
}
