/* SPDX-License-Identifier: MIT */
#include "base/signals.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { PATIENCE_S = 2, UNDOS = 4, STACK_SIZE = 65536 };
static const int64_t ANOTHER_NS = 500000000;

static const int endings[] = {SIGINT, SIGTERM, SIGHUP};
static const int of_terminal[] = {SIGWINCH, SIGTSTP, SIGCONT};
static const int crashes[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE,
                              SIGILL,  SIGTRAP, SIGSYS};

/* These do not end a process by default, or cannot be caught. */
static const int harmless[] = {SIGCHLD, SIGCONT, SIGKILL, SIGSTOP, SIGTSTP,
                               SIGTTIN, SIGTTOU, SIGURG,  SIGWINCH};

/* Handlers get no argument of ours, so this is a global.  They run only in the
 * main thread, but those of a crash: all other threads block their signals. */
static struct {
    struct undo *volatile undos[UNDOS];
    bool catches; /* the signals that end the program */
    volatile sig_atomic_t listens, came;
    volatile int64_t came_ns;
    int ending_pipe[2], terminal_pipe[2];
    struct sigaction before[NSIG]; /* of each signal that is caught */
    char stack[STACK_SIZE]; /* the usual one may have caused the crash */
} state = {.ending_pipe = {-1, -1}, .terminal_pipe = {-1, -1}};

static void
undo_all(void)
{
    for (int i = 0; i < UNDOS; i++) {
        struct undo *undo = state.undos[i];
        state.undos[i] = NULL;
        if (undo != NULL)
            undo->act(undo->state);
    }
}

/* A sanitizer's handler then reports a crash. */
static void
die_of(int sig)
{
    sigset_t one;

    undo_all();
    sigaction(sig, &state.before[sig], NULL);
    sigemptyset(&one);
    sigaddset(&one, sig);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    raise(sig);
}

/* If the pipe is full it is readable, which is enough. */
static void
wake_reader(int fd, int sig)
{
    unsigned char byte = (unsigned char)sig;
    ssize_t ignored = write(fd, &byte, 1);

    (void)ignored;
}

static void
on_ending(int sig)
{
    int saved = errno;

    if (!state.listens ||
        (state.came != 0 && clock_ns() - state.came_ns >= ANOTHER_NS)) {
        die_of(sig);
    } else if (state.came == 0) {
        state.came_ns = clock_ns();
        state.came = sig;
        wake_reader(state.ending_pipe[1], sig);
        alarm(PATIENCE_S);
    }
    errno = saved;
}

/* Our alarm ends here, too; a foreign one was set before exec(). */
static void
on_end_at_once(int sig)
{
    die_of(sig == SIGALRM && state.came != 0 ? state.came : sig);
}

static void
on_terminal(int sig)
{
    int saved = errno;

    wake_reader(state.terminal_pipe[1], sig);
    errno = saved;
}

static bool
is_signal_among(int sig, const int *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == sig)
            return true;
    return false;
}

/* Leaves a signal alone if it is ignored, as under nohup(1), or has another's
 * handler, as a profiler's; a sanitizer's for crashes comes after ours. */
static void
catch_one(int sig, void (*handler)(int))
{
    struct sigaction ours = {.sa_handler = handler,
                             .sa_flags = SA_RESTART | SA_ONSTACK};
    struct sigaction *before = &state.before[sig];

    sigfillset(&ours.sa_mask);
    if (sigaction(sig, NULL, before) == 0 && before->sa_handler != SIG_IGN &&
        (before->sa_handler == SIG_DFL ||
         is_signal_among(sig, crashes, COUNT(crashes))))
        sigaction(sig, &ours, NULL);
}

static void
catch_endings(void)
{
    stack_t stack = {.ss_sp = state.stack, .ss_size = sizeof state.stack};

    if (state.catches)
        return;
    state.catches = true;
    sigaltstack(&stack, NULL);
    for (int sig = 1; sig < NSIG; sig++)
        if (!is_signal_among(sig, harmless, COUNT(harmless)))
            catch_one(sig, is_signal_among(sig, endings, COUNT(endings))
                               ? on_ending
                               : on_end_at_once);
}

static void
open_pipe(int fds[2])
{
    if (fds[0] < 0 && pipe2(fds, O_CLOEXEC | O_NONBLOCK) != 0)
        die("pipe: no descriptors left");
}

int
signals_fd(void)
{
    open_pipe(state.ending_pipe);
    catch_endings();
    state.listens = 1;
    return state.ending_pipe[0];
}

int
signals_ending(void)
{
    if (state.came != 0)
        alarm(0); /* a loop has noticed the signal */
    return state.came;
}

void
signals_note(int signal_number)
{
    if (state.came == 0)
        state.came = signal_number;
}

void
signals_die(void)
{
    if (state.came != 0)
        die_of(state.came);
}

void
signals_add_undo(struct undo *undo)
{
    static bool at_exit;
    int i = 0;

    if (!at_exit)
        atexit(undo_all); /* for die() */
    at_exit = true;
    while (i < UNDOS && state.undos[i] != NULL)
        i++;
    assert(i < UNDOS);
    state.undos[i] = undo;
    catch_endings();
}

void
signals_remove_undo(struct undo *undo)
{
    for (int i = 0; i < UNDOS; i++)
        if (state.undos[i] == undo)
            state.undos[i] = NULL;
}

void
signals_catch_terminal(void)
{
    open_pipe(state.terminal_pipe);
    for (size_t i = 0; i < COUNT(of_terminal); i++)
        catch_one(of_terminal[i], on_terminal);
}

void
signals_release_terminal(void)
{
    for (size_t i = 0; i < COUNT(of_terminal); i++)
        sigaction(of_terminal[i], &state.before[of_terminal[i]], NULL);
}

int
signals_terminal_fd(void)
{
    return state.terminal_pipe[0];
}

int
signals_terminal_next(void)
{
    unsigned char byte;

    return read(state.terminal_pipe[0], &byte, 1) == 1 ? byte : 0;
}

void
signals_stop(void)
{
    struct sigaction usual = {.sa_handler = SIG_DFL}, ours;

    sigaction(SIGTSTP, &usual, &ours);
    raise(SIGTSTP);
    sigaction(SIGTSTP, &ours, NULL);
}

void
signals_block(sigset_t *before)
{
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, before);
}

void
signals_unblock(const sigset_t *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

void
signals_catch_crashes(void)
{
    sigset_t ours;

    sigemptyset(&ours);
    for (size_t i = 0; i < COUNT(crashes); i++)
        sigaddset(&ours, crashes[i]);
    pthread_sigmask(SIG_UNBLOCK, &ours, NULL);
}

void
signals_leave_to_parent(void)
{
    static const int parents[] = {SIGINT, SIGQUIT, SIGHUP};
    struct sigaction now;
    sigset_t none;

    for (int sig = 1; sig < NSIG; sig++)
        if (sigaction(sig, NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            signal(sig, SIG_DFL);
    for (size_t i = 0; i < COUNT(parents); i++)
        signal(parents[i], SIG_IGN);
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
}
