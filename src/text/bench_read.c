/* SPDX-License-Identifier: MIT */
#include "text/bench_read.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/load.h"
#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"

enum {
    NOTES_MAX = 8,       /* dropped rows that are listed */
    WORDS_MAX = 64,      /* of a line; those after them are dropped */
    NAME_MAX_BYTES = 200, /* of a table */
};

/* Columns are counted from the end of a line, because old tables leave the
 * operator and the root empty. */
struct columns {
    int out, in;   /* of the times; 0: there is none */
    int extra;     /* words at the end that have no heading */
};

struct reader {
    const char *file, *prefix;
    struct series_set *set;
    size_t first; /* series of this text */
    struct err *err;
    int line; /* 0: not a table of lines */
    int nrows, ndropped;
    double nranks; /* of the table; 0: unknown */
    char name[NAME_MAX_BYTES + 1]; /* of the table; "": unknown */
    struct columns nccl;
};

struct words {
    const char *word[WORDS_MAX];
    int n;
};

static bool
is_word(const struct words *w, int i, const char *text)
{
    return i < w->n && strcmp(w->word[i], text) == 0;
}

static int
find_word(const struct words *w, const char *text, int from)
{
    for (int i = from; i < w->n; i++)
        if (is_word(w, i, text))
            return i;
    return -1;
}

/* Puts the place before the reason.  Always returns false. */
static bool
blame_place(struct reader *r)
{
    return r->line > 0
               ? err_prefix(r->err, "%s:%d", r->file, r->line)
               : err_prefix(r->err, "%s: result %d", r->file, r->nrows + 1);
}

/* A number of at least 0, such as 12, 0.50 or 1.2e+05.  Returns false for
 * anything else; `what` names the number in the error. */
static bool
read_number(struct reader *r, const char *word, const char *what,
            double *value)
{
    char *end = NULL;

    if (isdigit((unsigned char)word[0]) &&
        strspn(word, "0123456789.e+-") == strlen(word))
        *value = strtod(word, &end);
    if (end != NULL && *end == '\0' && isfinite(*value))
        return true;
    err_set(r->err, "'%.40s' is no %s", word, what);
    return blame_place(r);
}

/* The series of that name, made if there is none yet.  Returns NULL, with the
 * reason, if there are too many, or if it is another text's. */
static struct series *
series_for(struct reader *r, const char *name, const char *what, bool in_place)
{
    OWN(buf) full = {0};
    struct series *s;

    if (r->prefix != NULL)
        buf_addf(&full, "%s: ", r->prefix);
    buf_puts(&full, name[0] != '\0' ? name : r->file);
    buf_addf(&full, "%s%s%s", what[0] != '\0' ? ", " : "", what,
             in_place ? ", in place" : "");
    s = series_find(r->set, buf_text(&full));
    if (s == NULL && r->set->n < BENCH_SERIES_MAX)
        s = series_add(r->set, buf_text(&full));
    if (s == NULL) {
        err_set(r->err, "%s: there are more than %d series", r->file,
                BENCH_SERIES_MAX);
    } else if (s < r->set->series + r->first) {
        err_set(r->err, "%s: '%.80s' has been read already", r->file, s->name);
        s = NULL;
    }
    return s;
}

/* Notes that a row, or one of its placements, is not used. */
static bool
note_dropped(struct reader *r, const char *why)
{
    struct buf *notes = &r->set->notes;

    if (r->ndropped++ >= NOTES_MAX)
        return true;
    utf8_add(notes, r->file);
    if (r->line > 0)
        buf_addf(notes, _(":%1$d: left out: %2$s\n"), r->line, why);
    else
        buf_addf(notes, _(": result %1$d: left out: %2$s\n"),
                 r->nrows + 1, why);
    return true;
}

/* Adds a point, unless it took no time: then it has no bandwidth.  Refuses
 * numbers that no machine has: their products and ratios may have no place in a
 * double.  0 and NAN stand for what is not known. */
static bool
add_read_point(struct reader *r, struct series *s, struct series_point point)
{
    const struct {
        const char *what;
        double value, least, most;
    } limits[] = {{"size", point.bytes, 1, 0x1p62},
                  {"time", point.us, 1e-6, 1e15},
                  {"bandwidth", point.algbw, 1e-18, 1e22},
                  {"bandwidth", point.busbw, 1e-18, 1e22}};

    if (s == NULL)
        return false;
    for (int i = 0; i < 4; i++)
        if (limits[i].value > 0 && (limits[i].value < limits[i].least ||
                                    limits[i].value > limits[i].most)) {
            err_set(r->err, "a %s must be from %g to %g, not %g",
                    limits[i].what, limits[i].least, limits[i].most,
                    limits[i].value);
            return blame_place(r);
        }
    if (point.us == 0)
        return note_dropped(r, _("it took no time"));
    series_put(s, point);
    return true;
}

static bool
count_row(struct reader *r)
{
    return ++r->nrows <= BENCH_ROWS_MAX ||
           err_set(r->err, "%s: there are more than %d rows", r->file,
                   BENCH_ROWS_MAX);
}

/* Appends what the words of a row from `from` to `to` say: the type, the
 * operator and the root, as far as there are any. */
static void
add_kind(const char *const *words, int n, struct buf *kind)
{
    for (int i = 0; i < n; i++)
        if (words[i][0] != '\0' && strcmp(words[i], "none") != 0 &&
            strcmp(words[i], "-1") != 0)
            buf_addf(kind, "%s%s%.*s", kind->length > 0 ? " " : "",
                     utf8_is_number(words[i]) ? "root " : "", 40, words[i]);
}

/* Reads the columns of a placement; if none was measured, they are "N/A". */
static bool
read_side(struct reader *r, const struct words *w, int at, const char *kind,
          bool in_place)
{
    double bytes, us, algbw, busbw;

    return is_word(w, at, "N/A") ||
           (read_number(r, w->word[0], "size", &bytes) &&
            read_number(r, w->word[at], "time", &us) &&
            read_number(r, w->word[at + 1], "algbw", &algbw) &&
            read_number(r, w->word[at + 2], "busbw", &busbw) &&
            add_read_point(r, series_for(r, r->name, kind, in_place),
                           (struct series_point){{bytes}, {us}, algbw, busbw,
                                                 r->nranks, 0}));
}

/* Reads a line of as many words as the headings ask for: a size, a count, at
 * most the type, the operator and the root, then the times. */
static bool
read_nccl_row(struct reader *r, const struct words *w)
{
    int n = w->n - r->nccl.extra, out = n - r->nccl.out, in = n - r->nccl.in;
    int test = find_word(w, "Test", 1);
    OWN(buf) kind = {0};

    if (w->n < 2 || !utf8_is_number(w->word[0]) || !utf8_is_number(w->word[1]))
        return true;
    if (!count_row(r))
        return false;
    /* nccl-tests ends with a complaint, without a new line before it:
     * "  8  2  float  sum  -1host: Test timeout (60s) common.cu:523". */
    if (out < 2 || out > 5 ||
        (test > 0 && strrchr(w->word[test - 1], ':') != NULL &&
         strrchr(w->word[test - 1], ':')[1] == '\0'))
        return note_dropped(r, _("the row is not whole"));
    add_kind(w->word + 2, out - 2, &kind);
    return read_side(r, w, out, buf_text(&kind), false) &&
           (r->nccl.in == 0 || read_side(r, w, in, buf_text(&kind), true));
}

/* A comment: headings, by which the rows after it are read, the name of a test,
 * a rank, or nothing. */
static void
take_comment(struct reader *r, const struct words *w)
{
    int out = find_word(w, "time", 0), in;
    const char *time = out < 0 ? "cputime" : "time";

    out = find_word(w, time, 0);
    if (out >= 0 && is_word(w, out + 1, "algbw") &&
        is_word(w, out + 2, "busbw")) {
        in = find_word(w, time, out + 1);
        r->nccl = (struct columns){
            .out = w->n - out,
            .in = in < 0 || in + 2 >= w->n ? 0 : w->n - in,
            .extra = find_word(w, "timestamp", 0) >= 0}; /* date and time */
    } else if (is_word(w, 1, "Collective") && is_word(w, 3, "starting:")) {
        OWN(buf) name = {0};
        for (int i = 4; i < w->n; i++)
            buf_addf(&name, "%s%s", i > 4 ? " " : "", w->word[i]);
        snprintf(r->name, sizeof r->name, "%s", buf_text(&name));
    } else if (is_word(w, 1, "Using") && is_word(w, 2, "devices")) {
        r->nranks = 0; /* they follow */
    } else if (is_word(w, 1, "Rank")) {
        r->nranks++;
    }
}

static bool
read_table_lines(struct reader *r, const char *text, size_t length)
{
    OWN_MEMORY char *copy = mem_new(length + 1, 1);
    char *rest = copy, *line;
    bool ok = true;

    memcpy(copy, text, length);
    while (ok && (line = strsep(&rest, "\n")) != NULL) {
        struct words w = {.n = 0};
        char *word, *more = NULL;
        r->line++;
        for (word = strtok_r(line, " \t\r", &more);
             word != NULL && w.n < WORDS_MAX;
             word = strtok_r(NULL, " \t\r", &more))
            w.word[w.n++] = word;
        if (w.n > 0 && w.word[0][0] == '#')
            take_comment(r, &w);
        else if (w.n > 0 && r->nccl.out > 0)
            ok = read_nccl_row(r, &w);
    }
    r->line = 0;
    return ok;
}

/* A number of JSON, or "nan", which nccl-tests writes for a figure. */
static bool
read_json_number(struct reader *r, const json_t *o, const char *key,
                 bool figure, double *value)
{
    const json_t *v = json_object_get(o, key);

    *value = json_is_number(v) ? json_number_value(v) : NAN;
    if ((json_is_number(v) && *value >= 0 && isfinite(*value)) ||
        (figure && json_is_string(v) &&
         strcmp(json_string_value(v), "nan") == 0))
        return true;
    err_set(r->err, "\"%s\" is missing, or no number", key);
    return blame_place(r);
}

static bool
read_json_side(struct reader *r, const json_t *result, bool in_place,
               const char *name, const char *kind, double bytes)
{
    const json_t *side =
        json_object_get(result, in_place ? "in_place" : "out_of_place");
    bool cpu = json_object_get(side, "time") == NULL &&
               json_object_get(side, "cpu_time") != NULL;
    double us, algbw, busbw;

    if (side == NULL || json_is_null(side))
        return true;
    if (!read_json_number(r, side, cpu ? "cpu_time" : "time", true, &us) ||
        !read_json_number(r, side, "alg_bw", true, &algbw) ||
        !read_json_number(r, side, "bus_bw", true, &busbw))
        return false;
    if (isnan(us))
        return note_dropped(r, _("it has no time"));
    return add_read_point(r, series_for(r, name, kind, in_place),
                          (struct series_point){{bytes}, {us}, algbw, busbw,
                                                r->nranks, 0});
}

static const char *
member_text(const json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));

    return text != NULL ? text : "";
}

static bool
read_json_result(struct reader *r, const json_t *result)
{
    const char *name = member_text(result, "experiment_name");
    const char *root = member_text(result, "root");
    const char *words[3] = {member_text(result, "type"),
                            member_text(result, "redop"),
                            root + strspn(root, " ")};
    OWN(buf) kind = {0};
    double bytes;

    if (!read_json_number(r, result, "size", false, &bytes))
        return false;
    name = name[0] != '\0' ? name : r->name;
    add_kind(words, 3, &kind);
    return read_json_side(r, result, false, name, buf_text(&kind), bytes) &&
           read_json_side(r, result, true, name, buf_text(&kind), bytes) &&
           count_row(r);
}

static bool
read_json(struct reader *r, const char *text, size_t length)
{
    json_error_t error;
    json_t *o = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    const json_t *results = json_object_get(o, "results");
    const char *program =
        json_string_value(json_array_get(json_object_get(o, "args"), 0));
    bool ok = json_is_array(results);

    if (o == NULL)
        err_set(r->err, "%s:%d: %s", r->file, error.line, error.text);
    else if (!ok)
        err_set(r->err, "%s: this JSON has no \"results\", as nccl-tests' -J "
                "writes them", r->file);
    r->nranks = (double)json_array_size(
        json_object_get(json_object_get(o, "config"), "devices"));
    if (program != NULL)
        snprintf(r->name, sizeof r->name, "%s", load_name(program));
    for (size_t i = 0; ok && i < json_array_size(results); i++)
        ok = read_json_result(r, json_array_get(results, i));
    json_decref(o);
    return ok;
}

/* Computes bandwidths with all digits of the times, if these have more: both
 * have two decimals.  The ratio of busbw to algbw is that of the row that shows
 * most of their digits; NAN if none does. */
static void
refine_bandwidths(struct series *s)
{
    double most = 0, ratio = NAN;

    for (size_t i = 0; i < s->n; i++) {
        const struct series_point *p = &s->points[i];
        if (p->algbw > most && p->busbw > 0) {
            most = p->algbw;
            ratio = p->busbw / p->algbw;
        }
    }
    for (size_t i = 0; i < s->n; i++) {
        struct series_point *p = &s->points[i];
        if (isnan(p->us) || isnan(p->busbw) || p->algbw >= p->us)
            continue;
        p->algbw = p->bytes / p->us / 1e3;
        p->busbw = p->algbw * ratio;
    }
}

/* Sorts points by size, as curves need.  Of equal sizes the fastest comes
 * first, and the curve has that one. */
static int
compare_points(const void *a, const void *b)
{
    const struct series_point *x = a, *y = b;

    if (x->bytes != y->bytes)
        return (x->bytes > y->bytes) - (x->bytes < y->bytes);
    if (!isnan(x->us) && !isnan(y->us) && x->us != y->us)
        return (x->us > y->us) - (x->us < y->us);
    return (x->algbw < y->algbw) - (x->algbw > y->algbw);
}

bool
bench_read(const char *text, size_t length, const char *file,
           const char *prefix, struct series_set *set, struct err *err)
{
    struct reader r = {.file = file, .prefix = prefix, .set = set,
                       .first = set->n, .err = err};
    size_t blanks = 0;
    bool any = false;

    if (length > BENCH_FILE_MAX)
        return err_set(err, "%s: more than %d MiB", file,
                       BENCH_FILE_MAX >> 20);
    if (memchr(text, '\0', length) != NULL)
        return err_set(err, "%s: this is no text", file);
    while (blanks < length && isspace((unsigned char)text[blanks]))
        blanks++;
    if (!(blanks < length && text[blanks] == '{'
              ? read_json(&r, text, length)
              : read_table_lines(&r, text, length)))
        return false;
    if (r.ndropped > NOTES_MAX) {
        utf8_add(&set->notes, file);
        buf_addf(&set->notes, _(": left out: %d more\n"),
                 r.ndropped - NOTES_MAX);
    }
    if (r.nrows == 0)
        return err_set(err, "%s: there is no table of nccl-tests in it", file);
    for (size_t i = r.first; i < set->n; i++) {
        struct series *s = &set->series[i];
        refine_bandwidths(s);
        if (s->n > 0)
            qsort(s->points, s->n, sizeof *s->points, compare_points);
        any = any || s->n > 0;
    }
    return any ||
           err_set(err, "%s: all rows of its tables were left out", file);
}
