/* SPDX-License-Identifier: MIT */
/* Tables and JSON of nccl-tests and OSU, as text/bench_read.h reads them: the
 * files in tests/corpus-bench, from which tests/fuzz_bench.c starts, too, and
 * damaged ones. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "text/bench_read.h"

#define NCCL_HEAD \
    "# size count type redop root time algbw busbw #wrong " \
    "time algbw busbw #wrong\n"

static char *
load(const char *name, size_t *length)
{
    const char *srcdir = getenv("srcdir");
    char path[4096], *text = NULL;
    FILE *file;

    snprintf(path, sizeof path, "%s/tests/corpus-bench/%s",
             srcdir != NULL ? srcdir : ".", name);
    file = fopen(path, "re");
    if (file != NULL) {
        text = calloc(1 << 20, 1);
        *length = fread(text, 1, 1 << 20, file);
        fclose(file);
    }
    return text;
}

static bool
is_near(double a, double b)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-9 + 2e-3 * fabs(b);
}

/* What a series must be: its name, points, and the last of these, but for the
 * ranks. */
static const struct expected {
    const char *file, *name;
    size_t n;
    struct series_point last;
} expected[] = {
    {"nccl.txt", "all_reduce_perf, float sum", 8,
     {{131072}, {70.5}, 1.8592, 2.7888, 0, 0}},
    {"nccl.txt", "all_reduce_perf, float sum, in place", 8,
     {{131072}, {77.55}, 1.6902, 2.5353, 0, 0}},
    {"nccl-old.txt", "nccl-old.txt, float sum", 8,
     {{131072}, {70.5}, 1.8592, 2.7888, 0, 0}},
    {"nccl-log.txt", "nccl-log.txt, float sum", 2,
     {{32}, {11.9}, 0.0026891, NAN, 0, 0}},
    {"nccl-timestamps.txt", "broadcast_perf, float root 1", 8,
     {{131072}, {70.5}, 1.8592, 2.7888, 0, 0}},
    {"nccl-per-iteration.txt", "nccl-per-iteration.txt, float sum, in place", 8,
     {{131072}, {70.5}, 1.8592, 2.7888, 0, 0}},
    {"nccl-one-place.txt", "nccl-one-place.txt, half max", 2,
     {{1099511627776}, {1.2e7}, 91.626, 137.44, 0, 0}},
    {"nccl-one-place.txt", "nccl-one-place.txt, half max, in place", 1,
     {{1099511627776}, {1.2e7}, 91.626, 137.44, 0, 0}},
    {"nccl.json", "all_reduce_perf, float sum", 7,
     {{131072}, {70.5}, 1.8592, 2.7888, 0, 0}},
    {"nccl.json", "all_reduce_perf, float sum, in place", 7,
     {{131072}, {70.5}, 1.8592, 2.7888, 0, 0}},
    {"osu-allreduce.txt", "OSU MPI Allreduce Latency Test", 8,
     {{131072}, {70.5}, 1.8592, NAN, 0, 0}},
    {"osu-full.txt", "OSU MPI All-to-All Personalized Exchange Latency Test", 8,
     {{131072}, {70.5}, 1.8592, NAN, 0, 0}},
    {"osu-bw.txt", "OSU MPI Bandwidth Test", 8,
     {{131072}, {NAN}, 1.8592, NAN, 0, 0}},
};

static void
test_files(void)
{
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const struct expected *e = &expected[i];
        struct series_set set = {0};
        struct err err = {""};
        size_t length = 0;
        char *text = load(e->file, &length);
        const struct series *s = NULL;
        const struct series_point *p;

        if (text != NULL && bench_read(text, length, e->file, NULL, &set, &err))
            s = series_find(&set, e->name);
        p = s != NULL && s->n > 0 ? &s->points[s->n - 1] : NULL;
        ok(p != NULL && s->n == e->n && p->bytes == e->last.bytes &&
               is_near(p->us, e->last.us) &&
               is_near(p->algbw, e->last.algbw) &&
               is_near(p->busbw, e->last.busbw),
           "%s: %s %s", e->file, e->name, err.text);
        if (p != NULL)
            diag("%zu points, %g bytes, %g us, %g, %g GB/s", s->n, p->bytes,
                 p->us, p->algbw, p->busbw);
        series_done(&set);
        free(text);
    }
}

/* Small sizes have no digits of their bandwidth in the table. */
static void
test_digits(void)
{
    static const char text[] =
        NCCL_HEAD "8 2 float sum -1 10.00 0.00 0.00 0 N/A N/A N/A N/A\n"
                  "1048576 262144 float sum -1 1.00 1048.6 1572.9 0 "
                  "N/A N/A N/A N/A\n";
    struct series_set set = {0};
    struct err err = {""};

    ok(bench_read(text, strlen(text), "f", "host", &set, &err) &&
           set.n == 1 && set.series[0].n == 2, "two rows%s", err.text);
    is_str(set.n > 0 ? set.series[0].name : "", "host: f, float sum",
           "a prefix; no series in place");
    ok(set.n > 0 && is_near(set.series[0].points[0].algbw, 0.0008) &&
           is_near(set.series[0].points[0].busbw, 0.0012),
       "bandwidths from the time and another row's ratio");
    ok(set.n > 0 && set.series[0].points[1].algbw == 1048.6,
       "one that has more digits than its time stays");
    series_done(&set);
}

/* Sizes in any order, and some of them again. */
static void
test_order(void)
{
    static const char text[] = "# Size Avg Latency(us)\n64 3\n8 1\n64 5\n";
    struct series_set set = {0};
    struct err err = {""};
    const struct series *s;

    ok(bench_read(text, strlen(text), "f", NULL, &set, &err) && set.n == 1,
       "one series%s", err.text);
    s = &set.series[0];
    ok(s->n == 3 && s->points[0].bytes == 8 && s->points[1].bytes == 64,
       "its sizes rise");
    ok(s->n == 3 && s->points[1].us == 3 && s->points[2].us == 5,
       "the faster of two rows of one size comes first");
    series_done(&set);
}

/* What is left out, and said so. */
static void
test_left_out(void)
{
    static const struct {
        const char *text, *notes;
        size_t points;
    } cases[] = {
        {NCCL_HEAD "8 2 float sum -1 1 0 0 0 1 0 0 0\n"
         "16 4 float sum -1 1 0 0 0host: Test timeout (60s) common.cu:523\n"
         " .. host pid 12: Test failure common.cu:440\n",
         "f:3: left out: the row is not whole\n", 2},
        {NCCL_HEAD "8 2 float sum -1 1 0 0 0 1 0 0 0\n"
         "16 4 float sum -1host: Test NCCL failure common.cu:5 'no / no'\n"
         "host: Test CUDA failure common.cu:9 'out of memory'\n",
         "f:3: left out: the row is not whole\n", 2},
        {NCCL_HEAD "8 2 float sum -1 1 0 0 0 1 0 0 0\n16 4 float",
         "f:3: left out: the row is not whole\n", 2},
        {NCCL_HEAD "8 2 float sum -1 0.00 0 0 0 1 0 0 0\n",
         "f:2: left out: it took no time\n", 1},
        {"# Size Avg Latency(us) Validation\n8 1 Pass\n16 2 Fail\n32 3 Pass\n"
         "64", "f:3: left out: its data is wrong (Fail)\n"
         "f:5: left out: the row is not whole\n", 2},
        {"{\"results\":[{\"size\":8,\"out_of_place\":{\"time\":\"nan\","
         "\"alg_bw\":\"nan\",\"bus_bw\":\"nan\"}},{\"size\":8,"
         "\"in_place\":{\"time\":1,\"alg_bw\":1,\"bus_bw\":1}}]}",
         "f: result 1: left out: it has no time\n", 1},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct series_set set = {0};
        struct err err = {""};
        size_t points = 0;

        ok(bench_read(cases[i].text, strlen(cases[i].text), "f", NULL, &set,
                      &err), "case %zu is read%s", i, err.text);
        is_str(buf_text(&set.notes), cases[i].notes, "what is left out");
        for (size_t k = 0; k < set.n; k++)
            points += set.series[k].n;
        is_int(points, cases[i].points, "the rest is there");
        series_done(&set);
    }
}

/* Only the first of many are listed. */
static void
test_many_left_out(void)
{
    struct series_set set = {0};
    OWN(buf) text = {0};
    struct err err = {""};

    buf_puts(&text, "# Size Avg Latency(us) Validation\n");
    for (int i = 0; i < 20; i++)
        buf_puts(&text, "8 1 Fail\n");
    ok(!bench_read(buf_text(&text), text.length, "f", NULL, &set, &err),
       "nothing but rows that failed");
    is_str(err.text, "f: all rows of its tables were left out", "is an error");
    ok(strstr(buf_text(&set.notes), "f:9: left out: its data is wrong (Fail)\n"
              "f: left out: 12 more\n") != NULL, "eight are listed");
    series_done(&set);
}

/* A file that is read again. */
static void
test_again(void)
{
    static const char text[] = "# Size Avg Latency(us)\n64 3\n8 1\n";
    struct series_set set = {0};
    struct err err = {""};

    ok(bench_read(text, strlen(text), "f", "a", &set, &err) &&
           bench_read(text, strlen(text), "f", "b", &set, &err) && set.n == 2,
       "two names are two series%s", err.text);
    ok(!bench_read(text, strlen(text), "f", "a", &set, &err),
       "a series that exists gets no points");
    is_str(err.text, "f: 'a: f' has been read already", "which is an error");
    series_done(&set);
}

static void
test_damaged(void)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"", "f: there is no table of nccl-tests or of the OSU "
             "micro-benchmarks in it"},
        {"hello\n8 2 3\n", "f: there is no table of nccl-tests or of the OSU "
                           "micro-benchmarks in it"},
        {NCCL_HEAD "8 2 float sum -1 1.2.3 0 0 0 1 0 0 0\n",
         "f:2: '1.2.3' is no time"},
        {NCCL_HEAD "8 2 float sum -1 -1 0 0 0 1 0 0 0\n",
         "f:2: '-1' is no time"},
        {NCCL_HEAD "8 2 float sum -1 inf 0 0 0 1 0 0 0\n",
         "f:2: 'inf' is no time"},
        {NCCL_HEAD "8 2 float sum -1 0x1 0 0 0 1 0 0 0\n",
         "f:2: '0x1' is no time"},
        {NCCL_HEAD "8 2 float sum -1 1 x 0 0 1 0 0 0\n",
         "f:2: 'x' is no algbw"},
        {NCCL_HEAD "8 2 float sum -1 1 0 0 0 1 0 nan 0\n",
         "f:2: 'nan' is no busbw"},
        {"# Size Avg Latency(us)\n8 fast\n", "f:2: 'fast' is no time"},
        {"# Size Bandwidth (MB/s)\n8 fast\n", "f:2: 'fast' is no bandwidth"},
        {NCCL_HEAD "8 2 float sum -1 1e300 0 0 0 1 0 0 0\n",
         "f:2: a time must be from 1e-06 to 1e+15, not 1e+300"},
        {NCCL_HEAD "8 2 float sum -1 1 1e300 0 0 1 0 0 0\n",
         "f:2: a bandwidth must be from 1e-18 to 1e+22, not 1e+300"},
        {NCCL_HEAD "8 2 float sum -1 1 0 0 0 1 0 1e-300 0\n",
         "f:2: a bandwidth must be from 1e-18 to 1e+22, not 1e-300"},
        {"# Size Avg Latency(us)\n8 1e-300\n",
         "f:2: a time must be from 1e-06 to 1e+15, not 1e-300"},
        {"# Size Avg Latency(us)\n5000000000000000000 1\n",
         "f:2: a size must be from 1 to 4.61169e+18, not 5e+18"},
        {"# Size Bandwidth (MB/s)\n8 1e-300\n",
         "f:2: a bandwidth must be from 1e-18 to 1e+22, not 1e-303"},
        {"{\"results\":[{\"size\":8,\"out_of_place\":{\"time\":1e300,"
         "\"alg_bw\":1,\"bus_bw\":1}}]}",
         "f: result 1: a time must be from 1e-06 to 1e+15, not 1e+300"},
        {" {\n \"a\": }", "f:2: unexpected token near '}'"},
        {"{}", "f: this JSON has no \"results\", as nccl-tests' -J writes "
               "them"},
        {"{\"results\":[{}]}", "f: result 1: \"size\" is missing, or no "
                               "number"},
        {"{\"results\":[{\"size\":8,\"in_place\":{\"time\":-1}}]}",
         "f: result 1: \"time\" is missing, or no number"},
        {"{\"results\":[{\"size\":8,\"in_place\":7}]}",
         "f: result 1: \"time\" is missing, or no number"},
        {"{\"results\":[{\"size\":8,\"out_of_place\":{\"time\":1,"
         "\"alg_bw\":true}}]}",
         "f: result 1: \"alg_bw\" is missing, or no number"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct series_set set = {0};
        struct err err = {"it was read"};
        bench_read(cases[i].text, strlen(cases[i].text), "f", NULL, &set, &err);
        is_str(err.text, cases[i].error, "damaged, %zu", i);
        series_done(&set);
    }
}

/* Limits, and text that goes on and on. */
static void
test_limits(void)
{
    struct series_set set = {0};
    OWN(buf) text = {0};
    struct err err = {""};

    ok(!bench_read("a\0b", 3, "f", NULL, &set, &err) &&
           strcmp(err.text, "f: this is no text") == 0, "a byte that is zero");
    buf_puts(&text, NCCL_HEAD);
    for (int i = 0; i <= BENCH_SERIES_MAX; i++)
        buf_addf(&text, "8 2 t%d sum -1 1 0 0 0 N/A N/A N/A N/A\n", i);
    ok(!bench_read(buf_text(&text), text.length, "f", NULL, &set, &err) &&
           strstr(err.text, "more than 512 series") != NULL, "many series");
    series_done(&set);
    buf_clear(&text);
    buf_puts(&text, "# Collective test starting:");
    for (int i = 0; i < 1000; i++)
        buf_addf(&text, " long%d", i);
    buf_puts(&text, "\n" NCCL_HEAD "8 2 float sum -1 1 0 0 0 1 0 0 0 ");
    for (int i = 0; i < 1000; i++)
        buf_puts(&text, " 1");
    buf_puts(&text, "\n8 2 float sum -1 2 0 0 0 1 0 0 0\n");
    ok(bench_read(buf_text(&text), text.length, "f", NULL, &set, &err) &&
           strlen(set.series[0].name) < 300, "long lines%s", err.text);
    series_done(&set);
}

int
main(void)
{
    test_files();
    test_digits();
    test_order();
    test_left_out();
    test_many_left_out();
    test_again();
    test_damaged();
    test_limits();
    return done_testing();
}
