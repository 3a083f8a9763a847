/* SPDX-License-Identifier: MIT */
#include "screen/packet.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"

enum { WINDOW_BITS = 15, MEMORY_LEVEL = 8 }; /* zlib's own */

/* An empty block ends it at a whole byte. */
static void
compress_text(const struct buf *text, struct packet *p)
{
    z_stream z = {.next_in = (unsigned char *)buf_text(text),
                  .avail_in = (uInt)text->length};
    uLong most;

    if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -WINDOW_BITS,
                     MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
        die("out of memory");
    most = deflateBound(&z, (uLong)text->length) + 16;
    p->data = mem_new(most, 1);
    z.next_out = p->data;
    z.avail_out = (uInt)most;
    deflate(&z, Z_SYNC_FLUSH);
    p->length = most - z.avail_out;
    deflateEnd(&z);
}

static struct packet *
packet_new(const struct buf *text, bool gzip)
{
    struct packet *p = mem_new(1, sizeof *p);

    p->gzip = gzip;
    p->users = 1;
    if (gzip) {
        compress_text(text, p);
        return p;
    }
    p->length = text->length;
    p->data = mem_new(text->length, 1);
    memcpy(p->data, text->data, text->length);
    return p;
}

struct packet *
packet_begin(bool gzip)
{
    /* RFC 1952: deflated, no name, no time, an unknown system. */
    static const unsigned char header[] = {0x1f, 0x8b, 8, 0, 0,
                                           0,    0,    0, 0, 255};
    OWN(buf) text = {0};
    struct packet *p;
    unsigned char *data;

    buf_puts(&text, "retry: 2000\n\n");
    p = packet_new(&text, gzip);
    if (!gzip)
        return p;
    data = mem_new(sizeof header + p->length, 1);
    memcpy(data, header, sizeof header);
    memcpy(data + sizeof header, p->data, p->length);
    free(p->data);
    p->data = data;
    p->length += sizeof header;
    return p;
}

struct packet *
packet_ping(bool gzip)
{
    OWN(buf) text = {0};

    buf_puts(&text, ":\n\n");
    return packet_new(&text, gzip);
}

static bool
has_same(const struct serve_follower *a, const struct serve_follower *b)
{
    return a->speaker == b->speaker && a->frame == b->frame &&
           a->page == b->page && a->note == b->note;
}

struct packet *
packet_next(struct packet **all, struct serve *s, struct serve_follower *f,
            bool gzip)
{
    OWN(buf) text = {0};
    struct packet *p = *all;

    while (p != NULL && (p->gzip != gzip || !has_same(&p->from, f)))
        p = p->next;
    if (p == NULL) {
        struct serve_follower from = *f;
        serve_add_events(s, f, &text);
        if (text.length == 0)
            return NULL;
        p = packet_new(&text, gzip);
        p->from = from;
        p->to = *f;
        p->next = *all;
        *all = p;
    }
    *f = p->to;
    return packet_share(p);
}

struct packet *
packet_share(struct packet *p)
{
    p->users++;
    return p;
}

void
packet_release(struct packet *p)
{
    if (p == NULL || --p->users > 0)
        return;
    free(p->data);
    free(p);
}

void
packets_forget(struct packet **all)
{
    while (*all != NULL) {
        struct packet *p = *all;
        *all = p->next;
        packet_release(p);
    }
}
