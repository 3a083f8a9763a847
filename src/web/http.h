/* SPDX-License-Identifier: MIT */
/* The requests of browsers that follow (web/serve.h): who may come in, and
 * what each is sent.  A thread of ours answers them, with libmicrohttpd.  What
 * they may cost: web/visitors.h; what goes over the wire: web/packet.h.
 *
 *     GET  /              the page; before the code was given, a form for it
 *     GET  /events        server-sent events: picture, rows, page
 *     POST /join?code=    the code, for an id
 *     POST /vote?question=&answer=
 *     GET  /notes?key=    a cookie for the key, and the way to /notes
 *     GET  /notes         the speaker's page, for those who have that cookie
 *     GET  /notes/events  the same as /events, with the event notes
 *
 * A browser has an id in a cookie (web/secret.h), which says that it has
 * given the code, where one is needed, and whose vote is whose.
 *
 * Built without libmicrohttpd and zlib, http_open() fails. */
#ifndef WEB_HTTP_H
#define WEB_HTTP_H

#include "web/serve.h"

enum { HTTP_CODE = 6 };

struct http;
struct http_place {
    char address[128], notes[192]; /* the page's, and the speaker's */
    char code[HTTP_CODE + 1]; /* "": none is needed */
    int news_fd; /* readable, a few times a second at most, when followers or
                  * votes have changed */
};

#ifdef HAVE_MICROHTTPD

/* Listens as serve_open() says.  Fills *place, which must outlive it. */
struct http *http_open(const char *where, struct serve *s,
                       struct http_place *place, struct err *err);
void http_close(struct http *h);

/* There is something new to show. */
void http_wake(struct http *h);

#else

static inline struct http *
http_open(const char *where, struct serve *s, struct http_place *place,
          struct err *err)
{
    (void)where, (void)s, (void)place;
    err_set(err, "--serve: this collviz was built without libmicrohttpd and "
            "zlib, so no browser can follow");
    return NULL;
}

static inline void
http_close(struct http *h)
{
    (void)h;
}

static inline void
http_wake(struct http *h)
{
    (void)h;
}

#endif

/* What that thread asks of serve.c. */

/* Takes over what the screen shows now, as far as it has changed. */
void serve_refresh(struct serve *s);

/* Appends the events that a follower has not been sent.  *f is all zero at
 * first. */
struct serve_follower {
    bool speaker; /* is sent the notes, and is none of the class */
    unsigned frame, page, note; /* the last ones that it has got */
};
void serve_add_events(struct serve *s, struct serve_follower *f,
                      struct buf *out);

/* Adds to the number of followers that are not the speaker. */
void serve_count(struct serve *s, int by);

/* Whoever votes: an id of SECRET_LETTERS (web/secret.h), and where they are,
 * from where so many may vote at most. */
struct serve_voter {
    const char *id;
    unsigned place;
    int most;
};
enum { SERVE_VOTES_MOST = 1000 };

/* Takes a vote, or another one of the same voter.  Sets the text: the answer as
 * people write it, or why it was refused. */
enum serve_vote_end { VOTE_KEPT, VOTE_REFUSED, VOTE_CLOSED };
enum serve_vote_end serve_take_vote(struct serve *s, const char *question,
                                    const struct serve_voter *voter,
                                    const char *typed, struct buf *text);

#endif
