/* SPDX-License-Identifier: MIT */
/* Locale and message catalogue. */
#ifndef BASE_LANGUAGE_H
#define BASE_LANGUAGE_H

#include "base/buf.h"
#include "base/err.h"

/* Sets the locale from the environment, and from `lang` ("zh_CN", "en", or
 * NULL) the language of messages, also where no such locale is installed: then
 * C.UTF-8 with LANGUAGE set. Numbers stay those of the C locale. */
bool language_init(const char *lang, struct err *err);

/* The languages there are, by index from 0; NULL behind the last. The first
 * one is the source's. */
const char *language_at(int index);

/* Whether there is a catalogue of the language that is set. */
bool language_has_catalogue(void);

/* Where catalogues are looked for. */
const char *language_directory(void);

/* Whether the terminal is expected to take UTF-8. */
bool language_is_utf8(void);

#endif
