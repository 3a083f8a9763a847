/* SPDX-License-Identifier: MIT */
#include "lesson/shelf.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/install.h"
#include "base/load.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "script/script.h"

enum { PLACES = 1 + INSTALL_PLACES, PLACE_MAX = PATH_MAX + 64 };
enum { NUMBER_MOST = 999, DAY_MOST = 99, LECTURE_MINUTES = 45 };
enum { PROGRAM_BYTES = 256 << 10 };
enum { AT_ONCE = 2 }; /* lessons that are read in parallel */

static const int64_t PATIENCE_NS = 5000000000; /* for the verb `lesson` */

static const char exercises[] = "exercises/";

const struct skill_row skills[SKILLS] = {
    [SKILL_NONE] = {.picture = "butterfly-allreduce --gpus 8"},
    [SKILL_WIRE] = {N_("wire"), "wire", "ring-allreduce",
                    "butterfly-allreduce --gpus 4"},
    [SKILL_REPAIR] = {N_("repair"), "repair", "what-goes-wrong",
                      "ring-allreduce --gpus 3 --broken lost:7"},
    [SKILL_PREDICT] = {.name = N_("predict")},
    [SKILL_CHOOSE] = {N_("choose"), "choose", "choose",
                      "ring-allreduce --gpus 4 --network "
                      "2x2,inside=nvlink,between=infiniband"},
    [SKILL_DIAGNOSE] = {N_("diagnose"), "diagnose", "what-goes-wrong",
                        "ring-allreduce --gpus 4 --delay 2=400"},
};

enum skill
skill_named(const char *name)
{
    for (int i = SKILL_NONE + 1; i < SKILLS; i++)
        if (strcmp(skills[i].name, name) == 0)
            return (enum skill)i;
    return SKILL_NONE;
}

/* The folders of lessons: the user's, then those that come with collviz.
 * Returns false if one is not known. */
static bool
find_folder(int i, char path[PLACE_MAX])
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");

    if (i > 0)
        return install_folder(INSTALL_LESSONS, i - 1, path);
    if (data != NULL && data[0] == '/')
        return snprintf(path, PLACE_MAX, "%s/collviz/lessons", data) > 0;
    return home != NULL && home[0] == '/' &&
           snprintf(path, PLACE_MAX, "%s/.local/share/collviz/lessons",
                    home) > 0;
}

static bool
is_lesson(const char *name)
{
    size_t length = strlen(name);

    return length > 4 && strcmp(name + length - 4, ".lua") == 0;
}

/* A path's name: "ring-allreduce", "exercises/wire".  The caller frees it. */
static char *
name_of_path(const char *path)
{
    const char *base = load_name(path);
    size_t length = sizeof exercises - 1;
    bool exercise = (size_t)(base - path) >= length &&
                    strncmp(base - length, exercises, length) == 0;
    char *name = mem_string(exercise ? base - length : base);

    if (is_lesson(name))
        name[strlen(name) - 4] = '\0';
    return name;
}

/* A text as JSON can hold it.  The caller frees it. */
static char *
escape_text(const char *text)
{
    char clean[4 * PATH_MAX];

    utf8_clean(clean, sizeof clean, text);
    return mem_string(clean);
}

static char *
join_path(const char *place, const char *file, const char *ending)
{
    char *path = mem_new(strlen(place) + strlen(file) + 8, 1);

    stpcpy(stpcpy(stpcpy(stpcpy(path, place), "/"), file), ending);
    return path;
}

/* The path of NAME.lua in the first folder that has it, or NULL. */
static char *
find_file(const char *name)
{
    size_t length = sizeof exercises - 1;
    bool exercise = strncmp(name, exercises, length) == 0;
    bool inside = strchr(exercise ? name + length : name, '/') == NULL;
    char place[PLACE_MAX];

    for (int i = 0; i < PLACES && inside; i++) {
        char *path = find_folder(i, place) ? join_path(place, name, ".lua")
                                           : NULL;
        if (path != NULL && access(path, R_OK) == 0)
            return path;
        free(path);
    }
    return NULL;
}

char *
shelf_exercise(enum skill skill)
{
    OWN(buf) name = {0};

    if (skills[skill].exercise == NULL)
        return NULL;
    buf_addf(&name, "%s%s", exercises, skills[skill].exercise);
    return find_file(buf_text(&name));
}

char *
shelf_key(const char *path)
{
    OWN_MEMORY char *name = name_of_path(path);
    OWN_MEMORY char *found = find_file(name);
    OWN_MEMORY char *real = realpath(path, NULL);
    OWN_MEMORY char *shelved = found != NULL ? realpath(found, NULL) : NULL;
    bool by_path = real != NULL &&
                   (shelved == NULL || strcmp(real, shelved) != 0);

    return escape_text(by_path ? real : name);
}

bool
shelf_is_ours(const char *path)
{
    OWN_MEMORY char *file = realpath(path, NULL);
    char place[PATH_MAX];

    for (int i = 0; file != NULL && i < INSTALL_PLACES; i++) {
        bool known = install_folder(INSTALL_LESSONS, i, place);
        OWN_MEMORY char *folder = known ? realpath(place, NULL) : NULL;
        if (folder != NULL && strncmp(file, folder, strlen(folder)) == 0 &&
            file[strlen(folder)] == '/')
            return true;
    }
    return false;
}

const char *
shelf_translated(const char *path, const char *text)
{
    const char *slash = strrchr(path, '/'), *found = text;
    OWN_MEMORY char *domain = name_of_path(path);
    OWN_MEMORY char *folder = mem_string(path);

    if (text[0] != '\0' && strcmp(domain, PACKAGE) != 0) {
        folder[slash != NULL ? slash - path : 0] = '\0';
        bindtextdomain(domain, slash == NULL    ? "."
                               : slash == path ? "/"
                                               : folder);
        bind_textdomain_codeset(domain, "UTF-8");
        found = dgettext(domain, text);
    }
    return found != text ? found : translated(text);
}

int
shelf_index(const struct shelf *shelf, const char *name)
{
    for (int i = 0; i < shelf->ncards; i++)
        if (strcmp(shelf->cards[i].name, name) == 0)
            return i;
    return -1;
}

/* The first of several lessons with the same name is taken. */
static void
gather_lessons(struct shelf *shelf)
{
    char place[PLACE_MAX];
    size_t capacity = 0;

    for (int i = 0; i < PLACES; i++) {
        DIR *folder = find_folder(i, place) ? opendir(place) : NULL;
        struct dirent *entry;
        while (folder != NULL && (entry = readdir(folder)) != NULL) {
            OWN_MEMORY char *raw = name_of_path(entry->d_name);
            char *name = escape_text(raw); /* as shelf_key() has it */
            if (name[0] == '.' || !is_lesson(entry->d_name) ||
                shelf_index(shelf, name) >= 0) {
                free(name);
                continue;
            }
            shelf->cards = mem_grow(shelf->cards, (size_t)shelf->ncards,
                                    &capacity, sizeof *shelf->cards);
            shelf->cards[shelf->ncards++] = (struct card){
                .name = name, .path = join_path(place, entry->d_name, ""),
                .ours = i > 0};
        }
        if (folder != NULL)
            closedir(folder);
    }
}

bool
card_read(struct card *card, json_t *with, struct err *err)
{
    struct card c = *card;
    const char *skill, *picture;

    if (!script_text(with, "skill", true, &skill, err) ||
        !script_text(with, "picture", true, &picture, err))
        return false;
    c.skill = skill != NULL ? skill_named(skill) : SKILL_NONE;
    if (skill != NULL && c.skill == SKILL_NONE)
        return err_set(err, "skill must be wire, repair, predict, choose "
                       "or diagnose");
    if (skill != NULL && (json_object_get(with, "number") != NULL ||
                          json_object_get(with, "day") != NULL ||
                          json_object_get(with, "lecture") != NULL))
        return err_set(err, "an exercise, which has a skill, has no number, no "
                       "day and no lecture");
    if (!script_count(with, "day", 1, DAY_MOST, &c.day, err) ||
        !script_count(with, "minutes", 1, LECTURE_MINUTES, &c.minutes,
                      err) ||
        !script_count(with, "lecture", 1, LECTURE_MINUTES, &c.lecture,
                      err) ||
        (skill == NULL &&
         !script_integer(with, "number", 1, NUMBER_MOST, &c.number, err)) ||
        !script_text(with, "program", true, &c.program, err) ||
        !script_text(with, "idea", false, &c.idea, err) ||
        !script_text(with, "title", false, &c.title, err))
        return false;
    *card = c;
    card->said = json_incref(with);
    return true;
}

/* Plays a lesson up to its first run, unless its header says what to show.  A
 * mistake after the header is left to those who play the lesson. */
static bool
hear_card(struct card *card, struct script *s, struct err *err)
{
    int64_t until = clock_ns() + PATIENCE_NS;
    const char *text;
    struct request r;
    json_t *reply;

    for (;;) {
        enum script_got got = script_await(s, until, &r, err);
        if (got == SCRIPT_LATER && card->said == NULL)
            return err_set(err, "%s: the lesson does not begin", card->path);
        if (got == SCRIPT_FAILED || got == SCRIPT_LATER)
            return card->said != NULL;
        text = json_string_value(json_object_get(r.with, "text"));
        reply = NULL;
        if (got == SCRIPT_REQUEST && strcmp(r.verb, "_") == 0) {
            reply = json_string(shelf_translated(card->path,
                                                 text != NULL ? text : ""));
        } else if (card->said == NULL) {
            if (got == SCRIPT_OVER || strcmp(r.verb, "lesson") != 0)
                return err_set(err, "%s: a lesson begins with lesson { ... }",
                               card->path);
            if (!card_read(card, r.with, err))
                return false;
            text = json_string_value(json_object_get(r.with, "picture"));
            if (text != NULL) {
                card->picture = mem_string(text);
                return true;
            }
        } else if (got == SCRIPT_OVER || (strcmp(r.verb, "say") != 0 &&
                                          strcmp(r.verb, "lecture") != 0)) {
            text = json_string_value(json_object_get(r.with, "command"));
            if (got == SCRIPT_REQUEST && strcmp(r.verb, "run") == 0 &&
                text != NULL)
                card->picture = mem_string(text);
            return true;
        }
        if (!script_reply(s, reply, err))
            return card->said != NULL;
    }
}

/* Lessons that could not be read, whose number is 0, come last. */
static int
by_number(const void *a, const void *b)
{
    const struct card *x = a, *y = b;
    unsigned before_x = (unsigned)x->number - 1;
    unsigned before_y = (unsigned)y->number - 1;

    return before_x != before_y ? (before_x < before_y ? -1 : 1)
                                : strcmp(x->name, y->name);
}

/* Only lessons of ours share a process. */
static void
begin_card(struct card *c, struct script **worker)
{
    if (*worker != NULL &&
        !(c->ours && script_change(*worker, c->path, &c->trouble))) {
        script_close(*worker);
        *worker = NULL;
    }
    if (*worker == NULL)
        *worker = script_open(c->path, NULL, NULL, &c->trouble);
}

void
shelf_read(struct shelf *shelf)
{
    struct script *workers[AT_ONCE] = {NULL};

    *shelf = (struct shelf){0};
    gather_lessons(shelf);
    for (int i = 0, begun = 0; i < shelf->ncards; i++) {
        struct card *c = &shelf->cards[i];
        struct script **worker = &workers[i % AT_ONCE];
        for (; begun < shelf->ncards && begun < i + AT_ONCE; begun++)
            begin_card(&shelf->cards[begun], &workers[begun % AT_ONCE]);
        if (*worker != NULL && hear_card(c, *worker, &c->trouble))
            c->trouble.text[0] = '\0';
        if (!c->ours) {
            script_close(*worker);
            *worker = NULL;
        }
    }
    for (int i = 0; i < AT_ONCE; i++)
        script_close(workers[i]);
    if (shelf->ncards > 1)
        qsort(shelf->cards, (size_t)shelf->ncards, sizeof *shelf->cards,
              by_number);
}

void
shelf_done(struct shelf *shelf)
{
    for (int i = 0; i < shelf->ncards; i++) {
        free(shelf->cards[i].name);
        free(shelf->cards[i].path);
        json_decref(shelf->cards[i].said);
        free(shelf->cards[i].picture);
    }
    free(shelf->cards);
    *shelf = (struct shelf){0};
}

char *
shelf_find(const char *name, struct err *err)
{
    bool number = utf8_is_number(name);
    const struct card *unread = NULL, *begun = NULL;
    int nbegun = 0;
    OWN(shelf) shelf = {0};
    struct near n = {.word = name};
    OWN(buf) meant = {0};
    char *found;

    if (is_lesson(name)) {
        if (access(name, R_OK) == 0)
            return mem_string(name);
        err_set(err, "%s: %s", name, strerror(errno));
        return NULL;
    }
    found = find_file(name);
    if (found != NULL)
        return found;
    if (number)
        shelf_read(&shelf);
    else
        gather_lessons(&shelf);
    for (int i = 0; i < shelf.ncards; i++) {
        const struct card *c = &shelf.cards[i];
        if (number ? c->number > 0 && c->number == strtol(name, NULL, 10)
                   : strcmp(c->name, name) == 0)
            return mem_string(c->path);
        unread = c->trouble.text[0] != '\0' ? c : unread;
        if (!number && strncmp(c->name, name, strlen(name)) == 0) {
            begun = c;
            nbegun++;
        }
        near_try(&n, c->name);
    }
    if (nbegun == 1) /* "ring" is ring-allreduce */
        return mem_string(begun->path);
    if (unread != NULL) { /* it may be the one */
        err_set(err, "no lesson that can be read has the number %s; '%s' "
                "cannot be read: %s", name, unread->name,
                unread->trouble.text);
        return NULL;
    }
    near_add(&n, "", &meant);
    err_set(err, "there is no lesson '%s'%s (collviz learn --plain lists them)",
            name, buf_text(&meant));
    return NULL;
}

const struct card *
shelf_lecture_next(const struct shelf *shelf, const struct card *after)
{
    const struct card *c = after != NULL ? after + 1 : shelf->cards;

    while (c < shelf->cards + shelf->ncards && c->lecture == 0)
        c++;
    return c < shelf->cards + shelf->ncards ? c : NULL;
}

bool
shelf_program(const char *lesson, const char *name, struct buf *text,
              struct err *err)
{
    const char *slash = strrchr(lesson, '/');
    OWN(buf) path = {0};

    if (strchr(name, '/') != NULL || name[0] == '.')
        return err_set(err, "'%s' must be the name of a file in code/", name);
    if (slash != NULL)
        buf_addf(&path, "%.*s", (int)(slash + 1 - lesson), lesson);
    buf_addf(&path, "code/%s", name);
    return load(buf_text(&path), PROGRAM_BYTES, text, err);
}

int
lecture_behind(const struct lecture *l, double progress, int64_t now)
{
    double elapsed = (double)(now - l->began_ns) / 60e9; /* minutes */

    return (int)lround(elapsed - l->before - l->here * progress);
}

void
lecture_add_status(const struct lecture *l, double progress, int64_t now,
                   struct buf *out)
{
    double elapsed = (double)(now - l->began_ns) / 60e9; /* minutes */
    int left = (int)ceil(l->minutes - elapsed);
    int behind = lecture_behind(l, progress, now);

    if (left >= 0)
        buf_addf(out, _("%d min left"), left);
    else
        buf_addf(out, _("%d min over"), -left);
    if (behind > 0)
        buf_addf(out, _(", %d behind"), behind);
    else if (behind < 0)
        buf_addf(out, _(", %d ahead"), -behind);
}
