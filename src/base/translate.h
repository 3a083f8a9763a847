/* SPDX-License-Identifier: MIT */
/* Text for people: _() translates it, N_() marks it for the translators where
 * it is translated later. */
#ifndef BASE_TRANSLATE_H
#define BASE_TRANSLATE_H

#include <libintl.h>

#define _(text) gettext(text)
#define N_(text) text

#endif
