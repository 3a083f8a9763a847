/* SPDX-License-Identifier: MIT */
/* Text for people: _() translates it; N_() marks a text that is translated
 * later. */
#ifndef BASE_TRANSLATE_H
#define BASE_TRANSLATE_H

#include <libintl.h>

#define _(text) gettext(text)
#define N_(text) text

/* Translates a text that comes from a file and may be empty: for an empty text
 * gettext() would return the catalogue's header. */
static inline const char *
translated(const char *text)
{
    return text[0] != '\0' ? gettext(text) : text;
}

#endif
