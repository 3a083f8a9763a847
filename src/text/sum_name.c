/* SPDX-License-Identifier: MIT */
#include "text/sum_name.h"

#include <stdio.h>
#include <string.h>

#include "model/scene.h"
#include "schedule/label.h"

/* Whether the ranks are consecutive; they may wrap around the last rank. Sets
 * the first and the last of them. */
static bool
is_run(const struct contribution *parts, int count, int nranks, int *first,
       int *last)
{
    int gaps = 0;

    for (int i = 0; i < count; i++) {
        int next = parts[(i + 1) % count].rank;
        if (next == (parts[i].rank + 1) % nranks)
            continue;
        gaps++;
        *last = parts[i].rank;
        *first = next;
    }
    if (gaps == 0) {
        *first = 0;
        *last = nranks - 1;
    }
    return gaps <= 1;
}

static void
add_letters(struct buf *out, const struct contribution *parts, int count)
{
    char letters[LABEL_RANK_MAX];

    for (int i = 0; i < count; i++)
        buf_puts(out, label_rank(parts[i].rank, letters));
}

void
sum_name(const struct world *w, const uint64_t *row, int width,
         struct buf *out)
{
    struct contribution parts[LEDGER_RANKS];
    int n = w->schedule->nranks;
    int count = scene_contributions(w, row, parts);
    char first_text[LABEL_RANK_MAX], last_text[LABEL_RANK_MAX];
    char chunk[16] = "";
    int first, last;
    bool faulty = false;
    struct buf letters = {0};

    for (int i = 0; i < count; i++)
        faulty = faulty || scene_contribution_faulty(&parts[i]) ||
                 parts[i].chunk != parts[0].chunk;
    if (count > 0 && !faulty)
        snprintf(chunk, sizeof chunk, "%d", parts[0].chunk);
    add_letters(&letters, parts, count);
    if (faulty)
        buf_putc(out, '!');
    if (count > 0 &&
        (int)(letters.length + strlen(chunk)) + faulty <= width)
        buf_addf(out, "%s%s", buf_text(&letters), chunk);
    else if (count > 2 && is_run(parts, count, n, &first, &last))
        buf_addf(out, "%s-%s%s", label_rank(first, first_text),
                 label_rank(last, last_text), chunk);
    else if (ledger_count(row, n) > 0)
        buf_addf(out, "%d/%d", (int)ledger_count(row, n), n);
    buf_done(&letters);
}
