/* SPDX-License-Identifier: MIT */
#include "text/bench_read.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
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
    enum { NO_TABLE, OSU_TIMES, OSU_RATES } osu;
};

struct words {
    const char *word[WORDS_MAX];
    int n;
};

/* Cuts a line, which is changed, at blanks. */
static void
split(char *line, struct words *w)
{
    char *word, *rest = NULL;

    w->n = 0;
    for (word = strtok_r(line, " \t\r", &rest);
         word != NULL && w->n < WORDS_MAX;
         word = strtok_r(NULL, " \t\r", &rest))
        w->word[w->n++] = word;
}

static int
find_word(const struct words *w, const char *text, int from)
{
    for (int i = from; i < w->n; i++)
        if (strcmp(w->word[i], text) == 0)
            return i;
    return -1;
}

static bool
blame(struct reader *r, const char *word, const char *what)
{
    return r->line > 0
               ? err_set(r->err, "%s:%d: '%.40s' is no %s", r->file, r->line,
                         word, what)
               : err_set(r->err, "%s: result %d: \"%s\" is missing, or no "
                         "number", r->file, r->nrows + 1, word);
}

/* A number of at least 0, such as 12, 0.50 or 1.2e+05.  Returns false for
 * anything else. */
static bool
read_number(const char *word, double *value)
{
    char *end;

    if (!isdigit((unsigned char)word[0]) ||
        strspn(word, "0123456789.e+-") != strlen(word))
        return false;
    *value = strtod(word, &end);
    return *end == '\0' && isfinite(*value);
}

static bool
is_whole(const char *word)
{
    return word[0] != '\0' && word[strspn(word, "0123456789")] == '\0';
}

/* The series of that name, made if there is none yet.  Returns NULL, with the
 * reason, if there are too many, or if it is another text's. */
static struct series *
series_for(struct reader *r, const char *name, const char *what, bool in_place)
{
    struct buf full = {0};
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
    buf_done(&full);
    return s;
}

/* Refuses numbers that no machine has: their products and ratios may have no
 * place in a double.  0 and NAN stand for what is not known. */
static bool
check_value(struct reader *r, const char *what, double value, double least,
            double most)
{
    if (isnan(value) || value <= 0 || (value >= least && value <= most))
        return true;
    return r->line > 0
               ? err_set(r->err, "%s:%d: a %s must be from %g to %g, not %g",
                         r->file, r->line, what, least, most, value)
               : err_set(r->err, "%s: result %d: a %s must be from %g to %g, "
                         "not %g", r->file, r->nrows + 1, what, least, most,
                         value);
}

/* Notes that a row, or one of its placements, is not used. */
static bool
drop(struct reader *r, const char *why)
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

/* Adds a point, unless it took no time: then it has no bandwidth. */
static bool
put(struct reader *r, struct series *s, struct series_point point)
{
    if (s == NULL || !check_value(r, "size", point.bytes, 1, 0x1p62) ||
        !check_value(r, "time", point.us, 1e-6, 1e15) ||
        !check_value(r, "bandwidth", point.algbw, 1e-18, 1e22) ||
        !check_value(r, "bandwidth", point.busbw, 1e-18, 1e22))
        return false;
    if (point.us == 0)
        return drop(r, _("it took no time"));
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
        if (strcmp(words[i], "none") != 0 && strcmp(words[i], "-1") != 0)
            buf_addf(kind, "%s%s%.*s", kind->length > 0 ? " " : "",
                     is_whole(words[i]) ? "root " : "", 40, words[i]);
}

/* The columns of a placement; those of none that was measured are "N/A". */
static bool
read_side(struct reader *r, const struct words *w, int at, const char *kind,
          bool in_place)
{
    double bytes, us, algbw, busbw;

    if (strcmp(w->word[at], "N/A") == 0)
        return true;
    if (!read_number(w->word[0], &bytes))
        return blame(r, w->word[0], "size");
    if (!read_number(w->word[at], &us))
        return blame(r, w->word[at], "time");
    if (!read_number(w->word[at + 1], &algbw))
        return blame(r, w->word[at + 1], "algbw");
    if (!read_number(w->word[at + 2], &busbw))
        return blame(r, w->word[at + 2], "busbw");
    return put(r, series_for(r, r->name, kind, in_place),
               (struct series_point){bytes, us, algbw, busbw, r->nranks});
}

/* nccl-tests ends with a complaint, for which it does not begin a new line:
 * "  8  2  float  sum  -1host: Test timeout (60s) common.cu:523". */
static bool
is_cut_short(const struct words *w)
{
    int test = find_word(w, "Test", 1);
    const char *before = test > 0 ? w->word[test - 1] : "";

    return before[0] != '\0' && before[strlen(before) - 1] == ':';
}

/* A line that begins with a size and a count, has as many words as the headings
 * ask for, and before the times at most the type, the operator and the root. */
static bool
read_nccl_row(struct reader *r, const struct words *w)
{
    int n = w->n - r->nccl.extra, out = n - r->nccl.out, in = n - r->nccl.in;
    struct buf kind = {0};
    bool ok;

    if (w->n < 2 || !is_whole(w->word[0]) || !is_whole(w->word[1]))
        return true;
    if (out < 2 || out > 5 || is_cut_short(w))
        return count_row(r) && drop(r, _("the row is not whole"));
    add_kind(w->word + 2, out - 2, &kind);
    ok = count_row(r) && read_side(r, w, out, buf_text(&kind), false) &&
         (r->nccl.in == 0 ||
          read_side(r, w, in, buf_text(&kind), true));
    buf_done(&kind);
    return ok;
}

static bool
read_osu_row(struct reader *r, const struct words *w)
{
    struct series_point point = {.us = NAN, .busbw = NAN};
    double value;

    if (!is_whole(w->word[0]))
        return true;
    if (w->n < 2)
        return count_row(r) && drop(r, _("the row is not whole"));
    if (find_word(w, "Fail", 2) > 0)
        return count_row(r) && drop(r, _("its data is wrong (Fail)"));
    if (!read_number(w->word[0], &point.bytes))
        return blame(r, w->word[0], "size");
    if (!read_number(w->word[1], &value))
        return blame(r, w->word[1],
                     r->osu == OSU_TIMES ? "time" : "bandwidth");
    point.algbw = value / 1e3; /* from MB/s */
    if (r->osu == OSU_TIMES) {
        point.us = value;
        point.algbw = value > 0 ? point.bytes / value / 1e3 : 0;
    }
    return count_row(r) && put(r, series_for(r, r->name, "", false), point);
}

/* A line of headings, of nccl-tests: from now on, rows are read by it. */
static bool
take_nccl_head(struct reader *r, const struct words *w)
{
    static const char *const times[] = {"time", "cputime"};
    int out = -1, in = -1;

    for (int i = 0; i < 2 && out < 0; i++) {
        out = find_word(w, times[i], 0);
        in = out < 0 ? -1 : find_word(w, times[i], out + 1);
    }
    if (out < 0 || out + 2 >= w->n || strcmp(w->word[out + 1], "algbw") != 0 ||
        strcmp(w->word[out + 2], "busbw") != 0)
        return false;
    r->osu = NO_TABLE;
    r->nccl = (struct columns){
        .out = w->n - out, .in = in < 0 || in + 2 >= w->n ? 0 : w->n - in,
        .extra = find_word(w, "timestamp", 0) >= 0}; /* date and time */
    return true;
}

/* The words after `words` in a line, as the name of the table. */
static void
take_name(struct reader *r, const struct words *w, int from, int to)
{
    struct buf name = {0};

    for (int i = from; i < to; i++)
        buf_addf(&name, "%s%s", i > from ? " " : "", w->word[i]);
    memcpy(r->name, buf_text(&name),
           name.length < NAME_MAX_BYTES ? name.length : NAME_MAX_BYTES);
    r->name[name.length < NAME_MAX_BYTES ? name.length : NAME_MAX_BYTES] =
        '\0';
    buf_done(&name);
}

/* "# OSU MPI Allreduce Latency Test v7.5", "# Size  Avg Latency(us)" */
static void
take_osu_head(struct reader *r, const struct words *w)
{
    if (w->n > 2 && strcmp(w->word[1], "OSU") == 0) {
        int version = w->n - 1;
        take_name(r, w, 1, w->word[version][0] == 'v' ? version : w->n);
        r->osu = NO_TABLE;
        r->nccl = (struct columns){0};
        r->nranks = 0;
        return;
    }
    if (w->n < 3 || strcmp(w->word[1], "Size") != 0)
        return;
    r->nccl = (struct columns){0};
    r->osu = find_word(w, "(MB/s)", 2) >= 0 || find_word(w, "MB/s", 2) >= 0
                 ? OSU_RATES
                 : OSU_TIMES;
}

/* Whether the line begins with these words, up to NULL. */
static bool
begins(const struct words *w, const char *const *words)
{
    int i = 0;

    while (words[i] != NULL && i < w->n && strcmp(w->word[i], words[i]) == 0)
        i++;
    return words[i] == NULL;
}

/* A comment: headings, the name of a test, a rank, or nothing. */
static void
take_comment(struct reader *r, const struct words *w)
{
    static const char *const test[] = {"#", "Collective", "test", "starting:",
                                       NULL};
    static const char *const devices[] = {"#", "Using", "devices", NULL};
    static const char *const rank[] = {"#", "Rank", NULL};

    if (take_nccl_head(r, w))
        return;
    if (begins(w, test))
        take_name(r, w, 4, w->n);
    else if (begins(w, devices))
        r->nranks = 0; /* they follow */
    else if (begins(w, rank))
        r->nranks++;
    else
        take_osu_head(r, w);
}

static bool
read_line(struct reader *r, char *line)
{
    struct words w;

    split(line, &w);
    if (w.n == 0)
        return true;
    if (w.word[0][0] == '#') {
        take_comment(r, &w);
        return true;
    }
    if (r->osu != NO_TABLE)
        return read_osu_row(r, &w);
    return r->nccl.out == 0 || read_nccl_row(r, &w);
}

static bool
read_lines(struct reader *r, const char *text, size_t length)
{
    char *copy = mem_new(length + 1, 1), *rest = copy, *line;
    bool ok = true;

    memcpy(copy, text, length);
    while (ok && (line = strsep(&rest, "\n")) != NULL) {
        r->line++;
        ok = read_line(r, line);
    }
    r->line = 0;
    free(copy);
    return ok;
}

/* A number of JSON, or "nan", which nccl-tests writes for it. */
static bool
json_number(const json_t *o, const char *key, double *value)
{
    const json_t *v = json_object_get(o, key);

    *value = json_is_number(v) ? json_number_value(v) : NAN;
    return (json_is_number(v) && *value >= 0 && isfinite(*value)) ||
           (json_is_string(v) && strcmp(json_string_value(v), "nan") == 0);
}

static bool
read_json_side(struct reader *r, const json_t *result, const char *key,
               const char *name, const char *kind, double bytes)
{
    const json_t *side = json_object_get(result, key);
    double us, algbw, busbw;

    if (side == NULL || json_is_null(side))
        return true;
    if (!json_number(side, "time", &us) &&
        !json_number(side, "cpu_time", &us))
        return blame(r, "time", "");
    if (!json_number(side, "alg_bw", &algbw))
        return blame(r, "alg_bw", "");
    if (!json_number(side, "bus_bw", &busbw))
        return blame(r, "bus_bw", "");
    if (isnan(us))
        return drop(r, _("it has no time"));
    return put(r, series_for(r, name, kind, strcmp(key, "in_place") == 0),
               (struct series_point){bytes, us, algbw, busbw, r->nranks});
}

static const char *
text_of(const json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));

    return text != NULL ? text : "";
}

static bool
read_json_result(struct reader *r, const json_t *result)
{
    const char *name = text_of(result, "experiment_name");
    const char *root = text_of(result, "root");
    const char *words[3] = {text_of(result, "type"), text_of(result, "redop"),
                            root + strspn(root, " ")};
    struct buf kind = {0};
    double bytes;
    bool ok;

    if (!json_number(result, "size", &bytes) || isnan(bytes))
        return blame(r, "size", "");
    if (name[0] == '\0')
        name = r->name;
    for (int i = 0; i < 3; i++)
        if (words[i][0] != '\0')
            add_kind(&words[i], 1, &kind);
    ok = read_json_side(r, result, "out_of_place", name, buf_text(&kind),
                        bytes) &&
         read_json_side(r, result, "in_place", name, buf_text(&kind), bytes);
    buf_done(&kind);
    return ok && count_row(r);
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
    if (program != NULL) {
        const char *slash = strrchr(program, '/');
        snprintf(r->name, sizeof r->name, "%s",
                 slash != NULL ? slash + 1 : program);
    }
    for (size_t i = 0; ok && i < json_array_size(results); i++)
        ok = read_json_result(r, json_array_get(results, i));
    json_decref(o);
    return ok;
}

/* The ratio of busbw to algbw by the row that shows most of their digits; NAN
 * if none does. */
static double
ratio_of(const struct series *s)
{
    double most = 0, ratio = NAN;

    for (size_t i = 0; i < s->n; i++) {
        const struct series_point *p = &s->points[i];
        if (p->algbw > most && p->busbw > 0) {
            most = p->algbw;
            ratio = p->busbw / p->algbw;
        }
    }
    return ratio;
}

/* Bandwidths with all digits that the times have, where these are more: both
 * have two decimals. */
static void
refine(struct series *s)
{
    double ratio = ratio_of(s);

    for (size_t i = 0; i < s->n; i++) {
        struct series_point *p = &s->points[i];
        if (isnan(p->us) || isnan(p->busbw) || p->algbw >= p->us)
            continue;
        p->algbw = p->bytes / p->us / 1e3;
        p->busbw = p->algbw * ratio;
    }
}

/* Points rise, as curves need them.  Of several of one size the fastest comes
 * first: that is the one of the curve. */
static int
by_bytes(const void *a, const void *b)
{
    const struct series_point *x = a, *y = b;

    if (x->bytes != y->bytes)
        return (x->bytes > y->bytes) - (x->bytes < y->bytes);
    if (!isnan(x->us) && !isnan(y->us) && x->us != y->us)
        return (x->us > y->us) - (x->us < y->us);
    return (x->algbw < y->algbw) - (x->algbw > y->algbw);
}

/* Refines and sorts what was read.  Returns whether there is any point. */
static bool
finish(struct reader *r)
{
    bool any = false;

    for (size_t i = r->first; i < r->set->n; i++) {
        struct series *s = &r->set->series[i];
        refine(s);
        if (s->n > 0)
            qsort(s->points, s->n, sizeof *s->points, by_bytes);
        any = any || s->n > 0;
    }
    return any;
}

bool
bench_read(const char *text, size_t length, const char *file,
           const char *prefix, struct series_set *set, struct err *err)
{
    struct reader r = {.file = file, .prefix = prefix, .set = set,
                       .first = set->n, .err = err};
    size_t blanks = 0;

    if (length > BENCH_FILE_MAX)
        return err_set(err, "%s: more than %d MiB", file,
                       BENCH_FILE_MAX >> 20);
    if (memchr(text, '\0', length) != NULL)
        return err_set(err, "%s: this is no text", file);
    while (blanks < length && isspace((unsigned char)text[blanks]))
        blanks++;
    if (!(blanks < length && text[blanks] == '{'
              ? read_json(&r, text, length)
              : read_lines(&r, text, length)))
        return false;
    if (r.ndropped > NOTES_MAX) {
        utf8_add(&set->notes, file);
        buf_addf(&set->notes, _(": left out: %d more\n"),
                 r.ndropped - NOTES_MAX);
    }
    if (r.nrows == 0)
        return err_set(err, "%s: there is no table of nccl-tests or of the "
                       "OSU micro-benchmarks in it", file);
    return finish(&r) ||
           err_set(err, "%s: all rows of its tables were left out", file);
}
