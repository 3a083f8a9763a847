/* SPDX-License-Identifier: MIT */
/* The measurements of a benchmark, in the formats of nccl-tests 2.19, so that
 * programs that read its tables and its JSON read these:
 *
 *     bench_table_head(&table, &out);
 *     bench_table_row(&table, &row, &out);       one line for each size
 *     bench_table_foot(&table, &out);
 *
 *     bench_json_begin(&table, argv, "2026-11-22 10:00:00", &out);
 *     bench_json_row(&table, &row, &out);
 *     bench_json_end(&all, "2026-11-22 10:00:09", &out);
 *
 * and as a table with the same columns that fits into 80 columns:
 *
 *     #                                out-of-place             in-place
 *     # size  count  type redop root  time algbw busbw #wrong  time ...
 *     #  (B)                          (us)(GB/s)(GB/s)         (us)...
 *     # ring-allreduce, Avg bus bandwidth: 4.21, #wrong: 0 OK
 *        128     32 float   sum   -1  0.06  2.16  3.24      0  0.06 ... */
#ifndef TEXT_BENCH_TABLE_H
#define TEXT_BENCH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/dtype.h"
#include "model/world.h"

enum { BENCH_NOT_CHECKED = -1 };

/* The columns of one placement. */
struct bench_side {
    bool there;    /* false: nothing was measured */
    double us;     /* of one call */
    double algbw, busbw; /* GB/s */
    int64_t wrong; /* elements, or BENCH_NOT_CHECKED */
};

struct bench_row {
    int64_t bytes, count;
    enum dtype type;
    const char *redop; /* "none": it has none */
    int root;          /* -1: it has none */
    int chunks;        /* of the algorithm's pipeline; 0: it is none */
    struct bench_side out, in; /* out of place and in place */
    bool alone; /* one thread ran all ranks: run/engine.h runs few bytes so */
};

/* A table: the things that it is about, and the sums of its foot. */
struct bench_table {
    const char *name; /* of what is measured: "ring-allreduce" */
    const struct run_info *where; /* NULL: not known yet */
    int nranks;
    int64_t min_bytes, max_bytes;
    int64_t step;  /* added to the size, or the factor */
    bool factor;
    int warm_up, calls, checks;
    int chunks;       /* of the last row */
    int wrong;        /* placements of rows that had wrong elements */
    double busbw;     /* the sum of */
    int nbusbw;       /* so many */
    int64_t alone_bytes; /* the largest row in which one thread ran all ranks */
};

/* nccl-tests' name of a type: "float"; and the type of a name, of nccl-tests'
 * or of base/dtype.h. */
const char *bench_type_name(enum dtype type);
bool bench_type_find(const char *name, enum dtype *type);

/* All append lines.  Names are added as they are.  A row is counted for the
 * foot. */
void bench_table_head(const struct bench_table *t, struct buf *out);
void bench_table_row(struct bench_table *t, const struct bench_row *row,
                     struct buf *out);
void bench_table_foot(const struct bench_table *t, struct buf *out);
void bench_table_count(struct bench_table *t, const struct bench_row *row);

/* The measurements of one algorithm. */
struct bench_part {
    const char *name; /* as it is */
    const struct bench_row *rows;
    size_t nrows;
};

/* Appends the narrow table, with a newline between its lines, which have the
 * same length in columns, whatever figures the rows have.  `title` stands in
 * the first line. */
void bench_narrow(const char *title, const struct bench_part *parts,
                  size_t nparts, struct buf *out);

/* The JSON of nccl-tests' -J (JSON_FILE_VERSION 3 in its src/util.cu): one
 * document for all tables, whose rows have the name of what was measured as
 * "experiment_name".  `words` is the command line, up to NULL. */
void bench_json_begin(const struct bench_table *t, char *const *words,
                      const char *time, struct buf *out);
void bench_json_row(const struct bench_table *t, const struct bench_row *row,
                    struct buf *out);

/* `all` has counted the rows of all tables. */
void bench_json_end(const struct bench_table *all, const char *time,
                    struct buf *out);

#endif
