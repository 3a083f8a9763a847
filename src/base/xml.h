/* SPDX-License-Identifier: MIT */
/* Writing text into XML. */
#ifndef BASE_XML_H
#define BASE_XML_H

#include "base/buf.h"

/* Appends a text as it is shown (base/utf8.h), as content or as the value of an
 * attribute in double quotes. */
void xml_add(struct buf *out, const char *text);

#endif
