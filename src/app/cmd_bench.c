/* SPDX-License-Identifier: MIT */
/* collviz bench ALGORITHM...: measures as nccl-tests does, and prints its
 * table; with --read, charts such tables. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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
#include "screen/publish.h"
#include "screen/watch.h"
#include "text/bench_table.h"
#include "text/bench_read.h"

enum { TIME_MAX = 32, HOST_MAX = 256 };

/* All tables, for the JSON and the exit status. */
struct results {
    const struct options *o;
    struct bench_total total;
    struct buf json;
};

/* A table and the rows of the library's own collective, which follow it as a
 * table of their own. */
struct table {
    struct results *results;
    struct bench *bench;
    struct bench_head head;
    struct bench_total total, native_total;
    char host[HOST_MAX]; /* of this machine */
    struct buf names;    /* of devices, escaped */
    struct buf native;
};

/* As nccl-tests writes it. */
static void
now(char text[TIME_MAX])
{
    time_t seconds = time(NULL);
    struct tm tm;

    if (localtime_r(&seconds, &tm) == NULL ||
        strftime(text, TIME_MAX, "%Y-%m-%d %H:%M:%S", &tm) == 0)
        text[0] = '\0';
}

static void
show_progress(const char *what)
{
    print_progress(what);
}

/* Only the ranks of threads are in this process. */
static struct bench_rank *
list_ranks(struct table *t)
{
    const struct run_info *where = bench_where(t->bench);
    struct bench_rank *ranks = mem_new((size_t)t->head.nranks, sizeof *ranks);
    size_t at[RUN_DEVICES_MAX];

    if (gethostname(t->host, sizeof t->host) != 0)
        t->host[0] = '\0';
    t->host[sizeof t->host - 1] = '\0';
    for (int i = 0; i < where->ndevices; i++) {
        at[i] = t->names.length;
        utf8_add(&t->names, where->devices[i]);
        buf_putc(&t->names, '\0');
    }
    for (int rank = 0; rank < t->head.nranks; rank++) {
        int device = where->device_of[rank];
        const char *name = t->names.data + at[device];
        bool own = where->place == PLACE_HOST;
        ranks[rank] = (struct bench_rank){
            .pid = strcmp(where->backend, "threads") == 0 ? getpid() : 0,
            .host = own ? name : t->host,
            .host_length = own ? run_host_length(name) : (int)strlen(t->host),
            .device = device, .device_name = name};
    }
    return ranks;
}

static void
make_head(struct table *t)
{
    const struct bench_options *o = &t->results->o->bench;

    t->head = (struct bench_head){
        .name = bench_name(t->bench),
        .backend = bench_where(t->bench)->backend,
        .nranks = bench_ranks(t->bench),
        .min_bytes = o->min_bytes, .max_bytes = o->max_bytes,
        .step = o->factor > 1 ? o->factor : o->step_bytes,
        .factor = o->factor > 1, .warm_up = o->warm_up, .calls = o->calls,
        .checks = o->checks,
        .simulated = run_times(bench_where(t->bench)) ==
                     TIMES_SIMULATED};
    t->head.ranks = list_ranks(t);
}

/* Prints and empties it. */
static void
print_text(struct buf *text)
{
    print("%s", buf_text(text));
    fflush(stdout);
    buf_clear(text);
}

/* What is known only after the first row: where ranks run. */
static void
begin_table(struct table *t)
{
    struct buf text = {0};
    char time[TIME_MAX];

    make_head(t);
    bench_table_head(&t->head, &text);
    print_text(&text);
    buf_done(&text);
    now(time);
    if (t->results->json.length == 0)
        bench_json_begin(&t->head, t->results->o->words, time,
                         &t->results->json);
}

/* The engine runs few bytes on one thread (run/engine.h). */
static bool
ran_alone(const struct bench *b)
{
    const struct run_info *where = bench_where(b);

    return where->place == PLACE_CORE && where->nplaces == 1 &&
           bench_ranks(b) > 1;
}

static void
take_rows(struct table *t, const struct bench_rows *rows)
{
    struct results *r = t->results;
    int calls = r->o->bench.calls;
    struct buf text = {0};

    bench_table_row(&rows->ours, &text);
    print_text(&text);
    buf_done(&text);
    bench_total_add(&t->total, &rows->ours);
    if (ran_alone(t->bench) && rows->ours.bytes > t->total.alone_bytes)
        t->total.alone_bytes = rows->ours.bytes;
    bench_json_row(&rows->ours, t->head.name, calls, &r->json);
    if (!r->o->native)
        return;
    bench_table_row(&rows->native, &t->native);
    bench_total_add(&t->native_total, &rows->native);
    bench_json_row(&rows->native, bench_native_name(t->bench), calls,
                   &r->json);
}

static void
add_total(struct bench_total *to, const struct bench_total *t)
{
    to->nrows += t->nrows;
    to->wrong += t->wrong;
    to->busbw += t->busbw;
    to->nbusbw += t->nbusbw;
}

static void
end_table(struct table *t)
{
    struct buf text = {0};

    bench_table_foot(&t->head, &t->total, &text);
    add_total(&t->results->total, &t->total);
    if (t->results->o->native) {
        t->head.name = bench_native_name(t->bench);
        bench_table_head(&t->head, &text);
        buf_puts(&text, buf_text(&t->native));
        bench_table_foot(&t->head, &t->native_total, &text);
        add_total(&t->results->total, &t->native_total);
    }
    print_text(&text);
    buf_done(&text);
}

/* Sleeps until the measurement can go on.  Returns false if a signal asks
 * collviz to end. */
static bool
await(const struct bench *b, struct err *err)
{
    struct pollfd fds[2] = {{.fd = signals_fd(), .events = POLLIN},
                            {.fd = bench_fd(b), .events = POLLIN}};

    if (poll(fds, 2, bench_fd(b) < 0 ? 0 : -1) < 0 && errno != EINTR)
        return err_set(err, "poll: %s", strerror(errno));
    return signals_ending() == 0 ||
           err_set(err, "a signal asks collviz to end");
}

/* The next row, or the end. */
static enum bench_got
next_rows(struct bench *b, struct bench_rows *rows, struct err *err)
{
    enum bench_got got;

    while ((got = bench_next(b, rows, err)) == BENCH_LATER)
        if (!await(b, err))
            return BENCH_FAILED;
    return got;
}

static bool
measure(struct results *r, struct bench *b, struct err *err)
{
    struct table t = {.results = r, .bench = b};
    struct bench_rows rows = {0};
    enum bench_got got;

    bench_on_run(b, show_progress);
    while ((got = next_rows(b, &rows, err)) == BENCH_ROWS) {
        print_progress(NULL);
        if (t.head.name == NULL)
            begin_table(&t);
        take_rows(&t, &rows);
    }
    print_progress(NULL);
    if (got == BENCH_OVER)
        end_table(&t);
    free((void *)t.head.ranks);
    buf_done(&t.names);
    buf_done(&t.native);
    return got == BENCH_OVER;
}

/* Opens the file of the JSON, which replaces one that exists only at the end;
 * NULL if none is asked for. */
static bool
open_json(const struct options *o, struct replace **file, struct err *err)
{
    const char *path = o->bench.output;
    struct err why;

    *file = path != NULL ? replace_open(path, 0666, &why) : NULL;
    return path == NULL || *file != NULL ||
           err_set(err, "cannot write %s: %s", path, why.text);
}

/* Does nothing without a file. */
static bool
close_json(struct results *r, struct replace *file, bool measured,
           struct err *err)
{
    char time[TIME_MAX];
    struct err why;

    if (file == NULL)
        return true;
    now(time);
    bench_json_end(&r->total, time, &r->json);
    if (measured)
        fwrite(r->json.data, 1, r->json.length, replace_file(file));
    return replace_close(file, measured, &why) || !measured ||
           err_set(err, "cannot write %s: %s", r->o->bench.output, why.text);
}

static bool
measure_all(struct results *r, struct bench **all, struct err *err)
{
    struct replace *file;
    bool ok = open_json(r->o, &file, err), written;

    for (int i = 0; ok && i < r->o->noperands; i++)
        ok = measure(r, all[i], err);
    written = close_json(r, file, ok, err);
    return ok && written;
}

/* All of them are checked before the first one is measured. */
static int
bench_all(const struct options *o, struct bench **all, struct err *err)
{
    struct results r = {.o = o};
    int status = EXIT_RIGHT;

    for (int i = 0; status == EXIT_RIGHT && i < o->noperands; i++)
        all[i] = bench_new(o->operands[i], o, &status, err);
    if (status == EXIT_RIGHT && !measure_all(&r, all, err))
        status = EXIT_WRONG;
    buf_done(&r.json);
    if (status != EXIT_RIGHT)
        return command_fail(status, err);
    return command_finish(r.total.wrong > 0 ? EXIT_WRONG : EXIT_RIGHT);
}

/* A chart of them, on the screen or as an SVG. */
static bool
show(const struct options *o, const struct series_set *set, struct err *err)
{
    struct buf title = {0}, source = {0};
    struct axes axes = {OVER_BYTES, o->busbw ? OF_BUSBW : OF_TIME};
    struct chart chart = {.set = set, .axes = axes};
    bool ok;

    buf_addf(&title, ngettext("%d measured series", "%d measured series",
                              (unsigned long)set->n), (int)set->n);
    buf_addf(&source, _("read from %s"), o->operands[0]);
    for (int i = 1; i < o->noperands; i++)
        buf_addf(&source, ", %s", o->operands[i]);
    chart.title = set->n > 1 ? buf_text(&title) : set->series[0].name;
    chart.source = buf_text(&source);
    chart.axes.of = curve_of(set, axes.over, axes.of);
    ok = o->svg ? publish_chart(NULL, &chart, o->columns, o->rows, GROUND_DARK,
                                err)
                : charts_watch(&chart, o->ascii, err);
    buf_done(&title);
    buf_done(&source);
    return ok;
}

/* Shows them as a chart if they can be one, else as a text. */
static bool
show_or_print(const struct options *o, const struct series_set *set,
              struct err *err)
{
    struct buf text = {0};

    if (o->svg && !charts_suit(set))
        return err_set(err, "--svg: a chart has from 1 to %d points in at most "
                       "%d series; --plain prints them all",
                       CHARTS_POINTS_MOST, CHARTS_SERIES_MOST);
    if (o->svg || (!o->plain && watch_can() && charts_suit(set)))
        return show(o, set, err);
    series_text(set, &text);
    print("%s", buf_text(&text));
    buf_done(&text);
    return true;
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

/* With several files, series are told apart by the names of these. */
static int
read_all(const struct options *o)
{
    struct series_set set = {0};
    struct buf text = {0};
    struct err err;
    bool ok = true;

    for (int i = 0; ok && i < o->noperands; i++) {
        const char *path = o->operands[i];
        buf_clear(&text);
        ok = load(path, BENCH_FILE_MAX, &text, &err) &&
             bench_read(buf_text(&text), text.length, path,
                        o->noperands > 1 ? path + common_folder(o) : NULL,
                        &set, &err);
    }
    print_to(stderr, "%s", buf_text(&set.notes));
    ok = ok && show_or_print(o, &set, &err);
    buf_done(&text);
    series_done(&set);
    return ok ? command_finish(EXIT_RIGHT) : command_fail(EXIT_WRONG, &err);
}

/* Refuses what would be ignored. */
static bool
check_options(const struct options *o, struct err *err)
{
    const char *unused = o->bench.output != NULL
                             ? "output_file"
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
cmd_bench(const struct options *o)
{
    struct bench **all;
    struct err err;
    int status;

    if (!check_options(o, &err))
        return command_fail(EXIT_USAGE, &err);
    if (o->bench.read)
        return read_all(o);
    all = mem_new((size_t)o->noperands, sizeof(struct bench *));
    status = bench_all(o, all, &err);
    for (int i = 0; i < o->noperands; i++)
        bench_free(all[i]);
    free(all);
    return status;
}
