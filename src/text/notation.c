/* SPDX-License-Identifier: MIT */
#include "text/notation.h"

#include <ctype.h>
#include <string.h>

#include "base/translate.h"
#include "schedule/collective.h"
#include "text/sum.h"

enum { TYPED_SHOWN = 40 }; /* bytes of what was typed in an error */

/* A line being read. */
struct line {
    const struct notation *n;
    const char *begin; /* of the transfer */
    const char *at;
    struct err *err;
};

/* The contributions that letters name. */
struct names {
    uint32_t ranks; /* a bit each; only ranks below LABEL_LETTERS have one */
    bool sum;       /* S: all of them */
};

struct notation
notation_of(const struct world *w, int position)
{
    int first = schedule_outputs(w->schedule).first;

    return (struct notation){.nranks = w->schedule->nranks, .first = first,
                             .nslots = w->schedule->nslots - first,
                             .world = w, .position = position};
}

static void
skip(struct line *l, const char *these)
{
    l->at += strspn(l->at, these);
}

static bool
take(struct line *l, const char *text)
{
    size_t length = strlen(text);

    if (strncmp(l->at, text, length) != 0)
        return false;
    l->at += length;
    return true;
}

/* The transfer that cannot be read, up to where reading has come. */
static int
bad_length(const struct line *l)
{
    ptrdiff_t length = l->at - l->begin;

    return length < TYPED_SHOWN ? (int)length : TYPED_SHOWN;
}

/* Reads digits; -1: there are none, or more than any number here has. */
static int
number(struct line *l)
{
    size_t digits = strspn(l->at, "0123456789");
    int value = 0;

    if (digits == 0 || digits > 7)
        value = -1;
    for (size_t i = 0; value >= 0 && i < digits; i++)
        value = value * 10 + (l->at[i] - '0');
    l->at += digits;
    return value;
}

static bool
read_rank(struct line *l, int32_t *rank)
{
    *rank = number(l);
    if (*rank >= 0 && *rank < l->n->nranks)
        return true;
    l->at += *l->at != '\0' && l->at == l->begin; /* something to show */
    return err_set(l->err, "'%.*s': a transfer is written like 0>1 +A1, with "
                   "GPUs from 0 to %d", bad_length(l), l->begin,
                   l->n->nranks - 1);
}

static bool
read_slot(struct line *l, int *slot)
{
    *slot = number(l);
    return (*slot >= 0 && *slot < l->n->nslots) ||
           err_set(l->err, "'%.*s': which slot? They are 0 to %d, as in "
                   "0>1 +A1", bad_length(l), l->begin, l->n->nslots - 1);
}

/* Reads the letters before a slot's number. */
static bool
read_letters(struct line *l, struct names *names)
{
    char letter[LABEL_RANK_MAX];

    for (; isalpha((unsigned char)*l->at); l->at++) {
        char c = (char)toupper((unsigned char)*l->at);
        int rank = 0;
        if (c == 'S') {
            names->sum = true;
            continue;
        }
        while (label_rank(rank, letter)[0] != c)
            rank++;
        if (rank >= l->n->nranks)
            return err_set(l->err, "'%.*s': no GPU's data is called %c",
                           bad_length(l) + 1, l->begin, c);
        if ((names->ranks >> rank & 1) != 0)
            return err_set(l->err, "'%.*s': %c stands there twice",
                           bad_length(l) + 1, l->begin, c);
        names->ranks |= UINT32_C(1) << rank;
    }
    return true;
}

/* Reads "2", "A2", "AC 2", "A2+C2" or "S2". */
static bool
read_names(struct line *l, struct names *names, int *slot)
{
    int another;

    if (!read_letters(l, names))
        return false;
    if (names->ranks != 0 || names->sum)
        skip(l, " ");
    if (!read_slot(l, slot))
        return false;
    while (names->ranks != 0 && *l->at == '+' &&
           isalpha((unsigned char)l->at[1])) {
        l->at++;
        if (!read_letters(l, names) || !read_slot(l, &another))
            return false;
        if (another != *slot)
            return err_set(l->err, "'%.*s': a slot holds data of one chunk",
                           bad_length(l), l->begin);
    }
    return true;
}

/* Whether the sender's slot holds what the letters say. */
static bool
holds(struct line *l, const struct transfer *t, const struct names *names)
{
    const struct world *w = l->n->world;
    const uint64_t *row;
    struct sum sum;
    uint32_t ranks = 0;
    struct buf is = {0};
    bool same;

    if ((names->ranks == 0 && !names->sum) || w == NULL)
        return true;
    row = world_row_at(w, t->src, t->src_slot, l->n->position);
    sum_of(w, row, &sum);
    for (int i = 0; i < sum.nparts; i++)
        if (sum.parts[i].rank < LABEL_LETTERS)
            ranks |= UINT32_C(1) << sum.parts[i].rank;
    same = names->sum ? sum.complete && names->ranks == 0
                      : ranks == names->ranks;
    if (!same) {
        sum_name(w, row, &is);
        err_set(l->err, "'%.*s': GPU %d's slot %d holds %s", bad_length(l),
                l->begin, t->src, t->src_slot - l->n->first,
                is.length > 0 ? buf_text(&is) : _("nothing"));
    }
    buf_done(&is);
    return same;
}

static bool
read_transfer(struct line *l, struct transfer *t)
{
    struct names names = {0};
    int from, to, land;

    *t = (struct transfer){.op = TRANSFER_COPY};
    l->begin = l->at;
    if (!read_rank(l, &t->src))
        return false;
    skip(l, " ");
    if (!take(l, "->") && !take(l, ">"))
        return err_set(l->err, "'%.*s': to whom? Write > and a GPU, as in "
                       "0>1 +A1", bad_length(l), l->begin);
    skip(l, " ");
    if (!read_rank(l, &t->dst))
        return false;
    skip(l, " ");
    if (take(l, "+"))
        t->op = TRANSFER_REDUCE;
    else
        take(l, "=");
    skip(l, " ");
    if (!read_names(l, &names, &from))
        return false;
    to = from;
    if (take(l, "..") && !read_slot(l, &to))
        return false;
    land = from;
    if (take(l, "@") && !read_slot(l, &land))
        return false;
    if (to < from || land + (to - from) >= l->n->nslots)
        return err_set(l->err, "'%.*s': the last slot is %d, and the first of "
                       "several stands first", bad_length(l), l->begin,
                       l->n->nslots - 1);
    t->src_slot = l->n->first + from;
    t->dst_slot = t->add_slot = l->n->first + land;
    t->nslots = to - from + 1;
    if (*l->at != '\0' && strchr(" ,;\t", *l->at) == NULL) {
        l->at++;
        return err_set(l->err, "'%.*s': put a blank or a comma before the "
                       "next transfer", bad_length(l), l->begin);
    }
    return holds(l, t, &names);
}

bool
notation_read(const struct notation *n, const char *typed,
              struct transfer *list, size_t most, size_t *count,
              struct err *err)
{
    struct line l = {.n = n, .at = typed, .err = err};

    *count = 0;
    for (skip(&l, " ,;\t"); *l.at != '\0'; skip(&l, " ,;\t")) {
        if (*count == most)
            return err_set(err, "more than %d transfers in a line: type the "
                           "others after it", (int)most);
        if (!read_transfer(&l, &list[*count]))
            return false;
        ++*count;
    }
    return *count > 0 ||
           err_set(err, "type a transfer, such as 0>1 +A1: GPU 0 sends A1 to "
                   "GPU 1, which adds it");
}

void
notation_add(const struct notation *n, const struct transfer *t,
             struct buf *out)
{
    buf_addf(out, "%d>%d %c%d", t->src, t->dst,
             t->op == TRANSFER_REDUCE ? '+' : '=', t->src_slot - n->first);
    if (t->nslots > 1)
        buf_addf(out, "..%d", t->src_slot - n->first + t->nslots - 1);
    if (t->dst_slot != t->src_slot)
        buf_addf(out, "@%d", t->dst_slot - n->first);
}
