/* SPDX-License-Identifier: MIT */
#include "screen/ballot.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/translate.h"
#include "play/parse.h"
#include "screen/secret.h"

struct vote {
    char voter[SECRET_LETTERS];
    unsigned place; /* the voter's */
    char answer[SERVE_ANSWER];
};

void
ballot_init(struct ballot *b, unsigned question)
{
    *b = (struct ballot){.question = question};
    b->votes = mem_new(BALLOT_MOST, sizeof *b->votes);
}

void
ballot_done(struct ballot *b)
{
    free(b->votes);
}

bool
ballot_ask(struct ballot *b, const struct quiz *q)
{
    b->open = q != NULL &&
              (q->kind == QUIZ_CHOICE || q->kind == QUIZ_NUMBER ||
               q->kind == QUIZ_LABEL || q->kind == QUIZ_RANK);
    if (q != NULL)
        b->count = 0; /* also where nobody can vote on this one */
    if (b->open) {
        b->asked = *q;
        b->question++;
    }
    return b->open;
}

/* Reads what a browser says: a choice by its place, from 1. */
static bool
read_answer(const struct quiz *q, const char *typed, struct buf *answer,
            struct err *err)
{
    bool chosen = q->kind == QUIZ_CHOICE, numbered = q->kind == QUIZ_RANK;
    json_auto_t *value = NULL;
    int n = 0;

    if (strlen(typed) >= SERVE_ANSWER)
        return err_set(err, "%s", _("This answer is too long."));
    if ((chosen || numbered) &&
        !parse_int(_("answer"), typed, chosen,
                   chosen ? q->nitems : q->nranks - 1, &n, err))
        return false;
    value = chosen || numbered ? json_integer(n) : quiz_parse(q, typed, err);
    if (value == NULL)
        return false;
    if (chosen)
        buf_addf(answer, "%c)", 'a' + n - 1);
    else
        quiz_answer_text(q, value, answer);
    return answer->length < SERVE_ANSWER ||
           err_set(err, "this answer is too long");
}

/* The voter's vote, or the end of the list. */
static struct vote *
find_vote(struct ballot *b, const struct serve_voter *voter)
{
    int i = 0;

    while (i < b->count &&
           memcmp(b->votes[i].voter, voter->id, SECRET_LETTERS) != 0)
        i++;
    return &b->votes[i];
}

/* Whether there may be one more vote from that place. */
static bool
may_add_vote(const struct ballot *b, const struct serve_voter *voter)
{
    int here = 0;

    for (int i = 0; i < b->count; i++)
        here += b->votes[i].place == voter->place;
    return b->count < BALLOT_MOST && here < voter->most;
}

enum serve_vote_end
ballot_take(struct ballot *b, const char *question,
            const struct serve_voter *voter, const char *typed,
            struct buf *text)
{
    struct vote *vote = find_vote(b, voter), *end = &b->votes[b->count];
    struct err err;
    char number[16];

    snprintf(number, sizeof number, "%u", b->question);
    if (!b->open || strcmp(question, number) != 0)
        return VOTE_CLOSED;
    if (!read_answer(&b->asked, typed, text, &err)) {
        buf_clear(text);
        buf_puts(text, err.text);
        return VOTE_REFUSED;
    }
    if (vote == end && !may_add_vote(b, voter)) {
        buf_clear(text);
        buf_puts(text, _("There are too many votes."));
        return VOTE_REFUSED;
    }
    memcpy(vote->voter, voter->id, SECRET_LETTERS);
    memcpy(vote->answer, buf_text(text), text->length + 1);
    b->count += vote == end;
    vote->place = voter->place;
    return VOTE_KEPT;
}

static int
compare_counts(const void *one, const void *other)
{
    const struct serve_vote *a = one, *b = other;

    return b->count != a->count ? b->count - a->count
                                : strcmp(a->answer, b->answer);
}

int
ballot_count(const struct ballot *b, struct serve_vote *votes, int most)
{
    OWN_MEMORY struct serve_vote *all =
        mem_new((size_t)b->count + QUIZ_ITEMS, sizeof *all);
    bool chosen = b->asked.kind == QUIZ_CHOICE && b->count > 0;
    int count = 0;

    for (; chosen && count < b->asked.nitems; count++)
        snprintf(all[count].answer, SERVE_ANSWER, "%c)", 'a' + count);
    for (int i = 0; i < b->count; i++) {
        int k = 0;
        while (k < count && strcmp(all[k].answer, b->votes[i].answer) != 0)
            k++;
        memcpy(all[k].answer, b->votes[i].answer, SERVE_ANSWER);
        all[k].count++;
        count += k == count;
    }
    if (!chosen)
        qsort(all, (size_t)count, sizeof *all, compare_counts);
    count = count < most ? count : most;
    memcpy(votes, all, (size_t)count * sizeof *all);
    return count;
}
