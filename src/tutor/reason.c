/* SPDX-License-Identifier: MIT */
/* Reasons why answers are wrong:
 *
 *     That is 2N, twice the number of GPUs.
 *     Slot 1 of GPU 2 holds that after step 3.
 *     In step 2 GPU 1 receives from GPU 0; then it holds A0+C0, B1, B2. */
#include <math.h>
#include <string.h>

#include "base/dtype.h"
#include "base/mem.h"
#include "base/translate.h"
#include "model/holdup.h"
#include "tutor/verbs.h"

/* Numbers. */

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
    double chunk = (double)schedule_chunk_length(s, w->run->count, 0);
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
        {ceil(log2(n)), N_("That is how often N can be halved.")},
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
        if (fabs(given - counts[i].value) <= 1e-6 * fabs(given))
            return _(counts[i].text);
    return NULL;
}

static void
add_number_reason(const struct world *w, double given, double truth,
                  struct buf *out)
{
    const char *phase = w != NULL ? phase_of(w->schedule, given) : NULL;
    const char *text = w != NULL && given != 0 ? describe_number(w, given)
                                               : NULL;

    if (phase != NULL && phase[0] != '\0')
        buf_addf(out, _("That is how many steps %s has."), translated(phase));
    else if (text != NULL)
        buf_puts(out, text);
    else
        buf_puts(out, given < truth ? _("It is more than that.")
                                    : _("It is less than that."));
}

/* Data. */

struct place {
    int step, rank, slot;
};

/* Looks for data in the slot that is asked about, or else in others: first in
 * those of its rank, then in all.  Returns false if no slot ever holds it. */
static bool
find_data(const struct world *w, const struct question *q, const json_t *given,
          struct place *p)
{
    struct region out = schedule_outputs(w->schedule);
    OWN(buf) text = {0};

    for (int pass = 0; pass < 3; pass++)
        for (p->step = 0; p->step <= w->nsteps; p->step++)
            for (p->rank = 0; p->rank < w->schedule->nranks; p->rank++)
                for (p->slot = 0; p->slot < out.count; p->slot++) {
                    json_auto_t *here = NULL;
                    if ((pass < 2 && p->rank != q->rank) ||
                        (pass < 1 && p->slot != q->slot))
                        continue;
                    buf_clear(&text);
                    outlook_name(w->outlook, p->step, p->rank,
                                 out.first + p->slot, &text);
                    here = json_string(buf_text(&text));
                    if (question_is_right(q, given, here))
                        return true;
                }
    return false;
}

/* Says where the run has the data.  `now` is the step that the learner sees. */
static void
add_place_reason(const struct world *w, const struct question *q,
                 const json_t *given, int now, struct buf *out)
{
    struct place p;

    if (w->outlook == NULL)
        buf_puts(out, _("The run shows something else."));
    else if (!find_data(w, q, given, &p))
        buf_puts(out, json_string_length(given) == 0
                          ? _("No slot is ever empty in this run.")
                          : _("No slot of this run ever holds that."));
    else if (p.step == now && p.rank == q->rank && p.slot == q->slot)
        buf_puts(out, _("That is what it holds now."));
    else if (p.step == 0)
        buf_addf(out, _("Slot %1$d of GPU %2$d holds that at the start."),
                 p.slot, p.rank);
    else
        buf_addf(out, _("Slot %1$d of GPU %2$d holds that after step %3$d."),
                 p.slot, p.rank, p.step);
}

/* Ranks. */

/* Says whom a rank waits for, or else what it received in the last step and
 * then holds. */
static void
add_rank_reason(const struct world *w, const struct question *q, int rank,
                struct buf *out)
{
    enum { MOST = 50 }; /* columns of what it holds */
    struct region slots = schedule_outputs(w->schedule);
    struct scene scene = {.world = w, .awaited_ns = INT64_MAX};
    const struct transfer *t;
    OWN(buf) holds = {0}, label = {0};
    struct holdup h;
    int from = -1;
    size_t count;

    if (rank >= schedule_members(w->schedule) || q->slot >= slots.count) {
        buf_puts(out, _("The run shows something else."));
        return;
    }
    if (!w->has_end && holdup_of(&scene, &h) && h.ranks[rank].waits_for >= 0) {
        buf_addf(out, _("GPU %1$d waits for GPU %2$d."), rank,
                 h.ranks[rank].waits_for);
        return;
    }
    if (q->slot >= 0)
        slots = (struct region){slots.first + q->slot, 1};
    for (int slot = slots.first; slot < slots.first + slots.count; slot++) {
        buf_clear(&label);
        world_label(w, world_row(w, rank, slot), true, &label);
        if (label.length == 0)
            continue;
        if (holds.length + label.length > MOST) {
            buf_puts(&holds, " ...");
            break;
        }
        buf_addf(&holds, "%s%s", holds.length > 0 ? ", " : "",
                 buf_text(&label));
    }
    if (holds.length == 0)
        buf_puts(&holds, _("nothing"));
    t = schedule_transfers(w->schedule, w->position, &count);
    for (size_t i = 0; w->position > 0 && i < count && from < 0; i++)
        if (t[i].dst == rank && t[i].src != rank)
            from = t[i].src;
    if (from >= 0)
        buf_addf(out, _("In step %1$d GPU %2$d receives from GPU %3$d; then it "
                        "holds %4$s."), w->position, rank, from,
                 buf_text(&holds));
    else
        buf_addf(out, _("GPU %1$d holds %2$s then."), rank, buf_text(&holds));
}

/* Names the first two items that stand the wrong way round. */
static void
add_order_reason(const struct question *q, const json_t *given,
                 const json_t *truth, struct buf *out)
{
    int place[QUIZ_ITEMS + 1] = {0};

    for (int i = 0; i < q->nitems; i++)
        place[json_integer_value(json_array_get(truth, (size_t)i))] = i;
    for (size_t i = 0; i + 1 < (size_t)q->nitems; i++) {
        int a = (int)json_integer_value(json_array_get(given, i));
        int b = (int)json_integer_value(json_array_get(given, i + 1));
        if (place[a] < place[b])
            continue;
        buf_addf(out, _("%1$s does not come before %2$s."), question_item(q, a),
                 question_item(q, b));
        return;
    }
}

void
reason_add(const struct question *q, const json_t *given, const json_t *truth,
           const struct world *w, int now, struct buf *out)
{
    if (q->kind == QUIZ_NUMBER)
        add_number_reason(w, json_number_value(given),
                          json_number_value(truth), out);
    else if (q->kind == QUIZ_LABEL && w != NULL)
        add_place_reason(w, q, given, now, out);
    else if (q->kind == QUIZ_RANK && w != NULL)
        add_rank_reason(w, q, (int)json_integer_value(given), out);
    else if (q->kind == QUIZ_ORDER)
        add_order_reason(q, given, truth, out);
    else
        buf_puts(out, _("The run shows something else."));
}
