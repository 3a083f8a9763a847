/* SPDX-License-Identifier: MIT */
#include "play/option_words.h"

#include "base/dtype.h"
#include "base/near.h"
#include "run/backend.h"
#include "text/bench_table.h"

const char *
words_backend(int i)
{
    const struct backend *b = i > 0 ? backend_at(i - 1) : NULL;

    return i == 0 ? "auto" : b != NULL ? b->name : NULL;
}

const char *
words_pace(int i)
{
    static const char *const words[] = {"lockstep", "free", NULL};

    return words[i];
}

const char *
words_fault(int i)
{
    static const char *const words[] = {"drop", "repeat", "corrupt", NULL};

    return words[i];
}

const char *
words_mismatch(int i)
{
    static const char *const words[] = {"root", "count", "algorithm", NULL};

    return words[i];
}

const char *
words_type(int i)
{
    return i < DTYPES ? dtype_name((enum dtype)i) : NULL;
}

const char *
words_op(int i)
{
    return i < REDOPS ? redop_name((enum redop)i) : NULL;
}

const char *
words_bench_type(int i)
{
    return i < DTYPES    ? bench_type_name((enum dtype)i)
           : i == DTYPES ? "all"
                         : NULL;
}

const char *
words_bench_op(int i)
{
    return i == REDOPS ? "all" : words_op(i);
}

void
words_add(option_words *words, struct buf *out)
{
    const char *word;

    for (int i = 0; (word = words(i)) != NULL; i++)
        buf_addf(out, "%s%s", i > 0 ? ", " : "", word);
}

bool
words_refuse(const char *option, const char *value, option_words *words,
             struct err *err)
{
    enum { MOST = 16 };
    const char *list[MOST] = {NULL};
    struct buf text = {0};

    for (int i = 0; i < MOST - 1 && (list[i] = words(i)) != NULL; i++)
        continue;
    near_among(value, list, &text);
    err_set(err, "%s '%s': %s", option, value, buf_text(&text));
    buf_done(&text);
    return false;
}
