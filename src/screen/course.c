/* SPDX-License-Identifier: MIT */
#include "screen/course.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
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

/* Returns false if nothing is due. */
static bool
find_due(struct due *d, struct err *err)
{
    json_t *all = progress_read(err);
    const char *lesson;
    struct err none;
    bool found = progress_review(all, &lesson, &d->review) &&
                 d->review.due <= time(NULL);

    if (found) {
        d->lesson = mem_string(lesson);
        d->path = shelf_find(lesson, &none);
    }
    json_decref(all);
    return found;
}

/* Takes a question of a lesson that is gone out of the plan. */
static bool
drop(const struct due *d, struct err *err)
{
    json_t *all = progress_read(err);
    struct progress p = progress_of(all, d->lesson);
    struct err aside;
    bool ok = all != NULL;

    if (ok) {
        review_forget(p.review, d->review.question);
        ok = progress_keep(d->lesson, &p, &aside, err);
    }
    json_decref(all);
    return ok;
}

/* Returns whether there may be more; else *end says how it ended.  A question
 * that is due once more has not been kept, and ends the review, too. */
static bool
one_review(struct screen *screen, const struct options *o, struct due *before,
           enum teach_end *end, struct err *err)
{
    struct due d = {0};
    bool same;

    err->text[0] = '\0';
    if (!find_due(&d, err)) {
        *end = err->text[0] == '\0' ? TEACH_NEXT : TEACH_FAILED;
        return false;
    }
    same = before->lesson != NULL && strcmp(before->lesson, d.lesson) == 0 &&
           before->review.question == d.review.question;
    due_done(before);
    *before = d;
    if (same)
        return false;
    if (d.path == NULL)
        *end = drop(&d, err) ? TEACH_NEXT : TEACH_FAILED;
    else
        *end = teach_review(screen, d.path, o, &d.review, err);
    return *end == TEACH_NEXT;
}

/* Asks all that is due.  Returns TEACH_NEXT after it. */
static enum teach_end
review(struct screen *screen, const struct options *o, struct err *err)
{
    struct due before = {0};
    enum teach_end end = TEACH_NEXT;

    while (one_review(screen, o, &before, &end, err))
        ;
    due_done(&before);
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
        if (!teach_menu(c->screen, c->o, c->last, &choice, &name, err))
            return false;
        end = choice == TEACH_REVIEW ? review(c->screen, c->o, err)
                                     : TEACH_NEXT;
        if (end == TEACH_FAILED)
            return false;
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

bool
course(struct screen *screen, const struct options *o, const char *name,
       const char *path, const char *back, struct err *err)
{
    struct playing c = {.o = o, .screen = screen, .back = back};
    bool ok;

    set_lesson(&c, name, path);
    ok = play(&c, err);
    shelf_done(&c.shelf);
    set_lesson(&c, NULL, NULL);
    free(c.last);
    buf_done(&c.next);
    return ok;
}

bool
course_review(struct screen *screen, const struct options *o, struct err *err)
{
    enum teach_end end = review(screen, o, err);

    return end == TEACH_MENU ? course(screen, o, NULL, NULL, NULL, err)
                             : end != TEACH_FAILED;
}
