/* SPDX-License-Identifier: MIT */
#include "lesson/lecture.h"

#include <math.h>
#include <stdlib.h>

#include "base/translate.h"

/* Minutes since the lecture began. */
static double
elapsed(const struct lecture *l, int64_t now)
{
    return (double)(now - l->began_ns) / 60e9;
}

int
lecture_left(const struct lecture *l, int64_t now)
{
    return (int)ceil(l->minutes - elapsed(l, now));
}

int
lecture_behind(const struct lecture *l, double progress, int64_t now)
{
    return (int)lround(elapsed(l, now) - l->before - l->here * progress);
}

void
lecture_add_status(const struct lecture *l, double progress, int64_t now,
                   struct buf *out)
{
    int left = lecture_left(l, now);
    int behind = lecture_behind(l, progress, now);

    if (left >= 0)
        buf_addf(out, _("%d min left"), left);
    else
        buf_addf(out, _("%d min over"), -left);
    if (behind > 0)
        buf_addf(out, _(", %d behind"), behind);
    else if (behind < 0)
        buf_addf(out, _(", %d ahead"), -behind);
}
