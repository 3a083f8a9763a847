/* SPDX-License-Identifier: MIT */
/* What has come of a lesson so far, by its questions, which count from 0; also
 * of those that are skipped. */
#ifndef TUTOR_RECORD_H
#define TUTOR_RECORD_H

#include <jansson.h>
#include <stdbool.h>

struct record {
    json_t *answers; /* a list of what was answered, by question (struct
                      * attempt of lesson/attempt.h) */
    json_t *truths;  /* the right answer to each; null: no run was asked */
    json_t *missed;  /* the questions that were not answered right at once and
                      * without hints */
    json_t *offered; /* the questions that the script can ask for another N or
                      * root */
    int predicted, right; /* numbers of predictions, and of those that were
                           * right at once, without hints */
    json_t *terms; /* an object: its keys are what pages have explained */
    json_t *untranslated; /* [line, text] of texts that are missing in the
                           * catalogue, up to a limit */
};

void record_init(struct record *r);
void record_done(struct record *r);

/* The number of questions that were answered. */
size_t record_count(const struct record *r);

/* The right answer to the last of them. */
const json_t *record_truth(const struct record *r);

/* Adds the right answer to a prediction, and whether the learner gave it at
 * once, without hints; `asked`: it was not skipped. */
void record_reveal(struct record *r, json_t *truth, bool asked, bool right);

#endif
