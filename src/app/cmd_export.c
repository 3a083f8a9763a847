/* SPDX-License-Identifier: MIT */
/* collviz export: writes to standard output, or to a file, a recording, or a
 * run made for the purpose, as a picture, a film, a page or a trace, an
 * algorithm's schedule as an MSCCL program, or a lesson as a page. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/command.h"
#include "base/near.h"
#include "base/print.h"
#include "base/signals.h"
#include "base/translate.h"
#include "lesson/shelf.h"
#include "msccl/msccl.h"
#include "play/film.h"
#include "play/job.h"
#include "play/play.h"
#include "text/text.h"
#include "web/page.h"
#include "web/publish.h"

/* Writes out the text made so far. */
static void
drain_text(struct buf *text, FILE *out)
{
    fwrite(buf_text(text), 1, text->length, out);
    buf_clear(text);
}

/* Whether the film's view can show the run. */
static bool
shows_view(const struct film *f, struct err *err)
{
    struct scene s = film_scene(f);
    const struct view *v = view_at(f->view);

    if (v == NULL || view_suits(v, &s, (struct rect){
                                           .width = f->canvas.columns,
                                           .height = f->canvas.rows}))
        return true;
    err_set(err, "--view: the view '%s' cannot show this run in %dx%d", v->name,
            f->canvas.columns, f->canvas.rows);
    return err_typed(err);
}

static void
write_trace(struct world *w, FILE *out)
{
    OWN(buf) text = {0};

    trace_write(w, &text, drain_text, out);
    drain_text(&text, out);
}

/* A format: of films (web/publish.h), or of facts, a row below. */
struct format {
    const char *option; /* that asks for it */
    void (*write)(struct world *w, FILE *out);
    /* Used instead for a schedule; nothing runs.  *warning is "" or says what
     * cannot read the file. */
    void (*write_schedule)(const struct schedule *s, FILE *out,
                           struct err *warning);
    const struct film_format *film; /* used instead for a film */
};

static const struct format facts[] = {
    {"--trace", write_trace, NULL, NULL},
    {"--msccl", NULL, msccl_write, NULL},
};

enum { FACTS = sizeof facts / sizeof facts[0] };

static bool
is_page(const struct format *f)
{
    return strcmp(f->option, "--html") == 0;
}

/* A format by its number, from 0. */
static struct format
format_at(int i)
{
    const struct film_format *film = &film_formats[i];

    return i < nfilm_formats
               ? (struct format){.option = film->option, .film = film}
               : facts[i - nfilm_formats];
}

/* The format that was asked for.  Returns false, with the reason in *err, if
 * there is not exactly one. */
static bool
choose_format(const struct options *o, struct format *chosen, struct err *err)
{
    OWN(buf) all = {0}, of_a_step = {0};
    int asked = 0, count = nfilm_formats + FACTS;

    for (int i = 0; i < count; i++) {
        struct format f = format_at(i);
        buf_addf(&all, "%s%s", near_before(i, count, _(" and ")), f.option);
        if (f.film != NULL && f.film->of_a_step)
            buf_puts(&of_a_step, f.option);
        if (options_given(o, FOR_EXPORT, f.option + 2)) {
            *chosen = f;
            asked++;
        }
    }
    if (asked != 1)
        return err_set(err, "'collviz export' needs one of %s", buf_text(&all));
    if (o->step >= 0 && (chosen->film == NULL || !chosen->film->of_a_step))
        return err_set(err, "--step: a single step is for %s",
                       buf_text(&of_a_step));
    if ((o->sized || o->ascii || o->view >= 0) && chosen->film == NULL)
        return err_set(err, "%s is for pictures: %s is none",
                       o->sized       ? "--size"
                       : o->view >= 0 ? "--view"
                                      : "--ascii", chosen->option);
    return o->seconds == 0 ||
           (o->step < 0 && chosen->film != NULL && !is_page(chosen)) ||
           err_set(err, "--seconds is for a film: %s is none",
                   o->step >= 0 ? "--step" : chosen->option);
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
                const char *name, FILE *out, struct err *err)
{
    struct err doubt;
    OWNS(schedule) *s = build_schedule(name, o, NULL, err);

    if (s == NULL)
        return false;
    if (s->topology.switches > 0) {
        err_set(err, "%s: %s has a switch that adds, which such a file cannot "
                "have", format->option, name);
        return err_typed(err);
    }
    if (s->counts != NULL) {
        err_set(err, "%s: chunks of such a file are equally long: leave out "
                "--counts", format->option);
        return err_typed(err);
    }
    format->write_schedule(s, out, &doubt);
    if (doubt.text[0] != '\0' && fflush(out) == 0) {
        err_prefix(&doubt, "warning");
        print_to(stderr, "collviz: %s\n", doubt.text);
    }
    return true;
}

/* Writes the session if it has the steps asked for. */
static bool
export_session(const struct options *o, const struct format *format,
               const char *name, struct session *session, FILE *out,
               struct err *err)
{
    struct film f;
    bool ok = check_steps(o, session->world, name, err);

    if (!ok || format->film == NULL) {
        if (ok)
            format->write(session->world, out);
        return ok;
    }
    film_init(&f, session, o->columns, o->rows,
              o->ascii ? GLYPHS_ASCII : GLYPHS_FULL);
    f.view = o->view;
    if (o->seconds > 0)
        film_last(&f, o->seconds);
    ok = shows_view(&f, err) &&
         format->film->write(&f, o->step, GROUND_DARK, out, err);
    film_done(&f);
    return ok;
}

/* Runs the algorithm, then exports; an interrupted run is not exported. */
static bool
export_run(const struct options *o, const struct format *format,
           const char *name, FILE *out, struct err *err)
{
    struct job *job = job_new(plan_new(name, NULL, o, err));
    bool ok = job != NULL && job_start(job, true, err) &&
              play_through(&job->session, job->plan->run.free, err) &&
              (signals_ending() != 0 ||
               export_session(o, format, name, &job->session, out, err));

    job_free(job);
    return ok;
}

static bool
export_recording(const struct options *o, const struct format *format,
                 const char *name, FILE *out, struct err *err)
{
    struct session session;
    bool ok;

    session_init(&session);
    ok = session_read(&session, name, err) &&
         export_session(o, format, name, &session, out, err);
    session_done(&session);
    return ok;
}

/* A script that is no lesson was to be an algorithm: *err says why it is
 * none. */
static bool
export_lesson(const struct options *o, const struct format *format,
              const char *name, FILE *out, struct err *err)
{
    struct err why;
    OWN(buf) text = {0};
    OWN_MEMORY char *path = shelf_find(name, &why);
    bool ok = path != NULL && page_lesson(path, o, &text, &why);

    (void)format;
    if (ok && signals_ending() == 0)
        drain_text(&text, out);
    else if (!ok && (o->lecture || text.length > 0 || !build_is_script(name)))
        *err = why;
    return ok;
}

/* Finds what writes the thing of that name: a schedule's file, a recording, a
 * run or, if no algorithm has the name, a lesson.  Returns NULL, with the
 * reason in *err, if there is none. */
typedef bool exporter(const struct options *o, const struct format *format,
                      const char *name, FILE *out, struct err *err);
static exporter *
choose_exporter(const struct options *o, const struct format *format,
                const char *name, struct err *err)
{
    bool page = is_page(format);
    struct algorithm own;
    const struct algorithm *a;
    struct stat about;
    struct err why, other;
    OWN_MEMORY char *lesson = NULL;

    if (o->lecture && !page) {
        err_set(err, "--lecture needs --html");
        return NULL;
    }
    if (o->lecture) { /* some lessons have the name of an algorithm */
        lesson = shelf_find(name, err);
        return lesson != NULL ? export_lesson : NULL;
    }
    if (format->write_schedule != NULL)
        return export_schedule;
    if (!build_is_file(name) &&
        (strpbrk(name, "./") != NULL || /* as only a file's can */
         (stat(name, &about) == 0 && !S_ISDIR(about.st_mode))))
        return export_recording;
    if (build_is_file(name) && !(page && build_is_script(name)))
        return export_run;
    if (build_find(name, o, &own, &a, err))
        return export_run;
    lesson = shelf_find(name, &other);
    if (lesson != NULL && page)
        return export_lesson;
    if (lesson != NULL) {
        err_set(err, "%s is a lesson: only --html exports it", name);
    } else if (!build_is_script(name)) {
        why = *err;
        if (page)
            err_set(err, "there is no file '%s', %s, and %s", name, why.text,
                    other.text);
        else
            err_set(err, "there is no file '%s', and %s", name, why.text);
    }
    return NULL;
}

/* Whether every option does something for what is written. */
static bool
check_export(const struct options *o, const struct format *format,
             const char *name, exporter *export, struct err *err)
{
    unsigned use = export == export_schedule    ? FOR_SCHEDULE
                   : export == export_recording ? FOR_REPLAY
                   : export == export_lesson    ? FOR_LEARN
                                                : FOR_RUN;
    const char *unused = options_first(o, FOR_RUN, use);

    if (unused == NULL)
        return true;
    if (use == FOR_SCHEDULE)
        return err_set(err, "--%s does nothing with %s, which runs nothing",
                       unused, format->option);
    if (use == FOR_LEARN)
        return err_set(err, "--%s is for a run, and %s is a lesson", unused,
                       name);
    return err_set(err, "--%s is for a run, and %s is a recording", unused,
                   name);
}

int
cmd_export(const struct options *o, struct err *err)
{
    const char *name = o->operands[0];
    struct format format;
    struct replace *file = NULL;
    exporter *export;
    FILE *out = stdout;
    int fd = STDOUT_FILENO;
    bool ok;

    if (o->noperands > 1)
        return command_misuse(err, "'%s': one FILE, ALGORITHM or LESSON at a "
                              "time; to write to a file, say -o %s",
                              o->operands[1], o->operands[1]);
    export = choose_format(o, &format, err)
                 ? choose_exporter(o, &format, name, err)
                 : NULL;
    if (export == NULL || !check_export(o, &format, name, export, err))
        return EXIT_USAGE;
    if (o->output != NULL && strcmp(o->output, name) == 0)
        return command_misuse(err, "-o %s would replace what is exported",
                              name);
    if (o->output != NULL) {
        file = publish_open(o->output, err);
        if (file == NULL)
            return EXIT_WRONG;
        out = replace_file(file);
        fd = replace_fd(file);
    }
    ok = format.film == NULL || !format.film->binary || !isatty(fd) ||
         (err_set(err, "%s is not for a terminal: write it into a file, as in "
                  "-o film.gif", format.option), err_typed(err));
    ok = ok && export(o, &format, name, out, err);
    if (file != NULL)
        ok = publish_close(file, o->output, ok && signals_ending() == 0, err) ||
             (ok && signals_ending() != 0);
    return command_status(ok, err);
}
