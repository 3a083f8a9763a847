/* SPDX-License-Identifier: MIT */
/* collviz learn [LESSON]: lessons, on the screen or as text. */
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "base/mem.h"
#include "base/print.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "lesson/progress.h"
#include "lesson/shelf.h"
#include "screen/lint.h"
#include "screen/teach.h"
#include "screen/watch.h"
#include "tutor/transcript.h"

/* Lessons as text. */

static int
pad(const char *text, int columns)
{
    int used = utf8_columns(text);

    return used < columns ? columns - used : 0;
}

/* A row: the number (blank if unknown), the name, the state, and a text. */
static void
print_row(const struct card *c, const char *state, const char *text)
{
    enum { NAME_COLUMNS = 22, STATE_COLUMNS = 6 };
    struct buf number = {0}, name = {0}, rest = {0};

    if (c->number > 0)
        buf_addf(&number, "%d", c->number);
    utf8_add(&name, c->name);
    utf8_add(&rest, text);
    print("%2s  %s%*s %s%*s  %s\n", buf_text(&number), buf_text(&name),
          pad(buf_text(&name), NAME_COLUMNS), "", state,
          pad(state, STATE_COLUMNS), "", buf_text(&rest));
    buf_done(&number);
    buf_done(&name);
    buf_done(&rest);
}

static int
list(void)
{
    struct shelf shelf;
    struct err why;
    json_t *all = progress_read(&why);

    if (all == NULL)
        print_to(stderr, "collviz: %s\n", why.text);
    shelf_read(&shelf);
    for (int i = 0; i < shelf.ncards; i++) {
        const struct card *c = &shelf.cards[i];
        struct progress p = progress_of(all, c->name);
        const char *state = p.page > 0 ? _("begun") : p.done ? _("done") : "";
        if (c->title == NULL)
            print_row(c, "!", c->trouble.text);
        else
            print_row(c, state, c->title);
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
    while ((card = shelf_lecture_next(&shelf, card)) != NULL) {
        struct buf state = {0};
        buf_addf(&state, _("%d min"), card->minutes);
        print_row(card, buf_text(&state), card->title);
        buf_done(&state);
    }
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

struct course {
    const struct options *o;
    struct screen *screen;
    struct shelf shelf; /* read when it is needed */
    bool has_shelf;
    char *name, *path;  /* of the lesson; a NULL name stands for the menu */
    char *last;         /* the lesson before the menu, or NULL */
    struct buf next;    /* title of the next lesson */
};

static const struct shelf *
shelf_of(struct course *c)
{
    if (!c->has_shelf)
        shelf_read(&c->shelf);
    c->has_shelf = true;
    return &c->shelf;
}

static void
set_lesson(struct course *c, const char *name, const char *path)
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
next_card(struct course *c)
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
    struct course *c = state;
    const struct card *next = next_card(c);

    buf_clear(&c->next);
    if (next != NULL)
        buf_addf(&c->next, "%d  %s", next->number, next->title);
    return buf_text(&c->next);
}

static bool
choose(struct course *c, struct err *err)
{
    char *name, *path;
    bool ok;

    if (!teach_menu(c->screen, c->o, c->last, &name, err))
        return false;
    path = name != NULL ? shelf_find(name, err) : NULL;
    ok = name == NULL || path != NULL;
    set_lesson(c, path != NULL ? name : NULL, path);
    free(name);
    free(path);
    return ok;
}

/* Returns false to end; *ok is then false if there was an error. */
static bool
one_lesson(struct course *c, bool *ok, struct err *err)
{
    const struct teach_next following = {next_title, c};
    enum teach_end end = teach(c->screen, c->path, c->o, &following, err);
    const struct card *next = end == TEACH_NEXT ? next_card(c) : NULL;

    *ok = end != TEACH_FAILED;
    if (next != NULL) {
        set_lesson(c, next->name, next->path);
    } else if (end == TEACH_MENU) {
        free(c->last);
        c->last = mem_string(c->name);
        set_lesson(c, NULL, NULL);
    }
    return *ok && end != TEACH_QUIT;
}

static bool
learn(struct course *c, struct err *err)
{
    bool ok = true;

    if (!screen_open(&c->screen, err))
        return false;
    do {
        if (c->name == NULL)
            ok = choose(c, err);
    } while (ok && c->name != NULL && one_lesson(c, &ok, err));
    screen_close(c->screen);
    return ok;
}

static void
begin_lecture(struct course *c)
{
    const struct card *first = shelf_lecture_next(shelf_of(c), NULL);

    if (first != NULL)
        set_lesson(c, first->name, first->path);
}

static int
watch_lessons(const struct options *o, const char *name, const char *path)
{
    struct course c = {.o = o};
    struct err err;
    int status = EXIT_RIGHT;

    if (name != NULL)
        set_lesson(&c, name, path);
    else if (o->lecture)
        begin_lecture(&c);
    if (!learn(&c, &err))
        status = command_fail(EXIT_WRONG, &err);
    shelf_done(&c.shelf);
    set_lesson(&c, NULL, NULL);
    free(c.last);
    buf_done(&c.next);
    return status;
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
    if (o->json || (o->check && o->noperands == 0)) {
        err_set(&err, o->json ? "'collviz learn' has no --json"
                              : "'collviz learn --check' needs a LESSON");
        return command_fail(EXIT_USAGE, &err);
    }
    if (o->reset)
        return command_finish(o->noperands > 0 ? forget_one(o->operands[0])
                                               : forget(NULL));
    if (o->noperands == 1)
        return command_finish(with_lesson(o));
    if (o->plain || !watch_can())
        return command_finish(o->lecture ? list_lecture() : list());
    return command_finish(watch_lessons(o, NULL, NULL));
}
