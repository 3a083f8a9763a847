/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <time.h>

#include "base/install.h"
#include "base/mem.h"
#include "base/signals.h"
#include "base/translate.h"
#include "lesson/progress.h"
#include "lesson/shelf.h"
#include "screen/sheets.h"
#include "screen/stage.h"
#include "screen/teach.h"
#include "view/keys.h"
#include "view/menu.h"

struct choosing {
    struct stage stage;
    struct shelf shelf;
    struct menu_row *rows;
    struct menu menu;
    struct err notice;
    int help;   /* its page; 0: none */
    bool ascii;
    int typed;  /* digits of a lesson's number so far; 0: none */
    bool asked; /* a second r forgets the lesson */
    bool chosen, reviews, quit;
};

static void
say(struct choosing *c, const char *text)
{
    err_set(&c->notice, "%s", text);
    c->menu.notice = text[0] != '\0' ? c->notice.text : NULL;
}

static void
mark_rows(struct choosing *c)
{
    struct err why;
    json_t *all = progress_read(&why);
    struct buf text = {0};
    int due;

    if (all == NULL)
        say(c, why.text);
    for (int i = 0; i < c->shelf.ncards; i++) {
        const struct card *card = &c->shelf.cards[i];
        struct progress p = progress_of(all, card->name);
        c->rows[i] = (struct menu_row){
            .mark = p.page > 0 ? MENU_BEGUN
                    : p.passed ? MENU_DONE
                    : p.done   ? MENU_READ
                               : MENU_NEW,
            .number = card->number,
            .day = card->day,
            .minutes = card->minutes,
            .title = card->title,
            .idea = card->idea,
            .program = card->program != NULL,
            .read = p.done,
            .passed = p.passed,
            .asked = p.asked,
            .right = p.right < p.asked ? p.right : p.asked};
        if (card->title == NULL)
            c->rows[i] = (struct menu_row){.mark = MENU_BROKEN,
                                           .title = card->name,
                                           .idea = card->trouble.text};
    }
    due = progress_due(all, time(NULL));
    if (due > 0 && c->menu.notice == NULL) {
        buf_addf(&text, ngettext("%d question that you missed has come back: "
                                 "v asks it",
                                 "%d questions that you missed have come "
                                 "back: v asks them", due),
                 due);
        say(c, buf_text(&text));
        buf_done(&text);
    }
    json_decref(all);
}

/* The first row with a mark, from row `from` on; -1: none. */
static int
first_with(const struct choosing *c, enum menu_mark mark, int from)
{
    for (int i = from; i < c->menu.nrows; i++)
        if (c->rows[i].mark == mark)
            return i;
    return -1;
}

/* Chooses the lesson to go on with: the last one, or the next new one if that
 * is done; else the first that was begun; else the first that is new. */
static void
choose_row(struct choosing *c, const char *last)
{
    int at = last != NULL ? shelf_index(&c->shelf, last) : -1;

    if (at >= 0 && menu_is_read(c->rows[at].mark))
        at = first_with(c, MENU_NEW, at);
    if (at < 0)
        at = first_with(c, MENU_BEGUN, 0);
    if (at < 0)
        at = first_with(c, MENU_NEW, 0);
    c->menu.chosen = at > 0 ? at : 0;
}

static void
draw(struct choosing *c)
{
    struct canvas *canvas = stage_canvas(&c->stage);

    menu_draw(&c->menu, c->stage.glyphs, canvas);
    if (c->help > 0)
        help_draw(&menu_help, c->help, c->stage.glyphs, canvas);
    stage_show(&c->stage);
}

static void
forget(struct choosing *c)
{
    const struct card *card = &c->shelf.cards[c->menu.chosen];
    struct err aside, err;
    struct buf question = {0};

    c->asked = !c->asked;
    if (c->asked) {
        buf_addf(&question, _("r again forgets what was done in: %s"),
                 c->rows[c->menu.chosen].title);
        say(c, buf_text(&question));
        buf_done(&question);
        return;
    }
    if (!progress_forget(card->name, &aside, &err))
        say(c, err.text);
    else if (aside.text[0] != '\0')
        say(c, aside.text);
    mark_rows(c);
}

/* A lesson that cannot start shows its error instead. */
static void
choose(struct choosing *c)
{
    c->chosen = c->rows[c->menu.chosen].mark != MENU_BROKEN;
    if (!c->chosen)
        say(c, c->shelf.cards[c->menu.chosen].trouble.text);
}

/* Shows the program that the chosen lesson is about. */
static void
show_program(struct choosing *c)
{
    const struct card *card = &c->shelf.cards[c->menu.chosen];
    struct err why;

    if (card->program == NULL)
        say(c, _("this lesson is not about a program"));
    else if (!sheets_program(c->stage.screen, c->ascii, card->path,
                             card->program, &why))
        say(c, why.text);
}

static void
begin_review(struct choosing *c)
{
    struct err why;
    json_t *all = progress_read(&why);

    c->reviews = progress_due(all, time(NULL)) > 0;
    if (!c->reviews)
        say(c, all == NULL ? why.text : _("no question is due for review"));
    json_decref(all);
}

/* The row of the lesson with a number; -1: none. */
static int
numbered(const struct choosing *c, int number)
{
    for (int i = 0; i < c->menu.nrows; i++)
        if (c->rows[i].mark != MENU_BROKEN && c->rows[i].number == number)
            return i;
    return -1;
}

/* 1 chooses lesson 1, and 2 after it lesson 12. */
static void
type_digit(struct choosing *c, int digit)
{
    int longer = 10 * c->typed + digit;

    c->typed = numbered(c, longer) >= 0 ? longer : digit;
    if (numbered(c, c->typed) >= 0)
        c->menu.chosen = numbered(c, c->typed);
}

static void
choose_by(struct choosing *c, int by)
{
    int to = c->menu.chosen + by, last = c->menu.nrows - 1;

    c->menu.chosen = to < 0 ? 0 : to > last ? last : to;
}

/* Chooses another lesson.  Returns false if the key does something else. */
static bool
move(struct choosing *c, enum key_request request, int key)
{
    int hit;

    switch (request) {
    case DO_DIGIT:
        type_digit(c, key - '0');
        return true;
    case DO_NEXT:
        choose_by(c, 1);
        return true;
    case DO_BACK:
        choose_by(c, -1);
        return true;
    case DO_PAGE_NEXT:
        choose_by(c, KEY_STEPS);
        return true;
    case DO_PAGE_BACK:
        choose_by(c, -KEY_STEPS);
        return true;
    case DO_FIRST:
        choose_by(c, -c->menu.nrows);
        return true;
    case DO_LAST:
        choose_by(c, c->menu.nrows);
        return true;
    case DO_POINT:
        hit = menu_at(&c->menu, &c->stage.canvas,
                      screen_pointed(c->stage.screen));
        c->menu.chosen = hit >= 0 ? hit : c->menu.chosen;
        return true;
    default:
        return false;
    }
}

static void
answer_key(struct choosing *c, int key)
{
    int request =
        keys_request(ON_MENU, menu_state(&c->menu), key);

    say(c, "");
    c->asked = c->asked && request == DO_FORGET;
    if (request != DO_DIGIT)
        c->typed = 0;
    if (move(c, request, key))
        return;
    switch (request) {
    case DO_ENTER:
        choose(c);
        break;
    case DO_REVIEW:
        begin_review(c);
        break;
    case DO_FORGET:
        forget(c);
        break;
    case DO_PROMISES:
        sheets_promises(c->stage.screen, c->ascii);
        break;
    case DO_PROGRAM:
        show_program(c);
        break;
    case DO_HELP:
        c->help = 1;
        break;
    default:
        c->quit = request == DO_QUIT;
        break;
    }
}

static void
key_pressed(struct choosing *c, int key)
{
    const struct canvas *shown = &c->stage.canvas;

    if (c->help > 0)
        c->help = help_after(&menu_help, c->help, key, shown->columns,
                             shown->rows);
    else
        answer_key(c, key);
}

static void
loop(struct choosing *c)
{
    int key;

    while (!c->quit && !c->chosen && !c->reviews && signals_ending() == 0) {
        draw(c);
        switch (stage_wait(&c->stage, -1, INT64_MAX, false, &key)) {
        case SCREEN_KEY:
            key_pressed(c, key);
            break;
        case SCREEN_SIGNAL:
            c->quit = true;
            break;
        default:
            break;
        }
    }
}

static enum teach_choice
chosen(const struct choosing *c)
{
    return c->chosen ? TEACH_LESSON : c->reviews ? TEACH_REVIEW : TEACH_NOTHING;
}

enum teach_choice
teach_menu(struct screen *screen, const struct options *o, const char *last,
           const char *notice, char **name, struct err *err)
{
    struct choosing c = {.ascii = o->ascii};
    char folder[PATH_MAX];

    *name = NULL;
    shelf_read(&c.shelf);
    install_folder(INSTALL_LESSONS, INSTALL_PLACES - 1, folder);
    if (c.shelf.ncards == 0) {
        err_set(err, "there are no lessons here and none where they are "
                "installed: %s", folder);
        return TEACH_NO_LESSONS;
    }
    stage_init(&c.stage, screen, o->ascii, ROLE_LEARN);
    c.rows = mem_new((size_t)c.shelf.ncards, sizeof *c.rows);
    c.menu = (struct menu){.rows = c.rows, .nrows = c.shelf.ncards};
    say(&c, notice);
    mark_rows(&c);
    choose_row(&c, last);
    loop(&c);
    if (c.chosen)
        *name = mem_string(c.shelf.cards[c.menu.chosen].name);
    stage_done(&c.stage);
    free(c.rows);
    shelf_done(&c.shelf);
    return chosen(&c);
}
