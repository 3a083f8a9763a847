/* SPDX-License-Identifier: MIT */
/* Texts that fill the screen: the program of a lesson, and what each collective
 * promises. */
#ifndef SCREEN_SHEETS_H
#define SCREEN_SHEETS_H

#include "screen/stage.h"

/* Shows what each collective promises, until a key leads back. */
void sheets_promises(const struct stage *stage);

/* Shows the whole program of a lesson (lesson/shelf.h), or a notice on the
 * stage if it cannot be read or there is none (`name` NULL). */
void sheets_program(struct stage *stage, const char *lesson, const char *name);

#endif
