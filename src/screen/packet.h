/* SPDX-License-Identifier: MIT */
/* Events as they go over the wire.  Followers that have the same and are sent
 * the same share one packet, so a frame is written, and compressed, once.
 *
 * A compressed packet is a run of deflate blocks that refers to nothing before
 * it, so it may follow any other one; a stream of gzip begins with that of
 * packet_begin(), and never ends.  (Browsers stop at the end of the first
 * member of a gzip.) */
#ifndef SCREEN_PACKET_H
#define SCREEN_PACKET_H

#include "screen/http.h"

struct packet {
    struct packet *next;
    struct serve_follower from, to; /* what its receivers have before, then */
    bool gzip;
    int users;
    size_t length;
    unsigned char *data;
};

/* The beginning of a stream, and a comment, which says nothing. */
struct packet *packet_begin(bool gzip);
struct packet *packet_ping(bool gzip);

/* What this follower has not been sent, or NULL; *f has it then.  Either it is
 * one of `all`, or it is made and put there. */
struct packet *packet_next(struct packet **all, struct serve *s,
                           struct serve_follower *f, bool gzip);

/* For one more who is sent it; each of them releases it. */
struct packet *packet_share(struct packet *p);
void packet_release(struct packet *p);

/* Forgets all, as there is something new. */
void packets_forget(struct packet **all);

#endif
