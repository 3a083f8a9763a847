/* SPDX-License-Identifier: MIT */
/* Questions of lessons: how they are judged, replies by keys, and what is kept
 * of an answer.  What may not be asked is in tests/golden/questions.cmds. */
#include <math.h>
#include <stdlib.h>

#include "base/language.h"
#include "base/mem.h"
#include "screen/answer.h"
#include "tap.h"
#include "term/screen.h"
#include "lesson/attempt.h"
#include "tutor/question.h"

static void
read_question(struct question *q, const char *json)
{
    json_t *with = json_loads(json, 0, NULL);
    struct err err = {.text = ""};

    if (!ok(question_read(q, with, 4, 4, &err), "read: %s", json))
        diag("%s", err.text);
    json_decref(with);
}

#define GATHERED "[\"1>0 1,3>2 3\",\"2>0 2..3\"]"

static void
is_judged(const struct question *q, const char *answer, const char *truth,
          bool want)
{
    json_t *a = json_loads(answer, JSON_DECODE_ANY, NULL);
    json_t *t = json_loads(truth, JSON_DECODE_ANY, NULL);
    struct err err = {.text = ""};
    json_t *right = question_truth(q, t, &err);

    ok(right != NULL && question_is_right(q, a, right) == want,
       "%s is %s where the run says %s", answer, want ? "right" : "wrong",
       truth);
    json_decref(right);
    json_decref(a);
    json_decref(t);
}

/* What people voted is compared as it is shown: "GPU 2", "nothing". */
static void
is_judged_as_shown(const struct question *q, const char *answer,
                   const char *truth, bool want)
{
    json_auto_t *a = json_loads(answer, JSON_DECODE_ANY, NULL);
    json_auto_t *t = json_loads(truth, JSON_DECODE_ANY, NULL);
    OWN(buf) shown = {0};

    question_answer_text(q, a, &shown);
    ok(question_text_is_right(q, buf_text(&shown), t) == want,
       "'%s' is %s where the run says %s", buf_text(&shown),
       want ? "right" : "wrong", truth);
}

static void
is_no_truth(const struct question *q, const char *truth)
{
    json_t *t = json_loads(truth, JSON_DECODE_ANY, NULL);
    struct err err = {.text = ""};

    ok(question_truth(q, t, &err) == NULL && err.text[0] != '\0',
       "%s cannot be the truth", truth);
    json_decref(t);
}

static void
test_choices(void)
{
    OWN(question) q;

    read_question(&q, "{\"text\":\"?\",\"choices\":[\"B1\",\"A1+B1\",\"\"]}");
    is_judged(&q, "2", "2", true);
    is_judged(&q, "2", "\"A1+B1\"", true);
    is_judged(&q, "3", "\"\"", true);
    is_judged(&q, "1", "\"A1+B1\"", false);
    is_judged(&q, "null", "1", false);
    is_judged(&q, "9", "1", false);
    is_judged(&q, "\"B1\"", "1", false);
    is_no_truth(&q, "\"C1\"");
    question_done(&q);

    read_question(&q, "{\"text\":\"?\",\"choices\":[\"5\",\"3\",\"0.5\"]}");
    is_judged(&q, "2", "3", true); /* the text 3, not choice 3 */
    is_judged(&q, "3", "3", false);
    is_judged(&q, "3", "0.5", true);
    is_judged(&q, "2", "2", true);
    is_no_truth(&q, "\"C1\"");
    is_no_truth(&q, "0");
    is_no_truth(&q, "4");
    is_no_truth(&q, "null");
    question_done(&q);

    read_question(&q, "{\"text\":\"?\",\"kind\":\"number\"}");
    is_judged(&q, "8", "8", true);
    is_judged(&q, "2.5", "2.5", true);
    is_judged(&q, "8", "8.0", true);
    is_judged(&q, "7", "8", false);
    is_judged(&q, "0", "0", true);
    is_judged(&q, "0.001", "0", false);
    is_judged(&q, "1010", "1000", false);
    is_judged(&q, "999.9", "1000", false);
    is_judged(&q, "0.3333333", "0.33333333", true); /* as it is typed */
    is_no_truth(&q, "\"8\"");
    question_done(&q);

    read_question(&q, "{\"text\":\"?\",\"kind\":\"number\",\"within\":0.2}");
    is_judged(&q, "120", "100", true);
    is_judged(&q, "80", "100", true);
    is_judged(&q, "121", "100", false);
    is_judged(&q, "79", "100", false);
    question_done(&q);

    read_question(&q, "{\"text\":\"?\",\"kind\":\"wiring\",\"of\":\"gather\","
              "\"ranks\":4,\"ports\":2,\"par\":{\"steps\":2,\"chunks\":2}}");
    is_judged(&q, "[\"1>0 1,3>2 3\",\"2>0 2..3\"]", GATHERED, true);
    is_judged(&q, "[\"3>2 3\",\"2>0 2..3\",\"1>0 1\"]", GATHERED, false);
    is_judged(&q, "[\"2>1 2,3>1 3\",\"1>0 1..3\"]", GATHERED, false);
    is_judged(&q, "[\"1>0 1,3>2 3\"]", GATHERED, false); /* not all of it */
    is_judged(&q, "[\"1>0 1,2>0 2\",\"3>0 3\"]", GATHERED, true);
    question_done(&q);

    read_question(&q, "{\"text\":\"?\",\"kind\":\"label\",\"at\":[3,3]}");
    is_int(q.rank, 3, "it is about a rank");
    is_int(q.slot, 3, "and a slot");
    is_judged(&q, "\"c1 + A1\"", "\"A1+C1\"", true);
    is_judged(&q, "\"A1+C1\"", "\"A1+C1\"", true);
    is_judged(&q, "\"A1\"", "\"A1+C1\"", false);
    is_judged(&q, "\"AA1+Z1\"", "\"Z1+AA1\"", true);
    is_judged(&q, "\"A1+\"", "\"A1\"", false);
    is_judged(&q, "\"2*A1\"", "\"2*A1\"", true);
    is_judged(&q, "\"B1+C1+D1+A1\"", "\"S1\"", true);
    is_judged(&q, "\"s1\"", "\"A1+B1+C1+D1\"", true);
    is_judged(&q, "\"S0\"", "\"S1\"", false);
    is_judged(&q, "\"A1+B1+C1\"", "\"S1\"", false);
    is_judged(&q, "\"B1+C1+D1\"", "\"BCD 1\"", true);
    is_judged(&q, "\"cd1 + a1\"", "\"A1+C1+D1\"", true);
    is_judged(&q, "\"B1+C1\"", "\"BCD 1\"", false);
    is_judged(&q, "\"\"", "\"\"", true);
    is_judged(&q, "\"\"", "\"A1\"", false);
    is_no_truth(&q, "\"A1\\u001b[2J\"");
    is_no_truth(&q, "\"A1+\"");
    is_no_truth(&q, "\"B..D1\"");
    is_judged_as_shown(&q, "\"\"", "\"\"", true);
    is_judged_as_shown(&q, "\"\"", "\"A1\"", false);
    is_judged_as_shown(&q, "\"A1+B1+C1+D1\"", "\"S1\"", true);
    question_done(&q);

    read_question(&q, "{\"text\":\"?\",\"kind\":\"rank\"}");
    is_judged(&q, "2", "2", true);
    is_judged(&q, "1", "2", false);
    is_no_truth(&q, "4");
    is_judged_as_shown(&q, "2", "2", true);
    is_judged_as_shown(&q, "1", "2", false);
    question_done(&q);

    read_question(&q, "{\"text\":\"?\",\"items\":[\"a\",\"b\",\"c\"]}");
    is_int(q.kind, QUIZ_ORDER, "items are to be put in order");
    is_judged(&q, "[1,2,3]", "[1,2,3]", true);
    is_judged(&q, "[2,1,3]", "[1,2,3]", false);
    is_judged(&q, "[1,1,3]", "[1,2,3]", false);
    is_no_truth(&q, "[1,2]");
    is_no_truth(&q, "[1,2,2]");
}

/* Every item is shown once, and items that are to be put in order are never
 * shown in order.  Of more than two each may stay in its place. */
static void
test_shuffled(void)
{
    enum { SEEDS = 200 };

    for (int n = 2; n <= QUESTION_ITEMS; n++) {
        int sorted = 0, whole = 0, stay[QUESTION_ITEMS] = {0}, least = SEEDS;
        for (uint32_t seed = 0; seed < SEEDS; seed++) {
            struct question q = {.kind = QUIZ_ORDER, .nitems = n};
            unsigned seen = 0;
            bool in_order = true;
            for (int i = 0; i < n; i++)
                q.shown[i] = i + 1;
            question_shuffle(&q, seed);
            for (int i = 0; i < n; i++) {
                seen |= 1u << q.shown[i];
                in_order = in_order && q.shown[i] == i + 1;
                stay[i] += q.shown[i] == i + 1;
            }
            whole += seen == (1u << (n + 1)) - 2;
            sorted += in_order;
        }
        for (int i = 0; i < n; i++)
            least = stay[i] < least ? stay[i] : least;
        ok(sorted == 0 && whole == SEEDS, "%d items are shuffled", n);
        ok(n == 2 || least > SEEDS / n / 4, "each stays in its place at times, "
           "%d of %d", least, SEEDS);
    }
}

static void
is_objected(const struct question *q, const char *answer, const char *want)
{
    json_t *a = json_loads(answer, JSON_DECODE_ANY, NULL);
    const char *line = question_line(q, a);

    is_str(line != NULL ? line : "", want, "the line for %s", answer);
    json_decref(a);
}

/* A line says why an answer is wrong; the truth can have none. */
static void
test_lines(void)
{
    OWN(question) q;

    read_question(&q, "{\"text\":\"?\",\"choices\":[\"B1\",\"A1+B1\",\"\"],"
                  "\"wrong\":[[\"B1\",\"no\"],[3,\"not empty\"]]}");
    is_objected(&q, "1", "no");
    is_objected(&q, "2", "");
    is_objected(&q, "3", "not empty");
    is_objected(&q, "null", "");
    is_no_truth(&q, "\"B1\"");
    is_no_truth(&q, "\"\"");
    is_judged(&q, "2", "\"A1+B1\"", true);
    question_done(&q);

    read_question(&q, "{\"text\":\"?\",\"kind\":\"number\","
                  "\"wrong\":[[7,\"seven\"],[0.75,\"half\"]]}");
    is_objected(&q, "7", "seven");
    is_objected(&q, "7.0", "seven");
    is_objected(&q, "0.75", "half");
    is_objected(&q, "8", "");
    is_no_truth(&q, "7");
    question_done(&q);

    read_question(&q, "{\"text\":\"?\",\"kind\":\"label\","
                  "\"wrong\":[[\"A1+C1\",\"two\"],[\"S1\",\"all\"]]}");
    is_objected(&q, "\"c1+a1\"", "two");
    is_objected(&q, "\"ABCD1\"", "all");
    is_objected(&q, "\"A1\"", "");
    is_no_truth(&q, "\"D1+C1+B1+A1\"");
}

/* Of 26 ranks the last is AA, as none is called S; a complete sum may be
 * written out. */
static void
test_many_ranks(void)
{
    OWN(question) q;

    read_question(&q, "{\"text\":\"?\",\"kind\":\"label\"}");
    q.nranks = 26;
    is_judged(&q, "\"AA1+ABCDEFGHIJKLMNOPQRTUVWXYZ 1\"", "\"S1\"", true);
    is_judged(&q, "\"S1\"", "\"ABCDEFGHIJKLMNOPQRTUVWXYZ1+AA1\"", true);
    is_judged(&q, "\"ABCDEFGHIJKLMNOPQRTUVWXYZ1\"", "\"S1\"", false);
}

/* Begins an answer to a question of no lesson. */
static void
begin(struct answer *r, const struct question *q, json_t *wrong)
{
    static struct tutor_seen t;

    t = (struct tutor_seen){.question = *q, .picture.shown = -1};
    t.question.first = wrong;
    answer_begin(r, &t, NULL);
}

/* Types keys; returns the resulting answer as JSON, "" for none. */
static void
is_replied(const char *question, const int *keys, const char *want)
{
    OWN(question) q;
    struct answer r;
    json_t *answer = NULL;
    enum answer_did did = ANSWER_NOTHING;
    struct err err = {.text = ""};
    char *text;

    read_question(&q, question);
    begin(&r, &q, NULL);
    for (int i = 0; keys[i] != 0; i++)
        did = answer_key(&r, keys[i], &answer, &err);
    text = did == ANSWER_REFUSED ? strdup(err.text)
           : answer != NULL
               ? json_dumps(answer, JSON_ENCODE_ANY | JSON_COMPACT)
               : strdup(did == ANSWER_GIVEN ? "null" : "");
    is_str(text, want, "replied");
    free(text);
    json_decref(answer);
}

#define CHOICES "{\"text\":\"?\",\"choices\":[\"x\",\"y\",\"z\"]}"
#define WANTED ": a number is wanted, like 8, 0.75, 3/4, 1,000, 75 %, " \
               "64 KiB or 0.5 ms"
#define NUMBER "{\"text\":\"?\",\"kind\":\"number\"}"
#define LABEL "{\"text\":\"?\",\"kind\":\"label\"}"
#define RANK "{\"text\":\"?\",\"kind\":\"rank\"}"
#define ORDER "{\"text\":\"?\",\"items\":[\"x\",\"y\",\"z\"]}"
#define KEYS(...) ((const int[]){__VA_ARGS__, 0})
#define NOT_YET "choose first, with the arrows or with Tab"
#define ENTER SCREEN_KEY_ENTER

static void
test_answer(void)
{
    is_replied(CHOICES, KEYS(ENTER), NOT_YET); /* nothing is preselected */
    is_replied(CHOICES, KEYS(SCREEN_KEY_RIGHT, ENTER), "1");
    is_replied(CHOICES, KEYS(SCREEN_KEY_RIGHT, SCREEN_KEY_RIGHT, ENTER), "2");
    is_replied(CHOICES, KEYS(SCREEN_KEY_LEFT, ENTER), "null");
    is_replied(CHOICES, KEYS('c', ENTER), "3");
    is_replied(CHOICES, KEYS('2', ENTER), "2");
    is_replied(CHOICES, KEYS('d', ENTER), "null");
    is_replied(CHOICES, KEYS('\t'), "");
    is_replied(NUMBER, KEYS('1', '2', ENTER), "12");
    is_replied(NUMBER, KEYS('1', 'x', SCREEN_KEY_BACKSPACE, '7', ENTER), "17");
    is_replied(NUMBER, KEYS('1', 'q', 'm', 'h', ENTER), "'1qmh'" WANTED);
    is_replied(NUMBER, KEYS('1', ' ', 'K', 'i', 'B', ENTER), "1024");
    is_replied(NUMBER, KEYS(0xef, 0xbc, 0x91, 0xef, 0xbc, 0x90, ENTER), "10");
    is_replied(NUMBER, KEYS('2', '.', '5', ENTER), "2.5");
    is_replied(NUMBER, KEYS('-', '-', ENTER), "'--'" WANTED);
    is_replied(NUMBER, KEYS('3', '/', '4', ENTER), "0.75");
    is_replied(NUMBER, KEYS('6', '/', '2', ENTER), "3");
    is_replied(NUMBER, KEYS('5', ',', '0', ENTER), "'5,0'" WANTED);
    is_replied(NUMBER, KEYS('3', '/', ENTER), "'3/'" WANTED);
    is_replied(NUMBER, KEYS('3', '/', '0', ENTER), "'3/0'" WANTED);
    is_replied(NUMBER, KEYS(ENTER), "Enter again: show me the answer");
    is_replied(NUMBER, KEYS(ENTER, ENTER), "null");
    is_replied(NUMBER, KEYS(ENTER, '7', SCREEN_KEY_BACKSPACE, ENTER),
               "Enter again: show me the answer");
    is_replied(LABEL, KEYS('c', '1', '+', 'a', '1', ENTER), "\"A1+C1\"");
    is_replied(LABEL, KEYS('!', ENTER),
               "'!': what is in a slot is written like A1 or A1+C1; - is "
               "nothing");
    is_replied(LABEL, KEYS('-', ENTER), "\"\"");
    is_replied(LABEL, KEYS(' ', ENTER, ENTER), "null");
    is_replied(RANK, KEYS(ENTER), NOT_YET);
    is_replied(RANK, KEYS(SCREEN_KEY_LEFT, ENTER), "null");
    is_replied(RANK, KEYS(SCREEN_KEY_RIGHT, ENTER), "0");
    is_replied(RANK, KEYS('3', ENTER), "3");
    is_replied(ORDER, KEYS(ENTER), NOT_YET);
    is_replied(ORDER, KEYS(' ', ENTER), NOT_YET);
    is_replied(ORDER, KEYS(SCREEN_KEY_DOWN, ENTER), "[1,2,3]");
    is_replied(ORDER, KEYS(SCREEN_KEY_DOWN, ' ', SCREEN_KEY_DOWN, ENTER),
               "[2,1,3]");
    is_replied(ORDER, KEYS(SCREEN_KEY_DOWN, ' ', SCREEN_KEY_UP,
                           SCREEN_KEY_DOWN, ENTER), "[2,1,3]");
    is_replied(ORDER, KEYS(SCREEN_KEY_DOWN, ' ', SCREEN_KEY_UP, ENTER),
               "[1,2,3]");
}

/* What was wrong is left out, and the keys begin beside it. */
static void
test_second_answer(void)
{
    static const struct {
        int key, chosen;
    } moves[] = {{SCREEN_KEY_RIGHT, 2}, {SCREEN_KEY_RIGHT, 3},
                 {SCREEN_KEY_RIGHT, 0}, {SCREEN_KEY_RIGHT, 2},
                 {SCREEN_KEY_LEFT, 0},  {SCREEN_KEY_LEFT, 3}};
    json_t *answer, *wrong = json_integer(2);
    OWN(question) q;
    struct answer r;
    struct err err;

    read_question(&q, CHOICES);
    begin(&r, &q, wrong);
    is_int(r.refused, 1, "the wrong choice, by its place");
    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++) {
        answer_key(&r, moves[i].key, &answer, &err);
        is_int(r.chosen, moves[i].chosen, "key %zu", i + 1);
    }
    begin(&r, &q, wrong);
    answer_key(&r, SCREEN_KEY_LEFT, &answer, &err);
    is_int(r.chosen, 0, "or to the left of it first");
    question_done(&q);

    read_question(&q, RANK);
    begin(&r, &q, wrong);
    answer_key(&r, '\t', &answer, &err);
    is_int(r.refused, 2, "a wrong rank");
    is_int(r.chosen, 3, "and the one after it");
    json_decref(wrong);
    wrong = json_integer(0);
    begin(&r, &q, wrong);
    answer_key(&r, '1', &answer, &err);
    answer_key(&r, SCREEN_KEY_LEFT, &answer, &err);
    is_int(r.chosen, 4, "before the first one, if that is wrong: the last");
    answer_key(&r, SCREEN_KEY_RIGHT, &answer, &err);
    is_int(r.chosen, 1, "and after the last the second");
    json_decref(wrong);
}

/* Keys choose what stands there; the answer is the script's number of it. */
static void
test_answer_shuffled(void)
{
    json_t *answer;
    OWN(question) q;
    struct answer r;
    struct err err;

    read_question(&q, CHOICES);
    q.shown[0] = 3;
    q.shown[2] = 1;
    begin(&r, &q, NULL);
    answer_key(&r, 'a', &answer, &err);
    answer_key(&r, ENTER, &answer, &err);
    is_int(json_integer_value(answer), 3, "the first that is shown");
    json_decref(answer);
}

/* What is kept of an answer. */
static void
is_kept(const char *kept, const char *first, const char *last, int hints,
        const char *written)
{
    json_t *json = json_loads(kept, JSON_DECODE_ANY, NULL), *again;
    struct attempt a = attempt_read(json);
    char *f = a.first != NULL ? json_dumps(a.first, JSON_ENCODE_ANY)
                              : mem_string("-");
    char *l = json_dumps(a.last, JSON_ENCODE_ANY), *w;

    is_str(f, first, "first in %s", kept);
    is_str(l, last, "last in %s", kept);
    is_int(a.hints, hints, "hints in %s", kept);
    again = attempt_write(a);
    w = json_dumps(again, JSON_ENCODE_ANY | JSON_COMPACT);
    is_str(w, written, "written again");
    free(f);
    free(l);
    free(w);
    json_decref(again);
    json_decref(json);
}

/* A number that may be wrong by a fifth. */
static void
test_within(void)
{
    OWN(question) q;

    read_question(&q, "{\"text\":\"?\",\"kind\":\"number\",\"within\":0.2}");
    is_judged(&q, "119", "100", true);
    is_judged(&q, "81", "100", true);
    is_judged(&q, "121", "100", false);
    is_judged(&q, "79", "100", false);
}

/* Numbers as people write them, in what the question counts. */
static void
test_units(void)
{
    static const struct {
        const char *unit, *typed;
        double want; /* NAN: it is refused */
    } all[] = {
        {"us", "0.758 ms", 758},     {"us", "758", 758},
        {"us", "758us", 758},        {"us", "2 s", 2e6},
        {"ms", "758 us", 0.758},     {"ms", "1,5 ms", NAN},
        {"us", "3 KiB", NAN},        {NULL, "64 KiB", 65536},
        {NULL, "1,000", 1000},       {NULL, "12,345,678", 12345678},
        {NULL, "1,00", NAN},         {NULL, "1000,000", NAN},
        {NULL, "3/4", 0.75},         {NULL, "75 %", 0.75},
        {NULL, "75\uff05", 0.75},     {NULL, "\uff13\uff0f\uff14", 0.75},
        {NULL, "3 / 4", 0.75},       {NULL, "1e3", 1000},
        {NULL, "100 Gb/s", 12.5},    {NULL, "12.5 gb/s", 12.5},
        {NULL, "5 \u00b5s", 5},      {NULL, "banana", NAN},
        {NULL, "8 bananas", NAN},    {NULL, "", NAN},
        {NULL, "nan", NAN},          {NULL, "inf", NAN},
        {NULL, "1e999", NAN},        {NULL, "0x10", NAN},
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        OWN(question) q;
        struct err err = {.text = ""};
        json_t *v;
        read_question(&q, NUMBER);
        q.unit = all[i].unit;
        v = question_parse(&q, all[i].typed, &err);
        if (isnan(all[i].want))
            ok(v == NULL && strstr(err.text, "a number is wanted") != NULL,
               "'%s' is refused: %s", all[i].typed, err.text);
        else
            ok(fabs(json_number_value(v) - all[i].want) <
                   1e-9 * all[i].want, "'%s' is %g", all[i].typed,
               all[i].want);
        json_decref(v);
    }
}

/* What no slot of the run can hold costs no try. */
static void
test_labels_that_cannot_be(void)
{
    static const struct {
        const char *typed, *want; /* NULL: it is refused */
    } all[] = {
        {"A2+B2", "A2+B2"}, {"\uff21\uff12\uff0b\uff22\uff12", "A2+B2"},
        {"b2 + a2", "A2+B2"}, {"AB 2", "A2+B2"}, {"S1", "A1+B1+C1"},
        {"2*C1", "2*C1"}, {"-", ""}, {"banana", NULL}, {"c2 b2 a2", NULL},
        {"D1", NULL}, {"A", NULL}, {"12", NULL}, {"*1", NULL}, {"A1A2", NULL},
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        OWN(question) q;
        struct err err = {.text = ""};
        json_t *v;
        read_question(&q, "{\"text\":\"?\",\"kind\":\"label\"}");
        q.nranks = 3;
        v = question_parse(&q, all[i].typed, &err);
        if (all[i].want == NULL)
            ok(v == NULL && strstr(err.text, "A1+C1") != NULL,
               "'%s' is refused: %s", all[i].typed, err.text);
        else
            is_str(json_string_value(v), all[i].want, "%s", all[i].typed);
        json_decref(v);
    }
}

/* What is typed becomes `want`; NULL: it is refused. */
static void
is_parsed(const struct question *q, const char *typed, const char *want)
{
    struct err err = {.text = ""};
    json_t *v = question_parse(q, typed, &err);

    if (want == NULL)
        ok(v == NULL && err.text[0] != '\0', "'%s' is refused: %s", typed,
           err.text);
    else if (ok(v != NULL, "'%s' is read %s", typed, err.text))
        is_str(json_string_value(v), want, "as it is kept");
    ok(v == NULL || question_fits(q, v), "it fits");
    json_decref(v);
}

static void
test_transfers(void)
{
    OWN(question) place, mend;

    read_question(&place, "{\"text\":\"?\",\"kind\":\"transfer\"}");
    read_question(&mend, "{\"text\":\"?\",\"kind\":\"mend\"}");
    place.nsteps = mend.nsteps = 6;
    place.nslots = mend.nslots = 4;
    is_parsed(&place, "step 3, 2>0", "step 3, 2>0");
    is_parsed(&place, " Step 3: 2 > 0 ", "step 3, 2>0");
    is_parsed(&place, "3 2>0", "step 3, 2>0");
    is_parsed(&place, "\u7b2c3\u6b65\uff0c2\uff1e0", "step 3, 2>0");
    is_parsed(&place, "step 7, 2>0", NULL);
    is_parsed(&place, "step 0, 2>0", NULL);
    is_parsed(&place, "step 3, 2>4", NULL);
    is_parsed(&place, "step 3, 2>2", NULL);
    is_parsed(&place, "step 3, 2>-1", NULL);
    is_parsed(&place, "step 3", NULL);
    is_parsed(&place, "2>0", NULL);
    is_parsed(&place, "step 3, 2>0 +1", NULL);
    is_parsed(&place, "", NULL);
    is_parsed(&mend, "2>0 +1", "2>0 +1");
    is_parsed(&mend, "2>0 +C1", NULL); /* no run says where C1 is */
    is_parsed(&mend, "2>0 1", "2>0 =1");
    is_parsed(&mend, "step 4", "step 4");
    is_parsed(&mend, "step 4, 2>0 =3", "step 4, 2>0 =3");
    is_parsed(&mend, " - ", "-");
    is_parsed(&mend, "step 9", NULL);
    is_parsed(&mend, "2>0 +4", NULL);
    is_parsed(&mend, "2>0 +1, 0>1 +1", NULL);
    is_parsed(&mend, "4", NULL);
    is_parsed(&mend, "- 2>0", NULL);
}

/* What a script writes is the place that is typed, however either spells it;
 * `wrong` has lines for places and for lines of a text. */
static void
test_wrong_places(void)
{
    OWN(question) q = {.nsteps = 6}, lines = {.nrows = 3};
    json_t *given = json_string("step 3, 2>0"), *second = json_integer(2);

    read_question(&q, "{\"text\":\"?\",\"kind\":\"transfer\",\"wrong\":"
                  "[[\"3 2 > 0\",\"x\"]]}");
    is_str(question_line(&q, given), "x", "a place in another spelling");
    is_judged(&q, "\"step 1, 1>0\"", "\"1: 1>0\"", true);
    is_judged(&q, "\"step 1, 1>0\"", "\"2: 1>0\"", false);
    read_question(&lines, "{\"text\":\"?\",\"kind\":\"line\",\"wrong\":"
                      "[[2,\"y\"]]}");
    is_str(question_line(&lines, second), "y", "a line");
    json_decref(given);
    json_decref(second);
}

/* Lines are chosen as GPUs are, from the first; then comes "I don't know". */
static void
test_line(void)
{
    OWN(question) q = {.nrows = 3};
    struct answer r;
    struct err err;
    json_t *answer;

    read_question(&q, "{\"text\":\"?\",\"kind\":\"line\"}");
    is_judged(&q, "2", "2", true);
    is_judged(&q, "3", "2", false);
    is_no_truth(&q, "4");
    begin(&r, &q, json_null());
    answer_key(&r, SCREEN_KEY_DOWN, &answer, &err);
    answer_key(&r, SCREEN_KEY_DOWN, &answer, &err);
    ok(answer_key(&r, SCREEN_KEY_ENTER, &answer, &err) == ANSWER_GIVEN &&
           json_integer_value(answer) == 2, "the second line");
    begin(&r, &q, answer);
    is_int(r.refused, 1, "which was wrong");
    json_decref(answer);
    answer_key(&r, SCREEN_KEY_UP, &answer, &err);
    answer_key(&r, SCREEN_KEY_UP, &answer, &err);
    ok(answer_key(&r, SCREEN_KEY_ENTER, &answer, &err) == ANSWER_GIVEN &&
           answer == NULL, "before the first line comes I don't know");
}

static void
test_attempt(void)
{
    is_kept("2", "2", "2", 0, "2");
    is_kept("null", "null", "null", 0, "null");
    is_kept("{\"first\":2,\"last\":1,\"hints\":0}", "2", "1", 0,
            "{\"first\":2,\"last\":1,\"hints\":0}");
    is_kept("{\"first\":2,\"last\":2,\"hints\":1}", "2", "2", 1,
            "{\"first\":2,\"last\":2,\"hints\":1}");
    is_kept("{\"first\":2,\"last\":2}", "2", "2", 0, "2");
    is_kept("{\"hints\":2}", "-", "null", 2, "{\"hints\":2}");
    is_kept("{}", "-", "null", 0, "{\"hints\":0}");
    is_kept("{\"first\":2,\"hints\":-7}", "2", "null", 0,
            "{\"first\":2,\"last\":null,\"hints\":0}");
    is_kept("{\"hints\":\"x\"}", "-", "null", 0, "{\"hints\":0}");
}

/* h asks for a hint wherever it is not a letter of an answer. */
static void
test_hints(void)
{
    static const struct {
        const char *question;
        int hints;
    } all[] = {
        {"{\"text\":\"?\",\"kind\":\"rank\",\"hints\":[\"1\"]}", 1},
        {"{\"text\":\"?\",\"kind\":\"number\",\"hints\":[\"1\"]}", 0},
        {"{\"text\":\"?\",\"kind\":\"label\",\"hints\":[\"1\"]}", 0},
    };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        json_t *answer;
        OWN(question) q;
        struct answer r;
        struct err err;
        read_question(&q, all[i].question);
        begin(&r, &q, NULL);
        answer_key(&r, 'h', &answer, &err);
        is_int(r.hints, all[i].hints, "h in %s", all[i].question);
        answer_key(&r, '?', &answer, &err);
        is_int(r.hints, 1, "? in %s", all[i].question);
    }
}

int
main(void)
{
    struct err err;

    language_init("en", &err);
    test_choices();
    test_many_ranks();
    test_shuffled();
    test_units();
    test_labels_that_cannot_be();
    test_lines();
    test_answer();
    test_answer_shuffled();
    test_second_answer();
    test_within();
    test_transfers();
    test_wrong_places();
    test_line();
    test_attempt();
    test_hints();
    return done_testing();
}
