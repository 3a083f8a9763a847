/* SPDX-License-Identifier: MIT */
/* collviz ALGORITHM: runs it for real, and shows it. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/command.h"
#include "app/fault.h"
#include "app/interrupt.h"
#include "app/record.h"
#include "app/show.h"
#include "app/watch.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"

/* What a run is made of, from the command line to its end. */
struct plan {
    const struct options *o;
    const struct algorithm *algorithm;
    struct schedule *schedule;
    const struct backend *backend;
    struct run_options run;
    unsigned char *input;
    int64_t *delays;
};

/* --input: '1,1/2,2/3,3', every rank as many. */
static bool
parse_input(struct plan *p, struct err *err)
{
    int nranks = command_ranks(p->o);
    size_t size = dtype_size(p->o->type);
    char *text = mem_string(p->o->input), *rest = text, *row;
    size_t capacity = 0, length = 0;
    int64_t count = -1;
    int rank = 0;
    bool ok = true;

    for (; ok && (row = strsep(&rest, "/")) != NULL; rank++) {
        int64_t in_row = 0;
        char *word;
        while (ok && (word = strsep(&row, ",")) != NULL) {
            p->input = mem_grow(p->input, length, &capacity, size);
            ok = dtype_parse(p->o->type, word, p->input + length * size) ||
                 err_set(err, "--input: rank %d's '%s' is no %s", rank, word,
                         dtype_name(p->o->type));
            length++;
            in_row++;
        }
        if (ok && count >= 0 && in_row != count)
            ok = err_set(err, "--input: rank %d has %" PRId64 " elements, "
                         "rank 0 has %" PRId64 "; all must have as many",
                         rank, in_row, count);
        count = in_row;
    }
    free(text);
    if (ok && rank != nranks)
        return err_set(err, "--input is for %d ranks, --gpus says %d", rank,
                       nranks);
    if (ok && p->o->count >= 0 && p->o->count != count)
        return err_set(err, "--input has %" PRId64 " elements a rank, --count "
                       "says %" PRId64, count, p->o->count);
    p->run.input.given = p->input;
    p->run.input.count = count;
    return ok;
}

static bool
plan_delays(struct plan *p, struct err *err)
{
    int nranks = p->schedule->nranks;

    if (p->o->ndelays == 0)
        return true;
    p->delays = mem_new((size_t)nranks, sizeof *p->delays);
    for (size_t i = 0; i < p->o->ndelays; i++) {
        if (p->o->delays[i].rank >= nranks)
            return err_set(err, "--delay: there is no rank %d, the ranks are "
                           "0 to %d", p->o->delays[i].rank, nranks - 1);
        p->delays[p->o->delays[i].rank] = p->o->delays[i].ns;
    }
    p->run.delays = p->delays;
    return true;
}

/* More than the machine has would be found out too late: memory is handed out
 * when it is touched, and then the process is killed. */
static bool
fits_memory(const struct plan *p, struct err *err)
{
    double have = (double)sysconf(_SC_PHYS_PAGES) *
                  (double)sysconf(_SC_PAGESIZE);
    double want = (double)p->schedule->nranks * p->schedule->nslots *
                  ((double)schedule_chunk_length(p->schedule,
                                                 p->run.input.count, 0) *
                       (double)dtype_size(p->run.input.type) +
                   8.0 * content_words(p->schedule->nranks));

    if (have <= 0 || want < 0.75 * have)
        return true;
    return err_set(err, "this run needs %.1f GiB, the machine has %.1f: take "
                   "fewer ranks or elements", want / (1 << 30),
                   have / (1 << 30));
}

static int
make_plan(struct plan *p, const struct options *o)
{
    struct err err;
    bool exists;

    *p = (struct plan){.o = o};
    p->schedule = command_schedule(o->operands[0], o, &p->algorithm);
    if (p->schedule == NULL)
        return EXIT_USAGE;
    p->backend = backend_find(o->backend, &exists, &err);
    if (p->backend == NULL)
        return command_fail(exists ? EXIT_WRONG : EXIT_USAGE, &err);
    p->run = (struct run_options){
        .input = {o->type, o->op, command_count(o, p->schedule->nranks),
                  NULL},
        .free = o->free, .fault = o->fault, .fault_step = o->fault_step,
        .fault_src = o->fault_src,
    };
    if ((o->input != NULL && !parse_input(p, &err)) || !plan_delays(p, &err) ||
        (o->fault != FAULT_NONE &&
         !fault_shows(p->schedule, p->run.input.count, o, &err)))
        return command_fail(EXIT_USAGE, &err);
    if (!fits_memory(p, &err))
        return command_fail(EXIT_WRONG, &err);
    return EXIT_RIGHT;
}

static void
plan_done(struct plan *p)
{
    schedule_free(p->schedule);
    free(p->input);
    free(p->delays);
}

/* Grants the step after the last one granted, or all. */
static bool
grant_next(struct session *s, bool free_pace, struct err *err)
{
    int last = s->world->nsteps;
    int next = s->granted < 0 ? 1 : s->granted + 1;

    return session_grant(s, free_pace || next > last ? last : next, err);
}

/* Plays to the end, or until a signal comes. */
static bool
play_through(struct session *s, bool free_pace, struct err *err)
{
    struct pollfd fds[2] = {
        {.fd = interrupt_open(), .events = POLLIN},
        {.fd = session_fd(s), .events = POLLIN},
    };

    while (!s->world->has_end && interrupt_signal() == 0) {
        switch (session_pump(s, err)) {
        case RUN_LATER:
            if (poll(fds, 2, -1) < 0 && errno != EINTR)
                return err_set(err, "poll: %s", strerror(errno));
            break;
        case RUN_TOLD:
            if (!s->world->has_end && !grant_next(s, free_pace, err))
                return false;
            break;
        default:
            return false;
        }
    }
    return session_quit(s, err);
}

/* A run that was quit has no verdict, and that is no failure. */
static int
verdict(const struct plan *p, const struct session *s)
{
    struct err err;

    if (!s->world->has_result)
        return EXIT_RIGHT;
    if (!s->world->result.correct)
        return EXIT_WRONG;
    if (p->o->fault == FAULT_NONE)
        return EXIT_RIGHT;
    err_set(&err, "the fault was made, and does not show in the result; other "
            "elements (--input) or another --op would show it");
    return command_fail(EXIT_WRONG, &err);
}

static int
run_session(struct plan *p, struct session *s, struct record *record)
{
    const struct options *o = p->o;
    bool screen = !o->plain && !o->json && watch_can();
    struct show show;
    struct err err, closing;
    bool ok;
    int status;

    if (record != NULL)
        session_add_sink(s, record_sink(record));
    if (screen) {
        ok = watch(s, &(struct watch_options){.ascii = o->ascii,
                                              .free = o->free}, &err);
    } else {
        show_init(&show, s, o);
        ok = play_through(s, o->free, &err);
        show_done(&show);
    }
    if (record != NULL && !record_close(record, ok, ok ? &err : &closing))
        ok = false;
    status = ok ? verdict(p, s) : command_fail(EXIT_WRONG, &err);
    return command_finish(status);
}

int
cmd_run(const struct options *o)
{
    struct plan plan;
    struct session session;
    struct record *record = NULL;
    struct run *run;
    struct err err;
    int status = make_plan(&plan, o);

    if (status == EXIT_RIGHT && o->record != NULL &&
        (record = record_open(o->record, &err)) == NULL)
        status = command_fail(EXIT_WRONG, &err);
    if (status == EXIT_RIGHT) {
        plan.run.in_turn = o->plain || o->json || !watch_can();
        run = run_open(plan.backend, plan.schedule, &plan.run, &err);
        if (run == NULL) {
            status = command_fail(EXIT_WRONG, &err);
            if (record != NULL)
                record_close(record, false, &err);
        } else {
            session_init(&session, run);
            status = run_session(&plan, &session, record);
            session_done(&session);
        }
    }
    plan_done(&plan);
    interrupt_die();
    return status;
}
