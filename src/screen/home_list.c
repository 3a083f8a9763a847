/* SPDX-License-Identifier: MIT */
#include "screen/home_list.h"

#include <ctype.h>
#include <dirent.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/buf.h"
#include "base/load.h"
#include "base/mem.h"
#include "base/translate.h"
#include "lesson/progress.h"
#include "lesson/shelf.h"
#include "run/backend.h"
#include "run/pool.h"
#include "screen/publish.h"

enum {
    RECORDINGS_MOST = 1000,
    HEAD_MOST = 1 << 16, /* bytes of a recording's first line */
    TAIL_MOST = 256,     /* and of its last */
    LESSON_MOST = 1 << 20,
    PICTURE_RANKS = 4,
    PICTURE_RANKS_3D = 8 /* for every dimension to have two */
};

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
set_row(struct home_list *l, int at, enum home_door door, enum menu_mark mark)
{
    const struct home_entry *e = &l->entries[at];

    l->rows[at] = (struct home_row){
        .door = door, .group = e->group, .mark = mark, .title = e->title,
        .name = door == HOME_WATCH ? e->name
                                   : e->title + strspn(e->title, " "),
        .note = e->note,
        .text = e->text, .enter = e->enter};
}

static void
entry_done(struct home_entry *e)
{
    free(e->name);
    free(e->picture);
    free(e->words);
    free(e->about);
    free(e->group);
    free(e->title);
    free(e->note);
    free(e->text);
    free(e->enter);
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
    if (p.page == 0 && p.asked > 0)
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
    struct buf words = {0}, about = {0}, title = {0}, note = {0};
    struct buf group = {0}, enter = {0};
    struct err ignored;

    e->name = mem_string(card->name);
    if (card->picture != NULL)
        e->picture = mem_string(card->picture);
    e->opens = card->title != NULL;
    if (card->number > 0)
        buf_addf(&title, "%2d  ", card->number);
    buf_puts(&title, e->opens ? card->title : card->name);
    if (card->minutes > 0)
        buf_addf(&note, _("%d min"), card->minutes);
    buf_addf(&words, "%s %s", card->name, buf_text(&title));
    buf_addf(&about, "%s\n", e->opens ? card->idea : "");
    load_file(card->path, LESSON_MOST, &about, &ignored);
    if (card->day > 0)
        buf_addf(&group, _("day %d"), card->day);
    if (e->opens && p.page > 0)
        buf_addf(&enter, _("Enter goes on at page %d."), p.page + 1);
    e->text = e->opens ? lesson_text(card, p)
                       : mem_string(card->trouble.text);
    e->title = taken(&title);
    e->note = taken(&note);
    e->words = taken(&words);
    e->about = taken(&about);
    e->group = card->day > 0 ? taken(&group) : NULL;
    e->enter = taken(&enter);
    set_row(l, at, HOME_LEARN, !e->opens    ? MENU_BROKEN
                               : p.page > 0 ? MENU_BEGUN
                               : p.passed   ? MENU_DONE
                               : p.done     ? MENU_READ
                                            : MENU_NEW);
}

/* A learner who has not begun is told where to. */
static void
point_at_start(struct home_list *l, int at, int count)
{
    for (int i = at; i < at + count; i++)
        if (l->rows[i].mark != MENU_NEW && l->rows[i].mark != MENU_BROKEN)
            return;
    if (count == 0 || !l->entries[at].opens)
        return;
    free(l->entries[at].enter);
    l->entries[at].enter = mem_string(_("Enter: start here"));
    l->rows[at].enter = l->entries[at].enter;
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
    point_at_start(l, at, shelf.ncards);
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
    struct buf name = {0}, picture = {0}, words = {0}, about = {0}, text = {0};

    buf_addf(&picture, "%s-%s --gpus %d", a->name, a->collective,
             a->dims == 3 ? PICTURE_RANKS_3D : PICTURE_RANKS);
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
    buf_addf(&about, "%s %s %s", a->idea, a->when, buf_text(&text));
    e->name = taken(&name);
    e->picture = taken(&picture);
    e->words = taken(&words);
    e->about = taken(&about);
    e->group = mem_string(_(c->title));
    e->text = taken(&text);
    e->title = mem_string(_(a->name));
    e->note = mem_string("");
    set_row(l, l->count - 1, HOME_WATCH, MENU_NEW);
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
    char *about; /* its algorithm and its collective */
    bool whole;  /* if not, it was cut off */
};

static int
newer_first(const void *a, const void *b)
{
    const struct found *x = a, *y = b;

    return x->written != y->written ? (x->written < y->written ? 1 : -1)
                                    : strcmp(x->name, y->name);
}

/* Looks at the first line and at the last: a recording may have gigabytes.
 * Whoever shows it reads, and judges, the rest. */
static void
look_into(FILE *file, struct found *f)
{
    char *head = mem_new(HEAD_MOST, 1), tail[TAIL_MOST + 1] = "";
    size_t length = fread(head, 1, HEAD_MOST, file);
    json_t *run = json_loadb(head, length, JSON_DISABLE_EOF_CHECK, NULL);
    const char *type, *algorithm, *collective;

    if (json_unpack(run, "{s:s, s:s, s:s}", "type", &type, "algorithm",
                    &algorithm, "collective", &collective) == 0 &&
        strcmp(type, "run") == 0) {
        struct buf about = {0};
        buf_addf(&about, "%s-%s", algorithm, collective);
        f->about = taken(&about);
        if (fseek(file, -TAIL_MOST, SEEK_END) != 0)
            rewind(file);
        tail[fread(tail, 1, TAIL_MOST, file)] = '\0';
        f->whole = strstr(tail, "\"end\"") != NULL;
    }
    json_decref(run);
    free(head);
}

/* Whether a file is a recording, or was to become one. */
static bool
is_recording(const char *name, struct found *f)
{
    struct stat about;
    FILE *file;

    *f = (struct found){.name = NULL};
    if (publish_kind(name) != PUBLISH_RECORDING || stat(name, &about) != 0 ||
        !S_ISREG(about.st_mode) || (file = fopen(name, "re")) == NULL)
        return false;
    look_into(file, f);
    fclose(file);
    f->written = about.st_mtime;
    if (f->about != NULL)
        f->name = mem_string(name);
    return f->about != NULL;
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

    e->name = f->name;
    e->words = mem_string(f->name);
    e->about = f->about;
    e->title = mem_string(f->name);
    e->note = age(f->written);
    e->opens = f->whole;
    e->text = mem_string(f->whole ? "" : _("The file is cut off."));
    set_row(l, at, HOME_REPLAY, f->whole ? MENU_NEW : MENU_BROKEN);
}

void
home_list_read_recordings(struct home_list *l)
{
    DIR *here = opendir(".");
    struct found found[RECORDINGS_MOST];
    struct dirent *file;
    int count = 0, whole = 0, at = clear(l, HOME_REPLAY);

    while (here != NULL && count < RECORDINGS_MOST &&
           (file = readdir(here)) != NULL)
        count += is_recording(file->d_name, &found[count]);
    if (here != NULL)
        closedir(here);
    qsort(found, (size_t)count, sizeof *found, newer_first);
    for (int i = 0; i < count; i++) {
        add_recording(l, at + i, &found[i]);
        whole += found[i].whole;
    }
    snprintf(l->counts[HOME_REPLAY], sizeof l->counts[0], "%d", whole);
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
        e->about = mem_string(e->text);
        if (e->opens)
            e->enter = mem_string(_("Enter watches ring all-reduce on it."));
        set_row(l, l->count - 1, HOME_MACHINE,
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

/* Whether `text` has the first `length` characters of `word` in it; at the
 * beginning of a word, if `begins`. */
static bool
has(const char *text, const char *word, size_t length, bool begins)
{
    for (const char *p = text; *p != '\0'; p++)
        if (strncasecmp(p, word, length) == 0 &&
            !(begins && p > text && isalnum((unsigned char)p[-1])))
            return true;
    return false;
}

static bool
matches(const struct home_entry *e, const char *text, bool named)
{
    for (; *(text += strspn(text, " ")) != '\0'; text += strcspn(text, " ")) {
        size_t length = strcspn(text, " ");
        if (!has(e->words, text, length, false) &&
            (named || !has(e->about, text, length, true)))
            return false;
    }
    return true;
}

void
home_list_find(const struct home_list *l, const char *text, int *found,
               int *nfound, int *nnamed)
{
    *nfound = 0;
    for (int i = 0; i < l->count; i++)
        if (matches(&l->entries[i], text, true))
            found[(*nfound)++] = i;
    *nnamed = *nfound;
    for (int i = 0; i < l->count; i++)
        if (!matches(&l->entries[i], text, true) &&
            matches(&l->entries[i], text, false))
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
