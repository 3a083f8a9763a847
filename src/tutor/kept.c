/* SPDX-License-Identifier: MIT */
#include "tutor/kept.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct job *
kept_take(struct kept_runs *k, const char *asked)
{
    struct job *job;

    for (size_t i = 0; k != NULL && asked != NULL && i < k->count; i++) {
        if (strcmp(k->list[i].asked, asked) != 0)
            continue;
        job = k->list[i].job;
        free(k->list[i].asked);
        k->list[i] = k->list[--k->count];
        return job;
    }
    return NULL;
}

void
kept_put(struct kept_runs *k, const char *asked, struct job *job)
{
    if (k == NULL || asked == NULL || job == NULL ||
        !job->session.world->has_end) {
        job_free(job);
        return;
    }
    session_part(&job->session);
    job->plan->o.folder = NULL; /* the next tutor's is another one */
    world_seek(job->session.world, 0);
    k->list = mem_grow(k->list, k->count, &k->capacity, sizeof *k->list);
    k->list[k->count++] = (struct kept_run){mem_string(asked), job};
}

void
kept_done(struct kept_runs *k)
{
    for (size_t i = 0; i < k->count; i++) {
        free(k->list[i].asked);
        job_free(k->list[i].job);
    }
    free(k->list);
}
