/* SPDX-License-Identifier: MIT */
/* Every key of every screen, each with several numbers typed before it.  The
 * screens run in this process, on a terminal that is made here: it types keys
 * from a list as fast as they are taken, and reads what is shown. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "lab.h"
#include "play/compare.h"
#include "play/modelled.h"
#include "screen/charts.h"
#include "screen/home.h"
#include "screen/race.h"
#include "screen/text_pages.h"
#include "screen/watch.h"
#include "tap.h"
#include "view/keys.h"

/* The terminal.  tests/screen_terminal.c tests the real one. */
struct screen {
    struct screen_facts facts;
    const char *ready; /* keys are typed once this is shown */
    bool is_ready;
    int *keys; /* to be typed; `next` is the next one */
    size_t count, capacity, next;
    int news;   /* in a row, of the other file descriptor */
    int idle;   /* times that it was not ready */
    int clicks; /* each is somewhere else */
    int nranks; /* 0: not known */
    int wrong;  /* names of ranks that do not exist were shown */
};

enum { IDLE_MOST = 1000 };

static struct screen terminal;

#include "fake_screen.h"

/* Whether `text` begins with the name of a rank that the run does not have. */
static bool
is_stranger(const char *text, int nranks)
{
    char *end;
    long rank;

    if (strncmp(text, "GPU ", 4) != 0)
        return false;
    rank = strtol(text + 4, &end, 10);
    return (rank < 0 || rank >= nranks) &&
           strncmp(end, " to ", 4) != 0; /* the legend: "GPU 8 to 15" */
}

bool
screen_draw(struct screen *screen, const struct canvas *canvas)
{
    char *line = mem_new((size_t)canvas->columns + 1, 1);

    for (int y = 0; y < canvas->rows; y++) {
        for (int x = 0; x < canvas->columns; x++) {
            uint32_t code = canvas_at(canvas, x, y)->code;
            line[x] = code >= ' ' && code < 127 ? (char)code : '~';
        }
        screen->is_ready |= strstr(line, screen->ready) != NULL;
        for (int x = 0; screen->nranks > 0 && x < canvas->columns; x++)
            if (is_stranger(line + x, screen->nranks)) {
                diag("%s", line);
                screen->wrong++;
            }
    }
    free(line);
    return true;
}

/* Asks to end once all keys are typed. */
enum screen_event
screen_wait(struct screen *screen, int other_fd, int timeout_ms, int *key)
{
    enum { NEWS_MOST = 100 };
    struct pollfd fd = {.fd = other_fd, .events = POLLIN};
    int ms = screen->is_ready                    ? 0
             : timeout_ms > 0 && timeout_ms < 100 ? timeout_ms
                                                  : 100;

    if (poll(&fd, 1, ms) > 0 && screen->news++ < NEWS_MOST)
        return SCREEN_OTHER;
    if (!screen->is_ready && screen->idle++ < IDLE_MOST)
        return SCREEN_TIMEOUT;
    screen->news = 0;
    if (screen->next == screen->count)
        return SCREEN_SIGNAL;
    *key = screen->keys[screen->next++];
    screen->clicks += *key == SCREEN_KEY_CLICK;
    screen->facts.pointed =
        (struct point){screen->clicks * 7 % screen->facts.columns,
                       screen->clicks * 5 % screen->facts.rows};
    return SCREEN_KEY;
}

static void
type(int key)
{
    terminal.keys = mem_grow(terminal.keys, terminal.count,
                             &terminal.capacity, sizeof *terminal.keys);
    terminal.keys[terminal.count++] = key;
}

/* Types every key of a screen, with each number before it and `after` after
 * it. */
static void
type_keys(enum key_screen on, const char *const *numbers, const char *after)
{
    for (const struct key *k = key_table; k->on != 0; k++)
        for (int i = 0; i < KEY_CODES && k->on & on && k->codes[i] != 0; i++)
            for (const char *const *n = numbers; *n != NULL; n++) {
                for (const char *p = *n; *p != '\0'; p++)
                    type(*p);
                type(k->codes[i]);
                for (const char *p = after; *p != '\0'; p++)
                    type(*p);
            }
}

static const char *const no_number[] = {"", NULL};
static const char *const all_numbers[] = {"", "0", "1", "2", "3", "5", "8",
                                          "99999", NULL};

/* Runs: alone, from the home screen, and as a recording. */

static bool
watch_run(const struct options *o, const struct watch_way_back *back,
          struct err *err)
{
    struct job *job = job_new(plan_new(o->operands[0], NULL, o, err));
    bool good = job != NULL && watch_job(&job, &terminal, back, false, err);

    if (job != NULL)
        job_free(job);
    return good;
}

static bool
alone(const struct options *o, struct err *err)
{
    return watch_run(o, NULL, err);
}

static bool
visit(const struct options *o, struct err *err)
{
    return watch_run(o, &(struct watch_way_back){.to = "home"}, err);
}

static bool
replay(const struct options *o, struct err *err)
{
    struct job *job = job_new(plan_new(o->operands[0], NULL, o, err));
    bool good = job != NULL && job_start(job, false, err) &&
                watch_recording(&job->session, &terminal, NULL, false, err);

    job_free(job);
    return good;
}

/* The other screens. */

static bool
compare_and_race(const struct options *o, struct err *err)
{
    struct comparison c;
    bool good = compare(&c, o, err) && race(&c, false, err);

    compare_done(&c);
    return good;
}

static bool
chart(const struct options *o, struct err *err)
{
    struct modelled m;

    return modelled_init(&m, o, err) &&
           charts_watch_model(&m, (struct axes){OVER_BYTES, OF_TIME}, false,
                              err);
}

static bool
promises(const struct options *o, struct err *err)
{
    const struct window window = {.screen = &terminal};

    (void)o;
    err->text[0] = '\0';
    text_pages_promises(&window);
    return true;
}

static bool
menu(const struct options *o, struct err *err)
{
    return home_lessons(o, NULL, NULL, NULL, false, err);
}

static bool
front(const struct options *o, struct err *err)
{
    return home(o, NULL, err);
}

/* Every key of a screen is typed, with numbers before it and more keys after
 * it: Escape closes what it has opened; then the slots of the selected rank are
 * looked at and left, or left and looked at. */
static const struct {
    const char *name;
    bool (*screen)(const struct options *o, struct err *err);
    const char *words;
    int columns, rows;
    const char *ready;
    int nranks;
    enum key_screen on;
    const char *const *numbers;
    const char *after;
} screens[] = {
    {"ring", alone, "ring-allreduce --gpus 3", 80, 24, "step 0/", 3, ON_WATCH,
     all_numbers, "\033ii"},
    {"torus, wide", alone, "torus2d-allreduce --gpus 6 --pace free --op avg",
     200, 60, "step 0/", 6, ON_WATCH, all_numbers, "\033i"},
    {"tree, visited", visit, "tree-reduce --gpus 7 --fault drop:1:1", 80, 24,
     "step 0/", 7, ON_WATCH, no_number, "\033"},
    {"tree, replayed", replay, "tree-reduce --gpus 7 --fault drop:1:1", 120, 40,
     "step 0/", 7, ON_WATCH, no_number, "\033i"},
    {"race", compare_and_race, "ring-allreduce tree-allreduce", 80, 24,
     "Esc quit", 0, ON_RACE, no_number, "\033"},
    {"chart", chart, "ring-allreduce tree-allreduce", 80, 24, "all-reduce", 0,
     ON_CHART, no_number, "\033"},
    {"text", promises, "", 40, 10, "Esc", 0, ON_TEXT, no_number, ""},
    {"menu", menu, "", 80, 24, "Esc quit", 0, ON_MENU, no_number, "\033"},
    {"home", front, "", 80, 24, "q quit", 0, ON_HOME, no_number, "\033"},
};

/* Runs a screen again and again until every key was typed: some keys leave
 * it. */
static void
test_screen(size_t i)
{
    char words[100], *rest = words, *argv[10] = {"collviz"};
    struct options o;
    struct err err = {.text = ""};
    int argc = 1;
    bool good;

    snprintf(words, sizeof words, "%s", screens[i].words);
    while (rest != NULL && *rest != '\0')
        argv[argc++] = strsep(&rest, " ");
    good = options_parse(&o, argc, argv, &err);
    terminal = (struct screen){.facts.columns = screens[i].columns,
                               .facts.rows = screens[i].rows,
                               .ready = screens[i].ready,
                               .nranks = screens[i].nranks};
    type_keys(screens[i].on, screens[i].numbers, screens[i].after);
    while (good && terminal.next < terminal.count) {
        terminal.is_ready = false;
        good = screens[i].screen(&o, &err);
    }
    if (!good)
        diag("%s", err.text);
    options_done(&o);
    free(terminal.keys);
    ok(good && terminal.idle < IDLE_MOST, "%s: every key", screens[i].name);
    is_int(terminal.wrong, 0, "%s: only ranks that there are", screens[i].name);
}

int
main(void)
{
    lab_make();
    for (size_t i = 0; i < sizeof screens / sizeof *screens; i++)
        test_screen(i);
    lab_remove();
    return done_testing();
}
