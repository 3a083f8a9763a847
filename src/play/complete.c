/* SPDX-License-Identifier: MIT */
#include "play/complete.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "coll/coll.h"
#include "play/options.h"

static void
try(struct completion *c, const char *begun, const char *word)
{
    if (strncmp(word, begun, strlen(begun)) != 0)
        return;
    c->words = mem_grow(c->words, c->count, &c->capacity, sizeof *c->words);
    c->words[c->count++] = mem_string(word);
}

static void
try_values(struct completion *c, const char *option, const char *begun)
{
    const char *word;

    for (int i = 0; (word = options_word(FOR_CHANGE, option, i)) != NULL; i++)
        try(c, begun, word);
}

static void
try_options(struct completion *c, const char *begun)
{
    const char *name;
    bool value;

    for (int i = 0; (name = options_at(FOR_CHANGE, i, &value)) != NULL; i++) {
        struct buf word = {0};
        buf_addf(&word, "--%s", name);
        try(c, begun, buf_text(&word));
        buf_done(&word);
    }
}

static void
try_algorithms(struct completion *c, const char *begun)
{
    const struct algorithm *a;

    for (int i = 0; (a = coll_at(i)) != NULL; i++) {
        struct buf word = {0};
        buf_addf(&word, "%s-%s", a->name, a->collective);
        try(c, begun, buf_text(&word));
        buf_done(&word);
    }
}

/* Whether the word is an option that takes a value; *name is its name. */
static bool
takes_value(const char *word, const char **name)
{
    bool value;

    for (int i = 0; (*name = options_at(FOR_CHANGE, i, &value)) != NULL; i++)
        if (value && strncmp(word, "--", 2) == 0 &&
            strcmp(word + 2, *name) == 0)
            return true;
    return false;
}

/* The word before the last one, or "". */
static void
word_before(const char *text, size_t last, struct buf *out)
{
    size_t end = last, begin;

    while (end > 0 && text[end - 1] == ' ')
        end--;
    for (begin = end; begin > 0 && text[begin - 1] != ' ';)
        begin--;
    buf_add(out, text + begin, end - begin);
}

void
complete_change(const char *text, struct completion *c)
{
    const char *space = strrchr(text, ' '), *option;
    const char *begun = space != NULL ? space + 1 : text;
    struct buf before = {0};

    *c = (struct completion){.from = (size_t)(begun - text)};
    word_before(text, c->from, &before);
    if (takes_value(buf_text(&before), &option))
        try_values(c, option, begun);
    else if (begun[0] == '-')
        try_options(c, begun);
    else
        try_algorithms(c, begun);
    buf_done(&before);
}

void
completion_done(struct completion *c)
{
    for (size_t i = 0; i < c->count; i++)
        free(c->words[i]);
    free(c->words);
}
