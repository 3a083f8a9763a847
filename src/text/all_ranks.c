/* SPDX-License-Identifier: MIT */
#include "text/all_ranks.h"

#include "base/translate.h"
#include "base/utf8.h"

/* How much a sentence says. */
enum length { BRIEF, AMOUNT, ADDS, LENGTHS };

struct sentences {
    const char *texts[2][LENGTHS]; /* [past][length] */
};

/* The arguments are where the data goes, then how much of it. */
static const struct sentences ring = {{
    {N_("Each sends to %1$s."), N_("Every GPU sends %2$s to %1$s."),
     N_("Every GPU sends %2$s to %1$s and adds what it receives.")},
    {N_("Each sent to %1$s."), N_("Every GPU sent %2$s to %1$s."),
     N_("Every GPU sent %2$s to %1$s and added what it received.")},
}};

/* How far apart they are, then how much. */
static const struct sentences pairs = {{
    {N_("Pairs %1$s exchange."), N_("GPUs %1$s exchange %2$s."),
     N_("GPUs %1$s exchange %2$s and add what they receive.")},
    {N_("Pairs %1$s exchanged."), N_("GPUs %1$s exchanged %2$s."),
     N_("GPUs %1$s exchanged %2$s and added what they received.")},
}};

/* The receiver, then how much. */
static const struct sentences to_one = {{
    {N_("So do all others."), N_("All others send %2$s to %1$s."),
     N_("All others send %2$s to %1$s, which adds them up.")},
    {N_("So did all others."), N_("All others sent %2$s to %1$s."),
     N_("All others sent %2$s to %1$s, which added them up.")},
}};

/* How much; the sentence before is about the same sender. */
static const struct sentences from_one = {{
    {N_("It sends to all others, too."),
     N_("It sends %1$s to each of the others, too.")},
    {N_("It sent to all others, too."),
     N_("It sent %1$s to each of the others, too.")},
}};

/* Where the data goes, the senders, then how much. */
static const struct sentences some = {{
    {N_("GPUs %2$s send to %1$s."), N_("GPUs %2$s each send %3$s to %1$s."),
     N_("GPUs %2$s each send %3$s to %1$s, which adds what "
        "it receives.")},
    {N_("GPUs %2$s sent to %1$s."), N_("GPUs %2$s each sent %3$s to %1$s."),
     N_("GPUs %2$s each sent %3$s to %1$s, which added what "
        "it received.")},
}};

static const struct sentences local = {{
    {N_("Every GPU does so.")},
    {N_("Every GPU did so.")},
}};

static bool
are_pairs(const struct pattern *p)
{
    return p->kind == PATTERN_RING && p->group == 2 * p->distance;
}

static const struct sentences *
sentences_of(const struct pattern *p)
{
    switch (p->kind) {
    case PATTERN_RING:
        return are_pairs(p) ? &pairs : &ring;
    case PATTERN_EVERY:
        return &ring;
    case PATTERN_TO_ONE:
        return &to_one;
    case PATTERN_FROM_ONE:
        return &from_one;
    case PATTERN_SOME:
        return &some;
    case PATTERN_LOCAL:
        return &local;
    default:
        return NULL;
    }
}

/* "the next", "the one 2 behind". */
static void
add_direction(int distance, struct buf *out)
{
    if (distance == 1)
        buf_puts(out, _("the next"));
    else if (distance == -1)
        buf_puts(out, _("the one before"));
    else if (distance > 0)
        buf_addf(out, _("the one %d ahead"), distance);
    else
        buf_addf(out, _("the one %d behind"), -distance);
}

static void
add_place(const struct pattern *p, int nranks, struct buf *out)
{
    struct buf direction = {0};

    add_direction(p->distance, &direction);
    if (p->kind == PATTERN_EVERY)
        buf_puts(out, _("every other"));
    else if (p->kind == PATTERN_TO_ONE)
        buf_addf(out, _("GPU %d"), p->rank);
    else if (are_pairs(p))
        buf_addf(out, _("%d apart"), p->distance);
    else if (p->group < nranks)
        buf_addf(out, _("%1$s in its group of %2$d"), buf_text(&direction),
                 p->group);
    else
        buf_puts(out, buf_text(&direction));
    buf_done(&direction);
}

static void
add_senders(const struct pattern *p, struct buf *out)
{
    int second = p->first + p->stride;
    int last = p->first + (p->count - 1) * p->stride;

    if (p->count == 2)
        buf_addf(out, _("%1$d and %2$d"), p->first, last);
    else if (p->stride == 1)
        buf_addf(out, _("%1$d to %2$d"), p->first, last);
    else if (p->count == 3)
        buf_addf(out, "%d, %d, %d", p->first, second, last);
    else
        buf_addf(out, "%d, %d ... %d", p->first, second, last);
}

static void
add_amount(const struct pattern *p, struct buf *out)
{
    if (p->slots == 0)
        buf_puts(out, _("data"));
    else
        buf_addf(out, ngettext("a chunk", "%d chunks", (unsigned)p->slots),
                 p->slots);
}

/* Writes a sentence with its arguments. */
static void
put_sentence(const struct pattern *p, int nranks, const char *sentence,
             struct buf *out)
{
    struct buf place = {0}, senders = {0}, amount = {0};
    const struct buf *first = &place, *second = &amount;

    add_place(p, nranks, &place);
    add_senders(p, &senders);
    add_amount(p, &amount);
    if (p->kind == PATTERN_FROM_ONE)
        first = &amount;
    if (p->kind == PATTERN_SOME)
        second = &senders;
    buf_addf(out, sentence, buf_text(first), buf_text(second),
             buf_text(&amount));
    buf_done(&place);
    buf_done(&senders);
    buf_done(&amount);
}

bool
all_ranks_add(const struct pattern *p, int nranks, enum redop op, bool past,
              int columns, struct buf *out)
{
    const struct sentences *s = sentences_of(p);
    bool adds = p->reduces && redop_adds(op);
    struct buf text = {0};
    bool fits = false;

    for (int i = adds ? ADDS : AMOUNT; s != NULL && i >= 0 && !fits; i--) {
        if (s->texts[past][i] == NULL)
            continue;
        buf_clear(&text);
        put_sentence(p, nranks, _(s->texts[past][i]), &text);
        fits = utf8_columns(buf_text(&text)) <= columns;
    }
    if (fits)
        buf_puts(out, buf_text(&text));
    buf_done(&text);
    return fits;
}
