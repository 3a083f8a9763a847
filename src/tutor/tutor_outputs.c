/* SPDX-License-Identifier: MIT */
/* The verb `outputs`: makes a run that nobody sees, and tells the script what
 * each rank holds at its end. */
#include "tutor/tutor.h"

/* The world keeps only the first elements of a slot. */
static bool
knows_all(const struct world *w, struct err *err)
{
    struct region out = schedule_outputs(w->schedule);

    for (int rank = 0; rank < w->schedule->nranks; rank++)
        for (int slot = out.first; slot < out.first + out.count; slot++)
            if (world_length(w, rank, slot) > EVENT_VALUES)
                return err_set(err, "outputs: a slot has %d elements, and a "
                               "lesson sees %d at most: take fewer",
                               (int)world_length(w, rank, slot), EVENT_VALUES);
    return true;
}

enum tutor_did
tutor_outputs(struct tutor *t, const struct request *r, json_t **reply,
              struct err *err)
{
    const char *command =
        json_string_value(json_object_get(r->with, "command"));
    struct job *job = tutor_finished_job(t, "outputs", command, err);
    struct world *w;
    bool ok;

    if (job == NULL)
        return DID_REFUSE;
    w = job->session.world;
    ok = (w->has_result && !w->result.hangs) ||
         err_set(err, "outputs: the run hangs; use run, and settle");
    if (ok) {
        world_seek(w, w->nsteps);
        ok = knows_all(w, err);
    }
    if (ok) {
        *reply = json_array();
        for (int rank = 0; rank < w->schedule->nranks; rank++)
            json_array_append_new(*reply, tutor_values(w, rank));
    }
    tutor_drop_job(t, job);
    return ok ? DID_REPLY : DID_REFUSE;
}
