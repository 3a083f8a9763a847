/* SPDX-License-Identifier: MIT */
/* The votes for a question: the last one of each voter.
 *
 *     ballot_ask(&b, question);              NULL: what was asked is closed
 *     ballot_take(&b, number, voter, "2", &text);
 *     n = ballot_count(&b, votes, most);
 *     ballot_done(&b);
 *
 * An answer is parsed at once, as it would be at the keys (lesson/quiz.h), and
 * nothing else of it is kept.  What votes cost is bounded, and so is what
 * can be voted from one address. */
#ifndef SCREEN_BALLOT_H
#define SCREEN_BALLOT_H

#include "screen/serve.h"

enum { BALLOT_MOST = 1000 };

struct ballot {
    struct quiz asked;   /* the last question, without its texts */
    unsigned question;   /* its number */
    bool open;
    struct vote *votes;  /* BALLOT_MOST */
    int count;           /* voters */
};

void ballot_init(struct ballot *b, unsigned question);
void ballot_done(struct ballot *b);

/* Asks a question: votes for the one before are gone.  NULL: closes the
 * question, whose votes stay.  Returns whether votes are taken; those for an
 * order or a wiring are not. */
bool ballot_ask(struct ballot *b, const struct quiz *q);

/* Takes a vote, or another one of the same voter.  Sets the text: the answer as
 * people write it, or why it was refused. */
enum serve_vote_end ballot_take(struct ballot *b, const char *question,
                                const struct serve_voter *voter,
                                const char *typed, struct buf *text);

/* As serve_votes(). */
int ballot_count(const struct ballot *b, struct serve_vote *votes, int most);

#endif
