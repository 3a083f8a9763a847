/* SPDX-License-Identifier: MIT */
#include "base/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "base/err.h"

static int pipe_fds[2] = {-1, -1};
static volatile sig_atomic_t came;

static void
on_signal(int signal_number)
{
    int saved = errno;

    came = signal_number;
    if (write(pipe_fds[1], "", 1) < 0)
        came = signal_number; /* full: it is readable already */
    errno = saved;
}

int
interrupt_open(void)
{
    static const int caught[] = {SIGINT, SIGTERM, SIGHUP};

    if (pipe_fds[0] >= 0)
        return pipe_fds[0];
    if (pipe2(pipe_fds, O_CLOEXEC | O_NONBLOCK) != 0)
        die("pipe: no descriptors left");
    for (int i = 0; i < 3; i++) {
        struct sigaction old, mine = {.sa_handler = on_signal};
        sigemptyset(&mine.sa_mask);
        sigaction(caught[i], NULL, &old);
        if (old.sa_handler != SIG_IGN) /* nohup */
            sigaction(caught[i], &mine, NULL);
    }
    return pipe_fds[0];
}

int
interrupt_signal(void)
{
    return came;
}

void
interrupt_note(int signal_number)
{
    came = signal_number;
}

void
interrupt_die(void)
{
    if (came == 0)
        return;
    signal(came, SIG_DFL);
    raise(came);
}
