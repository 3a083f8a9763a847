/* SPDX-License-Identifier: MIT */
#include "workers/nccl/nccl_state.h"

#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "run/prepare.h"
#include "workers/cuda/cuda_call.h"
#include "workers/nccl/nccl_launch.h"

size_t
nccl_reports_max(const struct nccl_process *me)
{
    size_t most = 0;

    for (int step = 1; step <= me->job->s->nsteps + 1; step++) {
        struct message_step s =
            message_plan_step(me->job->plan, me->rank, step);
        size_t reports = 0;
        for (size_t i = 0; i < s.nworks; i++)
            reports += s.works[i].op == WORK_REPORT;
        if (reports > most)
            most = reports;
    }
    return most;
}

static int64_t
now(const struct nccl_process *me)
{
    return clock_ns() - me->job->shared->start_ns;
}

/* Launches a work as a kernel; WORK_REPORT writes a slot's content to
 * `report`. */
static bool
launch_work(struct nccl_process *me, const struct work *w, uint64_t *report,
            struct err *err)
{
    const struct nccl_job *job = me->job;
    struct nccl_kernel_work work = {
        .op = w->op, .type = job->options.input.type,
        .redop = job->options.input.op, .nranks = job->s->nranks,
        .element = (int)me->element, .length = w->length,
        .to = me->data[w->to], .add = me->data[w->add],
        .from = me->data[w->from],
        .row_to = (uint64_t *)me->rows[w->to],
        .row_add = (uint64_t *)me->rows[w->add],
        .row_from = (uint64_t *)me->rows[w->from], .content = report};

    return nccl_launch(&work, me->self.stream, err);
}

/* Puts all works of a step into the stream, without reports. */
static bool
launch_works(struct nccl_process *me, int step, struct err *err)
{
    struct message_step s = message_plan_step(me->job->plan, me->rank, step);

    for (size_t i = 0; i < s.nworks; i++)
        if (s.works[i].op != WORK_REPORT &&
            !launch_work(me, &s.works[i], NULL, err))
            return false;
    return true;
}

/* Does all works of a step; the contents that they report go into the log. */
static bool
do_works(struct nccl_process *me, int step, struct err *err)
{
    struct message_step s = message_plan_step(me->job->plan, me->rank, step);
    struct rank_log *log = &me->job->logs[me->rank];
    size_t words = (size_t)content_words(me->job->s->nranks), reports = 0;

    for (size_t i = 0; i < s.nworks; i++) {
        if (!launch_work(me, &s.works[i], me->contents + reports * words, err))
            return false;
        reports += s.works[i].op == WORK_REPORT;
    }
    return nccl_wait(me, true, err) &&
           cuda_ok(cudaMemcpy(log->contents + me->ncontents * words,
                              me->contents, reports * words * sizeof(uint64_t),
                              cudaMemcpyDeviceToHost),
                   "copying reports from the GPU", err);
}

/* The rank's instructions in a step, including APPLY. */
static const struct instr *
instrs(const struct nccl_process *me, int step, uint32_t *n)
{
    const struct program *p = me->job->p;
    uint32_t first = program_at_step(p, me->rank, step);

    *n = step > me->job->s->nsteps
             ? 1
             : program_at_step(p, me->rank, step + 1) - first;
    return p->instrs + p->first[me->rank] + first;
}

static void
report(struct nccl_process *me, const struct instr *in, int64_t begin_ns,
     int64_t end_ns)
{
    const struct nccl_job *job = me->job;
    struct rank_log *log = &job->logs[me->rank];
    int words = content_words(job->s->nranks);
    int row = ledger_words(job->s->nranks);
    struct event *e = &log->events[me->nevents++];

    *e = prepare_event(in, me->rank, schedule_output(job->s, me->rank));
    e->begin_ns = begin_ns;
    e->end_ns = end_ns;
    e->content = log->contents + me->ncontents * (size_t)words;
    me->ncontents += (uint64_t)e->nslots;
    for (int k = 0; k < e->nslots; k++)
        if (in->peer != me->rank && in->fault != FAULT_DROP)
            e->bytes += (int64_t)e->content[k * words + row] *
                        (int64_t)me->element;
}

/* Sleeps before a step in which the rank has something to do. */
static void
delay(const struct nccl_process *me, int step)
{
    const int64_t *delays = me->job->options.delays;
    int64_t ns = delays != NULL ? delays[me->rank] : 0;
    uint32_t n;

    instrs(me, step, &n);
    if (n == 0 || ns == 0)
        return;
    if (ns == DELAY_FOREVER)
        for (;;)
            pause();
    nanosleep(&(struct timespec){ns / 1000000000, ns % 1000000000}, NULL);
}

bool
nccl_do_step(struct nccl_process *me, int step, struct err *err)
{
    bool last = step > me->job->s->nsteps;
    int64_t begin_ns;
    uint32_t n;
    const struct instr *in = instrs(me, step, &n);

    if (!last)
        delay(me, step);
    begin_ns = now(me);
    if (!last && !nccl_exchange(&me->nccl, me->job->plan, step, &me->self, 1,
                                err))
        return false;
    if (!me->job->options.watched)
        return launch_works(me, step, err);
    if (!do_works(me, step, err))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (in[i].op != INSTR_APPLY &&
            message_plan_step(me->job->plan, me->rank, step).nworks > 0)
            report(me, &in[i], begin_ns, now(me));
    __atomic_store_n(&me->post->events, me->nevents, __ATOMIC_RELEASE);
    return true;
}
