/* SPDX-License-Identifier: MIT */
#include "script/script.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/child.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/load.h"
#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "base/waiter.h"

enum {
    TEXT_MAX = 4096, /* bytes: more than a screen */
    SOURCE_BYTES = 1 << 20,
};

struct script {
    struct child *worker;
    json_t *request; /* the last one */
    bool asks;       /* for a reply to it */
    char *what;      /* of an algorithm (base/waiter.h) */
};

/* Takes ownership of `value`. */
static bool
send_line(struct script *s, const char *key, json_t *value, struct err *err)
{
    json_t *line = json_pack("{so}", key, value != NULL ? value : json_null());
    char *text = json_dumps(line, JSON_COMPACT);

    if (text != NULL)
        child_say(s->worker, text);
    s->asks = false;
    free(text);
    json_decref(line);
    return text != NULL || err_set(err, "the reply cannot be sent");
}

/* Starts a worker, and sends it `given`. */
static struct script *
start_worker(const char *name, json_t *given, struct err *err)
{
    char *const argv[] = {(char *)"collviz-lesson", (char *)name, NULL};
    struct child *worker = child_open("collviz-lesson", argv, err);
    struct script *s;

    if (worker == NULL)
        return NULL;
    s = mem_new(1, sizeof *s);
    s->worker = worker;
    send_line(s, "value", json_incref(given), err);
    return s;
}

/* Adds the source, which is in the file unless it is not NULL. */
static bool
give_source(json_t *given, const char *path, const char *source,
            struct err *err)
{
    static const char mark[] = "\xef\xbb\xbf"; /* of some editors */
    OWN(buf) file = {0};
    const char *text = source;

    if (source == NULL && !load(path, SOURCE_BYTES, &file, err))
        return false;
    if (source == NULL)
        text = buf_text(&file);
    text += strncmp(text, mark, 3) == 0 ? 3 : 0;
    if (strlen(buf_text(&file)) != file.length ||
        json_object_set_new(given, "source", json_string(text)) != 0) {
        const char *p = text;
        uint32_t code;
        int line = 1;
        while ((code = utf8_next(&p)) != 0 && code < UTF8_BAD)
            line += code == '\n';
        return err_set(err, _("%s:%d: this is not text in UTF-8"), path, line);
    }
    return true;
}

struct script *
script_open(const char *path, const char *source, json_t *about,
            struct err *err)
{
    json_auto_t *given = about != NULL ? about : json_object();
    struct script *s = give_source(given, path, source, err)
                           ? start_worker(path, given, err) : NULL;
    const char *slash = strrchr(path, '/');
    OWN(buf) what = {0};

    if (s != NULL && about != NULL) {
        buf_addf(&what, _("%s computes"), slash != NULL ? slash + 1 : path);
        s->what = mem_string(buf_text(&what));
    }
    return s;
}

bool
script_change(struct script *s, const char *path, struct err *err)
{
    json_auto_t *given = json_pack("{ss}", "name", path);

    return s->asks && given != NULL && give_source(given, path, NULL, err) &&
           send_line(s, "next", json_incref(given), err);
}

void
script_close(struct script *s)
{
    if (s == NULL)
        return;
    child_close(s->worker);
    json_decref(s->request);
    free(s->what);
    free(s);
}

int
script_fd(const struct script *s)
{
    return child_fd(s->worker);
}

enum script_got
script_next(struct script *s, struct request *request, struct err *err)
{
    enum { VERB_SIZE = 65 };
    json_error_t error;
    const char *line, *failure;
    enum child_heard heard = child_hear(s->worker, &line, err);

    if (heard != CHILD_LINE)
        return heard == CHILD_LATER ? SCRIPT_LATER : SCRIPT_FAILED;
    json_decref(s->request);
    s->request = json_loads(line, JSON_REJECT_DUPLICATES, &error);
    failure = json_string_value(json_object_get(s->request, "error"));
    request->with = json_object_get(s->request, "with");
    if (s->request == NULL)
        err_set(err, "collviz-lesson sent a line that is not JSON: %s",
                error.text);
    else if (failure != NULL)
        err_set(err, "%s", failure);
    else if (json_is_true(json_object_get(s->request, "end")))
        return SCRIPT_OVER;
    else if (JSON_PASS((&(struct json_line){.from = s->request, .err = err}),
                       JSON_BORROWED("verb", &request->verb, VERB_SIZE),
                       JSON_INT("line", &request->line, 0, INT32_MAX)) &&
             (json_is_object(request->with) ||
              err_set(err, "\"with\" must be an object")))
        return (s->asks = true, SCRIPT_REQUEST);
    return SCRIPT_FAILED;
}

enum script_got
script_await(struct script *s, int64_t until, struct request *request,
             struct err *err)
{
    for (;;) {
        enum script_got got = script_next(s, request, err);
        bool later = got == SCRIPT_LATER;

        if (later && until <= clock_ns())
            return got;
        if (!waiter_wait(s->what, later ? script_fd(s) : -1, until, err))
            return SCRIPT_FAILED;
        if (!later)
            return got;
    }
}

bool
script_locks(struct buf *held, struct buf *missing, struct err *err)
{
    enum { PATIENCE_S = 30 };
    int64_t until = clock_ns() + PATIENCE_S * INT64_C(1000000000);
    json_auto_t *ask = json_pack("{sb}", "locks", 1);
    struct script *s = start_worker("locks", ask, err);
    json_t *locks, *why;
    struct request ignored;
    const char *name;

    if (s == NULL)
        return false;
    /* Its report fails here, as it is no request. */
    if (script_await(s, until, &ignored, err) != SCRIPT_FAILED)
        err_set(err, _("collviz-lesson does not say what locks it in"));
    locks = json_object_get(s->request, "locks");
    json_object_foreach(locks, name, why) {
        int number = (int)json_integer_value(why);
        struct buf *list = number == 0 ? held : missing;
        buf_addf(list, "%s%s", list->length > 0 ? ", " : "", name);
        if (number != 0)
            buf_addf(list, " (%s)",
                     number == -1 ? _("it is set, and does not hold")
                     : number == -2
                         ? _("left out in this build or on this processor")
                         : strerror(number));
    }
    script_close(s);
    return locks != NULL;
}

bool
script_reply(struct script *s, json_t *value, struct err *err)
{
    return send_line(s, "value", value, err);
}

bool
script_refuse(struct script *s, const struct err *why, struct err *err)
{
    return send_line(s, "error", json_string(why->text), err);
}

static bool
check_text(const json_t *value, const char *what, const char **text,
           struct err *err)
{
    if (!json_is_string(value))
        return err_set(err, "%s must be a string", what);
    *text = json_string_value(value);
    return json_string_length(value) <= TEXT_MAX ||
           err_set(err, "%s is longer than %d bytes", what, TEXT_MAX);
}

bool
script_text(const json_t *with, const char *key, bool optional,
            const char **text, struct err *err)
{
    const json_t *value = json_object_get(with, key);

    *text = NULL;
    return (optional && (value == NULL || json_is_null(value))) ||
           check_text(value, key, text, err);
}

bool
script_texts(const json_t *with, const char *key, int least, int most,
             const char **texts, int *count, struct err *err)
{
    const json_t *list = json_object_get(with, key);
    size_t size = json_array_size(list);

    *count = 0;
    if (least == 0 && (list == NULL || json_is_null(list) ||
                       (json_is_object(list) && json_object_size(list) == 0)))
        return true; /* Lua's empty list is an empty table */
    if (!json_is_array(list) || size < (size_t)least || size > (size_t)most)
        return err_set(err, "%s must be a list of %d to %d texts", key, least,
                       most);
    for (size_t i = 0; i < size; i++)
        if (!check_text(json_array_get(list, i), key, &texts[i], err))
            return false;
    *count = (int)size;
    return true;
}

bool
script_integer(const json_t *with, const char *key, int least, int most,
               int *value, struct err *err)
{
    const json_t *v = json_object_get(with, key);

    if (least > most)
        return err_set(err, "there is no %s", key);
    if (v == NULL || json_is_null(v))
        return err_set(err, "%s is missing: a whole number from %d to %d", key,
                       least, most);
    return script_count(with, key, least, most, value, err);
}

bool
script_count(const json_t *with, const char *key, int least, int most,
             int *value, struct err *err)
{
    const json_t *v = json_object_get(with, key);
    json_int_t n = json_integer_value(v);

    if (v == NULL || json_is_null(v))
        return true;
    *value = (int)n;
    return (json_is_integer(v) && n >= least && n <= most) ||
           err_set(err, "%s must be a whole number from %d to %d", key, least,
                   most);
}
