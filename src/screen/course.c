/* SPDX-License-Identifier: MIT */
#include "screen/course.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/translate.h"
#include "lesson/progress.h"
#include "lesson/shelf.h"
#include "screen/teach.h"

struct playing {
    const struct options *o;
    struct screen *screen;
    const char *back; /* see course.h */
    struct shelf shelf; /* read when it is needed */
    bool has_shelf;
    char *name, *path;  /* of the lesson; a NULL name stands for the menu */
    char *last;         /* the lesson before the menu, or NULL */
    struct buf next;    /* title of the next lesson */
    struct lecture lecture; /* began_ns 0: there is none */
    int first; /* the index of the lesson with which it began */
    struct err trouble; /* of a review, which nobody has seen yet; "": none */
};

static const struct shelf *
shelf_of(struct playing *c)
{
    if (!c->has_shelf)
        shelf_read(&c->shelf);
    c->has_shelf = true;
    return &c->shelf;
}

static void
set_lesson(struct playing *c, const char *name, const char *path)
{
    char *new_name = name != NULL ? mem_string(name) : NULL;
    char *new_path = path != NULL ? mem_string(path) : NULL;

    free(c->name);
    free(c->path);
    c->name = new_name;
    c->path = new_path;
}

/* The card of the next lesson, or NULL. */
static const struct card *
next_card(struct playing *c)
{
    const struct shelf *shelf = shelf_of(c);
    int at = shelf_index(shelf, c->name);

    if (at < 0)
        return NULL;
    if (c->o->lecture)
        return shelf_lecture_next(shelf, &shelf->cards[at]);
    return at + 1 < shelf->ncards && shelf->cards[at + 1].title != NULL
               ? &shelf->cards[at + 1]
               : NULL;
}

static const char *
next_title(void *state)
{
    struct playing *c = state;
    const struct card *next = next_card(c);

    buf_clear(&c->next);
    if (next != NULL)
        buf_addf(&c->next, "%d  %s", next->number, next->title);
    return buf_text(&c->next);
}

/* Reviews. */

/* A question that is due. */
struct due {
    char *lesson, *path; /* path NULL: the lesson is gone */
    struct review review;
};

static void
due_done(struct due *d)
{
    free(d->lesson);
    free(d->path);
    *d = (struct due){0};
}

struct reviewing {
    struct screen *screen;
    const struct options *o;
    struct due before; /* the question before; its lesson NULL: none */
    json_t *left_out;  /* an object; its keys are lessons that have failed */
    struct err trouble; /* why the first of them has; "": none has */
};

static void
note_trouble(struct reviewing *r, const struct err *why)
{
    if (r->trouble.text[0] == '\0')
        r->trouble = *why;
}

/* Returns false if nothing is due. */
static bool
find_due(struct reviewing *r, struct due *d)
{
    struct err why;
    json_t *all = progress_read(&why);
    const char *lesson;
    struct err none;
    bool found = progress_review(all, r->left_out, &lesson, &d->review) &&
                 d->review.due <= time(NULL);

    if (found) {
        d->lesson = mem_string(lesson);
        d->path = shelf_find(lesson, &none);
    }
    if (all == NULL)
        note_trouble(r, &why);
    json_decref(all);
    return found;
}

/* Asks the question, or forgets it if its lesson is gone. */
static enum teach_end
ask(const struct reviewing *r, const struct due *d, struct err *err)
{
    enum teach_end end;
    struct err aside;
    bool forgotten;

    if (d->path == NULL) {
        forgotten = progress_keep_review(d->lesson, &d->review, REVIEW_GONE,
                                         &aside, err);
        return forgotten ? TEACH_NEXT : TEACH_FAILED;
    }
    end = teach_review(r->screen, d->path, r->o, &d->review, err);
    if (end == TEACH_FAILED)
        err_prefix(err, "%s", _("a question that is due cannot be asked"));
    return end;
}

/* Returns whether there may be more; else *end says how it ended.  A question
 * that is due once more has not been kept, and ends the review, too.  A lesson
 * that fails does not: its questions are left out. */
static bool
one_review(struct reviewing *r, enum teach_end *end)
{
    struct due d = {0};
    struct err why;
    bool same;

    *end = TEACH_NEXT;
    if (!find_due(r, &d))
        return false;
    same = r->before.lesson != NULL &&
           strcmp(r->before.lesson, d.lesson) == 0 &&
           r->before.review.question == d.review.question;
    due_done(&r->before);
    r->before = d;
    if (same)
        return false;
    *end = ask(r, &d, &why);
    if (*end == TEACH_FAILED) {
        note_trouble(r, &why);
        json_object_set_new(r->left_out, d.lesson, json_true());
        *end = TEACH_NEXT;
    }
    return *end == TEACH_NEXT;
}

/* Asks all that is due.  Returns TEACH_NEXT after it.  *trouble says why a
 * question could not be asked; "": all were. */
static enum teach_end
review(struct screen *screen, const struct options *o, struct err *trouble)
{
    struct reviewing r = {.screen = screen, .o = o, .left_out = json_object()};
    enum teach_end end;

    while (one_review(&r, &end))
        ;
    *trouble = r.trouble;
    due_done(&r.before);
    json_decref(r.left_out);
    return end;
}

/* Lessons. */

/* Lets the learner choose a lesson, or NULL to end.  Returns to the menu after
 * a review. */
static bool
choose(struct playing *c, struct err *err)
{
    enum teach_choice choice;
    enum teach_end end;
    char *name, *path;
    bool ok;

    do {
        choice = teach_menu(c->screen, c->o, c->last, c->trouble.text, &name,
                            err);
        if (choice == TEACH_NO_LESSONS)
            return false;
        c->trouble.text[0] = '\0';
        end = choice == TEACH_REVIEW ? review(c->screen, c->o, &c->trouble)
                                     : TEACH_NEXT;
    } while (choice == TEACH_REVIEW && end != TEACH_QUIT);
    path = name != NULL ? shelf_find(name, err) : NULL;
    ok = name == NULL || path != NULL;
    set_lesson(c, path != NULL ? name : NULL, path);
    free(name);
    free(path);
    return ok;
}

/* Says where the present lesson stands in the plan of the lecture, which begins
 * with the first lesson. */
static void
plan_lecture(struct playing *c)
{
    const struct shelf *shelf = shelf_of(c);
    int at = shelf_index(shelf, c->name);
    struct lecture *l = &c->lecture;

    if (at < 0)
        return;
    if (l->began_ns == 0) {
        l->began_ns = clock_ns();
        c->first = at;
    }
    l->minutes = l->before = l->here = 0;
    for (int i = c->first; i < shelf->ncards; i++) {
        const struct card *card = &shelf->cards[i];
        if (!card->lecture)
            continue;
        l->minutes += card->minutes;
        if (i < at)
            l->before += card->minutes;
        if (i == at)
            l->here = card->minutes;
    }
}

/* Returns false to end; *ok is then false if there was an error. */
static bool
one_lesson(struct playing *c, bool *ok, struct err *err)
{
    struct teach_next following = {next_title, c, c->back, NULL};
    enum teach_end end;
    const struct card *next;

    if (c->o->lecture)
        plan_lecture(c);
    if (c->lecture.began_ns > 0)
        following.lecture = &c->lecture;
    end = teach(c->screen, c->path, c->o, &following, err);
    next = end == TEACH_NEXT ? next_card(c) : NULL;
    *ok = end != TEACH_FAILED;
    if (next != NULL) {
        set_lesson(c, next->name, next->path);
    } else if (end == TEACH_MENU) {
        free(c->last);
        c->last = mem_string(c->name);
        set_lesson(c, NULL, NULL);
    }
    return *ok && end != TEACH_QUIT && (end != TEACH_MENU || c->back == NULL);
}

static void
begin_lecture(struct playing *c)
{
    const struct card *first = shelf_lecture_next(shelf_of(c), NULL);

    if (first != NULL)
        set_lesson(c, first->name, first->path);
}

static bool
play(struct playing *c, struct err *err)
{
    bool ok = true;

    if (c->name == NULL && c->o->lecture)
        begin_lecture(c);
    do {
        if (c->name == NULL)
            ok = choose(c, err);
    } while (ok && c->name != NULL && one_lesson(c, &ok, err));
    return ok;
}

/* An error that nobody has seen is returned at the end. */
static bool
finish(struct playing *c, bool ok, struct err *err)
{
    if (ok && c->trouble.text[0] != '\0') {
        *err = c->trouble;
        ok = false;
    }
    shelf_done(&c->shelf);
    set_lesson(c, NULL, NULL);
    free(c->last);
    buf_done(&c->next);
    return ok;
}

bool
course(struct screen *screen, const struct options *o, const char *name,
       const char *path, const char *back, struct err *err)
{
    struct playing c = {.o = o, .screen = screen, .back = back};

    set_lesson(&c, name, path);
    return finish(&c, play(&c, err), err);
}

bool
course_review(struct screen *screen, const struct options *o, struct err *err)
{
    struct playing c = {.o = o, .screen = screen};
    bool ok = review(screen, o, &c.trouble) != TEACH_MENU || play(&c, err);

    return finish(&c, ok, err);
}
