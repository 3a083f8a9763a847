/* SPDX-License-Identifier: MIT */
/* A benchmark's results as the JSON of nccl-tests' -J (JSON_FILE_VERSION 3 in
 * its src/util.cu): one document for all tables, whose rows have the name of
 * what was measured as "experiment_name".
 *
 *     bench_json_begin(&head, argv, "2026-11-22 10:00:00", &out);
 *     bench_json_row(&row, "ring-allreduce", 20, &out);
 *     bench_json_end(&total, "2026-11-22 10:00:09", &out); */
#ifndef TEXT_BENCH_JSON_H
#define TEXT_BENCH_JSON_H

#include "text/bench_table.h"

/* `words` is the command line, up to NULL. */
void bench_json_begin(const struct bench_head *h, char *const *words,
                      const char *time, struct buf *out);
void bench_json_row(const struct bench_row *row, const char *name, int calls,
                    struct buf *out);
void bench_json_end(const struct bench_total *t, const char *time,
                    struct buf *out);

#endif
