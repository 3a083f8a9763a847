/* SPDX-License-Identifier: MIT */
/* Exercises have one answer, over many rounds: what the key names stands where
 * the learner looks for it, and nothing else explains what is shown.
 *
 * ONE_ANSWER_ROUNDS=1000 tests/one_answer plays so many of each. */
#include "exercise_run.h"
#include "screen/reply.h"
#include "term/screen.h"
#include "text/notation.h"

enum { ROUNDS = 200 };

/* Whether a place stands in a run's schedule. */
static bool
stands(const struct schedule *s, const char *text)
{
    struct notation n = notation_for(s);
    struct change_place p;
    const struct transfer *t;
    struct err err;
    size_t count;

    n.nsteps = s->nsteps;
    if (!change_place_read(&n, text, &p, &err))
        return false;
    t = schedule_transfers(s, p.step, &count);
    while (count > 0 && (t->src != p.src || t->dst != p.dst))
        t++, count--;
    return count > 0;
}

/* Goes down through the places until the line is this one, or types it. */
static json_t *
reply_with(struct tutor *t, const char *line, bool types)
{
    struct reply r;
    json_t *answer = NULL;
    struct err err;

    reply_begin(&r, t);
    for (int i = 0; !types && i < PROMPT_REMEMBERED &&
                    strcmp(r.prompt.typed, line) != 0; i++)
        reply_key(&r, SCREEN_KEY_DOWN, &answer, &err);
    for (const char *c = line; types && *c != '\0'; c++)
        reply_key(&r, *c, &answer, &err);
    reply_key(&r, SCREEN_KEY_ENTER, &answer, &err);
    return answer;
}

/* Where the fault is in a broken run is one of the transfers that are listed,
 * by its step there, and can be typed and found with the arrows; only one that
 * is missing has to be typed.  The other question of the round names it so. */
static void
test_places(int rounds)
{
    char *path = exercise("repair");
    int listed = 0, missing = 0, typed = 0, found = 0, named = 0;

    for (int round = 1; round <= rounds; round++) {
        struct tutor *t = ask(path, 0, round);
        const struct schedule *s = schedule_share(tutor_world(t)->schedule);
        json_t *truth = truth_of(t, 0), *line;
        const char *place = json_string_value(truth);
        bool lost = strstr(t->page.text, "was taken away") != NULL;
        bool is = stands(s, place);

        listed += is;
        missing += lost && !is;
        if (!is && !lost)
            diag("round %d: %s is not listed", round, place);
        for (int types = 0; types <= 1; types++) {
            tutor_close(t);
            t = ask(path, 0, round);
            line = reply_with(t, place, types);
            give(t, line);
            *(types ? &typed : &found) += t->page.kind == PAGE_RIGHT;
            json_decref(line);
        }
        tutor_close(t);
        t = ask(path, 1, round);
        named += strstr(t->quiz.text, place) != NULL;
        tutor_close(t);
        json_decref(truth);
        schedule_free((struct schedule *)s);
    }
    is_int(listed + missing, rounds, "repair: the fault is in the list");
    ok(missing * 4 < rounds, "or missing there: %d", missing);
    is_int(typed, rounds, "its place can be typed");
    is_int(found, listed, "or found with the arrows");
    is_int(named, rounds, "the next question names the same");
    free(path);
}

int
main(void)
{
    const char *said = getenv("ONE_ANSWER_ROUNDS");
    int rounds = said != NULL ? atoi(said) : ROUNDS;

    tutor_begin();
    test_places(rounds);
    lab_remove();
    return done_testing();
}
