/* SPDX-License-Identifier: MIT */
/* Text for people: _() translates it, N_() marks it for the translators where
 * it is translated later. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <libintl.h>

#define _(text) gettext(text)
#define N_(text) text

/* The same for a text that comes from a file: it may be empty, and of the empty
 * text gettext() returns the catalogue's header. */
static inline const char *
translated(const char *text)
{
    return text[0] != '\0' ? gettext(text) : text;
}

#endif
