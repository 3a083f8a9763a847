/* SPDX-License-Identifier: MIT */
/* SIGINT, SIGTERM and SIGHUP as something to poll for, so that a run in text
 * can end in good order: its recording whole, its temporary files gone. */
#ifndef BASE_INTERRUPT_H
#define BASE_INTERRUPT_H

/* Catches them, from the first call on. Returns a descriptor that is readable
 * once one came. */
int interrupt_open(void);

/* Whether one came. */
int interrupt_signal(void);

/* One came to somebody else who caught it: the screen. */
void interrupt_note(int signal_number);

/* Ends the process by the signal that came, as if it had not been caught;
 * returns if none came. */
void interrupt_die(void);

#endif
