/* SPDX-License-Identifier: MIT */
/* The inspector: shows all facts about the slots of the selected rank, instead
 * of the picture.
 *
 *     ╭─ GPU 1 ──────────────────────────────────────────────────────────╮
 *     │  slot data            elements  bytes  first values   changed    │
 *     │     0 ▐B0▌C0▌                2    8 B  5 10           step 1     │
 *     │ ▶   1 ▐A1▌B1▌C1▌             2    8 B  18 24          step 2     │
 *     │                                                                  │
 *     │  order of addition: B1+(A1+C1)                                   │
 *     │  changed in step 2 by data from GPU 0, 12.3 ms after the start,  │
 *     ╰──────────────────────────────────────────────────────────────────╯
 */
#ifndef VIEW_INSPECT_H
#define VIEW_INSPECT_H

#include "view/view.h"

void inspect_draw(const struct scene *s, struct canvas *c, struct rect area);

extern const struct symbol inspect_symbols[];

#endif
