/* SPDX-License-Identifier: MIT */
/* Signals.  Nothing else in collviz catches any.
 *
 * SIGINT, SIGTERM and SIGHUP ask the program to end.  They end it at once, as
 * they end any program, until a loop that leaves something to put in order
 * listens for them:
 *
 *     struct pollfd fds[] = {{.fd = signals_fd(), .events = POLLIN}, ...};
 *     while (... && signals_ending() == 0)
 *         poll(fds, ...)
 *
 * From the first signals_fd() on, the first of them is kept until main() dies
 * of it (signals_die), so that the loops can end and a recording can be closed.
 * Nobody waits for that for long: the process ends at once if no loop has asked
 * signals_ending() within two seconds, or if a second signal comes half a
 * second after the first, or later.  (Sooner, it is the same one: timeout(1)
 * and shells send it to the process and once more to its group.)
 *
 * A process that ends at once does first what was left to do with
 * signals_add_undo(), so that neither a screen nor a file half written stays
 * behind. */
#ifndef BASE_SIGNALS_H
#define BASE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* Readable once a signal has asked the program to end, from then on. */
int signals_fd(void);

/* Which one did; 0: none. */
int signals_ending(void);

/* Has one come that nobody sent: SIGHUP, where the terminal is gone. */
void signals_note(int signal_number);

/* Ends the process by the signal that came, as if it had not been caught;
 * returns if none came. */
void signals_die(void);

/* What has to be undone however the process ends: `act` is called once, by
 * exit() or by a signal's handler, and does only what is safe there. */
struct undo {
    void (*act)(void *state);
    void *state;
};

/* Borrows *undo until it is removed; there are four at most. */
void signals_add_undo(struct undo *undo);
void signals_remove_undo(struct undo *undo);

/* For a screen: SIGWINCH, SIGTSTP and SIGCONT are caught and told, and the
 * signals of a crash are caught so that undo's are done. */
void signals_catch_terminal(void);
void signals_release_terminal(void);

/* Readable when one of those three has come; the next one, 0 for none. */
int signals_terminal_fd(void);
int signals_terminal_next(void);

/* Stops the process as SIGTSTP would have; returns when it goes on. */
void signals_stop(void);

/* Blocks what is caught here.  A thread that is created then leaves it to the
 * others for good, and a child that is forked can not answer in its parent's
 * place. */
void signals_block(sigset_t *before);
void signals_unblock(const sigset_t *before);

/* In a child that was forked while they were blocked, before exec(): every
 * signal is as usual, but for those that are typed at the terminal or come when
 * it closes.  These are ignored: the parent decides. */
void signals_leave_to_parent(void);

#endif
