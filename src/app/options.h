/* SPDX-License-Identifier: MIT */
/* The command line: one table of options, one parser for all commands. */
#ifndef APP_OPTIONS_H
#define APP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/dtype.h"
#include "base/err.h"
#include "schedule/program.h"

/* What an option is for: commands, and changes of a run on the screen. */
enum option_use {
    FOR_RUN = 1 << 0,
    FOR_CHANGE = 1 << 1,
    FOR_LEARN = 1 << 2,
    FOR_LIST = 1 << 3,
    FOR_EXPLAIN = 1 << 4,
    FOR_CHECK = 1 << 5,
    FOR_COMPARE = 1 << 6,
    FOR_REPLAY = 1 << 7,
    FOR_EXPORT = 1 << 8,
    FOR_DOCTOR = 1 << 9,
    FOR_ALL = (1 << 10) - 1
};

/* Exit statuses. */
enum { EXIT_RIGHT = 0, EXIT_WRONG = 1, EXIT_USAGE = 2 };

struct delay {
    int rank;
    int64_t ns; /* RUN_FOREVER: it never ends */
};

struct options {
    int nranks;        /* 0: not given */
    char *backend;
    int64_t count;     /* -1: not given */
    int root;
    int chunks;              /* 0: not given */
    int dims[TOPOLOGY_DIMS]; /* 0: not given */
    enum dtype type;
    enum redop op;
    char *input;       /* as given; NULL: none */
    bool out_of_place;
    bool free, native;
    struct delay *delays;
    size_t ndelays, delays_capacity;
    enum instr_fault fault;
    int fault_step, fault_src;
    char *record; /* a file, or NULL */
    bool plain, json, states, ascii;
    bool svg, asciicast, trace, msccl;
    bool answers, lecture, present, quiz, reset, check;
    int step;          /* -1: not given */
    int columns, rows; /* of pictures */
    char *lang; /* NULL: as the environment says */
    bool help, version;
    int noperands;     /* what is no option, in order: argv's */
    char **operands;
};

/* Reads argv[1] and on. False for what it can not take; to be done with in
 * either case. */
bool options_parse(struct options *o, int argc, char **argv, struct err *err);

/* The same on top of `base`, as if its command line went on with argv[1]; only
 * with what a run is made of, and without its operands. */
bool options_change(struct options *o, const struct options *base, int argc,
                    char **argv, struct err *err);
void options_done(struct options *o);

/* The options of some commands as --help shows them. */
void options_help(FILE *out, unsigned use);

#endif
