/* SPDX-License-Identifier: MIT */
#include "text/word.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/bounds.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "model/world.h"
#include "schedule/program.h"

struct word
word_of(const char *format, ...)
{
    struct word word;
    va_list args;

    va_start(args, format);
    vsnprintf(word.text, sizeof word.text, format, args);
    va_end(args);
    return word;
}

/* Brings a value below `limit` by dividing it, and returns its unit, of
 * `last` + 1. */
static const char *
scale_value(double *value, double by, double limit, const char *const units[],
            int last)
{
    int unit = 0;

    for (; *value >= limit && unit < last; unit++)
        *value /= by;
    return units[unit];
}

/* The decimals of a number of three digits. */
static int
decimals_of(double value)
{
    return value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
}

struct word
word_bytes(int64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    const char *unit = scale_value(&value, 1024, 1024, units, 4);
    bool whole = unit == units[0] || value == (double)(int64_t)value;

    return word_of("%.*f %s", whole ? 0 : value < 10 ? 2 : 1, value, unit);
}

struct word
word_input_bytes(const struct schedule *s, int64_t count, enum dtype type)
{
    return word_of(s->counts != NULL ? _("up to %s") : "%s",
                   word_bytes(count * (int64_t)dtype_size(type)).text);
}

struct word
word_ns(int64_t ns, bool brief)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    double value = (double)ns;
    const char *unit = scale_value(&value, 1000, 999.5, units, 3);
    bool tenths = value < 9.95 && (int)(value * 10 + 0.5) % 10 != 0;

    return word_of("%.*f %s",
                   unit == units[0] ? 0 : brief ? tenths : decimals_of(value),
                   value, unit);
}

struct word
word_unit(enum unit unit, double value, bool brief)
{
    static const char *const rates[] = {"B/s", "kB/s", "MB/s", "GB/s",
                                        "TB/s"};
    const char *rate;

    if (isnan(value))
        return (struct word){"-"};
    switch (unit) {
    case UNIT_BYTES:
        return word_bytes(whole(value));
    case UNIT_TIME:
        return word_ns(whole(value * 1000), brief);
    case UNIT_RATE:
        value *= 1e9;
        rate = scale_value(&value, 1000, 999.5, rates, 4);
        return brief ? word_of("%.3g %s", value, rate)
                     : word_of("%.*f %s", decimals_of(value), value, rate);
    default:
        return word_of(unit == UNIT_RANKS ? "%.0f" : brief ? "%.7g" : "%.4g",
                       value);
    }
}

struct word
word_rank_name(const struct schedule *s, int rank)
{
    int number = rank - schedule_members(s); /* of a switch */

    return number < 0                  ? word_of(_("GPU %d"), rank)
           : s->topology.switches == 1 ? word_of("%s", _("switch"))
                                       : word_of(_("switch %d"), number);
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
    return rank >= schedule_members(s) && s->topology.switches == 1
               ? word_of("%s", _("the switch")) : word_rank_name(s, rank);
}

struct word
word_rank_id(const struct schedule *s, int rank)
{
    return rank < schedule_members(s) ? word_of("GPU%d", rank)
                                      : word_rank_name(s, rank);
}

struct word
word_gpus(int count)
{
    return word_of(ngettext("%d GPU", "%d GPUs", (unsigned long)count), count);
}

struct word
word_chunks(int count)
{
    return word_of(ngettext("%d chunk", "%d chunks", (unsigned long)count),
                   count);
}

struct word
word_wait(const struct schedule *s, const struct event *e)
{
    if (e->wait_ns <= 0)
        return (struct word){""};
    if (e->waited_for < 0)
        return word_ns(e->wait_ns, false);
    return word_of(_("%1$s for %2$s"), word_ns(e->wait_ns, false).text,
                   word_rank(s, e->waited_for).text);
}
