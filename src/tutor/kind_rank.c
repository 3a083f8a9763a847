/* SPDX-License-Identifier: MIT */
/* A rank of the run on the screen, by its number. */
#include "base/mem.h"
#include "base/translate.h"
#include "model/holdup.h"
#include "play/parse.h"
#include "tutor/question.h"

static json_t *
rank_form(const struct question *q, const json_t *v, struct err *err)
{
    (void)err;
    return question_integer(v, 0, q->nranks - 1);
}

/* The votes of a class are typed. */
static json_t *
rank_parse(const struct question *q, const char *typed, struct err *err)
{
    int rank;

    return parse_int(_("answer"), typed, 0, q->nranks - 1, &rank, err)
               ? json_integer(rank)
               : NULL;
}

static void
rank_text(const struct question *q, const json_t *v, struct buf *out)
{
    (void)q;
    buf_addf(out, _("GPU %d"), (int)json_integer_value(v));
}

/* Says whom a rank waits for, or else what it received in the last step and
 * then holds. */
static void
rank_reason(const struct question *q, const struct slip *s, struct buf *out)
{
    enum { MOST = 50 }; /* columns of what it holds */
    struct region slots;
    const struct world *w = s->world;
    int rank = (int)json_integer_value(s->given);
    struct scene scene = {.world = w, .awaited_ns = INT64_MAX};
    const struct transfer *t;
    OWN(buf) holds = {0}, label = {0};
    struct holdup h;
    int from = -1;
    size_t count;

    if (w == NULL)
        return;
    slots = schedule_outputs(w->schedule);
    if (rank >= schedule_members(w->schedule) || q->slot >= slots.count)
        return;
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

const struct question_kind kind_rank = {
    .name = "rank", .votes = true, .of_run = true,
    .samples = "[1, 2, 0]",
    .form = rank_form, .parse = rank_parse, .text = rank_text,
    .reason = rank_reason,
};
