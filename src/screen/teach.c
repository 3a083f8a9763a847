/* SPDX-License-Identifier: MIT */
#include "screen/teach.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/signals.h"
#include "base/translate.h"
#include "lesson/progress.h"
#include "lesson/shelf.h"
#include "screen/sheets.h"
#include "screen/speaker.h"
#include "screen/stage.h"
#include "screen/teach_panel.h"
#include "screen/watch_job.h"
#include "tutor/reply.h"
#include "tutor/tutor.h"
#include "view/frame.h"
#include "view/keys.h"
#include "view/view.h"

struct teach {
    const struct options *o;
    const char *path;
    const struct teach_next *following;
    const char *next; /* title of what follows; NULL: not looked up yet */
    char *key; /* the lesson's name in the file of progress */
    struct stage stage;
    struct world *empty; /* shown before the first run */
    struct tutor *tutor;
    struct reply reply;
    bool asking; /* the reply is about the tutor's question */
    struct teach_panel panel;
    struct speaker speaker;
    const struct review *review; /* the only question; NULL: a whole lesson */
    struct err notice;
    bool alarm;
    int selected, view;
    int help; /* its page; 0: none */
    bool resumed; /* the page is where the learner left */
    bool reviewed; /* what comes of the review is kept */
    bool over; /* `end` says how */
    enum teach_end end;
};

static void
notify(struct teach *t, bool alarm, const char *text)
{
    err_set(&t->notice, "%s", text);
    t->alarm = alarm;
}

static void
leave(struct teach *t, enum teach_end end)
{
    t->over = true;
    t->end = end;
}

/* The part of the lesson that is over, 0 to 1. */
static double
progress_in(const struct tutor *u)
{
    return u->state == TUTOR_OVER ? 1 : (double)u->farthest / u->lines;
}

/* Drawing. */

/* Whether a GPU has been chosen as the answer. */
static bool
asks_rank(const struct teach *t)
{
    return t->asking && t->reply.quiz->kind == QUIZ_RANK &&
           t->reply.chosen >= 0;
}

static struct scene
scene_of(const struct teach *t)
{
    const struct player *p = &t->tutor->player;
    bool runs = t->tutor->shown >= 0;

    return (struct scene){
        .world = runs ? tutor_world(t->tutor) : t->empty,
        .step = runs ? p->step : 0,
        .target = runs ? p->target : -1,
        .flights = runs ? p->flights : NULL,
        .nflights = runs ? p->nflights : 0,
        .note = tutor_note(t->tutor),
        .awaited_ns = runs && !t->asking ? player_awaited(p, clock_ns()) : 0,
        .glyphs = t->stage.glyphs,
        .colourless = t->stage.colourless,
        .selected = asks_rank(t) ? t->reply.chosen : t->selected,
        .view = t->view,
        .taught = true,
        .asked = &t->panel.panel.asked,
        .trail = t->tutor->state == TUTOR_PAGE ? t->tutor->page.trail : NULL,
    };
}

static struct surround
around_of(const struct teach *t)
{
    return (struct surround){
        .help = t->help,
        .notice = t->notice.text[0] != '\0' ? t->notice.text : NULL,
        .alarm = t->alarm,
        .panel = &t->panel.panel,
        .back = t->panel.back,
    };
}

static void
add_score(struct buf *text, int right, int asked)
{
    buf_addf(text, ngettext("\n%d of %d question answered right at once, "
                            "without a hint: ",
                            "\n%d of %d questions answered right at once, "
                            "without a hint: ", asked),
             right, asked);
    buf_puts(text, progress_passes(right, asked)
                       ? _("passed.")
                       : _("read, but not passed yet."));
}

/* The title of the next lesson; "": none. */
static const char *
next_title(struct teach *t)
{
    if (t->next == NULL)
        t->next = t->following->title(t->following->state);
    return t->next;
}

/* The last page is ours, not the lesson's. */
static void
fill_last_page(struct teach *t)
{
    struct panel *p = &t->panel.panel;
    struct buf *text = &t->panel.text;
    const char *next = next_title(t);

    buf_addf(text, _("This was lesson %d: %s"), t->tutor->number,
             t->tutor->title);
    if (t->tutor->predicted > 0 && !t->panel.class)
        add_score(text, t->tutor->right, t->tutor->predicted);
    if (next[0] != '\0')
        buf_addf(text, _("\nNext: %s"), next);
    p->keys.enter = next[0] != '\0'        ? N_("go on")
                    : t->panel.back == NULL ? N_("all lessons")
                                            : NULL;
    p->headed = true;
    p->progress = progress_in(t->tutor);
    p->text = buf_text(text);
}

static void
fill_panel(struct teach *t)
{
    struct panel *p = &t->panel.panel;
    struct buf *status = &t->panel.status;

    teach_panel_fill(&t->panel, t->tutor, &t->reply, t->stage.glyphs);
    if (t->tutor->state == TUTOR_OVER && t->review == NULL)
        fill_last_page(t);
    p->keys.state |= t->resumed ? KEY_RESUMED : 0;
    buf_clear(status);
    speaker_add_status(&t->speaker, clock_ns(), status);
    p->status = status->length > 0 ? buf_text(status) : NULL;
}

static void
draw(struct teach *t)
{
    struct scene scene;
    struct surround around;

    fill_panel(t);
    scene = scene_of(t);
    around = around_of(t);
    frame_draw(&scene, &around, stage_canvas(&t->stage));
    stage_show(&t->stage);
}

/* The lesson's course. */

static bool
open_at(struct teach *t, int pages, const json_t *answers, struct err *err)
{
    struct tutor *fresh = tutor_open(t->path, t->o, err);

    if (fresh == NULL)
        return false;
    if (t->tutor != NULL)
        tutor_share_known(fresh, t->tutor->known);
    if (t->review != NULL)
        tutor_review(fresh, t->review->question, t->review->round);
    else if (answers != NULL)
        tutor_skip(fresh, pages, answers);
    tutor_close(t->tutor);
    t->tutor = fresh;
    t->asking = false;
    t->reply.quiz = NULL;
    return true;
}

/* A lecture keeps no progress. */
static bool
keeps(const struct teach *t)
{
    return !t->o->present && t->tutor->title != NULL;
}

static void
notify_kept(struct teach *t, bool ok, const struct err *aside,
            const struct err *err)
{
    if (!ok)
        notify(t, true, err->text);
    else if (aside->text[0] != '\0')
        notify(t, true, aside->text);
}

/* Keeps what was played so far.  A review keeps only how it ends. */
static void
keep(struct teach *t)
{
    const struct tutor *u = t->tutor;
    struct played played = {
        .page = u->pages > 0 ? u->pages - 1 : 0,
        .over = u->state == TUTOR_OVER,
        .asked = u->predicted,
        .right = u->right,
        .missed = u->missed,
    };
    struct err aside, err;

    if (!keeps(t) || t->review != NULL)
        return;
    played.answers = tutor_answered(u);
    notify_kept(t, progress_keep(t->key, &played, &aside, &err), &aside, &err);
    json_decref(played.answers);
}

static enum review_result
result_of_review(const struct teach *t)
{
    const struct tutor *u = t->tutor;
    int question = t->review->question;
    json_t *missed = json_array_get(u->missed,
                                    json_array_size(u->missed) - 1);

    if ((int)json_array_size(u->truths) <= question)
        return REVIEW_GONE;
    return json_is_integer(missed) && json_integer_value(missed) == question
               ? REVIEW_MISSED
               : REVIEW_RIGHT;
}

/* After the answer of a review, plans the next round. */
static void
end_review(struct teach *t)
{
    struct err aside, err;

    if (keeps(t))
        notify_kept(t, progress_keep_review(t->key, t->review,
                                            result_of_review(t), &aside, &err),
                    &aside, &err);
}

/* Goes back to the page before, or to the first. */
static bool
go_back(struct teach *t, bool first, struct err *err)
{
    int page = t->tutor->state == TUTOR_OVER ? t->tutor->pages + 1
                                             : t->tutor->pages;
    int to = first ? 1 : page - 1;
    json_t *answers;
    bool ok;

    if (to < 1 || t->review != NULL)
        return true;
    answers = tutor_answered(t->tutor);
    ok = open_at(t, to - 1, answers, err);
    json_decref(answers);
    return ok;
}

/* Lets the learner play with a copy of the run, and asks at once how to change
 * it if `asks`.  The lesson's run stays as it is. */
static bool
play(struct teach *t, bool asks, struct err *err)
{
    const struct page *page = &t->tutor->page;
    bool asked_to = page->kind == PAGE_PLAY;
    const struct watch_way_back back = {
        .to = _("lesson"),
        .lesson = true,
        .task = asked_to ? page->text : NULL,
        .tries = page->tries,
        .ntries = asked_to ? page->ntries : 0,
        .asks = asks,
        .step = tutor_world(t->tutor) != NULL
                    ? tutor_world(t->tutor)->position
                    : 0};
    struct job *job;
    struct err why;

    if (t->tutor->shown < 0) {
        notify(t, false, _("there is nothing to play with yet"));
        return true;
    }
    job = job_changed(t->tutor->runs[t->tutor->shown], "", err);
    if (job == NULL)
        return false;
    if (!watch_job(&job, t->stage.screen, &back, t->o->ascii, &why))
        notify(t, true, why.text);
    t->panel.played = asked_to;
    job_free(job);
    if (signals_ending() != 0)
        leave(t, TEACH_QUIT);
    return true;
}

/* Shows the program that the lesson is about, or else what each collective
 * promises. */
static void
show_sheet(struct teach *t, bool program)
{
    struct err why;

    if (!program)
        sheets_promises(t->stage.screen, t->o->ascii);
    else if (t->tutor->program == NULL)
        notify(t, false, _("this lesson is not about a program"));
    else if (!sheets_program(t->stage.screen, t->o->ascii, t->path,
                             t->tutor->program, &why))
        notify(t, true, why.text);
    if (signals_ending() != 0)
        leave(t, TEACH_QUIT);
}

/* Keys. */

static void
next_view(struct teach *t)
{
    struct scene scene = scene_of(t);
    struct layout l;
    int columns, rows;

    screen_size(t->stage.screen, &columns, &rows);
    if (t->tutor->shown >= 0 && layout(columns, rows, true, &l))
        t->view = view_next(&scene, l.picture);
}

static void
click(struct teach *t)
{
    struct scene scene = scene_of(t);
    int columns, rows;
    struct frame_target hit;

    screen_size(t->stage.screen, &columns, &rows);
    if (t->panel.panel.full)
        return;
    hit = frame_at(&scene, columns, rows, screen_pointed(t->stage.screen));
    if (hit.what != FRAME_RANK)
        return;
    t->selected = hit.number;
    if (t->asking && t->reply.quiz->kind == QUIZ_RANK)
        t->reply.chosen = hit.number;
}

/* What is the same on a page, in a question and while a run moves. */
static bool
common_request(struct teach *t, int request, struct err *err)
{
    struct err why;

    switch (request) {
    case DO_PLAY:
        return play(t, false, err);
    case DO_BACK:
        return go_back(t, false, err);
    case DO_FIRST:
        return go_back(t, true, err);
    case DO_POINT:
        click(t);
        return true;
    case DO_NEXT_RANK:
        if (tutor_world(t->tutor) != NULL)
            t->selected = (t->selected + 1) %
                          tutor_world(t->tutor)->schedule->nranks;
        return true;
    case DO_VIEW:
        next_view(t);
        return true;
    case DO_NOTES:
        t->panel.noted = !t->panel.noted;
        return true;
    case DO_TIMER:
        if (!speaker_give_time(&t->speaker, clock_ns(), &why))
            notify(t, true, why.text);
        return true;
    case DO_PROMISES:
    case DO_PROGRAM:
        show_sheet(t, request == DO_PROGRAM);
        return true;
    case DO_HELP:
        t->help = 1;
        return true;
    case DO_MENU:
        leave(t, TEACH_MENU);
        return true;
    case DO_QUIT:
        leave(t, TEACH_QUIT);
        return true;
    default:
        return true;
    }
}

static bool
page_request(struct teach *t, int request, struct err *err)
{
    switch (request) {
    case DO_ENTER:
        return t->tutor->page.kind == PAGE_PLAY && !t->panel.played
                   ? play(t, false, err)
                   : tutor_go_on(t->tutor, err);
    case DO_CHANGE:
        return t->tutor->page.kind != PAGE_PLAY || play(t, true, err);
    case DO_NEXT:
    case DO_WHEEL_NEXT:
        return tutor_go_on(t->tutor, err);
    case DO_WHEEL_BACK:
        return go_back(t, false, err);
    default:
        return common_request(t, request, err);
    }
}

static bool
give_answer(struct teach *t, json_t *answer, struct err *err)
{
    bool ok = tutor_answer(t->tutor, answer, err);

    t->asking = t->tutor->state == TUTOR_ASKS;
    if (t->asking) { /* once more */
        keep(t);
        reply_begin(&t->reply, &t->tutor->quiz, t->tutor->first);
    }
    return ok;
}

/* A question to a class: nothing is answered here, and the run gives the
 * answer. */
static bool
class_request(struct teach *t, int request, struct err *err)
{
    switch (request) {
    case DO_ENTER:
    case DO_NEXT:
    case DO_WHEEL_NEXT:
        return give_answer(t, NULL, err);
    case DO_WHEEL_BACK:
        return go_back(t, false, err);
    case DO_HELP:
        if (t->reply.hints == t->tutor->quiz.nhints)
            t->help = 1;
        else
            t->reply.hints++;
        return true;
    default:
        return common_request(t, request, err);
    }
}

/* Keeps a hint at once, so that it counts even if the learner leaves. */
static void
notice_hint(struct teach *t, int hints)
{
    if (t->reply.hints == hints)
        return;
    tutor_hinted(t->tutor, t->reply.hints);
    keep(t);
}

/* Keys that are not part of an answer mean what they mean elsewhere. */
static bool
question_key(struct teach *t, int key, int request, struct err *err)
{
    int hints = t->reply.hints;
    struct err why;
    json_t *answer;

    if (request == DO_HELP && hints == t->tutor->quiz.nhints) {
        t->help = 1;
        return true;
    }
    switch (reply_key(&t->reply, key, &answer, &why)) {
    case REPLY_GIVEN:
        return give_answer(t, answer, err);
    case REPLY_REFUSED:
        notify(t, true, why.text);
        return true;
    case REPLY_CHANGED:
        notice_hint(t, hints);
        return true;
    default:
        return common_request(t, request, err);
    }
}

static bool
last_request(struct teach *t, int request, struct err *err)
{
    switch (request) {
    case DO_ENTER:
    case DO_NEXT:
        leave(t, next_title(t)[0] != '\0' ? TEACH_NEXT : TEACH_MENU);
        return true;
    default:
        return common_request(t, request, err);
    }
}

/* While a step is in flight, a key completes it. */
static bool
busy_request(struct teach *t, int request, struct err *err)
{
    switch (request) {
    case DO_ENTER:
    case DO_NEXT:
        if (t->tutor->moving_to >= 0)
            player_go(&t->tutor->player, t->tutor->moving_to);
        return true;
    case DO_BACK:
        return true;
    default:
        return common_request(t, request, err);
    }
}

static int
help_after(const struct teach *t, int key)
{
    struct scene scene = scene_of(t);
    struct surround around = around_of(t);
    int columns, rows;

    screen_size(t->stage.screen, &columns, &rows);
    return frame_help_after(&scene, &around, columns, rows, key);
}

static bool
key_pressed(struct teach *t, int key, struct err *err)
{
    int request;

    fill_panel(t); /* the frame shown may be older */
    request = keys_request(ON_LESSON, t->panel.panel.keys.state, key);
    notify(t, false, "");
    t->resumed = false;
    if (t->help > 0) {
        t->help = help_after(t, key);
        return true;
    }
    switch (t->tutor->state) {
    case TUTOR_PAGE:
        return page_request(t, request, err);
    case TUTOR_ASKS:
        return t->panel.class ? class_request(t, request, err)
                              : question_key(t, key, request, err);
    case TUTOR_OVER:
        return last_request(t, request, err);
    default:
        return busy_request(t, request, err);
    }
}

/* The loop. */

static bool
moves(const struct teach *t)
{
    struct scene scene = scene_of(t);
    struct layout l;
    int columns, rows;

    screen_size(t->stage.screen, &columns, &rows);
    return t->tutor->shown >= 0 && player_moves(&t->tutor->player) &&
           layout(columns, rows, true, &l) &&
           !view_choose(&scene, l.picture)->still;
}

/* When there is something to do without a key. */
static int64_t
due(const struct teach *t)
{
    int64_t now = clock_ns(), next = tutor_due(t->tutor, now);
    int64_t tick = speaker_due(&t->speaker, now);

    return tick < next ? tick : next;
}

static bool
turn(struct teach *t, struct err *err)
{
    int key;

    switch (stage_wait(&t->stage, tutor_fd(t->tutor), due(t), moves(t),
                       &key)) {
    case SCREEN_KEY:
        return key_pressed(t, key, err);
    case SCREEN_SIGNAL:
        leave(t, TEACH_QUIT);
        break;
    default:
        break;
    }
    return true;
}

/* What comes of a review is kept as soon as the answer shows; a lesson that has
 * lost the question is over without one. */
static void
notice_review(struct teach *t)
{
    const struct tutor *u = t->tutor;

    if (u->state == TUTOR_PAGE || u->state == TUTOR_OVER) {
        if (!t->reviewed)
            end_review(t);
        t->reviewed = true;
    }
    if (u->state == TUTOR_OVER)
        leave(t, TEACH_NEXT);
}

/* Starts a reply when a question comes up, and keeps progress at each page. */
static void
notice_change(struct teach *t, int *pages, enum tutor_state *state)
{
    struct tutor *u = t->tutor;
    bool over = u->state == TUTOR_OVER;
    struct err why;

    if (u->pages == *pages && u->state == *state)
        return;
    if (u->state == TUTOR_ASKS && !t->asking) {
        reply_begin(&t->reply, &u->quiz, u->first);
        t->asking = !t->panel.class;
    }
    if (u->pages != *pages)
        t->panel.played = false;
    if (u->state != TUTOR_BUSY) {
        stage_hurry(&t->stage);
        if (!speaker_turn(&t->speaker, u, progress_in(u), &why))
            notify(t, true, why.text);
        if (t->review == NULL && (u->pages != *pages || over))
            keep(t);
        *pages = u->pages;
    }
    if (t->review != NULL)
        notice_review(t);
    *state = u->state;
}

/* If a lesson ends before the page where it was left, its file has changed, and
 * it starts again. */
static bool
advance(struct teach *t, struct err *err)
{
    const struct tutor *u = t->tutor;

    if (!tutor_advance(t->tutor, clock_ns(), err))
        return false;
    if (u->state != TUTOR_OVER || u->skip == 0 || u->pages > u->skip)
        return true;
    notify(t, false, _("the lesson has changed: it starts again"));
    t->resumed = false;
    return open_at(t, 0, NULL, err);
}

static bool
loop(struct teach *t, struct err *err)
{
    enum tutor_state state = TUTOR_BUSY;
    int pages = -1;

    stage_hurry(&t->stage);
    do {
        if (!advance(t, err))
            return false;
        notice_change(t, &pages, &state);
        if (stage_wants_frame(&t->stage) && (t->tutor->title != NULL))
            draw(t);
    } while (!t->over && turn(t, err) && !t->over);
    return t->over;
}

/* Opens the lesson at the page where it was left.  One that is done and begun
 * again is asked as if for the first time. */
static bool
resume(struct teach *t, struct err *err)
{
    struct err why;
    json_t *all = progress_read(&why);
    struct progress p = progress_of(all, t->key);
    bool ok, again = t->o->present || (p.done && p.page == 0);

    if (all == NULL)
        notify(t, true, why.text);
    ok = open_at(t, again ? 0 : p.page, again ? NULL : p.answers, err);
    t->resumed = ok && !t->o->present && t->review == NULL && p.page > 0;
    json_decref(all);
    return ok;
}

static void
begin_speaking(struct teach *t)
{
    const struct teach_next *f = t->following;
    bool presents = t->o->present && t->review == NULL;
    struct err why;

    t->panel.presents = t->o->present;
    t->panel.class = t->o->present && !t->o->quiz;
    if (!speaker_begin(&t->speaker, t->path, t->o->nranks,
                       f != NULL ? f->lecture : NULL, presents, &why))
        notify(t, false, why.text);
}

static enum teach_end
run(struct teach *t, struct screen *screen, struct err *err)
{
    t->view = -1;
    begin_speaking(t);
    t->key = shelf_key(t->path);
    t->empty = world_new();
    t->end = TEACH_QUIT;
    stage_init(&t->stage, screen, t->o->ascii, ROLE_LEARN);
    if (signals_ending() == 0 && (!resume(t, err) || !loop(t, err)))
        t->end = signals_ending() != 0 ? TEACH_QUIT : TEACH_FAILED;
    tutor_close(t->tutor);
    teach_panel_done(&t->panel);
    stage_done(&t->stage);
    speaker_end(&t->speaker);
    world_free(t->empty);
    free(t->key);
    return t->end;
}

enum teach_end
teach(struct screen *screen, const char *path, const struct options *o,
      const struct teach_next *next, struct err *err)
{
    struct teach t = {.o = o, .path = path, .panel.back = next->back,
                      .following = next};

    return run(&t, screen, err);
}

enum teach_end
teach_review(struct screen *screen, const char *path, const struct options *o,
             const struct review *review, struct err *err)
{
    struct teach t = {.o = o, .path = path, .review = review};

    return run(&t, screen, err);
}
