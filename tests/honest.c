/* SPDX-License-Identifier: MIT */
/* Whether questions have to be thought about.  Every lesson is played by keys,
 * on a terminal in this process: while a question is open, no key and no view
 * shows its answer, neither there nor on the page before.  And nobody gets
 * choices right by their places or lengths. */
#include <ctype.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "base/waiter.h"
#include "lesson/shelf.h"
#include "screen/home.h"
#include "term/screen.h"
#include "tutor_run.h"
#include "view/keys.h"

/* A question of the lesson that is played, as it is asked without answers. */
struct ask {
    char *begin;    /* how its text begins, as on the screen */
    char truth[32]; /* a number; "" for other kinds */
    int least; /* numbers from here on are not names of ranks, slots or steps
                * that are shown */
    char *elements; /* that slots hold */
    bool predicts, chooses, letters; /* letters: they are part of the answer */
};

enum { QUESTIONS_MOST = 32, COLUMNS = 80, ROWS = 24, BEGIN = 24 };

static struct ask questions[QUESTIONS_MOST];
static int nquestions;
static json_t *known; /* what a lesson has measured: once is enough */
static struct kept_runs kept; /* and run, before it is on the screen */

/* How evenly the right choices lie: at the first place, at the last, the
 * longest, the shortest; of so many that were expected, with this variance. */
static struct luck {
    const char *name;
    double count, expected, variance;
} lucks[] = {{"first", 0, 0, 0},
             {"last", 0, 0, 0},
             {"longest", 0, 0, 0},
             {"shortest", 0, 0, 0}};

/* What the screen has of a text: other characters than ASCII are '~'. */
static char *
as_shown(const char *text)
{
    OWN(buf) shown = {0};

    while (*text != '\0' && *text != '\n' && shown.length < BEGIN) {
        uint32_t code = utf8_next(&text);
        buf_putc(&shown, code >= ' ' && code < 127 ? (char)code : '~');
    }
    return mem_string(buf_text(&shown));
}

/* Playing a lesson unseen, for its questions. */

static void
count_choice(const struct question *q, int right)
{
    int columns = utf8_columns(question_item(q, right));
    int longer = 0, shorter = 0;
    double part = 1.0 / q->nitems;
    bool hits[4];

    for (int i = 1; i <= q->nitems; i++) {
        longer += i != right && utf8_columns(question_item(q, i)) >= columns;
        shorter += i != right && utf8_columns(question_item(q, i)) <= columns;
    }
    hits[0] = q->shown[0] == right;
    hits[1] = q->shown[q->nitems - 1] == right;
    hits[2] = longer == 0;
    hits[3] = shorter == 0;
    for (int i = 0; i < 4; i++) {
        lucks[i].count += hits[i];
        lucks[i].expected += part;
        lucks[i].variance += part * (1 - part);
    }
}

/* The first elements of all slots, as they are shown below their names, each
 * between blanks: the state that the question is about. */
static char *
elements_of(const struct world *w)
{
    OWN(buf) all = {0};
    char text[DTYPE_TEXT_MAX];

    buf_putc(&all, ' ');
    for (int rank = 0; w != NULL && rank < w->schedule->nranks; rank++)
        for (int slot = 0; slot < w->schedule->nslots; slot++)
            for (int64_t i = 0; i < world_length(w, rank, slot) &&
                                i < EVENT_VALUES; i++) {
                dtype_format(w->run->type, &world_values(w, rank, slot)[i],
                             text);
                buf_addf(&all, "%s ", text);
            }
    return mem_string(buf_text(&all));
}

static void
add_question(const struct tutor *t)
{
    const struct world *w = tutor_world(t);
    int least = 0;

    if (w != NULL) {
        least = w->position + 1;
        least = least > w->schedule->nranks ? least : w->schedule->nranks;
        least = least > w->schedule->nslots ? least : w->schedule->nslots;
    }
    if (nquestions < QUESTIONS_MOST)
        questions[nquestions++] = (struct ask){
            .begin = as_shown(seen(t)->question.text),
            .least = least,
            .elements = elements_of(w),
            .predicts = seen(t)->question.predicts,
            .chooses = seen(t)->question.kind == QUIZ_CHOICE,
            .letters = seen(t)->question.kind == QUIZ_LABEL};
}

static void
add_truth(const struct tutor *t, bool listed)
{
    const json_t *truth = record_truth(&seen(t)->record);

    if (seen(t)->question.kind == QUIZ_NUMBER && listed) {
        struct ask *q = &questions[nquestions - 1];
        char between[40];
        snprintf(q->truth, sizeof q->truth, "%.10g",
                 json_number_value(truth));
        snprintf(between, sizeof between, " %s ", q->truth);
        if (seen(t)->picture.table != NULL ||
            strstr(q->elements, between) != NULL)
            q->truth[0] = '\0'; /* a table is there to be read */
    }
    if (seen(t)->question.kind == QUIZ_CHOICE)
        count_choice(&seen(t)->question, (int)json_integer_value(truth));
}

/* Plays a lesson, or one of its questions in a round, with no answers.  Returns
 * the questions that have rounds; the caller releases them. */
static json_t *
find_out(const char *path, const struct options *o, int question, int round)
{
    struct err err = {.text = ""};
    struct tutor_how how = {.question = question, .round = round,
                            .unwatched = true, .known = known,
                            .kept = &kept};
    struct tutor *t = tutor_open(path, o, &how, &err);
    json_t *offered;
    bool good = t != NULL;

    if (good && known == NULL)
        known = json_incref(seen(t)->how.known);
    while (good && (good = tutor_advance(t, clock_ns(), &err)) &&
           seen(t)->state != TUTOR_OVER) {
        if (seen(t)->state == TUTOR_ASKS && round == 0)
            add_question(t);
        if (seen(t)->state == TUTOR_PAGE && page_answers(seen(t)->page.kind))
            add_truth(t, round == 0);
        good = turn(t, &err);
    }
    if (!good)
        diag("%s: %s", path, err.text);
    offered = good ? json_incref(seen(t)->record.offered) : json_array();
    tutor_close(t);
    return offered;
}

/* The terminal, and who sits there. */

static struct screen {
    struct screen_facts facts;
    char rows[ROWS][COLUMNS + 1];
    const char *name; /* of the lesson */
    int at;      /* the question that is asked, or comes next */
    int number;  /* of the lesson */
    enum { NEW, PROBED, AWAY, BACK } done; /* with it */
    int keys[40]; /* to be typed, the last one first */
    int count;
    int idle;    /* times that nothing came */
    int probed;  /* questions that were open */
    int found;   /* where an answer was shown */
    bool examined; /* it is an exam, whose time comes to its end */
    int half;      /* how often half of it was left */
} terminal;

#include "fake_screen.h"

static bool
shows(const struct screen *s, const char *text)
{
    for (int y = 0; y < ROWS; y++)
        if (strstr(s->rows[y], text) != NULL)
            return true;
    return false;
}

static const char *
key_row(const struct screen *s)
{
    return s->rows[ROWS - 1];
}

static bool
is_wiring(const struct screen *s)
{
    return strstr(key_row(s), "Enter show me one way") != NULL;
}

/* Whether the question that comes next is asked. */
static bool
is_asked(const struct screen *s)
{
    return s->at < nquestions && shows(s, questions[s->at].begin) &&
           (strstr(key_row(s), "Enter answer") != NULL || is_wiring(s) ||
            strstr(key_row(s), "Enter I don't know") != NULL);
}

/* The row of the panel's rule; above it is the picture. */
static int
rule_of(const struct screen *s)
{
    char rule[20];

    snprintf(rule, sizeof rule, " ~ %d ~ ", s->number);
    for (int y = 0; y < ROWS; y++)
        if (strncmp(s->rows[y], rule, strlen(rule)) == 0)
            return y;
    return 0;
}

/* Whether a row has the number, but not as a part of a name or of another
 * number ("S0", "GPU 3", "3.5"), nor as the step that is shown. */
static bool
has_number(const char *row, const char *number)
{
    size_t length = strlen(number);

    for (const char *p = row; (p = strstr(p, number)) != NULL; p++) {
        char before = p > row ? p[-1] : ' ', after = p[length];
        if (!isalnum((unsigned char)before) && before != '.' &&
            !isalnum((unsigned char)after) &&
            !(after == '.' && isdigit((unsigned char)p[length + 1])) &&
            !(p - row >= 4 && strncmp(p - 4, "GPU ", 4) == 0) &&
            !(p - row >= 5 && strncmp(p - 5, "step ", 5) == 0))
            return true;
    }
    return false;
}

static void
find_answer(struct screen *s)
{
    const struct ask *q = &questions[s->at];
    const char *leak = NULL;

    for (int y = 1; y < rule_of(s); y++) { /* row 0 is what the run is */
        const char *step = strstr(s->rows[y], "step ");
        if (step != NULL && strchr(step, '/') != NULL)
            leak = s->rows[y];
        if (q->truth[0] != '\0' && atof(q->truth) >= q->least &&
            has_number(s->rows[y], q->truth))
            leak = s->rows[y];
    }
    if (shows(s, " sent") && shows(s, " B of "))
        leak = "bytes of all";
    if (leak == NULL)
        return;
    diag("%s: %s: %s in: %s", s->name, q->begin, q->truth, leak);
    s->found++;
}

bool
screen_draw(struct screen *s, const struct canvas *c)
{
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < COLUMNS; x++) {
            uint32_t code = canvas_at(c, x, y)->code;
            s->rows[y][x] = code >= ' ' && code < 127 ? (char)code : '~';
        }
    if (s->done != NEW && strstr(key_row(s), "Esc lesson ") != NULL) {
        diag("%s: %s: the run can be explored", s->name,
             questions[s->at].begin);
        s->found++;
    }
    if (is_asked(s) && questions[s->at].predicts)
        find_answer(s);
    return true;
}

static void
type(struct screen *s, int key)
{
    s->keys[s->count++] = key;
}

/* Types something: looks at the question that is asked in every way, goes back
 * from it and looks again, comes back, and says that the answer is not
 * known. */
static void
act(struct screen *s)
{
    const struct ask *q = &questions[s->at];
    bool typed = strstr(key_row(s), " type ") != NULL;

    if (!is_asked(s)) {
        if (s->done == AWAY)
            s->done = BACK;
        type(s, SCREEN_KEY_RIGHT);
        if (s->done == BACK)
            type(s, '>');
    } else if (s->done == NEW && q->predicts) {
        s->done = PROBED;
        s->probed++;
        type(s, '>');
        for (int i = 0; !q->letters && i < 10; i++)
            type(s, 'v');
        type(s, q->letters ? '>' : 'n');
        type(s, q->letters ? '>' : 'p');
    } else if (s->done == PROBED) {
        s->done = AWAY;
        type(s, is_wiring(s) ? SCREEN_KEY_PAGE_UP
                : typed      ? SCREEN_KEY_LEFT
                             : SCREEN_KEY_BACKSPACE);
    } else if (typed) {
        s->done = NEW;
        s->at++;
        type(s, SCREEN_KEY_ENTER);
        type(s, SCREEN_KEY_ENTER);
    } else { /* the last choice; an order has none, and gets two tries */
        s->done = NEW;
        s->at++;
        for (int i = 0; i < 2 && strstr(key_row(s), "take") != NULL; i++) {
            type(s, SCREEN_KEY_ENTER);
            type(s, '\t');
        }
        type(s, SCREEN_KEY_ENTER);
        type(s, SCREEN_KEY_BACKTAB);
        type(s, '0' + (strstr(key_row(s), "take") != NULL ||
                       !shows(s, "GPU 0 ")));
    }
}

/* A clock that the exam's test sets forward. */
static int64_t ahead_s;

int
clock_gettime(clockid_t id, struct timespec *now)
{
    int failed = (int)syscall(SYS_clock_gettime, id, now);

    now->tv_sec += (time_t)ahead_s;
    return failed;
}

/* Lets half a minute pass whenever a question is there. */
static enum screen_event
wait_in_exam(struct screen *s, struct pollfd *fd, int *key)
{
    *key = SCREEN_KEY_ESCAPE;
    if (shows(s, "exam 0007: 0 of 2 right"))
        return SCREEN_KEY;
    if (poll(fd, 1, 1) > 0)
        return SCREEN_OTHER;
    s->idle++;
    s->half += shows(s, "task 1 of 2   0:30 left");
    ahead_s += shows(s, "task 1 of 2") ? 30 : 0;
    return SCREEN_TIMEOUT;
}

/* Waits while a run moves, but not for its animation. */
enum screen_event
screen_wait(struct screen *s, int other_fd, int timeout_ms, int *key)
{
    enum { PATIENCE_MS = 4, IDLE_MOST = 25000 };
    struct pollfd fd = {.fd = other_fd, .events = POLLIN};
    bool rests = strstr(key_row(s), "Enter ") != NULL ||
                 strstr(key_row(s), "Esc lesson ") != NULL ||
                 strstr(key_row(s), "Esc go back") != NULL;
    int ms = timeout_ms >= 0 && timeout_ms < PATIENCE_MS ? timeout_ms
                                                         : PATIENCE_MS;

    waiter_use(NULL); /* nobody types while a script computes */
    if (shows(s, "This was lesson") || s->idle > IDLE_MOST)
        return SCREEN_SIGNAL;
    if (s->examined)
        return wait_in_exam(s, &fd, key);
    if (s->done == AWAY && is_asked(s)) { /* the page before comes in a while */
        s->idle++;
        return poll(&fd, 1, ms) > 0 ? SCREEN_OTHER : SCREEN_TIMEOUT;
    }
    if (!rests && poll(&fd, 1, ms) > 0)
        return SCREEN_OTHER;
    if (!rests && s->idle++ % 4 != 0)
        return SCREEN_TIMEOUT;
    *key = SCREEN_KEY_RIGHT;
    if (strstr(key_row(s), "Esc lesson ") != NULL ||
        strstr(key_row(s), "Esc go back") != NULL) {
        *key = SCREEN_KEY_ESCAPE;
    } else if (rests) {
        if (s->count == 0)
            act(s);
        *key = s->keys[--s->count];
    }
    return SCREEN_KEY;
}

static void
test_lesson(const struct card *card, const struct options *o)
{
    struct err err = {.text = ""};
    json_t *offered = find_out(card->path, o, 0, 0), *question;
    int predicted = 0;
    size_t i;

    json_array_foreach(offered, i, question) {
        int number = (int)json_integer_value(question);
        for (int round = 1; round <= REVIEW_ROUNDS &&
                            questions[number].chooses; round++)
            json_decref(find_out(card->path, o, number, round));
    }
    json_decref(offered);
    json_decref(known);
    known = NULL;
    kept_done(&kept);
    kept = (struct kept_runs){.count = 0};
    terminal = (struct screen){.facts = {COLUMNS, ROWS}, .name = card->name,
                               .number = card->number};
    if (!home_lessons(o, NULL, card->name, card->path, false, &err))
        diag("%s", err.text);
    for (int k = 0; k < nquestions; k++) {
        predicted += questions[k].predicts;
        free(questions[k].begin);
        free(questions[k].elements);
    }
    is_int(terminal.probed, predicted, "%s: every question was open",
           card->name);
    is_int(terminal.found, 0, "%s: and no answer was shown", card->name);
    nquestions = 0;
}

/* A right choice is as often at each place as chance would have it, and as
 * often the longest or the shortest: more would happen once in 100 times. */
static void
test_luck(void)
{
    for (size_t i = 0; i < sizeof lucks / sizeof *lucks; i++) {
        const struct luck *l = &lucks[i];
        double far = (l->count - l->expected) / sqrt(l->variance);
        ok(fabs(far) < 2.58, "the right choice is the %s %.0f times, %.1f "
           "expected", l->name, l->count, l->expected);
    }
}

/* The end of its time ends an exam: what there is of the open question is
 * handed in, and the next one is not asked. */
static void
test_time(struct options *o)
{
    struct tutor *t = open_lines(ASKS("8", "First?"));
    struct exam e = {.name = "0007", .ntasks = 2,
                     .known = json_object()};
    struct err err = {.text = ""};

    tutor_close(t);
    for (int i = 0; i < e.ntasks; i++)
        e.tasks[i] = (struct task){.skill = SKILL_REPAIR, .round = 1,
                                   .path = mem_string(lines_path()),
                                   .lesson = mem_string("9 lines")};
    terminal = (struct screen){.facts = {COLUMNS, ROWS}, .name = "exam",
                               .examined = true};
    o->minutes = 1;
    ok(home_tasks(o, NULL, SKILL_NONE, 7, &e, &err), "an exam ends in time%s",
       err.text);
    ok(terminal.half > 0 && ahead_s >= 60 && ahead_s < 120,
       "after a minute, of which half was left: %d s", (int)ahead_s);
    ok(e.tasks[0].truth != NULL && e.tasks[0].given == NULL &&
           !e.tasks[0].right,
       "what was open then is handed in without an answer");
    ok(e.tasks[1].text == NULL, "and nothing is asked after it");
    exam_done(&e);
    ahead_s = 0;
}

int
main(int argc, char **argv)
{
    struct options o;
    struct shelf shelf;
    struct err err;

    tutor_begin();
    if (!options_parse(&o, 1, (char *[]){"collviz", NULL}, &err))
        diag("%s", err.text);
    shelf_read(&shelf);
    for (int i = 0; i < shelf.ncards; i++)
        if (argc < 2 || strcmp(argv[1], shelf.cards[i].name) == 0)
            test_lesson(&shelf.cards[i], &o);
    if (argc < 2)
        test_luck();
    shelf_done(&shelf);
    test_time(&o);
    options_done(&o);
    lab_remove();
    return done_testing();
}
