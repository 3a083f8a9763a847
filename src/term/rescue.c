/* SPDX-License-Identifier: MIT */
#include "term/rescue.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/signals.h"

enum { LEAVE_MAX = 512, PATIENCE_MS = 1000 };

/* Static, so that signal handlers find it. There is only one terminal. */
static struct {
    int fd;
    char leave[LEAVE_MAX];
    size_t length;
    struct termios modes;
} saved;

bool
rescue_takes(void)
{
    struct pollfd p = {.fd = saved.fd, .events = POLLOUT};
    int got;

    while ((got = poll(&p, 1, PATIENCE_MS)) < 0 && errno == EINTR)
        ;
    return got > 0;
}

/* Safe in a signal handler. Writes one byte at a time, so that no write waits
 * for room. */
static void
leave(void *state)
{
    size_t done = 0;

    (void)state;
    if (!rescue_takes())
        tcflush(saved.fd, TCOFLUSH);
    while (done < saved.length && rescue_takes() &&
           write(saved.fd, saved.leave + done, 1) == 1)
        done++;
    tcsetattr(saved.fd, TCSANOW, &saved.modes);
}

static struct undo undo = {.act = leave};

bool
rescue_arm(int fd, const char *text, size_t length, struct err *err)
{
    if (length > LEAVE_MAX)
        length = 0;
    saved.fd = fd;
    memcpy(saved.leave, text, length);
    saved.length = length;
    if (tcgetattr(fd, &saved.modes) != 0)
        return err_set(err, "the terminal's modes: %s", strerror(errno));
    signals_add_undo(&undo);
    signals_catch_terminal();
    return true;
}

void
rescue_disarm(void)
{
    signals_release_terminal();
    signals_remove_undo(&undo);
}

void
rescue_leave(void)
{
    leave(NULL);
}
