/* SPDX-License-Identifier: MIT */
#include "web/packet.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"

enum { WINDOW_BITS = 15, MEMORY_LEVEL = 8 }; /* zlib's own */

/* An empty block ends it at a whole byte. */
static void
add_compressed(struct buf *data, const struct buf *text)
{
    z_stream z = {.next_in = (unsigned char *)buf_text(text),
                  .avail_in = (uInt)text->length};
    unsigned char some[1 << 12];

    if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -WINDOW_BITS,
                     MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
        die("out of memory");
    do {
        z.next_out = some;
        z.avail_out = sizeof some;
        deflate(&z, Z_SYNC_FLUSH);
        buf_add(data, (char *)some, sizeof some - z.avail_out);
    } while (z.avail_out == 0);
    deflateEnd(&z);
}

/* Takes the text over. */
static struct packet *
packet_new(struct buf *text, bool gzip, bool is_first)
{
    /* RFC 1952: deflated, no name, no time, an unknown system. */
    static const char header[] = {0x1f, (char)0x8b, 8, 0, 0,
                                  0,    0,          0, 0, (char)255};
    struct packet *p = mem_new(1, sizeof *p);

    p->gzip = gzip;
    p->users = 1;
    if (gzip && is_first)
        buf_add(&p->data, header, sizeof header);
    if (gzip)
        add_compressed(&p->data, text);
    else
        p->data = *text, *text = (struct buf){0};
    return p;
}

struct packet *
packet_ping(bool gzip)
{
    OWN(buf) text = {0};

    buf_puts(&text, ":\n\n");
    return packet_new(&text, gzip, false);
}

static bool
has_same_events(const struct serve_follower *a, const struct serve_follower *b)
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

    while (p != NULL && (p->gzip != gzip || !has_same_events(&p->from, f)))
        p = p->next;
    if (p == NULL) {
        struct serve_follower from = *f;
        serve_add_events(s, f, &text);
        if (text.length == 0)
            return NULL;
        p = packet_new(&text, gzip, from.page == 0);
        p->from = from;
        p->to = *f;
        p->next = *all;
        *all = p;
    }
    *f = p->to;
    p->users++;
    return p;
}

void
packet_release(struct packet *p)
{
    if (p == NULL || --p->users > 0)
        return;
    buf_done(&p->data);
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
