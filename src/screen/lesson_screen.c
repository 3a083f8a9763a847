/* SPDX-License-Identifier: MIT */
#include "screen/lesson_screen.h"

#include <stdlib.h>

#include "base/bounds.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/signals.h"
#include "base/translate.h"
#include "lesson/progress.h"
#include "screen/answer.h"
#include "screen/lesson_panel.h"
#include "screen/lessons.h"
#include "screen/speaker.h"
#include "screen/text_pages.h"
#include "screen/watch.h"
#include "screen/window.h"
#include "view/frame.h"
#include "view/keys.h"

/* A lesson, or a question of one. */
struct lesson_screen {
    struct lessons *lessons;
    const struct options *o;
    const struct asked *asked;
    const struct manner *manner; /* of asking it */
    char *key; /* the lesson's name in the file of progress */
    struct window window;
    struct world *empty; /* shown before the first run */
    struct tutor *tutor;
    const struct tutor_seen *seen; /* of it */
    struct answer answer;
    bool asking; /* the answer is to the tutor's question */
    struct lesson_panel panel;
    struct speaker speaker;
    int selected, view;
    struct panes panes; /* of the picture shown */
    int pages;               /* as they were at the last change */
    enum tutor_state state;
    bool resumed; /* the page is where the learner left */
    bool kept;    /* what came of a question that is asked alone */
    bool leaving; /* an exam: once more ends it */
    bool stopped; /* a key has ended what the lesson waited for, and so it */
    enum lesson_end end;
};

static void
end_lesson(struct lesson_screen *t, enum lesson_end end)
{
    t->window.over = true;
    t->end = end;
}

/* Drawing. */

static struct scene
lesson_scene(struct lesson_screen *t)
{
    struct scene s = {
        .world = t->empty,
        .target = -1,
        .selected = t->selected,
        .view = t->view,
        .taught = true,
        .hides = t->seen->state == TUTOR_ASKS && t->seen->question.predicts,
        .asked = &t->panel.panel.asked,
        .trail = t->seen->state == TUTOR_PAGE ? t->seen->page.trail : NULL,
    };

    if (t->seen->picture.shown >= 0)
        player_show(&t->seen->picture.player, clock_ns(), &s);
    if (t->asking)
        s.awaited_ns = 0;
    if (t->asking && answer_face(&t->answer)->scene != NULL)
        answer_face(&t->answer)->scene(&t->answer, &s);
    return s;
}

static struct surround
lesson_surround(struct lesson_screen *t)
{
    return (struct surround){
        .notice_rows = window_notice_rows(&t->window),
        .panel = &t->panel.panel,
        .back = t->panel.back,
        .panes = &t->panes,
    };
}

static void
fill_panel(struct lesson_screen *t)
{
    struct panel *p = &t->panel.panel;
    struct buf *status = &t->panel.status;

    t->panel.voters = speaker_votes(&t->speaker, QUESTION_ITEMS,
                                    t->panel.votes, &t->panel.nvotes);
    lesson_panel_fill(&t->panel, t->seen, &t->answer,
                      t->window.canvas.glyphs);
    if (t->seen->state == TUTOR_OVER && !t->manner->alone)
        lesson_panel_end(&t->panel, t->seen, t->key, lessons_next(t->lessons));
    p->keys.state |= t->resumed ? KEY(RESUMED) : 0;
    buf_clear(status);
    speaker_add_status(&t->speaker, p->progress, clock_ns(), status);
    if (t->seen->mark == MARK_SPARE && t->lessons->lecture.began_ns > 0 &&
        lecture_behind(&t->lessons->lecture, p->progress, clock_ns()) > 0)
        buf_puts(status, _(": leave this out"));
    speaker_publish(&t->speaker, t->seen, status);
    if (t->asked->status != NULL) {
        buf_puts(status, status->length > 0 ? "   " : "");
        buf_puts(status, t->asked->status);
        p->progress = t->asked->progress;
    }
    if (t->asked->until_ns > 0) {
        int64_t left_ns = t->asked->until_ns - clock_ns();
        int seconds = most((int)((left_ns + 999999999) / 1000000000), 0);
        buf_addf(status, _("   %d:%02d left"), seconds / 60, seconds % 60);
    }
    p->status = status->length > 0 ? buf_text(status) : NULL;
}

static bool
lesson_draw(void *self, struct canvas *c)
{
    struct lesson_screen *t = self;
    struct surround around;
    struct scene scene;

    /* The run that judges an answer in an exam is not shown. */
    if (t->seen->card.title == NULL ||
        (t->manner->examines && t->seen->state != TUTOR_ASKS))
        return false;
    fill_panel(t);
    scene = lesson_scene(t);
    around = lesson_surround(t);
    frame_draw(&scene, &around, c);
    return true;
}

/* The frame shown may be older than the panel's state. */
static struct help
lesson_help(void *self, const struct canvas *c)
{
    struct lesson_screen *t = self;
    struct surround around = lesson_surround(t);
    struct scene scene;

    fill_panel(t);
    scene = lesson_scene(t);
    return frame_help(&scene, &around, c->columns, c->rows);
}

/* Its pages. */

static bool
open_at(struct lesson_screen *t, int pages, json_t *answers, struct err *err)
{
    const struct asked *a = t->asked;
    const struct tutor_how how = {
        .question = a->question, .round = a->round,
        .skip = answers != NULL ? pages : 0, .earlier = answers,
        .examines = t->manner->examines,
        .known = t->tutor != NULL ? t->seen->how.known : a->known};
    struct tutor *fresh = tutor_open(a->path, t->o, &how, err);

    if (fresh == NULL)
        return false;
    if (t->tutor != NULL && t->seen->state == TUTOR_ASKS)
        speaker_close(&t->speaker, t->seen); /* votes read its question */
    tutor_close(t->tutor);
    t->tutor = fresh;
    t->seen = tutor_seen(fresh);
    t->asking = false;
    t->answer.question = NULL;
    return true;
}

/* Keeps what was played so far.  A question that is asked alone is kept as soon
 * as the answer shows. */
static void
keep_progress(struct lesson_screen *t)
{
    const struct manner *m = t->manner;
    struct err aside = {.text = ""}, err;
    bool ok;

    if (t->seen->card.title == NULL || m->keep == NULL ||
        (m->alone && (t->kept || t->seen->state == TUTOR_ASKS)))
        return;
    t->kept = true;
    ok = m->keep(t->asked, t->tutor, &aside, &err);
    if (!ok || aside.text[0] != '\0')
        window_notify(&t->window, true, "%s", ok ? aside.text : err.text);
}

/* Goes back to the page before, or to the first. */
static bool
go_back(struct lesson_screen *t, bool first, struct err *err)
{
    int page = t->seen->state == TUTOR_OVER ? t->seen->pages + 1
                                             : t->seen->pages;
    int to = first ? 1 : page - 1;
    json_t *answers;
    bool ok;

    if (to < 1 || t->manner->alone)
        return true;
    answers = tutor_answered(t->tutor);
    ok = open_at(t, to - 1, answers, err);
    json_decref(answers);
    return ok;
}

/* Lets the learner play with a copy of the run, and asks at once how to change
 * it if `asks`.  The lesson's run stays as it is. */
static bool
explore_run(struct lesson_screen *t, bool asks, struct err *err)
{
    const struct page *page = &t->seen->page;
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

    if (t->panel.closed) {
        window_notify(&t->window, false,
                      _("a question is open: answer it, then explore the run"));
        return true;
    }
    if (t->seen->picture.shown < 0) {
        window_notify(&t->window, false,
                      _("there is nothing to play with yet"));
        return true;
    }
    job = tutor_copy_run(t->tutor, err);
    if (job == NULL)
        return false;
    if (!watch_job(&job, t->window.screen, &back, t->o->ascii, &why))
        window_notify(&t->window, true, "%s", why.text);
    t->panel.played = asked_to;
    job_free(job);
    return true;
}

/* Keys. */

static bool
give_answer(struct lesson_screen *t, json_t *answer, struct err *err)
{
    const struct question_face *face = question_faces[t->seen->question.kind];
    bool ok;

    speaker_close(&t->speaker, t->seen);
    if (answer == NULL && t->manner->examines && face->unfinished != NULL)
        answer = face->unfinished(&t->answer);
    if (face->moved != NULL) /* the script goes on where it was */
        player_go(tutor_player(t->tutor), t->answer.stood);
    ok = tutor_answer(t->tutor, answer, err);
    t->asking = t->seen->state == TUTOR_ASKS;
    t->panel.closed = t->asking;
    if (t->asking) { /* once more */
        keep_progress(t);
        answer_begin(&t->answer, t->seen, t->tutor);
    }
    return ok;
}

/* Carries out what came of a key or a click. */
static bool
heed_answer(struct lesson_screen *t, enum answer_did did, json_t *given,
            struct err *why, struct err *err)
{
    if (did == ANSWER_GIVEN)
        return give_answer(t, given, err);
    if (did == ANSWER_REFUSED)
        window_notify(&t->window, false, "%s", why->text);
    return true;
}

/* Takes a key that is part of an answer; *taken: it was.  A hint is kept at
 * once, so that it counts even if the learner leaves. */
static bool
pass_key(struct lesson_screen *t, bool *taken, struct err *err)
{
    const struct question_face *face = answer_face(&t->answer);
    int hints = t->answer.hints, rank;
    struct err why;
    json_t *given;
    enum answer_did what;

    what = answer_key(&t->answer, t->window.key, &given, &why);
    *taken = what != ANSWER_NOTHING;
    if (what == ANSWER_CHANGED && face->moved != NULL &&
        (rank = face->moved(&t->answer)) >= 0)
        t->selected = rank;
    if (t->answer.hints != hints) {
        tutor_hinted(t->tutor, t->answer.hints);
        keep_progress(t);
    }
    return heed_answer(t, what, given, &why, err);
}

static bool
click_picture(struct lesson_screen *t, struct err *err)
{
    const struct target *hit = &t->window.hit;
    const struct world *w = tutor_world(t->tutor);
    struct err why;
    int slot = hit->slot;

    if (hit->kind != TARGET_RANK)
        return true;
    t->selected = hit->number;
    if (!t->asking || w == NULL)
        return true;
    if (slot >= 0)
        slot -= schedule_outputs(w->schedule).first;
    return heed_answer(t, answer_click(&t->answer, hit->number, slot, &why),
                       NULL, &why, err);
}

/* Nobody answers at the keys when a class is asked: the run gives the answer.
 * A key completes a step that is in flight. */
static bool
turn_page(struct lesson_screen *t, int request, struct err *err)
{
    const struct tutor_seen *u = t->seen;

    switch (u->state) {
    case TUTOR_PAGE:
        return request == DO_ENTER && u->page.kind == PAGE_PLAY &&
                       !t->panel.played && !t->panel.closed
                   ? explore_run(t, false, err)
                   : tutor_go_on(t->tutor, err);
    case TUTOR_ASKS:
        if (!t->manner->class)
            return true;
        if (t->panel.voters > 0 && !t->panel.polled)
            return t->panel.polled = true; /* the answer comes after it */
        return give_answer(t, NULL, err);
    case TUTOR_OVER:
        end_lesson(t, lessons_next(t->lessons) != NULL ? LESSON_NEXT
                                                       : LESSON_MENU);
        return true;
    default:
        tutor_hasten(t->tutor);
        return true;
    }
}

/* An exam ends at the second time of asking. */
static void
ask_to_leave(struct lesson_screen *t, enum lesson_end end)
{
    if (!t->manner->examines || t->leaving) {
        end_lesson(t, end);
        return;
    }
    t->leaving = true;
    window_notify(&t->window, false, _("once more ends the exam: what is not "
                                       "answered is not right"));
}

/* Keys that are not part of an answer mean the same on a page, in a question
 * and while a run moves. */
static bool
lesson_request(void *self, int request, struct err *err)
{
    struct lesson_screen *t = self;
    const struct tutor_seen *u = t->seen;
    bool asks = u->state == TUTOR_ASKS, class = t->manner->class;
    bool more_hints = asks && t->answer.hints < u->question.nhints;
    bool turns = u->state == TUTOR_PAGE || (asks && class), taken = false;
    bool ok = true;
    struct scene scene;

    t->resumed = false;
    t->leaving = t->leaving && request == DO_QUIT;
    if (asks && !class && (request != DO_HELP || more_hints))
        ok = pass_key(t, &taken, err);
    if (taken)
        return ok;
    switch (request) {
    case DO_ENTER:
    case DO_NEXT:
        return turn_page(t, request, err);
    case DO_WHEEL_NEXT:
        return !turns || turn_page(t, request, err);
    case DO_WHEEL_BACK:
        return !turns || go_back(t, false, err);
    case DO_BACK:
        return u->state == TUTOR_BUSY || go_back(t, false, err);
    case DO_FIRST:
        return go_back(t, true, err);
    case DO_PLAY:
        return explore_run(t, false, err);
    case DO_CHANGE:
        return u->state != TUTOR_PAGE || u->page.kind != PAGE_PLAY ||
               explore_run(t, true, err);
    case DO_POINT:
        return click_picture(t, err);
    case DO_NEXT_RANK:
        if (tutor_world(t->tutor) != NULL)
            t->selected = (t->selected + 1) %
                          tutor_world(t->tutor)->schedule->nranks;
        break;
    case DO_VIEW:
        scene = lesson_scene(t);
        t->view = frame_next_view(&scene, t->window.canvas.columns,
                                  t->window.canvas.rows);
        break;
    case DO_NOTES:
        t->panel.noted = !t->panel.noted;
        break;
    case DO_TIMER:
        speaker_give_time(&t->speaker, clock_ns());
        break;
    case DO_PROMISES:
        text_pages_promises(&t->window);
        break;
    case DO_PROGRAM:
        text_pages_program(&t->window, t->asked->path, u->card.program);
        break;
    case DO_HELP:
        if (more_hints)
            t->answer.hints++;
        else
            t->window.help = 1;
        break;
    case DO_MENU:
    case DO_QUIT:
        ask_to_leave(t, request == DO_MENU ? LESSON_MENU : LESSON_QUIT);
        break;
    default:
        break;
    }
    return true;
}

/* The loop. */

static struct pause
lesson_pause(const void *self, int64_t now)
{
    const struct lesson_screen *t = self;
    int64_t next = tutor_due(t->tutor, now);
    int64_t tick = speaker_due(&t->speaker, now);

    if (t->asked->until_ns > 0) /* each second */
        tick = now + 1 + (t->asked->until_ns - now) % 1000000000;
    return (struct pause){
        .due_ns = tick < next ? tick : next,
        .fd = tutor_fd(t->tutor),
        .moves = t->seen->picture.shown >= 0 &&
                 player_moves(&t->seen->picture.player)};
}

/* Begins an answer when a question comes up, and keeps progress at each
 * page. */
static void
notice_change(struct lesson_screen *t)
{
    const struct manner *m = t->manner;
    const struct tutor_seen *u = t->seen;
    bool over = u->state == TUTOR_OVER;

    if (u->pages == t->pages && u->state == t->state)
        return;
    if (u->state == TUTOR_ASKS && !t->asking) {
        answer_begin(&t->answer, u, t->tutor);
        t->asking = !m->class;
        t->panel.closed = u->question.predicts;
    }
    if (u->pages != t->pages)
        t->panel.played = false;
    if (u->state != TUTOR_BUSY) {
        window_hurry(&t->window);
        if (!m->examines || u->state == TUTOR_ASKS)
            speaker_turn(&t->speaker, u, !m->examines);
        t->panel.polled = false;
        if (u->pages != t->pages || over)
            keep_progress(t);
        t->pages = u->pages;
    }
    if (m->alone && (over || (m->examines && u->state == TUTOR_PAGE)))
        end_lesson(t, LESSON_NEXT);
    t->state = u->state;
}

/* If a lesson ends before the page where it was left, its file has changed, and
 * it starts again. */
static bool
lesson_advance(void *self, int64_t now, struct err *err)
{
    struct lesson_screen *t = self;
    const struct tutor_seen *u = t->seen;

    bool ok;

    speaker_advance(&t->speaker, now);
    ok = tutor_advance(t->tutor, now, err);
    t->stopped |= t->window.stopped != 0;
    if (!ok)
        return false;
    if (u->state == TUTOR_OVER && u->how.skip > 0 && u->pages <= u->how.skip) {
        window_notify(&t->window, false,
                      _("the lesson has changed: it starts again"));
        t->resumed = false;
        if (!open_at(t, 0, NULL, err))
            return false;
        u = t->seen;
    }
    notice_change(t);
    if (u->state == TUTOR_ASKS && t->asking && t->asked->until_ns > 0 &&
        now >= t->asked->until_ns)
        return give_answer(t, NULL, err); /* a wiring as far as it is */
    return true;
}

/* Opens the lesson at the page where it was left.  One that is done and begun
 * again is asked as if for the first time. */
static bool
resume_lesson(struct lesson_screen *t, struct err *err)
{
    struct err why;
    json_t *all = progress_read(&why);
    struct progress p = progress_of(all, t->key);
    bool ok, again = !t->manner->resumes || (p.done && p.page == 0);

    if (all == NULL)
        window_notify(&t->window, true, "%s", why.text);
    ok = open_at(t, again ? 0 : p.page, again ? NULL : p.answers, err);
    t->resumed = ok && t->manner->resumes && p.page > 0;
    json_decref(all);
    return ok;
}

enum lesson_end
lesson_screen_play(struct lessons *l, const struct asked *asked,
                   struct err *err)
{
    static const struct window_kind kind = {
        .accent = ROLE_LEARN, .draw = lesson_draw, .help = lesson_help,
        .request = lesson_request, .advance = lesson_advance,
        .pause = lesson_pause};
    const struct manner *m = asked->manner;
    const struct options *o = l->o;
    struct lesson_screen t = {
        .lessons = l, .o = o, .asked = asked, .manner = m,
        .key = shelf_key(asked->path), .empty = world_new(),
        .panel = {.back = m->leads_back ? l->back : NULL,
                  .presents = o->present, .class = m->class},
        .view = -1, .pages = -1, .state = TUTOR_BUSY, .end = LESSON_QUIT};
    bool lecture = !m->alone && l->lecture.began_ns > 0;

    speaker_begin(&t.speaker, asked->path, o, lecture ? &l->lecture : NULL,
                  l->screen != NULL ? screen_facts(l->screen)->serve : NULL);
    if (signals_ending() == 0 &&
        (!resume_lesson(&t, err) ||
         !window_run(&t.window, l->screen, o->ascii, &kind, &t, err)))
        t.end = signals_ending() != 0 || t.stopped ? LESSON_QUIT
                                                   : LESSON_FAILED;
    speaker_end(&t.speaker); /* no vote reads the tutor's question any more */
    tutor_close(t.tutor);
    lesson_panel_done(&t.panel);
    world_free(t.empty);
    free(t.key);
    return t.end;
}
