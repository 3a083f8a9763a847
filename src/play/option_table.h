/* SPDX-License-Identifier: MIT */
/* The table of options, which options.c reads a command line by. */
#ifndef PLAY_OPTION_TABLE_H
#define PLAY_OPTION_TABLE_H

#include "play/parse.h"

/* An option.  Its value goes into a field of struct options, or to a function
 * of its own. */
struct option_row {
    const char *name, *value; /* what --help calls the value; NULL: no value */
    unsigned use;             /* of enum option_use */
    const char *help;         /* NULL: the words */
    enum word_list words;     /* that the value may be */
    enum {
        KIND_SAID, KIND_FLAG, KIND_INT, KIND_INT64, KIND_BYTES, KIND_TEXT,
        KIND_WORD, KIND_OWN
    } kind;
    size_t field;        /* its offset; KIND_SAID, KIND_OWN: unused */
    int64_t least, most; /* of KIND_INT and KIND_INT64 */
    int64_t chart_most;  /* of the command chart; 0: the same */
    option_parse *parse;
    char letter; /* the short option; 0: none */
    bool first;  /* one of those that `collviz --help` shows */
    const char *heading; /* above it and those after it; NULL: the same */
};

/* In the order in which --help shows them; after the last one, one without a
 * name. */
extern const struct option_row option_rows[];

/* The option that a word names, for all of `use`; 0: for any command, and if
 * several have the name, the last one: --check takes no value, unless bench is
 * known to be the command.  A long name may be cut short.  *value is what
 * stands after it in the same word, or NULL.  Returns NULL if there is none, or
 * if several begin so. */
const struct option_row *option_find(const char *word, unsigned use,
                                     const char **value);

#endif
