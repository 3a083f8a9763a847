/* SPDX-License-Identifier: MIT */
/* collviz ALGORITHM: runs it and shows the run; collviz replay FILE: shows a
 * recording; nothing runs. */
#include "app/command.h"
#include "base/print.h"
#include "base/translate.h"
#include "play/build.h"
#include "play/job.h"
#include "play/play.h"
#include "screen/watch.h"

/* Also ends the session, since that prints the last line. */
static bool
play_job(struct job *job, const struct options *o, struct err *err)
{
    const struct schedule *s = job->schedule;
    struct printer show;
    bool ok;

    /* A text shows which steps there are, but not whose. */
    if (coll_meanings(job->plan->name) > 1)
        print_to(stderr, _("collviz: '%1$s' is for several collectives; this "
                           "is %2$s-%3$s\n"),
                 job->plan->name, s->algorithm, s->collective->name);
    printer_init(&show, &job->session, o);
    ok = job_start(job, true, err) &&
         play_through(&job->session, job->plan->run.free, err);
    ok = session_end(&job->session, ok, err);
    printer_done(&show);
    return ok;
}

/* The status reports what is known of the run that was shown last.  A run that
 * was quit may have been right, but nobody knows.  The proof knows which line
 * of a script is wrong. */
static int
judge_run(const struct job *job, struct err *err)
{
    const struct world *w = job->session.world;

    if (w->has_result && !result_right(&w->result) &&
        job->schedule->script != NULL && !job_proved(job, err))
        return EXIT_WRONG;
    if (!w->has_result || !result_right(&w->result))
        return command_wrong(err);
    if (job->plan->o.fault.kind == FAULT_NONE)
        return EXIT_RIGHT;
    err_set(err, "the fault was injected, but does not show in the result; "
            "try other elements (--input) or another --op");
    return EXIT_WRONG;
}

int
cmd_run(const struct options *o, struct err *err)
{
    bool is_text = o->plain || o->json || !watch_can();
    int status = EXIT_WRONG;
    struct followed f;
    struct job *job;

    if (o->timeout > 0 && !is_text)
        return command_misuse(err, "--timeout is for a run without a screen: "
                              "add --plain");
    if (o->watch && (is_text || !build_is_file(o->operands[0])))
        return command_misuse(err, "--watch is for a file on a screen, as in "
                              "collviz mine.lua --watch");
    job = job_new(plan_new(o->operands[0], NULL, o, err));
    if (job == NULL)
        return command_status(false, err);
    if (!followed_open(&f, o, err))
        status = command_status(false, err);
    else if ((o->record == NULL ||
              session_record(&job->session, o->record, err)) &&
             (is_text ? play_job(job, o, err)
                      : watch_job(&job, f.screen, NULL, o->ascii, err)))
        status = judge_run(job, err);
    followed_close(&f);
    job_free(job);
    return status;
}

int
cmd_replay(const struct options *o, struct err *err)
{
    bool screen = !o->plain && !o->json && watch_can(), ok;
    struct session session;
    struct followed f = {NULL, NULL};
    struct printer show;
    int status;

    session_init(&session);
    if (!screen)
        printer_init(&show, &session, o);
    ok = session_read(&session, o->operands[0], err) &&
         followed_open(&f, o, err);
    if (ok && screen)
        ok = watch_recording(&session, f.screen, NULL, o->ascii, err);
    followed_close(&f);
    ok = session_end(&session, ok, err);
    if (!screen)
        printer_done(&show);
    status = !ok ? command_status(false, err)
             : session.world->has_result &&
                     result_right(&session.world->result)
                 ? EXIT_RIGHT
                 : command_wrong(err);
    session_done(&session);
    return status;
}
