/* SPDX-License-Identifier: MIT */
/* Schedules as messages: every algorithm, run through a fake NCCL that makes
 * ranks wait for each other as NCCL does, ends with the bits and the ledger of
 * the threads backend. */
#include <stdlib.h>

#include "chunks.h"
#include "coll/coll.h"
#include "fake_nccl.h"
#include "random_schedule.h"
#include "run/engine.h"
#include "run/kernels.h"
#include "run/rank_memory.h"
#include "tap.h"
#include "workers/nccl/nccl_carrier.h"

/* A run. */
struct what {
    const struct schedule *s;
    struct input input;
    bool together; /* one process, and one group a step */
    struct fault fault;
};

/* All ranks, with memory of their own. */
struct machine {
    struct nccl nccl;
    const struct what *what;
    struct program *p;
    struct message_plan *plan;
    struct nccl_carrier *ranks;
    int *posted; /* by rank: the step whose messages are pending */
    unsigned char ***slots, ***rows; /* [rank][slot] */
};

static bool
divides(const struct what *w)
{
    return w->input.op == REDOP_AVG && w->s->collective->reduces;
}

static void
fill(struct machine *m, int rank)
{
    const struct schedule *s = m->what->s;
    const struct input *input = &m->what->input;
    struct region in = schedule_input(s, rank);
    size_t element = dtype_size(input->type);
    int64_t index = 0;

    for (int slot = 0; slot < message_plan_slots(m->plan); slot++) {
        int64_t room = message_plan_room(m->plan, rank, slot);
        for (int64_t i = 0; i < room; i++)
            dtype_unwritten(input->type, input->op,
                            m->slots[rank][slot] + (size_t)i * element);
    }
    for (int k = 0; k < in.count; k++) {
        int64_t length = schedule_chunk_length(s, input->count, k);
        for (int64_t i = 0; i < length; i++)
            input_element(input, rank, index++,
                          m->slots[rank][in.first + k] + (size_t)i * element);
        ledger_input((uint64_t *)m->rows[rank][in.first + k], s->nranks, rank,
                     k);
    }
}

static void
join(struct machine *m, int rank, struct nccl_id id)
{
    int nslots = message_plan_slots(m->plan);
    size_t element = dtype_size(m->what->input.type);
    size_t row = (size_t)ledger_words(m->what->s->nranks) * sizeof(uint64_t);

    m->slots[rank] = mem_new((size_t)nslots, sizeof **m->slots);
    m->rows[rank] = mem_new((size_t)nslots, sizeof **m->rows);
    for (int slot = 0; slot < nslots; slot++) {
        size_t room = (size_t)message_plan_room(m->plan, rank, slot) * element;
        /* On the heap, so that sanitizers find accesses beyond its end. */
        m->slots[rank][slot] = mem_new(room, 1);
        m->rows[rank][slot] = mem_new(row, 1);
    }
    m->nccl.comm_init_rank(&m->ranks[rank].comm, m->what->s->nranks, id, rank);
    fill(m, rank);
}

/* A rank's messages of a step, as one group. */
static bool
exchange(struct machine *m, int rank, int step, struct err *err)
{
    struct message_step s = message_plan_step(m->plan, rank, step);
    struct carrier c = nccl_carrier(&m->ranks[rank]);
    size_t element = dtype_size(m->what->input.type);
    size_t row = (size_t)ledger_words(m->what->s->nranks) * sizeof(uint64_t);
    enum carried how;

    m->ranks[rank].nccl = &m->nccl;
    for (size_t i = 0; i < s.nsends; i++) {
        const struct message *out = &s.sends[i];
        size_t bytes = (size_t)out->length * element;
        if ((bytes > 0 && !c.send(c.with, out->peer, TAG_PAYLOAD,
                                  m->slots[rank][out->slot], bytes, err)) ||
            !c.send(c.with, out->peer, TAG_ROW, m->rows[rank][out->slot], row,
                    err))
            return false;
    }
    for (size_t i = 0; i < s.nreceives; i++) {
        const struct message *in = &s.receives[i];
        size_t bytes = (size_t)in->length * element;
        if ((bytes > 0 &&
             !c.receive(c.with, in->peer, TAG_PAYLOAD,
                        m->slots[rank][in->slot], bytes, bytes, err)) ||
            !c.receive(c.with, in->peer, TAG_ROW, m->rows[rank][in->slot], row,
                       row, err))
            return false;
    }
    return c.test(c.with, &how, err);
}

/* The messages of all ranks in one group. */
static bool
exchange_all(struct machine *m, int step, struct err *err)
{
    bool ok = nccl_ok(&m->nccl, m->nccl.group_start(), "start", NULL, err);

    if (!ok)
        return false;
    for (int rank = 0; ok && rank < m->what->s->nranks; rank++)
        ok = exchange(m, rank, step, err);
    return nccl_ok(&m->nccl, m->nccl.group_end(), "end", NULL, err) && ok;
}

static struct machine
machine_new(const struct what *w)
{
    size_t n = (size_t)w->s->nranks;
    struct machine m = {.what = w, .p = program_lower(w->s)};
    struct nccl_id id;
    struct err err;

    program_set_fault(m.p, &w->fault);
    m.plan = message_plan_new(w->s, m.p, w->input.count, divides(w));
    m.ranks = mem_new(n, sizeof *m.ranks);
    m.posted = mem_new(n, sizeof *m.posted);
    m.slots = mem_new(n, sizeof *m.slots);
    m.rows = mem_new(n, sizeof *m.rows);
    fake_nccl_reset();
    nccl_bind(&m.nccl, fake_nccl_symbol, NULL, &err);
    m.nccl.get_unique_id(&id);
    for (int rank = 0; rank < w->s->nranks; rank++)
        join(&m, rank, id);
    return m;
}

static void
machine_free(struct machine *m)
{
    for (int rank = 0; rank < m->what->s->nranks; rank++) {
        for (int slot = 0; slot < message_plan_slots(m->plan); slot++) {
            free(m->slots[rank][slot]);
            free(m->rows[rank][slot]);
        }
        free(m->slots[rank]);
        free(m->rows[rank]);
        m->nccl.comm_abort(m->ranks[rank].comm);
    }
    free(m->slots);
    free(m->rows);
    free(m->posted);
    free(m->ranks);
    message_plan_free(m->plan);
    program_free(m->p);
}

/* One work, done as a kernel would do it. */
static void
work(struct machine *m, int rank, const struct work *w)
{
    const struct input *in = &m->what->input;
    struct kernels k = kernels_for(in->type, in->op);
    int n = m->what->s->nranks;
    unsigned char **data = m->slots[rank];
    uint64_t **row = (uint64_t **)m->rows[rank];

    switch (w->op) {
    case WORK_COPY:
        memcpy(data[w->to], data[w->from],
               (size_t)w->length * dtype_size(in->type));
        ledger_copy(row[w->to], row[w->from], n);
        break;
    case WORK_COMBINE:
        k.combine(data[w->to], data[w->add], data[w->from], w->length);
        ledger_add(row[w->to], row[w->add], row[w->from], n);
        break;
    case WORK_SPOIL:
        if (w->length > 0)
            k.corrupt(data[w->to]);
        break;
    case WORK_DIVIDE:
        k.divide(data[w->to], w->length, n);
        break;
    case WORK_REPORT:
        break;
    }
}

static void
works(struct machine *m, int rank, int step)
{
    struct message_step s = message_plan_step(m->plan, rank, step);

    for (size_t i = 0; i < s.nworks; i++)
        work(m, rank, &s.works[i]);
}

/* All ranks in one process. */
static bool
run_together(struct machine *m)
{
    struct err err;

    for (int step = 1; step <= m->what->s->nsteps; step++) {
        if (!exchange_all(m, step, &err) || fake_nccl.pending > 0)
            return false;
        for (int rank = 0; rank < m->what->s->nranks; rank++)
            works(m, rank, step);
    }
    return true;
}

/* A process for each rank: a rank goes on once its own stream is empty; chance
 * chooses the next rank. Returns false if none can go on. */
static bool
run_apart(struct machine *m, uint32_t seed)
{
    int n = m->what->s->nranks, nsteps = m->what->s->nsteps, tries = 0;
    struct err err;

    for (int left = n * (nsteps + 1); left > 0; left--) {
        int rank = random_below(&seed, n);
        for (tries = 0; tries < n; tries++, rank = (rank + 1) % n)
            if (m->posted[rank] <= nsteps &&
                fake_nccl_idle(m->ranks[rank].comm))
                break;
        if (tries == n)
            return false;
        if (m->posted[rank] > 0)
            works(m, rank, m->posted[rank]);
        if (++m->posted[rank] <= nsteps &&
            !exchange(m, rank, m->posted[rank], &err))
            return false;
    }
    return true;
}

static struct engine *
threads(const struct what *w)
{
    struct engine_options o = {
        .run.input = w->input, .run.watched = true, .threads = 1,
        .run.fault = w->fault};
    struct err err;
    struct engine *e = engine_new(w->s, &o, &err);

    engine_run(e);
    return e;
}

/* Counts slots and rows that differ from the engine's. */
static int
count_differing(const struct machine *m, const struct engine *e)
{
    const struct schedule *s = m->what->s;
    int differing = 0;
    struct rank_slots found = engine_slots(e);
    const struct rank_slot *want = found.slots;
    size_t words = (size_t)ledger_words(s->nranks);

    for (int rank = 0; rank < s->nranks; rank++)
        for (int slot = 0; slot < s->nslots; slot++) {
            size_t at = (size_t)(rank * found.nslots + slot);
            differing +=
                want[at].length != message_plan_room(m->plan, rank, slot) ||
                memcmp(want[at].data, m->slots[rank][slot],
                       (size_t)want[at].length *
                           dtype_size(m->what->input.type)) != 0;
            differing += memcmp(found.ledger + at * words,
                                m->rows[rank][slot],
                                words * sizeof(uint64_t)) != 0;
        }
    return differing;
}

static bool
is_the_same(const struct what *w, uint32_t seed)
{
    struct machine m = machine_new(w);
    struct engine *e = threads(w);
    bool ended = w->together ? run_together(&m) : run_apart(&m, seed);
    bool right = ended && fake_nccl.pending == 0 && fake_nccl.mismatched == 0;
    int differing;

    for (int rank = 0; rank < w->s->nranks; rank++)
        works(&m, rank, w->s->nsteps + 1);
    differing = count_differing(&m, e);
    if (!right || differing > 0)
        diag("%s-%s, %d ranks, root %d, %d elements, %s: %s%d pending, "
             "%d mismatched, %d differ", w->s->algorithm,
             w->s->collective->name, w->s->nranks, w->s->root,
             (int)w->input.count, w->s->in_place ? "in place" : "out of place",
             ended ? "" : "stuck, ", fake_nccl.pending, fake_nccl.mismatched,
             differing);
    engine_free(e);
    machine_free(&m);
    return right && differing == 0;
}

/* Returns a fault that suits this schedule, in a step that sends. */
static void
add_fault(struct what *w, uint32_t *seed)
{
    const struct schedule *s = w->s;

    w->fault.kind = (enum instr_fault)(1 + random_below(seed, 3));
    w->fault.step = s->nsteps > 0 ? 1 + random_below(seed, s->nsteps) : 1;
    w->fault.src = random_below(seed, s->nranks);
}

static int
count_wrong(const struct algorithm *a, int n, uint32_t *seed)
{
    const struct collective *c = collective_find(a->collective);
    const int64_t counts[] = {0, 1, n - 1, n + 1, 100};
    int wrong = 0;

    for (int root = 0; root < (collective_rooted(c) ? n : 1); root++)
        for (int kind = 0; kind < 8; kind++) {
            struct coll_options o = {.nranks = n, .root = root,
                                     .chunks = a->chunks > 0 ? 1 + kind : 0,
                                     .in_place = kind % 2};
            struct err err;
            struct schedule *s = coll_build(a, &o, &err);
            enum dtype type = (enum dtype)random_below(seed, DTYPES);
            struct what w = {
                .s = s, .together = kind < 2,
                .input = {type,
                          (enum redop)random_below(seed, redop_count(type)),
                          counts[random_below(seed, 5)], NULL}};
            if (kind > 5)
                add_fault(&w, seed);
            wrong += !is_the_same(&w, random_next(seed));
            schedule_free(s);
        }
    return wrong;
}

static void
test_algorithms(void)
{
    const struct algorithm *a;
    uint32_t seed = 7;

    for (int i = 0; (a = coll_at(i)) != NULL; i++)
        for (int n = 2; n <= 9; n++)
            is_int(count_wrong(a, n, &seed), 0,
                   "%s-%s on %d ranks, as messages: none waits for ever, and "
                   "the same bits and ledger as on threads", a->name,
                   a->collective, n);
}

/* Schedules of any kind: swaps, several reductions into a slot, local
 * transfers. All chunks have one length, because these schedules mix them. */
static void
test_random(void)
{
    enum { SCHEDULES = 1500 };
    int wrong = 0, staged = 0;

    for (uint32_t seed = 1; seed <= SCHEDULES; seed++) {
        struct state unused;
        struct schedule *s = random_schedule(seed, &unused);
        struct what w = {.s = s, .input = {DTYPE_INT32, REDOP_SUM,
                                           s->nchunks * INT64_C(3), NULL}};
        struct program *p = program_lower(s);
        uint32_t chance = seed;
        staged += p->nslots > s->nslots;
        if (seed % 3 == 0)
            add_fault(&w, &chance);
        wrong += !is_the_same(&w, seed);
        program_free(p);
        schedule_free(s);
        state_free(&unused);
    }
    is_int(wrong, 0, "random schedules, a third of them with a fault");
    ok(staged > SCHEDULES / 4, "enough of them stage: %d", staged);
}

/* Messages of `list` with `peer`, as text: "3:1 " is step 3, 1 element. */
static void
add_text(char text[256], int step, const struct message *list, size_t n,
         int peer)
{
    size_t length = strlen(text);

    for (size_t i = 0; i < n; i++)
        if (list[i].peer == peer)
            length += (size_t)snprintf(text + length, 256 - length, "%d:%d ",
                                       step, (int)list[i].length);
}

static void
test_pairs(void)
{
    const struct algorithm *a;

    for (int i = 0; (a = coll_at(i)) != NULL; i++) {
        int differing = 0;
        for (int n = 2; n <= 9; n++) {
            struct coll_options o = {.nranks = n};
            struct err err;
            struct schedule *s = coll_build(a, &o, &err);
            struct program *p = program_lower(s);
            struct message_plan *plan = message_plan_new(s, p, 50, false);
            for (int pair = 0; pair < n * n; pair++) {
                char sent[256] = "", received[256] = "";
                for (int step = 1; step <= s->nsteps; step++) {
                    struct message_step at =
                        message_plan_step(plan, pair / n, step);
                    struct message_step to =
                        message_plan_step(plan, pair % n, step);
                    add_text(sent, step, at.sends, at.nsends, pair % n);
                    add_text(received, step, to.receives, to.nreceives,
                             pair / n);
                }
                differing += strcmp(sent, received) != 0;
            }
            message_plan_free(plan);
            program_free(p);
            schedule_free(s);
        }
        is_int(differing, 0, "%s-%s: each pair sends what it receives, in the "
               "same step and order", a->name, a->collective);
    }
}

/* The example in schedule/message_plan.h. */
static void
test_example(void)
{
    struct schedule *s = schedule_new(&(struct schedule_spec){
        .collective = collective_find("allreduce"), .algorithm = "made",
        .nranks = 2, .pieces = 1, .in_place = true});
    struct program *p;
    struct message_plan *plan;
    struct message_step step;

    schedule_step(s, "only");
    reduce_chunk(s, 0, 1, 0);
    reduce_chunk(s, 1, 0, 0);
    p = program_lower(s);
    plan = message_plan_new(s, p, 5, false);
    step = message_plan_step(plan, 0, 1);
    ok(step.nsends == 1 && step.sends[0].peer == 1 &&
           step.sends[0].slot == 0 && step.sends[0].length == 5,
       "an exchange: slot 0 is sent");
    ok(step.nreceives == 1 && step.receives[0].peer == 1 &&
           step.receives[0].slot == 2 && step.receives[0].length == 5,
       "slot 2 is received");
    ok(step.nworks == 3 && step.works[0].op == WORK_COMBINE &&
           step.works[0].to == 1 && step.works[0].add == 0 &&
           step.works[0].from == 2, "1 = 0 + 2");
    ok(step.nworks == 3 && step.works[1].op == WORK_REPORT &&
           step.works[1].to == 1, "and reported");
    ok(step.nworks == 3 && step.works[2].op == WORK_COPY &&
           step.works[2].to == 0 && step.works[2].from == 1, "0 = 1");
    is_int(message_plan_slots(plan), 3, "in three slots");
    message_plan_free(plan);
    program_free(p);
    schedule_free(s);
}

/* Every call of an exchange fails once: the error is reported, and no group
 * stays open. */
static void
test_failures(void)
{
    const struct algorithm *a;
    struct coll_options o = {.nranks = 3, .in_place = true};
    struct err err;
    struct schedule *s;
    int first, ncalls, silent = 0, open = 0;

    coll_find("ring-allreduce", &a, &err);
    s = coll_build(a, &o, &err);
    struct what w = {.s = s, .input = {DTYPE_INT32, REDOP_SUM, 6, NULL}};
    struct machine m = machine_new(&w);
    first = fake_nccl.calls;
    exchange(&m, 0, 1, &err);
    ncalls = fake_nccl.calls - first;
    is_int(ncalls, 6, "a start, 2 sends, 2 receives, an end");
    for (int i = 1; i <= ncalls; i++) {
        fake_nccl_reset();
        fake_nccl.fail_at = i;
        strcpy(err.text, "");
        silent += exchange(&m, 0, 1, &err) ||
                  strstr(err.text, "unhandled system error") == NULL;
        open += fake_nccl.depth != 0;
    }
    is_int(silent, 0, "each failing call is reported: %s", err.text);
    is_int(open, 0, "no group stays open");
    fake_nccl_reset();
    machine_free(&m);
    schedule_free(s);
}

/* A wrong schedule: a longer chunk is copied over a shorter one. */
static void
test_room(void)
{
    struct schedule *s = schedule_new(&(struct schedule_spec){
        .collective = collective_find("allreduce"), .algorithm = "wrong",
        .nranks = 2, .pieces = 2, .in_place = true});
    struct program *p;
    struct message_plan *plan;
    struct message_step step;

    schedule_step(s, "too long");
    schedule_add(s, (struct transfer){.src = 0, .dst = 1, .src_slot = 0,
                                      .dst_slot = 1, .add_slot = 1,
                                      .nslots = 1});
    p = program_lower(s);
    plan = message_plan_new(s, p, 5, false);
    step = message_plan_step(plan, 1, 1);
    is_int(step.receives[0].length, 3, "a message as long as what was sent");
    ok(message_plan_room(plan, 1, step.receives[0].slot) >= 3,
       "lands where there is room for it");
    is_int(step.works[0].length, 2, "and is copied as far as it fits");
    message_plan_free(plan);
    program_free(p);
    schedule_free(s);
}

int
main(void)
{
    test_example();
    test_failures();
    test_pairs();
    test_room();
    test_random();
    test_algorithms();
    return done_testing();
}
