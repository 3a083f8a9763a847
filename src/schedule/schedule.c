/* SPDX-License-Identifier: MIT */
#include "schedule/schedule.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "schedule/extents.h"

static bool
slots_fit(int nranks, int64_t slots, struct err *err)
{
    if (slots <= SCHEDULE_SLOTS_MAX && slots * nranks <= SCHEDULE_CELLS_MAX)
        return true;
    return err_set(err, "%d rank%s of %lld slots are more than collviz takes "
                   "(%d in all)", nranks, err_plural(nranks), (long long)slots,
                   SCHEDULE_CELLS_MAX);
}

bool
schedule_spec_check(const struct schedule_spec *shape, struct err *err)
{
    int members = shape->nranks - shape->topology.switches;
    int64_t input, output, slots;

    if (members > 0 && members < shape->nranks &&
        shape->nranks > SCHEDULE_RANKS_MAX)
        return err_set(err, "%d rank%s and %d switch%s: collviz takes %d in "
                       "all", members, err_plural(members),
                       shape->topology.switches,
                       shape->topology.switches > 1 ? "es" : "",
                       SCHEDULE_RANKS_MAX);
    if (shape->nranks < 1 || shape->nranks > SCHEDULE_RANKS_MAX)
        return err_set(err, "%d ranks: collviz takes 1 to %d", shape->nranks,
                       SCHEDULE_RANKS_MAX);
    if (shape->pieces < 1 || shape->pieces > SCHEDULE_SLOTS_MAX ||
        shape->scratch < 0 || shape->scratch > SCHEDULE_SLOTS_MAX)
        return err_set(err, "%d chunks and %d scratch slots: at most %d",
                       shape->pieces, shape->scratch, SCHEDULE_SLOTS_MAX);
    if (!topology_fits(&shape->topology, shape->nranks))
        return err_set(err, "a %s of %d x %d x %d is not one of %d rank%s",
                       topology_name(shape->topology.kind),
                       shape->topology.dims[0], shape->topology.dims[1],
                       shape->topology.dims[2], shape->nranks,
                       err_plural(shape->nranks));
    if (shape->root < 0 || shape->root >= members)
        return err_set(err, "root %d: the ranks are 0 to %d", shape->root,
                       members - 1);
    input = (int64_t)shape->pieces *
            collective_units(shape->collective->input, members);
    output = (int64_t)shape->pieces *
             collective_units(shape->collective->output, members);
    if (input > SCHEDULE_CHUNKS_MAX)
        return err_set(err, "%lld chunks of a rank's input are more than "
                       "collviz takes (%d)", (long long)input,
                       SCHEDULE_CHUNKS_MAX);
    slots = 2 * (input > output ? input : output) + shape->scratch;
    return slots_fit(shape->nranks, slots, err);
}

struct schedule *
schedule_new(const struct schedule_spec *shape)
{
    struct schedule *s = mem_new(1, sizeof *s);
    int members = shape->nranks - shape->topology.switches;

    s->collective = shape->collective;
    snprintf(s->algorithm, sizeof s->algorithm, "%s", shape->algorithm);
    s->nranks = shape->nranks;
    s->root = shape->root;
    s->pieces = shape->pieces;
    s->in_place = shape->in_place;
    s->scratch = shape->scratch;
    s->topology = shape->topology;
    s->align = shape->align;
    s->makers = 1;
    s->nchunks =
        s->pieces * collective_units(s->collective->input, members);
    s->noutputs =
        s->pieces * collective_units(s->collective->output, members);
    s->nslots = s->in_place ? most(s->nchunks, s->noutputs)
                            : s->nchunks + s->noutputs;
    s->nslots += s->scratch;
    return s;
}

int
schedule_members(const struct schedule *s)
{
    return s->nranks - s->topology.switches;
}

int
schedule_host(const struct schedule *s, const struct hosts *hosts, int rank)
{
    const struct topology *t = &s->topology;
    int number = rank - schedule_members(s); /* of a switch */

    if (number < 0)
        return hosts_at(hosts, rank);
    if (hosts->gpus == 0 || t->kind != TOPOLOGY_NODES)
        return 0;
    return t->switches == 1 && t->dims[0] > 1
               ? -1
               : hosts_at(hosts, number * t->dims[1]);
}

/* Only the builder changes a schedule, and this count. */
const struct schedule *
schedule_share(const struct schedule *s)
{
    ((struct schedule *)s)->sharers++;
    return s;
}

void
schedule_free(const struct schedule *shared)
{
    struct schedule *s = (struct schedule *)shared;

    if (s == NULL || s->sharers-- > 0)
        return;
    for (size_t i = 0; i < s->nphases; i++)
        free(s->phases[i]);
    free(s->phases);
    free(s->steps);
    free(s->transfers);
    free(s->script);
    free(s->lines);
    free(s->counts);
    free(s);
}

bool
schedule_add_scratch(struct schedule *s, int slots, struct err *err)
{
    if (!slots_fit(s->nranks, (int64_t)s->nslots + slots, err))
        return false;
    s->nslots += slots;
    s->scratch += slots;
    return true;
}

void
schedule_step(struct schedule *s, const char *phase)
{
    size_t at = s->nphases;

    assert(s->sharers == 0);
    while (at > 0 && strcmp(s->phases[at - 1], phase) != 0)
        at--;
    if (at == 0) {
        s->phases = mem_grow(s->phases, s->nphases, &s->phases_capacity,
                             sizeof *s->phases);
        s->phases[s->nphases++] = mem_string(phase);
        at = s->nphases;
    }
    s->steps = mem_grow(s->steps, (size_t)s->nsteps, &s->steps_capacity,
                        sizeof *s->steps);
    s->steps[s->nsteps++] =
        (struct step){s->ntransfers, 0, s->phases[at - 1]};
}

void
schedule_add(struct schedule *s, struct transfer t)
{
    assert(s->nsteps > 0);
    s->transfers = mem_grow(s->transfers, s->ntransfers,
                            &s->transfers_capacity, sizeof *s->transfers);
    s->transfers[s->ntransfers++] = t;
    s->steps[s->nsteps - 1].count++;
}

void
schedule_set_script(struct schedule *s, const char *name)
{
    s->script = mem_string(name);
    s->lines = mem_new(s->ntransfers, sizeof *s->lines);
}

bool
schedule_blame(const struct schedule *s, const struct transfer *t,
               struct err *err)
{
    int line = s->lines != NULL && t != NULL ? s->lines[t - s->transfers] : 0;

    if (line > 0)
        return err_prefix(err, "%s:%d", s->script, line);
    return s->script != NULL && err_prefix(err, "%s", s->script);
}

/* The last write to a slot. */
struct write {
    int32_t step; /* 0 for none */
    int32_t add;  /* its add_slot minus its dst_slot; INT32_MIN for a COPY */
};

/* Whether the ranks and slots of a transfer exist. */
static bool
in_range(const struct schedule *s, const struct transfer *t, int step,
         struct err *err)
{
    if (t->src < 0 || t->src >= s->nranks || t->dst < 0 ||
        t->dst >= s->nranks)
        return err_set(err, "step %d: a transfer from rank %d to rank %d; the "
                       "ranks are 0 to %d", step, t->src, t->dst,
                       s->nranks - 1);
    if (t->nslots < 1 || t->nslots > s->nslots || t->src_slot < 0 ||
        t->src_slot > s->nslots - t->nslots || t->dst_slot < 0 ||
        t->dst_slot > s->nslots - t->nslots || t->add_slot < 0 ||
        t->add_slot > s->nslots - t->nslots)
        return err_set(err, "step %d: rank %d sends %d slot%s from %d to rank "
                       "%d's slot %d; a rank's slots are 0 to %d", step,
                       t->src, t->nslots, err_plural(t->nslots), t->src_slot,
                       t->dst, t->dst_slot, s->nslots - 1);
    if (t->op != TRANSFER_COPY && t->op != TRANSFER_REDUCE)
        return err_set(err, "step %d: rank %d's transfer to rank %d neither "
                       "copies nor reduces", step, t->src, t->dst);
    return true;
}

static bool
valid_transfer(const struct schedule *s, const struct transfer *t, int step,
               struct extents *writes, struct err *err)
{
    bool copies = t->op == TRANSFER_COPY;
    struct write write = {step, copies ? INT32_MIN : t->add_slot - t->dst_slot};
    size_t to;
    int length;

    if (!in_range(s, t, step, err))
        return false;
    to = schedule_cell(s, t->dst, t->dst_slot);
    for (int k = 0; k < t->nslots; k += length) {
        const struct write *old = extents_at(writes, to + (size_t)k, &length);
        if (old->step == step &&
            (copies || (old->add != INT32_MIN ? old->add != write.add
                                              : write.add != 0)))
            return err_set(err, "step %d: slot %d of rank %d is written twice "
                           "in a step; only reductions onto the same slot go "
                           "together, and a copy before them", step,
                           t->dst_slot + k, t->dst);
    }
    extents_set(writes, to, (size_t)t->nslots, &write);
    return true;
}

bool
schedule_valid(const struct schedule *s, struct err *err)
{
    struct extents writes;
    bool ok = true;

    extents_init(&writes, schedule_cell(s, s->nranks, 0), sizeof(struct write),
                 &(struct write){0, 0});
    for (int step = 1; ok && step <= s->nsteps; step++) {
        size_t count;
        const struct transfer *t = schedule_transfers(s, step, &count);
        int64_t slots = 0;
        for (size_t i = 0; ok && i < count; i++) {
            slots += t[i].nslots;
            ok = valid_transfer(s, &t[i], step, &writes, err) ||
                 schedule_blame(s, &t[i], err);
        }
        if (ok && slots > SCHEDULE_CELLS_MAX)
            ok = err_set(err, "step %d moves %lld slots, more than collviz "
                         "takes (%d)", step, (long long)slots,
                         SCHEDULE_CELLS_MAX);
    }
    extents_done(&writes);
    return ok;
}

struct schedule *
schedule_copy(const struct schedule *s, int steps)
{
    struct schedule *copy = schedule_new(&(struct schedule_spec){
        s->collective, s->algorithm, s->nranks, s->root, s->pieces, s->scratch,
        s->in_place, s->topology, s->align});

    copy->makers = s->makers;
    copy->longest = s->longest;
    if (s->counts != NULL) {
        size_t units = (size_t)(s->makers * s->nchunks / s->pieces);
        copy->counts = mem_new(units, sizeof *copy->counts);
        memcpy(copy->counts, s->counts, units * sizeof *copy->counts);
    }
    for (int step = 1; step <= steps; step++) {
        size_t count;
        const struct transfer *t = schedule_transfers(s, step, &count);
        schedule_step(copy, s->steps[step - 1].phase);
        for (size_t i = 0; i < count; i++)
            schedule_add(copy, t[i]);
    }
    return copy;
}

const struct transfer *
schedule_transfers(const struct schedule *s, int step, size_t *count)
{
    *count = step >= 1 && step <= s->nsteps ? s->steps[step - 1].count : 0;
    return *count > 0 ? &s->transfers[s->steps[step - 1].first] : NULL;
}

struct region
schedule_inputs(const struct schedule *s)
{
    return (struct region){0, s->in_place ? most(s->nchunks, s->noutputs)
                                          : s->nchunks};
}

struct region
schedule_outputs(const struct schedule *s)
{
    return s->in_place ? schedule_inputs(s)
                       : (struct region){s->nchunks, s->noutputs};
}

int
schedule_scratch(const struct schedule *s)
{
    return s->nslots - s->scratch;
}

bool
region_has(struct region region, int slot)
{
    return slot >= region.first && slot < region.first + region.count;
}

/* `count` of the slots in `of`: all of them, or those of the rank's unit. */
static struct region
own_part(const struct schedule *s, struct region of, int count, int rank,
         enum collective_at at)
{
    bool has = at == AT_ROOT ? rank == s->root
                             : rank < schedule_members(s) &&
                                   rank >= (at == AT_ALL_BUT_FIRST);
    struct region own = {of.first, has ? count : 0};

    if (count < of.count && rank < schedule_members(s))
        own.first += rank * count;
    return own;
}

struct region
schedule_input(const struct schedule *s, int rank)
{
    return own_part(s, schedule_inputs(s), s->nchunks, rank,
                    s->collective->input_at);
}

struct region
schedule_output(const struct schedule *s, int rank)
{
    return own_part(s, schedule_outputs(s), s->noutputs, rank,
                    s->collective->output_at);
}

/* The table of collective.h as arithmetic: what is dealt out comes from the
 * rank's own unit, and what is collected from the rank of its own unit. */
struct promise
schedule_promise(const struct schedule *s, int rank, int chunk)
{
    const struct collective *c = s->collective;
    int members = schedule_members(s);
    int from = c->input_at == AT_ROOT       ? s->root
               : c->output == UNITS_RANKS ? chunk / s->pieces
                                          : (rank + members - 1) % members;

    chunk %= s->pieces;
    if (c->input == UNITS_RANKS)
        chunk += rank * s->pieces;
    if (c->reduces == SUM_NONE)
        return (struct promise){from, from, chunk};
    return (struct promise){0, c->reduces == SUM_ALL ? members - 1
                               : rank - (c->reduces == SUM_BEFORE), chunk};
}

/* Divides `count` among `parts`; each of the first (count mod parts) gets one
 * more.  cut_length() is the share of part `index`, cut_start() that of all
 * parts before it. */
static int64_t
cut_length(int64_t count, int parts, int index)
{
    return count / parts + (index < count % parts);
}

static int64_t
cut_start(int64_t count, int parts, int index)
{
    int64_t longer = count % parts;

    return index * (count / parts) + (index < longer ? index : longer);
}

/* Where a piece of a unit of `count` elements begins. */
static int64_t
piece_start(const struct schedule *s, int64_t count, int piece)
{
    int64_t length;

    if (s->align == 0)
        return cut_start(count, s->pieces, piece);
    length = (cut_length(count, s->pieces, 0) + s->align - 1) / s->align *
             s->align;
    return least64(piece * length, count);
}

static int
count_units(const struct schedule *s)
{
    return collective_units(s->collective->input, schedule_members(s));
}

static int64_t
unit_length(const struct schedule *s, int64_t count, int id)
{
    int unit = id / s->pieces;

    return s->counts != NULL ? s->counts[unit]
                             : cut_length(count, count_units(s), unit);
}

int64_t
schedule_chunk_length(const struct schedule *s, int64_t count, int id)
{
    int64_t unit = unit_length(s, count, id);
    int piece = id % s->pieces;

    return piece_start(s, unit, piece + 1) - piece_start(s, unit, piece);
}

int64_t *
schedule_chunk_lengths(const struct schedule *s, int64_t count)
{
    int ids = s->makers * s->nchunks;
    int64_t *lengths = mem_new((size_t)ids, sizeof *lengths);

    for (int id = 0; id < ids; id++)
        lengths[id] = schedule_chunk_length(s, count, id);
    return lengths;
}

int64_t
schedule_chunk_start(const struct schedule *s, int64_t count, int id)
{
    int unit = id / s->pieces, first = unit - unit % count_units(s);
    int64_t start = piece_start(s, unit_length(s, count, id), id % s->pieces);

    if (s->counts == NULL)
        return start + cut_start(count, count_units(s), unit);
    while (first < unit)
        start += s->counts[first++];
    return start;
}

int64_t
schedule_input_length(const struct schedule *s, int64_t count, int rank)
{
    int64_t length = 0;

    if (schedule_input(s, rank).count == 0)
        return 0;
    if (s->counts == NULL)
        return count;
    for (int c = 0; c < s->nchunks; c += s->pieces)
        length += unit_length(s, count, schedule_id(s, rank, c));
    return length;
}

int
schedule_slot_chunk(const struct schedule *s, int rank, int slot)
{
    struct region in = schedule_input(s, rank);
    struct region out = schedule_output(s, rank);
    int input = -1, output = -1;

    if (region_has(in, slot))
        input = schedule_id(s, rank, slot - in.first);
    if (region_has(out, slot)) {
        struct promise p = schedule_promise(s, rank, slot - out.first);
        output = schedule_id(s, p.first, p.chunk);
    }
    return output < 0 || input == output ? input
           : input < 0                   ? output
                                         : -1;
}

int
schedule_slot_room(const struct schedule *s, int rank, int slot)
{
    int chunk = schedule_slot_chunk(s, rank, slot);

    return chunk < 0 ? s->longest : chunk;
}

bool
schedule_step_is_local(const struct schedule *s, int step)
{
    size_t count;
    const struct transfer *t = schedule_transfers(s, step, &count);

    for (size_t i = 0; i < count; i++)
        if (t[i].src != t[i].dst)
            return false;
    return true;
}

int
schedule_count_steps(const struct schedule *s)
{
    int steps = 0;

    for (int step = 1; step <= s->nsteps; step++)
        steps += !schedule_step_is_local(s, step);
    return steps;
}

static bool
step_reduces(const struct schedule *s, int step)
{
    size_t count;
    const struct transfer *t = schedule_transfers(s, step, &count);

    for (size_t i = 0; i < count; i++)
        if (t[i].op == TRANSFER_REDUCE)
            return true;
    return false;
}

size_t
schedule_step_pairs(const struct schedule *s, int step)
{
    size_t n = (size_t)s->nranks, pairs = 0, count;
    const struct transfer *t = schedule_transfers(s, step, &count);
    OWN_MEMORY uint8_t *seen = mem_new(n * n / 8 + 1, sizeof *seen);

    for (size_t i = 0; i < count; i++) {
        size_t pair = (size_t)t[i].src * n + (size_t)t[i].dst;
        pairs += t[i].src != t[i].dst && !(seen[pair / 8] >> pair % 8 & 1);
        seen[pair / 8] |= (uint8_t)(1u << pair % 8);
    }
    return pairs;
}

bool
schedule_is_one_ported(const struct schedule *s)
{
    size_t n = (size_t)s->nranks, count;
    OWN_MEMORY int *sent = mem_new(2 * n, sizeof *sent); /* 1 + the last one */
    const struct transfer *t;
    bool one = true;

    for (int step = 1; one && step <= s->nsteps; step++) {
        memset(sent, 0, 2 * n * sizeof *sent);
        t = schedule_transfers(s, step, &count);
        for (const struct transfer *end = t + count; one && t < end; t++) {
            int *to = &sent[t->src], *from = &sent[s->nranks + t->dst];
            if (t->src == t->dst)
                continue;
            one = (*to == 0 || *to == t->dst + 1) &&
                  (*from == 0 || *from == t->src + 1);
            *to = t->dst + 1;
            *from = t->src + 1;
        }
    }
    return one;
}

int
schedule_sums_named_from(const struct schedule *s)
{
    bool reduced = false;

    for (int step = 1; step <= s->nsteps; step++) {
        if (step_reduces(s, step))
            reduced = true;
        else if (reduced)
            return step;
    }
    return s->nsteps + 1;
}

int
schedule_first_chunk(const struct schedule *s, int rank, int slot)
{
    struct region in = schedule_input(s, rank);

    return region_has(in, slot) ? schedule_id(s, rank, slot - in.first)
                                : schedule_slot_room(s, rank, slot);
}

static size_t
most_slots_a_step(const struct schedule *s)
{
    size_t most = 0;

    for (int step = 1; step <= s->nsteps; step++) {
        size_t count, slots = 0;
        const struct transfer *t = schedule_transfers(s, step, &count);
        for (size_t i = 0; i < count; i++)
            slots += (size_t)t[i].nslots;
        most = slots > most ? slots : most;
    }
    return most;
}

/* All transfers of a step read before any of them writes. */
void
schedule_walk(const struct schedule *s, walk_fn *fn, void *state)
{
    OWN_MEMORY int *chunks =
        mem_new(schedule_cell(s, s->nranks, 0), sizeof *chunks);
    OWN_MEMORY int *moved = mem_new(most_slots_a_step(s), sizeof *moved);

    for (int rank = 0; rank < s->nranks; rank++)
        for (int slot = 0; slot < s->nslots; slot++)
            chunks[schedule_cell(s, rank, slot)] =
                schedule_first_chunk(s, rank, slot);
    for (int step = 1; step <= s->nsteps; step++) {
        size_t count;
        const struct transfer *t = schedule_transfers(s, step, &count);
        int *next = moved;
        for (size_t i = 0; i < count; i++)
            for (int k = 0; k < t[i].nslots; k++) {
                *next = chunks[schedule_cell(s, t[i].src, t[i].src_slot + k)];
                fn(state, step, &t[i], k, *next++);
            }
        next = moved;
        for (size_t i = 0; i < count; i++)
            for (int k = 0; k < t[i].nslots; k++)
                chunks[schedule_cell(s, t[i].dst, t[i].dst_slot + k)] = *next++;
    }
}
