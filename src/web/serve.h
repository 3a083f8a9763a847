/* SPDX-License-Identifier: MIT */
/* Browsers that follow the screen: they see what it shows, as it changes, and a
 * class answers questions in them.
 *
 *     serve = serve_open("127.0.0.1:8017", &err);
 *     screen_follow(screen, serve, serve_fd(serve));
 *     serve_show(serve, &canvas);            after each frame (screen/window.c)
 *     serve_page(serve, &page);              at each page of a lesson
 *     n = serve_votes(serve, votes, most, &voters);
 *     serve_close(serve);
 *
 * Functions give copies to the thread of web/http.c, under a lock that is
 * never held while anything is sent or waited for, so no browser ever holds the
 * screen up.
 * The thread turns frames into SVG, and only if somebody follows.  A follower
 * is sent the rows that have changed since it was last sent some: a slow one
 * misses frames, and costs at most one frame of memory.
 *
 * What a browser sends is never trusted: an answer is parsed at once, as it
 * would be at the keys (tutor/question.h), and nothing else of it is kept.
 * What browsers may cost: web/visitors.h. */
#ifndef WEB_SERVE_H
#define WEB_SERVE_H

#include "draw/canvas.h"
#include "tutor/question.h"

struct serve;

/* Listens at ADDRESS:PORT (play/parse.h); "": 127.0.0.1 at our own port.
 * Whoever follows from another machine needs a code.  Returns NULL, with the
 * reason in *err, if that cannot be. */
struct serve *serve_open(const char *where, struct err *err);
void serve_close(struct serve *s);

/* Appends the address and the code as a sentence; `once`, for the screen:
 * unless it has been said so before, and then returns false. */
bool serve_announce(struct serve *s, bool once, struct buf *out);

/* The address of the notes, which is for the speaker alone. */
const char *serve_notes_address(const struct serve *s);

/* Appends the code, and how many follow or, while a question is open, have
 * answered it: "K7XQ2M  12 of 30 answered". */
void serve_add_status(struct serve *s, struct buf *out);

/* An eventfd(), readable when followers or votes have changed, a few times a
 * second at most. */
int serve_fd(const struct serve *s);

/* Shows a frame; one that is the same as before costs nothing. */
void serve_show(struct serve *s, const struct canvas *c);

/* Gives followers the page of a lesson in words, for phones, and opens its
 * question for votes, the only one that is; those for another one are gone.
 * NULL: there is no lesson. */
struct serve_page {
    const char *title, *text;
    const struct question *question; /* NULL: none; votes for the last one
                                      * stay */
    json_t *poll; /* what came of it, which is taken over; NULL: nothing */
};
void serve_page(struct serve *s, const struct serve_page *page);

/* Shows the speaker's notes: members of an object, or null.  Takes them
 * over. */
void serve_notes(struct serve *s, json_t *notes);

/* The answers to the question that was asked last, as people write them, and
 * how many have answered: if anybody has, all choices as they stand, "a)", or
 * the most frequent ones first.  Returns how many different ones there are,
 * `most` at most. */
enum { SERVE_ANSWER = 200 }; /* a complete sum of all ranks with letters */
struct serve_vote {
    char answer[SERVE_ANSWER];
    int count;
};
int serve_votes(struct serve *s, struct serve_vote *votes, int most,
                int *voters);

#endif
