/* SPDX-License-Identifier: MIT */
#include "text/word.h"

#include <math.h>
#include <stdio.h>

#include "base/bounds.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "model/world.h"
#include "schedule/program.h"

/* A number with so many decimals, and its unit. */
static struct word
word_of(double value, int decimals, const char *unit)
{
    struct word word;

    snprintf(word.text, sizeof word.text, "%.*f %s", decimals, value, unit);
    return word;
}

/* Brings a value below `limit` by dividing it, and returns its unit, of
 * `last` + 1. */
static const char *
scale(double *value, double by, double limit, const char *const units[],
      int last)
{
    int unit = 0;

    for (; *value >= limit && unit < last; unit++)
        *value /= by;
    return units[unit];
}

/* The decimals of a number of three digits. */
static int
decimals(double value)
{
    return value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
}

struct word
word_bytes(int64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    const char *unit = scale(&value, 1024, 1024, units, 4);
    bool whole = unit == units[0] || value == (double)(int64_t)value;

    return word_of(value, whole ? 0 : value < 10 ? 2 : 1, unit);
}

struct word
word_ns(int64_t ns, bool brief)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    double value = (double)ns;
    const char *unit = scale(&value, 1000, 999.5, units, 3);
    bool tenths = value < 9.95 && (int)(value * 10 + 0.5) % 10 != 0;

    return word_of(value,
                   unit == units[0] ? 0 : brief ? tenths : decimals(value),
                   unit);
}

struct word
word_unit(enum unit unit, double value, bool brief)
{
    static const char *const rates[] = {"B/s", "kB/s", "MB/s", "GB/s",
                                        "TB/s"};
    const char *rate;
    struct word word;

    if (isnan(value))
        return (struct word){"-"};
    switch (unit) {
    case UNIT_BYTES:
        return word_bytes(whole(value));
    case UNIT_TIME:
        return word_ns(whole(value * 1000), brief);
    case UNIT_RATE:
        value *= 1e9;
        rate = scale(&value, 1000, 999.5, rates, 4);
        if (!brief)
            return word_of(value, decimals(value), rate);
        snprintf(word.text, sizeof word.text, "%.3g %s", value, rate);
        return word;
    default:
        snprintf(word.text, sizeof word.text,
                 unit == UNIT_RANKS ? "%.0f" : brief ? "%.7g" : "%.4g", value);
        return word;
    }
}

struct word
word_rank_name(const struct schedule *s, int rank)
{
    int number = rank - schedule_members(s); /* of a switch */
    struct word word;

    if (number < 0)
        snprintf(word.text, sizeof word.text, _("GPU %d"), rank);
    else if (s->topology.switches == 1)
        snprintf(word.text, sizeof word.text, "%s", _("switch"));
    else
        snprintf(word.text, sizeof word.text, _("switch %d"), number);
    return word;
}

int
word_rank_columns(const struct schedule *s)
{
    int members = schedule_members(s);

    return most(utf8_columns(word_rank_name(s, s->nranks - 1).text),
                utf8_columns(word_rank_name(s, members - 1).text));
}

struct word
word_rank(const struct schedule *s, int rank)
{
    struct word word = word_rank_name(s, rank);

    if (rank >= schedule_members(s) && s->topology.switches == 1)
        snprintf(word.text, sizeof word.text, "%s", _("the switch"));
    return word;
}

struct word
word_rank_id(const struct schedule *s, int rank)
{
    struct word word = word_rank_name(s, rank);

    if (rank < schedule_members(s))
        snprintf(word.text, sizeof word.text, "GPU%d", rank);
    return word;
}

struct word
word_gpus(int count)
{
    struct word word;

    snprintf(word.text, sizeof word.text,
             ngettext("%d GPU", "%d GPUs", (unsigned long)count), count);
    return word;
}

struct word
word_chunks(int count)
{
    struct word word;

    snprintf(word.text, sizeof word.text,
             ngettext("%d chunk", "%d chunks", (unsigned long)count), count);
    return word;
}

struct word
word_wait(const struct schedule *s, const struct event *e)
{
    struct word word = {""};

    if (e->wait_ns > 0 && e->waited_for < 0)
        return word_ns(e->wait_ns, false);
    if (e->wait_ns > 0)
        snprintf(word.text, sizeof word.text, _("%1$s for %2$s"),
                 word_ns(e->wait_ns, false).text,
                 word_rank(s, e->waited_for).text);
    return word;
}
