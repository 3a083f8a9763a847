/* SPDX-License-Identifier: MIT */
/* Every key and every symbol on the screen, explained. */
#ifndef VIEW_HELP_H
#define VIEW_HELP_H

#include "view/scene.h"

void help_draw(const struct scene *s, struct canvas *c, struct rect area);

#endif
