/* SPDX-License-Identifier: MIT */
#include "play/printer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "text/text.h"

static bool
flush(struct printer *p, struct err *err)
{
    size_t length = p->text.length;
    bool ok = fwrite(buf_text(&p->text), 1, length, stdout) == length;

    buf_clear(&p->text);
    return ok || err_set(err, "cannot write to standard output: %s",
                         strerror(errno));
}

static void
add_state_lines(struct printer *p, int step)
{
    struct world *w = p->world;
    const struct schedule *s = w->schedule;

    if (s->nranks > TEXT_RANKS && !p->states)
        return;
    world_seek(w, step);
    for (int rank = 0; rank < s->nranks; rank++) {
        struct region shown = step == 0 ? schedule_inputs(s)
                                        : schedule_outputs(s);
        stream_write_state(&p->writer, step, rank,
                           world_row(w, rank, shown.first), shown.count,
                           &p->text);
    }
}

/* A run that hangs ends in the middle of steps: all of what happened is
 * shown. */
static bool
is_last_seen(const struct world *w, int step, bool over)
{
    return over && w->result.hangs && w->steps[step].count > 0;
}

/* Shows the steps that are complete.  The divisions of avg belong to the last
 * step, which waits for them. */
static bool
printer_steps(struct printer *p, bool over, struct err *err)
{
    struct world *w = p->world;

    while (p->shown < w->nsteps &&
           (world_step_complete(w, p->shown + 1) ||
            is_last_seen(w, p->shown + 1, over)) &&
           (over || p->shown + 1 < w->nsteps || w->nsteps == 0)) {
        int step = ++p->shown;
        if (p->json)
            add_state_lines(p, step);
        else if (step == 0)
            text_input(w, p->states, &p->text);
        else
            text_step(w, step, p->states, &p->text);
        if (!flush(p, err))
            return false;
    }
    return fflush(stdout) == 0 || flush(p, err);
}

static bool
take(void *state, const struct item *item, struct err *err)
{
    struct printer *p = state;
    bool last = item->type == ITEM_RESULT || item->type == ITEM_END;

    if (last && !printer_steps(p, true, err))
        return false;
    if (p->json)
        stream_write(&p->writer, item, &p->text);
    else if (item->type == ITEM_END)
        text_result(p->world, &p->text);
    if (!flush(p, err))
        return false;
    return last || printer_steps(p, false, err);
}

void
printer_init(struct printer *p, struct session *session,
          const struct options *o)
{
    *p = (struct printer){.world = session->world, .json = o->json,
                          .states = o->states, .shown = -1};
    session->sink = (struct session_sink){take, p};
}

void
printer_done(struct printer *p)
{
    buf_done(&p->text);
}
