/* SPDX-License-Identifier: MIT */
/* Verbs that show something in the place of the run: tables of algorithms that
 * are compared or measured, charts, lines of a program, and others. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "play/bench.h"
#include "play/build.h"
#include "play/modelled.h"
#include "text/bench_table.h"
#include "text/text.h"
#include "text/word.h"
#include "tutor/verbs.h"

enum {
    COLUMNS_MOST = 80, /* of a screen of 80x24 */
    LINES_MOST = 14, LINE_COLUMNS = 72, /* of `lines` */
};

/* `compare`: several algorithms on the same input. */

enum { COMPARED_MOST = 6, ROW_COLUMNS = 72 };

struct comparison {
    struct buf table; /* rows of equal length, with a newline between them */
    struct buf label; /* "modelled: 8 GPUs on ethernet": what the times are;
                       * empty: there are none */
    json_t *list;     /* for the script */
};

/* Adds a row; times take the place of blanks between the columns. */
static void
add_compared(struct comparison *all, const char *name, const char *steps,
             const char *sent, const char *received, const char *ns)
{
    bool timed = all->label.length > 0;

    buf_puts(&all->table, all->table.length > 0 ? "\n" : "");
    utf8_pad(&all->table, name, timed ? -32 : -34);
    utf8_pad(&all->table, steps, timed ? 7 : 8);
    utf8_pad(&all->table, sent, timed ? 11 : 15);
    utf8_pad(&all->table, received, timed ? 11 : 15);
    utf8_pad(&all->table, timed ? ns : "", timed ? 11 : 0);
}

/* Runs an algorithm to its end, and adds what its busiest rank did.  The
 * learner waits meanwhile.  Only a network's times are shown: those of this
 * machine would compare two algorithms as its few cores run them, not as GPUs
 * do. */
static bool
compare_one(struct tutor *t, const char *name, const struct options *o,
            const char *asked, struct comparison *all, struct err *err)
{
    struct job *job = tutor_finish_job(t, "compare", name, o, asked, err);
    const struct schedule *s = job != NULL ? job->schedule : NULL;
    struct world *w = job != NULL ? job->session.world : NULL;
    char full[2 * SCHEDULE_NAME_MAX], cells[3][32];
    OWN(buf) head = {0};
    int64_t sent = 0, received = 0;
    json_t *time = NULL;

    if (job == NULL)
        return false;
    if (!w->result.correct) {
        job_free(job);
        return err_set(err, "%s: the result is wrong", name);
    }
    world_seek(w, w->nsteps);
    for (int rank = 0; rank < schedule_members(s); rank++) {
        sent = w->sent[rank] > sent ? w->sent[rank] : sent;
        received = w->received[rank] > received ? w->received[rank] : received;
    }
    if (all->table.length == 0) {
        text_network(w, &all->label);
        buf_addf(&head, _("S = %lld B; the busiest GPU:"),
                 (long long)job->plan->run.input.count *
                     (long long)dtype_size(job->plan->run.input.type));
        add_compared(all, buf_text(&head), _("steps"), _("sent"), _("received"),
                     _("modelled"));
    }
    if (all->label.length > 0)
        time = json_real((double)w->result.wall_ns / 1e3);
    snprintf(full, sizeof full, "%s-%s", s->algorithm, s->collective->name);
    snprintf(cells[0], sizeof cells[0], "%d", schedule_count_steps(s));
    snprintf(cells[1], sizeof cells[1], "%lld B", (long long)sent);
    snprintf(cells[2], sizeof cells[2], "%lld B", (long long)received);
    add_compared(all, full, cells[0], cells[1], cells[2],
                 word_ns(w->result.wall_ns, false).text);
    json_array_append_new(
        all->list, json_pack("{ss si sI sI so*}", "name", full, "steps",
                             schedule_count_steps(s),
                             "sent", (json_int_t)sent, "received",
                             (json_int_t)received, "time", time));
    kept_put(t->seen.how.kept, asked, job);
    return true;
}

static bool
compare_act(struct tutor *t, struct said *s, struct err *err)
{
    struct comparison all = {.list = json_array()};
    OWN(buf) asked = {0};
    OWN(options) o = {0};
    bool ok = s->command == NULL ||
              options_add(&o, &t->options, FOR_CHANGE, s->command, err);

    if (ok && o.noperands < 2)
        ok = err_set(err, "compare needs algorithms: compare "
                     "\"naive-allreduce ring-allreduce --gpus 4\"");
    if (ok && o.noperands > COMPARED_MOST)
        ok = err_set(err, "compare takes at most %d algorithms", COMPARED_MOST);
    for (int i = 0; ok && i < o.noperands; i++) {
        buf_clear(&asked);
        buf_addf(&asked, "compare %d of %s", i, s->command);
        ok = compare_one(t, o.operands[i], &o, buf_text(&asked), &all, err);
    }
    if (ok) {
        if (all.label.length > 0) {
            buf_putc(&all.table, '\n');
            utf8_pad(&all.table, buf_text(&all.label), -ROW_COLUMNS);
        }
        picture_put_table(&t->seen.picture, &all.table, NULL, true);
        s->reply = json_incref(all.list);
    }
    json_decref(all.list);
    buf_done(&all.label);
    buf_done(&all.table);
    return ok;
}

/* `bench`: measures algorithms on this machine, as collviz bench does, and
 * shows nccl-tests' table.  It grows row by row.  A table that would take long,
 * or does not fit on the screen, is refused before anything is measured.  On
 * threads the ranks run, and their results are checked, in this thread: the
 * learner's keys are heard between two placements of a row only, so a placement
 * that would take long is refused, too.
 *
 * A lesson that is played again, to go back a page, gets the same figures. */

enum {
    PARTS_MOST = 4,
    HEAD_LINES = 3,
    TABLE_LINES_MOST = 15, /* that fit above a page on 80x24 */
};

/* Estimates (bench_plan()): a key is heard soon, a table takes a moment. */
static const double PLACEMENT_MOST_NS = 0.5e9, TABLE_MOST_NS = 5e9;

/* A measurement under way. */
struct measurement {
    char *command; /* as in the lesson */
    struct options o;
    struct bench *benches[PARTS_MOST];
    int at; /* the one that is measured; o.noperands: all are */
    struct bench_row rows[PARTS_MOST][TABLE_LINES_MOST];
    struct bench_part parts[PARTS_MOST];
    json_t *list; /* the rows, for the script */
};

void
tutor_bench_stop(struct tutor *t)
{
    struct measurement *m = t->seen.measurement;

    if (m == NULL)
        return;
    for (int i = 0; i < PARTS_MOST; i++)
        bench_free(m->benches[i]);
    options_done(&m->o);
    json_decref(m->list);
    free(m->command);
    free(m);
    t->seen.measurement = NULL;
}

static bool
read_bench(struct tutor *t, struct measurement *m, struct err *err)
{
    struct options *o = &m->o;

    if (!options_add(o, &t->options, FOR_MEASURE, m->command, err))
        return false;
    o->network = (struct network){.name = ""}; /* measured, not modelled */
    if (o->noperands == 0 || o->noperands > PARTS_MOST)
        return err_set(err, "bench takes from 1 to %d algorithms: bench "
                       "\"ring-allreduce -g 4 -b 8 -e 1M -f 16\"", PARTS_MOST);
    return tutor_may_run(build_ranks(o), err);
}

/* Checks all of it before anything is measured. */
static bool
prepare_bench(struct measurement *m, struct err *err)
{
    double longest = 0, all = 0;
    size_t lines = HEAD_LINES;
    OWN(buf) table = {0};
    int columns;

    for (int i = 0; i < m->o.noperands; i++) {
        struct bench_part *part = &m->parts[i];
        struct bench_work work;

        m->benches[i] = bench_new(m->o.operands[i], &m->o, NULL, err);
        if (m->benches[i] == NULL)
            return false;
        *part = (struct bench_part){
            .name = bench_table(m->benches[i], false).name,
            .rows = m->rows[i]};
        part->nrows = (size_t)bench_plan(m->benches[i], TABLE_LINES_MOST,
                                         m->rows[i], &work);
        lines += 1 + part->nrows;
        longest = work.longest > longest ? work.longest : longest;
        all += work.all;
    }
    if (lines > TABLE_LINES_MOST)
        return err_set(err, "bench: the table would have more than %d lines: "
                       "take fewer sizes or algorithms", TABLE_LINES_MOST);
    bench_narrow("", m->parts, (size_t)m->o.noperands, &table);
    columns = (int)strcspn(buf_text(&table), "\n"); /* of the first line */
    if (columns > COLUMNS_MOST)
        return err_set(err, "bench: the table has %d columns, and some screens "
                       "have only %d: take smaller sizes", columns,
                       COLUMNS_MOST);
    if (longest > PLACEMENT_MOST_NS)
        return err_set(err, "bench: the largest size may take %.1f s, and no "
                       "key is heard meanwhile: take smaller sizes, fewer "
                       "ranks or fewer calls (-n)", longest / 1e9);
    for (int i = 0; i < m->o.noperands; i++)
        m->parts[i].nrows = 0;
    return all <= TABLE_MOST_NS ||
           err_set(err, "bench: the table may take %.0f s: take fewer sizes "
                   "or algorithms, or fewer calls (-n)", all / 1e9);
}

/* Puts the table on the screen, as far as it has been measured. */
static void
show_table(struct tutor *t, const struct measurement *m)
{
    const struct run_info *where = bench_table(m->benches[m->at], false).where;
    const char *how = where == NULL ? _("Measuring ...")
                                    : _("measured on this machine");
    OWN(buf) table = {0};

    bench_narrow(how, m->parts, (size_t)m->at + 1, &table);
    picture_put_table(&t->seen.picture, &table, NULL, false);
}

static json_t *
describe_side(const struct bench_side *side)
{
    json_t *wrong = side->wrong != BENCH_NOT_CHECKED
                        ? json_integer((json_int_t)side->wrong)
                        : NULL;

    return json_pack("{sf sf sf so*}", "time", side->us, "algbw", side->algbw,
                     "busbw", side->busbw, "wrong", wrong);
}

bool
tutor_bench_on(struct tutor *t, struct err *err)
{
    struct measurement *m = t->seen.measurement;
    const struct bench *b = m->benches[m->at];
    struct bench_part *part = &m->parts[m->at];
    json_t *one, *figures, *list;
    struct bench_rows rows;
    const struct bench_row *row = &rows.ours;
    struct err why;

    switch (bench_next(m->benches[m->at], &rows, &why)) {
    case BENCH_LATER:
        return true;
    case BENCH_ROWS:
        m->rows[m->at][part->nrows++] = *row;
        one = json_pack("{ss sI sI ss ss si sb so}", "name",
                        bench_table(b, false).name, "size",
                        (json_int_t)row->bytes, "count",
                        (json_int_t)row->count, "type",
                        bench_type_name(row->type), "redop", row->redop,
                        "root", row->root, "alone", row->alone, "in_place",
                        describe_side(&row->in));
        figures = describe_side(&row->out);
        json_object_update(one, figures);
        json_decref(figures);
        json_array_append_new(m->list, one);
        show_table(t, m);
        return true;
    case BENCH_OVER:
        if (++m->at < m->o.noperands)
            return true;
        list = json_incref(m->list); /* what was measured is kept */
        json_object_set_new(json_object_get(t->seen.how.known, "bench"),
                            m->command,
                            json_pack("{sO ss}", "rows", list, "table",
                                      t->seen.picture.table));
        t->seen.picture.tables++;
        t->seen.picture.changed = true;
        tutor_bench_stop(t);
        return script_reply(t->script, list, err);
    default:
        break;
    }
    tutor_bench_stop(t);
    return script_refuse(t->script, &why, err);
}

int
tutor_bench_fd(const struct tutor *t)
{
    return bench_fd(t->seen.measurement->benches[t->seen.measurement->at]);
}

/* Shows what was measured before, or begins to measure. */
static bool
bench_act(struct tutor *t, struct said *s, struct err *err)
{
    const json_t *kept;
    struct measurement *m;
    OWN(buf) table = {0};

    if (s->command == NULL)
        return err_set(err, "bench takes a string: bench \"ring-allreduce -g 4 "
                       "-b 8 -e 1M -f 16\"");
    kept = json_object_get(json_object_get(t->seen.how.known, "bench"),
                           s->command);
    if (kept != NULL) {
        buf_puts(&table, json_string_value(json_object_get(kept, "table")));
        picture_put_table(&t->seen.picture, &table, NULL, true);
        s->reply = json_incref(json_object_get(kept, "rows"));
        return true;
    }
    m = t->seen.measurement = mem_new(1, sizeof *m);
    m->command = mem_string(s->command);
    m->list = json_array();
    if (!read_bench(t, m, err) || !prepare_bench(m, err)) {
        tutor_bench_stop(t);
        return false;
    }
    show_table(t, m);
    return true;
}

/* `chart`: curves, from the points that the script gives, or, with the words of
 * a command line, of a model's times, as collviz chart has them. */

static bool
add_series(const json_t *series, struct figure *f, struct err *err)
{
    const json_t *points = json_object_get(series, "points");
    const char *name;
    json_t *point;
    double x, y;
    size_t i;

    if (!script_text(series, "name", false, &name, err))
        return err_prefix(err, "chart: a series");
    series_add(&f->set, name);
    json_array_foreach(points, i, point) {
        if (json_unpack(point, "[FF!]", &x, &y) != 0)
            return err_set(err, "chart: point %zu of '%s' must be {x, y}, two "
                           "numbers", i + 1, name);
        if (!figure_put(f, x, y, err))
            return err_prefix(err, "chart");
    }
    return i > 0 || err_set(err, "chart: '%s' has no points", name);
}

/* Returns NULL on failure, with the reason in *err. */
static struct figure *
figure_of_points(const json_t *with, struct err *err)
{
    const json_t *all = json_object_get(with, "series");
    const char *title, *x, *y;
    struct figure *f;
    bool ok;

    if (!script_text(with, "title", false, &title, err) ||
        !script_text(with, "x", false, &x, err) ||
        !script_text(with, "y", false, &y, err)) {
        err_prefix(err, "chart");
        return NULL;
    }
    f = figure_new(title, x, y);
    ok = (json_array_size(all) >= 1 &&
          json_array_size(all) <= FIGURE_SERIES_MOST) ||
         err_set(err, "chart takes 1 to %d series", FIGURE_SERIES_MOST);
    for (size_t i = 0; ok && i < json_array_size(all); i++)
        ok = add_series(json_array_get(all, i), f, err);
    if (ok)
        return f;
    figure_free(f);
    return NULL;
}

/* Takes over the figure; NULL: there is none. */
static bool
put_figure(struct tutor *t, struct figure *f, struct err *err)
{
    OWN(buf) table = {0};

    if (f != NULL && figure_table(f, &table, err)) {
        picture_put_table(&t->seen.picture, &table, f, true);
        return true;
    }
    if (f == NULL)
        return false;
    figure_free(f);
    return err_prefix(err, "chart");
}

static const struct axes axes = {OVER_BYTES, OF_TIME};

/* The name of each curve, and its points with their numbers of chunks. */
static json_t *
list_curves(const struct series_set *set)
{
    json_t *curves = json_array();

    for (size_t i = 0; i < set->n; i++) {
        const struct series *s = &set->series[i];
        json_t *points = json_array();
        for (size_t k = 0; k < s->n; k++) {
            const struct series_point *p = &s->points[k];
            json_array_append_new(
                points, json_pack("[ffi]", p->bytes, p->us, p->chunks));
        }
        json_array_append_new(curves, json_pack("{ss so}", "name", s->name,
                                                "points", points));
    }
    return curves;
}

/* Fills an empty set with the curves of an earlier play. */
static void
recall_curves(const json_t *curves, struct series_set *set)
{
    const json_t *curve, *point;
    size_t i, k;

    json_array_foreach(curves, i, curve) {
        const char *name = json_string_value(json_object_get(curve, "name"));
        struct series *s = series_add(set, name);
        json_array_foreach(json_object_get(curve, "points"), k, point) {
            struct series_point p = {.algbw = NAN, .busbw = NAN};
            if (json_unpack((json_t *)point, "[FFi]", &p.bytes, &p.us,
                            &p.chunks) == 0)
                series_put(s, p);
        }
    }
}

/* The figure of a model.  Its curves come from the lesson's `known` charts; if
 * they are not there, it computes them and puts them there. */
static struct figure *
figure_of_model(const struct modelled *m, const char *command, json_t *known)
{
    OWN(buf) what = {0}, title = {0}, note = {0}, network = {0};
    const json_t *curves = json_object_get(known, command);
    struct figure *f;

    modelled_title(m, axes.over, &what);
    network_add_name(&m->network, &network);
    buf_addf(&title, _("%1$s, modelled: %2$s"), buf_text(&what),
             buf_text(&network));
    f = figure_new(buf_text(&title), "S", _("time of a call"));
    f->x_unit = UNIT_BYTES;
    f->y_unit = UNIT_TIME;
    if (curves != NULL) {
        recall_curves(curves, &f->set);
    } else {
        modelled_series(m, axes.over, &f->set, &note);
        json_object_set_new(known, command, list_curves(&f->set));
    }
    return f;
}

/* The reply to the script: all points, and the algorithm that is the fastest
 * from each size on. */
static json_t *
describe_curves(const struct series_set *set)
{
    struct reigns r = curve_reigns(set, axes);
    json_t *curves = list_curves(set), *fastest = json_array();

    for (int i = 0; i < r.n; i++)
        json_array_append_new(
            fastest, json_pack("{ss sf}", "name",
                               set->series[r.all[i].series].name, "from",
                               r.all[i].from));
    return json_pack("{so so}", "curves", curves, "fastest", fastest);
}

static bool
chart_act(struct tutor *t, struct said *s, struct err *err)
{
    OWN(options) o = {0};
    struct modelled m;
    json_t *known;

    if (s->command == NULL)
        return put_figure(t, figure_of_points(s->with, err), err);
    if (!options_add(&o, &t->options, FOR_CHART | FOR_CHANGE, s->command, err))
        return false;
    if (o.noperands == 0 || o.noperands > FIGURE_SERIES_MOST)
        return err_set(err, "chart takes from 1 to %d algorithms: chart "
                       "\"ring-allreduce tree-allreduce --gpus 8\"",
                       FIGURE_SERIES_MOST);
    if (build_ranks(&o) > SCHEDULE_RANKS_MAX)
        return err_set(err, "--gpus %d: a lesson's chart has at most %d",
                       build_ranks(&o), SCHEDULE_RANKS_MAX);
    known = json_object_get(t->seen.how.known, "chart");
    if (!modelled_init(&m, &o, err) ||
        !put_figure(t, figure_of_model(&m, s->command, known), err))
        return false;
    s->reply = describe_curves(&t->seen.picture.figure->set);
    return true;
}

/* `code`: lines of a program in the folder code/ beside the lesson. */

enum { CODE_LINES_MOST = 14 }; /* that fit above a page on 80x24 */

struct excerpt {
    const char *lines[CODE_LINES_MOST];
    int first; /* the number of lines[0], from 1 */
    int count;
};

/* Finds the lines from the first that contains `from` to the next that contains
 * `to`.  Cuts `text` into lines. */
static bool
find_excerpt(char *text, const char *from, const char *to, struct excerpt *e,
             struct err *err)
{
    char *line;

    for (int number = 1; (line = strsep(&text, "\n")) != NULL; number++) {
        if (e->count == 0 && strstr(line, from) == NULL)
            continue;
        if (e->count == CODE_LINES_MOST)
            return err_set(err, "code: more than %d lines from line %d on",
                           CODE_LINES_MOST, e->first);
        if (e->count == 0)
            e->first = number;
        e->lines[e->count++] = line;
        if (strstr(line, to) != NULL)
            return true;
    }
    return err_set(err, "code: no line has '%s'", e->count > 0 ? to : from);
}

/* Adds rows of the same length: the file's name, then its lines without the
 * blanks that all of them begin with. */
static bool
add_excerpt(const struct excerpt *e, const char *name, struct buf *out,
            struct err *err)
{
    OWN(buf) row = {0};
    size_t indent = SIZE_MAX, blanks;

    buf_addf(&row, "    %s", name);
    utf8_pad(out, buf_text(&row), -COLUMNS_MOST);
    if (utf8_columns(buf_text(&row)) > COLUMNS_MOST)
        return err_set(err, "code: the name of the file is too long");
    for (int i = 0; i < e->count; i++) {
        blanks = strspn(e->lines[i], " ");
        if (e->lines[i][blanks] != '\0' && blanks < indent)
            indent = blanks;
    }
    for (int i = 0; i < e->count; i++) {
        blanks = strspn(e->lines[i], " ");
        buf_clear(&row);
        buf_addf(&row, "%3d %s", e->first + i,
                 e->lines[i] + (blanks < indent ? blanks : indent));
        buf_putc(out, '\n');
        utf8_pad(out, buf_text(&row), -COLUMNS_MOST);
        if (utf8_columns(buf_text(&row)) > COLUMNS_MOST)
            return err_set(err, "code: line %d of %s is too long",
                           e->first + i, name);
    }
    return true;
}

static bool
code_act(struct tutor *t, struct said *s, struct err *err)
{
    const char *name, *from, *to;
    OWN(buf) text = {0}, table = {0};
    struct excerpt e = {.count = 0};

    if (!script_text(s->with, "name", false, &name, err) ||
        !script_text(s->with, "from", false, &from, err) ||
        !script_text(s->with, "to", false, &to, err))
        return false;
    if (!shelf_program(t->path, name, &text, err))
        return err_prefix(err, "code");
    if (!find_excerpt(text.data, from, to, &e, err) ||
        !add_excerpt(&e, name, &table, err))
        return false;
    picture_put_table(&t->seen.picture, &table, NULL, true);
    return true;
}

/* Puts lines of equal length in the place of the run; the picture counts those
 * with numbers. */
static bool
put_lines(struct tutor *t, const struct said *s, bool numbered, struct err *err)
{
    const char *texts[LINES_MOST];
    OWN(buf) table = {0};
    int count, columns = 0;

    if (!script_texts(s->with, "lines", 1, LINES_MOST, texts, &count, err))
        return false;
    for (int i = 0; i < count; i++) {
        int wide = utf8_columns(texts[i]);
        columns = most(wide, columns);
        if (wide > LINE_COLUMNS || strchr(texts[i], '\n') != NULL)
            return err_set(err, "line %d takes %d columns, %d at most", i + 1,
                           wide, LINE_COLUMNS);
    }
    for (int i = 0; i < count; i++) {
        buf_puts(&table, i > 0 ? "\n" : "");
        if (numbered)
            buf_addf(&table, "%2d  ", i + 1);
        utf8_pad(&table, texts[i], i == 0 ? -columns : 0);
    }
    picture_put_table(&t->seen.picture, &table, NULL, true);
    t->seen.picture.nlines = numbered ? count : 0;
    return true;
}

/* Lines that a question may ask to point at, by their numbers. */
static bool
lines_act(struct tutor *t, struct said *s, struct err *err)
{
    return put_lines(t, s, true, err);
}

/* A picture of characters. */
static bool
drawing_act(struct tutor *t, struct said *s, struct err *err)
{
    return put_lines(t, s, false, err);
}

const struct verb table_verbs[] = {
    {"compare", .act = compare_act}, {"bench", .act = bench_act},
    {"chart", .act = chart_act},     {"code", .act = code_act},
    {"lines", .act = lines_act},     {"drawing", .act = drawing_act},
    {NULL, .act = NULL},
};
