/* SPDX-License-Identifier: MIT */
/* A modelled chart: which options it uses at which number of ranks, and
 * which network. */
#include "play/modelled.h"

#include "tap.h"

/* Sorts the words: options come first. */
static struct modelled
model_of(char **words, int count)
{
    struct modelled m;
    OWN(options) o;
    struct err err;

    if (!options_parse(&o, count, words, &err) ||
        !modelled_init(&m, &o, &err))
        die("%s", err.text);
    return m;
}

/* The time of 1 GiB in us; 0 if the chart over the size has no curve. */
static double
time_on(struct modelled *m, int nranks)
{
    struct series_set set = {0};
    const struct series *s;
    OWN(buf) note = {0};
    double us = 0;

    m->nranks = nranks;
    modelled_series(m, OVER_BYTES, &set, &note);
    s = set.series;
    if (set.n == 1 && s->n > 0 && note.length == 0)
        us = s->points[s->n - 1].us;
    else
        diag("%d ranks: %s", nranks, buf_text(&note));
    series_set_done(&set);
    return us;
}

static void
test_shape(void)
{
    char *given[] = {"chart", "torus2d-allreduce", "--shape", "2x8"};
    char *own[] = {"chart", "torus2d-allreduce", "--gpus", "16"};
    struct modelled shaped = model_of(given, 4), other = model_of(own, 4);

    is_int(shaped.nranks, 16, "a shape of 2x8 is 16 ranks");
    ok(time_on(&shaped, 32) > 0 && time_on(&shaped, 8) > 0,
       "other numbers of ranks get a shape of their own");
    ok(time_on(&shaped, 32) == time_on(&other, 32), "the usual one");
    ok(time_on(&shaped, 16) != time_on(&other, 16),
       "and 16 ranks again the one that was given");
}

static void
test_network(void)
{
    char *words[] = {"chart", "ring-allreduce", "--network", "none"};
    struct modelled m = model_of(words, 2);

    is_str(m.network.name, "ethernet", "a chart needs a network: ethernet");
    m = model_of(words, 4);
    is_str(m.network.name, "ethernet", "also if none is asked for");
}

int
main(void)
{
    test_shape();
    test_network();
    return done_testing();
}
