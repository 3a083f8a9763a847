/* SPDX-License-Identifier: MIT */
/* What is the same in all screens that a test makes in the place of the real
 * one (term/screen.h): it can be opened, has colours, and a frame is drawn
 * after every key.  To be included after `terminal`, its struct screen, which
 * has its `facts`. */
#ifndef TESTS_FAKE_SCREEN_H
#define TESTS_FAKE_SCREEN_H

#include "term/screen.h"

bool
screen_can(struct err *err)
{
    err->text[0] = '\0';
    return true;
}

bool
screen_open(struct screen **screen, struct err *err)
{
    err->text[0] = '\0';
    *screen = &terminal;
    return true;
}

void
screen_close(struct screen *screen)
{
    (void)screen;
}

const struct screen_facts *
screen_facts(const struct screen *screen)
{
    return &screen->facts;
}

bool
screen_has_key(struct screen *screen)
{
    (void)screen;
    return false;
}

#endif
