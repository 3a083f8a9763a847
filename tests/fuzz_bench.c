/* SPDX-License-Identifier: MIT */
/* libFuzzer's input as a table or the JSON of a benchmark.  Whatever can be
 * read has points of numbers, and can be written and drawn. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "text/bench_read.h"
#include "view/chart.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
draw(const struct series_set *set, enum curve_of of)
{
    struct chart chart = {.set = set, .axes = {OVER_BYTES, of},
                          .title = "fuzz", .source = "fuzz", .cursor = 1024};
    struct canvas c = {0};

    canvas_resize(&c, 80, 24);
    chart_draw(&chart, &c);
    canvas_done(&c);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct series_set set = {0};
    struct buf text = {0};
    struct err err;

    if (bench_read((const char *)data, size, "fuzz", NULL, &set, &err))
        series_text(&set, &text);
    if (text.length > 0) {
        draw(&set, OF_TIME);
        draw(&set, OF_BUSBW);
        draw(&set, OF_ALGBW);
    }
    for (size_t i = 0; i < set.n; i++)
        for (size_t k = 0; k < set.series[i].n; k++) {
            const struct series_point *p = &set.series[i].points[k];
            if (!(p->bytes >= 0) || p->us <= 0 || p->algbw < 0 || p->busbw < 0)
                abort();
        }
    buf_done(&text);
    series_set_done(&set);
    return 0;
}
