/* SPDX-License-Identifier: MIT */
/* All output that collviz makes from a recording or from other text: plain
 * text, lines of JSON, every view, films, traces.  Each is passed to `see`,
 * for tests that look at bytes. */
#ifndef TESTS_OUTPUTS_H
#define TESTS_OUTPUTS_H

#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/print.h"
#include "base/utf8.h"
#include "canvas_text.h"
#include "event/stream.h"
#include "play/film.h"
#include "play/session.h"
#include "screen/text_pages.h"
#include "tap.h"
#include "term/asciicast.h"
#include "term/svg.h"
#include "text/text.h"
#include "view/frame.h"
#include "view/home.h"
#include "view/view.h"

enum output {
    OUTPUT_TEXT,
    OUTPUT_STREAM,
    OUTPUT_SVG,
    OUTPUT_CAST,
    OUTPUT_TRACE
};

typedef void output_seen(enum output kind, const struct buf *made);

/* More steps would take too long. */
enum { OUTPUTS_RANKS = 8, OUTPUTS_STEPS = 6, OUTPUTS_FRAMES = 12 };

static void
output_canvas(const struct canvas *c, output_seen *see)
{
    OWN(buf) text = {0};

    canvas_text(c, &text);
    see(OUTPUT_TEXT, &text);
}

static void
output_frame(const struct scene *scene, const struct surround *frame,
             output_seen *see)
{
    OWN(canvas) c = {0};

    canvas_resize(&c, 80, 24);
    frame_draw(scene, frame, &c);
    output_canvas(&c, see);
}

static void
output_views(struct world *w, output_seen *see)
{
    struct scene scene = {.world = w};
    struct surround frame = {0};
    OWN(canvas) c = {0};
    struct help help;

    for (int step = 0; step <= world_complete_steps(w); step++) {
        world_seek(w, step);
        for (scene.view = 0; view_at(scene.view) != NULL; scene.view++)
            output_frame(&scene, &frame, see);
        scene.inspect = true;
        output_frame(&scene, &frame, see);
        scene.inspect = false;
    }
    help = frame_help(&scene, &frame, 80, 24);
    canvas_resize(&c, 80, 24);
    help_draw(&help, 1, &c);
    output_canvas(&c, see);
}

static void
output_text(struct world *w, output_seen *see)
{
    OWN(buf) text = {0};

    text_title(w->schedule, &text);
    text_step(w, 0, true, &text);
    for (int step = 1; step <= world_complete_steps(w); step++)
        text_step(w, step, true, &text);
    if (w->has_end)
        text_result(w, &text);
    see(OUTPUT_TEXT, &text);
}

static void
output_films(struct session *s, output_seen *see)
{
    OWN(buf) title = {0}, picture = {0}, recorded = {0};
    OWN(svg) svg = {0};
    struct asciicast cast;
    OWN(film) f;

    text_title(s->world->schedule, &title);
    world_seek(s->world, 0);
    film_init(&f, s, 80, 24, GLYPHS_FULL);
    asciicast_begin(&cast, 80, 24, GROUND_DARK, buf_text(&title), &recorded);
    for (int i = 0; i < OUTPUTS_FRAMES && film_next(&f); i++) {
        svg_add(&svg, &f.canvas, f.ms);
        asciicast_add(&cast, &f.canvas, f.ms, &recorded);
    }
    svg_write(&svg, buf_text(&title), f.ms + 1, &picture);
    asciicast_end(&cast, f.ms + 1, &recorded);
    see(OUTPUT_SVG, &picture);
    see(OUTPUT_CAST, &recorded);
}

static void
output_trace(struct world *w, output_seen *see)
{
    struct buf text = {0};

    trace_write(w, &text, NULL, NULL);
    see(OUTPUT_TRACE, &text);
    buf_done(&text);
}

/* Reads items into the session and writes them again. */
static void
output_stream(struct session *s, const void *data, size_t size,
              struct buf *out)
{
    FILE *file = size > 0 ? fmemopen((void *)data, size, "r") : NULL;
    struct stream_reader *r;
    struct stream_writer w = {0};
    struct item item;
    struct err err;

    if (file == NULL)
        return;
    r = stream_reader_new(file, NULL, "recording");
    while (stream_read(r, &item, &err) == STREAM_ITEM &&
           session_feed(s, &item, &err))
        stream_write(&w, &item, out);
    stream_reader_free(r);
    fclose(file);
}

/* Returns false if the data is no recording, or one without anything to show.
 * *stream is its lines, written again. */
static bool
outputs_of_recording(const void *data, size_t size, output_seen *see,
                     struct buf *stream)
{
    OWN(session) s;
    struct world *w;
    bool shown;

    session_init(&s);
    output_stream(&s, data, size, stream);
    see(OUTPUT_STREAM, stream);
    w = s.world;
    shown = w->schedule != NULL && w->schedule->nranks <= OUTPUTS_RANKS &&
            w->nsteps <= OUTPUTS_STEPS && world_step_complete(w, 0);
    if (shown) {
        output_text(w, see);
        output_views(w, see);
        if (world_complete_steps(w) == w->nsteps)
            output_trace(w, see);
        output_films(&s, see);
    }
    return shown;
}

/* A broadcast on two GPUs, right or wrong, with `name` for every name in it.
 * Empty if a recording cannot hold the name. */
static void
recording_with(const char *name, bool right, struct buf *out)
{
    json_t *text = json_string(name);
    char *j = json_dumps(text, JSON_ENCODE_ANY);

    if (j != NULL && strlen(name) < SCHEDULE_NAME_MAX) {
        buf_addf(out, "{\"type\":\"run\",\"version\":1,\"collective\":"
                 "\"broadcast\",\"algorithm\":%s,\"ranks\":2,\"backend\":%s,"
                 "\"devices\":[%s],\"type_name\":\"int32\",\"op\":\"sum\","
                 "\"root\":0,\"count\":1,\"steps\":1,\"in_place\":true,"
                 "\"pieces\":1,\"scratch\":0,\"topology\":\"star\",\"pace\":"
                 "\"lockstep\",\"place\":\"GPU\",\"places\":1}\n", j, j, j);
        buf_addf(out, "{\"type\":\"step\",\"step\":1,\"phase\":%s,"
                 "\"transfers\":[[0,0,1,0,1,\"copy\",0]]}\n", j);
        buf_puts(out, "{\"type\":\"input\",\"rank\":0,\"slot\":0,\"slots\":1,"
                 "\"ledger\":[[[0,0,1]]],\"length\":[1],\"values\":[[1]]}\n"
                 "{\"type\":\"input\",\"rank\":1,\"slot\":0,\"slots\":0,"
                 "\"ledger\":[],\"length\":[],\"values\":[]}\n"
                 "{\"type\":\"transfer\",\"step\":1,\"src\":0,\"dst\":1,"
                 "\"src_slot\":0,\"dst_slot\":0,\"slots\":1,\"op\":\"copy\","
                 "\"bytes\":4,\"begin_ns\":1,\"end_ns\":2,\"slice\":0,"
                 "\"wait_ns\":0,\"waited_for\":-1,\"ledger\":[[[0,0,1]]],"
                 "\"length\":[1],\"values\":[[1]]}\n");
        buf_addf(out, "{\"type\":\"result\",\"correct\":%s,\"wrong\":%d,"
                 "\"steps\":1,\"bytes_sent\":[4,0],\"wall_ns\":2,"
                 "\"first_wrong\":%s%s%s%s,"
                 "\"native\":{\"name\":%s,\"inside\":%s,\"wall_ns\":1,"
                 "\"wrong\":0,\"differ\":0}}\n{\"type\":\"end\","
                 "\"complete\":true,\"lines\":7}\n",
                 right ? "true" : "false", !right, j,
                 right ? "" : ",\"why\":{\"kind\":\"sum\",\"rank\":0,"
                              "\"chunk\":0,\"said\":",
                 right ? "" : j, right ? "" : "}", j, j);
    }
    free(j);
    json_decref(text);
}

static void
output_panel(const char *text, output_seen *see)
{
    struct panel p = {.number = 1, .title = text, .text = text, .aside = text,
                      .items = {text, "x"}, .nitems = 2, .typed = text,
                      .closing = text, .status = text, .asked.rank = -1,
                      .keys = {.on = ON_LESSON}};
    OWNS(world) *none = world_new();
    struct scene scene = {.world = none, .view = -1, .taught = true};
    struct surround frame = {.panel = &p};

    for (int i = 0; i < 4; i++) {
        p.full = i % 2 == 1;
        p.table = i == 2 ? text : NULL;
        frame.notice_rows = i == 3 ? 2 : 0;
        output_frame(&scene, &frame, see);
    }
    scene.taught = false;
    frame = (struct surround){.task = text};
    output_frame(&scene, &frame, see);
}

static void
output_home(const char *text, output_seen *see)
{
    struct home_row rows[] = {
        {.mark = HOME_DONE, .group = text, .title = text, .name = text,
         .note = "3/3", .text = text, .enter = text},
        {.mark = HOME_BROKEN, .title = text, .name = text, .note = text,
         .text = text}};
    int listed[] = {0, 1};
    struct home h = {.rows = rows, .listed = listed, .nlisted = 2,
                     .lessons = true, .counts = {text}, .empty = text};
    OWN(canvas) c = {0};

    for (int i = 0; i < 2; i++) {
        h.chosen = i;
        h.search = i == 0 ? NULL : text;
        canvas_resize(&c, 80 + 60 * i, 24);
        home_draw(&h, &c);
        output_canvas(&c, see);
    }
}

static void
output_text_page(const char *text, output_seen *see)
{
    struct text_page page = {.title = text, .text = text, .numbered = true};
    OWN(canvas) c = {0};

    canvas_resize(&c, 80, 24);
    text_pages_draw(&page, &c);
    keys_draw_prompt(text, &c, 0);
    frame_notice(text, true, &c, (struct rect){1, 0, 78, 9});
    output_canvas(&c, see);
}

/* The output for a text that may come from a lesson, a file's name, the
 * environment or the command line. */
static void
outputs_of_text(const char *text, output_seen *see)
{
    struct buf made = {0};
    struct err err;
    char *printed;
    size_t length;
    FILE *file = open_memstream(&printed, &length);

    print_to(file, "%s %d\n", text, 1);
    fclose(file);
    buf_add(&made, printed, length);
    free(printed);
    err_set(&err, "'%s'", text);
    err_prefix(&err, "%s", text);
    buf_addf(&made, "%s\n", err.text);
    utf8_add(&made, text);
    json_add_string(&made, text);
    utf8_add_xml(&made, text);
    see(OUTPUT_TEXT, &made);
    buf_done(&made);
    output_panel(text, see);
    output_home(text, see);
    output_text_page(text, see);
}

#endif
