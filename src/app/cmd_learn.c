/* SPDX-License-Identifier: MIT */
/* collviz learn [LESSON]: lessons, on the screen or as text. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/command.h"
#include "base/mem.h"
#include "base/print.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "lesson/progress.h"
#include "lesson/shelf.h"
#include "screen/home.h"
#include "screen/teach_panel.h"
#include "screen/watch.h"
#include "tutor/tutor.h"

/* Lists. */

/* A row: the number (blank if unknown), the name, the minutes, the state
 * (unless it is NULL), and a text. */
static void
print_row(const struct card *c, const char *state, const char *text)
{
    struct buf row = {0}, minutes = {0};

    if (c->number > 0)
        buf_addf(&row, "%2d  ", c->number);
    else
        buf_puts(&row, "    ");
    if (c->minutes > 0)
        buf_addf(&minutes, _("%2d min"), c->minutes);
    utf8_pad(&row, c->name, -21);
    buf_puts(&row, "  ");
    utf8_pad(&row, buf_text(&minutes), -6);
    buf_puts(&row, "  ");
    if (state != NULL) {
        utf8_pad(&row, state, -6);
        buf_puts(&row, "  ");
    }
    utf8_add(&row, text);
    print("%s\n", buf_text(&row));
    buf_done(&minutes);
    buf_done(&row);
}

static void
list(const struct shelf *shelf)
{
    struct err why;
    json_t *all = progress_read(&why);
    int day = 0;

    if (all == NULL)
        print_to(stderr, "collviz: %s\n", why.text);
    for (int i = 0; i < shelf->ncards; i++) {
        const struct card *c = &shelf->cards[i];
        struct progress p = progress_of(all, c->name);
        if (c->day != day && c->day > 0) {
            print(_("day %d"), c->day);
            print("\n");
        }
        day = c->day;
        if (c->title == NULL)
            print_row(c, "!", c->trouble.text);
        else
            print_row(c, p.page > 0 ? _("begun")
                         : p.passed ? _("passed")
                         : p.done   ? _("read")
                                    : "", c->title);
    }
    print("%s", _("\ncollviz learn LESSON begins one, or goes on with it\n"));
    json_decref(all);
}

static int
list_lessons(bool lecture)
{
    const struct card *card = NULL;
    struct shelf shelf;

    shelf_read(&shelf);
    if (!lecture) {
        list(&shelf);
    } else {
        while ((card = shelf_lecture_next(&shelf, card)) != NULL)
            print_row(card, NULL, card->title);
        print("%s",
              _("\ncollviz learn --lecture begins the first on a screen\n"));
    }
    shelf_done(&shelf);
    return EXIT_RIGHT;
}

/* Reviews. */

/* How many questions are due, or when the next one is. */
static int
print_due(struct err *err)
{
    enum { DAY = 24 * 60 * 60 };
    time_t now = time(NULL);
    struct review first;
    const char *lesson;
    json_t *all = progress_read(err);
    int due = progress_due(all, now), days;

    if (due > 0) {
        print(ngettext("%d question is due: collviz learn --review\n",
                       "%d questions are due: collviz learn --review\n", due),
              due);
    } else if (progress_review(all, &lesson, &first)) {
        days = (int)((first.due - now + DAY - 1) / DAY);
        print(ngettext("nothing is due; the next question comes in %d day\n",
                       "nothing is due; the next question comes in %d days\n",
                       days), days);
    } else if (all != NULL) {
        print("%s", _("there is nothing to review: no question was missed\n"));
    }
    json_decref(all);
    return all != NULL ? EXIT_RIGHT : EXIT_WRONG;
}

/* Lessons. */

/* Whether the lesson has been passed, or how it can be. */
static int
print_standing(const char *key, struct err *err)
{
    json_t *all = progress_read(err);
    struct progress p = progress_of(all, key);
    struct buf text = {0};

    if (all == NULL)
        return EXIT_WRONG;
    if (p.done)
        teach_panel_add_score(&text, key, &p);
    else
        buf_addf(&text, _("\nto prove a lesson, read it, and come back on "
                          "another day"));
    print("%s\n", buf_text(&text) + 1);
    buf_done(&text);
    json_decref(all);
    return EXIT_RIGHT;
}

static int
forget(const char *key, struct err *err)
{
    struct err aside;
    bool done = progress_forget(key, &aside, err);

    if (done && aside.text[0] != '\0')
        print_to(stderr, "collviz: %s\n", aside.text);
    return done ? EXIT_RIGHT : EXIT_WRONG;
}

/* A lesson that no longer exists may still have progress to forget. */
static int
forget_one(const char *lesson, struct err *err)
{
    struct err none;
    char *path = shelf_find(lesson, err);
    char *key = path != NULL ? shelf_key(path) : mem_string(lesson);
    json_t *all = progress_read(&none);
    int status = path != NULL || progress_has(all, key) ? forget(key, err)
                                                        : EXIT_USAGE;

    json_decref(all);
    free(key);
    free(path);
    return status;
}

/* On the screen. */
static bool
play(const struct options *o, const char *name, const char *path, bool reviews,
     struct err *err)
{
    struct followed f;
    bool ok = followed_open(&f, o, err) &&
              home_lessons(o, f.screen, name, path, reviews, err);

    followed_close(&f);
    return ok;
}

static int
with_lesson(const struct options *o, struct err *err)
{
    char *path = shelf_find(o->operands[0], err), *name;
    int status;

    if (path == NULL)
        return EXIT_USAGE;
    name = shelf_key(path);
    if (o->review)
        status = o->plain || !watch_can() ||
                         play(o, name, path, true, err)
                     ? print_standing(name, err) : command_status(false, err);
    else if (o->check)
        status = lint(path, o) == EXIT_RIGHT ? EXIT_RIGHT : command_wrong(err);
    else if (o->plain || !watch_can()
                 ? transcript(path, o, o->answers, err)
                 : play(o, name, path, false, err))
        status = EXIT_RIGHT;
    else
        status = command_status(false, err);
    free(name);
    free(path);
    return status;
}

int
cmd_learn(const struct options *o, struct err *err)
{
    bool screen = !o->plain && watch_can();

    if (o->check && o->noperands == 0)
        return command_misuse(err, "'collviz learn --check' needs a LESSON");
    if (o->review && o->noperands == 0)
        return screen && !play(o, NULL, NULL, true, err)
                   ? command_status(false, err) : print_due(err);
    if (o->reset)
        return o->noperands > 0 ? forget_one(o->operands[0], err)
                                : forget(NULL, err);
    if (o->noperands == 1)
        return with_lesson(o, err);
    if (!screen)
        return list_lessons(o->lecture);
    return command_status(play(o, NULL, NULL, false, err), err);
}
