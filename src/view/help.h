/* SPDX-License-Identifier: MIT */
/* Every key and every symbol on the screen, explained: the keys here, the
 * symbols by the view that is shown. */
#ifndef VIEW_HELP_H
#define VIEW_HELP_H

#include "view/view.h"

/* Over the middle of the area; `symbols` are the view's. */
void help_draw(const struct scene *s, const struct symbol *symbols,
               struct canvas *c, struct rect area);

#endif
