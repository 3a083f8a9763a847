/* SPDX-License-Identifier: MIT */
/* Signals.  Nothing else in collviz catches any.
 *
 * SIGINT, SIGTERM and SIGHUP ask the program to end.  They end it at once, as
 * they end any program, unless a loop that has something to clean up listens
 * for them:
 *
 *     struct pollfd fds[] = {{.fd = signals_fd(), .events = POLLIN}, ...};
 *     while (... && signals_ending() == 0)
 *         poll(fds, ...)
 *
 * After the first call of signals_fd(), the first such signal is kept until
 * main() dies of it (signals_die), so that loops can end and a recording can be
 * closed.  This must not take long: the process ends at once if no loop has
 * called signals_ending() within two seconds, or if a second signal comes half
 * a second or more after the first.  (One that comes sooner is taken for the
 * same signal: timeout(1) and shells send it to the process and once more to
 * its group.)
 *
 * Every other signal that ends a process by default ends it at once, SIGKILL
 * excepted after the functions of signals_add_undo() have run, which restore
 * the screen and remove a half-written file. */
#ifndef BASE_SIGNALS_H
#define BASE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* A descriptor that becomes readable, and stays so, once such a signal came. */
int signals_fd(void);

/* The signal that came, or 0. */
int signals_ending(void);

/* Acts as if this signal had come: SIGHUP, if the terminal is gone. */
void signals_note(int signal_number);

/* Ends the process by the signal that came, as if it had not been caught.
 * Returns if none came. */
void signals_die(void);

/* An action that runs however the process ends: `act` is called once, by
 * exit() or by a signal handler, so it must be async-signal-safe. */
struct undo {
    void (*act)(void *state);
    void *state;
};

/* Borrows *undo until it is removed; there can be four at a time. */
void signals_add_undo(struct undo *undo);
void signals_remove_undo(struct undo *undo);

/* For a screen: catches SIGWINCH, SIGTSTP and SIGCONT, which
 * signals_terminal_next() returns. */
void signals_catch_terminal(void);
void signals_release_terminal(void);

/* A descriptor, readable when one of those three came; the next one, or 0. */
int signals_terminal_fd(void);
int signals_terminal_next(void);

/* Stops the process as SIGTSTP would; returns when it continues. */
void signals_stop(void);

/* Blocks all signals.  A thread that is created then keeps them blocked, and a
 * forked child cannot react in its parent's place. */
void signals_block(sigset_t *before);
void signals_unblock(const sigset_t *before);

/* For a thread that was created so, first of all: lets through the signals of a
 * crash, which must not end the process without its undos. */
void signals_catch_crashes(void);

/* To be called in a forked child, with signals blocked, before exec(): resets
 * all signals to their defaults, except those that are typed at the terminal or
 * sent when it closes.  The child ignores these and leaves them to its
 * parent. */
void signals_leave_to_parent(void);

#endif
