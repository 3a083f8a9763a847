/* SPDX-License-Identifier: MIT */
/* Events as they go over the wire.  Followers that have the same and are sent
 * the same share one packet, so a frame is written, and compressed, once.
 *
 * A compressed packet is a run of deflate blocks that refers to nothing before
 * it, so it may follow any other one; the header of the stream precedes the
 * first, and it never ends.  (Browsers stop at the end of the first
 * member of a gzip.) */
#ifndef WEB_PACKET_H
#define WEB_PACKET_H

#include "web/http.h"

struct packet {
    struct packet *next;
    struct serve_follower from, to; /* what its receivers have before, then */
    bool gzip;
    int users;
    struct buf data;
};

/* A comment, which says nothing. */
struct packet *packet_ping(bool gzip);

/* Returns a packet of what this follower has not been sent, or NULL, and notes
 * in *f that it has it.  The packet is one of `all`, or is made and put
 * there. */
struct packet *packet_next(struct packet **all, struct serve *s,
                           struct serve_follower *f, bool gzip);

/* Each follower that was sent a packet releases it. */
void packet_release(struct packet *p);

/* Forgets all, as there is something new. */
void packets_forget(struct packet **all);

#endif
