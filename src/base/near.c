/* SPDX-License-Identifier: MIT */
#include "base/near.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "base/translate.h"

static int
fold_case(char c)
{
    return c == '_' ? '-' : tolower((unsigned char)c);
}

/* Damerau and Levenshtein's distance, row by row; no letter moves twice. */
int
near_distance(const char *one, const char *other)
{
    int rows[3][NEAR_BYTES];
    int *now = rows[0], *last = rows[1], *before = rows[2];
    size_t m = strlen(one), n = strlen(other);

    if (m >= NEAR_BYTES || n >= NEAR_BYTES)
        return NEAR_BYTES;
    for (size_t k = 0; k <= n; k++)
        now[k] = (int)k;
    for (size_t i = 1; i <= m; i++) {
        int *spare = before;
        before = last;
        last = now;
        now = spare;
        now[0] = (int)i;
        for (size_t k = 1; k <= n; k++) {
            int a = fold_case(one[i - 1]), b = fold_case(other[k - 1]);
            now[k] = least(last[k - 1] + (a != b),
                           1 + least(last[k], now[k - 1]));
            if (i > 1 && k > 1 && a == fold_case(other[k - 2]) &&
                b == fold_case(one[i - 2]))
                now[k] = least(now[k], before[k - 2] + 1);
        }
    }
    return now[n];
}

void
near_try_as(struct near *n, const char *spelling, const char *proposal)
{
    size_t length = strlen(n->word);
    int most = least(3, (int)(length + 1) / 3), i = 0;
    int distance = near_distance(n->word, spelling);

    if (distance > 1 && length > 2 &&
        strncasecmp(n->word, spelling, length) == 0)
        distance = 1;
    if (distance > most || (n->count > 0 && distance > n->distance) ||
        strlen(proposal) >= NEAR_BYTES)
        return;
    if (distance < n->distance)
        n->count = 0;
    n->distance = distance;
    while (i < n->count && strcmp(n->found[i], proposal) != 0)
        i++;
    if (i == n->count && i < NEAR_MOST)
        snprintf(n->found[n->count++], NEAR_BYTES, "%s", proposal);
}

void
near_try(struct near *n, const char *word)
{
    near_try_as(n, word, word);
}

const char *
near_before(int i, int count, const char *last)
{
    return i == 0 ? "" : i + 1 < count ? _(", ") : last;
}

void
near_add(const struct near *n, const char *prefix, struct buf *out)
{
    OWN(buf) list = {0};

    for (int i = 0; i < n->count; i++)
        buf_addf(&list, "%s%s%s", near_before(i, n->count, _(" or ")),
                 prefix, n->found[i]);
    if (n->count > 0)
        buf_addf(out, _("; did you mean %s?"), buf_text(&list));
}

void
near_among(const char *word, const char *const *words, struct buf *out)
{
    struct near n = {.word = word};
    OWN(buf) list = {0};
    int count = 0;

    for (; words[count] != NULL; count++)
        near_try(&n, words[count]);
    count = n.count > 0 ? n.count : count;
    for (int i = 0; i < count; i++)
        buf_addf(&list, "%s%s", near_before(i, count, _(" or ")),
                 n.count > 0 ? n.found[i] : words[i]);
    buf_addf(out, n.count > 0 ? _("did you mean %s?") : _("it must be %s"),
             buf_text(&list));
}
