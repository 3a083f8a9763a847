/* SPDX-License-Identifier: MIT */
/* The verb `outputs`: makes a run that nobody sees, and gives the script what
 * each rank holds at its end. */
#include "tutor/tutor.h"

/* A world keeps only the first elements of a slot. */
static bool
shows_all(const struct job *job, struct err *err)
{
    /* The first chunk is the longest. */
    int64_t length =
        schedule_chunk_length(job->schedule, job->run.input.count, 0);

    return length <= EVENT_VALUES ||
           err_set(err, "outputs: a slot has %lld elements, and a lesson sees "
                   "%d at most: take fewer", (long long)length, EVENT_VALUES);
}

enum tutor_did
tutor_outputs(struct tutor *t, const struct request *r, json_t **reply,
              struct err *err)
{
    const char *command =
        json_string_value(json_object_get(r->with, "command"));
    struct job *job = tutor_build_job(t, command, err);
    struct world *w;
    bool ok;

    if (job != NULL && !shows_all(job, err)) {
        job_free(job);
        return DID_REFUSE;
    }
    job = tutor_finish_job(t, "outputs", job, err);
    if (job == NULL)
        return DID_REFUSE;
    w = job->session.world;
    ok = (w->has_result && !w->result.hangs) ||
         err_set(err, "outputs: the run hangs; use run, and settle");
    if (ok) {
        world_seek(w, w->nsteps);
        *reply = json_array();
        for (int rank = 0; rank < w->schedule->nranks; rank++)
            json_array_append_new(*reply, tutor_values(w, rank));
    }
    tutor_drop_job(t, job);
    return ok ? DID_REPLY : DID_REFUSE;
}
