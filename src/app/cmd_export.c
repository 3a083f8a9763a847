/* SPDX-License-Identifier: MIT */
/* collviz export FILE: a recording as a picture, a film or a trace, on
 * standard output; an ALGORITHM as MSCCL's XML. */
#include "app/command.h"
#include "app/film.h"
#include "app/recording.h"
#include "base/text.h"
#include "schedule/msccl.h"
#include "term/asciicast.h"
#include "term/svg.h"
#include "view/text.h"
#include "view/trace.h"

/* Hands over what has been made so far; command_finish() tells of errors. */
static void
flush(struct buf *out)
{
    fwrite(buf_text(out), 1, out->length, stdout);
    buf_clear(out);
}

static void
add_title(const struct world *w, struct buf *out)
{
    buf_addf(out, "%s %s, ", _(w->schedule->algorithm),
             _(w->schedule->collective->title));
    text_where(w, out);
}

static void
export_svg(struct film *f, int step, const char *title, struct buf *out)
{
    struct svg svg = {0};

    if (step >= 0) {
        film_still(f, step);
        svg_add(&svg, &f->canvas, 0);
    } else {
        while (film_next(f))
            svg_add(&svg, &f->canvas, f->ms);
    }
    svg_write(&svg, title, f->ms, out);
    svg_done(&svg);
}

static void
export_asciicast(struct film *f, const char *title, struct buf *out)
{
    struct asciicast cast;

    asciicast_begin(&cast, f->canvas.columns, f->canvas.rows, title, out);
    while (film_next(f)) {
        asciicast_add(&cast, &f->canvas, f->ms, out);
        flush(out);
    }
    asciicast_end(&cast, f->ms, out);
}

static void
export_trace(struct world *w, struct buf *out)
{
    struct trace *t = trace_new(w);

    trace_begin(t, out);
    for (int step = 1; step <= w->nsteps; step++) {
        trace_step(t, step, out);
        flush(out);
    }
    trace_end(t, out);
    trace_free(t);
}

static void
export(const struct options *o, struct session *session)
{
    struct buf title = {0}, out = {0};
    struct film film;

    add_title(session->world, &title);
    film_init(&film, session, o->columns, o->rows,
              o->ascii ? GLYPHS_ASCII : GLYPHS_FULL);
    if (o->trace)
        export_trace(session->world, &out);
    else if (o->asciicast)
        export_asciicast(&film, buf_text(&title), &out);
    else
        export_svg(&film, o->step, buf_text(&title), &out);
    flush(&out);
    film_done(&film);
    buf_done(&out);
    buf_done(&title);
}

/* Whether the options go together. */
static bool
check_options(const struct options *o, struct err *err)
{
    if (o->svg + o->asciicast + o->trace + o->msccl != 1)
        return err_set(err, "'collviz export' wants one of --svg, "
                       "--asciicast, --trace and --msccl");
    if (o->step >= 0 && !o->svg)
        return err_set(err, "--step: a single step is for --svg");
    return true;
}

/* Whether the recording has what is to be shown; *status is for when not. */
static bool
check_recording(const struct options *o, const struct world *w,
                const char *name, int *status, struct err *err)
{
    int known = world_complete_steps(w);

    *status = EXIT_WRONG;
    if (!world_step_complete(w, 0))
        return err_set(err, "%s: the run was ended before its input: there "
                       "is nothing to show", name);
    if (o->step > known && known < w->nsteps)
        return err_set(err, "--step %d: in %s the run was ended after step "
                       "%d", o->step, name, known);
    *status = EXIT_USAGE;
    if (o->step > known)
        return err_set(err, "--step %d: the run in %s has steps 0 to %d",
                       o->step, name, known);
    return true;
}

/* Of a schedule, not of a run. */
static int
export_msccl(const struct options *o, const char *name)
{
    const struct algorithm *a;
    struct schedule *s = command_schedule(name, o, &a);

    if (s == NULL)
        return EXIT_USAGE;
    msccl_write(s, stdout);
    schedule_free(s);
    return command_finish(EXIT_RIGHT);
}

int
cmd_export(const struct options *o)
{
    struct session session;
    struct err err;
    const char *name;
    int status = EXIT_WRONG;

    if (!command_operand(o, "export", "FILE", &name))
        return EXIT_USAGE;
    if (!check_options(o, &err))
        return command_fail(EXIT_USAGE, &err);
    if (o->msccl)
        return export_msccl(o, name);
    session_init(&session);
    if (recording_read(&session, name, &err) &&
        check_recording(o, session.world, name, &status, &err)) {
        export(o, &session);
        status = EXIT_RIGHT;
    } else {
        command_fail(status, &err);
    }
    session_done(&session);
    return command_finish(status);
}
