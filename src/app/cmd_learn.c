/* SPDX-License-Identifier: MIT */
/* collviz learn [LESSON]: lessons, on the screen or as text. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/command.h"
#include "base/mem.h"
#include "base/print.h"
#include "base/signals.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "lesson/progress.h"
#include "lesson/shelf.h"
#include "screen/home.h"
#include "screen/lesson_panel.h"
#include "screen/watch.h"
#include "tutor/tutor.h"

/* Lists. */

/* A row: the number (blank if unknown), the name, the minutes, the state, and a
 * text. */
static void
print_row(const struct card *c, const char *state, const char *text)
{
    OWN(buf) row = {0}, minutes = {0};

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
    utf8_pad(&row, state, -6);
    buf_puts(&row, "  ");
    utf8_add(&row, text);
    print("%s\n", buf_text(&row));
}

/* All lessons by day, with what was done. */
static void
list_shelf(const struct shelf *shelf)
{
    struct err why;
    json_auto_t *all = progress_read(&why);
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
        print_row(c, c->title == NULL ? "!"
                     : p.page > 0     ? _("begun")
                     : p.passed       ? _("passed")
                     : p.done         ? _("read")
                                      : "",
                  c->title != NULL ? c->title : c->trouble.text);
    }
    print("%s", _("\ncollviz learn LESSON begins one, or goes on with it\n"));
}

/* The plan of the lecture: what each page takes is computed as it stands, but
 * the clock of the lecture keeps the minutes that lessons say. */
static bool
plan_pages(const struct shelf *shelf, const struct options *o, struct err *err)
{
    const struct card *card = NULL;
    int64_t at_ns = 0;
    bool ok = true;

    while (ok && signals_ending() == 0 &&
           (card = shelf_lecture_next(shelf, card)) != NULL) {
        print(_("%1$d  %2$s  (%3$d min)"), card->number, card->title,
              card->lecture);
        print("\n");
        ok = transcript_plan(card->path, o, &at_ns, err);
    }
    if (!ok || signals_ending() != 0)
        return ok;
    print(_("%5d:%02d   the end\n"), (int)(at_ns / 60000000000),
          (int)(at_ns / 1000000000 % 60));
    print("%s", _("\n? a question, with 30 s to think; - leave it out if it is "
                  "late\ncollviz learn --lecture begins it on a screen\n"));
    return ok;
}

static int
list_lessons(const struct options *o, struct err *err)
{
    OWN(shelf) shelf;
    bool ok = true;

    shelf_read(&shelf);
    if (o->lecture)
        ok = plan_pages(&shelf, o, err);
    else
        list_shelf(&shelf);
    return ok ? EXIT_RIGHT : EXIT_WRONG;
}

/* Reviews. */

/* How many questions are due, or when the next one is. */
static int
print_due(struct err *err)
{
    enum { DAY = 24 * 60 * 60 };
    time_t now = time(NULL);
    struct due first;
    json_auto_t *all = progress_read(err);
    int due = progress_due(all, now), days;

    if (due > 0) {
        print(ngettext("%d question is due: collviz learn --review\n",
                       "%d questions are due: collviz learn --review\n", due),
              due);
    } else if (progress_next(all, NULL, &first)) {
        days = (int)((first.due - now + DAY - 1) / DAY);
        print(ngettext("nothing is due; the next question comes in %d day\n",
                       "nothing is due; the next question comes in %d days\n",
                       days), days);
    } else if (all != NULL) {
        print("%s", _("there is nothing to review: no question was missed\n"));
    }
    return all != NULL ? EXIT_RIGHT : EXIT_WRONG;
}

/* Lessons. */

/* Whether the lesson has been passed, or how it can be. */
static int
print_standing(const char *key, struct err *err)
{
    json_auto_t *all = progress_read(err);
    struct progress p = progress_of(all, key);
    OWN(buf) text = {0};

    if (all == NULL)
        return EXIT_WRONG;
    if (p.done)
        lesson_panel_add_score(&text, key, &p);
    else
        buf_addf(&text, _("\nto prove a lesson, read it, and come back on "
                          "another day"));
    print("%s\n", buf_text(&text) + 1);
    return EXIT_RIGHT;
}

static int
forget_lesson(const char *key, struct err *err)
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
    OWN_MEMORY char *path = shelf_find(lesson, err);
    OWN_MEMORY char *key = path != NULL ? shelf_key(path) : mem_string(lesson);
    json_auto_t *all = progress_read(&none);

    return path != NULL || progress_has(all, key) ? forget_lesson(key, err)
                                                  : EXIT_USAGE;
}

/* On the screen. */
static bool
learn_on_screen(const struct options *o, const char *name, const char *path,
                bool reviews, struct err *err)
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
    OWN_MEMORY char *path = shelf_find(o->operands[0], err);
    OWN_MEMORY char *name = path != NULL ? shelf_key(path) : NULL;
    bool on_paper = o->plain || !watch_can();

    if (path == NULL)
        return EXIT_USAGE;
    if (o->review)
        return on_paper || learn_on_screen(o, name, path, true, err)
                   ? print_standing(name, err) : command_status(false, err);
    if (o->check)
        return lint(path, o) == EXIT_RIGHT ? EXIT_RIGHT : command_wrong(err);
    return command_status(on_paper ? transcript(path, o, o->answers, err)
                                   : learn_on_screen(o, name, path, false, err),
                          err);
}

int
cmd_learn(const struct options *o, struct err *err)
{
    bool screen = !o->plain && watch_can();

    if (o->check && o->noperands == 0)
        return command_misuse(err, "'collviz learn --check' needs a LESSON");
    if (o->review && o->noperands == 0)
        return screen && !learn_on_screen(o, NULL, NULL, true, err)
                   ? command_status(false, err) : print_due(err);
    if (o->reset)
        return o->noperands > 0 ? forget_one(o->operands[0], err)
                                : forget_lesson(NULL, err);
    if (o->noperands == 1)
        return with_lesson(o, err);
    if (!screen)
        return list_lessons(o, err);
    return command_status(learn_on_screen(o, NULL, NULL, false, err), err);
}
