/* SPDX-License-Identifier: MIT */
/* Damaged numbers in recordings: each number of several kinds of recordings is
 * replaced by others.  A recording is refused then, or it means what it says:
 * what was read, written again, is what stood there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "event/stream.h"
#include "play/job.h"
#include "play/play.h"
#include "recording.h"
#include "tap.h"

/* What takes the place of a number; %s is the number itself. */
static const char *const numbers[] = {
    "-%s",    "-1",    "0",    "1",     "%s0",   "%szz",   "0x%s",
    "%s.5",   "%s.0",  "%se0", "1e30",  "1e400", "65535",  "65536",
    "%s65536", "2147483648",   "4294967296",     "4294967297",
    "9223372036854775807",     "-9223372036854775808",
    "9223372036854775808",     "18446744073709551616",
    "18446744073709551617",    "\"%s\"", "\" %s\"", "\"+%s\"", "\"0x%s\"",
    "\"%s.\"", "\"\"", "null", "true",  "[%s]",  "{}"};

/* And of a string of hexadecimal digits, with its quotes; %s is all but the
 * last of its digits. */
static const char *const masks[] = {
    "\"0x%szz\"", "\"0xzz\"", "\"0x\"",    "\"\"",       "\"%s\"",
    "\"0x%s.8\"", "\"0x+%s\"", "\"0x-%s\"", "\"0x %s\"",  "\" 0x%s\"",
    "\"0x%s \"",  "\"+0x%s\"", "\"-0x%s\"", "\"0x0x%s\"", "\"0x%sp1\"",
    "\"0X%s\"",   "\"0x%s\\n\"", "\"0x00\"", "\"0xAb\"",  "\"0x%s\"",
    "\"0x12345678901234567\"", "\"0x00000000000000001\"", "0", "null"};

/* Reads a recording and writes it again, as far as it is good. Returns
 * whether all of it is. */
static bool
rewrite(const char *text, size_t length, struct buf *out, struct err *err)
{
    struct stream_reader *r = stream_reader_new(NULL, NULL, "test");
    struct stream_writer w = {0};
    struct world *world = world_new();
    struct item item;
    enum stream_got got = STREAM_MORE;

    for (size_t at = 0; at < length && got != STREAM_FAILED;) {
        size_t line = strcspn(text + at, "\n");
        got = stream_take(r, text + at, line, &item, err);
        if (got == STREAM_ITEM && !world_add(world, &item, err))
            got = STREAM_FAILED;
        if (got == STREAM_ITEM)
            stream_write(&w, &item, out);
        at += line + 1;
    }
    world_free(world);
    stream_reader_free(r);
    return got != STREAM_FAILED;
}

static bool
is_mask(const char *text)
{
    return strncmp(text, "0x", 2) == 0 && text[2] != '\0' &&
           strspn(text + 2, "0123456789abcdefABCDEF") == strlen(text + 2);
}

/* Masks may differ in their leading zeros and in upper case. */
static bool
same_text(const char *a, const char *b)
{
    if (!is_mask(a) || !is_mask(b))
        return strcmp(a, b) == 0;
    return strcasecmp(a + 2 + strspn(a + 2, "0"),
                      b + 2 + strspn(b + 2, "0")) == 0;
}

static bool
same_number(const json_t *a, const json_t *b, bool rounded)
{
    double x = json_number_value(a), y = json_number_value(b);

    return rounded ? fabs(x - y) <= fabs(x) / 128
                   : json_is_integer(a) && json_is_integer(b) &&
                         json_integer_value(a) == json_integer_value(b);
}

/* Whether a key with this value may as well be missing: a time of 0, cores that
 * are all unknown. */
static bool
is_nothing(const json_t *v)
{
    size_t i = 0;

    while (i < json_array_size(v) &&
           json_integer_value(json_array_get(v, i)) == -1)
        i++;
    return json_is_array(v) ? i == json_array_size(v)
                            : json_is_integer(v) && json_integer_value(v) == 0;
}

/* Whether JSON means the same; only elements are rounded, to their type.  What
 * is wrong with a result is said once more in words, which are not read. */
static bool
same(const json_t *a, const json_t *b, bool rounded)
{
    const char *key;
    json_t *v;

    if (json_is_object(a) && json_is_object(b)) {
        json_object_foreach((json_t *)a, key, v) {
            const json_t *other = json_object_get(b, key);
            if (strcmp(key, "first_wrong") == 0 &&
                json_object_get(a, "why") != NULL)
                continue;
            if (other != NULL
                    ? !same(v, other, strcmp(key, "values") == 0)
                    : !is_nothing(v))
                return false;
        }
        return true;
    }
    if (json_is_array(a) && json_is_array(b)) {
        size_t n = json_array_size(a), i = 0;
        while (i < n && same(json_array_get(a, i), json_array_get(b, i),
                             rounded))
            i++;
        return i == n && n == json_array_size(b);
    }
    if (json_is_string(a) && json_is_string(b))
        return same_text(json_string_value(a), json_string_value(b));
    if (json_is_number(a) && json_is_number(b))
        return same_number(a, b, rounded);
    return a != NULL && json_equal(a, b);
}

/* Whether line `line` (from 0) of both is the same. */
static bool
same_line(const char *a, const char *b, int line)
{
    json_t *x, *y;
    bool is_same;

    for (; line > 0 && a != NULL && b != NULL; line--) {
        a = strchr(a, '\n') != NULL ? strchr(a, '\n') + 1 : NULL;
        b = strchr(b, '\n') != NULL ? strchr(b, '\n') + 1 : NULL;
    }
    if (a == NULL || b == NULL)
        return false;
    x = json_loadb(a, strcspn(a, "\n"), 0, NULL);
    y = json_loadb(b, strcspn(b, "\n"), 0, NULL);
    is_same = x != NULL && same(x, y, false);
    json_decref(x);
    json_decref(y);
    return is_same;
}

struct tally {
    int tried, refused, lies;
};

/* Puts `with` in the place of text[at .. at + length - 1]. */
static void
replace(const char *text, size_t at, size_t length, int line,
        const char *with, struct tally *t)
{
    OWN(buf) damaged = {0}, out = {0};
    struct err err;

    buf_add(&damaged, text, at);
    buf_puts(&damaged, with);
    buf_puts(&damaged, text + at + length);
    t->tried++;
    if (!rewrite(damaged.data, damaged.length, &out, &err)) {
        t->refused++;
    } else if (!same_line(damaged.data, buf_text(&out), line)) {
        size_t from = at < 60 ? 0 : at - 60;
        t->lies++;
        diag("line %d: %s is taken for something else: %.*s", line + 1, with,
             (int)strcspn(damaged.data + from, "\n"), damaged.data + from);
    }
}

/* The lines whose numbers are damaged: of many of one type the first two. */
static bool
is_damaged(const char *line, int *seen)
{
    static const char *const types[] = {"run",    "step",   "input", "transfer",
                                        "divide", "result", "end"};

    for (int i = 0; i < 7; i++) {
        char begin[32];
        snprintf(begin, sizeof begin, "{\"type\":\"%s\"", types[i]);
        if (strncmp(line, begin, strlen(begin)) == 0)
            return ++seen[i] <= 2;
    }
    return false;
}

static void
damage_token(const char *text, size_t at, size_t length, int line,
             struct tally *t)
{
    bool mask = text[at] == '"';
    const char *const *by = mask ? masks : numbers;
    size_t n = mask ? sizeof masks / sizeof *masks
                    : sizeof numbers / sizeof *numbers;
    char self[64], with[128];

    snprintf(self, sizeof self, "%.*s",
             (int)(mask ? length - 5 : length), text + at + (mask ? 3 : 0));
    for (size_t i = 0; i < n; i++) {
        const char *hole = strstr(by[i], "%s");
        snprintf(with, sizeof with, "%.*s%s%s",
                 (int)(hole != NULL ? hole - by[i] : 0), by[i],
                 hole != NULL ? self : "", hole != NULL ? hole + 2 : by[i]);
        replace(text, at, length, line, with, t);
    }
}

/* The numbers in a list of more are all alike. */
enum { ALIKE = 8 };

static void
damage(const char *text, const char *what)
{
    struct tally t = {0};
    OWN(buf) out = {0};
    struct err err = {.text = ""};
    int line = 0, seen[7] = {0}, alike = 0;
    bool damaged = is_damaged(text, seen);

    if (!rewrite(text, strlen(text), &out, &err))
        die("%s: %s", what, err.text);
    is_str(buf_text(&out), text, "%s: read and written, it is the same", what);
    for (size_t at = 0; text[at] != '\0';) {
        size_t length = strspn(text + at, "-0123456789.e+");
        if (text[at] == '"')
            length = strcspn(text + at + 1, "\"") + 2;
        if (length == 0 || !damaged) {
            alike = text[at] == ':' ? 0 : alike;
            if (text[at++] == '\n') {
                line++;
                damaged = is_damaged(text + at, seen);
            }
            continue;
        }
        if ((text[at] != '"' || strncmp(text + at, "\"0x", 3) == 0) &&
            alike++ < ALIKE)
            damage_token(text, at, length, line, &t);
        at += length;
    }
    ok(t.refused > 200 && t.refused < t.tried,
       "%s: %d damaged numbers, %d are refused", what, t.tried, t.refused);
    is_int(t.lies, 0, "%s: the others mean what they say", what);
}

struct recorder {
    struct stream_writer w;
    struct buf out;
};

static bool
record(void *state, const struct item *item, struct err *err)
{
    struct recorder *r = state;

    (void)err;
    stream_write(&r->w, item, &r->out);
    return true;
}

/* A recording of a run with the options in `text`. */
static void
damage_run(const char *text)
{
    struct recorder r = {0};
    struct options base, o;
    char *words[] = {"collviz", "--backend", "threads"}, *name = NULL;
    struct job *job;
    struct err err;

    if (!options_parse(&base, 3, words, &err) ||
        !job_options(&o, &base, text, &name, &err) ||
        (job = job_new(plan_new(name, NULL, &o, &err))) == NULL)
        die("%s: %s", text, err.text);
    job->session.sink = (struct session_sink){record, &r};
    if (!job_start(job, true, &err) ||
        !play_through(&job->session, job->plan->run.free, &err))
        die("%s: %s", text, err.text);
    damage(buf_text(&r.out), text);
    job_free(job);
    options_done(&o);
    options_done(&base);
    free(name);
    buf_done(&r.out);
}

int
main(void)
{
    damage(recording, "avg with the library's own collective");
    damage_run("ring-allreduce --gpus 3");
    damage_run("ring-allreduce --gpus 3 --count 7 --type float16 --op avg "
               "--out-of-place --pace free");
    damage_run("torus2d-allreduce --shape 2x2 --type uint8 --op bxor");
    damage_run("binomial-broadcast --gpus 4 --root 2 --type int64 "
               "--network ethernet");
    damage_run("ring-allreduce --gpus 3 --type int32 --fault corrupt:1:2");
    damage_run("ring-allreduce --gpus 3 --mismatch 1=count:3");
    damage_run("binomial-broadcast --gpus 65 --type bfloat16 --count 1");
    return done_testing();
}
