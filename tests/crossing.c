/* SPDX-License-Identifier: MIT */
/* Every lesson and exercise, practice and an exam, played to its end in the
 * manners in which the program plays them, in every language: before a class
 * that answers aloud or at the keys, with the speaker's notes and a browser
 * that follows; as a page; on paper.  The screens run in this process, with a
 * learner who answers questions wrongly, rightly or not at all.  Each page is
 * also drawn in several sizes.
 *
 * A new lesson or exercise comes in by itself, and a kind of question that is
 * not asked in each manner is a failure.
 *
 *     tests/crossing trees      one lesson or exercise
 *
 * honest.c plays lessons on a screen without class or browser, lessons.test on
 * paper. */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/language.h"
#include "base/translate.h"
#include "base/waiter.h"
#include "bring_worker.h"
#include "follower.h"
#include "lesson/shelf.h"
#include "lesson_frames.h"
#include "screen/home.h"
#include "stories.h"
#include "tap.h"
#include "tutor/tutor.h"
#include "web/page.h"

enum { COLUMNS = 80, ROWS = 24 };

/* The manners in which a lesson is asked. */
enum manner { CLASS, KEYS, PAGE, PAPER, MANNERS };

static const char *const manner_names[] = {
    "before a class", "at the keys", "as a page", "on paper"};

/* How often each kind of question was asked in each manner, by all stories. */
static int (*asked)[QUIZ_KINDS];

/* The terminal, and who sits there. */
struct screen {
    struct screen_facts facts;
    enum manner manner;
    struct follower follower;
    const struct tutor_seen *seen; /* of the tutor that is shown; NULL: none */
    const struct lesson_panel *panel;
    bool filled;    /* the next frame is the lesson's */
    bool in_lesson; /* the last one was */
    int keys[400];  /* to be typed, the last one first */
    int count;
    int page;  /* that has been looked at; -1: none */
    int tries; /* at the question of that page */
    int idle;  /* times that nothing came */
    int tasks; /* to be answered before it ends; 0: a whole lesson */
    int questions, answered;
    int unnoted; /* pages without notes */
    int cut;     /* frames that lack something */
    json_t *truths; /* those found so far, by question and round; they outlive
                     * the screen */
    const char *name;
};

static struct screen terminal;
static json_t *known; /* what the lesson has measured */
static struct kept_runs kept; /* its runs that have ended */

#include "fake_screen.h"

/* The linker gives us what the lesson's screen calls. */
struct tutor *__real_tutor_open(const char *path, const struct options *o,
                                const struct tutor_how *how, struct err *err);
struct tutor *__wrap_tutor_open(const char *path, const struct options *o,
                                const struct tutor_how *how, struct err *err);
void __real_tutor_close(struct tutor *t);
void __wrap_tutor_close(struct tutor *t);
void __real_lesson_panel_fill(struct lesson_panel *p,
                              const struct tutor_seen *t,
                              const struct answer *r, enum glyph_set set);
void __wrap_lesson_panel_fill(struct lesson_panel *p,
                              const struct tutor_seen *t,
                              const struct answer *r, enum glyph_set set);

/* What a lesson measures is measured once, and what it runs to the end is run
 * by the first who plays it. */
struct tutor *
__wrap_tutor_open(const char *path, const struct options *o,
                  const struct tutor_how *how, struct err *err)
{
    struct tutor_how with = *how;

    if (known == NULL)
        known = tutor_new_known();
    with.known = known;
    with.kept = &kept;
    return __real_tutor_open(path, o, &with, err);
}

bool __real_tutor_next(struct tutor *t, struct err *err);
bool __wrap_tutor_next(struct tutor *t, struct err *err);

/* On paper, and in pages. */
bool
__wrap_tutor_next(struct tutor *t, struct err *err)
{
    bool more = __real_tutor_next(t, err), asks;

    asks = more && tutor_seen(t)->state == TUTOR_ASKS;
    terminal.questions += asks;
    asked[terminal.manner][tutor_seen(t)->question.kind] += asks;
    return more;
}

void
__wrap_tutor_close(struct tutor *t)
{
    if (t != NULL && tutor_seen(t) == terminal.seen)
        terminal.seen = NULL;
    __real_tutor_close(t);
}

void
__wrap_lesson_panel_fill(struct lesson_panel *p, const struct tutor_seen *t,
                         const struct answer *r, enum glyph_set set)
{
    __real_lesson_panel_fill(p, t, r, set);
    if (t != terminal.seen)
        terminal.page = -1;
    terminal.seen = t;
    terminal.panel = p;
    terminal.filled = true;
}

/* The truths of questions. */

static void
name_question(const struct tutor_seen *t, size_t number, char key[80])
{
    snprintf(key, 80, "%zu.%d", number, t->how.round);
}

static const json_t *
truth_of(const struct screen *s)
{
    const struct tutor_seen *t = s->seen;
    char key[80];

    name_question(t, json_array_size(t->record.truths), key);
    return json_object_get(s->truths, key);
}

static void
keep_truth(const struct screen *s)
{
    const struct tutor_seen *t = s->seen;
    size_t number = json_array_size(t->record.truths) - 1;
    char key[80];

    name_question(t, number, key);
    json_object_set(s->truths, key, json_array_get(t->record.truths, number));
}

/* The learner at the keys, which are typed from the last one to the first. */

static void
type(struct screen *s, int key)
{
    if (s->count < (int)(sizeof s->keys / sizeof *s->keys))
        memmove(s->keys + 1, s->keys, (size_t)s->count++ * sizeof *s->keys);
    s->keys[0] = key;
}

static void
type_times(struct screen *s, int key, int times)
{
    while (times-- > 0)
        type(s, key);
}

static void
type_text(struct screen *s, const char *text)
{
    while (*text != '\0')
        type(s, *text++);
}

/* Sorts the items, which stand as they are shown. */
static void
type_order(struct screen *s, const struct question *q, const json_t *order)
{
    int now[QUESTION_ITEMS];

    memcpy(now, q->shown, sizeof now);
    for (int to = 0; to < q->nitems; to++) {
        int item = (int)json_integer_value(json_array_get(order, (size_t)to));
        int from = to;
        while (now[from] != item && from < q->nitems - 1)
            from++;
        type(s, 'a' + from);
        type(s, ' ');
        type_times(s, SCREEN_KEY_UP, from - to);
        type(s, ' ');
        memmove(now + to + 1, now + to, (size_t)(from - to) * sizeof *now);
        now[to] = item;
    }
}

/* The right answer. */
static void
type_truth(struct screen *s, const json_t *truth)
{
    const struct question *q = &s->seen->question;
    int number = (int)json_integer_value(truth);
    OWN(buf) text = {0};
    const json_t *step;
    size_t i;

    switch (q->kind) {
    case QUIZ_CHOICE:
        for (int k = 0; k < q->nitems; k++)
            if (q->shown[k] == number)
                type(s, 'a' + k);
        break;
    case QUIZ_RANK:
        type_times(s, '\t', number + 1);
        break;
    case QUIZ_LINE:
        type_times(s, '\t', number);
        break;
    case QUIZ_ORDER:
        type_order(s, q, truth);
        break;
    case QUIZ_WIRING:
        type_times(s, 'u', 9); /* what was wired before */
        json_array_foreach(truth, i, step) {
            type(s, 't');
            type_text(s, json_string_value(step));
            type(s, SCREEN_KEY_ENTER);
            type(s, SCREEN_KEY_ENTER);
        }
        break;
    default:
        type_times(s, SCREEN_KEY_BACKSPACE, 80);
        question_answer_text(q, truth, &text);
        type_text(s, buf_text(&text));
    }
    type(s, SCREEN_KEY_ENTER);
}

/* An answer that is wrong, as a rule. */
static void
type_wrong(struct screen *s)
{
    static const char *const typed[QUIZ_KINDS] = {
        [QUIZ_NUMBER] = "123456", [QUIZ_LABEL] = "A0",
        [QUIZ_TRANSFER] = "step 1, 0>1", [QUIZ_MEND] = "-",
        [QUIZ_RULE] = "chunk 0 to 1"};
    const struct question *q = &s->seen->question;
    const json_t *truth = truth_of(s);
    int number = (int)json_integer_value(truth);

    if (q->kind == QUIZ_CHOICE && truth != NULL) {
        type(s, 'a' + (q->shown[0] == number));
    } else if (q->kind == QUIZ_WIRING) {
        type_text(s, "1");
        type(s, SCREEN_KEY_ENTER);
        type_text(s, "+2=0u\b");
        type(s, SCREEN_KEY_RIGHT);
        type(s, SCREEN_KEY_UP);
        type_text(s, "t0>");
        type(s, SCREEN_KEY_ESCAPE);
        type(s, '1');
    } else if (typed[q->kind] != NULL) {
        type_text(s, typed[q->kind]);
    } else {
        type_times(s, '\t', 1 + (q->kind == QUIZ_RANK && number == 0));
    }
    type(s, SCREEN_KEY_ENTER);
}

/* Whoever does not know says so twice where it could be a slip. */
static void
type_unknown(struct screen *s)
{
    const struct question *q = &s->seen->question;

    if (question_faces[q->kind]->keys & (KEY(NUMBER) | KEY(LABEL)))
        type_times(s, SCREEN_KEY_BACKSPACE, 80);
    else if (q->kind != QUIZ_WIRING)
        type(s, SCREEN_KEY_BACKTAB);
    type_times(s, SCREEN_KEY_ENTER, 2 - (q->kind == QUIZ_CHOICE));
}

/* Answers rightly at once, or rightly or not at all after a wrong answer; a
 * try that is refused otherwise is given up. */
static void
answer(struct screen *s)
{
    const struct tutor_seen *t = s->seen;
    const json_t *truth = truth_of(s);
    int manner = s->questions % 3, tried = s->tries++;

    if (tried == 0 && s->manner == KEYS) {
        type_times(s, '?', t->how.examines ? 1 : t->question.nhints + 1);
        type(s, SCREEN_KEY_ESCAPE); /* the help */
    }
    if (tried == 0 && (manner > 0 || truth == NULL))
        type_wrong(s);
    else if (tried < 2 && manner < 2 && truth != NULL)
        type_truth(s, truth);
    else
        type_unknown(s);
}

/* What is to be seen once, when a page or question comes. */
static void
look(struct screen *s)
{
    const struct tutor_seen *t = s->seen;
    bool asks = t->state == TUTOR_ASKS;
    const char *text = asks                       ? t->question.text
                       : t->state == TUTOR_OVER ? _("The lesson is over.")
                                                : t->page.text;

    if (s->tasks == 0 && !t->how.examines && t->state != TUTOR_OVER) {
        const struct lesson_panel *panel = s->panel; /* frames fill their own */
        s->cut += wrong_frames(t, false) + wrong_frames(t, true);
        s->panel = panel;
        s->filled = false;
    }
    s->page = t->pages;
    s->tries = s->count = 0;
    s->questions += asks;
    asked[s->manner][t->question.kind] += asks;
    if (t->state == TUTOR_PAGE && page_answers(t->page.kind)) {
        keep_truth(s);
        s->answered++;
    }
    if (s->panel->noted && t->state != TUTOR_OVER &&
        s->panel->panel.aside == NULL)
        s->unnoted++;
    if (s->follower.serve != NULL && (asks || !t->how.examines) &&
        !hears(&s->follower, text))
        s->idle = INT32_MAX / 2;
}

/* Types something at a page or a question, or comes back from where the last
 * key led. */
static void
act(struct screen *s)
{
    const struct tutor_seen *t = s->seen;

    if (t == NULL || !s->in_lesson) {
        type(s, SCREEN_KEY_ESCAPE);
    } else if (t->state == TUTOR_ASKS && !s->panel->class) {
        answer(s);
    } else {
        if (s->panel->presents && !s->panel->noted)
            type(s, 'n');
        if (t->state == TUTOR_ASKS && s->tries++ == 0)
            type(s, 't');
        type(s, SCREEN_KEY_ENTER);
    }
}

bool
screen_draw(struct screen *s, const struct canvas *c)
{
    (void)c;
    s->in_lesson = s->filled;
    s->filled = false;
    return true;
}

/* Whether the lesson, or what it leads to, waits for a key. */
static bool
rests(const struct screen *s, int fd, int timeout_ms)
{
    if (s->seen == NULL) /* a text that fills the screen has no clock */
        return fd < 0 && timeout_ms < 0;
    return !s->in_lesson || s->seen->state == TUTOR_PAGE ||
           s->seen->state == TUTOR_ASKS;
}

enum { PATIENCE_MS = 4, IDLE_MOST = 30000 };

enum screen_event
screen_wait(struct screen *s, int other_fd, int timeout_ms, int *key)
{
    struct pollfd fd = {.fd = other_fd, .events = POLLIN};
    int ms = timeout_ms >= 0 && timeout_ms < PATIENCE_MS ? timeout_ms
                                                         : PATIENCE_MS;
    bool stops = s->seen != NULL && s->in_lesson &&
                 s->seen->state != TUTOR_BUSY;

    waiter_use(NULL); /* nobody types while a script computes */
    if (s->follower.serve != NULL)
        listen_on(&s->follower);
    if (s->idle > IDLE_MOST)
        return SCREEN_SIGNAL;
    if (stops && s->page != s->seen->pages + (s->seen->state == TUTOR_OVER)) {
        look(s);
        s->page += s->seen->state == TUTOR_OVER;
    }
    if (stops && (s->tasks > 0 ? s->answered == s->tasks
                               : s->seen->state == TUTOR_OVER))
        return SCREEN_SIGNAL;
    if (!rests(s, other_fd, timeout_ms)) {
        s->count = 0;
        if (poll(&fd, 1, ms) > 0)
            return SCREEN_OTHER;
        if (s->idle++ % 4 != 3 || s->seen == NULL)
            return SCREEN_TIMEOUT;
        *key = SCREEN_KEY_RIGHT; /* nothing that moves is awaited */
        return SCREEN_KEY;
    }
    if (s->count == 0)
        act(s);
    *key = s->keys[--s->count];
    return SCREEN_KEY;
}

/* One play, from its beginning to its end. */

static const char *language;

/* Sits down at the screen, before a browser that follows if there can be
 * one. */
static void
begin(const char *name, enum manner manner, json_t *truths)
{
    terminal = (struct screen){.facts = {COLUMNS, ROWS}, .manner = manner,
                               .page = -1, .truths = truths, .name = name};
#ifdef HAVE_MICROHTTPD
    if (manner <= KEYS && !follow(&terminal.follower))
        die("nobody can follow");
    terminal.facts.serve = terminal.follower.serve;
#endif
}

/* Returns how many questions were asked. */
static int
end(bool good, int expected, const struct err *err)
{
    struct screen *s = &terminal;

    unfollow(&s->follower);
    good = good && s->idle <= IDLE_MOST && s->unnoted == 0 && s->cut == 0 &&
           s->questions > 0 && (expected == 0 || s->questions == expected);
    if (!ok(good, "%s %s, %s: %d questions", s->name, manner_names[s->manner],
            language, s->questions))
        diag("%s; idle %d, %d questions expected, %d pages without notes, "
             "%d frames cut", err->text, s->idle, expected, s->unnoted,
             s->cut);
    return s->questions;
}

static void
read_options(struct options *o, const char *const words[3])
{
    char *argv[] = {(char *)"collviz", (char *)words[0], (char *)words[1],
                    (char *)words[2], NULL};
    struct err err;
    int argc = 1;

    while (argv[argc] != NULL)
        argc++;
    if (!options_parse(o, argc, argv, &err))
        die("%s", err.text);
}

/* What is printed is looked at by others. */
static void
keep_silent(bool silent)
{
    static int said = -1;
    int null;

    fflush(stdout);
    if (silent) {
        said = dup(STDOUT_FILENO);
        null = open("/dev/null", O_WRONLY | O_CLOEXEC);
        dup2(null, STDOUT_FILENO);
        close(null);
    } else {
        dup2(said, STDOUT_FILENO);
        close(said);
    }
}

/* A lesson in a manner.  Returns how many questions it asks. */
static int
play(const char *name, const char *path, enum manner manner, json_t *truths,
     int expected)
{
    static const char *const commands[MANNERS][3] = {
        {"learn", "--present"}, {"learn", "--present", "--quiz"},
        {"export", "--html"}, {"learn", "--plain"}};
    struct err err = {.text = ""};
    OWN(buf) page = {0};
    OWN(options) o;
    bool good;

    read_options(&o, commands[manner]);
    begin(name, manner, truths);
    if (manner == PAGE) {
        good = page_lesson(path, &o, &page, &err) &&
               strstr(buf_text(&page), "</html>\n") != NULL;
    } else if (manner == PAPER) {
        keep_silent(true);
        good = transcript(path, &o, true, &err);
        keep_silent(false);
    } else {
        good = home_lessons(&o, NULL, name, path, false, &err);
    }
    return end(good, expected, &err);
}

/* Tasks that are asked alone, on the screen and on paper: an exam, or of a
 * skill as many as it has questions. */
static void
play_tasks(enum skill skill, enum manner manner, struct exam *e, json_t *truths,
           int tasks)
{
    const char *command = skill != SKILL_NONE ? skills[skill].exercise : "exam";
    struct err err = {.text = ""};
    OWN(options) o;
    bool good = true;

    read_options(&o, (const char *const[3]){command});
    begin(command, manner, truths);
    terminal.tasks = skill != SKILL_NONE ? tasks : 0;
    keep_silent(true);
    if (manner == KEYS)
        good = home_tasks(&o, NULL, skill, e->seed, e, &err);
    for (int answers = 0; answers < 2 && manner == PAPER; answers++)
        good = good && transcript_exam(e, &o, answers, &err);
    keep_silent(false);
    end(good, manner == PAPER ? 2 * e->ntasks : tasks, &err);
}

/* The tasks that practice asks for from a seed on, one after another. */
static bool
draw_tasks(struct exam *e, enum skill skill, int tasks, struct err *err)
{
    const uint32_t seed = 0x1000;
    struct exam one = {0};
    OWN(options) o;

    read_options(&o, (const char *const[3]){"exam"});
    if (skill == SKILL_NONE)
        return exam_draw(e, seed, EXAM_ALL, &o, err);
    *e = (struct exam){.seed = seed, .known = json_object()};
    while (e->ntasks < tasks && exam_practice(&one, seed + (uint32_t)e->ntasks,
                                              skill, &o, err)) {
        e->tasks[e->ntasks++] = one.tasks[0];
        one.ntasks = 0;
        exam_done(&one);
    }
    return e->ntasks == tasks;
}

/* What is played. */
struct piece {
    const char *name, *path; /* NULL: the exam */
    enum skill skill;        /* SKILL_NONE: it is a lesson */
    int number;              /* of all pieces */
};

/* A lesson is asked at the keys in one language and before a class in the
 * next. */
static bool
plays(const struct piece *p, int of, enum manner manner)
{
    return p->skill != SKILL_NONE || manner == PAGE ||
           manner == (enum manner)((of + p->number) % 2);
}

static void
play_piece(const void *about)
{
    const struct piece *p = about;
    json_t *truths = json_object();
    struct err err = {.text = ""};
    struct exam e = {0};
    int questions = 0, tasks = EXAM_TASKS;

    for (int i = 0; (language = language_at(i)) != NULL; i++) {
        language_init(language, &err);
        for (int m = CLASS; p->path != NULL && m < MANNERS; m++)
            if (plays(p, i, (enum manner)m))
                questions = play(p->name, p->path, (enum manner)m, truths,
                                 questions);
        if (p->path != NULL && p->skill == SKILL_NONE)
            continue;
        tasks = p->path != NULL ? questions : EXAM_TASKS;
        ok(e.ntasks > 0 || draw_tasks(&e, p->skill, tasks, &err),
           "tasks of %s are drawn%s", p->name, err.text);
        play_tasks(p->skill, KEYS, &e, truths, tasks);
        play_tasks(p->skill, PAPER, &e, truths, tasks);
    }
    exam_done(&e);
    json_decref(truths);
    json_decref(known);
    known = NULL;
    kept_done(&kept);
    kept = (struct kept_runs){.count = 0};
}

/* Kinds are counted by all stories. */
static void
test_kinds(void)
{
    for (int m = 0; m < PAPER; m++)
        for (int kind = 0; kind < QUIZ_KINDS; kind++)
            ok(asked[m][kind] > 0, "%s is asked %s", question_kinds[kind]->name,
               manner_names[m]);
}

static struct piece *pieces;
static size_t npieces, capacity;

static void
add_piece(const char *name, const char *path, enum skill skill)
{
    pieces = mem_grow(pieces, npieces, &capacity, sizeof *pieces);
    pieces[npieces] = (struct piece){name, path, skill, (int)npieces};
    npieces++;
}

int
main(int argc, char **argv)
{
    struct shelf shelf;

    bring_worker();
    lab_make();
    asked = mmap(NULL, MANNERS * sizeof *asked, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shelf_read(&shelf);
    add_piece("exam", NULL, SKILL_NONE);
    for (int i = SKILL_NONE + 1; i < SKILLS; i++)
        if (skills[i].exercise != NULL)
            add_piece(skills[i].exercise, shelf_exercise((enum skill)i),
                      (enum skill)i);
    for (int i = 0; i < shelf.ncards; i++)
        add_piece(shelf.cards[i].name, shelf.cards[i].path, SKILL_NONE);
    for (size_t i = 0; i < npieces; i++)
        if (argc < 2)
            story(play_piece, &pieces[i]);
        else if (strcmp(argv[1], pieces[i].name) == 0)
            play_piece(&pieces[i]);
    stories_end();
    if (argc < 2)
        test_kinds();
    shelf_done(&shelf);
    lab_remove();
    return done_testing();
}
