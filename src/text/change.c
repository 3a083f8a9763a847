/* SPDX-License-Identifier: MIT */
#include "text/change.h"

#include <stdio.h>
#include <string.h>

static const char blanks[] = " ,;:\t";

/* Reads "step 4" or, if `bare`, "4".  Returns what comes after it; NULL: it
 * begins with no step. */
static const char *
read_step(const char *typed, bool bare, int *step)
{
    int word = 0, end = 0;

    typed += strspn(typed, blanks);
    sscanf(typed, "%*1[sS]%*1[tT]%*1[eE]%*1[pP]%n", &word);
    if ((word == 0 && !bare) || sscanf(typed + word, "%6d%n", step, &end) != 1)
        return NULL;
    typed += word + end;
    return typed + strspn(typed, blanks);
}

static bool
is_step(int step, int nsteps, struct err *err)
{
    return (step >= 1 && step <= nsteps) ||
           err_set(err, "there is no step %d: they are 1 to %d", step, nsteps);
}

bool
place_read(const char *typed, int nranks, int nsteps, struct place *p,
           struct err *err)
{
    const char *rest = read_step(typed, true, &p->step);
    int end = 0;

    if (rest == NULL ||
        sscanf(rest, "%4d > %4d%n", &p->src, &p->dst, &end) != 2 ||
        rest[end + (int)strspn(rest + end, blanks)] != '\0')
        return err_set(err, "'%.40s': a place is a step and a transfer, as in "
                       "step 3, 2>0", typed);
    if (!is_step(p->step, nsteps, err))
        return false;
    return (p->src >= 0 && p->src < nranks && p->dst >= 0 && p->dst < nranks &&
            p->src != p->dst) ||
           err_set(err, "'%.40s': it goes from one GPU to another, of 0 to %d",
                   typed, nranks - 1);
}

void
place_add(const struct place *p, struct buf *out)
{
    buf_addf(out, "step %d, %d>%d", p->step, p->src, p->dst);
}

bool
change_read(const struct notation *n, const char *typed, int nsteps,
            struct change *c, struct err *err)
{
    const char *rest = read_step(typed, false, &c->step);
    size_t count;

    *c = (struct change){.step = rest != NULL ? c->step : 0};
    if (rest != NULL && !is_step(c->step, nsteps, err))
        return false;
    if (rest != NULL && *rest == '\0')
        return true;
    if (rest == NULL)
        rest = typed + strspn(typed, blanks);
    c->takes = c->step == 0 && rest[0] == '-' &&
               rest[1 + strspn(rest + 1, blanks)] == '\0';
    c->puts = !c->takes;
    return c->takes || notation_read(n, rest, &c->put, 1, &count, err);
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
