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

const struct shelf *
course_shelf_again(struct course *c)
{
    shelf_done(&c->shelf);
    return course_shelf(c);
}

const struct shelf *
course_shelf(struct course *c)
{
    if (c->shelf.ncards == 0)
        shelf_read(&c->shelf);
    return &c->shelf;
}

static void
set_lesson(struct course *c, const char *name, const char *path)
{
    char *new_name = mem_string(name), *new_path = mem_string(path);

    free(c->name);
    free(c->path);
    c->name = new_name;
    c->path = new_path;
}

/* The card of the next lesson, or NULL. */
static const struct card *
next_card(struct course *c)
{
    const struct shelf *shelf = course_shelf(c);
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
    struct course *c = state;
    const struct card *next = next_card(c);

    buf_clear(&c->next);
    if (next != NULL)
        buf_addf(&c->next, "%d  %s", next->number, next->title);
    return buf_text(&c->next);
}

/* Reviews. */

/* Asks a question that is due, or forgets it if its lesson is gone. */
static enum teach_end
ask(const struct course *c, const char *lesson, const struct review *due,
    struct err *err)
{
    struct err aside;
    char *path = shelf_find(lesson, &aside);
    enum teach_end end;

    if (path == NULL)
        return progress_keep_review(lesson, due, REVIEW_GONE, &aside, err)
                   ? TEACH_NEXT
                   : TEACH_FAILED;
    end = teach(c->screen, c->o,
                &(struct teach_lesson){.path = path, .review = due}, err);
    if (end == TEACH_FAILED)
        err_prefix(err, "%s", _("a question that is due cannot be asked"));
    free(path);
    return end;
}

/* The plans are those from before the first question, so none is asked twice,
 * even if what comes of it cannot be kept. */
enum teach_end
course_review(struct course *c, struct err *trouble)
{
    struct err why;
    json_t *all = progress_read(&why), *plan;
    enum teach_end end = TEACH_NEXT;
    struct review due;
    const char *lesson;

    *trouble = all == NULL ? why : (struct err){""};
    while (end == TEACH_NEXT && progress_review(all, &lesson, &due) &&
           due.due <= time(NULL)) {
        plan = progress_of(all, lesson).review;
        review_ended(plan, &due, REVIEW_GONE, 0);
        end = ask(c, lesson, &due, &why);
        if (end != TEACH_FAILED)
            continue;
        if (trouble->text[0] == '\0')
            *trouble = why;
        json_array_clear(plan);
        end = TEACH_NEXT;
    }
    json_decref(all);
    return end;
}

/* Lessons. */

/* Says where the present lesson stands in the plan of the lecture, which begins
 * with the first lesson. */
static void
plan_lecture(struct course *c)
{
    const struct shelf *shelf = course_shelf(c);
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

enum teach_end
course_play(struct course *c, const char *name, const char *path,
            struct err *err)
{
    const struct card *next = name == NULL && c->o->lecture
                                  ? shelf_lecture_next(course_shelf(c), NULL)
                                  : NULL;
    enum teach_end end = TEACH_MENU;

    if (name == NULL && next == NULL)
        return end;
    set_lesson(c, next != NULL ? next->name : name,
               next != NULL ? next->path : path);
    do {
        struct teach_lesson lesson = {.path = c->path, .back = c->back,
                                      .title = next_title, .state = c};
        if (c->o->lecture)
            plan_lecture(c);
        if (c->lecture.began_ns > 0)
            lesson.lecture = &c->lecture;
        end = teach(c->screen, c->o, &lesson, err);
        next = end == TEACH_NEXT ? next_card(c) : NULL;
        if (next != NULL)
            set_lesson(c, next->name, next->path);
    } while (next != NULL);
    return end;
}

void
course_done(struct course *c)
{
    shelf_done(&c->shelf);
    free(c->name);
    free(c->path);
    buf_done(&c->next);
}
