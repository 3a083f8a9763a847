/* SPDX-License-Identifier: MIT */
/* A number, which may be wrong by a part of the truth. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/dtype.h"
#include "base/mem.h"
#include "base/translate.h"
#include "model/world.h"
#include "tutor/question.h"

static json_t *
number_form(const struct question *q, const json_t *v, struct err *err)
{
    (void)q;
    (void)err;
    return json_is_number(v) ? json_deep_copy(v) : NULL;
}

/* Units, in those of their kind that count where a question names none. */
static const struct unit {
    const char *name;
    double value;
    char of; /* time, bytes, a rate, a fraction */
} units[] = {
    {"us", 1, 't'},     {"ns", 1e-3, 't'},   {"ms", 1e3, 't'},
    {"s", 1e6, 't'},    {"B", 1, 'b'},       {"KiB", 0x1p10, 'b'},
    {"MiB", 0x1p20, 'b'}, {"GiB", 0x1p30, 'b'}, {"kB", 1e3, 'b'},
    {"MB", 1e6, 'b'},   {"GB", 1e9, 'b'},    {"K", 0x1p10, 'b'},
    {"M", 0x1p20, 'b'}, {"G", 0x1p30, 'b'},  {"GB/s", 1, 'r'},
    {"MB/s", 1e-3, 'r'}, {"Gb/s", 0.125, 'r'}, {"%", 0.01, 'f'},
};

static const struct unit *
find_unit(const char *name)
{
    size_t count = sizeof units / sizeof *units;

    for (size_t i = 0; i < 2 * count; i++)
        if ((i < count ? strcmp : strcasecmp)(units[i % count].name, name) == 0)
            return &units[i % count];
    return NULL;
}

/* Reads "1,000.5", and moves *text behind it.  Returns false if there is no
 * number. */
static bool
scan_number(const char **text, double *value)
{
    OWN(buf) digits = {0};
    const char *p = *text + strspn(*text, " ");
    char *end;

    for (size_t run = 0; *p != '\0'; p++) {
        bool grouped = *p == ',' && run >= 1 && run <= 3 &&
                       strspn(p + 1, "0123456789") == 3;
        run = isdigit((unsigned char)*p) ? run + 1 : 0;
        if (!grouped && !isdigit((unsigned char)*p) &&
            !(strchr(".+-", *p) != NULL) &&
            !((*p == 'e' || *p == 'E') &&
              strspn(p + 1, "+-0123456789") > 0))
            break;
        if (!grouped)
            buf_putc(&digits, *p);
    }
    errno = 0;
    *value = strtod(buf_text(&digits), &end);
    *text = p + strspn(p, " ");
    return digits.length > 0 && *end == '\0' && errno == 0;
}

/* "8", "0.75", "3/4", "1,000", "64 KiB", "0.5 ms", "75 %" */
static json_t *
number_parse(const struct question *q, const char *typed, struct err *err)
{
    const struct unit *asked = q->unit != NULL ? find_unit(q->unit) : NULL;
    const char *rest = typed;
    double value, below = 1;
    bool ok = scan_number(&rest, &value);

    if (ok && *rest == '/') {
        rest++;
        ok = scan_number(&rest, &below);
    }
    value /= below;
    if (ok && *rest != '\0') {
        OWN(buf) name = {0};
        const struct unit *u;
        buf_add(&name, rest, strlen(rest));
        while (name.length > 0 && name.data[name.length - 1] == ' ')
            name.data[--name.length] = '\0';
        u = find_unit(buf_text(&name));
        ok = u != NULL && (asked == NULL || asked->of == u->of);
        value *= ok ? u->value / (asked != NULL ? asked->value : 1) : 1;
    }
    if (!ok || !isfinite(value)) {
        err_set(err, _("'%s': a number is wanted, like 8, 0.75, 3/4, 1,000, 75 "
                       "%%, 64 KiB or 0.5 ms"), typed);
        return NULL;
    }
    return value == floor(value) && fabs(value) < 1e15
               ? json_integer((json_int_t)value)
               : json_real(value);
}

static void
number_text(const struct question *q, const json_t *v, struct buf *out)
{
    (void)q;
    buf_addf(out, "%.10g", json_number_value(v));
}

static bool
number_right(const struct question *q, const json_t *given,
             const json_t *truth)
{
    return fabs(json_number_value(given) - json_number_value(truth)) <=
           fmax(1e-6, q->within) * fabs(json_number_value(truth));
}

/* The most of all ranks, or with `all` the sum. */
static double
over_ranks(const struct world *w, const int64_t *by_rank, bool all)
{
    double sum = 0, most = 0;

    for (int rank = 0; rank < schedule_members(w->schedule); rank++) {
        double value = (double)by_rank[rank];
        sum += value;
        most = value > most ? value : most;
    }
    return all ? sum : most;
}

/* The phase of a run that has so many steps, if it is not all of it; NULL:
 * there is none. */
static const char *
phase_of(const struct schedule *s, double steps)
{
    for (int first = 0, step = 1; step <= s->nsteps; step++) {
        const char *phase = s->steps[first].phase;
        if (step < s->nsteps && strcmp(s->steps[step].phase, phase) == 0)
            continue;
        if (step - first < s->nsteps && steps == step - first)
            return phase;
        first = step;
    }
    return NULL;
}

/* A sentence that says what a number counts in a run; NULL: nothing. */
static const char *
describe_number(const struct world *w, double given)
{
    const struct schedule *s = w->schedule;
    double n = schedule_members(s), bytes = dtype_size(w->run->type);
    double count = (double)w->run->count;
    double chunk = (double)schedule_chunk_length(s, w->run->count,
                                                 s->longest);
    const char *text = NULL;
    size_t transfers = 0;
    double link = 0;

    for (int step = 0; step < s->nsteps; step++)
        transfers += s->steps[step].count;
    for (int i = 0; w->links != NULL && i < s->nranks * s->nranks; i++)
        link = fmax(link, (double)w->links[i].total);
    const struct {
        double value;
        const char *text;
    } counts[] = {
        {s->nsteps, N_("That is how many steps the whole run has.")},
        {w->position, N_("That is how many steps have been taken by then.")},
        {n, N_("That is N, the number of GPUs.")},
        {n - 1, N_("That is N-1, the number of the other GPUs.")},
        {n + 1, N_("That is N+1, one more than there are GPUs.")},
        {2 * n, N_("That is 2N, twice the number of GPUs.")},
        {2 * (n - 1), N_("That is 2(N-1), twice the number of the others.")},
        {n / 2, N_("That is N/2, half the number of GPUs.")},
        {n * (n - 1), N_("That is N(N-1), one for each sender and receiver.")},
        {n * n, N_("That is N times N.")},
        {over_ranks(w, w->sent, false),
         N_("So many bytes the busiest GPU has sent by then.")},
        {over_ranks(w, w->to_send, false),
         N_("So many bytes the busiest GPU sends in the whole run.")},
        {over_ranks(w, w->to_receive, false),
         N_("So many bytes the busiest GPU receives in the whole run.")},
        {over_ranks(w, w->to_send, true),
         N_("So many bytes all GPUs together send in the whole run.")},
        {count * bytes, N_("That is S, the bytes of a GPU's data.")},
        {2 * count * bytes,
         N_("That is 2 S, twice the bytes of a GPU's data.")},
        {n * count * bytes, N_("So many bytes are the data of all GPUs.")},
        {chunk * bytes, N_("So many bytes are one chunk.")},
        {link, N_("So many bytes the busiest link carries.")},
        {count, N_("So many elements are the data of a GPU.")},
        {chunk, N_("So many elements are one chunk.")},
        {(double)transfers,
         N_("That is how many messages all GPUs send in the whole run.")},
    };

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (fabs(given - counts[i].value) <= 1e-6 * fabs(given)) {
            if (text != NULL)
                return NULL; /* it may be either, or chance */
            text = _(counts[i].text);
        }
    return text;
}

static void
number_reason(const struct question *q, const struct slip *s,
              struct buf *out)
{
    const struct world *w = s->world;
    double n = json_number_value(s->given);
    const char *phase = w != NULL ? phase_of(w->schedule, n) : NULL;
    const char *text = w != NULL && n != 0 ? describe_number(w, n) : NULL;

    (void)q;
    if (phase != NULL && phase[0] != '\0')
        buf_addf(out, _("That is how many steps %s has."), translated(phase));
    else if (text != NULL)
        buf_puts(out, text);
    else
        buf_puts(out, n < json_number_value(s->truth)
                          ? _("It is more than that.")
                          : _("It is less than that."));
}

const struct question_kind kind_number = {
    .name = "number", .votes = true,
    .hint = N_("a number: 8, 0.75 or 3/4"),
    .samples = "[1, 2, 0]",
    .form = number_form, .parse = number_parse, .text = number_text,
    .right = number_right, .reason = number_reason,
};
