/* SPDX-License-Identifier: MIT */
#include "screen/home_list.h"

#include <ctype.h>
#include <glob.h>
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
#include "base/utf8.h"
#include "lesson/progress.h"
#include "play/build.h"
#include "play/job.h"
#include "run/backend.h"
#include "run/pool.h"
#include "screen/lesson_panel.h"

enum {
    RECORDINGS_MOST = 1000,
    HEAD_MOST = 1 << 16, /* bytes of a recording's first line */
    TAIL_MOST = 256,     /* and of its last */
    LESSON_MOST = 1 << 20,
    PICTURE_RANKS = 4,
    PICTURE_RANKS_3D = 8 /* for every dimension to have two */
};

/* A text of the list, which frees it. */
__attribute__((format(printf, 2, 3))) static const char *
own_text(struct home_list *l, const char *format, ...)
{
    OWN(buf) text = {0};
    va_list args;

    va_start(args, format);
    buf_vaddf(&text, format, args);
    va_end(args);
    l->texts = mem_grow(l->texts, l->ntexts, &l->texts_capacity,
                        sizeof *l->texts);
    l->texts[l->ntexts] = mem_string(buf_text(&text));
    return l->texts[l->ntexts++];
}

static void
push_row(struct home_list *l, struct home_row row)
{
    l->rows = mem_grow(l->rows, (size_t)l->count, &l->capacity,
                       sizeof *l->rows);
    l->rows[l->count++] = row;
}

void
home_list_done(struct home_list *l)
{
    for (size_t i = 0; i < l->ntexts; i++)
        free(l->texts[i]);
    free(l->texts);
    free(l->rows);
    *l = (struct home_list){0};
}

/* Lessons. */

static void
add_lesson(struct home_list *l, const struct card *card, struct progress p)
{
    bool opens = card->title != NULL;
    OWN(buf) source = {0}, text = {0}, note = {0};
    const char *title = card->number > 0
                            ? own_text(l, "%2d  %s", card->number, card->title)
                            : own_text(l, "%s", opens ? card->title
                                                      : card->name);
    struct err ignored;

    load(card->path, LESSON_MOST, &source, &ignored);
    buf_puts(&text, opens ? card->idea : card->trouble.text);
    if (p.asked > 0) {
        buf_addf(&note, "%d/%d  ", p.right, p.asked);
        lesson_panel_add_score(&text, card->name, &p);
    }
    if (card->minutes > 0)
        buf_addf(&note, _("%d min"), card->minutes);
    push_row(l, (struct home_row){
        .door = HOME_LEARN,
        .group = card->day > 0 ? own_text(l, _("day %d"), card->day)
                               : NULL,
        .mark = !opens       ? HOME_BROKEN
                : p.page > 0 ? HOME_BEGUN
                : p.passed   ? HOME_DONE
                : p.done     ? HOME_READ
                             : HOME_NEW,
        .title = title, .name = title + strspn(title, " "),
        .note = own_text(l, "%s", buf_text(&note)),
        .text = own_text(l, "%s", buf_text(&text)),
        .enter = opens && p.page > 0
                     ? own_text(l, _("Enter goes on at page %d."),
                                p.page + 1)
                     : NULL,
        .program = card->program != NULL,
        .proves = progress_provable(&p, time(NULL)),
        .opens = opens, .key = card->name, .card = card,
        .picture = card->picture,
        .words = own_text(l, "%s %s", card->name, title),
        .about = own_text(l, "%s\n%s", opens ? card->idea : "",
                          buf_text(&source))});
}

/* An exercise of a skill; SKILL_NONE: the exam of all. */
static void
add_practice(struct home_list *l, const struct shelf *shelf, const json_t *all,
             enum skill skill)
{
    bool exam = skill == SKILL_NONE;
    int lesson = exam ? -1 : shelf_index(shelf, skills[skill].lesson);
    struct skill_progress p = progress_skill(all, skill);
    OWN(buf) text = {0};
    struct tally sum = p.practice;

    for (int i = SKILL_NONE + 1; exam && i < SKILLS; i++) {
        struct tally t = progress_skill(all, (enum skill)i).exam;
        sum.asked += t.asked;
        sum.right += t.right;
        if (t.asked > 0) {
            utf8_pad(&text, _(skills[i].name), -12);
            buf_addf(&text, _("%1$d of %2$d right\n"), t.right, t.asked);
        }
    }
    if (exam && sum.asked == 0)
        buf_puts(&text, _("Ten tasks of all skills, without hints; the result "
                          "says which lessons to go back to."));
    if (!exam && lesson >= 0)
        buf_addf(&text, _("A new task each time. Lesson %1$d prepares for it: "
                          "%2$s\n"), shelf->cards[lesson].number,
                 shelf->cards[lesson].title);
    if (!exam && sum.asked > 0)
        buf_addf(&text, _("%1$d of %2$d right at once, without a hint\n"),
                 sum.right, sum.asked);
    if (!exam && p.exam.asked > 0)
        buf_addf(&text, _("in the last exam: %1$d of %2$d\n"), p.exam.right,
                 p.exam.asked);
    push_row(l, (struct home_row){
        .door = HOME_LEARN, .group = _("practice"),
        .mark = sum.asked == 0 ? HOME_NEW : HOME_READ,
        .title = exam ? _("exam") : _(skills[skill].name),
        .name = exam ? _("exam") : _(skills[skill].name),
        .note = sum.asked > 0 ? own_text(l, "%d/%d", sum.right, sum.asked)
                              : "",
        .text = own_text(l, "%s", buf_text(&text)),
        .enter = exam ? _("Enter: a new exam") : _("Enter: a new task"),
        .opens = true, .key = exam ? "exam" : skills[skill].exercise,
        .skill = skill, .picture = skills[skill].picture,
        .words = own_text(l, "%s %s", exam ? "exam" : skills[skill].name,
                          exam ? _("exam") : _(skills[skill].name)),
        .about = "practice"});
}

static bool
add_lesson_rows(struct home_list *l, const struct shelf *shelf, struct err *err)
{
    json_auto_t *all = progress_read(err);
    int read = 0, passed = 0;
    bool begun = false, ok = all != NULL;

    for (int i = 0; i < shelf->ncards; i++) {
        struct progress p = progress_of(all, shelf->cards[i].name);
        add_lesson(l, &shelf->cards[i], p);
        begun |= l->rows[i].mark != HOME_NEW &&
                 l->rows[i].mark != HOME_BROKEN;
        read += p.done;
        passed += p.passed;
    }
    if (!begun && shelf->ncards > 0 && l->rows[0].opens)
        l->rows[0].enter = _("Enter: start here");
    snprintf(l->counts[HOME_LEARN], sizeof l->counts[0], "%d/%d", read,
             shelf->ncards);
    snprintf(l->score, sizeof l->score, _("%d of %d read, %d passed"), read,
             shelf->ncards, passed);
    l->due = progress_due(all, time(NULL));
    for (int i = SKILL_NONE + 1; i < SKILLS; i++) {
        OWN_MEMORY char *path = shelf_exercise((enum skill)i);
        if (path != NULL)
            add_practice(l, shelf, all, (enum skill)i);
    }
    if (shelf->ncards > 0)
        add_practice(l, shelf, all, SKILL_NONE);
    return ok;
}

static int
first_with(const struct home_list *l, enum home_mark mark, int from)
{
    for (int i = from; i < l->count && l->rows[i].door == HOME_LEARN; i++)
        if (l->rows[i].mark == mark && l->rows[i].card != NULL)
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
add_algorithm_row(struct home_list *l, const struct algorithm *a)
{
    const struct collective *c = collective_find(a->collective);
    const char *key = own_text(l, "%s-%s", a->name, a->collective);
    OWN(buf) words = {0}, text = {0};

    buf_addf(&words, "%s %s %s %s", key, _(a->name), c->title, _(c->title));
    for (int i = 0; a->aliases[i] != NULL; i++)
        buf_addf(&words, " %s", a->aliases[i]);
    for (int i = 0; c->aliases[i] != NULL; i++)
        buf_addf(&words, " %s", c->aliases[i]);
    buf_addf(&text, "%s\n", _(a->idea));
    build_costs(a, &text);
    buf_putc(&text, '\n');
    buf_addf(&text, _("for %s"), _(a->when));
    if (c->elsewhere != NULL)
        buf_addf(&text, "\n%s", _(c->elsewhere));
    push_row(l, (struct home_row){
        .door = HOME_WATCH, .group = _(c->title), .title = _(a->name),
        .name = key, .note = "",
        .text = own_text(l, "%s", buf_text(&text)),
        .opens = true, .key = key,
        .picture = own_text(l, "%s --gpus %d", key,
                            a->dims == 3 ? PICTURE_RANKS_3D : PICTURE_RANKS),
        .words = own_text(l, "%s", buf_text(&words)),
        .about = own_text(l, "%s %s %s", a->idea, a->when,
                          buf_text(&text))});
}

/* Recordings. */

struct found {
    const char *name, *about; /* about: its algorithm and its collective */
    time_t written;
    bool whole; /* if not, it was cut off */
};

static int
newer_first(const void *a, const void *b)
{
    const struct found *x = a, *y = b;

    return x->written != y->written ? (x->written < y->written ? 1 : -1)
                                    : strcmp(x->name, y->name);
}

/* Whether a file is a recording, or was to become one.  Looks at the first line
 * and at the last: a recording may have gigabytes.  Whoever shows it reads, and
 * judges, the rest. */
static bool
is_recording(struct home_list *l, const char *name, struct found *f)
{
    char head[HEAD_MOST], tail[TAIL_MOST + 1] = "";
    const char *type, *algorithm, *collective;
    struct stat about;
    FILE *file;
    json_t *run;
    bool is;

    if (stat(name, &about) != 0 || !S_ISREG(about.st_mode) ||
        (file = fopen(name, "re")) == NULL)
        return false;
    run = json_loadb(head, fread(head, 1, sizeof head, file),
                     JSON_DISABLE_EOF_CHECK, NULL);
    is = json_unpack(run, "{s:s, s:s, s:s}", "type", &type, "algorithm",
                     &algorithm, "collective", &collective) == 0 &&
         strcmp(type, "run") == 0;
    if (is) {
        if (fseek(file, -TAIL_MOST, SEEK_END) != 0)
            rewind(file);
        tail[fread(tail, 1, TAIL_MOST, file)] = '\0';
        *f = (struct found){own_text(l, "%s", name),
                            own_text(l, "%s-%s", algorithm, collective),
                            about.st_mtime, strstr(tail, "\"end\"") != NULL};
    }
    json_decref(run);
    fclose(file);
    return is;
}

/* "2 h ago" */
static const char *
age_text(struct home_list *l, time_t written)
{
    long long s = (long long)(time(NULL) - written);

    return s < 60      ? _("now")
           : s < 3600  ? own_text(l, _("%lld min ago"), s / 60)
           : s < 86400 ? own_text(l, _("%lld h ago"), s / 3600)
                       : own_text(l, _("%lld d ago"), s / 86400);
}

static void
add_recordings(struct home_list *l)
{
    struct found found[RECORDINGS_MOST];
    int count = 0, whole = 0;
    glob_t files = {0};

    glob("*.[jJ][sS][oO][nN][lL]", GLOB_PERIOD | GLOB_NOSORT, NULL, &files);
    for (size_t i = 0; i < files.gl_pathc && count < RECORDINGS_MOST; i++)
        count += is_recording(l, files.gl_pathv[i], &found[count]);
    globfree(&files);
    qsort(found, (size_t)count, sizeof *found, newer_first);
    for (const struct found *f = found; f < found + count; f++) {
        push_row(l, (struct home_row){
            .door = HOME_REPLAY, .mark = f->whole ? HOME_NEW : HOME_BROKEN,
            .title = f->name, .name = f->name + strspn(f->name, " "),
            .note = age_text(l, f->written),
            .text = f->whole ? "" : _("The file is cut off."),
            .opens = f->whole, .key = f->name, .words = f->name,
            .about = f->about});
        whole += f->whole;
    }
    snprintf(l->counts[HOME_REPLAY], sizeof l->counts[0], "%d", whole);
}

/* Backends. */

static const char *
backend_text(struct home_list *l, const struct backend *b)
{
    if (b->worker == NULL)
        return own_text(l, ngettext("Ranks share %d core.",
                                    "Ranks share %d cores.",
                                    (unsigned long)pool_cores()),
                        pool_cores());
    if (b->launcher != NULL)
        return own_text(l, _("Ranks are started by %s."), b->launcher);
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
        struct err why = {.text = ""};
        /* only its worker knows of a backend that has no `there` */
        bool known = b->there != NULL || b->worker == NULL;
        bool opens = b->there == NULL || b->there(b, &why);
        const char *text = opens ? backend_text(l, b)
                                 : own_text(l, "%s", why.text);
        works += known && opens;
        push_row(l, (struct home_row){
            .door = HOME_MACHINE,
            .mark = known && opens ? HOME_DONE : HOME_NEW,
            .title = b->name, .name = b->name,
            .note = !known ? "" : opens ? _("here") : _("not here"),
            .text = text,
            .enter = opens ? _("Enter watches ring all-reduce on it.")
                           : NULL,
            .opens = opens, .key = b->name, .words = b->name,
            .picture = own_text(l, "ring-allreduce --gpus %d", PICTURE_RANKS),
            .about = text});
    }
    snprintf(l->counts[HOME_MACHINE], sizeof l->counts[0], "%d/%d", works, i);
}

bool
home_list_read(struct home_list *l, const struct shelf *shelf, bool only,
               struct err *err)
{
    const struct algorithm *a;
    bool ok;
    int i;

    home_list_done(l);
    ok = shelf == NULL || add_lesson_rows(l, shelf, err);
    if (only)
        return ok;
    for (i = 0; (a = coll_at(i)) != NULL; i++)
        add_algorithm_row(l, a);
    snprintf(l->counts[HOME_WATCH], sizeof l->counts[0], "%d", i);
    add_recordings(l);
    add_backends(l);
    return ok;
}

struct plan *
home_list_plan(const struct home_row *r, struct err *err)
{
    OWN(options) none = {0}, o = {0};
    OWN_MEMORY char *name = NULL, *folder = NULL;

    if (!options_parse(&none, 1, (char *[]){"", NULL}, err))
        return NULL;
    if (r->card != NULL) { /* a lesson may run files of its folder */
        folder = mem_string(r->card->path);
        folder[load_name(folder) - folder] = '\0';
        none.folder = folder;
    }
    if (!job_options(&o, &none, r->picture, &name, err))
        return NULL;
    free(o.backend);
    o.backend = mem_string("threads");
    return plan_new(name, NULL, &o, err);
}

/* Searching. */

/* Whether `text` has the first `length` characters of `word` in it; at the
 * beginning of a word, if `begins`. */
static bool
contains_word(const char *text, const char *word, size_t length, bool begins)
{
    for (const char *p = text; *p != '\0'; p++)
        if (strncasecmp(p, word, length) == 0 &&
            !(begins && p > text && isalnum((unsigned char)p[-1])))
            return true;
    return false;
}

static bool
matches_words(const struct home_row *r, const char *text, bool named)
{
    for (; *(text += strspn(text, " ")) != '\0'; text += strcspn(text, " ")) {
        size_t length = strcspn(text, " ");
        if (!contains_word(r->words, text, length, false) &&
            (named || !contains_word(r->about, text, length, true)))
            return false;
    }
    return true;
}

void
home_list_find(const struct home_list *l, enum home_door door,
               const char *text, int *found, int *nfound, int *nnamed)
{
    *nfound = 0;
    for (int i = 0; i < l->count; i++)
        if (text != NULL ? matches_words(&l->rows[i], text, true)
                         : l->rows[i].door == door)
            found[(*nfound)++] = i;
    *nnamed = *nfound;
    for (int i = 0; text != NULL && i < l->count; i++)
        if (!matches_words(&l->rows[i], text, true) &&
            matches_words(&l->rows[i], text, false))
            found[(*nfound)++] = i;
}

int
home_list_row(const struct home_list *l, enum home_door door, const char *key)
{
    for (int i = 0; i < l->count; i++)
        if (l->rows[i].door == door && strcmp(l->rows[i].key, key) == 0)
            return i;
    return -1;
}
