/* SPDX-License-Identifier: MIT */
/* Lowering, tested with two machines that rely only on what program.h promises:
 * in one, ranks pull from each other in any order that the waits allow; the
 * other passes messages. */
#include "chunks.h"
#include "schedule/program.h"

#include <stdlib.h>

#include "random_schedule.h"
#include "tap.h"

struct machine {
    const struct program *p;
    uint64_t *value; /* [rank * nslots + slot] */
    uint32_t *done;  /* by rank */
};

static struct machine
machine_new(const struct schedule *s, const struct program *p)
{
    struct state start = state_new(s);
    struct machine m = {p,
                        mem_new((size_t)p->nranks * (size_t)p->nslots,
                                sizeof *m.value),
                        mem_new((size_t)p->nranks, sizeof *m.done)};

    for (int r = 0; r < s->nranks; r++)
        for (int k = 0; k < s->nslots; k++)
            m.value[r * p->nslots + k] = start.value[r * s->nslots + k];
    state_free(&start);
    return m;
}

static void
machine_free(struct machine *m)
{
    free(m->value);
    free(m->done);
}

static bool
may_run(const struct machine *m, const struct instr *in)
{
    for (int i = 0; i < in->nwaits; i++) {
        const struct wait *w = &m->p->waits[in->first_wait + (uint32_t)i];
        if (m->done[w->rank] < w->count)
            return false;
    }
    return true;
}

static void
execute(struct machine *m, int rank, const struct instr *in,
        const uint64_t *data)
{
    uint64_t *own = m->value + rank * m->p->nslots;

    for (int k = 0; k < in->nslots; k++)
        own[in->dst_slot + k] =
            in->op == INSTR_REDUCE ? own[in->add_slot + k] + data[k] : data[k];
}

/* Runs ranks in a random order. Returns false if none can go on before the
 * end. */
static bool
run_pulling(struct machine *m, uint32_t seed)
{
    const struct program *p = m->p;

    for (size_t left = p->ninstrs; left > 0; left--) {
        int tries = 0, rank = random_below(&seed, p->nranks);
        const struct instr *in;
        for (;; rank = (rank + 1) % p->nranks) {
            in = &p->instrs[p->first[rank] + m->done[rank]];
            if (m->done[rank] < program_length(p, rank) && may_run(m, in))
                break;
            if (++tries > p->nranks)
                return false;
        }
        if (in->op != INSTR_END)
            execute(m, rank, in,
                    m->value + in->peer * p->nslots + in->src_slot);
        m->done[rank]++;
    }
    return true;
}

/* A message in flight; those of a pair of ranks arrive in order. */
struct message {
    int src, dst, nslots;
    uint64_t data[RANDOM_SLOTS_MAX];
    bool taken;
};

/* Sends the messages of `rank` up to the step that it has reached. */
static size_t
send_step(const struct machine *m, int rank, size_t next,
          struct message *queue, size_t *queued)
{
    const struct program *p = m->p;
    size_t at = p->first[rank] + m->done[rank];
    int step = at < p->first[rank + 1] ? p->instrs[at].step : p->nsteps + 1;

    for (; p->first_send[rank] + next < p->first_send[rank + 1]; next++) {
        const struct send *send = &p->sends[p->first_send[rank] + next];
        struct message *message = &queue[*queued];
        if (send->step > step)
            break;
        *message = (struct message){rank, send->peer, send->nslots, {0}, 0};
        memcpy(message->data, m->value + rank * p->nslots + send->src_slot,
               (size_t)send->nslots * sizeof *message->data);
        ++*queued;
    }
    return next;
}

static struct message *
first_from(struct message *queue, size_t queued, int src, int dst)
{
    for (size_t i = 0; i < queued; i++)
        if (!queue[i].taken && queue[i].src == src && queue[i].dst == dst)
            return &queue[i];
    return NULL;
}

static bool
run_messages(struct machine *m)
{
    const struct program *p = m->p;
    struct message *queue = mem_new(p->ninstrs, sizeof *queue);
    size_t *sent = mem_new((size_t)p->nranks, sizeof *sent);
    size_t queued = 0, taken = 0;
    bool moved = true;

    while (moved) {
        moved = false;
        for (int rank = 0; rank < p->nranks; rank++) {
            const struct instr *in;
            struct message *message = NULL;
            const uint64_t *data;
            size_t before = queued;
            sent[rank] = send_step(m, rank, sent[rank], queue, &queued);
            moved |= queued > before;
            if (m->done[rank] == program_length(p, rank))
                continue;
            in = &p->instrs[p->first[rank] + m->done[rank]];
            data = m->value + rank * p->nslots + in->src_slot;
            if (in->peer != rank) {
                message = first_from(queue, queued, in->peer, rank);
                if (message == NULL || message->nslots != in->nslots)
                    continue;
                message->taken = true;
                taken++;
                data = message->data;
            }
            if (in->op != INSTR_END)
                execute(m, rank, in, data);
            m->done[rank]++;
            moved = true;
        }
    }
    moved = true;
    for (int rank = 0; rank < p->nranks; rank++)
        moved &= m->done[rank] == program_length(p, rank);
    free(queue);
    free(sent);
    return moved && taken == queued;
}

static bool
agrees(const struct machine *m, const struct state *want)
{
    for (int r = 0; r < want->nranks; r++)
        for (int k = 0; k < want->nslots; k++)
            if (want->defined[r * want->nslots + k] &&
                m->value[r * m->p->nslots + k] !=
                    want->value[r * want->nslots + k])
                return false;
    return true;
}

static void
test_random(void)
{
    enum { SCHEDULES = 3000 };
    int stuck = 0, wrong = 0, lost = 0, staged = 0, messages = 0;

    for (uint32_t seed = 1; seed <= SCHEDULES; seed++) {
        struct state want;
        struct schedule *s = random_schedule(seed, &want);
        struct program *p = program_lower(s);
        staged += p->nslots > s->nslots;
        messages += (int)p->first_send[p->nranks];
        for (uint32_t order = 0; order < 4; order++) {
            struct machine m = machine_new(s, p);
            stuck += !run_pulling(&m, seed * 31 + order);
            wrong += !agrees(&m, &want);
            machine_free(&m);
        }
        struct machine m = machine_new(s, p);
        lost += !run_messages(&m) || !agrees(&m, &want);
        machine_free(&m);
        program_free(p);
        schedule_free(s);
        state_free(&want);
    }
    is_int(stuck, 0, "no random program gets stuck, in any order");
    is_int(wrong, 0, "all end with the result of their schedule");
    is_int(lost, 0, "also as messages that arrive in order");
    ok(staged > SCHEDULES / 4 && messages > SCHEDULES,
       "enough of them stage and send: %d staged, %d messages", staged,
       messages);
}

/* A schedule of one step with the transfers given, and its final state. */
static void
is_lowered(const struct schedule_spec *shape, const struct transfer *t,
           int count, int stages, const char *name)
{
    struct schedule *s = schedule_new(shape);
    struct program *p;
    struct state want = state_new(s);
    struct machine m;
    struct err err;

    schedule_step(s, "only");
    for (int i = 0; i < count; i++)
        schedule_add(s, t[i]);
    ok(schedule_valid(s, &err), "%s: valid", name);
    state_apply(&want, s, 1);
    p = program_lower(s);
    is_int(p->nslots - s->nslots, stages, "%s: staging slots", name);
    m = machine_new(s, p);
    ok(run_pulling(&m, 1) && agrees(&m, &want), "%s: pulled", name);
    machine_free(&m);
    m = machine_new(s, p);
    ok(run_messages(&m) && agrees(&m, &want), "%s: sent", name);
    machine_free(&m);
    state_free(&want);
    program_free(p);
    schedule_free(s);
}

#define COPY(s, ss, d, ds)                                             \
    {.src = (s), .dst = (d), .src_slot = (ss), .dst_slot = (ds),       \
     .add_slot = (ds), .nslots = 1, .op = TRANSFER_COPY}
#define REDUCE(s, ss, d, ds, as)                                       \
    {.src = (s), .dst = (d), .src_slot = (ss), .dst_slot = (ds),       \
     .add_slot = (as), .nslots = 1, .op = TRANSFER_REDUCE}

static void
test_made(void)
{
    struct schedule_spec two = {.collective = collective_find("allreduce"),
                        .algorithm = "made", .nranks = 2, .pieces = 2,
                        .in_place = true};
    struct schedule_spec four = two;
    struct schedule_spec wide = two;

    four.nranks = 4;
    wide.pieces = 6;
    is_lowered(&two, (struct transfer[]){REDUCE(0, 0, 1, 0, 0)}, 1, 0,
               "one way");
    is_lowered(&two,
               (struct transfer[]){REDUCE(0, 0, 1, 0, 0),
                                   REDUCE(1, 0, 0, 0, 0)}, 2, 1,
               "an exchange");
    is_lowered(&two,
               (struct transfer[]){COPY(0, 0, 1, 1), COPY(1, 1, 0, 0)}, 2, 1,
               "a swap");
    is_lowered(&four,
               (struct transfer[]){REDUCE(1, 0, 0, 0, 0),
                                   REDUCE(2, 0, 0, 0, 0),
                                   REDUCE(3, 0, 0, 0, 0)}, 3, 0,
               "three reductions into a slot");
    is_lowered(&four,
               (struct transfer[]){REDUCE(1, 0, 0, 0, 0),
                                   REDUCE(2, 0, 0, 0, 0),
                                   REDUCE(3, 0, 0, 0, 0),
                                   COPY(0, 0, 3, 1)}, 4, 1,
               "three reductions into a slot that is read");
    is_lowered(&two, (struct transfer[]){REDUCE(1, 0, 0, 1, 0)}, 1, 0,
               "a sum into another slot");
    is_lowered(&two,
               (struct transfer[]){REDUCE(1, 0, 0, 1, 0),
                                   REDUCE(1, 1, 0, 0, 1)}, 2, 2,
               "two sums that read each other's slots");
    is_lowered(&two, (struct transfer[]){COPY(0, 0, 0, 1)}, 1, 0,
               "within a rank");
    is_lowered(&two, (struct transfer[]){COPY(0, 0, 0, 0)}, 1, 1,
               "onto itself");
    is_lowered(&two,
               (struct transfer[]){COPY(0, 0, 0, 1), COPY(0, 1, 0, 0)}, 2, 2,
               "a swap within a rank");
    is_lowered(&wide,
               (struct transfer[]){{.src = 0, .dst = 1, .src_slot = 0,
                                    .dst_slot = 1, .add_slot = 1, .nslots = 4,
                                    .op = TRANSFER_REDUCE},
                                   COPY(1, 2, 0, 5)}, 2, 1,
               "a run of slots of which one is read");
    is_lowered(&wide,
               (struct transfer[]){{.src = 0, .dst = 0, .src_slot = 0,
                                    .dst_slot = 1, .add_slot = 1, .nslots = 5,
                                    .op = TRANSFER_COPY}}, 1, 4,
               "a run onto itself, one further");
}

static void
test_steps(void)
{
    struct schedule *s = schedule_new(&(struct schedule_spec){
        .collective = collective_find("allreduce"), .algorithm = "made",
        .nranks = 2, .pieces = 1, .in_place = true});
    struct program *p;

    schedule_step(s, "one");
    reduce_chunk(s, 0, 1, 0);
    schedule_step(s, "nothing for rank 1");
    copy_chunk(s, 1, 0, 0);
    schedule_step(s, "three");
    copy_chunk(s, 0, 1, 0);
    p = program_lower(s);
    is_int(program_length(p, 1), 3, "rank 1 has two pulls and an end");
    is_int(program_at_step(p, 1, 1), 0, "step 1 begins with its first");
    is_int(program_at_step(p, 1, 2), 1, "step 2 has none of it");
    is_int(program_at_step(p, 1, 3), 1, "step 3 its second");
    is_int(program_at_step(p, 1, 4), 2, "then the end");
    is_int(program_set_fault(p, &(struct fault){FAULT_DROP, 3, 0}), 1,
           "one transfer is hit");
    is_int(program_set_fault(p, &(struct fault){FAULT_DROP, 1, 1}), 0,
           "or none");
    program_free(p);
    schedule_free(s);
}

/* Memory that nobody wrote is as long as the room for it: an output has the
 * length of its chunk, scratch that of the longest chunk. */
/* The waits of a rank's last instruction: "1:2" for 2 instructions of rank
 * 1. */
static void
waits_of_end(const struct program *p, int rank, char text[64])
{
    const struct instr *end = &p->instrs[p->first[rank + 1] - 1];
    size_t length = 0;

    text[0] = '\0';
    for (int i = 0; i < end->nwaits; i++) {
        const struct wait *w = &p->waits[end->first_wait + (uint32_t)i];
        length += (size_t)snprintf(text + length, 64 - length, "%s%d:%d",
                                   i > 0 ? " " : "", w->rank, (int)w->count);
    }
}

/* A rank ends only when nobody reads its slots any more. */
static void
test_ends(void)
{
    struct schedule *s = schedule_new(&(struct schedule_spec){
        .collective = collective_find("allreduce"), .algorithm = "made",
        .nranks = 3, .pieces = 1, .in_place = true});
    struct program *p;
    char text[64];

    schedule_step(s, "all read from rank 0");
    copy_chunk(s, 0, 1, 0);
    copy_chunk(s, 0, 2, 0);
    schedule_step(s, "rank 1 reads again");
    copy_chunk(s, 0, 1, 0);
    schedule_step(s, "within rank 1");
    copy_chunk(s, 1, 1, 0);
    p = program_lower(s);
    waits_of_end(p, 0, text);
    is_str(text, "1:2 2:1", "rank 0 waits for its last readers");
    waits_of_end(p, 1, text);
    is_str(text, "", "nobody reads from rank 1");
    is_int(program_set_fault(p, &(struct fault){FAULT_DROP, 3, 1}), 0,
           "a transfer within a rank cannot be lost");
    program_free(p);
    schedule_free(s);
}

/* Two pulls that wait for the same instruction: the second need not. */
static void
test_implied_waits(void)
{
    struct schedule *s = schedule_new(&(struct schedule_spec){
        .collective = collective_find("allreduce"), .algorithm = "made",
        .nranks = 3, .pieces = 2, .in_place = true});
    struct program *p;
    const struct instr *in;

    schedule_step(s, "both chunks at once");
    schedule_add(s, (struct transfer){.src = 0, .dst = 1, .nslots = 2});
    schedule_step(s, "one by one");
    copy_chunk(s, 1, 2, 0);
    copy_chunk(s, 1, 2, 1);
    p = program_lower(s);
    in = p->instrs + p->first[2];
    is_int(in[0].nwaits, 1, "the first pull waits for the writer");
    is_int(in[1].nwaits, 0, "the second has waited for it already");
    program_free(p);
    schedule_free(s);
}

/* The instructions of a rank in a step: "copy 2+1 apply 0+3 copy 1x2" are of
 * chunk 2, of three chunks from chunk 0 on, and of two slots of chunk 1. */
static void
chunks_of(const struct program *p, int rank, int step, char text[128])
{
    static const char *const names[] = {"copy", "reduce", "apply", "end"};
    uint32_t end = program_at_step(p, rank, step + 1);
    size_t length = 0;

    text[0] = '\0';
    for (uint32_t i = program_at_step(p, rank, step); i < end; i++) {
        const struct instr *in = &p->instrs[p->first[rank] + i];
        length += (size_t)snprintf(text + length, 128 - length, "%s%s %d%c%d",
                                   length > 0 ? " " : "", names[in->op],
                                   in->first_chunk,
                                   in->chunk_stride == 0 && in->nslots > 1
                                       ? 'x' : '+',
                                   in->nslots);
    }
}

/* Data of one chunk keeps its length in the room of another. Slots: the buffer
 * 0 to 3, scratch 4 and 5. */
static void
test_chunks(void)
{
    struct schedule *s = schedule_new(&(struct schedule_spec){
        .collective = collective_find("allreduce"), .algorithm = "made",
        .nranks = 2, .pieces = 4, .scratch = 2, .in_place = true});
    struct program *p;
    char text[128];

    schedule_step(s, "chunks 2 and 0 into scratch");
    for (int rank = 0; rank < 2; rank++) {
        schedule_add(s, (struct transfer)COPY(rank, 2, rank, 4));
        schedule_add(s, (struct transfer)COPY(rank, 0, rank, 5));
    }
    schedule_step(s, "both exchanged at once");
    for (int rank = 0; rank < 2; rank++)
        schedule_add(s, (struct transfer){
                            .src = rank, .dst = 1 - rank, .src_slot = 4,
                            .dst_slot = 4, .add_slot = 4, .nslots = 2});
    schedule_step(s, "a sum of another slot");
    schedule_add(s, (struct transfer)REDUCE(1, 0, 0, 5, 4));
    schedule_step(s, "and on");
    schedule_add(s, (struct transfer)COPY(0, 5, 1, 5));
    p = program_lower(s);
    chunks_of(p, 1, 2, text);
    is_str(text, "copy 2+1 copy 0+1 apply 2+1 apply 0+1",
           "two chunks that are not in a row are separate");
    chunks_of(p, 1, 4, text);
    is_str(text, "copy 2+1", "a sum is as long as what it was added to");
    program_free(p);
    schedule_free(s);
}

/* Slots that hold the same chunk of several ranks. */
static void
test_same_chunk(void)
{
    struct schedule *s = schedule_new(&(struct schedule_spec){
        .collective = collective_find("allreduce"), .algorithm = "made",
        .nranks = 3, .pieces = 3, .scratch = 4, .in_place = true});
    int scratch = schedule_scratch(s);
    struct program *p;
    char text[128];

    schedule_step(s, "chunk 1 of all ranks, and chunk 2, into scratch");
    for (int rank = 0; rank < 3; rank++)
        schedule_add(s, (struct transfer)COPY(rank, 1, 0, scratch + rank));
    schedule_add(s, (struct transfer)COPY(1, 2, 0, scratch + 3));
    schedule_step(s, "all four on");
    schedule_add(s, (struct transfer){
                        .src = 0, .dst = 1, .src_slot = scratch,
                        .dst_slot = scratch, .add_slot = scratch, .nslots = 4});
    p = program_lower(s);
    chunks_of(p, 1, 2, text);
    is_str(text, "copy 1x3 copy 2+1", "slots of one chunk are one instruction");
    is_int(instr_chunk(&p->instrs[p->first[1]], 2), 1, "each of that chunk");
    is_int(send_chunk(&p->sends[p->first_send[0]], 2), 1, "the send as well");
    program_free(p);
    schedule_free(s);
}

/* A walk_fn: with 4 elements in an input of 3 chunks. */
static void
add_length(void *state, int step, const struct transfer *t, int k, int chunk)
{
    (void)step, (void)t, (void)k;
    *(int64_t *)state += chunk == 0 ? 2 : 1;
}

static void
test_unwritten(void)
{
    struct schedule *s = schedule_new(&(struct schedule_spec){
        .collective = collective_find("allreduce"), .algorithm = "made",
        .nranks = 2, .pieces = 3, .scratch = 1});
    const struct instr *in;
    struct program *p;
    int64_t sent = 0;

    schedule_step(s, "all of rank 0's slots, last slot first");
    for (int slot = s->nslots - 1; slot >= 0; slot--)
        schedule_add(s, (struct transfer)COPY(0, slot, 1, slot));
    p = program_lower(s);
    in = p->instrs + p->first[1];
    is_int(in[0].first_chunk, 0,
           "scratch that nobody wrote: of chunk 0's length");
    is_int(in[1].first_chunk, 2, "an output: of its chunk's");
    is_int(in[4].first_chunk, 2, "inputs keep their length");
    schedule_walk(s, add_length, &sent);
    is_int(sent, 2 + (1 + 1 + 2) + (1 + 1 + 2),
           "and so many elements are sent");
    program_free(p);
    schedule_free(s);
}

int
main(void)
{
    test_made();
    test_steps();
    test_ends();
    test_implied_waits();
    test_chunks();
    test_same_chunk();
    test_unwritten();
    test_random();
    return done_testing();
}
