/* SPDX-License-Identifier: MIT */
#include "run/prepare.h"

#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "run/rank_memory.h"

struct region *
prepare_outputs(const struct schedule *s)
{
    struct region *outputs = mem_new((size_t)s->nranks, sizeof *outputs);

    for (int rank = 0; rank < s->nranks; rank++)
        outputs[rank] = schedule_output(s, rank);
    return outputs;
}

void
prepare_slots(const struct schedule *s, const int64_t *lengths, int rank,
              int nslots, struct rank_slot *slots)
{
    for (int slot = 0; slot < nslots; slot++)
        slots[slot].length = lengths[schedule_slot_room(s, rank, slot)];
}

static void
bind_slots(const struct rank_call *c, const struct instr *in, int rank,
           const int64_t *lengths, struct rank_move *moves)
{
    const struct rank_slot *own = c->slots + (size_t)rank * (size_t)c->nslots;
    const struct rank_slot *peer =
        c->slots + (size_t)in->peer * (size_t)c->nslots;

    for (int k = 0; k < in->nslots; k++) {
        const struct rank_slot *src = peer + in->src_slot + k;
        const struct rank_slot *dst = own + in->dst_slot + k;
        int64_t length = lengths[instr_chunk(in, k)];

        /* A right schedule never meets a slot that is too short; a wrong one
         * must not write outside. */
        length = least64(length, least64(src->length, dst->length));
        if (in->op == INSTR_REDUCE)
            length = least64(length, own[in->add_slot + k].length);
        moves[k] = (struct rank_move){.dst = dst->data, .src = src->data,
                                      .add = own[in->add_slot + k].data,
                                      .length = length};
    }
}

void
prepare_moves(const struct rank_call *c, const struct program *p,
              const int64_t *lengths, struct rank_move *moves)
{
    for (int rank = 0; rank < p->nranks; rank++)
        for (size_t i = p->first[rank]; i < p->first[rank + 1]; i++)
            bind_slots(c, &p->instrs[i], rank, lengths,
                       moves + p->instrs[i].first_slot);
}

void
prepare_slices(struct rank_call *c, int64_t longest, int64_t bytes)
{
    c->slice = bytes / c->element > 0 ? bytes / c->element : 1;
    c->nslices = longest > c->slice
                     ? (int)((longest + c->slice - 1) / c->slice)
                     : 1;
}

void
prepare_stripes(struct rank_call *c, int64_t longest)
{
    int64_t grain = RANK_STRIPE / c->element;
    int64_t grains = (least64(c->slice, longest) + grain - 1) / grain;
    int shares = c->ledger != NULL ? 2 * c->nblocks - 1 : c->nblocks;
    int64_t first = grains > shares ? (grains + shares - 1) / shares : 1;
    int64_t rest = grains > first ? grains - first : 0;
    int others = c->nblocks > 1 ? c->nblocks - 1 : 1;

    c->first_stripe = first * grain;
    c->stripe = rest / others * grain;
    c->longer_stripes = (int)(rest % others);
}

void
prepare_input(const struct rank_call *c, const struct schedule *s,
              const int64_t *lengths, const struct input *in, int rank)
{
    size_t first = (size_t)rank * (size_t)c->nslots;
    struct region own = schedule_input(s, rank);
    struct rank_memory m = {.rank = rank, .nranks = c->nranks,
                            .nslots = c->nslots, .element = c->element,
                            .uneven = s->counts != NULL,
                            .slots = (struct rank_slot *)c->slots + first};

    if (c->ledger != NULL)
        m.rows = c->ledger + first * (size_t)ledger_words(c->nranks);
    rank_memory_input(&m, own,
                      lengths + schedule_first_chunk(s, rank, own.first),
                      in);
}

void
prepare_inputs(const struct rank_call *c, const struct schedule *s,
               const int64_t *lengths, const struct input *in)
{
    for (int rank = 0; rank < c->nranks; rank++)
        prepare_input(c, s, lengths, in, rank);
}

void
prepare_range(const struct program *p, int from, int to, struct rank *rank)
{
    rank->begin = rank->at = from == 1 ? 0 : rank->end;
    rank->end = to == p->nsteps ? program_length(p, rank->index)
                                : program_at_step(p, rank->index, to + 1);
    rank->slice = 0;
    rank->waiting_for = -1;
}

struct log_room
prepare_room(const struct rank_call *c, const struct program *p,
             const struct rank *rank)
{
    struct log_room room = {0, 0};

    for (uint32_t i = rank->begin; i < rank->end; i++) {
        const struct instr *in = &p->instrs[p->first[rank->index] + i];

        if (in->op == INSTR_APPLY)
            continue;
        room.events += in->op == INSTR_END ? 1 : (size_t)c->nslices;
        room.contents += (size_t)(in->op == INSTR_END
                                      ? c->outputs[rank->index].count
                                      : in->nslots);
    }
    return room;
}

void
log_reserve(struct rank_log *log, struct log_room room, int nranks)
{
    size_t content = (size_t)content_words(nranks) * sizeof *log->contents;

    if (room.events > log->room.events) {
        log->events = mem_resize(log->events, room.events, sizeof *log->events);
        log->room.events = room.events;
    }
    if (room.contents > log->room.contents) {
        log->contents = mem_resize(log->contents, room.contents, content);
        log->room.contents = room.contents;
    }
    log->nevents = log->ncontents = *log->published = 0;
}

void
log_done(struct rank_log *log)
{
    free(log->events);
    free(log->contents);
}

void
log_reader_init(struct log_reader *r, const struct rank_log *logs,
                size_t stride, int nranks)
{
    *r = (struct log_reader){
        .logs = logs, .stride = stride, .nranks = nranks,
        .taken = mem_new((size_t)nranks, sizeof *r->taken)};
}

void
log_reader_done(struct log_reader *r)
{
    free(r->taken);
}

void
log_reader_restart(struct log_reader *r)
{
    memset(r->taken, 0, (size_t)r->nranks * sizeof *r->taken);
    r->rank = 0;
}

bool
log_reader_next(struct log_reader *r, struct event *event)
{
    for (int i = 0; i < r->nranks; i++) {
        const struct rank_log *log =
            (const struct rank_log *)((const char *)r->logs +
                                      (size_t)r->rank * r->stride);
        uint64_t *taken = &r->taken[r->rank];

        if (__atomic_load_n(log->published, __ATOMIC_ACQUIRE) > *taken) {
            *event = log->events[(*taken)++];
            return true;
        }
        r->rank = (r->rank + 1) % r->nranks;
    }
    return false;
}

/* Moves each boundary to the rank at which what lies before is nearest to the
 * worker's share of all. */
void
split_work(const int64_t *work, int nranks, int nworkers, int *first)
{
    int64_t all = 0, before = 0;
    int rank = 0;

    for (int r = 0; r < nranks; r++)
        all += work[r];
    first[0] = 0;
    for (int w = 1; w < nworkers; w++) {
        int64_t wanted = all / nworkers * w;
        int last = nranks - (nworkers - w);
        before += work[rank++];
        while (rank < last &&
               llabs(before + work[rank] - wanted) < llabs(before - wanted))
            before += work[rank++];
        first[w] = rank;
    }
    first[nworkers] = nranks;
}

void
split_program(const struct program *p, const int64_t *lengths, int nworkers,
              int *first)
{
    OWN_MEMORY int64_t *work = mem_new((size_t)p->nranks, sizeof *work);

    for (int r = 0; r < p->nranks; r++)
        for (size_t i = p->first[r]; i < p->first[r + 1]; i++) {
            const struct instr *in = &p->instrs[i];
            if (in->op != INSTR_END)
                for (int k = 0; k < in->nslots; k++)
                    work[r] += lengths[instr_chunk(in, k)];
        }
    split_work(work, p->nranks, nworkers, first);
}
