/* SPDX-License-Identifier: MIT */
/* Texts that fill the screen: the program of a lesson, and what each collective
 * promises. */
#ifndef SCREEN_SHEETS_H
#define SCREEN_SHEETS_H

#include "base/err.h"
#include "term/screen.h"

/* Shows what each collective promises, until a key leads back. */
void sheets_promises(struct screen *screen, bool ascii);

/* Shows the whole program of a lesson (lesson/code.h).  Returns false, with
 * the reason in *err, if it cannot be read; `name` may be NULL. */
bool sheets_program(struct screen *screen, bool ascii, const char *lesson,
                    const char *name, struct err *err);

#endif
