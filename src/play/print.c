/* SPDX-License-Identifier: MIT */
#include "play/print.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "text/text.h"

static bool
flush(struct print *show, struct err *err)
{
    size_t length = show->text.length;
    bool ok = fwrite(buf_text(&show->text), 1, length, stdout) == length;

    buf_clear(&show->text);
    return ok || err_set(err, "cannot write to standard output: %s",
                         strerror(errno));
}

static void
add_state_lines(struct print *show, int step)
{
    struct world *w = show->world;
    const struct schedule *s = w->schedule;

    if (s->nranks > TEXT_RANKS && !show->states)
        return;
    world_seek(w, step);
    for (int rank = 0; rank < s->nranks; rank++) {
        struct region shown = step == 0 ? schedule_inputs(s)
                                        : schedule_outputs(s);
        stream_write_state(&show->writer, step, rank,
                           world_row(w, rank, shown.first), shown.count,
                           &show->text);
    }
}

/* Steps that have become complete. avg's divisions belong to the last one, so
 * that waits for them. */
static bool
print_steps(struct print *show, bool over, struct err *err)
{
    struct world *w = show->world;

    while (show->shown < w->nsteps &&
           world_step_complete(w, show->shown + 1) &&
           (over || show->shown + 1 < w->nsteps || w->nsteps == 0)) {
        int step = ++show->shown;
        if (show->json)
            add_state_lines(show, step);
        else if (step == 0)
            text_input(w, show->states, &show->text);
        else
            text_step(w, step, show->states, &show->text);
        if (!flush(show, err))
            return false;
    }
    return fflush(stdout) == 0 || flush(show, err);
}

static bool
take(void *state, const struct item *item, struct err *err)
{
    struct print *show = state;
    bool last = item->type == ITEM_RESULT || item->type == ITEM_END;

    if (last && !print_steps(show, true, err))
        return false;
    if (show->json)
        stream_write(&show->writer, item, &show->text);
    else if (item->type == ITEM_END)
        text_result(show->world, &show->text);
    if (!flush(show, err))
        return false;
    return last || print_steps(show, false, err);
}

void
print_init(struct print *show, struct session *session,
          const struct options *o)
{
    *show = (struct print){.world = session->world, .json = o->json,
                          .states = o->states, .shown = -1};
    session->sink = (struct session_sink){take, show};
}

void
print_done(struct print *show)
{
    buf_done(&show->text);
}
