/* SPDX-License-Identifier: MIT */
/* Values of options, as they are typed: each function reads one into struct
 * options.  They return false, with the reason in *err, for all other texts. */
#ifndef PLAY_PARSE_H
#define PLAY_PARSE_H

#include "play/options.h"

/* Reads a whole number; `name` is the option's, for the error. */
bool parse_number(const char *name, const char *text, int64_t least,
                  int64_t most, int64_t *value, struct err *err);
bool parse_int(const char *name, const char *text, int least, int most,
               int *value, struct err *err);

/* What a run is: 2x4, float32, sum. */
bool parse_shape(struct options *o, const char *text, struct err *err);
bool parse_type(struct options *o, const char *text, struct err *err);
bool parse_op(struct options *o, const char *text, struct err *err);
bool parse_pace(struct options *o, const char *text, struct err *err);

/* What goes wrong in it: 1=200, drop:1:2, 2=root:1. */
bool parse_delay(struct options *o, const char *text, struct err *err);
bool parse_fault(struct options *o, const char *text, struct err *err);
bool parse_mismatch(struct options *o, const char *text, struct err *err);

/* 80x24 */
bool parse_size(struct options *o, const char *text, struct err *err);

/* zh_CN; messages are in this language from now on. */
bool parse_lang(struct options *o, const char *text, struct err *err);

/* Of charts and bench: a number of bytes, 1.5M; an element type by nccl-tests'
 * name, an operator or a root, or all of them. */
bool parse_chart_bytes(struct options *o, const char *text, struct err *err);
bool parse_min_bytes(struct options *o, const char *text, struct err *err);
bool parse_max_bytes(struct options *o, const char *text, struct err *err);
bool parse_step_bytes(struct options *o, const char *text, struct err *err);
bool parse_bench_type(struct options *o, const char *text, struct err *err);
bool parse_bench_op(struct options *o, const char *text, struct err *err);
bool parse_bench_root(struct options *o, const char *text, struct err *err);

#endif
