/* SPDX-License-Identifier: MIT */
#include "text/words.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/translate.h"
#include "base/utf8.h"
#include "model/holdup.h"
#include "schedule/pattern.h"
#include "schedule/program.h"
#include "text/sum.h"
#include "text/word.h"

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
add_data_names(const struct scene *s, int rank, int slot, int nslots,
               int position, struct buf *out)
{
    add_name(s, world_row_at(s->world, rank, slot, position), out);
    if (nslots == 1)
        return;
    buf_puts(out, nslots == 2 ? ", " : " ... ");
    add_name(s, world_row_at(s->world, rank, slot + nslots - 1, position),
             out);
}

/* The index of the transfer to describe: one of the data that is followed, else
 * one that replaces it, else the first that the selected rank sends, else the
 * first that it receives, else the first of all. */
static size_t
choose_transfer(const struct scene *s, int step, const struct transfer *t,
                size_t count)
{
    size_t best = 0;

    for (size_t i = 0, best_rank = 0; i < count; i++) {
        size_t rank =
            s->trail != NULL && trail_carries(s->trail, step, &t[i]) ? 4
            : s->trail != NULL && trail_ends(s->trail, step, &t[i])  ? 3
            : t[i].src == s->selected                                ? 2
                                      : t[i].dst == s->selected;
        if (rank > best_rank) {
            best = i;
            best_rank = rank;
        }
    }
    return best;
}

/* The arguments of the sentence are the sender, the data, the receiver, the
 * data that the receiver already has in that slot, and the operator. */
static const char *
transfer_sentence(bool past, enum redop op)
{
    static const char *const known[REDOPS][2] = {
        [REDOP_SUM] = {N_("%1$s sends %2$s to %3$s, which adds it to %4$s."),
                       N_("%1$s sent %2$s to %3$s, which added it to %4$s.")},
        [REDOP_PROD] =
            {N_("%1$s sends %2$s to %3$s, which multiplies it by %4$s."),
             N_("%1$s sent %2$s to %3$s, which multiplied it by %4$s.")},
        [REDOP_MIN] = {N_("%1$s sends %2$s to %3$s, which keeps the smaller "
                          "of it and %4$s."),
                       N_("%1$s sent %2$s to %3$s, which kept the smaller "
                          "of it and %4$s.")},
        [REDOP_MAX] = {N_("%1$s sends %2$s to %3$s, which keeps the larger "
                          "of it and %4$s."),
                       N_("%1$s sent %2$s to %3$s, which kept the larger "
                          "of it and %4$s.")},
    };
    static const char *const other[] = {
        N_("%1$s sends %2$s to %3$s, which combines it with %4$s (%5$s)."),
        N_("%1$s sent %2$s to %3$s, which combined it with %4$s (%5$s)."),
    };

    op = op == REDOP_AVG ? REDOP_SUM : op;
    return _(known[op][past] != NULL ? known[op][past] : other[past]);
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
say_transfer(const struct scene *s, const struct transfer *t, bool past,
             struct buf *out)
{
    const struct world *w = s->world;
    int before = past ? w->position - 1 : w->position;
    bool begins = t->dst >= schedule_members(w->schedule) &&
                  ledger_is_empty(world_row_at(w, t->dst, t->add_slot, before),
                                  w->schedule->nranks); /* a switch's sum */
    bool adds = t->op == TRANSFER_REDUCE && !begins, local = t->src == t->dst;
    OWN(buf) what = {0}, there = {0};
    const char *format;
    size_t begin = out->length;

    add_data_names(s, t->src, t->src_slot, t->nslots, before, &what);
    if (!begins && mentions_there(s, t, before))
        add_data_names(s, t->dst, t->add_slot, t->nslots, before, &there);
    if (local && adds)
        format = past ? _("%1$s added %2$s to %3$s in its own memory.")
                      : _("%1$s adds %2$s to %3$s in its own memory.");
    else if (local)
        format = past ? _("%1$s copied %2$s within its own memory.")
                      : _("%1$s copies %2$s within its own memory.");
    else if (adds)
        format = transfer_sentence(past, w->run->op);
    else if (there.length > 0)
        format = past ? _("%1$s sent %2$s to %3$s, in place of %4$s.")
                      : _("%1$s sends %2$s to %3$s, in place of %4$s.");
    else
        format = past ? _("%1$s sent %2$s to %3$s.")
                      : _("%1$s sends %2$s to %3$s.");
    buf_addf(out, format, word_rank(w->schedule, t->src).text,
             buf_text(&what),
             local ? buf_text(&there) : word_rank(w->schedule, t->dst).text,
             buf_text(&there), redop_name(w->run->op));
    if (t->src >= schedule_members(w->schedule)) /* "the switch" */
        out->data[begin] = (char)toupper((unsigned char)out->data[begin]);
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
    OWN(buf) what = {0};
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
             word_rank(s->world->schedule, t->src).text,
             word_rank(s->world->schedule, t->dst).text);
    return true;
}

/* How much a sentence about all ranks says. */
enum length { BRIEF, AMOUNT, ADDS, LENGTHS };

/* Sentences about what all ranks do, or did.  The arguments are where the data
 * goes and how much, for some ranks with the senders between them; for one
 * sender only how much, as the sentence before is about the same sender. */
enum { PATTERN_PAIRS = PATTERN_LOCAL + 1, PATTERNS };
static const char *const all_ranks[PATTERNS][2][LENGTHS] = {
    [PATTERN_RING] =
        {{N_("Each sends to %1$s."), N_("Every GPU sends %2$s to %1$s."),
          N_("Every GPU sends %2$s to %1$s and adds what it receives.")},
         {N_("Each sent to %1$s."), N_("Every GPU sent %2$s to %1$s."),
          N_("Every GPU sent %2$s to %1$s and added what it received.")}},
    [PATTERN_PAIRS] =
        {{N_("Pairs %1$s exchange."), N_("GPUs %1$s exchange %2$s."),
          N_("GPUs %1$s exchange %2$s and add what they receive.")},
         {N_("Pairs %1$s exchanged."), N_("GPUs %1$s exchanged %2$s."),
          N_("GPUs %1$s exchanged %2$s and added what they received.")}},
    [PATTERN_TO_ONE] =
        {{N_("So do all others."), N_("All others send %2$s to %1$s."),
          N_("All others send %2$s to %1$s, which adds them up.")},
         {N_("So did all others."), N_("All others sent %2$s to %1$s."),
          N_("All others sent %2$s to %1$s, which added them up.")}},
    [PATTERN_FROM_ONE] =
        {{N_("It sends to all others, too."),
          N_("It sends %1$s to each of the others, too.")},
         {N_("It sent to all others, too."),
          N_("It sent %1$s to each of the others, too.")}},
    [PATTERN_SOME] =
        {{N_("GPUs %2$s send to %1$s."),
          N_("GPUs %2$s each send %3$s to %1$s."),
          N_("GPUs %2$s each send %3$s to %1$s, which adds what "
             "it receives.")},
         {N_("GPUs %2$s sent to %1$s."),
          N_("GPUs %2$s each sent %3$s to %1$s."),
          N_("GPUs %2$s each sent %3$s to %1$s, which added what "
             "it received.")}},
    [PATTERN_LOCAL] = {{N_("Every GPU does so.")}, {N_("Every GPU did so.")}},
};

/* "the next in its group of 4", "every other", "4 apart" */
static void
add_peer_place(const struct pattern *p, const struct schedule *s, bool pairs,
               struct buf *out)
{
    const char *direction = p->distance == 1    ? _("the next")
                            : p->distance == -1 ? _("the one before")
                            : p->distance > 0   ? _("the one %d ahead")
                                                : _("the one %d behind");
    OWN(buf) text = {0};

    buf_addf(&text, direction, abs(p->distance));
    if (p->kind == PATTERN_EVERY)
        buf_puts(out, _("every other"));
    else if (p->kind == PATTERN_TO_ONE)
        buf_puts(out, word_rank(s, p->rank).text);
    else if (pairs)
        buf_addf(out, _("%d apart"), p->distance);
    else if (p->group < s->nranks)
        buf_addf(out, _("%1$s in its group of %2$d"), buf_text(&text),
                 p->group);
    else
        buf_puts(out, buf_text(&text));
}

static void
add_senders(const struct pattern *p, struct buf *out)
{
    int second = p->first + p->stride;
    int last = p->first + (p->count - 1) * p->stride;

    if (p->count == 2)
        buf_addf(out, _("%1$d and %2$d"), p->first, last);
    else if (p->stride == 1)
        buf_addf(out, _("%1$d to %2$d"), p->first, last);
    else
        buf_addf(out, p->count == 3 ? "%d, %d, %d" : "%d, %d ... %d",
                 p->first, second, last);
}

bool
words_all_ranks(const struct pattern *p, const struct schedule *s,
                enum redop op, bool past, int columns, struct buf *out)
{
    bool pairs = p->kind == PATTERN_RING && p->group == 2 * p->distance;
    int kind = pairs                         ? PATTERN_PAIRS
               : p->kind == PATTERN_EVERY ? PATTERN_RING
                                          : (int)p->kind;
    const char *const *texts = all_ranks[kind][past];
    OWN(buf) place = {0}, senders = {0}, amount = {0}, text = {0};
    const struct buf *first = p->kind == PATTERN_FROM_ONE ? &amount : &place;
    const struct buf *second = p->kind == PATTERN_SOME ? &senders : &amount;
    bool fits = false;

    add_peer_place(p, s, pairs, &place);
    add_senders(p, &senders);
    if (p->slots == 0)
        buf_puts(&amount, _("data"));
    else
        buf_addf(&amount, ngettext("a chunk", "%d chunks", (unsigned)p->slots),
                 p->slots);
    for (int i = p->reduces && redop_adds(op) ? ADDS : AMOUNT; i >= 0 && !fits;
         i--) {
        if (texts[i] == NULL)
            continue;
        buf_clear(&text);
        buf_addf(&text, _(texts[i]), buf_text(first), buf_text(second),
                 buf_text(&amount));
        fits = utf8_columns(buf_text(&text)) <= columns;
    }
    if (fits)
        buf_puts(out, buf_text(&text));
    return fits;
}

/* Adds what all ranks do, or else how many transfers there are at once, if
 * there is room. */
static void
add_company(const struct scene *s, int columns, struct buf *out)
{
    const struct schedule *schedule = s->world->schedule;
    size_t pairs = schedule_step_pairs(schedule, scene_step(s));
    struct pattern p = pattern_of(schedule, scene_step(s));
    OWN(buf) text = {0};
    int room = columns - utf8_columns(buf_text(out)) - 1;

    if (!words_all_ranks(&p, schedule, s->world->run->op, s->step == 0, room,
                         &text) && pairs > 1)
        buf_addf(&text,
                 ngettext("%zu transfer at once.", "%zu transfers at once.",
                          pairs), pairs);
    if (text.length > 0 && utf8_columns(buf_text(&text)) <= room)
        /* TRANSLATORS: a sentence after another one; no blank in Chinese. */
        buf_addf(out, _(" %s"), buf_text(&text));
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
    say_transfer(s, &t[choose_transfer(s, step, t, count)], s->step == 0, out);
    add_company(s, columns, out);
}

static void
say_wait(const struct schedule *s, const struct rank_wait *wait,
         struct buf *out)
{
    const char *format =
        wait->kind == WAIT_THROUGH ? _("%1$s has finished")
        : wait->kind == WAIT_TRUNCATED
            ? _("%1$s stopped at a message of length %4$lld from %2$s where it "
                "expects %5$lld (step %3$d)")
        : wait->kind == WAIT_SEND
            ? _("%1$s waits until %2$s receives (step %3$d)")
            : _("%1$s waits for %2$s (step %3$d)");

    buf_addf(out, format, word_rank(s, wait->rank).text,
             word_rank(s, wait->peer).text, wait->step,
             (long long)wait->length, (long long)wait->room);
}

static void
say_chain(const struct schedule *s, const struct wrong *w, struct buf *out)
{
    for (int i = 0; i < w->nwaits; i++) {
        buf_puts(out, i > 0 ? _(", ") : "");
        say_wait(s, &w->waits[i], out);
        if (i == 0 && w->skipped > 0)
            buf_addf(out, _(", and so on for %d more"), w->skipped);
    }
    buf_puts(out, w->cycle ? _(": a cycle") : "");
    if (w->others > 0)
        buf_addf(out,
                 ngettext("; %d more waits", "; %d more wait",
                          (unsigned)w->others), w->others);
}

void
words_wrong(const struct schedule *s, const struct wrong *w, struct buf *out)
{
    const struct rank_wait *m = &w->waits[0]; /* the message */
    struct word rank = word_rank(s, w->rank), peer = word_rank(s, w->peer);
    long long element = w->element;

    if (w->library[0] != '\0')
        utf8_addf(out, _("%s: "), w->library);
    switch (w->kind) {
    case WRONG_NOTHING:
        break;
    case WRONG_VALUE:
        utf8_addf(out, _("%1$s, chunk %2$d, element %3$lld: expected %4$s, "
                         "found %5$s"),
                  rank.text, w->chunk, element, w->expected, w->found);
        break;
    case WRONG_UNLIKE:
        utf8_addf(out, _("%1$s, chunk %2$d, element %3$lld: found %4$s, %5$s "
                         "has %6$s by the same additions"),
                  rank.text, w->chunk, element, w->found, peer.text,
                  w->expected);
        break;
    case WRONG_SUM:
        utf8_addf(out, _("%1$s, chunk %2$d: it holds %3$s"), rank.text,
                  w->chunk, w->said);
        break;
    case WRONG_HANGS:
    case WRONG_STOPS:
        buf_puts(out, w->kind == WRONG_HANGS ? _("the run hangs: ")
                                             : _("the run stops: "));
        say_chain(s, w, out);
        break;
    case WRONG_UNRECEIVED:
        buf_addf(out, _("%1$s never receives what %2$s sends it in step %3$d"),
                 word_rank(s, m->rank).text, word_rank(s, m->peer).text,
                 m->step);
        break;
    case WRONG_LENGTH:
        buf_addf(out, _("%1$s expects a message of length %2$lld in step "
                        "%3$d, %4$s sends one of length %5$lld"),
                 word_rank(s, m->rank).text, (long long)m->room, m->step,
                 word_rank(s, m->peer).text, (long long)m->length);
        break;
    case WRONG_SAID:
        utf8_add(out, w->said);
    }
}

/* Says what is wrong, after the step and link of the fault that caused it. */
static void
add_wrong(const struct world *w, struct buf *out)
{
    static const char *const because[] = {
        [FAULT_DROP] =
            N_("dropped in step %1$d from %2$s to %3$s; %4$s"),
        [FAULT_REPEAT] =
            N_("added twice in step %1$d from %2$s to %3$s; %4$s"),
        [FAULT_CORRUPT] =
            N_("corrupted in step %1$d from %2$s to %3$s; %4$s"),
    };
    OWN(buf) found = {0};

    words_wrong(w->schedule, &w->result.first_wrong, &found);
    if (w->fault.step == 0) {
        buf_puts(out, buf_text(&found));
    } else {
        const struct event *e =
            &w->steps[w->fault.step].events[w->fault.index];
        buf_addf(out, _(because[e->fault]), e->step,
                 word_rank(w->schedule, e->src).text,
                 word_rank(w->schedule, e->dst).text, buf_text(&found));
    }
}

/* Says that a result is right, or what is odd about one that is: in 80 columns
 * there is room for either. */
static void
add_correct_words(const struct world *w, struct buf *out)
{
    const struct run_result *r = &w->result;

    if (r->unequal > 0)
        buf_addf(out,
                 ngettext("but GPUs round %1$" PRId64 " of %2$" PRId64
                          " element differently",
                          "but GPUs round %1$" PRId64 " of %2$" PRId64
                          " elements differently",
                          (unsigned long)w->run->count),
                 r->unequal, w->run->count);
    if (r->unequal > 0 && r->overflowed > 0)
        buf_addf(out, _("; %" PRId64 " overflowed."), r->overflowed);
    else if (r->unequal > 0)
        buf_puts(out, _(": their orders differ."));
    else if (r->overflowed > 0)
        buf_addf(out, ngettext("%" PRId64 " element overflowed: it is infinite "
                               "or NaN.",
                               "%" PRId64 " elements overflowed: they are "
                               "infinite or NaN.",
                               (unsigned long)r->overflowed),
                 r->overflowed);
    else
        buf_puts(out, _("every element on every GPU agrees with an independent "
                        "computation."));
}

static enum words_tone
add_verdict_words(const struct world *w, struct buf *out)
{
    bool right = result_right(&w->result);
    const struct run_native *n = &w->result.native;
    bool inside = n->inside[0] != '\0', same = n->differ == 0;

    if (right && n->apart.elements > 0)
        buf_addf(out, _("%1$s has %2$s where this run has %3$s"), n->name,
                 n->apart.own, n->apart.ours);
    else if (right && n->name[0] != '\0')
        buf_addf(out,
                 same && inside ? _("%1$s agrees, in %2$s (%3$s)")
                 : same         ? _("%1$s agrees, in %2$s")
                 : inside ? _("%1$s rounds differently, in %2$s (%3$s)")
                          : _("%1$s rounds differently, in %2$s"),
                 n->name, word_ns(n->wall_ns, false).text, n->inside);
    else if (right)
        add_correct_words(w, out);
    else if (w->result.hangs && w->result.first_wrong.kind == WRONG_HANGS)
        say_chain(w->schedule, &w->result.first_wrong, out);
    else if (w->result.hangs)
        words_wrong(w->schedule, &w->result.first_wrong, out);
    else
        add_wrong(w, out);
    if (right)
        return WORDS_CORRECT;
    return w->result.hangs && w->result.first_wrong.kind != WRONG_STOPS
               ? WORDS_HANGS
               : WORDS_WRONG;
}

/* "waiting for GPU 2": the ranks that hold the run up.  If two of them are the
 * ends of one transfer, one is enough. */
static void
add_causes(const struct holdup *h, struct buf *out)
{
    const int *causes = h->causes;
    const struct held_rank *one = &h->ranks[causes[0]];
    const struct held_rank *other = &h->ranks[causes[1]];
    struct word first = word_rank(h->schedule, causes[0]);
    struct word second = word_rank(h->schedule, causes[1]);

    if (h->ncauses == 1)
        buf_addf(out, _("waiting for %s"), first.text);
    else if (h->ncauses == 2 && ((one->step > 0 && one->src == causes[1]) ||
                                 (other->step > 0 && other->src == causes[0])))
        buf_addf(out, _("waiting for %1$s or %2$s"), first.text, second.text);
    else if (h->ncauses == 2)
        buf_addf(out, _("waiting for %1$s and %2$s"), first.text, second.text);
    else if (h->ncauses > 2)
        buf_addf(out, _("waiting for %s and %zu more"), first.text,
                 (size_t)h->ncauses - 1);
}

/* Says what the next step lacks, if it has been awaited for a while. */
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
    if (held && h.forever && h.ncauses == 1) {
        buf_addf(out,
                 ngettext("%1$s holds up %2$zu other, for ever "
                          "(--delay %3$d=inf)",
                          "%1$s holds up %2$zu others, for ever "
                          "(--delay %3$d=inf)", (size_t)h.nwaiting),
                 word_rank(w->schedule, h.causes[0]).text,
                 (size_t)h.nwaiting, h.causes[0]);
        return WORDS_HANGS;
    }
    if (w->has_end) /* no rank waits any longer */
        buf_puts(out, _("the run was stopped here"));
    else if (held)
        add_causes(&h, out);
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
    const struct schedule *schedule = s->world->schedule;
    int waiting = 0;
    struct holdup h;

    if (s->world->position >= s->world->nsteps)
        return;
    add_late(s, out);
    if (!holdup_of(s, &h))
        return;
    for (int rank = 0; rank < schedule->nranks; rank++) {
        if (h.ranks[rank].is_cause || h.ranks[rank].waits_for < 0 ||
            waiting++ >= MOST)
            continue;
        buf_puts(out, waiting == 1 ? "; " : ", ");
        buf_addf(out, _("%1$s waits for %2$s"), word_rank(schedule, rank).text,
                 word_rank(schedule, h.ranks[rank].waits_for).text);
    }
    if (waiting > MOST)
        buf_puts(out, ", ...");
}

/* "next: GPU 0 sends A1+C1 to GPU 1", and what all ranks do, if that differs
 * from the step that is shown and there is room. */
static void
add_next(const struct scene *s, const struct transfer *t, int columns,
         struct buf *out)
{
    const struct world *w = s->world;
    struct pattern p = pattern_of(w->schedule, w->position + 1);
    struct pattern shown = pattern_of(w->schedule, w->position);
    OWN(buf) name = {0}, all = {0};
    const char *format =
        t->src != t->dst ? _("next: %1$s sends %2$s to %3$s")
        : t->op == TRANSFER_REDUCE
            ? _("next: %1$s adds %2$s in its own memory")
            : _("next: %1$s copies %2$s within its own memory");

    add_name(s, world_row(w, t->src, t->src_slot), &name);
    buf_addf(out, format, word_rank(w->schedule, t->src).text, buf_text(&name),
             word_rank(w->schedule, t->dst).text);
    if (!pattern_same(&p, &shown) &&
        words_all_ranks(&p, w->schedule, w->run->op, false,
                        columns - utf8_columns(buf_text(out)) - 2, &all))
        buf_addf(out, _(". %s"), buf_text(&all));
}

enum words_tone
words_next(const struct scene *s, int columns, struct buf *out)
{
    const struct world *w = s->world;
    bool goes_on = w->position < w->nsteps;
    size_t count;
    const struct transfer *t =
        schedule_transfers(w->schedule, w->position + 1, &count);

    /* A run that hangs may have come no farther than what is shown. */
    if (w->has_result &&
        (!goes_on || (w->result.hangs &&
                      !world_step_complete(w, w->position + 1))))
        return add_verdict_words(w, out);
    if (s->note != NULL)
        utf8_add(out, s->note);
    else if (goes_on && (s->step > 0 || s->target > w->position))
        return add_late(s, out);
    else if (count > 0)
        add_next(s, &t[choose_transfer(s, w->position + 1, t, count)],
                 columns, out);
    return WORDS_PLAIN;
}
