/* SPDX-License-Identifier: MIT */
/* collviz bench ALGORITHM...: measures as nccl-tests does, and prints its
 * table; with --read, charts such tables. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/command.h"
#include "base/load.h"
#include "base/mem.h"
#include "base/print.h"
#include "base/replace.h"
#include "base/signals.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "play/bench.h"
#include "screen/charts.h"
#include "screen/watch.h"
#include "text/bench_read.h"
#include "text/bench_table.h"
#include "web/publish.h"

enum { TIME_MAX = 32 };

/* All tables, for the JSON and the exit status. */
struct results {
    const struct options *o;
    struct bench_table all;
    struct buf json;
};

/* As nccl-tests writes it. */
static void
time_text(char text[TIME_MAX])
{
    time_t seconds = time(NULL);
    struct tm tm;

    if (localtime_r(&seconds, &tm) == NULL ||
        strftime(text, TIME_MAX, "%Y-%m-%d %H:%M:%S", &tm) == 0)
        text[0] = '\0';
}

/* Prints and empties it. */
static void
print_buffered(struct buf *text)
{
    print("%s", buf_text(text));
    fflush(stdout);
    buf_clear(text);
}

/* Sleeps until the measurement can go on.  Returns false if a signal asks
 * collviz to end. */
static bool
await_bench(const struct bench *b, struct err *err)
{
    struct pollfd fds[2] = {{.fd = signals_fd(), .events = POLLIN},
                            {.fd = bench_fd(b), .events = POLLIN}};

    if (poll(fds, 2, bench_fd(b) < 0 ? 0 : -1) < 0 && errno != EINTR)
        return err_set(err, "poll: %s", strerror(errno));
    return signals_ending() == 0 ||
           err_set(err, "a signal asks collviz to end");
}

/* The rows of the library's own collective are a table of their own, printed
 * after ours. */
static bool
measure_table(struct results *r, struct bench *b, struct err *err)
{
    struct bench_table tables[2] = {{.name = NULL}};
    struct buf texts[2] = {{0}};
    int ntables = r->o->native ? 2 : 1;
    struct bench_rows rows = {0};
    const struct bench_row *const of[] = {&rows.ours, &rows.native};
    enum bench_got got;
    char time[TIME_MAX];
    bool ok = true;

    while (ok && (got = bench_next(b, &rows, err)) != BENCH_OVER) {
        for (int i = 0; got == BENCH_ROWS && i < ntables; i++) {
            print_progress(NULL);
            if (tables[i].name == NULL) { /* it is known where ranks run */
                tables[i] = bench_table(b, i == 1);
                bench_table_head(&tables[i], &texts[i]);
                time_text(time);
                if (r->json.length == 0)
                    bench_json_begin(&tables[i], r->o->words, time, &r->json);
            }
            bench_table_row(&tables[i], of[i], &texts[i]);
            bench_table_count(&r->all, of[i]);
            bench_json_row(&tables[i], of[i], &r->json);
        }
        print_buffered(&texts[0]);
        ok = got == BENCH_ROWS || (got == BENCH_LATER && await_bench(b, err));
    }
    print_progress(NULL);
    for (int i = 0; i < ntables; i++) {
        if (ok) {
            bench_table_foot(&tables[i], &texts[i]);
            print_buffered(&texts[i]);
        }
        buf_done(&texts[i]);
    }
    return ok;
}

/* The file of the JSON replaces one that exists only at the end. */
static bool
measure_all(struct results *r, struct bench **all, struct err *err)
{
    const char *path = r->o->bench.output;
    struct replace *file = path != NULL ? publish_open(path, err) : NULL;
    bool ok = path == NULL || file != NULL;
    char time[TIME_MAX];

    for (int i = 0; ok && i < r->o->noperands; i++)
        ok = measure_table(r, all[i], err);
    if (file == NULL)
        return ok;
    time_text(time);
    bench_json_end(&r->all, time, &r->json);
    if (ok)
        fwrite(r->json.data, 1, r->json.length, replace_file(file));
    return publish_close(file, path, ok, err);
}

/* Shows them as a chart, on the screen or as an SVG, if they can be one, else
 * as a text. */
static bool
show_set(const struct options *o, const struct series_set *set, struct err *err)
{
    OWN(buf) title = {0}, source = {0};
    struct axes axes = {OVER_BYTES, o->busbw ? OF_BUSBW : OF_TIME};
    struct chart chart = {.set = set, .axes = axes};
    const struct canvas like = {
        .columns = o->columns, .rows = o->rows,
        .glyphs = o->ascii ? GLYPHS_ASCII : GLYPHS_FULL};

    if (o->svg && !charts_suit(set))
        return err_set(err, "--svg: a chart has from 1 to %d points in at most "
                       "%d series; --plain prints them all",
                       CHARTS_POINTS_MOST, CHARTS_SERIES_MOST);
    if (!o->svg && (o->plain || !watch_can() || !charts_suit(set))) {
        OWN(buf) text = {0};
        series_text(set, &text);
        print("%s", buf_text(&text));
        return true;
    }
    buf_addf(&title, ngettext("%d measured series", "%d measured series",
                              (unsigned long)set->n), (int)set->n);
    buf_addf(&source, _("read from %s"), o->operands[0]);
    for (int i = 1; i < o->noperands; i++)
        buf_addf(&source, ", %s", o->operands[i]);
    chart.title = set->n > 1 ? buf_text(&title) : set->series[0].name;
    chart.source = buf_text(&source);
    chart.axes.of = curve_of(set, axes.over, axes.of);
    return o->svg ? publish_chart(NULL, &chart, &like, GROUND_DARK, err)
                  : charts_watch(&chart, o->ascii, err);
}

/* The length of the folder that all files are in. */
static size_t
common_folder(const struct options *o)
{
    size_t folder = 0;

    for (size_t i = 0; o->operands[0][i] != '\0'; i++) {
        for (int k = 1; k < o->noperands; k++)
            if (o->operands[k][i] != o->operands[0][i])
                return folder;
        folder = o->operands[0][i] == '/' ? i + 1 : folder;
    }
    return folder;
}

/* The names of several files tell their series apart. */
static int
read_tables(const struct options *o, struct err *err)
{
    OWN(series_set) set = {0};
    OWN(buf) text = {0};
    bool ok = true;

    for (int i = 0; ok && i < o->noperands; i++) {
        const char *path = o->operands[i];
        buf_clear(&text);
        ok = load(path, BENCH_FILE_MAX, &text, err) &&
             bench_read(buf_text(&text), text.length, path,
                        o->noperands > 1 ? path + common_folder(o) : NULL,
                        &set, err);
    }
    print_to(stderr, "%s", buf_text(&set.notes));
    return ok && show_set(o, &set, err) ? EXIT_RIGHT : EXIT_WRONG;
}

/* Refuses what would be ignored. */
static bool
check_bench(const struct options *o, struct err *err)
{
    const char *unused = o->bench.output != NULL
                             ? "output_file"
                         : options_given(o, FOR_BENCH, "network")
                             ? "network"
                             : options_first(o, FOR_MEASURE, 0);

    if (o->noperands == 0)
        return o->bench.read
                   ? err_set(err, "'collviz bench --read' needs a file")
                   : err_set(err, "'collviz bench' needs an algorithm, as in "
                             "collviz bench ring-allreduce -b 8 -e 128M -f 2 "
                             "-g 4");
    if (!o->bench.read && (o->svg || o->busbw || o->sized))
        return err_set(err, "%s is for charts: collviz bench --read FILE",
                       o->svg ? "--svg" : o->busbw ? "--busbw" : "--size");
    if (o->bench.read && unused != NULL)
        return err_set(err, "--%s is for measurements, not for --read",
                       unused);
    if (o->sized && !o->svg)
        return err_set(err, "--size is for --svg");
    return !(o->svg && o->plain) ||
           err_set(err, "--plain and --svg: only one of them at a time");
}

int
cmd_bench(const struct options *o, struct err *err)
{
    struct results r = {.o = o};
    struct bench **all;
    bool ok = true;

    if (!check_bench(o, err))
        return EXIT_USAGE;
    if (o->bench.read)
        return read_tables(o, err);
    all = mem_new((size_t)o->noperands, sizeof(struct bench *));
    /* All of them are checked before the first one is measured. */
    for (int i = 0; ok && i < o->noperands; i++) {
        all[i] = bench_new(o->operands[i], o, print_progress, err);
        ok = all[i] != NULL;
    }
    ok = ok && measure_all(&r, all, err);
    buf_done(&r.json);
    for (int i = 0; i < o->noperands; i++)
        bench_free(all[i]);
    free(all);
    return ok && r.all.wrong > 0 ? command_wrong(err)
                                 : command_status(ok, err);
}
