/* SPDX-License-Identifier: MIT */
#include "schedule/cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "schedule/walk.h"

/* The loads of the current step, by the rank that pulls. */
struct tally {
    const struct schedule *s;
    int64_t count;
    double size;
    int lanes, step;
    struct load *ranks;
    struct load total; /* of the steps before */
};

static double
larger(double a, double b)
{
    return a > b ? a : b;
}

static void
end_step(struct tally *t)
{
    struct load most = {0}, sum = {0};

    for (int rank = 0; rank < t->s->nranks; rank++) {
        const struct load *l = &t->ranks[rank];
        most.messages = larger(most.messages, l->messages);
        most.bytes = larger(most.bytes, l->bytes);
        most.added = larger(most.added, l->added);
        sum.messages += l->messages;
        sum.bytes += l->bytes;
        sum.added += l->added;
    }
    t->total.messages += larger(most.messages, sum.messages / t->lanes);
    t->total.bytes += larger(most.bytes, sum.bytes / t->lanes);
    t->total.added += larger(most.added, sum.added / t->lanes);
    memset(t->ranks, 0, (size_t)t->s->nranks * sizeof *t->ranks);
}

static void
add_slot(void *state, int step, const struct transfer *transfer, int k,
         int chunk)
{
    struct tally *t = state;
    struct load *l = &t->ranks[transfer->dst];
    double bytes =
        (double)schedule_chunk_length(t->s, t->count, chunk) * t->size;

    if (step != t->step) {
        end_step(t);
        t->step = step;
    }
    l->messages += k == 0;
    l->bytes += bytes;
    l->added += transfer->op == TRANSFER_REDUCE ? bytes : 0;
}

struct load
cost_load(const struct schedule *s, int64_t count, size_t size, int lanes)
{
    struct tally t = {.s = s, .count = count, .size = (double)size,
                      .lanes = lanes, .step = 1};

    t.ranks = mem_new((size_t)s->nranks, sizeof *t.ranks);
    schedule_walk(s, add_slot, &t);
    end_step(&t);
    free(t.ranks);
    return t.total;
}

double
cost_time(const struct cost_model *m, const struct load *l)
{
    return m->alpha * l->messages + m->beta * l->bytes + m->gamma * l->added;
}

enum { TERMS = 3 };

/* Solves the normal equations of the chosen terms (bits of `chosen`) by
 * Gaussian elimination with pivots. Returns false if they are singular. */
static bool
solve(double a[TERMS][TERMS + 1], int chosen, double x[TERMS])
{
    double m[TERMS][TERMS + 1];
    int terms[TERMS] = {0}, n = 0;

    for (int i = 0; i < TERMS; i++) {
        x[i] = 0;
        if (chosen >> i & 1)
            terms[n++] = i;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            m[i][j] = a[terms[i]][terms[j]];
        m[i][n] = a[terms[i]][TERMS];
    }
    for (int i = 0; i < n; i++) {
        int best = i;
        for (int row = i + 1; row < n; row++)
            if (fabs(m[row][i]) > fabs(m[best][i]))
                best = row;
        for (int j = i; j <= n; j++) {
            double swapped = m[i][j];
            m[i][j] = m[best][j];
            m[best][j] = swapped;
        }
        if (fabs(m[i][i]) < 1e-12)
            return false;
        for (int row = 0; row < n; row++) {
            double factor = m[row][i] / m[i][i];
            for (int j = i; row != i && j <= n; j++)
                m[row][j] -= factor * m[i][j];
        }
    }
    for (int i = 0; i < n; i++)
        x[terms[i]] = m[i][n] / m[i][i];
    return true;
}

static double
squared_errors(const struct cost_point *points, size_t n,
               const struct cost_model *m)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        double error = cost_time(m, &points[i].load) / points[i].ns - 1;
        sum += error * error;
    }
    return sum;
}

/* With three terms all subsets can be tried: the best result without a negative
 * coefficient is the optimum.  Terms are scaled to a similar size, since pivots
 * could not be compared otherwise. */
struct cost_model
cost_fit(const struct cost_point *points, size_t n)
{
    double a[TERMS][TERMS + 1] = {{0}};
    double scale[TERMS] = {0}, best_error = INFINITY;
    struct cost_model best = {0};

    for (size_t i = 0; i < n; i++) {
        scale[0] = larger(scale[0], points[i].load.messages / points[i].ns);
        scale[1] = larger(scale[1], points[i].load.bytes / points[i].ns);
        scale[2] = larger(scale[2], points[i].load.added / points[i].ns);
    }
    for (size_t i = 0; i < n; i++) {
        const struct load *l = &points[i].load;
        double row[TERMS] = {l->messages, l->bytes, l->added};
        for (int j = 0; j < TERMS; j++)
            row[j] = scale[j] > 0 ? row[j] / points[i].ns / scale[j] : 0;
        for (int j = 0; j < TERMS; j++) {
            for (int k = 0; k < TERMS; k++)
                a[j][k] += row[j] * row[k];
            a[j][TERMS] += row[j];
        }
    }
    for (int chosen = 1; chosen < 1 << TERMS; chosen++) {
        double x[TERMS], error;
        struct cost_model m;
        if (!solve(a, chosen, x) || x[0] < 0 || x[1] < 0 || x[2] < 0)
            continue;
        m = (struct cost_model){scale[0] > 0 ? x[0] / scale[0] : 0,
                                scale[1] > 0 ? x[1] / scale[1] : 0,
                                scale[2] > 0 ? x[2] / scale[2] : 0};
        error = squared_errors(points, n, &m);
        if (error < best_error) {
            best_error = error;
            best = m;
        }
    }
    return best;
}
