/* SPDX-License-Identifier: MIT */
#include "text/words.h"

#include "base/translate.h"
#include "base/utf8.h"
#include "model/holdup.h"
#include "schedule/label.h"
#include "schedule/pattern.h"
#include "schedule/program.h"
#include "text/all_ranks.h"
#include "text/sum.h"
#include "text/text.h"

/* The name of the data in a row.  In a mismatch a rank may send a slot that
 * nobody has written. */
static void
add_name(const struct scene *s, const uint64_t *row, struct buf *out)
{
    size_t before = out->length;

    sum_name(s->world, row, out);
    if (out->length == before)
        buf_puts(out, _("an empty slot"));
}

/* The data that `nslots` slots of a rank held: "A12", "A12, A13",
 * "A12 ... A15". */
static void
add_names(const struct scene *s, int rank, int slot, int nslots, int position,
          struct buf *out)
{
    add_name(s, world_row_at(s->world, rank, slot, position), out);
    if (nslots == 1)
        return;
    buf_puts(out, nslots == 2 ? ", " : " ... ");
    add_name(s, world_row_at(s->world, rank, slot + nslots - 1, position),
             out);
}

/* The index of the transfer that carries the data that is followed, or else of
 * the one that replaces it; `count` if there is none. */
static size_t
choose_followed(const struct scene *s, int step, const struct transfer *t,
                size_t count)
{
    size_t end = count;

    for (size_t i = 0; s->trail != NULL && i < count; i++) {
        if (trail_carries(s->trail, step, &t[i]))
            return i;
        if (end == count && trail_ends(s->trail, step, &t[i]))
            end = i;
    }
    return end;
}

/* The index of the transfer to describe: one of the data that is followed, else
 * the first that the selected rank sends, else the first that it receives, else
 * the first of all. */
static size_t
choose_transfer(const struct scene *s, int step, const struct transfer *t,
                size_t count)
{
    size_t followed = choose_followed(s, step, t, count);

    if (followed < count)
        return followed;
    for (size_t i = 0; i < count; i++)
        if (t[i].src == s->selected)
            return i;
    for (size_t i = 0; i < count; i++)
        if (t[i].dst == s->selected)
            return i;
    return 0;
}

/* By tense and operator. The arguments are the sender, the data, the receiver,
 * the data that the receiver already has in that slot, and the operator. */
static const char *
sentence(bool past, enum redop op)
{
    static const char *const now[REDOPS] = {
        [REDOP_SUM] = N_("%1$s sends %2$s to %3$s, which adds it to %4$s."),
        [REDOP_PROD] =
            N_("%1$s sends %2$s to %3$s, which multiplies it by %4$s."),
        [REDOP_MIN] = N_("%1$s sends %2$s to %3$s, which keeps the smaller "
                         "of it and %4$s."),
        [REDOP_MAX] = N_("%1$s sends %2$s to %3$s, which keeps the larger "
                         "of it and %4$s."),
        [REDOP_AVG] = N_("%1$s sends %2$s to %3$s, which adds it to %4$s."),
    };
    static const char *const any[] = {
        N_("%1$s sends %2$s to %3$s, which combines it with %4$s (%5$s)."),
        N_("%1$s sent %2$s to %3$s, which combined it with %4$s (%5$s)."),
    };
    static const char *const then[REDOPS] = {
        [REDOP_SUM] = N_("%1$s sent %2$s to %3$s, which added it to %4$s."),
        [REDOP_PROD] =
            N_("%1$s sent %2$s to %3$s, which multiplied it by %4$s."),
        [REDOP_MIN] = N_("%1$s sent %2$s to %3$s, which kept the smaller "
                         "of it and %4$s."),
        [REDOP_MAX] = N_("%1$s sent %2$s to %3$s, which kept the larger "
                         "of it and %4$s."),
        [REDOP_AVG] = N_("%1$s sent %2$s to %3$s, which added it to %4$s."),
    };

    return now[op] == NULL ? _(any[past]) : _(past ? then[op] : now[op]);
}

/* Whether there is something to say about what is in the slots that a transfer
 * writes: it adds to it, or replaces what was still needed, or is followed.
 * Views show slots as empty in which nothing is needed any more. */
static bool
mentions_there(const struct scene *s, const struct transfer *t, int position)
{
    const struct outlook *o = s->world->outlook;
    int k = 0;

    if (t->op == TRANSFER_REDUCE ||
        (s->trail != NULL && trail_ends(s->trail, scene_step(s), t)))
        return true;
    while (k < t->nslots && o != NULL &&
           outlook_slot(o, position, t->dst, t->dst_slot + k)->needed)
        k++;
    return k == t->nslots;
}

static void
add_transfer(const struct scene *s, const struct transfer *t, bool past,
             struct buf *out)
{
    const struct world *w = s->world;
    int before = past ? w->position - 1 : w->position;
    char src[SCENE_NAME_MAX], dst[SCENE_NAME_MAX];
    struct buf what = {0}, there = {0};

    scene_rank_name(t->src, src);
    scene_rank_name(t->dst, dst);
    add_names(s, t->src, t->src_slot, t->nslots, before, &what);
    if (mentions_there(s, t, before))
        add_names(s, t->dst, t->add_slot, t->nslots, before, &there);
    if (t->src == t->dst && t->op == TRANSFER_REDUCE)
        buf_addf(out, past ? _("%1$s added %2$s to %3$s in its own memory.")
                           : _("%1$s adds %2$s to %3$s in its own memory."),
                 src, buf_text(&what), buf_text(&there));
    else if (t->src == t->dst)
        buf_addf(out, past ? _("%1$s copied %2$s within its own memory.")
                           : _("%1$s copies %2$s within its own memory."),
                 src, buf_text(&what));
    else if (t->op == TRANSFER_REDUCE)
        buf_addf(out, sentence(past, w->run->op), src, buf_text(&what), dst,
                 buf_text(&there), redop_name(w->run->op));
    else if (there.length > 0)
        buf_addf(out, past ? _("%1$s sent %2$s to %3$s, in place of %4$s.")
                           : _("%1$s sends %2$s to %3$s, in place of %4$s."),
                 src, buf_text(&what), dst, buf_text(&there));
    else
        buf_addf(out, past ? _("%1$s sent %2$s to %3$s.")
                           : _("%1$s sends %2$s to %3$s."),
                 src, buf_text(&what), dst);
    buf_done(&what);
    buf_done(&there);
}

/* Describes the fault that was injected into a transfer of this step, once it
 * can be seen.  Returns false if there is nothing to describe. */
static bool
add_fault(const struct scene *s, const struct transfer *t, size_t count,
          struct buf *out)
{
    static const char *const done[] = {
        [FAULT_DROP] = N_("! %1$s from %2$s to %3$s was dropped on purpose."),
        [FAULT_REPEAT] =
            N_("! %1$s from %2$s to %3$s was added twice on purpose."),
        [FAULT_CORRUPT] =
            N_("! %1$s from %2$s to %3$s was corrupted on purpose."),
    };
    char src[SCENE_NAME_MAX], dst[SCENE_NAME_MAX];
    struct buf what = {0};
    int fault = FAULT_NONE;
    size_t i = 0;

    while (i < count && (fault = scene_fault_arrived(s, i)) == FAULT_NONE)
        i++;
    if (fault == FAULT_NONE)
        return false;
    t += i;
    add_name(s,
             world_row_at(s->world, t->src, t->src_slot, scene_step(s) - 1),
             &what);
    buf_addf(out, _(done[fault]), buf_text(&what),
             scene_rank_name(t->src, src), scene_rank_name(t->dst, dst));
    buf_done(&what);
    return true;
}

/* Adds what all ranks do, or else how many transfers there are at once, as far
 * as there is room. */
static void
add_company(const struct scene *s, int columns, struct buf *out)
{
    const struct schedule *schedule = s->world->schedule;
    size_t pairs = schedule_step_pairs(schedule, scene_step(s));
    struct pattern p = pattern_of(schedule, scene_step(s));
    struct buf text = {0};
    int room = columns - utf8_columns(buf_text(out)) - 1;

    if (!all_ranks_add(&p, schedule->nranks, s->world->run->op, s->step == 0,
                       room, &text) && pairs > 1)
        buf_addf(&text,
                 ngettext("%zu transfer at once.", "%zu transfers at once.",
                          pairs), pairs);
    if (text.length > 0 && utf8_columns(buf_text(&text)) <= room)
        /* TRANSLATORS: a sentence after another one; no blank in Chinese. */
        buf_addf(out, _(" %s"), buf_text(&text));
    buf_done(&text);
}

void
words_now(const struct scene *s, int columns, struct buf *out)
{
    int step = scene_step(s);
    size_t count;
    const struct transfer *t =
        schedule_transfers(s->world->schedule, step, &count);

    if (step == 0 && s->world->schedule->nranks == 1) {
        buf_puts(out, _("A single GPU has nothing to exchange: its input is "
                        "the result."));
        return;
    }
    if (step == 0) {
        buf_puts(out, _("The input. Letters are GPUs, numbers the chunks of "
                        "their data."));
        return;
    }
    if (count == 0 || (s->world->faulty && add_fault(s, t, count, out)))
        return;
    add_transfer(s, &t[choose_transfer(s, step, t, count)], s->step == 0, out);
    add_company(s, columns, out);
}

/* The result of the library's own collective, in one line of the screen. */
static void
add_native(const struct run_native *n, struct buf *out)
{
    struct buf time = {0};

    text_ns(n->wall_ns, false, &time);
    if (n->inside[0] != '\0')
        buf_addf(out,
                 n->differ == 0 ? _("%1$s agrees, in %2$s (%3$s)")
                                : _("%1$s rounds differently, in %2$s (%3$s)"),
                 n->name, buf_text(&time), n->inside);
    else
        buf_addf(out,
                 n->differ == 0 ? _("%1$s agrees, in %2$s")
                                : _("%1$s rounds differently, in %2$s"),
                 n->name, buf_text(&time));
    buf_done(&time);
}

/* What is wrong, after the step and the link of the fault that is why. */
static void
add_wrong(const struct world *w, struct buf *out)
{
    static const char *const because[] = {
        [FAULT_DROP] =
            N_("WRONG: dropped in step %1$d from %2$s to %3$s; %4$s"),
        [FAULT_REPEAT] =
            N_("WRONG: added twice in step %1$d from %2$s to %3$s; %4$s"),
        [FAULT_CORRUPT] =
            N_("WRONG: corrupted in step %1$d from %2$s to %3$s; %4$s"),
    };
    char src[SCENE_NAME_MAX], dst[SCENE_NAME_MAX];
    const struct event *e;

    if (w->fault.step == 0) {
        buf_addf(out, _("WRONG: %s"), w->result.first_wrong);
        return;
    }
    e = &w->steps[w->fault.step].events[w->fault.index];
    buf_addf(out, _(because[e->fault]), e->step, scene_rank_name(e->src, src),
             scene_rank_name(e->dst, dst), w->result.first_wrong);
}

static enum words_tone
add_verdict(const struct world *w, struct buf *out)
{
    bool right = result_right(&w->result);

    if (right && w->result.native.name[0] != '\0')
        add_native(&w->result.native, out);
    else if (right)
        buf_puts(out, _("every element on every GPU agrees with an independent "
                        "computation."));
    else if (w->result.hangs)
        utf8_add(out, w->result.first_wrong);
    else
        add_wrong(w, out);
    return right ? WORDS_CORRECT : WORDS_WRONG;
}

/* Whether one of two ranks lacks a transfer from the other.  Then one of them
 * is enough to hold the run up. */
static bool
are_both_ends(const struct holdup *h, const int *ranks)
{
    const struct held_rank *one = &h->ranks[ranks[0]];
    const struct held_rank *other = &h->ranks[ranks[1]];

    return (one->step > 0 && one->src == ranks[1]) ||
           (other->step > 0 && other->src == ranks[0]);
}

/* "waiting for GPU 2": the ranks that hold the run up. */
static void
add_guilty(const struct holdup *h, int nranks, struct buf *out)
{
    char first[SCENE_NAME_MAX] = "", second[SCENE_NAME_MAX] = "";
    int guilty[2] = {0, 0};
    size_t count = 0;

    for (int rank = 0; rank < nranks; rank++)
        if (h->ranks[rank].guilty && count++ < 2)
            guilty[count - 1] = rank;
    scene_rank_name(guilty[0], first);
    scene_rank_name(guilty[1], second);
    if (count == 1)
        buf_addf(out, _("waiting for %s"), first);
    else if (count == 2 && are_both_ends(h, guilty))
        buf_addf(out, _("waiting for %1$s or %2$s"), first, second);
    else if (count == 2)
        buf_addf(out, _("waiting for %1$s and %2$s"), first, second);
    else if (count > 2)
        buf_addf(out, _("waiting for %s and %zu more"), first, count - 1);
}

/* "GPU 2 holds up 3 others, for ever (--delay 2=inf)", if it alone does so. */
static bool
add_forever(const struct holdup *h, int nranks, struct buf *out)
{
    char name[SCENE_NAME_MAX];
    size_t others = 0;
    int guilty = -1;

    for (int rank = 0; rank < nranks; rank++) {
        if (h->ranks[rank].guilty && guilty >= 0)
            return false;
        if (h->ranks[rank].guilty)
            guilty = rank;
        others += h->ranks[rank].waits_for >= 0;
    }
    if (!h->forever || guilty < 0)
        return false;
    buf_addf(out,
             ngettext("%1$s holds up %2$zu other, for ever (--delay %3$d=inf)",
                      "%1$s holds up %2$zu others, for ever (--delay %3$d=inf)",
                      others),
             scene_rank_name(guilty, name), others, guilty);
    return true;
}

/* What the next step lacks, if it has been awaited for a while. */
static enum words_tone
add_late(const struct scene *s, struct buf *out)
{
    const struct world *w = s->world;
    const struct world_step *next = &w->steps[w->position + 1];
    size_t missing = next->slots_expected - next->slots_done;
    struct holdup h;
    bool held = holdup_of(s, &h);

    if (missing == 0)
        return WORDS_PLAIN;
    if (held && add_forever(&h, w->schedule->nranks, out))
        return WORDS_WRONG;
    if (w->has_end) /* no rank waits any longer */
        buf_puts(out, _("the run was stopped here"));
    else if (held)
        add_guilty(&h, w->schedule->nranks, out);
    else if (s->awaited_ns >= HOLDUP_NS) /* too many ranks for holdup_of() */
        buf_addf(out,
                 ngettext("waiting for %zu chunk", "waiting for %zu chunks",
                          missing), missing);
    return WORDS_PLAIN;
}

void
words_waiting(const struct scene *s, struct buf *out)
{
    enum { MOST = 8 };
    const int nranks = s->world->schedule->nranks;
    int waiting = 0;
    struct holdup h;

    if (s->world->position >= s->world->nsteps)
        return;
    add_late(s, out);
    if (!holdup_of(s, &h))
        return;
    for (int rank = 0; rank < nranks; rank++) {
        char name[SCENE_NAME_MAX], other[SCENE_NAME_MAX];
        if (h.ranks[rank].guilty || h.ranks[rank].waits_for < 0 ||
            waiting++ >= MOST)
            continue;
        scene_rank_name(rank, name);
        scene_rank_name(h.ranks[rank].waits_for, other);
        buf_addf(out, waiting == 1 ? "; " : ", ");
        buf_addf(out, _("%1$s waits for %2$s"), name, other);
    }
    if (waiting > MOST)
        buf_puts(out, ", ...");
}

/* Whether a run that hangs has come no farther than what is shown. */
static bool
is_stuck(const struct world *w)
{
    return w->result.hangs && !world_step_complete(w, w->position + 1);
}

/* "next: GPU 0 sends A1+C1 to GPU 1". */
static void
add_next_transfer(const struct scene *s, const struct transfer *t,
                  struct buf *out)
{
    char src[SCENE_NAME_MAX], dst[SCENE_NAME_MAX];
    struct buf name = {0};

    add_name(s, world_row(s->world, t->src, t->src_slot), &name);
    scene_rank_name(t->src, src);
    scene_rank_name(t->dst, dst);
    if (t->src != t->dst)
        buf_addf(out, _("next: %1$s sends %2$s to %3$s"), src,
                 buf_text(&name), dst);
    else
        buf_addf(out, t->op == TRANSFER_REDUCE
                          ? _("next: %1$s adds %2$s in its own memory")
                          : _("next: %1$s copies %2$s within its own memory"),
                 src, buf_text(&name));
    buf_done(&name);
}

/* The next transfer, and what all ranks do, if that differs from the step that
 * is shown and there is room. */
static void
add_next(const struct scene *s, const struct transfer *t, int columns,
         struct buf *out)
{
    const struct world *w = s->world;
    int step = w->position + 1;
    struct pattern p = pattern_of(w->schedule, step);
    struct pattern shown = pattern_of(w->schedule, w->position);
    struct buf all = {0};

    add_next_transfer(s, t, out);
    if (!pattern_same(&p, &shown) &&
        all_ranks_add(&p, w->schedule->nranks, w->run->op, false,
                      columns - utf8_columns(buf_text(out)) - 2, &all))
        buf_addf(out, _(". %s"), buf_text(&all));
    buf_done(&all);
}

enum words_tone
words_next(const struct scene *s, int columns, struct buf *out)
{
    const struct world *w = s->world;
    bool goes_on = w->position < w->nsteps;
    size_t count;
    const struct transfer *t =
        schedule_transfers(w->schedule, w->position + 1, &count);

    if (w->has_result && (!goes_on || is_stuck(w)))
        return add_verdict(w, out);
    if (s->note != NULL)
        utf8_add(out, s->note);
    else if (goes_on && (s->step > 0 || s->target > w->position))
        return add_late(s, out);
    else if (count > 0)
        add_next(s, &t[choose_transfer(s, w->position + 1, t, count)],
                 columns, out);
    return WORDS_PLAIN;
}
