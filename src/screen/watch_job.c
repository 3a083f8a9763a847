/* SPDX-License-Identifier: MIT */
#include "screen/watch_job.h"

static bool
start(void *state, struct err *err)
{
    struct job **job = state;

    return job_start(*job, false, err);
}

static bool
change(void *state, const char *text, struct session **session,
       struct err *err)
{
    struct job **job = state, *old = *job;
    struct job *changed = job_changed(old, text, err);
    bool ok;

    if (changed == NULL)
        return false;
    if (!job_start(changed, false, err)) {
        job_free(changed);
        return false;
    }
    ok = session_end(&old->session, true, err);
    *job = changed;
    *session = &changed->session;
    job_free(old);
    return ok;
}

bool
watch_job(struct job **job, struct screen *screen,
          const struct watch_way_back *back, bool ascii, struct err *err)
{
    struct watch_source source = {.session = &(*job)->session, .start = start,
                                  .change = change, .state = job,
                                  .back = back};
    struct err ending;
    bool ok = screen != NULL ? watch_on(screen, &source, ascii, err)
                             : watch(&source, ascii, err);

    return session_end(&(*job)->session, ok, ok ? err : &ending) && ok;
}
