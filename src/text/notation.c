/* SPDX-License-Identifier: MIT */
#include "text/notation.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/translate.h"
#include "schedule/collective.h"
#include "text/sum.h"

enum { TYPED_SHOWN = 40 }; /* bytes of what was typed in an error */

static const char blanks[] = " ,;:\t";

/* A line being read. */
struct line {
    const struct notation *n;
    const char *begin; /* of the transfer */
    const char *at;
    char example[40]; /* for errors */
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
                             .nsteps = w->schedule->nsteps,
                             .world = w, .position = position};
}

struct notation
notation_for(const struct schedule *s)
{
    struct region out = schedule_outputs(s);

    return (struct notation){.nranks = schedule_members(s), .first = out.first,
                             .nslots = out.count, .nsteps = s->nsteps};
}

static void
skip_over(struct line *l, const char *these)
{
    l->at += strspn(l->at, these);
}

static bool
take_typed(struct line *l, const char *text)
{
    size_t length = strlen(text);

    if (strncasecmp(l->at, text, length) != 0)
        return false;
    l->at += length;
    return true;
}

/* A transfer that could be typed. */
static const char *
example_transfer(struct line *l)
{
    const struct notation *n = l->n;
    struct transfer t = {.dst = n->nranks > 1, .src_slot = n->first,
                         .dst_slot = n->first, .nslots = 1,
                         .op = TRANSFER_REDUCE};
    const uint64_t *row = NULL;
    struct sum sum = {.nparts = 0};
    OWN(buf) text = {0};

    if (n->example.nslots > 0)
        t = n->example;
    if (n->world != NULL) {
        row = world_row_at(n->world, t.src, t.src_slot, n->position);
        sum_of(n->world, row, &sum);
    }
    if (sum.nparts == 1 && !sum.faulty) {
        buf_addf(&text, "%d>%d %c", t.src, t.dst,
                 t.op == TRANSFER_REDUCE ? '+' : '=');
        sum_name(n->world, row, &text);
    } else {
        notation_add(n, &t, &text);
    }
    snprintf(l->example, sizeof l->example, "%s", buf_text(&text));
    return l->example;
}

/* Puts what has been read before an error. */
static bool
blame_typed(const struct line *l)
{
    ptrdiff_t length = l->at - l->begin;

    return err_prefix(l->err, "'%.*s'",
                      length < TYPED_SHOWN ? (int)length : TYPED_SHOWN,
                      l->begin);
}

/* Reads digits; -1: there are none, or more than any number here has. */
static int
read_digits(struct line *l)
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
    *rank = read_digits(l);
    if (*rank >= 0 && *rank < l->n->nranks)
        return true;
    l->at += *l->at != '\0' && l->at == l->begin; /* something to show */
    return err_set(l->err, "a transfer is written like %s, with GPUs from 0 "
                   "to %d", example_transfer(l), l->n->nranks - 1);
}

/* Reads "0>1". */
static bool
read_ranks(struct line *l, struct transfer *t)
{
    if (!read_rank(l, &t->src))
        return false;
    skip_over(l, " ");
    if (!take_typed(l, "->") && !take_typed(l, ">"))
        return err_set(l->err, "to whom? Write > and a GPU, as in %s",
                       example_transfer(l));
    skip_over(l, " ");
    return read_rank(l, &t->dst);
}

/* Reads a slot, or, after letters, a chunk. */
static bool
read_slot(struct line *l, int *slot)
{
    *slot = read_digits(l);
    return (*slot >= 0 && *slot < l->n->nslots) ||
           err_set(l->err, "which slot? They are 0 to %d, as in %s",
                   l->n->nslots - 1, example_transfer(l));
}

/* Reads the letters before a number. */
static bool
read_letters(struct line *l, struct names *names)
{
    char letter[LABEL_RANK_MAX];

    while (isalpha((unsigned char)*l->at)) {
        char c = (char)toupper((unsigned char)*l->at++);
        int rank = 0;
        if (c == 'S') {
            names->sum = true;
            continue;
        }
        while (label_rank(rank, letter)[0] != c)
            rank++;
        if (rank >= l->n->nranks)
            return err_set(l->err, "no GPU's data is called %c", c);
        if ((names->ranks >> rank & 1) != 0)
            return err_set(l->err, "%c stands there twice", c);
        names->ranks |= UINT32_C(1) << rank;
    }
    return true;
}

/* Whether a slot of the sender holds what the letters and the chunk say. */
static bool
has_named_sum(const struct notation *n, const struct names *names, int rank,
              int slot, int chunk)
{
    struct sum sum;
    uint32_t ranks = 0;

    sum_of(n->world, world_row_at(n->world, rank, n->first + slot,
                                  n->position), &sum);
    for (int i = 0; i < sum.nparts; i++)
        if (sum.parts[i].rank < LABEL_LETTERS)
            ranks |= UINT32_C(1) << sum.parts[i].rank;
    return sum.chunk == chunk &&
           (names->sum ? sum.complete && names->ranks == 0
                       : ranks == names->ranks);
}

/* Sets *slot to the sender's slot that holds these names: the slot with the
 * chunk's number, or else the first. */
static bool
find_named_slot(struct line *l, const struct names *names, int rank, int chunk,
                int *slot)
{
    const struct notation *n = l->n;
    OWN(buf) is = {0};

    *slot = chunk;
    for (int other = 0; !has_named_sum(n, names, rank, *slot, chunk); other++) {
        if (other < n->nslots) {
            *slot = other;
            continue;
        }
        sum_name(n->world, world_row_at(n->world, rank, n->first + chunk,
                                        n->position), &is);
        err_set(l->err, "no slot of GPU %d holds that; its slot %d holds %s",
                rank, chunk, is.length > 0 ? buf_text(&is) : _("nothing"));
        return false;
    }
    return true;
}

/* Reads what GPU `rank` sends: "2", which is its slot 2, or "A2", "AC 2",
 * "A2+C2" or "S2", which is in one of its slots.  *number is what was typed. */
static bool
read_names(struct line *l, int rank, int *typed, int *slot)
{
    struct names names = {0};
    int another;

    if (!read_letters(l, &names))
        return false;
    if (names.ranks != 0 || names.sum)
        skip_over(l, " ");
    if (!read_slot(l, typed))
        return false;
    while (names.ranks != 0 && *l->at == '+' &&
           isalpha((unsigned char)l->at[1])) {
        l->at++;
        if (!read_letters(l, &names) || !read_slot(l, &another))
            return false;
        if (another != *typed)
            return err_set(l->err, "a slot holds data of one chunk");
    }
    *slot = *typed;
    if (names.ranks == 0 && !names.sum)
        return true;
    if (l->n->world == NULL)
        return err_set(l->err, "type the number of its slot, without letters");
    return find_named_slot(l, &names, rank, *typed, slot);
}

static bool
read_typed_transfer(struct line *l, struct transfer *t)
{
    int typed, from = 0, to, land;

    *t = (struct transfer){.op = TRANSFER_COPY};
    l->begin = l->at;
    if (!read_ranks(l, t))
        return false;
    skip_over(l, " ");
    if (take_typed(l, "+"))
        t->op = TRANSFER_REDUCE;
    else
        take_typed(l, "=");
    skip_over(l, " ");
    if (!read_names(l, t->src, &typed, &from))
        return false;
    to = typed;
    if (take_typed(l, "..") && !read_slot(l, &to))
        return false;
    land = from;
    if (take_typed(l, "@") && !read_slot(l, &land))
        return false;
    t->nslots = to - typed + 1;
    if (t->nslots < 1 || from + t->nslots > l->n->nslots ||
        land + t->nslots > l->n->nslots)
        return err_set(l->err, "the last slot is %d, and the first of several "
                       "stands first", l->n->nslots - 1);
    t->src_slot = l->n->first + from;
    t->dst_slot = t->add_slot = l->n->first + land;
    if (*l->at == '\0' || strchr(" ,;\t", *l->at) != NULL)
        return true;
    l->at++;
    return err_set(l->err, "put a blank or a comma before the next transfer");
}

bool
notation_read(const struct notation *n, const char *typed,
              struct transfer *list, size_t most, size_t *count,
              struct err *err)
{
    struct line l = {.n = n, .begin = typed, .at = typed, .err = err};

    *count = 0;
    for (skip_over(&l, blanks); *l.at != '\0'; skip_over(&l, blanks)) {
        if (*count == most)
            return err_set(err, "more than %d transfers in a line: type the "
                           "others after it", (int)most);
        if (!read_typed_transfer(&l, &list[*count]))
            return blame_typed(&l);
        ++*count;
    }
    return *count > 0 ||
           err_set(err, "type a transfer, such as %s: sender > receiver, "
                   "+ adds or = replaces, a slot", example_transfer(&l));
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

void
notation_add_list(const struct notation *n, const struct transfer *t,
                  size_t count, struct buf *out)
{
    for (size_t i = 0; i < count; i++) {
        buf_puts(out, i > 0 ? ", " : "");
        notation_add(n, &t[i], out);
    }
}

/* Places and changes. */

/* Reads "step 4" or, if `bare`, "4".  Returns false, and reads nothing, if
 * there is no step. */
static bool
read_step_number(struct line *l, bool bare, int *step)
{
    const char *from = l->at;
    bool word;

    skip_over(l, blanks);
    word = take_typed(l, "step");
    skip_over(l, " ");
    *step = word || bare ? read_digits(l) : -1;
    if (*step < 0)
        l->at = from;
    skip_over(l, blanks);
    return *step >= 0;
}

static bool
is_step(const struct line *l, int step)
{
    return (step >= 1 && step <= l->n->nsteps) ||
           err_set(l->err, "there is no step %d: they are 1 to %d", step,
                   l->n->nsteps);
}

bool
change_place_read(const struct notation *n, const char *typed,
                  struct change_place *p, struct err *err)
{
    struct line l = {.n = n, .begin = typed, .at = typed, .err = err};
    struct transfer t;

    if (!read_step_number(&l, true, &p->step) || !read_ranks(&l, &t) ||
        t.src == t.dst || l.at[strspn(l.at, blanks)] != '\0')
        return err_set(err, "'%.40s': a place is a step and a transfer from "
                       "one GPU to another, of 0 to %d, as in step 3, 2>0",
                       typed, n->nranks - 1);
    p->src = t.src;
    p->dst = t.dst;
    return is_step(&l, p->step);
}

void
change_place_add(const struct change_place *p, struct buf *out)
{
    buf_addf(out, "step %d, %d>%d", p->step, p->src, p->dst);
}

bool
change_read(const struct notation *n, const char *typed, struct change *c,
            struct err *err)
{
    struct line l = {.n = n, .begin = typed, .at = typed, .err = err};
    bool moves = read_step_number(&l, false, &c->step);
    size_t count;

    if (!moves)
        c->step = 0;
    c->takes = !moves && l.at[0] == '-' &&
               l.at[1 + strspn(l.at + 1, blanks)] == '\0';
    c->puts = !c->takes && (!moves || *l.at != '\0');
    return (!moves || is_step(&l, c->step)) &&
           (!c->puts || notation_read(n, l.at, &c->put, 1, &count, err));
}

void
change_add(const struct notation *n, const struct change *c, struct buf *out)
{
    if (c->step > 0)
        buf_addf(out, "step %d%s", c->step, c->puts ? ", " : "");
    if (c->puts)
        notation_add(n, &c->put, out);
    else if (c->takes)
        buf_putc(out, '-');
}
