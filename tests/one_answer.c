/* SPDX-License-Identifier: MIT */
/* Exercises have one answer, over many rounds: what the key names stands where
 * the learner looks for it, and nothing else explains what is shown.
 *
 * ONE_ANSWER_ROUNDS=1000 tests/one_answer plays so many of each. */
#include "exercise_run.h"
#include "screen/answer.h"
#include "term/screen.h"
#include "text/notation.h"

enum { ROUNDS = 60 };

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
answer_with(struct tutor *t, const char *line, bool types)
{
    struct answer r;
    json_t *answer = NULL;
    struct err err;

    answer_begin(&r, seen(t), t);
    for (int i = 0; !types && i < PROMPT_REMEMBERED &&
                    strcmp(r.prompt.typed, line) != 0; i++)
        answer_key(&r, SCREEN_KEY_DOWN, &answer, &err);
    for (const char *c = line; types && *c != '\0'; c++)
        answer_key(&r, *c, &answer, &err);
    answer_key(&r, SCREEN_KEY_ENTER, &answer, &err);
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
        bool lost = strstr(seen(t)->page.text, "was taken away") != NULL;
        bool is = stands(s, place);

        listed += is;
        missing += lost && !is;
        if (!is && !lost)
            diag("round %d: %s is not listed", round, place);
        for (int types = 0; types <= 1; types++) {
            tutor_close(t);
            t = ask(path, 0, round);
            line = answer_with(t, place, types);
            give(t, line);
            *(types ? &typed : &found) += seen(t)->page.kind == PAGE_RIGHT;
            json_decref(line);
        }
        tutor_close(t);
        t = ask(path, 1, round);
        named += strstr(seen(t)->question.text, place) != NULL;
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

/* What the records say of an all-reduce in a ring: by GPU, the messages that it
 * has received; of the one that has stopped instead, how long that message was,
 * and for how much there was room. */
struct ring {
    int n, got[8], stopped, length, room;
};

static int
chunk_length(int count, int n, int chunk)
{
    return count / n + (chunk < count % n);
}

/* The same by a model of its own: what comes if one GPU gives another count. */
static struct ring
expect_ring(int n, int usual, int odd, int given)
{
    struct ring r = {.n = n, .stopped = -1};
    bool moved = true;

    while (moved) {
        moved = false;
        for (int to = 0; to < n; to++) {
            int from = (to + n - 1) % n, step = r.got[to];
            int chunk = ((from - step) % n + n) % n;
            int length = chunk_length(from == odd ? given : usual, n, chunk);
            int room = chunk_length(to == odd ? given : usual, n, chunk);
            if (to == r.stopped || step == 2 * (n - 1) || r.got[from] < step)
                continue;
            moved = true;
            if (length <= room)
                r.got[to]++;
            else if (r.stopped >= 0)
                return (struct ring){.n = -1}; /* two have stopped */
            else
                r.stopped = to, r.length = length, r.room = room;
        }
    }
    if (r.stopped >= 0)
        r.got[r.stopped] = 0;
    return r;
}

static bool
read_ring(const char *table, struct ring *r)
{
    const char *line = table;
    int rank, from;

    *r = (struct ring){.stopped = -1};
    for (; (line = strstr(line, "GPU ")) != NULL; line = strchr(line, '\n')) {
        if (sscanf(line, "GPU %d %*s stopped: %d elements from %d, room for "
                   "%d", &rank, &r->length, &from, &r->room) == 4)
            r->stopped = rank;
        else if (sscanf(line, "GPU %d %*s %d/", &rank, &r->got[r->n]) != 2)
            return false;
        r->n++;
        if (strchr(line, '\n') == NULL)
            break;
    }
    return r->stopped >= 0;
}

/* Which GPUs might be the one that gave another count: as bits. */
static unsigned
suspects(const struct ring *shown, int usual)
{
    enum { MOST = 40 }; /* elements */
    unsigned all = 0;

    for (int odd = 0; odd < shown->n; odd++)
        for (int given = 1; given <= MOST; given++) {
            struct ring r = expect_ring(shown->n, usual, odd, given);
            if (given != usual && memcmp(&r, shown, sizeof r) == 0)
                all |= 1u << odd;
        }
    return all;
}

/* Of one GPU that gave another count than the others, the records leave no
 * doubt which it is, as they say what the count should be. */
static void
test_counts(int rounds)
{
    enum { FIRST = 2, EVERY = 4, MOST = 40 };
    char *path = exercise("diagnose");
    int tasks = 0, one = 0, key = 0;

    for (int round = FIRST; round <= rounds; round += EVERY) {
        struct tutor *t = ask(path, 1, round);
        const char *of = strstr(seen(t)->question.text, "all-reduce of ");
        struct ring shown;
        unsigned all = 0;
        int usual = 0;
        json_t *truth;

        tasks += read_ring(seen(t)->picture.table, &shown);
        if (of != NULL)
            sscanf(of, "all-reduce of %d elements", &usual);
        for (int count = usual > 0 ? usual : 1;
             count <= (usual > 0 ? usual : MOST); count++)
            all |= suspects(&shown, count);
        truth = truth_of(t, 1);
        one += __builtin_popcount(all) == 1;
        key += (all >> json_integer_value(truth) & 1) != 0;
        if (__builtin_popcount(all) != 1)
            diag("round %d: GPUs %#x may be to blame: %s", round, all,
                 seen(t)->picture.table);
        json_decref(truth);
        tutor_close(t);
    }
    ok(tasks > rounds / 8, "diagnose: another count in %d rounds", tasks);
    is_int(key, tasks, "the GPU of the key might be to blame");
    is_int(one, tasks, "and no other");
    free(path);
}

/* Of the choices of a question one is right, and no other. */
static void
test_choices(const char *name, int question, int rounds)
{
    char *path = exercise(name);
    int one = 0;

    for (int round = 1; round <= rounds; round++) {
        int right = 0, choices = 0;
        for (int i = 1; i == 1 || i <= choices; i++) {
            struct tutor *t = ask(path, question, round);
            json_t *choice = json_integer(i);
            choices = seen(t)->question.nitems;
            give(t, choice);
            right += seen(t)->state == TUTOR_PAGE &&
                     seen(t)->page.kind == PAGE_RIGHT;
            json_decref(choice);
            tutor_close(t);
        }
        one += right == 1;
        if (right != 1)
            diag("round %d: %d of %d are right", round, right, choices);
    }
    is_int(one, rounds, "%s, question %d: one choice is right", name,
           question + 1);
    free(path);
}

int
main(void)
{
    const char *said = getenv("ONE_ANSWER_ROUNDS");
    int rounds = said != NULL ? atoi(said) : ROUNDS;

    tutor_begin();
    test_places(rounds);
    test_counts(rounds);
    test_choices("choose", 0, rounds / 4);
    test_choices("choose", 2, rounds / 16);
    test_choices("diagnose", 2, rounds / 16);
    lab_remove();
    return done_testing();
}
