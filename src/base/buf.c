/* SPDX-License-Identifier: MIT */
#include "base/buf.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void
buf_done(struct buf *buf)
{
    free(buf->data);
    *buf = (struct buf){0};
}

void
buf_clear(struct buf *buf)
{
    buf->length = 0;
    if (buf->data != NULL)
        buf->data[0] = '\0';
}

static void
reserve_bytes(struct buf *buf, size_t more)
{
    size_t need = buf->length + more + 1;

    if (need <= buf->capacity)
        return;
    buf->capacity = need < 64 ? 64 : need + need / 2;
    buf->data = mem_resize(buf->data, buf->capacity, 1);
}

void
buf_add(struct buf *buf, const void *bytes, size_t count)
{
    reserve_bytes(buf, count);
    if (count > 0)
        memcpy(buf->data + buf->length, bytes, count);
    buf->length += count;
    buf->data[buf->length] = '\0';
}

void
buf_puts(struct buf *buf, const char *text)
{
    buf_add(buf, text, strlen(text));
}

void
buf_putc(struct buf *buf, char c)
{
    buf_add(buf, &c, 1);
}

void
buf_vaddf(struct buf *buf, const char *format, va_list args)
{
    va_list again;
    int length;

    reserve_bytes(buf, 0);
    va_copy(again, args);
    length = vsnprintf(buf->data + buf->length, buf->capacity - buf->length,
                       format, again);
    va_end(again);
    assert(length >= 0);
    if ((size_t)length >= buf->capacity - buf->length) {
        reserve_bytes(buf, (size_t)length);
        vsnprintf(buf->data + buf->length, (size_t)length + 1, format, args);
    }
    buf->length += (size_t)length;
}

void
buf_addf(struct buf *buf, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    buf_vaddf(buf, format, args);
    va_end(args);
}

const char *
buf_text(const struct buf *buf)
{
    return buf->data != NULL ? buf->data : "";
}
