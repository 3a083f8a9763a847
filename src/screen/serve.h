/* SPDX-License-Identifier: MIT */
/* Browsers that follow the screen: they see what it shows, as it changes, and a
 * class answers questions in them.
 *
 *     serve = serve_open("127.0.0.1:8017", &err);
 *     screen_follow(screen, serve, serve_fd(serve));
 *     serve_show(serve, &canvas);            after each frame (screen/stage.c)
 *     serve_page(serve, &page);              at each page of a lesson
 *     n = serve_votes(serve, votes, most, &voters);
 *     serve_close(serve);
 *
 * A thread of its own, which libmicrohttpd lends its hands, talks to browsers.
 * The functions here give it copies, under a lock that is held for no longer
 * than a copy takes, so no browser ever holds the screen up.  The thread turns
 * frames into SVG, and only if somebody follows.  A follower is sent the rows
 * that have changed since it was last sent some: a slow one misses frames, and
 * costs at most one frame of memory.
 *
 *     GET  /              the page; before the code was given, a form for it
 *     GET  /events        server-sent events: picture, rows, page
 *     POST /join?code=    the code; the cookie that it gives stands for it then
 *     POST /vote?question=&answer=
 *     GET  /notes?key=    the speaker's page, whose address is a secret
 *     GET  /notes/events?key=      the same, with the event notes
 *
 * What a browser sends is never trusted: an answer is parsed at once, as it
 * would be at the keys (lesson/quiz.h), and nothing else of it is kept. */
#ifndef SCREEN_SERVE_H
#define SCREEN_SERVE_H

#include "draw/canvas.h"
#include "lesson/quiz.h"

struct serve;

/* Listens at ADDRESS:PORT (play/parse.h); "": 127.0.0.1 at our own port.
 * Whoever follows from another machine needs a code.  Returns NULL, with the
 * reason in *err, if that cannot be. */
struct serve *serve_open(const char *where, struct err *err);
void serve_close(struct serve *s);

/* Whether this collviz was built with libmicrohttpd; the text says so. */
bool serve_can(const char **text);

/* Appends the address and the code as a sentence; `once`, for the screen:
 * unless it has been said so before, and then returns false. */
bool serve_announce(struct serve *s, bool once, struct buf *out);

/* Appends the address of the notes, which is for the speaker alone. */
void serve_add_notes_address(const struct serve *s, struct buf *out);

/* Appends the code, and how many follow or, while a question is open, have
 * answered it: "K7XQ2M  12 of 30 answered". */
void serve_add_status(struct serve *s, struct buf *out);

/* Readable when there are other followers or votes, a few times a second at
 * most; serve_news() empties it. */
int serve_fd(const struct serve *s);
void serve_news(struct serve *s);

/* Shows a frame; one that is the same as before costs nothing. */
void serve_show(struct serve *s, const struct canvas *c);

/* Gives followers the page of a lesson in words, for phones, and opens its
 * question for votes, the only one that is; those for another one are gone.
 * NULL: there is no lesson. */
struct serve_page {
    const char *title, *text;
    const struct quiz *question; /* NULL: none; votes for the last one stay */
};
void serve_page(struct serve *s, const struct serve_page *page);

/* Shows the speaker's notes: members of an object, as JSON. */
void serve_notes(struct serve *s, const char *json);

/* The answers to the question that was asked last, the most frequent first, and
 * how many have answered.  A choice is its number from 1, a rank its number,
 * anything else as quiz_answer_text() writes it.  Returns how many different
 * ones there are, `most` at most. */
enum { SERVE_ANSWER = 200 }; /* a complete sum of all ranks with letters */
struct serve_vote {
    char answer[SERVE_ANSWER];
    int count;
};
int serve_votes(struct serve *s, struct serve_vote *votes, int most,
                int *voters);

#endif
