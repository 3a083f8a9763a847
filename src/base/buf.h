/* SPDX-License-Identifier: MIT */
/* A growing piece of text, always terminated:
 *
 *     OWN(buf) line = {0};                  freed where the block ends
 *     buf_addf(&line, "step %d", step);
 *     fputs(buf_text(&line), out);
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>

#include "base/mem.h"

struct buf {
    char *data;
    size_t length; /* bytes, without the terminator */
    size_t capacity;
};

void buf_done(struct buf *buf);
void buf_clear(struct buf *buf);
void buf_add(struct buf *buf, const void *bytes, size_t count);
void buf_puts(struct buf *buf, const char *text);
void buf_putc(struct buf *buf, char c);
void buf_addf(struct buf *buf, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void buf_vaddf(struct buf *buf, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

/* The text so far, "" if nothing was added; valid until the next call. */
const char *buf_text(const struct buf *buf);

#endif
