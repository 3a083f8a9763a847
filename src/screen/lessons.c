/* SPDX-License-Identifier: MIT */
#include "screen/lessons.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "screen/lesson_screen.h"

const struct shelf *
lessons_shelf(struct lessons *l, bool again)
{
    if (again)
        shelf_done(&l->shelf);
    if (l->shelf.ncards == 0)
        shelf_read(&l->shelf);
    return &l->shelf;
}

/* The card of the present lesson; NULL: it is not on the shelf. */
static const struct card *
present_card(struct lessons *l)
{
    int at = shelf_index(lessons_shelf(l, false), l->name);

    return at >= 0 ? &l->shelf.cards[at] : NULL;
}

/* The card of the next lesson, or NULL.  It is looked up at the end of one,
 * because that takes longer than starting a lesson. */
const struct card *
lessons_next(struct lessons *l)
{
    const struct card *card = present_card(l);
    const struct card *end = l->shelf.cards + l->shelf.ncards;

    if (card == NULL || l->o->lecture)
        return card != NULL ? shelf_lecture_next(&l->shelf, card) : NULL;
    return ++card < end && card->title != NULL ? card : NULL;
}

/* Says where the present lesson stands in the plan of the lecture, which begins
 * with the first lesson. */
static void
plan_lecture(struct lessons *l)
{
    const struct card *here = present_card(l);
    struct lecture *plan = &l->lecture;

    if (here == NULL)
        return;
    if (plan->began_ns == 0) {
        plan->began_ns = clock_ns();
        l->first = (int)(here - l->shelf.cards);
    }
    plan->minutes = plan->before = plan->here = 0;
    for (int i = l->first; i < l->shelf.ncards; i++) {
        const struct card *card = &l->shelf.cards[i];
        plan->minutes += card->lecture;
        plan->before += card < here ? card->lecture : 0;
        plan->here += card == here ? card->lecture : 0;
    }
}

/* A lesson that is not part of the lecture is played as if there were none.
 * One that is not on the shelf may be part of it. */
static const struct manner *
choose_manner(struct lessons *l)
{
    const struct card *card;

    if (l->o->present)
        return l->o->quiz ? &manner_lecture : &manner_class;
    if (!l->o->lecture)
        return &manner_lesson;
    card = present_card(l);
    return card == NULL || card->lecture > 0 ? &manner_lecture : &manner_lesson;
}

enum lesson_end
lessons_play(struct lessons *l, const char *name, const char *path,
             struct err *err)
{
    const struct card *next = NULL;
    enum lesson_end end;

    if (name == NULL && l->o->lecture)
        next = shelf_lecture_next(lessons_shelf(l, false), NULL);
    if (name == NULL && next == NULL)
        return LESSON_MENU;
    do {
        char *was = l->name, *was_at = l->path;
        l->name = mem_string(next != NULL ? next->name : name);
        l->path = mem_string(next != NULL ? next->path : path);
        free(was);
        free(was_at);
        if (l->o->lecture)
            plan_lecture(l);
        end = lesson_screen_play(l, &(struct asked){
            .manner = choose_manner(l), .path = l->path}, err);
        next = end == LESSON_NEXT ? lessons_next(l) : NULL;
    } while (next != NULL);
    return end;
}

void
lessons_done(struct lessons *l)
{
    shelf_done(&l->shelf);
    free(l->name);
    free(l->path);
}
