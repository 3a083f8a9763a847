/* SPDX-License-Identifier: MIT */
#include "lesson/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/load.h"
#include "base/mem.h"
#include "base/replace.h"
#include "base/translate.h"

enum {
    FORMAT_VERSION = 1,
    FILE_BYTES_MAX = 4 << 20,
    PATIENCE_NS = 1000000000, /* to wait for a lock */
    RETRY_US = 1000,
    PASS_PERCENT = 70,
};

/* Makes a folder and those above it.  On failure errno is that of the highest
 * one that cannot be made. */
static bool
make_folders(const char *path)
{
    char copy[PATH_MAX];

    if (mkdir(path, 0700) == 0 || errno == EEXIST)
        return true;
    snprintf(copy, sizeof copy, "%s", path);
    return make_folders(dirname(copy)) &&
           (mkdir(path, 0700) == 0 || errno == EEXIST);
}

/* Puts the reason before the path, because a long path is cut off on the
 * screen.  Returns false. */
static bool
not_kept(const char *path, const char *why, struct err *err)
{
    return err_set(err, _("what you learn could not be kept (%s): %s"), why,
                   path);
}

/* Returns false, with the reason in *err, if there is no home folder. */
static bool
folder_name(char path[PATH_MAX], struct err *err)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int length = -1;

    if (state != NULL && state[0] == '/')
        length = snprintf(path, PATH_MAX, "%s/collviz", state);
    else if (home != NULL && home[0] == '/')
        length = snprintf(path, PATH_MAX, "%s/.local/state/collviz", home);
    return (length > 0 && length < PATH_MAX - 64) ||
           err_set(err, _("what you learn cannot be kept: neither "
                          "XDG_STATE_HOME nor HOME names a folder"));
}

static json_t *
new_progress(void)
{
    return json_pack("{si s{}}", "version", FORMAT_VERSION, "lessons");
}

/* Returns NULL, with the reason in *err, if the file is not progress. */
static json_t *
read_progress(const char *path, struct err *err)
{
    OWN(buf) text = {0};
    json_error_t error;
    json_auto_t *all = NULL;

    if (access(path, F_OK) != 0 && errno == ENOENT)
        return new_progress();
    if (!load(path, FILE_BYTES_MAX, &text, err))
        return NULL;
    all = json_loadb(buf_text(&text), text.length, JSON_REJECT_DUPLICATES,
                     &error);
    if (json_is_object(json_object_get(all, "lessons")) &&
        json_integer_value(json_object_get(all, "version")) == FORMAT_VERSION)
        return json_incref(all);
    if (all == NULL)
        err_set(err, _("%s is broken in line %d: %s"), path, error.line,
                error.text);
    else
        err_set(err, _("%s is not progress that this collviz can read"), path);
    return NULL;
}

json_t *
progress_read(struct err *err)
{
    char folder[PATH_MAX], path[PATH_MAX + 32];

    if (!folder_name(folder, err))
        return NULL;
    snprintf(path, sizeof path, "%s/progress.json", folder);
    return read_progress(path, err);
}

/* Reviews. */

static const int days[REVIEW_ROUNDS] = {1, 3, 7};

/* Returns false if an entry of a lesson's plan was not written by this
 * module. */
static bool
read_due(const json_t *entry, struct due *d)
{
    json_int_t question =
        json_integer_value(json_object_get(entry, "question"));
    json_int_t round = json_integer_value(json_object_get(entry, "round"));
    json_int_t due = json_integer_value(json_object_get(entry, "due"));

    *d = (struct due){.question = (int)question, .round = (int)round,
                      .due = (time_t)due};
    return question >= 0 && question < INT_MAX && round >= 1 &&
           round <= REVIEW_ROUNDS && due > 0;
}

static json_t *
write_due(int question, int round, time_t now)
{
    json_int_t due = (json_int_t)now + days[round - 1] * 24 * 60 * 60;

    return json_pack("{si si sI}", "question", question, "round", round, "due",
                     due);
}

/* Plans the first round of a missed question, unless one is planned already. */
static void
plan_review(json_t *plan, int question, time_t now)
{
    struct due d;

    for (size_t i = 0; i < json_array_size(plan); i++)
        if (read_due(json_array_get(plan, i), &d) && d.question == question)
            return;
    json_array_append_new(plan, write_due(question, 1, now));
}

static void
review_ended(json_t *plan, const struct due *asked, enum review_result result,
             time_t now)
{
    int next = result == REVIEW_RIGHT ? asked->round + 1 : 1;
    struct due d;

    for (size_t i = 0; i < json_array_size(plan); i++) {
        if (!read_due(json_array_get(plan, i), &d) ||
            d.question != asked->question || d.round != asked->round ||
            d.due != asked->due)
            continue;
        if (result == REVIEW_GONE || next > REVIEW_ROUNDS)
            json_array_remove(plan, i);
        else
            json_array_set_new(plan, i, write_due(d.question, next, now));
        return;
    }
}

/* Lessons. */

static int
number_in(const json_t *object, const char *key)
{
    json_int_t n = json_integer_value(json_object_get(object, key));

    return n > 0 && n < INT_MAX ? (int)n : 0;
}

static bool
is_passing(int right, int asked)
{
    return asked > 0 && (int64_t)right * 100 >= (int64_t)asked * PASS_PERCENT;
}

struct progress
progress_of(const json_t *all, const char *lesson)
{
    const json_t *l = json_object_get(json_object_get(all, "lessons"), lesson);
    json_t *answers = json_object_get(l, "answers");
    json_t *review = json_object_get(l, "review");
    const json_t *passed = json_object_get(l, "passed");
    const json_t *proof = json_object_get(l, "proof");
    struct progress p = {
        .page = number_in(l, "page"),
        .done = json_is_true(json_object_get(l, "done")),
        .asked = number_in(l, "asked"),
        .right = number_in(l, "right"),
        .answers = json_is_array(answers) ? answers : NULL,
        .review = json_is_array(review) ? review : NULL,
        .proof = {.questions = json_object_get(proof, "questions"),
                  .round = number_in(proof, "round"),
                  .due = json_integer_value(json_object_get(proof, "due")),
                  .asked = number_in(proof, "asked"),
                  .right = number_in(proof, "right")},
    };

    /* Files of earlier versions do not say what was passed. */
    p.passed = passed != NULL ? json_is_true(passed)
                              : p.done && is_passing(p.right, p.asked);
    if (p.passed || p.proof.round < 1 || p.proof.round > REVIEW_ROUNDS ||
        (size_t)p.proof.asked >= json_array_size(p.proof.questions))
        p.proof = (struct proof){.questions = NULL};
    return p;
}

bool
progress_next(const json_t *all, const char *lesson, struct due *d)
{
    json_t *lessons = json_object_get(all, "lessons"), *value, *planned;
    struct due other;
    struct proof p;
    const char *key;
    size_t i;

    *d = (struct due){.lesson = lesson, .proves = lesson != NULL};
    if (lesson != NULL) {
        p = progress_of(all, lesson).proof;
        d->question = (int)json_integer_value(
            json_array_get(p.questions, (size_t)p.asked));
        d->round = p.round;
        d->due = p.due;
        return p.questions != NULL;
    }
    json_object_foreach(lessons, key, value) {
        json_array_foreach(json_object_get(value, "review"), i, planned) {
            if (!read_due(planned, &other) ||
                (d->lesson != NULL && other.due >= d->due))
                continue;
            *d = other;
            d->lesson = key;
        }
    }
    return d->lesson != NULL;
}

int
progress_due(const json_t *all, time_t now)
{
    json_t *lessons = json_object_get(all, "lessons"), *value, *planned;
    const char *key;
    struct due d;
    int count = 0;
    size_t i;

    json_object_foreach(lessons, key, value) {
        json_array_foreach(json_object_get(value, "review"), i, planned) {
            count += read_due(planned, &d) && d.due <= now;
        }
    }
    return count;
}

bool
progress_provable(const struct progress *p, time_t now)
{
    return p->proof.questions != NULL && p->proof.due <= now;
}

/* Plans the proof of these questions for another day, one round after the last
 * that was begun; a new reference. */
static json_t *
proof_of(const json_t *questions, const struct proof *before, time_t now)
{
    int begun = before->questions != NULL && before->asked > 0;
    int round = before->questions != NULL ? before->round - begun : 0;
    struct tm day;

    localtime_r(&now, &day);
    day = (struct tm){.tm_year = day.tm_year, .tm_mon = day.tm_mon,
                      .tm_mday = day.tm_mday + 1, .tm_isdst = -1};
    return json_pack("{sO* si sI si si}", "questions", questions, "round",
                     round > 0 ? round : REVIEW_ROUNDS, "due",
                     (json_int_t)mktime(&day), "asked", 0, "right", 0);
}

void
progress_ended(json_t *all, const struct due *d, enum review_result result,
               time_t now)
{
    struct progress p = progress_of(all, d->lesson);
    json_t *l = json_object_get(json_object_get(all, "lessons"), d->lesson);
    json_t *proof = json_object_get(l, "proof"), *questions = p.proof.questions;
    size_t at = (size_t)p.proof.asked;

    if (!d->proves) {
        review_ended(p.review, d, result, now);
        return;
    }
    if (json_integer_value(json_array_get(questions, at)) !=
            d->question || questions == NULL)
        return;
    if (result == REVIEW_GONE)
        json_array_remove(questions, at);
    else
        p.proof.asked++;
    p.proof.right += result == REVIEW_RIGHT;
    json_object_set_new(proof, "asked", json_integer(p.proof.asked));
    json_object_set_new(proof, "right", json_integer(p.proof.right));
    if ((size_t)p.proof.asked < json_array_size(questions))
        return;
    if (is_passing(p.proof.right, p.proof.asked))
        json_object_set_new(l, "passed", json_true());
    if (p.proof.asked == 0 || is_passing(p.proof.right, p.proof.asked))
        json_object_del(l, "proof");
    else
        json_object_set_new(l, "proof", proof_of(questions, &p.proof, now));
}

bool
progress_has(const json_t *all, const char *lesson)
{
    return json_object_get(json_object_get(all, "lessons"), lesson) != NULL;
}

/* Returns the lock's descriptor, or -1 with the reason: a screen must not wait
 * for a program that hangs while it holds the lock. */
static int
lock_file(const char *path, struct err *err)
{
    int64_t until = clock_ns() + PATIENCE_NS;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    bool held = fd >= 0, late = false;

    while (held && flock(fd, LOCK_EX | LOCK_NB) != 0) {
        held = (errno == EWOULDBLOCK || errno == EINTR) && !late;
        if (held)
            usleep(RETRY_US);
        late = clock_ns() >= until;
    }
    if (held)
        return fd;
    not_kept(path, late ? _("another program holds it") : strerror(errno), err);
    if (fd >= 0)
        close(fd);
    return -1;
}

/* The file while it is changed. */
struct change {
    char path[PATH_MAX + 32];
    int lock;    /* a descriptor; -1: not held */
    json_t *all; /* what is in the file now */
};

/* Reads the file, or puts it aside if it cannot be understood.  Call
 * close_progress() in either case. */
static bool
open_progress(struct change *c, struct err *aside, struct err *err)
{
    char folder[PATH_MAX], lock_name[PATH_MAX + 32], other[PATH_MAX + 64];

    *c = (struct change){.lock = -1};
    aside->text[0] = '\0';
    if (!folder_name(folder, err))
        return false;
    if (!make_folders(folder))
        return not_kept(folder, strerror(errno), err);
    snprintf(c->path, sizeof c->path, "%s/progress.json", folder);
    snprintf(lock_name, sizeof lock_name, "%s/lock", folder);
    c->lock = lock_file(lock_name, err);
    if (c->lock < 0)
        return false;
    c->all = read_progress(c->path, err);
    if (c->all != NULL)
        return true;
    c->all = new_progress();
    snprintf(other, sizeof other, "%s.broken-%lld", c->path,
             (long long)time(NULL));
    if (rename(c->path, other) != 0)
        return not_kept(c->path, strerror(errno), err);
    err_set(aside, _("what was kept before could not be understood and is "
                     "now in %s"), other);
    return true;
}

/* Writes the file if `ok`, and lets others change it.  Returns whether all went
 * well. */
static bool
close_progress(struct change *c, bool ok, struct err *err)
{
    OWN_MEMORY char *text = ok ? json_dumps(c->all, JSON_INDENT(1)) : NULL;
    struct err why;
    struct replace *file = ok ? replace_open(c->path, 0600, &why) : NULL;

    if (ok && text == NULL)
        die("out of memory");
    if (file != NULL)
        fputs(text, replace_file(file));
    ok = ok && ((file != NULL && replace_close(file, true, &why)) ||
                not_kept(c->path, why.text, err));
    if (c->lock >= 0)
        close(c->lock);
    json_decref(c->all);
    return ok;
}

/* Writes a value for each key of the lesson's record. */
bool
progress_keep(const char *lesson, const struct progress *played,
              const json_t *missed, const json_t *offered, struct err *aside,
              struct err *err)
{
    struct change c;
    bool ok = open_progress(&c, aside, err);
    struct progress p = progress_of(c.all, lesson);
    json_auto_t *plan = p.review != NULL ? json_incref(p.review)
                                         : json_array();
    json_auto_t *proof = json_incref(json_object_get(
        json_object_get(json_object_get(c.all, "lessons"), lesson), "proof"));
    json_t *question;
    size_t i;

    p.page = played->page;
    if (played->done) {
        p.page = 0;
        p.done = true;
        p.asked = played->asked;
        p.right = played->right;
        json_decref(proof);
        proof = p.passed || json_array_size(offered) == 0
                    ? NULL
                    : proof_of(offered, &p.proof, time(NULL));
        json_array_foreach(missed, i, question) {
            plan_review(plan, (int)json_integer_value(question), time(NULL));
        }
    }
    if (ok)
        json_object_set_new(
            json_object_get(c.all, "lessons"), lesson,
            json_pack("{si sO sb sb si si sO sO*}", "page", p.page, "answers",
                      played->answers, "done", p.done, "passed", p.passed,
                      "asked", p.asked, "right", p.right, "review", plan,
                      "proof", proof));
    return close_progress(&c, ok, err);
}

bool
progress_keep_due(const struct due *d, enum review_result result,
                  struct err *aside, struct err *err)
{
    struct change c;
    bool ok = open_progress(&c, aside, err);

    if (ok)
        progress_ended(c.all, d, result, time(NULL));
    return close_progress(&c, ok, err);
}

static struct tally
tally_in(const json_t *object)
{
    struct tally t = {number_in(object, "asked"), number_in(object, "right")};

    t.right = t.right < t.asked ? t.right : t.asked;
    return t;
}

struct skill_progress
progress_skill(const json_t *all, enum skill skill)
{
    const json_t *s = json_object_get(json_object_get(all, "skills"),
                                      skills[skill].name);

    return (struct skill_progress){tally_in(s),
                                   tally_in(json_object_get(s, "exam"))};
}

bool
progress_keep_skills(const struct tally done[SKILLS], const char *seed,
                     struct err *aside, struct err *err)
{
    struct change c;
    bool ok = open_progress(&c, aside, err);
    json_t *all = json_object_get(c.all, "skills");
    struct tally was;

    if (ok && !json_is_object(all))
        json_object_set_new(c.all, "skills", all = json_object());
    for (int i = SKILL_NONE + 1; ok && i < SKILLS; i++) {
        json_t *s = json_object_get(all, skills[i].name);
        if (done[i].asked == 0)
            continue;
        if (!json_is_object(s))
            json_object_set_new(all, skills[i].name, s = json_object());
        was = seed == NULL ? tally_in(s) : (struct tally){0};
        was.asked += done[i].asked;
        was.right += done[i].right;
        if (seed != NULL)
            json_object_set_new(s, "exam",
                                json_pack("{si si ss}", "asked", was.asked,
                                          "right", was.right, "seed", seed));
        if (seed != NULL)
            continue;
        json_object_set_new(s, "asked", json_integer(was.asked));
        json_object_set_new(s, "right", json_integer(was.right));
    }
    return close_progress(&c, ok, err);
}

bool
progress_forget(const char *lesson, struct err *aside, struct err *err)
{
    struct change c;
    bool ok = open_progress(&c, aside, err);
    json_t *lessons = json_object_get(c.all, "lessons");

    if (lesson != NULL)
        json_object_del(lessons, lesson);
    else
        json_object_clear(lessons);
    if (lesson == NULL)
        json_object_del(c.all, "skills");
    return close_progress(&c, ok, err);
}
