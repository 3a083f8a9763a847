/* SPDX-License-Identifier: MIT */
/* The command line: one table of options, one parser for all commands.  An
 * option is a row of option_table.c and a field of struct options. */
#ifndef PLAY_OPTIONS_H
#define PLAY_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/dtype.h"
#include "base/err.h"
#include "event/purpose.h"
#include "run/breaks.h"
#include "schedule/network.h"
#include "schedule/program.h"

/* The commands that an option is for.  FOR_RUN: none but an algorithm's name;
 * FOR_HOME: not even that; FOR_CHANGE: the key `a`, which changes a run on the
 * screen. */
enum option_use {
    FOR_RUN = 1 << 0,
    FOR_CHANGE = 1 << 1,
    FOR_LEARN = 1 << 2,
    FOR_LIST = 1 << 3,
    FOR_SCHEDULE = 1 << 4, /* what a schedule is made from, without a run */
    FOR_CHECK = 1 << 5,
    FOR_COMPARE = 1 << 6,
    FOR_REPLAY = 1 << 7,
    FOR_EXPORT = 1 << 8,
    FOR_DOCTOR = 1 << 9,
    FOR_BENCH = 1 << 10, /* has short options, and some long ones that mean
                          * something else there: nccl-tests' */
    FOR_CHART = 1 << 11,
    FOR_HELP = 1 << 12,
    FOR_HOME = 1 << 13,
    FOR_PRACTICE = 1 << 14, /* wire, repair, choose, diagnose */
    FOR_EXAM = 1 << 15,
    FOR_SERVE = 1 << 16,
    FOR_ALL = (1 << 17) - 1,
    FOR_MEASURE = 1 << 17 /* the verb bench of lessons: those options of the
                           * command bench that say what to measure */
};

/* The commands by name: what each takes, is for and looks like.  What they do
 * is in app/main.c. */
enum { COMMANDS_MAX = 32 };

struct command {
    unsigned use;     /* its bit of enum option_use */
    const char *name; /* as it is typed, or untranslated words for a run and
                       * the home screen, which have no name */
    const char *takes, *help; /* for the usage: "[LESSON]" */
    const char *example;      /* what follows "collviz", and works */
    const char *needs, *one;  /* operands: at least one of these, at most one;
                               * NULL: any number, or it looks itself; "":
                               * none */
};

/* A command, in the order of the usage and of errors; NULL after the last. */
const struct command *command_at(int index);

/* The command that is called so; "explain" is "check".  NULL: there is none. */
const struct command *command_find(const char *name);

/* Whether its name is what is typed. */
bool command_typed(const struct command *c);

/* The name that messages give it. */
const char *command_name(const struct command *c);

/* Exit statuses. */
enum { EXIT_RIGHT = 0, EXIT_WRONG = 1, EXIT_USAGE = 2 };

struct delay {
    int rank;
    int64_t ns; /* DELAY_FOREVER: it never ends */
};

/* --broken KIND:SEED: the schedule is broken by one change. */
struct broken_option {
    bool given;
    enum break_kind kind;
    uint32_t seed;
};

/* collviz bench. */
struct bench_options {
    int64_t min_bytes, max_bytes;
    int64_t step_bytes; /* added to a size for the next one */
    int factor;         /* above 1: the size is multiplied by it instead */
    int calls, warm_up, checks;
    bool read;     /* the operands are files */
    char *output;  /* a file, or NULL */
};

enum { OPTIONS_MAX = 128 };

struct options {
    bool given[OPTIONS_MAX]; /* rows of the table; options_given() */
    int nranks;        /* 0: not given */
    int last_ranks;    /* of check --gpus 1..33; 0: there is no range */
    char *backend;
    char *launcher;    /* the command that starts MPI's processes, or NULL */
    struct network network; /* whose clock a run has; its name is "" if there
                             * is none */
    char *order;   /* of ranks on its hosts, or NULL */
    bool scripted; /* a lesson says the options: it reads no networks' files */
    int64_t count;     /* -1: not given */
    int root;   /* -1, of bench: each in turn */
    int chunks; /* 0: not given; CHUNKS_AUTO (play/prediction.h) */
    int dims[TOPOLOGY_DIMS]; /* 0: not given */
    enum dtype type; /* of bench also DTYPES: all of them */
    enum redop op;   /* of bench also REDOPS */
    char *input;       /* as given; NULL: none */
    char *counts;      /* of uneven inputs (schedule/counts.h); NULL: none */
    bool out_of_place;
    int pace; /* 1: free; 0: lockstep */
    bool native;
    char *native_algorithm; /* of the backend's library, or NULL */
    struct delay *delays;
    size_t ndelays, delays_capacity;
    struct fault fault;
    struct purpose_mismatch mismatch;
    int rules; /* enum mismatch_rules */
    struct broken_option broken;
    char *record; /* a file, or NULL */
    char *output; /* the file that export and chart write, or NULL */
    int timeout;  /* seconds; 0: not given */
    bool plain, json, states, ascii, watch;
    bool svg;
    bool answers, lecture, present, quiz, review, reset, check;
    bool paper;
    char *serve;         /* where browsers may follow (parse_address()); "": at
                          * the usual place; NULL: nowhere */
    char *seed, *skills; /* of practice and exams, as given; NULL: none */
    int minutes;         /* that an exam has; 0: it has time */
    struct bench_options bench;
    int64_t bytes; /* of the data of a chart over GPUs */
    bool over_gpus, busbw;
    int step;          /* -1: not given */
    int view;          /* of the export; -1: the one that is chosen */
    int seconds;       /* of a film; 0: as many as it takes */
    int columns, rows; /* of pictures */
    bool sized;        /* they were given */
    bool help, version;
    const char *command; /* the first operand, or NULL */
    int noperands;     /* the words that are not options: argv's, in order */
    char **operands;
    char **words; /* main()'s copy of argv, as it was typed, up to NULL */
    char *typed, **argv; /* of options_add(): what the operands point into */
    const char *folder; /* borrowed: ALGORITHM names files in it or below it
                         * alone, as "./mine.lua"; NULL: any */
    char **files; /* of options_add(): their paths */
    size_t nfiles, files_capacity;
};

/* Reads argv[1] and what follows it: the options of the command that the first
 * operand names.  --lang takes effect at once (base/language.h).  Returns
 * false, with the reason in *err and o->command set, for arguments that are not
 * valid.  Call options_done(o) in either case. */
bool options_parse(struct options *o, int argc, char **argv, struct err *err);

/* Whether a word is an option that bench alone has, for a size: -b, -e1M. */
bool options_sizes_bench(const char *word);

/* Whether the option of this name, as these commands have it, was among the
 * last ones read: it is not inherited from `base`. */
bool options_given(const struct options *o, unsigned use, const char *name);

/* The first option among the last ones read that is for any of the commands
 * `use` and for none of `but`.  NULL: there is none. */
const char *options_first(const struct options *o, unsigned use, unsigned but);

/* The first rank that never goes on (--delay RANK=inf); -1: there is none. */
int options_dead_rank(const struct options *o);

/* A copy of its own, for options_done(); only the operands stay those of
 * `from`. */
void options_copy(struct options *o, const struct options *from);

/* A copy of `base` with the options in the words of a text on top, as if its
 * command line went on with them.  Only options are allowed there that are for
 * all of `use`: FOR_CHANGE, those of a run, for which a number alone is --gpus;
 * FOR_MEASURE, those of `collviz bench` that say what to measure; FOR_CHART |
 * FOR_CHANGE, those of `collviz chart` that a run may have, too.  Returns
 * false, with the reason in *err; call options_done(o) in either case. */
bool options_add(struct options *o, const struct options *base, unsigned use,
                 const char *text, struct err *err);
void options_done(struct options *o);

/* How a change of the run (the key `a`) may go on: the words that complete the
 * last word of a text.
 *
 *     options_complete("--gpus 5 --ty", &c);    c.words: --type
 *     completion_done(&c); */
struct completion {
    size_t from;  /* where the last word begins, in bytes */
    char **words; /* each begins with the last word */
    size_t count, capacity;
};

/* Algorithms, options that `a` can change, or the values of the option before
 * the last word; none if any text is possible. */
void options_complete(const char *text, struct completion *c);
void completion_done(struct completion *c);

/* Prints the options that are for any of these commands as --help shows them,
 * by group; for FOR_ALL, those to begin with. */
void options_help(FILE *out, unsigned use);

#endif
