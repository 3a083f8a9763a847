/* SPDX-License-Identifier: MIT */
/* Locale and message catalogue. */
#ifndef BASE_LANGUAGE_H
#define BASE_LANGUAGE_H

#include "base/buf.h"
#include "base/err.h"

/* Sets the locale from the environment, and the language of messages from
 * `lang` ("zh_CN", "en", or NULL).  If no such locale is installed, uses
 * C.UTF-8 with LANGUAGE set.  Numbers keep the format of the C locale. */
bool language_init(const char *lang, struct err *err);

/* The available languages, by index from 0; NULL after the last.  The first is
 * the language of the source. */
const char *language_at(int index);

/* Whether there is a catalogue for the current language. */
bool language_has_catalogue(void);

/* The folder of the catalogues. */
const char *language_directory(void);

/* Whether the terminal is expected to use UTF-8. */
bool language_is_utf8(void);

#endif
