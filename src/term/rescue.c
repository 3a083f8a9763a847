/* SPDX-License-Identifier: MIT */
#include "term/rescue.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { LEAVE_MAX = 512, STACK_SIZE = 16384 };

static const int told[] = {SIGINT,  SIGTERM, SIGHUP,
                           SIGWINCH, SIGTSTP, SIGCONT};
static const int fatal[] = {SIGQUIT, SIGSEGV, SIGABRT, SIGBUS,
                            SIGFPE,  SIGILL,  SIGTRAP};

enum { TOLD = sizeof told / sizeof told[0],
       FATAL = sizeof fatal / sizeof fatal[0] };

/* Signal handlers take no argument of ours, so this once there is a global. */
static struct {
    int fd;
    int pipe[2];
    char leave[LEAVE_MAX];
    size_t leave_length;
    struct termios modes;
    volatile sig_atomic_t armed;
    bool at_exit;
    volatile sig_atomic_t ending; /* asked to end and not yet answered */
    struct sigaction old_told[TOLD], old_fatal[FATAL];
    char stack[STACK_SIZE]; /* a crash may be of the usual one */
} rescue;

/* Only what is safe in a signal handler. */
static void
leave_terminal(void)
{
    size_t done = 0;
    ssize_t n;

    if (!rescue.armed)
        return;
    rescue.armed = 0;
    while (done < rescue.leave_length &&
           (n = write(rescue.fd, rescue.leave + done,
                      rescue.leave_length - done)) > 0)
        done += (size_t)n;
    tcsetattr(rescue.fd, TCSANOW, &rescue.modes);
}

static void
die_of(int sig)
{
    struct sigaction usual = {.sa_handler = SIG_DFL};
    sigset_t one;

    leave_terminal();
    sigaction(sig, &usual, NULL);
    sigemptyset(&one);
    sigaddset(&one, sig);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    raise(sig);
}

static void
on_told(int sig)
{
    int saved = errno;
    unsigned char byte = (unsigned char)sig;
    bool ends = sig == SIGINT || sig == SIGTERM || sig == SIGHUP;

    if (ends && rescue.ending)
        die_of(sig);
    if (ends)
        rescue.ending = 1;
    if (write(rescue.pipe[1], &byte, 1) < 0 && ends)
        die_of(sig); /* a full pipe: nobody reads it */
    errno = saved;
}

static void
catch_all(void)
{
    stack_t stack = {.ss_sp = rescue.stack, .ss_size = sizeof rescue.stack};
    struct sigaction tell = {.sa_handler = on_told, .sa_flags = SA_RESTART};
    struct sigaction crash = {.sa_handler = die_of, .sa_flags = SA_ONSTACK};

    sigaltstack(&stack, NULL);
    sigfillset(&tell.sa_mask);
    for (int i = 0; i < TOLD; i++) {
        sigaction(told[i], NULL, &rescue.old_told[i]);
        if (rescue.old_told[i].sa_handler != SIG_IGN) /* nohup */
            sigaction(told[i], &tell, NULL);
    }
    for (int i = 0; i < FATAL; i++)
        sigaction(fatal[i], &crash, &rescue.old_fatal[i]);
}

bool
rescue_arm(int fd, const char *leave, size_t length, struct err *err)
{
    rescue.fd = fd;
    rescue.ending = 0;
    if (length > LEAVE_MAX)
        length = 0;
    memcpy(rescue.leave, leave, length);
    rescue.leave_length = length;
    if (tcgetattr(fd, &rescue.modes) != 0)
        return err_set(err, "the terminal's modes: %s", strerror(errno));
    if (pipe2(rescue.pipe, O_CLOEXEC | O_NONBLOCK) != 0)
        return err_set(err, "a pipe for signals: %s", strerror(errno));
    rescue.armed = 1;
    if (!rescue.at_exit)
        atexit(leave_terminal); /* die() */
    rescue.at_exit = true;
    catch_all();
    return true;
}

void
rescue_disarm(void)
{
    stack_t none = {.ss_flags = SS_DISABLE};

    rescue.armed = 0;
    for (int i = 0; i < TOLD; i++)
        sigaction(told[i], &rescue.old_told[i], NULL);
    for (int i = 0; i < FATAL; i++)
        sigaction(fatal[i], &rescue.old_fatal[i], NULL);
    sigaltstack(&none, NULL);
    close(rescue.pipe[0]);
    close(rescue.pipe[1]);
}

int
rescue_fd(void)
{
    return rescue.pipe[0];
}

int
rescue_next(void)
{
    unsigned char byte;

    return read(rescue.pipe[0], &byte, 1) == 1 ? byte : 0;
}

void
rescue_stop(void)
{
    struct sigaction usual = {.sa_handler = SIG_DFL}, ours;

    sigaction(SIGTSTP, &usual, &ours);
    raise(SIGTSTP);
    sigaction(SIGTSTP, &ours, NULL);
}
