/* SPDX-License-Identifier: MIT */
#include "screen/home.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "base/bounds.h"
#include "base/clock.h"
#include "base/install.h"
#include "base/mem.h"
#include "base/signals.h"
#include "base/translate.h"
#include "base/waiter.h"
#include "lesson/progress.h"
#include "play/job.h"
#include "play/player.h"
#include "screen/lessons.h"
#include "screen/home_list.h"
#include "screen/text_pages.h"
#include "screen/watch.h"
#include "screen/window.h"

enum { PREVIEW_BYTES_MOST = 8 << 20 }; /* of a recording */

/* A preview begins once the cursor rests. */
static const int64_t REST_NS = 150000000;

enum { ROUNDS = 3 };
static const int64_t PAUSE_NS = 2500000000; /* at the end of a round */

/* A run that plays by itself beside the list.  It plays a few times over, then
 * rests on its end, so that a screen at which nobody looks costs nothing. */
struct preview {
    bool open;
    struct job *job;         /* NULL: a recording */
    struct session recorded; /* used if there is no job */
    struct player player;
    int rounds; /* left to be played */
    int64_t again_ns; /* when the next begins */
};

struct home_screen {
    const struct options *o;
    struct window window;
    struct lessons lessons;
    struct home_list list;
    struct home view;
    struct prompt search;
    struct prompt_history changes; /* typed in runs */
    struct preview preview;
    struct scene scene; /* of the preview */
    int previewed;      /* the row; -1: none */
    int64_t preview_ns; /* when the preview of the chosen row begins */
    int typed;    /* digits of a lesson's number so far; 0: none */
    bool forgets; /* a second r forgets the lesson */
};

/* The chosen row, by its index in all rows; -1: none. */
static int
chosen_row(const struct home_screen *h)
{
    return h->view.nlisted > 0 ? h->view.listed[h->view.chosen] : -1;
}

/* What was drawn of it goes with it: a key may come before the next picture. */
static void
preview_close(struct home_screen *h)
{
    struct preview *p = &h->preview;

    h->view.scene = NULL;
    if (p->open) {
        player_done(&p->player);
        if (p->job == NULL)
            session_done(&p->recorded);
    }
    job_free(p->job);
    *p = (struct preview){0};
}

static void
choose_listed(struct home_screen *h, int listed)
{
    h->view.chosen = within(listed, 0, h->view.nlisted - 1);
    if (h->previewed == chosen_row(h))
        return;
    preview_close(h);
    h->previewed = -1;
    h->preview_ns = clock_ns() + REST_NS;
}

/* Lists what the search finds or what is behind the door, and chooses `row` if
 * it is there. */
static void
fill_list(struct home_screen *h, int row)
{
    int at = 0;

    free(h->view.listed);
    h->view.listed = mem_new((size_t)h->list.count, sizeof *h->view.listed);
    home_list_find(&h->list, h->view.door,
                   h->search.open ? h->search.typed : NULL, h->view.listed,
                   &h->view.nlisted, &h->view.nnamed);
    for (int i = 0; i < h->view.nlisted; i++)
        if (h->view.listed[i] == row)
            at = i;
    h->view.rows = h->list.rows;
    h->view.search = h->search.open ? h->search.text : NULL;
    choose_listed(h, at);
}

static void
open_door(struct home_screen *h, enum home_door door)
{
    h->view.door = door;
    fill_list(h, door == HOME_LEARN
                     ? home_list_lesson(&h->list, h->lessons.name) : -1);
}

/* Previews. */

static void
begin_preview(struct preview *p, struct session *session)
{
    p->open = true;
    p->rounds = ROUNDS;
    p->again_ns = INT64_MIN;
    player_init(&p->player, session);
}

static bool
preview_run(struct preview *p, const struct home_row *r, struct err *err)
{
    p->job = job_new(home_list_plan(r, err));
    if (p->job == NULL)
        return false;
    begin_preview(p, &p->job->session);
    return job_start(p->job, false, err);
}

static bool
preview_recording(struct preview *p, const char *path, struct err *err)
{
    struct stat about;

    if (stat(path, &about) == 0 && about.st_size > PREVIEW_BYTES_MOST)
        return err_set(err, _("%lld MiB: Enter shows it"),
                       (long long)about.st_size >> 20);
    session_init(&p->recorded);
    begin_preview(p, &p->recorded);
    return session_read(&p->recorded, path, err);
}

static void
open_preview(struct home_screen *h)
{
    int row = chosen_row(h);
    const struct home_row *r = row >= 0 ? &h->list.rows[row] : NULL;
    struct err err;
    bool ok = true;

    h->preview_ns = INT64_MAX;
    h->previewed = row;
    if (r != NULL && r->picture != NULL)
        ok = preview_run(&h->preview, r, &err);
    else if (r != NULL && r->opens && r->door == HOME_REPLAY)
        ok = preview_recording(&h->preview, r->key, &err);
    if (!ok) {
        preview_close(h);
        window_notify(&h->window, true, "%s", err.text);
    }
}

/* Plays the preview, and once more where it has come to rest at its end. */
static bool
advance_preview(struct preview *p, int64_t now, struct err *err)
{
    const struct world *w = p->player.session->world;

    if (p->rounds > 0 && now >= p->again_ns) {
        p->rounds--;
        p->again_ns = INT64_MAX;
        p->player.playing = false;
        player_play(&p->player, now);
    }
    if (!player_advance(&p->player, now, err))
        return false;
    if (p->again_ns == INT64_MAX && p->rounds > 0 && p->player.step == 0 &&
        w->schedule != NULL && w->position == w->nsteps)
        p->again_ns = now + PAUSE_NS;
    return true;
}

/* A preview that fails is not shown. */
static bool
home_advance(void *self, int64_t now, struct err *err)
{
    struct home_screen *h = self;

    if (now >= h->preview_ns && !screen_has_key(h->window.screen))
        open_preview(h);
    if (h->preview.open && !advance_preview(&h->preview, now, err)) {
        preview_close(h);
        window_notify(&h->window, true, "%s", err->text);
    }
    return true;
}

static bool
home_screen_draw(void *self, struct canvas *c)
{
    struct home_screen *h = self;

    h->view.scene = NULL;
    if (h->preview.open) {
        h->scene = (struct scene){.view = -1};
        player_show(&h->preview.player, clock_ns(), &h->scene);
        h->view.recorded = h->preview.job == NULL;
        h->view.scene = &h->scene;
    }
    home_draw(&h->view, c);
    return true;
}

static struct help
home_screen_help(void *self, const struct canvas *c)
{
    const struct home_screen *h = self;

    return home_help(&h->view, c);
}

/* Going there, and back. */

static bool
go_to_run(struct home_screen *h, const char *algorithm, const char *backend,
          struct err *err)
{
    const struct watch_way_back back = {.to = _("home"),
                                        .changes = &h->changes};
    OWN(options) o = {0};
    struct job *job;
    bool ok;

    options_copy(&o, h->o);
    if (backend != NULL) {
        free(o.backend);
        o.backend = mem_string(backend);
    }
    job = job_new(plan_new(algorithm, NULL, &o, err));
    ok = job != NULL &&
         watch_job(&job, h->window.screen, &back, h->o->ascii, err);
    job_free(job);
    return ok;
}

/* Goes to an exercise of a skill, or to an exam. */
static enum lesson_end
go_to_practice(struct home_screen *h, enum skill skill, struct err *err)
{
    OWN(exam) e = {0};

    if (skill != SKILL_NONE)
        return lessons_practice(&h->lessons, skill, seed_new(), err);
    window_busy(&h->window, _("drawing an exam ..."));
    return exam_draw(&e, seed_new(), EXAM_ALL, h->o, err)
               ? lessons_exam(&h->lessons, &e, 0, err)
           : e.left ? LESSON_MENU
                    : LESSON_FAILED;
}

static bool
go_there(struct home_screen *h, const struct home_row *r, struct err *err)
{
    const struct watch_way_back back = {.to = _("home")};
    struct session session;
    enum lesson_end end;
    bool ok;

    switch (r->door) {
    case HOME_LEARN:
        h->lessons.screen = h->window.screen;
        end = r->card != NULL
                  ? lessons_play(&h->lessons, r->key, r->card->path, err)
                  : go_to_practice(h, (enum skill)r->skill, err);
        h->window.over =
            r->card != NULL && h->view.lessons && end == LESSON_QUIT;
        return end != LESSON_FAILED;
    case HOME_REPLAY:
        session_init(&session);
        ok = session_read(&session, r->key, err) &&
             watch_recording(&session, h->window.screen, &back, h->o->ascii,
                             err);
        session_done(&session);
        return ok;
    case HOME_WATCH:
        return go_to_run(h, r->key, NULL, err);
    default:
        return go_to_run(h, "ring-allreduce", r->key, err);
    }
}

/* Lists what is there now: a lesson may be done, a run recorded.  In the menu
 * of lessons it says what has come back. */
static void
read_list(struct home_screen *h, const struct shelf *shelf)
{
    struct err why;
    int due;

    if (!home_list_read(&h->list, shelf, h->view.lessons, &why))
        window_notify(&h->window, true, "%s", why.text);
    due = h->list.due;
    if (!h->view.lessons || due == 0 || window_notice(&h->window) != NULL)
        return;
    window_notify(&h->window, false,
                  ngettext("%d question that you missed has come back: v asks "
                           "it",
                           "%d questions that you missed have come back: v "
                           "asks them", (unsigned long)due), due);
}

static void
come_back(struct home_screen *h, enum home_door door, const char *key,
          bool practised)
{
    read_list(h, lessons_shelf(&h->lessons, door == HOME_LEARN));
    h->previewed = -1;
    fill_list(h, door == HOME_LEARN && !practised
                     ? home_list_lesson(&h->list, h->lessons.name)
                     : home_list_row(&h->list, door, key));
}

static void
open_row(struct home_screen *h)
{
    int row = chosen_row(h);
    const struct home_row *r = row >= 0 ? &h->list.rows[row] : NULL;
    OWN_MEMORY char *key = NULL;
    struct err err = {.text = ""};

    if (r != NULL && !r->opens)
        window_notify(&h->window, true, "%s", r->text);
    if (r == NULL || !r->opens)
        return;
    preview_close(h);
    if (!go_there(h, r, &err) && signals_ending() == 0)
        window_notify(&h->window, true, "%s", err.text);
    if (h->window.over || signals_ending() != 0)
        return;
    key = mem_string(r->key);
    come_back(h, r->door, key, r->door == HOME_LEARN && r->card == NULL);
}

/* The menu of lessons. */

/* Asks what is due, or with a row what proves its lesson.  Returns false, with
 * the reason in *err, if a question could not be asked and the learner has
 * left. */
static bool
ask_review(struct home_screen *h, const struct home_row *r, struct err *err)
{
    json_auto_t *all = progress_read(err);
    bool there = r != NULL ? r->proves : progress_due(all, time(NULL)) > 0;
    OWN_MEMORY char *key = r != NULL ? mem_string(r->key) : NULL;

    if (!there) {
        window_notify(&h->window, all == NULL || r == NULL, "%s",
                      all == NULL ? err->text
                      : r == NULL ? _("no question is due for review")
                                  : _("to prove a lesson, read it, and come "
                                      "back on another day"));
        return true;
    }
    preview_close(h);
    h->lessons.screen = h->window.screen;
    h->window.over = lessons_review(&h->lessons, key, err) == LESSON_QUIT;
    window_notify(&h->window, true, "%s", err->text);
    if (!h->window.over && signals_ending() == 0)
        come_back(h, HOME_LEARN, key, r != NULL);
    return !h->window.over || err->text[0] == '\0';
}

static void
forget_row(struct home_screen *h, int row)
{
    struct err aside, err;

    h->forgets = !h->forgets;
    if (h->forgets) {
        window_notify(&h->window, false,
                      _("r again forgets what was done in: %s"),
                      h->list.rows[row].name);
        return;
    }
    if (progress_forget(h->list.rows[row].key, &aside, &err))
        window_notify(&h->window, false, "%s", aside.text);
    else
        window_notify(&h->window, true, "%s", err.text);
    read_list(h, lessons_shelf(&h->lessons, false));
    fill_list(h, row);
}

/* The place in the list of the lesson with a number; -1: none. */
static int
find_numbered(const struct home_screen *h, int number)
{
    for (int i = 0; number > 0 && i < h->view.nlisted; i++)
        if (h->list.rows[h->view.listed[i]].card != NULL &&
            h->list.rows[h->view.listed[i]].card->number == number)
            return i;
    return -1;
}

/* Keys. */

static void
begin_search(struct home_screen *h)
{
    prompt_open(&h->search, _("search:"), NULL);
    fill_list(h, chosen_row(h));
}

/* The door of the chosen row opens. */
static void
end_search(struct home_screen *h)
{
    int row = chosen_row(h);

    h->search.open = false;
    if (row >= 0)
        h->view.door = h->list.rows[row].door;
    fill_list(h, row);
}

static void
type_search(struct home_screen *h, int key)
{
    if (!h->search.open && (h->view.lessons || key <= ' ' || key > '~'))
        return;
    if (key == SCREEN_KEY_BACKSPACE && h->search.typed[0] == '\0') {
        end_search(h);
        return;
    }
    if (!h->search.open)
        begin_search(h);
    prompt_key(&h->search, key);
    fill_list(h, chosen_row(h));
}

static bool
home_request(void *self, int request, struct err *err)
{
    struct home_screen *h = self;
    int row = chosen_row(h), number = h->window.hit.number, by;
    const struct home_row *lesson = row >= 0 && h->list.rows[row].card != NULL
                                        ? &h->list.rows[row]
                                        : NULL;

    h->forgets = h->forgets && request == DO_FORGET;
    h->typed = request == DO_DIGIT ? h->typed : 0;
    switch (request) {
    case DO_NEXT_DOOR:
    case DO_PREVIOUS_DOOR:
        by = request == DO_NEXT_DOOR ? 1 : HOME_DOORS - 1;
        open_door(h, (h->view.door + by) % HOME_DOORS);
        break;
    case DO_POINT:
        if (h->window.hit.kind == TARGET_DOOR)
            open_door(h, (enum home_door)number);
        else if (h->window.hit.kind == TARGET_ROW && number == h->view.chosen)
            open_row(h);
        else if (h->window.hit.kind == TARGET_ROW)
            choose_listed(h, number);
        break;
    case DO_ENTER:
        open_row(h);
        break;
    case DO_SEARCH:
        if (h->search.open)
            end_search(h);
        else
            begin_search(h);
        break;
    case DO_DIGIT: /* 1 chooses lesson 1, and 2 after it lesson 12 */
        h->typed = 10 * h->typed + h->window.key - '0';
        if (find_numbered(h, h->typed) < 0)
            h->typed = h->window.key - '0';
        if (find_numbered(h, h->typed) >= 0)
            choose_listed(h, find_numbered(h, h->typed));
        break;
    case DO_REVIEW:
        return ask_review(h, NULL, err);
    case DO_PROVE:
        return lesson == NULL || ask_review(h, lesson, err);
    case DO_FORGET:
        if (lesson != NULL)
            forget_row(h, row);
        break;
    case DO_PROMISES:
        text_pages_promises(&h->window);
        break;
    case DO_PROGRAM:
        if (lesson != NULL)
            text_pages_program(&h->window, lesson->card->path,
                               lesson->card->program);
        break;
    case 0:
        type_search(h, h->window.key);
        break;
    default:
        choose_listed(h, h->view.chosen + keys_by(request));
        window_answer(&h->window, request);
    }
    return true;
}

static struct pause
home_pause(const void *self, int64_t now)
{
    const struct home_screen *h = self;
    const struct preview *p = &h->preview;
    struct pause pause = {.due_ns = h->preview_ns, .fd = -1};
    int64_t due;

    if (!p->open)
        return pause;
    due = player_due(&p->player, now);
    if (p->rounds > 0 && p->again_ns < due)
        due = p->again_ns;
    pause.due_ns = due < h->preview_ns ? due : h->preview_ns;
    pause.fd = session_fd(p->player.session);
    pause.moves = player_moves(&p->player);
    return pause;
}

/* The first frame comes before the lessons, which are read in a while. */
static bool
home_start(void *self, struct err *err)
{
    struct home_screen *h = self;
    char folder[PATH_MAX];

    read_list(h, lessons_shelf(&h->lessons, true));
    if (h->view.lessons && h->list.count == 0) {
        install_folder(INSTALL_LESSONS, INSTALL_PLACES - 1, folder);
        return err_set(err, "there are no lessons here and none where they "
                       "are installed: %s", folder);
    }
    h->view.empty = _("There are no recordings (*.jsonl) in this folder. The "
                      "key w writes one while you watch a run.");
    open_door(h, HOME_LEARN);
    return true;
}

/* Shows what is in its list, and frees all. */
static bool
show_home(struct home_screen *h, struct screen *screen, struct err *err)
{
    static const struct window_kind kind = {
        .accent = ROLE_TEXT, .draw = home_screen_draw, .help = home_screen_help,
        .request = home_request, .start = home_start,
        .advance = home_advance, .pause = home_pause};
    bool ok;

    h->previewed = -1;
    h->preview_ns = INT64_MAX;
    for (int i = 0; i < HOME_DOORS; i++)
        h->view.counts[i] = h->view.lessons ? h->list.score
                                            : h->list.counts[i];
    h->view.empty = _("reading the lessons ...");
    open_door(h, HOME_LEARN);
    ok = window_run(&h->window, screen, h->o->ascii, &kind, h, err);
    preview_close(h);
    home_list_done(&h->list);
    free(h->view.listed);
    return ok;
}

bool
home(const struct options *o, struct screen *screen, struct err *err)
{
    struct home_screen h = {.o = o, .lessons = {.o = o, .back = _("home")}};
    bool ok;

    home_list_read(&h.list, NULL, false, err);
    ok = show_home(&h, screen, err);
    lessons_done(&h.lessons);
    return ok;
}

bool
home_lessons(const struct options *o, struct screen *screen, const char *name,
             const char *path, bool reviews, struct err *err)
{
    struct home_screen h = {.o = o, .lessons.o = o, .view.lessons = true};
    struct err trouble = {.text = ""};
    enum lesson_end end;
    bool ok;

    h.lessons.screen = screen;
    if (screen == NULL && !screen_open(&h.lessons.screen, err))
        return false;
    end = reviews ? lessons_review(&h.lessons, name, &trouble)
                  : lessons_play(&h.lessons, name, path, err);
    ok = end != LESSON_FAILED;
    if (end == LESSON_MENU) {
        window_notify(&h.window, true, "%s", trouble.text);
        ok = show_home(&h, h.lessons.screen, err);
    } else if (trouble.text[0] != '\0') {
        *err = trouble;
        ok = false;
    }
    if (screen == NULL)
        screen_close(h.lessons.screen);
    lessons_done(&h.lessons);
    return ok;
}

bool
home_tasks(const struct options *o, struct screen *screen, enum skill practice,
           uint32_t seed, struct exam *e, struct err *err)
{
    struct lessons l = {.o = o, .back = _("quit"), .screen = screen};
    const struct waiter *before;
    enum lesson_end end;

    if (screen == NULL && !screen_open(&l.screen, err))
        return false;
    before = waiter_use(&waiter_silent);
    end = practice != SKILL_NONE ? lessons_practice(&l, practice, seed, err)
                                 : lessons_exam(&l, e, o->minutes, err);
    waiter_use(before);
    if (screen == NULL)
        screen_close(l.screen);
    lessons_done(&l);
    return end != LESSON_FAILED;
}
