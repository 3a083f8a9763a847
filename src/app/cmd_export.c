/* SPDX-License-Identifier: MIT */
/* collviz export: writes to standard output a recording, or a run made for the
 * purpose, as a picture, a film or a trace, or an algorithm's schedule as an
 * MSCCL program. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/command.h"
#include "base/print.h"
#include "base/signals.h"
#include "base/translate.h"
#include "msccl/msccl.h"
#include "play/film.h"
#include "play/job.h"
#include "play/play.h"
#include "screen/publish.h"
#include "text/trace.h"

/* Writes out the text made so far; command_finish() reports errors. */
static void
flush(struct buf *out)
{
    fwrite(buf_text(out), 1, out->length, stdout);
    buf_clear(out);
}

static bool
export_film(const struct options *o, enum publish_format format,
            struct session *session, struct buf *out, struct err *err)
{
    struct film f;
    bool ok;

    (void)out;
    film_init(&f, session, o->columns, o->rows,
              o->ascii ? GLYPHS_ASCII : GLYPHS_FULL);
    ok = publish_film(&f, format, o->step, GROUND_DARK, stdout, err);
    film_done(&f);
    return ok;
}

static bool
export_trace(const struct options *o, enum publish_format format,
             struct session *session, struct buf *out, struct err *err)
{
    struct world *w = session->world;
    struct trace *t = trace_new(w);

    (void)o, (void)format, (void)err;
    trace_begin(t, out);
    for (int step = 1; step <= w->nsteps; step++) {
        trace_step(t, step, out);
        flush(out);
    }
    trace_end(t, out);
    trace_free(t);
    return true;
}

static const struct format {
    const char *option; /* that asks for it */
    bool of_a_step;     /* --step works with it */
    bool binary;        /* nothing for a terminal */
    /* Appends to `out`, and flushes in between if the text is long.  Returns
     * false, with the reason in *err, if there can be no such file. */
    bool (*write)(const struct options *o, enum publish_format format,
                  struct session *session, struct buf *out, struct err *err);
    enum publish_format film; /* of a picture */
    /* Used instead for a schedule; nothing runs.  *warning is "" or says what
     * cannot read the file. */
    void (*write_schedule)(const struct schedule *s, FILE *out,
                           struct err *warning);
} formats[] = {
    {"--svg", true, false, export_film, PUBLISH_SVG, NULL},
    {"--asciicast", false, false, export_film, PUBLISH_ASCIICAST, NULL},
    {"--gif", false, true, export_film, PUBLISH_GIF, NULL},
    {"--trace", false, false, export_trace, 0, NULL},
    {"--msccl", false, false, NULL, 0, msccl_write},
};

enum { FORMATS = sizeof formats / sizeof formats[0] };

/* "--svg, --asciicast and --trace", or only those that work with --step. */
static void
add_formats(struct buf *out, bool of_a_step)
{
    const char *names[FORMATS];
    int count = 0;

    for (int i = 0; i < FORMATS; i++)
        if (!of_a_step || formats[i].of_a_step)
            names[count++] = formats[i].option;
    for (int i = 0; i < count; i++)
        buf_addf(out, "%s%s",
                 i == 0 ? "" : i < count - 1 ? _(", ") : _(" and "), names[i]);
}

/* The format that was asked for.  Returns NULL, with the reason in *err, unless
 * there is exactly one. */
static const struct format *
choose_format(const struct options *o, struct err *err)
{
    const struct format *chosen = NULL;
    struct buf names = {0};
    int asked = 0;

    for (int i = 0; i < FORMATS; i++)
        if (options_given(o, FOR_EXPORT, formats[i].option + 2)) {
            chosen = &formats[i];
            asked++;
        }
    if (asked != 1) {
        add_formats(&names, false);
        err_set(err, "'collviz export' needs one of %s", buf_text(&names));
        chosen = NULL;
    } else if (chosen->binary && isatty(STDOUT_FILENO)) {
        err_set(err, "%s is not for a terminal: redirect it into a file, as "
                "in > film.gif", chosen->option);
        chosen = NULL;
    } else if (o->step >= 0 && !chosen->of_a_step) {
        add_formats(&names, true);
        err_set(err, "--step: a single step is for %s", buf_text(&names));
        chosen = NULL;
    } else if (o->sized && chosen->write != export_film) {
        err_set(err, "--size is for pictures: %s is none", chosen->option);
        chosen = NULL;
    }
    buf_done(&names);
    return chosen;
}

/* Whether the run has the steps to be shown. */
static bool
check_steps(const struct options *o, const struct world *w, const char *name,
            struct err *err)
{
    int known = world_complete_steps(w);

    if (!world_step_complete(w, 0))
        return err_set(err, "%s: the run was ended before its input: there "
                       "is nothing to show", name);
    if (o->step > known && known < w->nsteps)
        return err_set(err, "--step %d: in %s the run was ended after step "
                       "%d", o->step, name, known);
    if (o->step <= known)
        return true;
    err_set(err, "--step %d: the run in %s has steps 0 to %d", o->step, name,
            known);
    return err_typed(err);
}

static bool
export_schedule(const struct options *o, const struct format *format,
                const char *name, struct err *err)
{
    struct err doubt;
    struct schedule *s = build_schedule(name, o, NULL, err);

    if (s == NULL)
        return false;
    if (s->topology.switches > 0) {
        schedule_free(s);
        err_set(err, "%s: %s has a switch that adds, which such a file cannot "
                "have", format->option, name);
        return err_typed(err);
    }
    format->write_schedule(s, stdout, &doubt);
    schedule_free(s);
    if (doubt.text[0] != '\0' && fflush(stdout) == 0) {
        err_prefix(&doubt, "warning");
        print_to(stderr, "collviz: %s\n", doubt.text);
    }
    return true;
}

/* Writes the session if it has the steps asked for. */
static bool
export_session(const struct options *o, const struct format *format,
               const char *name, struct session *session, struct err *err)
{
    struct buf out = {0};
    bool ok;

    if (!check_steps(o, session->world, name, err))
        return false;
    ok = format->write(o, format->film, session, &out, err);
    flush(&out);
    buf_done(&out);
    return ok;
}

/* Runs the algorithm, then exports; an interrupted run is not exported. */
static bool
export_run(const struct options *o, const struct format *format,
           const char *name, struct err *err)
{
    struct job *job = job_new(name, o, err);
    bool ok = job != NULL && job_start(job, true, err) &&
              play_through(&job->session, job->run.free, err) &&
              (signals_ending() != 0 ||
               export_session(o, format, name, &job->session, err));

    job_free(job);
    return ok;
}

int
cmd_export(const struct options *o, struct err *err)
{
    const struct format *format;
    const struct algorithm *a;
    struct session session;
    struct err why;
    const char *name = o->operands[0], *unused;
    struct stat about;
    bool ok, read; /* an existing file, or a name that only a file can have */

    if (o->noperands > 1)
        return command_misuse(err, "'%s': one FILE or ALGORITHM at a time; to "
                              "write to a file, say > %s", o->operands[1],
                              o->operands[1]);
    format = choose_format(o, err);
    if (format == NULL)
        return EXIT_USAGE;
    if (format->write_schedule != NULL) {
        if ((unused = options_first(o, FOR_RUN, FOR_SCHEDULE)) == NULL)
            return command_status(export_schedule(o, format, name, err), err);
        return command_misuse(err, "--%s does nothing with %s, which runs "
                              "nothing", unused, format->option);
    }
    read = !build_is_file(name) &&
           (strpbrk(name, "./") != NULL ||
            (stat(name, &about) == 0 && !S_ISDIR(about.st_mode)));
    if (!read) {
        if (build_is_file(name) || coll_find(name, &a, &why))
            return command_status(export_run(o, format, name, err), err);
        return command_misuse(err, "there is no file '%s', and %s", name,
                              why.text);
    }
    if ((unused = options_first(o, FOR_RUN, FOR_REPLAY)) != NULL)
        return command_misuse(err, "--%s is for a run, and %s is a recording",
                              unused, name);
    session_init(&session);
    ok = session_read(&session, name, err) &&
         export_session(o, format, name, &session, err);
    session_done(&session);
    return command_status(ok, err);
}
