/* SPDX-License-Identifier: MIT */
/* Connections of browsers, and where they come from: what each place may cost.
 * A class may stand behind one address, so limits are those of many browsers,
 * and what one of them does wrong has none of the others refused.
 *
 * A place is an IPv4 address or an IPv6 network of 64 bits.  Places are slots
 * of a table that a keyed hash chooses, so nobody can aim at another's slot.
 *
 * A connection has so many seconds for a whole request, fewer the more
 * connections there are, and then as many until the next request.  A stream of
 * events may take as long as it likes.
 *
 * Wrong codes slow a place down: each of its guesses is answered, the
 * right code too, but its turn comes 10 ms after each wrong one
 * before it.  As each connection waits for its own answer, one who mistypes
 * beside those who try all codes waits for a few seconds.
 *
 *     visitors_init(&v, 512);
 *     visitors_admits(&v, address)                       before each connection
 *     visitor = visitors_add(&v, connection);
 *     ... visitor_rests(), visitor_streams(), visitor_guesses()
 *     visitors_remove(&v, visitor);
 *     next_ns = visitors_tick(&v, now);                  when to do so again
 *
 * A connection that has nothing to do is suspended. */
#ifndef WEB_VISITORS_H
#define WEB_VISITORS_H

#include <microhttpd.h>

#include "web/packet.h"
#include "web/secret.h"

enum { VISITORS_PLACES = 16384 };

struct place {
    int connections, streams;
    int most_streams;    /* that there were at once */
    int64_t quiet_ns;    /* when the next guess is answered */
};

struct visitor {
    struct visitor *next, **from;
    struct MHD_Connection *connection;
    struct place *place;
    int fd;
    int64_t since_ns; /* has owed us a request since then, unless it streams */
    int64_t turn_ns;  /* when its guess is answered; 0: it has made none */
    bool right;       /* its guess */
    bool suspended;   /* a guess until its turn, a stream until there is more */
    bool streams;
    /* Of a stream, and of web/http.c alone. */
    struct http *http;
    char id[SECRET_LETTERS + 1]; /* "": the speaker */
    struct serve_follower has;
    bool gzip;
    bool pinged; /* is to be sent something, if only a comment */
    bool gone;
    struct packet *out; /* what it is being sent, from `at` on, or NULL */
    size_t at;
};

struct visitors {
    struct visitor *first;
    int count, most, streams;
    struct secret_key key; /* of ids, too */
    struct place places[VISITORS_PLACES];
};

/* For `most` connections; *all is all zero. */
void visitors_init(struct visitors *all, int most);

/* Whether one more may come from there. */
bool visitors_admits(struct visitors *all, const struct sockaddr *from);

/* A connection has begun, and has ended. */
struct visitor *visitors_add(struct visitors *all, struct MHD_Connection *c);
void visitors_remove(struct visitors *all, struct visitor *v);

/* A request of it has been answered. */
void visitor_rests(struct visitor *v);

/* It begins a stream of events, which ends with it.  False: there are too many,
 * as some connections are kept for requests. */
bool visitor_streams(struct visitors *all, struct visitor *v);

/* How many votes may come from its place: people whose phones sleep have no
 * stream, so there may be twice as many as there have been streams at once. */
int visitor_votes_most(const struct visitor *v);

/* It guesses the code, rightly or not.  Returns whether its guess is answered
 * now; if not, its connection is suspended until then. */
bool visitor_guesses(struct visitor *v, bool right, int64_t now);

/* Ends connections that owe a request for too long, and resumes those whose
 * turn has come.  Returns when to do so again. */
int64_t visitors_tick(struct visitors *all, int64_t now);

/* Suspends a connection; resumes it, if it is suspended; resumes all streams,
 * and all guesses whose turn is not after `now`. */
void visitor_suspend(struct visitor *v);
void visitor_resume(struct visitor *v);
void visitors_wake(struct visitors *all, int64_t now);

#endif
