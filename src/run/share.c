/* SPDX-License-Identifier: MIT */
#include "run/share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "run/waits.h"
#include "schedule/program.h"

/* Returns the place of `count` items in the block, NULL without a block, and
 * copies them there, unless `from` is NULL. */
static void *
lay_items(unsigned char *block, size_t *length, const void *from, size_t count,
          size_t size)
{
    void *place = count > 0 && block != NULL ? block + *length : NULL;

    if (place != NULL && from != NULL)
        memcpy(place, from, count * size);
    *length += (count * size + 15) / 16 * 16;
    return place;
}

/* Sets the pointers to the places of their data in `block`, which begins with a
 * copy of the struct, and copies the data of `from`.  Returns the length of the
 * block. */
static size_t
lay_all(struct share *s, const struct share *from, unsigned char *block)
{
    size_t n = 0, steps = (size_t)s->nsteps + 1, slots = (size_t)s->nslots;

    lay_items(block, &n, NULL, 1, sizeof *s);
    s->rooms = lay_items(block, &n, from->rooms, slots, sizeof *s->rooms);
    s->lengths = lay_items(block, &n, from->lengths, (size_t)s->input.count,
                           sizeof *s->lengths);
    s->units = lay_items(block, &n, from->units, 2 * (size_t)s->members,
                         sizeof *s->units);
    s->steps = lay_items(block, &n, from->steps, steps, sizeof *s->steps);
    s->sends = lay_items(block, &n, from->sends, s->nsends, sizeof *s->sends);
    s->receives =
        lay_items(block, &n, from->receives, s->nreceives, sizeof *s->receives);
    s->works = lay_items(block, &n, from->works, s->nworks, sizeof *s->works);
    s->events =
        lay_items(block, &n, from->events, s->nevents, sizeof *s->events);
    s->data.given = lay_items(block, &n, from->data.given, s->ngiven, 1);
    return n;
}

size_t
share_output_bytes(const struct share *s)
{
    int64_t n = 0;

    for (int i = 0; i < s->output.count; i++)
        n += s->rooms[s->output.first + i];
    return (size_t)n * dtype_size(s->data.type);
}

size_t
share_length(const struct share *s)
{
    struct share counts = *s;

    return lay_all(&counts, s, NULL);
}

struct share *
share_of(unsigned char *block, size_t length)
{
    struct share *s = (struct share *)block;

    if (length < sizeof *s || share_length(s) != length)
        return NULL;
    lay_all(s, &(struct share){0}, block);
    return s;
}

/* A schedule with all that follows from it. */
struct deal {
    const struct schedule *s;
    const struct run_options *o;
    struct program *p;
    int64_t count;    /* elements of a rank's input */
    int64_t *lengths; /* elements, by chunk */
    int64_t *room;    /* elements, [rank * p->nslots + slot] */
};

/* A share whose lists grow. */
struct growing {
    const struct deal *d;
    struct share s;
    size_t sends_room, receives_room, works_room, events_room; /* items */
    int landed; /* landing slots that the step has used */
};

static int64_t
room_of(const struct deal *d, int rank, int slot)
{
    return d->room[(size_t)rank * (size_t)d->p->nslots + (size_t)slot];
}

/* Elements that are sent from a slot. Both sides must compute the same number,
 * so the room at the destination does not matter. */
static int64_t
length_sent(const struct deal *d, int chunk, int rank, int slot)
{
    return least64(d->lengths[chunk], room_of(d, rank, slot));
}

static void
add_message(struct message **list, size_t *n, size_t *room,
            struct message message)
{
    *list = mem_grow(*list, *n, room, sizeof **list);
    (*list)[(*n)++] = message;
}

static void
add_work(struct growing *g, struct work work)
{
    g->s.works = mem_grow(g->s.works, g->s.nworks, &g->works_room,
                          sizeof *g->s.works);
    g->s.works[g->s.nworks++] = work;
}

/* Adds what an instruction does to a slot, faults included: the same as
 * rank_payload() and rank_ledger() in run/rank.h. */
static void
add_works(struct growing *g, struct work work, enum instr_fault fault)
{
    struct work again = work;

    if (fault == FAULT_DROP) {
        work.op = WORK_COPY;
        work.from = work.add;
        if (work.from != work.to)
            add_work(g, work);
        return;
    }
    add_work(g, work);
    again.add = work.to;
    if (fault == FAULT_CORRUPT)
        again.op = WORK_SPOIL;
    if (fault == FAULT_CORRUPT ||
        (fault == FAULT_REPEAT && work.op == WORK_COMBINE))
        add_work(g, again);
}

/* Slot k of an instruction as a work.  A right schedule never meets a slot that
 * is too short; a wrong one must not write outside. */
static struct work
work_of(const struct growing *g, const struct instr *in, int k)
{
    int rank = g->s.rank, to = in->dst_slot + k, add = in->add_slot + k;
    int from = in->src_slot + k;
    int64_t length = length_sent(g->d, instr_chunk(in, k), in->peer, from);

    length = least64(length, room_of(g->d, rank, to));
    return (struct work){in->op == INSTR_REDUCE ? WORK_COMBINE : WORK_COPY, to,
                         add, from, least64(length, room_of(g->d, rank, add))};
}

/* Adds what a rank does for a slot of an instruction: a message, works or
 * both. */
static void
add_slot(struct growing *g, const struct instr *in, int k)
{
    struct work work = work_of(g, in, k);
    int64_t sent =
        length_sent(g->d, instr_chunk(in, k), in->peer, in->src_slot + k);
    bool direct = work.op == WORK_COPY && in->fault == FAULT_NONE &&
                  work.length == sent;

    if (in->peer != g->s.rank) {
        work.from = direct ? work.to : g->d->p->nslots + g->landed++;
        add_message(&g->s.receives, &g->s.nreceives, &g->receives_room,
                    (struct message){in->peer, work.from, sent});
        if (direct)
            return;
    }
    add_works(g, work, in->fault);
}

static void
add_report(struct growing *g, int slot, int64_t length)
{
    add_work(g, (struct work){WORK_REPORT, slot, slot, slot, length});
}

/* Adds what is known of an event before it happens. */
static void
list_event(struct growing *g, struct event event)
{
    event.dst = g->s.rank;
    event.waited_for = -1;
    g->s.events = mem_grow(g->s.events, g->s.nevents, &g->events_room,
                           sizeof *g->s.events);
    g->s.events[g->s.nevents++] = event;
}

/* An instruction is reported after all of its slots: one slot may be what the
 * next one adds to. */
static void
add_instr(struct growing *g, const struct instr *in)
{
    const struct mismatch *m = g->d->o->mismatch;

    for (int k = 0; k < in->nslots; k++)
        add_slot(g, in, k);
    if (in->op == INSTR_APPLY)
        return;
    for (int k = 0; k < in->nslots; k++)
        add_report(g, in->dst_slot + k, work_of(g, in, k).length);
    list_event(g, (struct event){
        .step = m == NULL ? in->step
                           : mismatch_step(m, in->step, in->peer, g->s.rank),
        .src = in->peer, .src_slot = in->src_slot,
        .dst_slot = in->final_slot, .nslots = in->nslots,
        .op = in->op == INSTR_REDUCE ? EVENT_REDUCE : EVENT_COPY,
        .fault = in->fault});
}

/* avg: every holder of an output divides it, once nobody reads it any more. */
static void
add_division(struct growing *g)
{
    struct region out = g->s.output;
    int end = out.first + out.count;

    for (int slot = out.first; slot < end; slot++)
        add_work(g, (struct work){WORK_DIVIDE, slot, slot, slot,
                                  room_of(g->d, g->s.rank, slot)});
    for (int slot = out.first; slot < end; slot++)
        add_report(g, slot, room_of(g->d, g->s.rank, slot));
    if (out.count > 0)
        list_event(g, (struct event){
            .step = g->s.nsteps + 1, .src = g->s.rank, .src_slot = out.first,
            .dst_slot = out.first, .nslots = out.count, .op = EVENT_DIVIDE});
}

/* Ends a step that began with the counts of `before`. */
static void
end_step(struct growing *g, int step, const struct share *before,
         bool takes_part)
{
    struct share *s = &g->s;

    s->steps[step - 1] = (struct share_step){
        (int32_t)(s->nsends - before->nsends),
        (int32_t)(s->nreceives - before->nreceives),
        (int32_t)(s->nworks - before->nworks),
        (int32_t)(s->nevents - before->nevents), takes_part};
    if (g->d->p->nslots + g->landed > s->nslots)
        s->nslots = g->d->p->nslots + g->landed;
    g->landed = 0;
}

/* Fills the lists of sends, receives, works, events and steps. */
static void
list_steps(struct growing *g)
{
    const struct program *p = g->d->p;
    const struct send *send = p->sends + p->first_send[g->s.rank];
    const struct send *last = p->sends + p->first_send[g->s.rank + 1];
    const struct instr *in = p->instrs + p->first[g->s.rank];
    struct share before;

    for (int step = 1; step <= g->s.nsteps; step++) {
        bool takes_part = in->step == step;
        before = g->s;
        for (; send < last && send->step == step; send++)
            for (int k = 0; k < send->nslots; k++) {
                int slot = send->src_slot + k;
                add_message(&g->s.sends, &g->s.nsends, &g->sends_room,
                            (struct message){
                                send->peer, slot,
                                length_sent(g->d, send_chunk(send, k),
                                            g->s.rank, slot)});
            }
        for (; in->step == step; in++) /* END is of the step after the last */
            add_instr(g, in);
        end_step(g, step, &before, takes_part || g->s.nsends > before.nsends);
    }
    before = g->s;
    if (g->s.data.op == REDOP_AVG && g->d->s->collective->reduces)
        add_division(g);
    end_step(g, g->s.nsteps + 1, &before, false);
}

/* The lengths of units, share->units; a switch has none. */
static int64_t *
list_units(const struct deal *d, int rank)
{
    const struct schedule *s = d->s;
    int members = schedule_members(s), at = s->pieces;
    int64_t *units = mem_new(2 * (size_t)members, sizeof *units);

    for (int i = 0; i < members && rank < members; i++)
        for (int k = 0; k < s->pieces; k++) {
            int in = at * i + k < s->nchunks ? at * i + k : k;
            int out = at * i + k < s->noutputs ? at * i + k : k;
            struct promise p = schedule_promise(s, rank, out);
            units[i] += d->lengths[schedule_id(s, rank, in)];
            units[members + i] += d->lengths[schedule_id(s, p.first, p.chunk)];
        }
    return units;
}

static struct share *
share_new(const struct deal *d, int rank)
{
    const struct schedule *s = d->s;
    const struct run_options *o = d->o;
    size_t given = (size_t)d->count * dtype_size(o->input.type);
    struct growing g = {.d = d, .s = {
        .rank = rank, .nranks = s->nranks, .members = schedule_members(s),
        .nsteps = s->nsteps, .nslots = d->p->nslots,
        .nschedule_slots = s->nslots, .data = o->input,
        .delay_ns = o->delays != NULL ? o->delays[rank] : 0,
        .watched = o->watched, .mismatched = o->mismatch != NULL,
        .uneven = s->counts != NULL,
        .native = o->native, .timing = o->timing, .root = s->root,
        .in_place = s->in_place, .input = schedule_input(s, rank),
        .output = schedule_output(s, rank),
        .lengths = d->lengths + schedule_first_chunk(
                                    s, rank, schedule_input(s, rank).first),
        .steps = mem_new((size_t)s->nsteps + 1, sizeof *g.s.steps)}};
    struct share *share;

    snprintf(g.s.collective, sizeof g.s.collective, "%s", s->collective->name);
    g.s.data.first = rank;
    g.s.data.count = d->count;
    if (o->input.given != NULL) {
        g.s.ngiven = given;
        g.s.data.given += (size_t)rank * given;
    }
    list_steps(&g);
    g.s.units = list_units(d, rank);
    g.s.rooms = mem_new((size_t)g.s.nslots, sizeof *g.s.rooms);
    for (int slot = 0; slot < g.s.nslots; slot++)
        g.s.rooms[slot] = slot < d->p->nslots ? room_of(d, rank, slot)
                                              : d->lengths[d->s->longest];
    share = mem_new(share_length(&g.s), 1);
    *share = g.s;
    lay_all(share, &g.s, (unsigned char *)share);
    free(g.s.rooms);
    free(g.s.units);
    free(g.s.steps);
    free(g.s.sends);
    free(g.s.receives);
    free(g.s.works);
    free(g.s.events);
    return share;
}

static struct deal
deal_of(const struct schedule *s, const struct run_options *o, int64_t count)
{
    struct deal d = {.s = s, .o = o, .p = program_lower(s), .count = count,
                     .lengths = schedule_chunk_lengths(s, count)};
    size_t nslots = (size_t)d.p->nslots;

    program_set_fault(d.p, &o->fault);
    d.room = mem_new((size_t)s->nranks * nslots, sizeof *d.room);
    for (int rank = 0; rank < s->nranks; rank++)
        for (int slot = 0; slot < d.p->nslots; slot++)
            d.room[(size_t)rank * nslots + (size_t)slot] =
                d.lengths[schedule_slot_room(s, rank, slot)];
    return d;
}

static void
deal_done(struct deal *d)
{
    program_free(d->p);
    free(d->lengths);
    free(d->room);
}

/* Lets every slot take the longest message that any rank sends. */
static void
give_room(struct share **shares, int nranks)
{
    int64_t longest = 0;

    for (int rank = 0; rank < nranks; rank++)
        for (size_t i = 0; i < shares[rank]->nsends; i++)
            if (shares[rank]->sends[i].length > longest)
                longest = shares[rank]->sends[i].length;
    for (int rank = 0; rank < nranks; rank++)
        shares[rank]->longest = longest;
}

void
share_out(const struct schedule *s, const struct run_options *o,
          struct share **shares, struct waits **waits)
{
    const struct mismatch *m = o->mismatch;
    struct nccl_cut cut;
    struct deal d = deal_of(m != NULL ? m->theirs : s, o, o->input.count);

    for (int rank = 0; rank < s->nranks; rank++)
        if (m == NULL || rank != m->rank)
            shares[rank] = share_new(&d, rank);
    deal_done(&d);
    *waits = NULL;
    if (m == NULL)
        return;
    d = deal_of(m->its, o, m->its_count);
    shares[m->rank] = share_new(&d, m->rank);
    deal_done(&d);
    give_room(shares, s->nranks);
    cut = nccl_cut_of(s->collective, dtype_size(o->input.type));
    *waits = waits_new(shares, s->nranks,
                       m->rules == RULES_NCCL ? &cut : NULL);
}
