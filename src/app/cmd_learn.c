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
#include "screen/follow.h"
#include "screen/home.h"
#include "screen/lint.h"
#include "screen/watch.h"
#include "tutor/transcript.h"

/* Lessons as text. */

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

/* Prints which day of the course begins with this card. */
static void
print_day(const struct card *c, int *day)
{
    if (c->day != *day && c->day > 0) {
        print(_("day %d"), c->day);
        print("\n");
    }
    *day = c->day;
}

static const char *
state_of(struct progress p)
{
    return p.page > 0 ? _("begun")
           : p.passed ? _("passed")
           : p.done   ? _("read")
                      : "";
}

static int
list(void)
{
    struct shelf shelf;
    struct err why;
    json_t *all = progress_read(&why);
    int day = 0;

    if (all == NULL)
        print_to(stderr, "collviz: %s\n", why.text);
    shelf_read(&shelf);
    for (int i = 0; i < shelf.ncards; i++) {
        const struct card *c = &shelf.cards[i];
        print_day(c, &day);
        if (c->title == NULL)
            print_row(c, "!", c->trouble.text);
        else
            print_row(c, state_of(progress_of(all, c->name)), c->title);
    }
    print("%s", _("\ncollviz learn LESSON begins one, or goes on with it\n"));
    shelf_done(&shelf);
    json_decref(all);
    return EXIT_RIGHT;
}

static int
list_lecture(void)
{
    struct shelf shelf;
    const struct card *card = NULL;

    shelf_read(&shelf);
    while ((card = shelf_lecture_next(&shelf, card)) != NULL)
        print_row(card, NULL, card->title);
    print("%s", _("\ncollviz learn --lecture begins the first on a screen\n"));
    shelf_done(&shelf);
    return EXIT_RIGHT;
}

static int
print_lesson(const struct options *o, const char *path)
{
    struct err err;

    return transcript(path, o, o->answers, &err)
               ? EXIT_RIGHT
               : command_fail(EXIT_WRONG, &err);
}

/* Lessons on the screen. */

static int
watch_lessons(const struct options *o, const char *name, const char *path)
{
    struct err err;

    return home_lessons(o, name, path, false, &err)
               ? EXIT_RIGHT
               : command_fail(EXIT_WRONG, &err);
}

/* Reviews. */

static int
days_until(time_t due, time_t now)
{
    enum { DAY = 24 * 60 * 60 };

    return due > now ? (int)((due - now + DAY - 1) / DAY) : 0;
}

/* How many questions are due, or when the next one is. */
static int
print_due(void)
{
    time_t now = time(NULL);
    struct review first;
    const char *lesson;
    struct err err;
    json_t *all = progress_read(&err);
    int due = progress_due(all, now), days;

    if (all == NULL)
        return command_fail(EXIT_WRONG, &err);
    if (due > 0) {
        print(ngettext("%d question is due: collviz learn --review\n",
                       "%d questions are due: collviz learn --review\n", due),
              due);
    } else if (progress_review(all, &lesson, &first)) {
        days = days_until(first.due, now);
        print(ngettext("nothing is due; the next question comes in %d day\n",
                       "nothing is due; the next question comes in %d days\n",
                       days), days);
    } else {
        print("%s", _("there is nothing to review: no question was missed\n"));
    }
    json_decref(all);
    return EXIT_RIGHT;
}

static int
review(const struct options *o)
{
    struct err err;

    if (!o->plain && watch_can() && !home_lessons(o, NULL, NULL, true, &err))
        return command_fail(EXIT_WRONG, &err);
    return print_due();
}

/* Notes. */

static int
show_notes(const struct options *o)
{
    struct err err;

    return follow(o, &err) ? EXIT_RIGHT : command_fail(EXIT_USAGE, &err);
}

/* The command. */

static int
forget(const char *key)
{
    struct err aside, err;

    if (!progress_forget(key, &aside, &err))
        return command_fail(EXIT_WRONG, &err);
    if (aside.text[0] != '\0')
        print_to(stderr, "collviz: %s\n", aside.text);
    return EXIT_RIGHT;
}

/* A lesson that no longer exists may still have progress to forget. */
static int
forget_one(const char *lesson)
{
    struct err none, err;
    char *path = shelf_find(lesson, &err);
    char *key = path != NULL ? shelf_key(path) : mem_string(lesson);
    json_t *all = progress_read(&none);
    int status = path != NULL || progress_has(all, key)
                     ? forget(key)
                     : command_fail(EXIT_USAGE, &err);

    json_decref(all);
    free(key);
    free(path);
    return status;
}

static int
with_lesson(const struct options *o)
{
    struct err err;
    char *path = shelf_find(o->operands[0], &err), *name;
    int status;

    if (path == NULL)
        return command_fail(EXIT_USAGE, &err);
    name = shelf_key(path);
    if (o->check)
        status = lint(path, o);
    else if (o->plain || !watch_can())
        status = print_lesson(o, path);
    else
        status = watch_lessons(o, name, path);
    free(name);
    free(path);
    return status;
}

int
cmd_learn(const struct options *o)
{
    struct err err;

    if (o->noperands > 1) {
        err_set(&err, "'%s': 'collviz learn' takes one LESSON",
                o->operands[1]);
        return command_fail(EXIT_USAGE, &err);
    }
    if (o->check && o->noperands == 0) {
        err_set(&err, "'collviz learn --check' needs a LESSON");
        return command_fail(EXIT_USAGE, &err);
    }
    if ((o->review || o->notes) && o->noperands > 0) {
        err_set(&err, "'collviz learn --%s' takes no LESSON",
                o->review ? "review" : "notes");
        return command_fail(EXIT_USAGE, &err);
    }
    if (o->notes)
        return command_finish(show_notes(o));
    if (o->review)
        return command_finish(review(o));
    if (o->reset)
        return command_finish(o->noperands > 0 ? forget_one(o->operands[0])
                                               : forget(NULL));
    if (o->noperands == 1)
        return command_finish(with_lesson(o));
    if (o->plain || !watch_can())
        return command_finish(o->lecture ? list_lecture() : list());
    return command_finish(watch_lessons(o, NULL, NULL));
}
