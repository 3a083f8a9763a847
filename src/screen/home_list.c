/* SPDX-License-Identifier: MIT */
#include "screen/home_list.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/translate.h"
#include "lesson/progress.h"
#include "lesson/shelf.h"
#include "run/backend.h"
#include "run/pool.h"
#include "screen/publish.h"

enum { RECORDINGS_MOST = 1000 };

/* Lists. */

static char *
taken(struct buf *text)
{
    char *string = mem_string(buf_text(text));

    buf_done(text);
    return string;
}

/* Inserts an empty entry before the entry `at`. */
static struct home_entry *
insert(struct home_list *l, int at)
{
    size_t after = (size_t)(l->count - at);

    l->entries = mem_resize(l->entries, (size_t)l->count + 1,
                            sizeof *l->entries);
    l->rows = mem_resize(l->rows, (size_t)l->count + 1, sizeof *l->rows);
    memmove(&l->entries[at + 1], &l->entries[at], after * sizeof *l->entries);
    memmove(&l->rows[at + 1], &l->rows[at], after * sizeof *l->rows);
    l->count++;
    l->entries[at] = (struct home_entry){.opens = true};
    return &l->entries[at];
}

/* Makes the row of an entry. */
static void
set_row(struct home_list *l, int at, enum home_door door, const char *group,
        enum menu_mark mark)
{
    const struct home_entry *e = &l->entries[at];

    l->rows[at] = (struct home_row){
        .door = door, .group = group, .mark = mark, .title = e->title,
        .name = door == HOME_WATCH ? e->name : e->title, .note = e->note,
        .text = e->text};
}

static void
entry_done(struct home_entry *e)
{
    free(e->name);
    free(e->words);
    free(e->title);
    free(e->note);
    free(e->text);
}

/* Removes the rows behind a door, and returns where they were. */
static int
clear(struct home_list *l, enum home_door door)
{
    int first = 0, last;

    while (first < l->count && l->rows[first].door < door)
        first++;
    for (last = first; last < l->count && l->rows[last].door == door; last++)
        entry_done(&l->entries[last]);
    memmove(&l->entries[first], &l->entries[last],
            (size_t)(l->count - last) * sizeof *l->entries);
    memmove(&l->rows[first], &l->rows[last],
            (size_t)(l->count - last) * sizeof *l->rows);
    l->count -= last - first;
    return first;
}

void
home_list_done(struct home_list *l)
{
    for (int i = 0; i < l->count; i++)
        entry_done(&l->entries[i]);
    free(l->entries);
    free(l->rows);
    *l = (struct home_list){0};
}

/* Lessons. */

static char *
lesson_text(const struct card *card, struct progress p)
{
    struct buf text = {0};

    buf_puts(&text, card->idea);
    if (p.page > 0)
        buf_addf(&text, _("\nEnter goes on at page %d."), p.page + 1);
    else if (p.asked > 0)
        buf_addf(&text, ngettext("\n%d of %d prediction came true.",
                                 "\n%d of %d predictions came true.",
                                 (unsigned long)p.asked), p.right, p.asked);
    return taken(&text);
}

static void
add_lesson(struct home_list *l, int at, const struct card *card,
           const json_t *all)
{
    struct home_entry *e = insert(l, at);
    struct progress p = progress_of(all, card->name);
    struct buf words = {0}, title = {0}, note = {0};

    e->name = mem_string(card->name);
    if (!coll_find(card->name, &e->algorithm, NULL))
        e->algorithm = NULL;
    e->opens = card->title != NULL;
    if (card->number > 0)
        buf_addf(&title, "%2d  ", card->number);
    buf_puts(&title, e->opens ? card->title : card->name);
    if (card->minutes > 0)
        buf_addf(&note, _("%d min"), card->minutes);
    buf_addf(&words, "%s %s %s", card->name, buf_text(&title),
             e->opens ? card->idea : "");
    e->text = e->opens ? lesson_text(card, p)
                       : mem_string(card->trouble.text);
    e->title = taken(&title);
    e->note = taken(&note);
    e->words = taken(&words);
    set_row(l, at, HOME_LEARN, NULL, !e->opens ? MENU_BROKEN
                                     : p.page > 0 ? MENU_BEGUN
                                     : p.passed   ? MENU_DONE
                                     : p.done     ? MENU_READ
                                                  : MENU_NEW);
}

bool
home_list_read_lessons(struct home_list *l, struct err *err)
{
    json_t *all = progress_read(err);
    int at = clear(l, HOME_LEARN), done = 0;
    struct shelf shelf;

    shelf_read(&shelf);
    for (int i = 0; i < shelf.ncards; i++) {
        add_lesson(l, at + i, &shelf.cards[i], all);
        done += menu_is_read(l->rows[at + i].mark);
    }
    snprintf(l->counts[HOME_LEARN], sizeof l->counts[0], "%d/%d", done,
             shelf.ncards);
    shelf_done(&shelf);
    json_decref(all);
    return all != NULL;
}

static int
first_with(const struct home_list *l, enum menu_mark mark, int from)
{
    for (int i = from; i < l->count && l->rows[i].door == HOME_LEARN; i++)
        if (l->rows[i].mark == mark)
            return i;
    return -1;
}

int
home_list_lesson(const struct home_list *l, const char *last)
{
    int at = last != NULL ? home_list_row(l, HOME_LEARN, last) : -1;

    if (at >= 0 && menu_is_read(l->rows[at].mark))
        at = first_with(l, MENU_NEW, at);
    if (at < 0)
        at = first_with(l, MENU_BEGUN, 0);
    if (at < 0)
        at = first_with(l, MENU_NEW, 0);
    return at >= 0 ? at : l->count > 0 && l->rows[0].door == HOME_LEARN ? 0
                                                                       : -1;
}

/* Algorithms. */

static void
add_algorithm(struct home_list *l, const struct algorithm *a)
{
    struct home_entry *e = insert(l, l->count);
    const struct collective *c = collective_find(a->collective);
    struct buf name = {0}, words = {0}, text = {0};

    e->algorithm = a;
    buf_addf(&name, "%s-%s", a->name, a->collective);
    buf_addf(&words, "%s %s %s %s", buf_text(&name), _(a->name), c->title,
             _(c->title));
    for (int i = 0; a->aliases[i] != NULL; i++)
        buf_addf(&words, " %s", a->aliases[i]);
    for (int i = 0; c->aliases[i] != NULL; i++)
        buf_addf(&words, " %s", c->aliases[i]);
    buf_addf(&text, "%s\n", _(a->idea));
    buf_addf(&text, ngettext("%1$s step, the busiest rank sends %2$s",
                             "%1$s steps, the busiest rank sends %2$s",
                             strcmp(a->steps_formula, "1") == 0 ? 1 : 2),
             a->steps_formula, a->bytes_formula);
    buf_putc(&text, '\n');
    buf_addf(&text, _("for %s"), _(a->when));
    if (c->elsewhere != NULL)
        buf_addf(&text, "\n%s", _(c->elsewhere));
    e->name = taken(&name);
    e->words = taken(&words);
    e->text = taken(&text);
    e->title = mem_string(_(a->name));
    e->note = mem_string("");
    set_row(l, l->count - 1, HOME_WATCH, _(c->title), MENU_NEW);
}

static void
add_algorithms(struct home_list *l)
{
    const struct algorithm *a;
    int i;

    for (i = 0; (a = coll_at(i)) != NULL; i++)
        add_algorithm(l, a);
    snprintf(l->counts[HOME_WATCH], sizeof l->counts[0], "%d", i);
}

/* Recordings. */

struct found {
    char *name;
    time_t written;
};

static int
newer_first(const void *a, const void *b)
{
    const struct found *x = a, *y = b;

    return x->written != y->written ? (x->written < y->written ? 1 : -1)
                                    : strcmp(x->name, y->name);
}

static bool
is_recording(const char *name, struct stat *about)
{
    return publish_kind(name) == PUBLISH_RECORDING &&
           stat(name, about) == 0 && S_ISREG(about->st_mode);
}

/* "2 h ago" */
static char *
age(time_t written)
{
    long long s = (long long)(time(NULL) - written);
    struct buf text = {0};

    if (s < 60)
        buf_puts(&text, _("now"));
    else if (s < 3600)
        buf_addf(&text, _("%lld min ago"), s / 60);
    else if (s < 86400)
        buf_addf(&text, _("%lld h ago"), s / 3600);
    else
        buf_addf(&text, _("%lld d ago"), s / 86400);
    return taken(&text);
}

static void
add_recording(struct home_list *l, int at, const struct found *f)
{
    struct home_entry *e = insert(l, at);

    e->name = mem_string(f->name);
    e->words = mem_string(f->name);
    e->title = mem_string(f->name);
    e->note = age(f->written);
    e->text = mem_string("");
    set_row(l, at, HOME_REPLAY, NULL, MENU_NEW);
}

void
home_list_read_recordings(struct home_list *l)
{
    DIR *here = opendir(".");
    struct found found[RECORDINGS_MOST];
    struct dirent *file;
    struct stat about;
    int count = 0, at = clear(l, HOME_REPLAY);

    while (here != NULL && count < RECORDINGS_MOST &&
           (file = readdir(here)) != NULL)
        if (is_recording(file->d_name, &about))
            found[count++] = (struct found){mem_string(file->d_name),
                                            about.st_mtime};
    if (here != NULL)
        closedir(here);
    qsort(found, (size_t)count, sizeof *found, newer_first);
    for (int i = 0; i < count; i++) {
        add_recording(l, at + i, &found[i]);
        free(found[i].name);
    }
    snprintf(l->counts[HOME_REPLAY], sizeof l->counts[0], "%d", count);
}

/* Backends. */

static char *
backend_text(const struct backend *b, bool there, const struct err *why)
{
    struct buf text = {0};

    if (!there)
        buf_puts(&text, why->text);
    else if (b->worker == NULL)
        buf_addf(&text, ngettext("Ranks share %d core.",
                                 "Ranks share %d cores.",
                                 (unsigned long)pool_cores()), pool_cores());
    else if (b->launcher != NULL)
        buf_addf(&text, _("Ranks are started by %s."), b->launcher->command);
    else
        buf_puts(&text, b->there != NULL
                            ? _("There is an NVIDIA driver; collviz doctor "
                                "lists the GPUs.")
                            : _("collviz doctor says whether it works."));
    if (there)
        buf_addf(&text, _("\nEnter watches ring all-reduce on it."));
    return taken(&text);
}

static void
add_backends(struct home_list *l)
{
    const struct backend *b;
    int works = 0, i;

    for (i = 0; (b = backend_at(i)) != NULL; i++) {
        struct home_entry *e = insert(l, l->count);
        struct err why = {""};
        /* only its worker knows of a backend that has no `there` */
        bool known = b->there != NULL || b->worker == NULL;
        e->opens = b->there == NULL || b->there(b, &why);
        works += known && e->opens;
        e->name = mem_string(b->name);
        e->words = mem_string(b->name);
        e->title = mem_string(b->name);
        e->note = mem_string(!known ? "" : e->opens ? _("here")
                                                    : _("not here"));
        e->text = backend_text(b, e->opens, &why);
        set_row(l, l->count - 1, HOME_MACHINE, NULL,
                known && e->opens ? MENU_DONE : MENU_NEW);
    }
    snprintf(l->counts[HOME_MACHINE], sizeof l->counts[0], "%d/%d", works, i);
}

void
home_list_read(struct home_list *l)
{
    add_algorithms(l);
    add_backends(l);
    home_list_read_recordings(l);
}

/* Searching. */

/* Whether `text` has the first `length` characters of `word` in it. */
static bool
has(const char *text, const char *word, size_t length)
{
    for (; *text != '\0'; text++)
        if (strncasecmp(text, word, length) == 0)
            return true;
    return false;
}

static bool
matches(const struct home_entry *e, const char *text)
{
    for (; *(text += strspn(text, " ")) != '\0'; text += strcspn(text, " "))
        if (!has(e->words, text, strcspn(text, " ")))
            return false;
    return true;
}

void
home_list_find(const struct home_list *l, const char *text, int *found,
               int *nfound)
{
    *nfound = 0;
    for (int i = 0; i < l->count; i++)
        if (matches(&l->entries[i], text))
            found[(*nfound)++] = i;
}

void
home_list_behind(const struct home_list *l, enum home_door door, int *found,
                 int *nfound)
{
    *nfound = 0;
    for (int i = 0; i < l->count; i++)
        if (l->rows[i].door == door)
            found[(*nfound)++] = i;
}

int
home_list_row(const struct home_list *l, enum home_door door,
              const char *name)
{
    for (int i = 0; i < l->count; i++)
        if (l->rows[i].door == door && strcmp(l->entries[i].name, name) == 0)
            return i;
    return -1;
}
