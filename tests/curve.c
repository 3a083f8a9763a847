/* SPDX-License-Identifier: MIT */
/* Series as curves: values between points, what is the fastest where, and the
 * sentence that says so. */
#include "text/series.h"

#include <math.h>

#include "tap.h"

static const struct axes times = {OVER_BYTES, OF_TIME},
                         rates = {OVER_BYTES, OF_BUSBW},
                         algbw = {OVER_BYTES, OF_ALGBW},
                         over_ranks = {OVER_RANKS, OF_TIME};

/* A series of 8 B to 8 MiB, with the times alpha + beta * bytes in us and twice
 * the plain bandwidth. */
static void
add_line(struct series_set *set, const char *name, double alpha, double beta)
{
    struct series *s = series_add(set, name);

    for (double bytes = 8; bytes <= 8 << 20; bytes *= 2) {
        double us = alpha + beta * bytes;
        series_put(s, (struct series_point){.bytes = bytes, .us = us,
                                            .algbw = bytes / us / 1000,
                                            .busbw = 2 * bytes / us / 1000,
                                            .ranks = 8});
    }
}

static void
put(struct series *s, double bytes, double us)
{
    series_put(s, (struct series_point){.bytes = bytes, .us = us});
}

/* Checks the sentence that says what is the fastest where. */
static void
says(const struct series_set *set, struct axes a, const char *expected,
     const char *name)
{
    struct buf text = {0};

    curve_sentence(set, a, &text);
    is_str(buf_text(&text), expected, "%s", name);
    buf_done(&text);
}

static bool
is_near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

static void
test_values(void)
{
    struct series_set set = {0};
    const struct series *s;

    add_line(&set, "line", 100, 0.5);
    s = &set.series[0];
    ok(is_near(curve_at(s, times, 1 << 10), 612), "the value at a point");
    ok(is_near(curve_at(s, times, 1500), 850), "between two points the time "
                                               "is linear,");
    ok(is_near(curve_at(s, rates, 1500), 2 * 1500 / 850.0 / 1000),
       "and the bandwidth follows from it");
    ok(isnan(curve_at(s, times, 7)) && isnan(curve_at(s, times, 1e9)),
       "there is none where the points end");
    ok(isnan(curve_at(s, over_ranks, 4)) &&
           is_near(curve_at(s, over_ranks, 8), 104),
       "a series of one number of ranks is a point over the ranks");
    series_set_done(&set);
}

/* What has no place on a logarithmic axis is no point. */
static void
test_unknown(void)
{
    static const struct series_point points[] = {
        {.bytes = 0, .us = 5, .busbw = 1},
        {.bytes = 8, .us = 10, .busbw = NAN},
        {.bytes = 16, .us = 0, .busbw = 1},
        {.bytes = 32, .us = NAN, .busbw = 2},
        {.bytes = 64, .us = INFINITY, .busbw = 3},
        {.bytes = 128, .us = 20, .busbw = 4},
    };
    struct series_set set = {0};
    struct series *s = series_add(&set, "odd");
    struct extent x, y;

    ok(!curve_extent(&set, times, &x, &y), "an empty series has no extent");
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++)
        series_put(s, points[i]);
    ok(curve_extent(&set, times, &x, &y) && is_near(x.least, 8) &&
           is_near(x.most, 128) && is_near(y.least, 10) && is_near(y.most, 20),
       "a coordinate that is unknown, infinite or zero makes no point");
    ok(is_near(curve_at(s, times, 8), 10) && isnan(curve_at(s, times, 9)) &&
           is_near(curve_at(s, times, 128), 20),
       "the curve has a gap there");
    ok(curve_extent(&set, rates, &x, &y) && is_near(x.least, 16) &&
           is_near(x.most, 128) && is_near(y.least, 1) && is_near(y.most, 4),
       "what counts is the coordinate that is shown");
    series_set_done(&set);
}

/* Values whose cost, bytes / bandwidth, is no finite number, and points that
 * fall. */
static void
test_no_best(void)
{
    struct series_set set = {0};
    struct extent x, y;

    for (int i = 0; i < 2; i++) {
        struct series *s = series_add(&set, i == 0 ? "a" : "b");
        series_put(s, (struct series_point){.bytes = 1e10, .algbw = 1e-303});
        series_put(s, (struct series_point){.bytes = 2e10, .algbw = 2e-303});
        series_put(s, (struct series_point){.bytes = 1e99, .algbw = 1e-99});
    }
    ok(!curve_extent(&set, algbw, &x, &y),
       "values that overflow are no points");
    says(&set, algbw, "", "and none of them is the fastest");
    series_set_done(&set);
    for (int i = 0; i < 2; i++) {
        struct series *s = series_add(&set, i == 0 ? "a" : "b");
        put(s, 40, 2 + i);
        put(s, 10, 1 + i);
    }
    says(&set, times, "The fastest is a",
         "the reigns end where nothing is known");
    is_int((int)curve_reigns(&set, times).to, 10, "at the last point before");
    series_set_done(&set);
}

static void
test_steps(void)
{
    struct series_set set = {0};

    put(series_add(&set, "a"), 10, 1);
    put(&set.series[0], 40, 1);
    put(series_add(&set, "b"), 20, 1);
    ok(is_near(curve_next(&set, times, 10, true), 20) &&
           is_near(curve_next(&set, times, 20, true), 40) &&
           is_near(curve_next(&set, times, 40, false), 20) &&
           is_near(curve_next(&set, times, 15, false), 10),
       "the next point to the right and to the left, of any series");
    ok(is_near(curve_next(&set, times, 40, true), 40) &&
           is_near(curve_next(&set, times, 10, false), 10),
       "the ends are the ends");
    ok(is_near(curve_near(&set, times, 14), 10) &&
           is_near(curve_near(&set, times, 15), 20) &&
           is_near(curve_near(&set, times, 29), 40) &&
           is_near(curve_near(&set, times, 10), 10) &&
           is_near(curve_near(&set, times, 1), 10) &&
           is_near(curve_near(&set, times, 99), 40),
       "the nearest point, by the ratio");
    series_set_done(&set);
}

static void
test_reigns(void)
{
    struct series_set set = {0};
    struct reigns r;

    add_line(&set, "tree", 100, 0.5);
    says(&set, times, "", "one alone is not compared");
    add_line(&set, "ring", 356, 0.25);
    r = curve_reigns(&set, times);
    ok(r.n == 2 && r.all[0].series == 0 && is_near(r.all[0].from, 8) &&
           r.all[1].series == 1 && is_near(r.all[1].from, 1024) &&
           is_near(r.to, 8 << 20),
       "two lines cross where their times are equal");
    says(&set, times, "The fastest is tree; from 1 KiB on it is ring",
         "in words");
    says(&set, rates, "The fastest is tree; from 1 KiB on it is ring",
         "the bandwidths cross there, too");
    add_line(&set, "twin", 356, 0.25);
    is_int(curve_reigns(&set, times).n, 2, "of equal ones the first reigns");
    is_int(curve_best(&set, times, 8), 0, "the best at a point,");
    is_int(curve_best(&set, times, 1e9), -1, "and where there is no point");
    put(series_add(&set, "short"), 4096, 1e9);
    is_int(curve_reigns(&set, times).n, 2, "a single point changes nothing");
    put(&set.series[3], 8192, 1e9);
    r = curve_reigns(&set, times);
    ok(r.n == 1 && r.all[0].series == 1 && is_near(r.all[0].from, 4096) &&
           is_near(r.to, 8192),
       "they are compared only where all have values");
    series_add(&set, "empty");
    is_int(curve_reigns(&set, times).n, 1, "an empty series changes nothing");
    put(&set.series[4], 9, 1);
    put(&set.series[4], 10, 1);
    is_int(curve_reigns(&set, times).n, 0, "which may be nowhere");
    says(&set, times, "", "and then there is no sentence");
    series_set_done(&set);
}

static void
add_from_to(struct series_set *set, double first, double last)
{
    struct series *s = series_add(set, "line");

    put(s, 1, first);
    put(s, 2001, last);
}

/* Three lines, of which the second is the lowest only in the middle, where no
 * curve has a point; and two that begin at the same place. */
/* Times of the same, summed up in another order. */
static void
test_rounded(void)
{
    struct series_set set = {0};

    add_line(&set, "one", 100, 0.5);
    add_line(&set, "other", 100 * (1 - 1e-13), 0.5 * (1 - 1e-13));
    is_int(curve_best(&set, times, 1024), 0,
           "of two that differ by rounding the first is the best");
    is_int(curve_reigns(&set, times).n, 1, "everywhere");
    series_set_done(&set);
}

static void
test_between_points(void)
{
    struct series_set set = {0};
    struct reigns r;

    add_from_to(&set, 1, 2001);
    add_from_to(&set, 300.4, 1100.4);
    add_from_to(&set, 600.1, 800.1);
    r = curve_reigns(&set, times);
    ok(r.n == 3 && r.all[1].series == 1 && is_near(r.all[1].from, 500) &&
           r.all[2].series == 2 && is_near(r.all[2].from, 1000) &&
           is_near(r.to, 2001),
       "a curve can reign between two points");
    series_set_done(&set);
    add_from_to(&set, 10, 10);
    add_from_to(&set, 10, 9);
    r = curve_reigns(&set, times);
    ok(r.n == 1 && r.all[0].series == 1, "equal at first, lower afterwards");
    series_set_done(&set);
}

/* The best changes at each point, or the two are equal at all. */
static void
add_zigzag(struct series_set *set, const char *name, bool up, int points)
{
    struct series *s = series_add(set, name);

    for (int i = 0; i < points; i++)
        series_put(s, (struct series_point){.bytes = 8, .ranks = ldexp(2, i),
                                            .us = (i % 2 == up) ? 2 : 1});
}

/* At 6 ranks only one of two curves is known; the other one is drawn below. */
static void
test_gaps(void)
{
    struct series_set set = {0};
    struct series *s = series_add(&set, "known");
    struct reigns r;

    for (int i = 2; i <= 8; i += 2)
        series_put(s, (struct series_point){.bytes = 8, .ranks = i, .us = 5});
    s = series_add(&set, "gap");
    for (int i = 2; i <= 8; i *= 2)
        series_put(s, (struct series_point){.bytes = 8, .ranks = i,
                                            .us = i > 2 ? 4 : 6});
    ok(isnan(curve_at(s, over_ranks, 6)) &&
           is_near(curve_drawn(s, over_ranks, 6), 4),
       "between two numbers of ranks a curve is drawn, but not known");
    r = curve_reigns(&set, over_ranks);
    ok(r.n == 4 && r.all[1].series == 1 && is_near(r.all[1].from, 4) &&
           r.all[2].series == 0 && is_near(r.all[2].from, 6) &&
           r.all[3].series == 1 && is_near(r.all[3].from, 8),
       "a curve that is not known somewhere does not reign there");
    is_int(curve_best(&set, over_ranks, 6), 0, "and is not the best there");
    series_set_done(&set);
}

static void
test_changes(void)
{
    static const struct {
        const char *up, *down;
        int points, reigns;
        const char *sentence;
    } rows[] = {
        {"up", "down", 3, 3,
         "The fastest is up; from 4 GPUs on it is down; from 8 GPUs on it is "
         "up"},
        {"up", "down", 5, 5,
         "The fastest is up; from 4 GPUs on it is down; from 8 GPUs on it is "
         "up; from 16 GPUs on it is down; from 32 GPUs on it is up"},
        {"up", "\033[31mdown", 16, 16,
         "The fastest changes often; from 65536 GPUs on it is \\x1b[31mdown"},
        /* There is a limit, and none of them is called final. */
        {"up", "down", 20 + REIGNS_MOST, REIGNS_MOST,
         "The fastest changes often"},
    };
    struct series_set set = {0};
    struct reigns r;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        add_zigzag(&set, rows[i].up, true, rows[i].points);
        add_zigzag(&set, rows[i].down, false, rows[i].points);
        says(&set, over_ranks, rows[i].sentence, "in words");
        r = curve_reigns(&set, over_ranks);
        ok(r.n == rows[i].reigns && r.more == (r.n < rows[i].points),
           "%d changes", rows[i].points);
        series_set_done(&set);
    }
    ok(is_near(r.to, ldexp(2, REIGNS_MOST)),
       "nothing is said after the last one");
    add_zigzag(&set, "\033[31m", true, 2);
    add_zigzag(&set, "b", true, 2);
    says(&set, over_ranks, "The fastest is \\x1b[31m", "names are escaped");
    series_set_done(&set);
    for (int up = 0; up < 2; up++) {
        struct series *s = series_add(&set, up ? "up" : "down");
        for (int i = 0; i <= REIGNS_MOST; i++)
            series_put(s, (struct series_point){.bytes = 1 + i,
                                                .us = i % 2 == up ? 2 : 1});
    }
    r = curve_reigns(&set, times);
    ok(r.n == REIGNS_MOST && r.more && is_near(r.to, REIGNS_MOST + 0.5),
       "the last one ends where the curves cross");
    series_set_done(&set);
    add_zigzag(&set, "up", true, REIGNS_MOST);
    add_zigzag(&set, "down", false, REIGNS_MOST);
    r = curve_reigns(&set, over_ranks);
    ok(r.n == REIGNS_MOST && !r.more &&
           is_near(r.to, ldexp(1, REIGNS_MOST)),
       "as many as there is room for are all");
    series_set_done(&set);
}

static void
test_words(void)
{
    static const struct {
        struct axes axes;
        double y;
        const char *text;
    } known[] = {
        {{OVER_BYTES, OF_TIME}, 21.34, "21.3 us"},
        {{OVER_BYTES, OF_TIME}, NAN, "-"},
        {{OVER_BYTES, OF_TIME}, 1e30, "9223372037 s"},
        {{OVER_BYTES, OF_BUSBW}, 12.34, "12.3 GB/s"},
        {{OVER_BYTES, OF_BUSBW}, 0.9996, "1.00 GB/s"},
        {{OVER_BYTES, OF_BUSBW}, 0.00123, "1.23 MB/s"},
        {{OVER_BYTES, OF_BUSBW}, 2e-9, "2.00 B/s"},
        {{OVER_BYTES, OF_BUSBW}, 2500, "2.50 TB/s"},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        is_str(curve_word_y(known[i].axes, known[i].y).text, known[i].text,
               "%s", known[i].text);
    is_str(curve_word_x(times, 1536).text, "1.50 KiB", "places in words");
    is_str(curve_word_x(over_ranks, 1).text, "1 GPU", "one");
    is_str(curve_word_x(over_ranks, 64).text, "64 GPUs", "several");
    is_str(curve_word_x(times, 1e30).text, "8388608 TiB", "a large one");
}

int
main(void)
{
    test_values();
    test_unknown();
    test_no_best();
    test_steps();
    test_reigns();
    test_rounded();
    test_between_points();
    test_gaps();
    test_changes();
    test_words();
    return done_testing();
}
