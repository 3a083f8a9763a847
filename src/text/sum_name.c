/* SPDX-License-Identifier: MIT */
#include "text/sum_name.h"

#include <stdio.h>

#include "schedule/label.h"

enum {
    SPELLED_OUT = 4, /* contributions that are all terms of their own */
    RANGE_LEAST = 3, /* ranks in a range */
};

/* The number of contributions, from the first one on, that belong to
 * consecutive ranks and to the same chunk. */
static int
run_length(const struct contribution *parts, int count)
{
    int length = 1;

    if (scene_contribution_faulty(&parts[0]))
        return 1;
    while (length < count && parts[length].times == 1 &&
           parts[length].rank == parts[0].rank + length &&
           parts[length].chunk == parts[0].chunk)
        length++;
    return length;
}

int
sum_terms(const struct world *w, const uint64_t *row,
          struct sum_term terms[LEDGER_RANKS])
{
    struct contribution parts[LEDGER_RANKS];
    int count = scene_contributions(w, row, parts), nterms = 0;

    for (int i = 0, length; i < count; i += length) {
        length = count > SPELLED_OUT ? run_length(&parts[i], count - i) : 1;
        if (length < RANGE_LEAST)
            length = 1;
        terms[nterms++] =
            (struct sum_term){parts[i].rank, parts[i + length - 1].rank,
                              parts[i].times, parts[i].chunk};
    }
    return nterms;
}

const char *
sum_term_text(const struct sum_term *term, char text[SUM_TERM_MAX])
{
    char first[LABEL_RANK_MAX], last[LABEL_RANK_MAX];
    char times[16] = "", range[LABEL_RANK_MAX + 2] = "", chunk[16] = "?";

    if (term->times > 1)
        snprintf(times, sizeof times, "%d*", term->times);
    if (term->last > term->first)
        snprintf(range, sizeof range, "..%s", label_rank(term->last, last));
    if (term->chunk >= 0)
        snprintf(chunk, sizeof chunk, "%d", term->chunk);
    snprintf(text, SUM_TERM_MAX, "%s%s%s%s", times,
             label_rank(term->first, first), range, chunk);
    return text;
}

bool
sum_is_complete(const struct world *w, const uint64_t *row, bool sums,
                int *chunk)
{
    return (sums || w->schedule->nranks > SPELLED_OUT) &&
           world_is_sum(w, row, chunk);
}

void
sum_name(const struct world *w, const uint64_t *row, bool sums,
         struct buf *out)
{
    struct sum_term terms[LEDGER_RANKS];
    int count, chunk;
    char text[SUM_TERM_MAX];

    if (sum_is_complete(w, row, sums, &chunk)) {
        buf_addf(out, "S%d", chunk);
        return;
    }
    if (w->schedule->nranks > LEDGER_RANKS)
        ledger_text(out, row, w->schedule->nranks);
    count = sum_terms(w, row, terms);
    for (int i = 0; i < count; i++)
        buf_addf(out, "%s%s", i > 0 ? "+" : "", sum_term_text(&terms[i], text));
}
