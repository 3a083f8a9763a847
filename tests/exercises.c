/* SPDX-License-Identifier: MIT */
/* The exercises, as they are practised: each question of each in many rounds.
 * The right answer is accepted, and so is another way to wire; wrong ones are
 * met with a reason that the script computes; rounds differ.
 *
 * EXERCISE_ROUNDS=30 tests/exercises plays so many of each. */
#include <stdlib.h>

#include "exercise_run.h"
#include "text/notation.h"
#include "tutor/exam.h"

enum { ROUNDS = 5, WRONG = 3 };

struct rounds_tally {
    int rounds, accepted, objected, refused, kept, distinct;
};

/* The n-th wrong answer to a question; NULL: it is right. */
static json_t *
wrong(const struct question *q, const json_t *truth, int n)
{
    static const char *const places[] = {"step 1, 0>1", "step 2, 2>1",
                                         "step 2, 1>2"};
    static const char *const mends[] = {"-", "2>1 +0", "step 1"};
    json_int_t is = json_integer_value(truth);
    json_t *v = NULL;

    switch (q->kind) {
    case QUIZ_TRANSFER:
        v = json_string(places[n]);
        break;
    case QUIZ_MEND:
        v = json_string(mends[n]);
        break;
    case QUIZ_NUMBER:
        v = json_real(json_number_value(truth) * (n == 0   ? 1.3
                                                  : n == 1 ? 0.7
                                                           : 12) +
                      (json_number_value(truth) == 0));
        break;
    case QUIZ_LINE:
        v = json_integer((is + n) % q->nrows + 1);
        break;
    case QUIZ_RANK:
        v = json_integer((is + 1 + n) % q->nranks);
        break;
    default:
        v = json_integer((is + n) % q->nitems + 1);
        break;
    }
    if (question_fits(q, v) && !question_is_right(q, v, truth))
        return v;
    json_decref(v);
    return NULL;
}

/* Returns false if there is no such wrong answer. */
static bool
give_wrong(const char *path, int question, int round, const json_t *truth,
           int n, struct rounds_tally *tally)
{
    struct tutor *t = ask(path, question, round);
    json_t *v = wrong(&seen(t)->question, truth, n);
    char *text = json_dumps(v, JSON_ENCODE_ANY);
    bool is = v != NULL;

    if (is)
        give(t, v);
    if (v != NULL && seen(t)->state == TUTOR_PAGE &&
        seen(t)->page.kind == PAGE_RIGHT) {
        tally->kept++; /* another mend, or an algorithm as good */
    } else if (v != NULL) {
        const char *why = seen(t)->question.objection;
        tally->objected += seen(t)->state == TUTOR_ASKS && why != NULL &&
                           strstr(why, "something else") == NULL;
        give(t, v);
        tally->refused += seen(t)->page.kind == PAGE_WRONG;
        if (seen(t)->page.kind != PAGE_WRONG)
            diag("%s, question %d, round %d: %s", path, question, round, text);
    }
    free(text);
    json_decref(v);
    tutor_close(t);
    return is;
}

/* Returns how many wrong answers were given. */
static int
test_round(const char *path, int question, int round, json_t *asked,
           struct rounds_tally *tally)
{
    struct tutor *t = ask(path, question, round);
    struct buf all = {0};
    json_t *truth;
    int given = 0;
    char *text;

    if (seen(t)->state != TUTOR_ASKS)
        die("%s: no question %d", path, question);
    buf_addf(&all, "%s %s", seen(t)->question.text,
             seen(t)->picture.table != NULL ? seen(t)->picture.table : "");
    give(t, json_null());
    truth = json_incref(json_array_get(seen(t)->record.truths,
                                       (size_t)question));
    text = json_dumps(truth, JSON_ENCODE_ANY);
    buf_puts(&all, text);
    json_object_set_new(asked, buf_text(&all), json_true());
    tutor_close(t);

    t = ask(path, question, round);
    give(t, truth);
    tally->rounds++;
    tally->accepted += seen(t)->page.kind == PAGE_RIGHT &&
                       seen(t)->record.right == 1;
    if (seen(t)->page.kind != PAGE_RIGHT)
        diag("%s, question %d, round %d: %s is refused", path, question, round,
             text);
    tutor_close(t);
    for (int n = 0; n < WRONG; n++) {
        int before = tally->kept;
        bool was = give_wrong(path, question, round, truth, n, tally);
        given += was && tally->kept == before;
    }
    json_decref(truth);
    buf_done(&all);
    free(text);
    return given;
}

static void
test_exercise(const char *name, int questions, int rounds)
{
    char *path = exercise(name);

    for (int q = 0; q < questions; q++) {
        struct rounds_tally tally = {0};
        json_t *seen = json_object();
        int given = 0;

        for (int round = 1; round <= rounds; round++)
            given += test_round(path, q, round, seen, &tally);
        is_int(tally.accepted, rounds, "%s, question %d: right answers are",
               name, q + 1);
        is_int(tally.refused, given, "wrong answers are not");
        is_int(tally.objected, given, "each is met with a reason");
        ok(given >= rounds, "%d wrong answers, %d right in another way", given,
           tally.kept);
        ok((int)json_object_size(seen) * 10 >= rounds * 8,
           "%d of %d rounds differ", (int)json_object_size(seen), rounds);
        json_decref(seen);
    }
    free(path);
}

/* Wiring: another way is the same one with other GPUs in the same places, as
 * the links allow it. */

/* The GPU in the place of another one, and so its slot. */
static int
other_gpu(const struct wiring *w, int gpu)
{
    int n = w->nranks, a = (w->root + 1) % n, b = (w->root + n - 1) % n;

    switch (w->topology.kind) {
    case TOPOLOGY_RING:
        return (gpu + 1) % n;
    case TOPOLOGY_MESH: /* a line */
        return n - 1 - gpu;
    case TOPOLOGY_CUBE:
        return gpu ^ 1;
    default:
        return gpu == a ? b : gpu == b ? a : gpu;
    }
}

static json_t *
other_way(const struct wiring *w, const json_t *steps)
{
    OWNS(schedule) *s = wiring_new(w);
    struct notation n = notation_for(s);
    struct transfer list[WIRING_TRANSFERS];
    json_t *way = json_array(), *step;
    size_t i, count;
    struct err err;

    json_array_foreach(steps, i, step) {
        OWN(buf) line = {0};
        if (!notation_read(&n, json_string_value(step), list,
                           WIRING_TRANSFERS, &count, &err))
            die("%s", err.text);
        for (size_t k = 0; k < count; k++) {
            struct transfer *t = &list[k];
            t->src = other_gpu(w, t->src);
            t->dst = other_gpu(w, t->dst);
            if (s->nslots == w->nranks)
                t->src_slot = t->dst_slot = t->add_slot =
                    other_gpu(w, t->src_slot);
        }
        notation_add_list(&n, list, count, &line);
        json_array_append_new(way, json_string(buf_text(&line)));
    }
    return way;
}

/* The n-th wrong way: without the last step; with that, or the first one, once
 * more.  Of a rule: to itself; always to the same GPU; only one step. */
static json_t *
wrong_way(const struct question *q, const json_t *truth, int n)
{
    static const char *const rules[] = {"chunk 0 to r", "chunk 0 to 1",
                                        "k=1..1: chunk 0 to r+1"};
    json_t *way = json_deep_copy(truth);
    size_t last = json_array_size(way) - 1;

    if (q->kind == QUIZ_RULE) {
        json_decref(way);
        return json_string(rules[n]);
    }
    if (n == 0)
        json_array_remove(way, last);
    else
        json_array_insert(way, n == 1 ? last : 0,
                          json_array_get(way, n == 1 ? last : 0));
    return way;
}

static enum page_kind
page_for(const char *path, int question, int round, const json_t *answer)
{
    struct tutor *t = ask(path, question, round);
    enum page_kind kind;

    give(t, answer);
    if (seen(t)->state == TUTOR_ASKS)
        give(t, answer);
    kind = seen(t)->page.kind;
    tutor_close(t);
    return kind;
}

static void
test_wires(int rounds)
{
    enum { QUESTIONS = 8 };
    char *path = exercise("wire");
    int right = 0, other = 0, wrong = 0, others = 0;

    for (int i = 0; i < QUESTIONS * rounds; i++) {
        int question = i % QUESTIONS, round = i / QUESTIONS + 1;
        struct tutor *t = ask(path, question, round);
        json_t *truth, *way;
        give(t, json_null());
        truth = json_incref(json_array_get(seen(t)->record.truths,
                                           (size_t)question));
        right += page_for(path, question, round, truth) == PAGE_RIGHT;
        if (seen(t)->question.kind == QUIZ_WIRING) {
            way = other_way(&seen(t)->question.wiring, truth);
            others++;
            other += page_for(path, question, round, way) == PAGE_RIGHT;
            json_decref(way);
        }
        for (int n = 0; n < WRONG; n++) {
            way = wrong_way(&seen(t)->question, truth, n);
            wrong += page_for(path, question, round, way) == PAGE_WRONG;
            json_decref(way);
        }
        json_decref(truth);
        tutor_close(t);
    }
    is_int(right, QUESTIONS * rounds, "wire: right answers are");
    ok(others > 0, "%d of them are wired", others);
    is_int(other, others, "another way is right, too");
    is_int(wrong, WRONG * QUESTIONS * rounds, "and wrong answers are not");
    free(path);
}

/* What diagnose says of times is so, and what happened is in no line as a
 * word: it has to be found out. */
static void
test_evidence(void)
{
    char *path = exercise("diagnose");
    int slow = 0, words = 0, orders = 0;

    for (int round = 0x20; round < 0x30; round++) {
        struct tutor *t = ask(path, 0, round);
        double most = 0, us;
        int as_slow = 0;
        const char *table = seen(t)->picture.table;
        for (const char *p = table; (p = strchr(p, '\n')) != NULL; p++) {
            const char *end = strstr(p, " us");
            while (end != NULL && end > p && end[-1] != ' ')
                end--;
            us = end != NULL ? atof(end) : 0;
            as_slow = us > most ? 1 : as_slow + (us == most);
            most = us > most ? us : most;
        }
        words += strstr(table, "root=") != NULL ||
                 strstr(table, "count=") != NULL ||
                 strstr(table, "butterfly") != NULL;
        orders += strstr(seen(t)->question.text,
                         "lower number sends first") != NULL;
        give(t, json_null());
        slow += strstr(seen(t)->page.text,
                       "No other transfer is as slow") != NULL &&
                as_slow != 1;
        tutor_close(t);
    }
    is_int(slow, 0, "times: no other transfer is as slow");
    is_int(words, 0, "no line has what happened as a word");
    ok(orders > 0, "calls in the wrong order are a case");
    free(path);
}

/* Each way to go wrong comes up.  In the first rounds the lines say which GPU
 * waits for which, later no line does. */
static void
test_diagnoses(void)
{
    enum { ARROWS = 12, MANY = 2 * ARROWS, CASES = 6 };
    static const char *const cases[CASES] = {
        "a GPU is late", "a GPU is dead", "a GPU gives another root",
        "a GPU gives another count", "a GPU takes another algorithm",
        "a GPU calls in another order"};
    char *path = exercise("diagnose");
    int came[CASES] = {0}, with = 0, hung = 0, after = 0;

    for (int round = 1; round <= MANY; round++) {
        struct tutor *t = ask(path, 2, round);
        bool arrows = strstr(seen(t)->picture.table,
                             " -> waits for GPU ") != NULL;
        bool hangs = strstr(seen(t)->question.text, "It hangs") != NULL;
        with += arrows && round <= ARROWS;
        hung += hangs && round <= ARROWS;
        after += arrows && round > ARROWS;
        give(t, json_null());
        for (int i = 0; i < CASES; i++)
            came[i] += strstr(seen(t)->page.text, cases[i]) != NULL;
        tutor_close(t);
    }
    for (int i = 0; i < CASES; i++)
        ok(came[i] > 0, "%s: in %d of %d rounds", cases[i], came[i], MANY);
    is_int(with, hung, "arrows in the first rounds that hang");
    is_int(after, 0, "and in no later one");
    free(path);
}

/* Where a transfer is lost, or adds for copies, the first slot that is wrong is
 * its receiver's, after its step: so says the second hint. */
static void
test_hints(void)
{
    char *path = exercise("repair");
    int wrong = 0;

    for (int round = 3; round < 60; round += round % 8 == 3 ? 5 : 3) {
        struct tutor *t = ask(path, 0, round);
        char *hint = mem_string(seen(t)->question.hints[1]), *place;
        int step = -1, rank = -1, of = 0, from, to = 0;
        sscanf(hint, "Up to step %*d every slot is as it should be; after step "
               "%d GPU %d slot", &step, &rank);
        give(t, json_null());
        place = json_dumps(json_array_get(seen(t)->record.truths, 0),
                           JSON_ENCODE_ANY);
        sscanf(place, "\"step %d, %d>%d\"", &of, &from, &to);
        wrong += step != of || rank != to;
        if (step != of || rank != to)
            diag("round %d: %s: %s", round, place, hint);
        free(place);
        free(hint);
        tutor_close(t);
    }
    is_int(wrong, 0, "hints name the slot that is wrong first");
    free(path);
}

/* Of choices it says what the one that was given would cost. */
static void
test_objections(void)
{
    char *path = exercise("choose");
    int more = 0, said = 0;

    for (int round = 1; round <= 8; round++) {
        struct tutor *t = ask(path, 0, round);
        const struct question *q = &seen(t)->question;
        for (json_int_t i = 1; i <= q->nitems && q->objection == NULL; i++) {
            json_t *choice = json_integer(i);
            tutor_close(t);
            t = ask(path, 0, round);
            q = &seen(t)->question;
            give(t, choice);
            json_decref(choice);
        }
        said += q->objection != NULL;
        more += q->objection != NULL && strstr(q->objection, "less") != NULL;
        tutor_close(t);
    }
    ok(said > 0, "%d objections", said);
    is_int(more, 0, "which say nothing of other choices");
    free(path);
}

static size_t
charts_known(const struct exam *e, int task)
{
    return json_object_size(
        json_object_get(exam_known(e, e->tasks[task].path), "chart"));
}

/* What it takes longest to draw an exam for are charts: those of a lesson are
 * computed once, not each time that it is played. */
static void
test_exam(void)
{
    static const struct options o = {.backend = (char *)"auto", .count = -1,
                                     .step = -1, .bytes = 1 << 20};
    size_t known = 0, computed = 0;
    OWN(exam) e;
    struct err err;
    bool drawn = exam_draw(&e, 0x9106, EXAM_ALL, &o, &err);

    ok(drawn && e.ntasks == EXAM_TASKS, "an exam has %d tasks", e.ntasks);
    for (int i = 0; i < e.ntasks; i++) {
        size_t before = charts_known(&e, i);
        struct tutor *t = exam_open(&e, &e.tasks[i], &o, &err);
        play_on(t);
        known += before;
        computed += charts_known(&e, i) - before;
        computed += seen(t)->how.known != exam_known(&e, e.tasks[i].path);
        tutor_close(t);
    }
    ok(known > 0, "some of them are of lessons with charts");
    is_int((long long)computed, 0, "no chart is computed again");
    known = json_object_size(e.known);
    ok(exam_known(&e, "/\377.lua") == exam_known(&e, "/\377.lua"),
       "nor of a path that is no text in UTF-8");
    is_int((long long)(json_object_size(e.known) - known), 1,
           "whose findings are kept, too");
}

int
main(void)
{
    const char *said = getenv("EXERCISE_ROUNDS");
    int rounds = said != NULL ? atoi(said) : ROUNDS;

    tutor_begin();
    test_exercise("repair", 2, rounds);
    test_exercise("diagnose", 3, rounds);
    test_exercise("choose", 4, rounds);
    test_evidence();
    test_diagnoses();
    test_wires(rounds);
    test_hints();
    test_objections();
    test_exam();
    lab_remove();
    return done_testing();
}
