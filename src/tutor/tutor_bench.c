/* SPDX-License-Identifier: MIT */
/* The verb `bench`: measures algorithms on this machine, as collviz bench does,
 * and shows nccl-tests' table in the place of the picture.  It grows row by
 * row.  A table that would take long, or does not fit on the screen, is refused
 * before anything is measured.  On threads the ranks run, and their results are
 * checked, in this thread: the learner's keys are heard between two placements
 * of a row only, so a placement that would take long is refused, too.
 *
 * A lesson that is played again, to go back a page, gets the same figures. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/translate.h"
#include "play/bench.h"
#include "text/bench_table.h"
#include "tutor/tutor.h"

enum {
    PARTS_MOST = 4,
    HEAD_LINES = 3,
    LINES_MOST = 15, /* that fit above a page on 80x24 */
    COLUMNS_MOST = 80,
};

/* Estimates (bench_plan()): a key is heard soon, a table takes a moment. */
static const double PLACEMENT_MOST_NS = 0.5e9, TABLE_MOST_NS = 5e9;

/* A measurement under way. */
struct measurement {
    char *command; /* as in the lesson */
    struct options o;
    struct bench *benches[PARTS_MOST];
    int at; /* the one that is measured; o.noperands: all are */
    struct bench_row rows[PARTS_MOST][LINES_MOST];
    struct bench_part parts[PARTS_MOST];
    json_t *list; /* the rows, for the script */
};

void
tutor_bench_stop(struct tutor *t)
{
    struct measurement *m = t->measurement;

    if (m == NULL)
        return;
    for (int i = 0; i < PARTS_MOST; i++)
        bench_free(m->benches[i]);
    options_done(&m->o);
    json_decref(m->list);
    free(m->command);
    free(m);
    t->measurement = NULL;
}

static bool
read_command(struct tutor *t, struct measurement *m, struct err *err)
{
    struct options *o = &m->o;

    if (!options_add(o, t->options, FOR_MEASURE, m->command, err))
        return false;
    free(o->network); /* a lesson's model is not what is measured */
    o->network = NULL;
    if (o->noperands == 0 || o->noperands > PARTS_MOST)
        return err_set(err, "bench takes from 1 to %d algorithms: bench "
                       "\"ring-allreduce -g 4 -b 8 -e 1M -f 16\"", PARTS_MOST);
    for (int i = 0; i < o->noperands; i++)
        if (!tutor_may_run(o, o->operands[i], err))
            return false;
    return true;
}

/* Whether the table, with all its rows, fits on the screen. */
static bool
table_fits(const struct measurement *m, struct err *err)
{
    int columns = bench_narrow_columns(m->parts, (size_t)m->o.noperands);
    size_t lines = HEAD_LINES;

    for (int i = 0; i < m->o.noperands; i++)
        lines += 1 + m->parts[i].nrows;
    if (lines > LINES_MOST)
        return err_set(err, "bench: the table would have more than %d lines: "
                       "take fewer sizes or algorithms", LINES_MOST);
    return columns <= COLUMNS_MOST ||
           err_set(err, "bench: the table has %d columns, and some screens "
                   "have only %d: take smaller sizes", columns, COLUMNS_MOST);
}

static bool
is_quick(double longest, double all, struct err *err)
{
    if (longest > PLACEMENT_MOST_NS)
        return err_set(err, "bench: the largest size may take %.1f s, and no "
                       "key is heard meanwhile: take smaller sizes, fewer "
                       "ranks or fewer calls (-n)", longest / 1e9);
    return all <= TABLE_MOST_NS ||
           err_set(err, "bench: the table may take %.0f s: take fewer sizes "
                   "or algorithms, or fewer calls (-n)", all / 1e9);
}

/* Checks all of it before anything is measured. */
static bool
prepare(struct measurement *m, struct err *err)
{
    double longest = 0, all = 0;

    for (int i = 0; i < m->o.noperands; i++) {
        struct bench_part *part = &m->parts[i];
        struct bench_work work;
        int status;

        m->benches[i] = bench_new(m->o.operands[i], &m->o, NULL, &status, err);
        if (m->benches[i] == NULL)
            return false;
        *part = (struct bench_part){.name = bench_about(m->benches[i]).name,
                                    .rows = m->rows[i]};
        part->nrows = (size_t)bench_plan(m->benches[i], LINES_MOST, m->rows[i],
                                         &work);
        longest = work.longest > longest ? work.longest : longest;
        all += work.all;
    }
    if (!table_fits(m, err) || !is_quick(longest, all, err))
        return false;
    for (int i = 0; i < m->o.noperands; i++)
        m->parts[i].nrows = 0;
    return true;
}

/* Puts the table on the screen, as far as it has been measured. */
static void
show_table(struct tutor *t, const struct measurement *m)
{
    const struct run_info *where = bench_about(m->benches[m->at]).where;
    const char *how = where == NULL ? _("Measuring ...")
                      : run_times(where) == TIMES_SIMULATED
                          ? _("simulated, not measured")
                          : _("measured on this machine");
    struct buf table = {0};

    bench_narrow(how, m->parts, (size_t)m->at + 1, &table);
    tutor_show_table(t, &table, NULL);
    buf_done(&table);
}

static json_t *
describe_side(const struct bench_side *side)
{
    json_t *figures = json_pack("{sf sf sf}", "time", side->us, "algbw",
                                side->algbw, "busbw", side->busbw);

    if (side->wrong != BENCH_NOT_CHECKED)
        json_object_set_new(figures, "wrong",
                            json_integer((json_int_t)side->wrong));
    return figures;
}

/* What the script gets of a row. */
static json_t *
describe(const struct bench *b, const struct bench_row *row)
{
    json_t *one = json_pack(
        "{ss sI sI ss ss si sb so}", "name", bench_about(b).name, "size",
        (json_int_t)row->bytes, "count", (json_int_t)row->count, "type",
        bench_type_name(row->type), "redop", row->redop, "root", row->root,
        "alone", row->alone, "in_place", describe_side(&row->in));
    json_t *figures = describe_side(&row->out);

    json_object_update(one, figures);
    json_decref(figures);
    return one;
}

static void
take_row(struct tutor *t, struct measurement *m, const struct bench_row *row)
{
    struct bench_part *part = &m->parts[m->at];

    m->rows[m->at][part->nrows++] = *row;
    json_array_append_new(m->list, describe(m->benches[m->at], row));
    show_table(t, m);
}

/* Keeps what was measured, and gives it to the script. */
static bool
finish(struct tutor *t, struct err *err)
{
    struct measurement *m = t->measurement;
    json_t *list = json_incref(m->list);

    json_object_set_new(tutor_known(t, "bench"), m->command,
                        json_pack("{sO ss}", "rows", list, "table", t->table));
    t->tables++;
    t->changed = true;
    tutor_bench_stop(t);
    return script_reply(t->script, list, err);
}

bool
tutor_bench_on(struct tutor *t, struct err *err)
{
    struct measurement *m = t->measurement;
    struct bench_rows rows;
    struct err why;

    switch (bench_next(m->benches[m->at], &rows, &why)) {
    case BENCH_LATER:
        return true;
    case BENCH_ROWS:
        take_row(t, m, &rows.ours);
        return true;
    case BENCH_OVER:
        m->at++;
        return m->at < m->o.noperands || finish(t, err);
    default:
        break;
    }
    tutor_bench_stop(t);
    return script_refuse(t->script, &why, err);
}

int
tutor_bench_fd(const struct tutor *t)
{
    return bench_fd(t->measurement->benches[t->measurement->at]);
}

/* Shows what was measured before.  Returns NULL if nothing was. */
static json_t *
recall(struct tutor *t, const char *command)
{
    const json_t *kept = json_object_get(tutor_known(t, "bench"), command);
    struct buf table = {0};

    if (kept == NULL)
        return NULL;
    buf_puts(&table, json_string_value(json_object_get(kept, "table")));
    tutor_put_table(t, &table, NULL);
    buf_done(&table);
    return json_incref(json_object_get(kept, "rows"));
}

enum tutor_did
tutor_bench(struct tutor *t, const struct request *r, json_t **reply,
            struct err *err)
{
    const char *command =
        json_string_value(json_object_get(r->with, "command"));
    struct measurement *m;

    if (command == NULL) {
        err_set(err, "bench takes a string: bench \"ring-allreduce -g 4 -b 8 "
                "-e 1M -f 16\"");
        return DID_REFUSE;
    }
    if ((*reply = recall(t, command)) != NULL)
        return DID_REPLY;
    m = t->measurement = mem_new(1, sizeof *m);
    m->command = mem_string(command);
    m->list = json_array();
    if (!read_command(t, m, err) || !prepare(m, err)) {
        tutor_bench_stop(t);
        return DID_REFUSE;
    }
    show_table(t, m);
    return DID_WAIT;
}
