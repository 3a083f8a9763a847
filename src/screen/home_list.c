/* SPDX-License-Identifier: MIT */
#include "screen/home_list.h"

#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/buf.h"
#include "base/load.h"
#include "base/mem.h"
#include "base/translate.h"
#include "lesson/progress.h"
#include "run/backend.h"
#include "run/pool.h"
#include "screen/publish.h"
#include "screen/teach_panel.h"

enum {
    RECORDINGS_MOST = 1000,
    HEAD_MOST = 1 << 16, /* bytes of a recording's first line */
    TAIL_MOST = 256,     /* and of its last */
    LESSON_MOST = 1 << 20,
    PICTURE_RANKS = 4,
    PICTURE_RANKS_3D = 8 /* for every dimension to have two */
};

/* Lists. */

/* A text of the entry, which frees it. */
__attribute__((format(printf, 2, 3))) static const char *
own(struct home_entry *e, const char *format, ...)
{
    struct buf text = {0};
    va_list args;

    va_start(args, format);
    buf_vaddf(&text, format, args);
    va_end(args);
    assert(e->ntexts < HOME_TEXTS);
    e->texts[e->ntexts] = mem_string(buf_text(&text));
    buf_done(&text);
    return e->texts[e->ntexts++];
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

static void
entry_done(struct home_entry *e)
{
    for (int i = 0; i < e->ntexts; i++)
        free(e->texts[i]);
}

/* Removes the rows behind a door, and returns where they were. */
static int
clear(struct home_list *l, enum home_door door)
{
    int first = 0, last;

    if (l->count == 0) /* there may be no array yet */
        return 0;
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

static void
add_lesson(struct home_list *l, int at, const struct card *card,
           const json_t *all)
{
    struct home_entry *e = insert(l, at);
    struct progress p = progress_of(all, card->name);
    struct buf source = {0}, text = {0}, note = {0};
    struct err ignored;

    load_file(card->path, LESSON_MOST, &source, &ignored);
    e->opens = card->title != NULL;
    e->name = card->name;
    e->card = card;
    e->picture = card->picture;
    buf_puts(&text, e->opens ? card->idea : card->trouble.text);
    if (p.asked > 0) {
        buf_addf(&note, "%d/%d  ", p.right, p.asked);
        teach_panel_add_score(&text, p.right, p.asked, p.passed);
    }
    if (card->minutes > 0)
        buf_addf(&note, _("%d min"), card->minutes);
    l->rows[at] = (struct home_row){
        .door = HOME_LEARN,
        .group = card->day > 0 ? own(e, _("day %d"), card->day) : NULL,
        .mark = !e->opens    ? HOME_BROKEN
                : p.page > 0 ? HOME_BEGUN
                : p.passed   ? HOME_DONE
                : p.done     ? HOME_READ
                             : HOME_NEW,
        .title = card->number > 0
                     ? own(e, "%2d  %s", card->number, card->title)
                     : own(e, "%s", e->opens ? card->title : card->name),
        .note = own(e, "%s", buf_text(&note)),
        .text = own(e, "%s", buf_text(&text)),
        .enter = e->opens && p.page > 0
                     ? own(e, _("Enter goes on at page %d."), p.page + 1)
                     : NULL,
        .program = card->program != NULL};
    l->rows[at].name = l->rows[at].title + strspn(l->rows[at].title, " ");
    e->words = own(e, "%s %s", card->name, l->rows[at].title);
    e->about = own(e, "%s\n%s", e->opens ? card->idea : "",
                   buf_text(&source));
    buf_done(&source);
    buf_done(&text);
    buf_done(&note);
}

bool
home_list_add_lessons(struct home_list *l, const struct shelf *shelf, int *due,
                      struct err *err)
{
    json_t *all = progress_read(err);
    int at = clear(l, HOME_LEARN), read = 0, passed = 0;
    bool begun = false;

    for (int i = 0; i < shelf->ncards; i++) {
        struct progress p = progress_of(all, shelf->cards[i].name);
        add_lesson(l, at + i, &shelf->cards[i], all);
        begun |= l->rows[at + i].mark != HOME_NEW &&
                 l->rows[at + i].mark != HOME_BROKEN;
        read += p.done;
        passed += p.passed;
    }
    if (!begun && shelf->ncards > 0 && l->entries[at].opens)
        l->rows[at].enter = _("Enter: start here");
    snprintf(l->counts[HOME_LEARN], sizeof l->counts[0], "%d/%d", read,
             shelf->ncards);
    snprintf(l->score, sizeof l->score, _("%d of %d read, %d passed"), read,
             shelf->ncards, passed);
    *due = progress_due(all, time(NULL));
    json_decref(all);
    return all != NULL;
}

static int
first_with(const struct home_list *l, enum home_mark mark, int from)
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

    if (at >= 0 && (l->rows[at].mark == HOME_READ ||
                    l->rows[at].mark == HOME_DONE))
        at = first_with(l, HOME_NEW, at);
    if (at < 0)
        at = first_with(l, HOME_BEGUN, 0);
    if (at < 0)
        at = first_with(l, HOME_NEW, 0);
    return at >= 0 ? at : l->count > 0 && l->rows[0].door == HOME_LEARN ? 0
                                                                       : -1;
}

/* Algorithms. */

static void
add_algorithm(struct home_list *l, const struct algorithm *a)
{
    struct home_entry *e = insert(l, l->count);
    const struct collective *c = collective_find(a->collective);
    struct buf words = {0}, text = {0};

    e->name = own(e, "%s-%s", a->name, a->collective);
    e->picture = own(e, "%s --gpus %d", e->name,
                     a->dims == 3 ? PICTURE_RANKS_3D : PICTURE_RANKS);
    buf_addf(&words, "%s %s %s %s", e->name, _(a->name), c->title,
             _(c->title));
    for (int i = 0; a->aliases[i] != NULL; i++)
        buf_addf(&words, " %s", a->aliases[i]);
    for (int i = 0; c->aliases[i] != NULL; i++)
        buf_addf(&words, " %s", c->aliases[i]);
    e->words = own(e, "%s", buf_text(&words));
    buf_addf(&text, "%s\n", _(a->idea));
    buf_addf(&text, ngettext("%1$s step, the busiest rank sends %2$s",
                             "%1$s steps, the busiest rank sends %2$s",
                             strcmp(a->steps_formula, "1") == 0 ? 1 : 2),
             a->steps_formula, a->bytes_formula);
    buf_putc(&text, '\n');
    buf_addf(&text, _("for %s"), _(a->when));
    if (c->elsewhere != NULL)
        buf_addf(&text, "\n%s", _(c->elsewhere));
    e->about = own(e, "%s %s %s", a->idea, a->when, buf_text(&text));
    l->rows[l->count - 1] = (struct home_row){
        .door = HOME_WATCH, .group = _(c->title), .title = _(a->name),
        .name = e->name, .note = "", .text = own(e, "%s", buf_text(&text))};
    buf_done(&words);
    buf_done(&text);
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
        f->about = mem_new(strlen(algorithm) + strlen(collective) + 2, 1);
        stpcpy(stpcpy(stpcpy(f->about, algorithm), "-"), collective);
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
static const char *
age(struct home_entry *e, time_t written)
{
    long long s = (long long)(time(NULL) - written);

    return s < 60      ? _("now")
           : s < 3600  ? own(e, _("%lld min ago"), s / 60)
           : s < 86400 ? own(e, _("%lld h ago"), s / 3600)
                       : own(e, _("%lld d ago"), s / 86400);
}

static void
add_recording(struct home_list *l, int at, const struct found *f)
{
    struct home_entry *e = insert(l, at);

    e->name = e->words = own(e, "%s", f->name);
    e->about = own(e, "%s", f->about);
    e->opens = f->whole;
    l->rows[at] = (struct home_row){
        .door = HOME_REPLAY, .mark = f->whole ? HOME_NEW : HOME_BROKEN,
        .title = e->name, .name = e->name + strspn(e->name, " "),
        .note = age(e, f->written),
        .text = f->whole ? "" : _("The file is cut off.")};
    free(f->name);
    free(f->about);
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

static const char *
backend_text(struct home_entry *e, const struct backend *b,
             const struct err *why)
{
    if (!e->opens)
        return own(e, "%s", why->text);
    if (b->worker == NULL)
        return own(e, ngettext("Ranks share %d core.", "Ranks share %d cores.",
                               (unsigned long)pool_cores()), pool_cores());
    if (b->launcher != NULL)
        return own(e, _("Ranks are started by %s."), b->launcher->command);
    return b->there != NULL
               ? _("There is an NVIDIA driver; collviz doctor lists the GPUs.")
               : _("collviz doctor says whether it works.");
}

static void
add_backends(struct home_list *l)
{
    const struct backend *b;
    int works = 0, i;

    for (i = 0; (b = backend_at(i)) != NULL; i++) {
        struct home_entry *e = insert(l, l->count);
        struct home_row *row = &l->rows[l->count - 1];
        struct err why = {""};
        /* only its worker knows of a backend that has no `there` */
        bool known = b->there != NULL || b->worker == NULL;
        e->opens = b->there == NULL || b->there(b, &why);
        works += known && e->opens;
        e->name = e->words = b->name;
        e->about = backend_text(e, b, &why);
        *row = (struct home_row){
            .door = HOME_MACHINE,
            .mark = known && e->opens ? HOME_DONE : HOME_NEW,
            .title = b->name, .name = b->name,
            .note = !known ? "" : e->opens ? _("here") : _("not here"),
            .text = e->about,
            .enter = e->opens ? _("Enter watches ring all-reduce on it.")
                              : NULL};
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
