/* SPDX-License-Identifier: MIT */
/* Values of options, as they are typed, and the words that a value may be.
 * Functions that read return false, with the reason in *err, for other texts.
 * `name` is the option's, for the error. */
#ifndef PLAY_PARSE_H
#define PLAY_PARSE_H

#include "play/options.h"

/* The words that a value may be.  bench has nccl-tests' names, and "all" at the
 * end. */
enum word_list {
    WORDS_NONE, WORDS_BACKEND, WORDS_CHUNKS, WORDS_PACE, WORDS_FAULT,
    WORDS_MISMATCH, WORDS_RULES, WORDS_BROKEN, WORDS_TYPE, WORDS_OP,
    WORDS_BENCH_TYPE, WORDS_BENCH_OP, WORDS_VIEW
};

/* The word at an index from 0; NULL after the last. */
const char *words_at(enum word_list list, int i);

bool parse_word(const char *name, const char *text, enum word_list words,
                int *value, struct err *err);
bool parse_number(const char *name, const char *text, int64_t least,
                  int64_t most, int64_t *value, struct err *err);
bool parse_int(const char *name, const char *text, int least, int most,
               int *value, struct err *err);

/* A number with K, M or G for powers of 1024, as nccl-tests reads it: "8",
 * "1.5M", "64 KB". */
bool parse_bytes(const char *name, const char *text, int64_t *bytes,
                 struct err *err);

/* Reads a value into struct options: N, or for check N..M; what a run is, 2x4,
 * 8 or auto; what goes wrong in it, 1=200, drop:1:2, 2=root:1; 80x24; and
 * zh_CN, in which messages are from now on. */
typedef bool option_parse(struct options *o, const char *text,
                          struct err *err);
option_parse parse_gpus, parse_shape, parse_chunks, parse_delay,
    parse_network, parse_fault, parse_mismatch, parse_broken, parse_size,
    parse_lang;

/* Reads where to listen: "127.0.0.1:8017", "[::1]:8017", either without its
 * port, or ":8017" alone.  `host` becomes the address without brackets,
 * 127.0.0.1 if there is none; without a port *port stays as it is. */
bool parse_address(const char *text, char *host, size_t size, int *port,
                   struct err *err);

/* Whether a word is such an address, and nothing else. */
bool is_address(const char *text);

/* Reads an element type for bench, by nccl-tests' name or ours; DTYPES: all. */
option_parse parse_bench_type;

#endif
