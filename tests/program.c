/* SPDX-License-Identifier: MIT */
/* Lowering, tested with a machine that relies only on what program.h promises:
 * ranks pull from each other in any order that the waits allow.  Programs as
 * messages: tests/message_rank.c. */
#include "schedule/program.h"

#include "made.h"
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
    OWN(plain) start = plain_run(s, 0);
    struct machine m = {p,
                        mem_new((size_t)p->nranks * (size_t)p->nslots,
                                sizeof *m.value),
                        mem_new((size_t)p->nranks, sizeof *m.done)};

    for (int r = 0; r < s->nranks; r++)
        for (int k = 0; k < s->nslots; k++)
            m.value[r * p->nslots + k] =
                start.now[plain_at(&start, r, k)].value;
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

static bool
agrees(const struct machine *m, const struct plain *want)
{
    for (int r = 0; r < want->s->nranks; r++)
        for (int k = 0; k < want->s->nslots; k++) {
            const struct plain_cell *cell = &want->now[plain_at(want, r, k)];
            if (cell->chunk != PLAIN_NONE &&
                m->value[r * m->p->nslots + k] != cell->value)
                return false;
        }
    return true;
}

static void
test_random(void)
{
    enum { SCHEDULES = 3000 };
    int stuck = 0, wrong = 0, staged = 0, messages = 0;

    for (uint32_t seed = 1; seed <= SCHEDULES; seed++) {
        OWNS(schedule) *s = random_schedule(seed);
        OWN(plain) want = plain_run(s, s->nsteps);
        OWNS(program) *p = program_lower(s);
        staged += p->nslots > s->nslots;
        messages += (int)p->first_send[p->nranks];
        for (uint32_t order = 0; order < 4; order++) {
            struct machine m = machine_new(s, p);
            stuck += !run_pulling(&m, seed * 31 + order);
            wrong += !agrees(&m, &want);
            machine_free(&m);
        }
    }
    is_int(stuck, 0, "no random program gets stuck, in any order");
    is_int(wrong, 0, "all end with the result of their schedule");
    ok(staged > SCHEDULES / 4 && messages > SCHEDULES,
       "enough of them stage and send: %d staged, %d messages", staged,
       messages);
}

/* Schedules of one step. */
static const struct {
    int nranks, pieces;
    const char *step;
    int stages; /* slots */
    const char *name;
} rows[] = {
    {2, 2, "0.0+1.0", 0, "one way"},
    {2, 2, "0.0+1.0 1.0+0.0", 1, "an exchange"},
    {2, 2, "0.0>1.1 1.1>0.0", 1, "a swap"},
    {4, 2, "1.0+0.0 2.0+0.0 3.0+0.0", 0, "three reductions into a slot"},
    {4, 2, "1.0+0.0 2.0+0.0 3.0+0.0 0.0>3.1", 1,
     "three reductions into a slot that is read"},
    {2, 2, "1.0+0.0=1", 0, "a sum into another slot"},
    {2, 2, "1.0+0.0=1 1.1+0.1=0", 2, "two sums that read each other's slots"},
    {2, 2, "0.0>0.1", 0, "within a rank"},
    {2, 2, "0.0>0.0", 1, "onto itself"},
    {2, 2, "0.0>0.1 0.1>0.0", 2, "a swap within a rank"},
    {2, 6, "0.0+1.1*4 1.2>0.5", 1, "a run of slots of which one is read"},
    {2, 6, "0.0>0.1*5", 4, "a run onto itself, one further"},
};

static void
test_made(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *name = rows[i].name;
        OWNS(schedule) *s = made_in_place(rows[i].nranks, rows[i].pieces, 0,
                                          rows[i].step);
        OWNS(program) *p = program_lower(s);
        OWN(plain) want = plain_run(s, 1);
        struct machine m;
        struct err err;

        ok(schedule_valid(s, &err), "%s: valid", name);
        is_int(p->nslots - s->nslots, rows[i].stages, "%s: staging slots",
               name);
        m = machine_new(s, p);
        ok(run_pulling(&m, 1) && agrees(&m, &want), "%s: pulled", name);
        machine_free(&m);
    }
}

static void
test_steps(void)
{
    OWNS(schedule) *s = made_in_place(2, 1, 0, "0.0+1.0; 1.0>0.0; 0.0>1.0");
    OWNS(program) *p = program_lower(s);

    is_int(program_length(p, 1), 3, "rank 1 has two pulls and an end");
    is_int(program_at_step(p, 1, 1), 0, "step 1 begins with its first");
    is_int(program_at_step(p, 1, 2), 1, "step 2 has none of it");
    is_int(program_at_step(p, 1, 3), 1, "step 3 its second");
    is_int(program_at_step(p, 1, 4), 2, "then the end");
    is_int(program_set_fault(p, &(struct fault){FAULT_DROP, 3, 0}), 1,
           "one transfer is hit");
    is_int(program_set_fault(p, &(struct fault){FAULT_DROP, 1, 1}), 0,
           "or none");
}

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

/* A rank ends only when nobody reads its slots any more.  All read from rank 0,
 * rank 1 twice; then there is a transfer within rank 1. */
static void
test_ends(void)
{
    OWNS(schedule) *s = made_in_place(3, 1, 0,
                                      "0.0>1.0 0.0>2.0; 0.0>1.0; 1.0>1.0");
    OWNS(program) *p = program_lower(s);
    char text[64];

    waits_of_end(p, 0, text);
    is_str(text, "1:2 2:1", "rank 0 waits for its last readers");
    waits_of_end(p, 1, text);
    is_str(text, "", "nobody reads from rank 1");
    is_int(program_set_fault(p, &(struct fault){FAULT_DROP, 3, 1}), 0,
           "a transfer within a rank cannot be lost");
}

/* Two pulls that wait for the same instruction: the second need not. */
static void
test_implied_waits(void)
{
    OWNS(schedule) *s = made_in_place(3, 2, 0, "0.0>1.0*2; 1.0>2.0 1.1>2.1");
    OWNS(program) *p = program_lower(s);
    const struct instr *in = p->instrs + p->first[2];

    is_int(in[0].nwaits, 1, "the first pull waits for the writer");
    is_int(in[1].nwaits, 0, "the second has waited for it already");
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

/* Data of one chunk keeps its length in the room of another: chunks 2 and 0 go
 * into scratch, are exchanged, and added.  Slots: the buffer 0 to 3, scratch 4
 * and 5. */
static void
test_chunks(void)
{
    OWNS(schedule) *s = made_in_place(
        2, 4, 2, "0.2>0.4 0.0>0.5 1.2>1.4 1.0>1.5; 0.4>1.4*2 1.4>0.4*2; "
        "1.0+0.4=5; 0.5>1.5");
    OWNS(program) *p = program_lower(s);
    char text[128];

    chunks_of(p, 1, 2, text);
    is_str(text, "copy 2+1 copy 0+1 apply 2+1 apply 0+1",
           "two chunks that are not in a row are separate");
    chunks_of(p, 1, 4, text);
    is_str(text, "copy 2+1", "a sum is as long as what it was added to");
}

/* Slots that hold the same chunk of several ranks: chunk 1 of all ranks, and
 * chunk 2, in scratch, which begins at slot 3. */
static void
test_same_chunk(void)
{
    OWNS(schedule) *s = made_in_place(
        3, 3, 4, "0.1>0.3 1.1>0.4 2.1>0.5 1.2>0.6; 0.3>1.3*4");
    OWNS(program) *p = program_lower(s);
    char text[128];

    chunks_of(p, 1, 2, text);
    is_str(text, "copy 1x3 copy 2+1", "slots of one chunk are one instruction");
    is_int(instr_chunk(&p->instrs[p->first[1]], 2), 1, "each of that chunk");
    is_int(send_chunk(&p->sends[p->first_send[0]], 2), 1, "the send as well");
}

/* A walk_fn: with 4 elements in an input of 3 chunks. */
static void
add_length(void *state, int step, const struct transfer *t, int k, int chunk)
{
    (void)step, (void)t, (void)k;
    *(int64_t *)state += chunk == 0 ? 2 : 1;
}

/* Memory that nobody wrote is as long as the room for it: an output has the
 * length of its chunk, scratch that of the longest chunk.  All of rank 0's
 * slots are copied, the last one first. */
static void
test_unwritten(void)
{
    OWNS(schedule) *s = made(
        (struct schedule_spec){.nranks = 2, .pieces = 3, .scratch = 1},
        "0.6>1.6 0.5>1.5 0.4>1.4 0.3>1.3 0.2>1.2 0.1>1.1 0.0>1.0");
    OWNS(program) *p = program_lower(s);
    const struct instr *in = p->instrs + p->first[1];
    int64_t sent = 0;

    is_int(in[0].first_chunk, 0,
           "scratch that nobody wrote: of chunk 0's length");
    is_int(in[1].first_chunk, 2, "an output: of its chunk's");
    is_int(in[4].first_chunk, 2, "inputs keep their length");
    schedule_walk(s, add_length, &sent);
    is_int(sent, 2 + (1 + 1 + 2) + (1 + 1 + 2),
           "and so many elements are sent");
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
