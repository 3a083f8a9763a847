/* SPDX-License-Identifier: MIT */
#include "lesson/podium.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/load.h"
#include "base/mem.h"
#include "base/replace.h"
#include "base/translate.h"
#include "lesson/progress.h"

enum {
    FORMAT_VERSION = 1,
    FILE_BYTES_MAX = 2 << 20,
    GPUS_MAX = 100000,
    NUMBER_MAX = 999,
    PAGES_MAX = 100000,
    MINUTES_MAX = 10000,
};

struct podium {
    int lock;
    char path[PATH_MAX + 32];
};

/* Sets the path of a file of the podium. */
static bool
name_file(const char *name, char path[PATH_MAX + 32])
{
    char folder[PATH_MAX];

    if (!state_folder(folder))
        return false;
    snprintf(path, PATH_MAX + 32, "%s/%s", folder, name);
    return true;
}

static bool
cannot_follow(const char *why, struct err *err)
{
    return err_set(err, _("learn --notes cannot follow this lesson: %s"),
                   why);
}

/* Returns a descriptor that holds the lock, or -1 with the reason. */
static int
take_lock(struct err *err)
{
    char path[PATH_MAX + 32], folder[PATH_MAX];
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd;

    if (!state_folder(folder) || !name_file("presenting.lock", path)) {
        cannot_follow(_("neither XDG_STATE_HOME nor HOME names a folder"), err);
        return -1;
    }
    fd = state_folder_make(folder)
             ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600)
             : -1;
    if (fd >= 0 && fcntl(fd, F_SETLK, &whole) == 0)
        return fd;
    cannot_follow(fd >= 0 && (errno == EACCES || errno == EAGAIN)
                 ? _("another collviz is presenting")
                 : strerror(errno), err);
    if (fd >= 0)
        close(fd);
    return -1;
}

struct podium *
podium_open(struct err *err)
{
    int lock = take_lock(err);
    struct podium *p;

    if (lock < 0)
        return NULL;
    p = mem_new(1, sizeof *p);
    p->lock = lock;
    name_file("presenting.json", p->path);
    unlink(p->path); /* left by a collviz that was killed */
    return p;
}

static json_t *
describe(const struct place *place, const char *lesson)
{
    const struct lecture *l = &place->lecture;

    return json_pack("{si ss si si ss si ss ss sf sI s{sI si si si}}",
                     "version", FORMAT_VERSION, "lesson", lesson, "gpus",
                     place->gpus, "number", place->number, "title",
                     place->title, "page", place->page, "first", place->first,
                     "notes", place->notes, "progress", place->progress,
                     "think_until_ns", (json_int_t)place->think_until_ns,
                     "lecture", "began_ns", (json_int_t)l->began_ns, "minutes",
                     l->minutes, "before", l->before, "here", l->here);
}

bool
podium_put(const struct podium *p, const struct place *place, struct err *err)
{
    char lesson[PATH_MAX];
    json_t *object;
    struct replace *file;
    struct err why;

    if (realpath(place->lesson, lesson) == NULL)
        return cannot_follow(strerror(errno), err);
    object = describe(place, lesson);
    file = object != NULL ? replace_open(p->path, 0600, &why) : NULL;
    if (object == NULL)
        err_set(&why, _("its path is not UTF-8"));
    if (file != NULL) {
        replace_skip_sync(file); /* the class would wait */
        json_dumpf(object, replace_file(file), JSON_COMPACT);
    }
    json_decref(object);
    return (file != NULL && replace_close(file, true, &why)) ||
           cannot_follow(why.text, err);
}

void
podium_close(struct podium *p)
{
    if (p == NULL)
        return;
    unlink(p->path);
    close(p->lock);
    free(p);
}

void
podium_add_status(const struct place *place, int64_t now, struct buf *out)
{
    int64_t left = place->think_until_ns - now;
    int seconds = (int)((left + 999999999) / 1000000000);

    if (place->think_until_ns > 0 && left > 0)
        buf_addf(out, _("%d:%02d to think"), seconds / 60, seconds % 60);
    else if (place->think_until_ns > 0)
        buf_puts(out, _("time is up"));
    if (place->think_until_ns > 0 && place->lecture.began_ns > 0)
        buf_puts(out, ", ");
    if (place->lecture.began_ns > 0)
        lecture_add_status(&place->lecture, place->progress, now, out);
}

/* Whether a process holds the lock. */
static bool
is_taken(void)
{
    char path[PATH_MAX + 32];
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = name_file("presenting.lock", path)
                 ? open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
                 : -1;
    bool taken = fd >= 0 && fcntl(fd, F_GETLK, &whole) == 0 &&
                 whole.l_type != F_UNLCK;

    if (fd >= 0)
        close(fd);
    return taken;
}

static json_t *
read_file(void)
{
    char path[PATH_MAX + 32];
    struct buf text = {0};
    struct err none;
    json_t *object = NULL;

    if (name_file("presenting.json", path) &&
        load_file(path, FILE_BYTES_MAX, &text, &none))
        object = json_loadb(buf_text(&text), text.length,
                            JSON_REJECT_DUPLICATES, NULL);
    buf_done(&text);
    return object;
}

static bool
within(json_int_t n, json_int_t most)
{
    return n >= 0 && n <= most;
}

/* A lesson is the absolute path of a .lua file.  Half the range of an int64_t
 * is enough for any time, and differences do not overflow. */
static bool
read_place(json_t *object, struct place *place)
{
    const json_int_t time_most = INT64_MAX / 2;
    json_int_t version, gpus, number, page, until, began, minutes, before, here;
    const char *lesson, *title, *first, *notes;
    double progress;
    size_t length;

    *place = (struct place){.lesson = NULL};
    if (json_unpack(object,
                    "{sI ss sI sI ss sI ss ss sF sI s{sI sI sI sI}}",
                    "version", &version, "lesson", &lesson, "gpus", &gpus,
                    "number", &number, "title", &title, "page", &page, "first",
                    &first, "notes", &notes, "progress", &progress,
                    "think_until_ns", &until, "lecture", "began_ns", &began,
                    "minutes", &minutes, "before", &before, "here",
                    &here) != 0)
        return false;
    length = strlen(lesson);
    if (version != FORMAT_VERSION || length <= 4 || length >= PATH_MAX ||
        lesson[0] != '/' || strcmp(lesson + length - 4, ".lua") != 0 ||
        !within(gpus, GPUS_MAX) || !within(number, NUMBER_MAX) ||
        !within(page, PAGES_MAX) || !within(until, time_most) ||
        !within(began, time_most) || !within(minutes, MINUTES_MAX) ||
        !within(before, MINUTES_MAX) || !within(here, MINUTES_MAX) ||
        !(progress >= 0 && progress <= 1))
        return false;
    *place = (struct place){
        .lesson = mem_string(lesson), .gpus = (int)gpus,
        .number = (int)number, .title = mem_string(title), .page = (int)page,
        .first = mem_string(first), .notes = mem_string(notes),
        .progress = progress, .think_until_ns = until,
        .lecture = {began, (int)minutes, (int)before, (int)here}};
    return true;
}

bool
podium_look(struct place *place)
{
    json_t *object = is_taken() ? read_file() : NULL;
    bool ok = read_place(object, place);

    json_decref(object);
    return ok;
}

void
podium_place_done(struct place *place)
{
    free(place->lesson);
    free(place->title);
    free(place->first);
    free(place->notes);
    *place = (struct place){.lesson = NULL};
}
