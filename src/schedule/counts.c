/* SPDX-License-Identifier: MIT */
#include "schedule/counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

#define COUNTS_ELEMENTS_MAX (INT64_C(1) << 40) /* of a rank's input */

/* Whether chunks of one number differ from maker to maker. */
static bool
differs_by_maker(const struct collective *c)
{
    return c->input_at == AT_ALL && c->output == UNITS_RANKS;
}

size_t
counts_number(const struct schedule *s)
{
    const struct collective *c = s->collective;
    size_t n = (size_t)schedule_members(s);
    size_t units = (size_t)collective_units(c->input, (int)n);

    if (c->input == UNITS_ONE && c->output == UNITS_ONE)
        return 0;
    return differs_by_maker(c) ? n * units : units;
}

int
counts_ranks(const char *text)
{
    size_t rows = utf8_parts(text, strlen(text), '/');
    size_t n = rows > 1 ? rows : utf8_parts(text, strlen(text), ',');

    return n > SCHEDULE_RANKS_MAX ? SCHEDULE_RANKS_MAX + 1 : (int)n;
}

/* Whether no rank's input has more elements than collviz takes. */
static bool
inputs_fit(const struct schedule *s, struct err *err)
{
    size_t units = counts_number(s) / (size_t)s->makers;
    int64_t sum = 0;

    for (size_t i = 0; i < counts_number(s); i++) {
        sum = i % units == 0 ? 0 : sum;
        if (s->counts[i] < 0 || s->counts[i] > COUNTS_ELEMENTS_MAX - sum)
            return err_set(err, "counts of an input are from 0 to %lld, and "
                           "no more in all", (long long)COUNTS_ELEMENTS_MAX);
        sum += s->counts[i];
    }
    return true;
}

static void
find_longest(struct schedule *s)
{
    for (int id = 0; id < s->makers * s->nchunks; id++)
        if (schedule_chunk_length(s, 0, id) >
            schedule_chunk_length(s, 0, s->longest))
            s->longest = id;
}

bool
counts_set(struct schedule *s, const int64_t *counts, size_t n, struct err *err)
{
    size_t wanted = counts_number(s);

    if (wanted == 0)
        return err_set(err, "all ranks of %s hold as much: it takes no counts",
                       s->collective->name);
    if (n != wanted)
        return err_set(err, "%zu count%s: %s of %d rank%s has %zu", n,
                       n == 1 ? "" : "s", s->collective->name,
                       schedule_members(s), err_plural(schedule_members(s)),
                       wanted);
    s->makers = differs_by_maker(s->collective) ? schedule_members(s) : 1;
    s->counts = mem_new(n, sizeof *s->counts);
    memcpy(s->counts, counts, n * sizeof *counts);
    if (!inputs_fit(s, err))
        return false;
    find_longest(s);
    return true;
}

/* A copy of the transfers that move elements. */
struct pruning {
    const struct schedule *from;
    struct schedule *to;
    const struct transfer *last; /* the one that the last slot was of, ... */
    int last_k;                  /* ... and its number there */
    int32_t *lines; /* by transfer of `to`; NULL: no script says them */
};

/* A walk_fn. */
static void
keep_slot(void *state, int step, const struct transfer *t, int k, int id)
{
    struct pruning *p = state;
    struct transfer part = *t;

    if (!schedule_has_chunk(p->from, id))
        return;
    while (p->to->nsteps < step)
        schedule_step(p->to, p->from->steps[p->to->nsteps].phase);
    if (p->last == t && p->last_k == k - 1) {
        p->to->transfers[p->to->ntransfers - 1].nslots++;
    } else {
        part.src_slot += k;
        part.dst_slot += k;
        part.add_slot += k;
        part.nslots = 1;
        if (p->lines != NULL)
            p->lines[p->to->ntransfers] =
                p->from->lines[t - p->from->transfers];
        schedule_add(p->to, part);
    }
    p->last = t;
    p->last_k = k;
}

static size_t
count_moves(const struct schedule *s)
{
    size_t slots = 0;

    for (size_t i = 0; i < s->ntransfers; i++)
        slots += (size_t)s->transfers[i].nslots;
    return slots;
}

static struct schedule *
drop_empty_transfers(const struct schedule *s)
{
    struct pruning p = {.from = s, .to = schedule_copy(s, 0)};

    if (s->lines != NULL)
        p.lines = mem_new(count_moves(s) + 1, sizeof *p.lines);
    schedule_walk(s, keep_slot, &p);
    while (p.to->nsteps < s->nsteps)
        schedule_step(p.to, s->steps[p.to->nsteps].phase);
    if (s->lines != NULL) {
        schedule_set_script(p.to, s->script);
        memcpy(p.to->lines, p.lines, p.to->ntransfers * sizeof *p.lines);
    }
    free(p.lines);
    return p.to;
}

/* Reads the numbers of a row, as many as there are ranks. */
static bool
parse_counts_row(const char *row, size_t length, int nranks, int64_t *to,
                 struct err *err)
{
    size_t n = utf8_parts(row, length, ',');

    if (n != (size_t)nranks)
        return err_set(err, "'%.*s' has %zu count%s, and there are %d rank%s",
                       (int)(length < 60 ? length : 60), row, n,
                       n == 1 ? "" : "s", nranks, err_plural(nranks));
    for (int i = 0; i < nranks; i++) {
        char *end;
        errno = 0;
        to[i] = strtoll(row, &end, 10);
        if (*row < '0' || *row > '9' || errno != 0 ||
            (*end != ',' && *end != '/' && *end != '\0'))
            return err_set(err, "'%.*s' is not a number of elements, as 5 is",
                           (int)strcspn(row, ",/"), row);
        row = end + 1;
    }
    return true;
}

/* Reads s->counts. */
static bool
parse_counts(struct schedule *s, const char *text, struct err *err)
{
    size_t rows = utf8_parts(text, strlen(text), '/');
    size_t wanted = counts_number(s), n = (size_t)schedule_members(s);
    OWN_MEMORY int64_t *counts = mem_new(n * rows + wanted, sizeof *counts);
    const char *row = text;

    if (wanted > 0 && rows > 1 && (wanted != n * n || rows != n))
        return err_set(err, "%zu rows of counts: %s of %zu rank%s has %zu",
                       rows, s->collective->name, n, n == 1 ? "" : "s",
                       wanted == n * n ? n : (size_t)1);
    for (size_t r = 0; r < rows; r++, row += strcspn(row, "/") + 1)
        if (!parse_counts_row(row, strcspn(row, "/"), (int)n, counts + r * n,
                              err))
            return false;
    for (size_t i = n * rows; i < wanted; i++) /* one row is that of all */
        counts[i] = counts[i % n];
    return counts_set(s, counts, wanted > 0 ? wanted : n, err);
}

struct schedule *
counts_apply(const struct schedule *s, const char *text, struct err *err)
{
    OWNS(schedule) *uneven = schedule_copy(s, s->nsteps);

    if (s->lines != NULL) {
        schedule_set_script(uneven, s->script);
        memcpy(uneven->lines, s->lines, s->ntransfers * sizeof *s->lines);
    }
    return parse_counts(uneven, text, err) ? drop_empty_transfers(uneven)
                                           : NULL;
}
