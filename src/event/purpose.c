/* SPDX-License-Identifier: MIT */
#include "event/purpose.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "event/stream.h"

#define NS_PER_MS INT64_C(1000000)

static const char *const kinds[] = {
    [MISMATCH_NONE] = "none",           [MISMATCH_ROOT] = "root",
    [MISMATCH_COUNT] = "count",         [MISMATCH_ALGORITHM] = "algorithm",
    [MISMATCH_ORDER] = "order",         NULL};

const char *const mismatch_rules[] = {
    [RULES_AUTO] = "auto", [RULES_MPI] = "mpi", [RULES_NCCL] = "nccl", NULL};

static void
add_mismatch(const struct purpose_mismatch *m, struct buf *out)
{
    if (m->kind == MISMATCH_NONE)
        return;
    buf_addf(out, "%d=%s", m->rank, kinds[m->kind]);
    if (m->kind == MISMATCH_ALGORITHM)
        buf_addf(out, ":%s", m->algorithm);
    else if (m->kind != MISMATCH_ORDER)
        buf_addf(out, ":%" PRId64, m->number);
}

void
purpose_add(const struct purpose *p, enum purpose_part part, struct buf *out)
{
    const char *gap = "";

    if (part == PURPOSE_MISMATCH)
        add_mismatch(&p->mismatch, out);
    if (part == PURPOSE_FAULT && p->fault.kind != FAULT_NONE)
        buf_addf(out, "%s:%d:%d", stream_faults[p->fault.kind], p->fault.step,
                 p->fault.src);
    for (int rank = 0; part == PURPOSE_DELAYS && rank < SCHEDULE_RANKS_MAX;
         rank++) {
        if (p->delays[rank] == 0)
            continue;
        buf_addf(out, "%s%d=", gap, rank);
        if (p->delays[rank] == DELAY_FOREVER)
            buf_puts(out, "inf");
        else
            buf_addf(out, "%" PRId64, p->delays[rank] / NS_PER_MS);
        gap = " ";
    }
}

void
purpose_show(const struct purpose *p, enum purpose_part part, struct buf *out)
{
    purpose_add(p, part, out);
    if (part == PURPOSE_MISMATCH && p->mismatch.rules != RULES_AUTO)
        buf_addf(out, " --rules %s", mismatch_rules[p->mismatch.rules]);
}

/* Moves *at over a number from `least` to `most` and the character after it,
 * which may be the end. */
static bool
take_number(const char **at, int64_t least, int64_t most, char after,
            int64_t *number)
{
    size_t digits = strspn(*at, "0123456789");

    if (digits < 1 || digits > 18 || (*at)[digits] != after ||
        (**at == '0' && digits > 1) ||
        sscanf(*at, "%" SCNd64, number) != 1)
        return false;
    *at += digits + (after != '\0');
    return *number >= least && *number <= most;
}

/* Moves *at over one of the words, and the character after it. Returns its
 * index; 0, which no text may say, if there is none. */
static int
take_word(const char **at, const char *const *words, char after)
{
    for (int i = 1; words[i] != NULL; i++) {
        size_t length = strlen(words[i]);
        if (strncmp(*at, words[i], length) == 0 && (*at)[length] == after) {
            *at += length + (after != '\0');
            return i;
        }
    }
    return 0;
}

static bool
read_mismatch(struct purpose_mismatch *m, const char *at, int nranks)
{
    int64_t rank;

    if (!take_number(&at, 0, nranks - 1, '=', &rank))
        return false;
    m->rank = (int)rank;
    m->kind = (enum mismatch_kind)take_word(&at, kinds, ':');
    switch (m->kind) {
    case MISMATCH_ROOT:
        return take_number(&at, 0, nranks - 1, '\0', &m->number);
    case MISMATCH_COUNT:
        return take_number(&at, 0, INT64_MAX, '\0', &m->number);
    case MISMATCH_ALGORITHM:
        return snprintf(m->algorithm, sizeof m->algorithm, "%s", at) <
                   (int)sizeof m->algorithm && m->algorithm[0] != '\0';
    case MISMATCH_ORDER:
        return false;
    case MISMATCH_NONE:
        m->kind = (enum mismatch_kind)take_word(&at, kinds, '\0');
    }
    return m->kind == MISMATCH_ORDER;
}

static bool
read_fault(struct fault *f, const char *at, int nranks)
{
    int64_t step, src;

    f->kind = (enum instr_fault)take_word(&at, stream_faults, ':');
    if (f->kind == FAULT_NONE || !take_number(&at, 1, INT32_MAX, ':', &step) ||
        !take_number(&at, 0, nranks - 1, '\0', &src))
        return false;
    f->step = (int)step;
    f->src = (int)src;
    return true;
}

/* Reads delays, each rank once, in their order. */
static bool
read_delays(int64_t *delays, const char *at, int nranks)
{
    static const char *const words[] = {"", "inf", NULL};
    int64_t least = 0, rank, ms;

    while (*at != '\0') {
        char after = strchr(at, ' ') != NULL ? ' ' : '\0';
        if (!take_number(&at, least, nranks - 1, '=', &rank))
            return false;
        if (take_word(&at, words, after) > 0)
            delays[rank] = DELAY_FOREVER;
        else if (take_number(&at, 1, INT64_MAX / 2 / NS_PER_MS, after, &ms))
            delays[rank] = ms * NS_PER_MS;
        else
            return false;
        if (after == ' ' && *at == '\0')
            return false;
        least = rank + 1;
    }
    return true;
}

bool
purpose_read(struct purpose *p, const char *mismatch, const char *fault,
             const char *delays, int nranks, struct err *err)
{
    *p = (struct purpose){.fault.kind = FAULT_NONE};
    if (mismatch[0] != '\0' && !read_mismatch(&p->mismatch, mismatch, nranks))
        return err_set(err, "\"mismatch\" must be a rank and what it has, as "
                       "in 2=root:1");
    if (fault[0] != '\0' && !read_fault(&p->fault, fault, nranks))
        return err_set(err, "\"fault\" must be a kind, a step and a rank, as "
                       "in drop:1:0");
    return read_delays(p->delays, delays, nranks) ||
           err_set(err, "\"delay\" must be ranks in their order and "
                   "milliseconds, as in 1=200 2=inf");
}
