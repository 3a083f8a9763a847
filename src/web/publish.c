/* SPDX-License-Identifier: MIT */
#include "web/publish.h"

#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/translate.h"
#include "term/asciicast.h"
#include "term/gif.h"
#include "term/svg.h"
#include "text/text.h"
#include "view/frame.h"
#include "web/page.h"

/* "ring all-reduce, 3 GPUs (threads on 2 cores)" */
static void
add_run_title(const struct world *w, struct buf *out)
{
    text_title(w->schedule, out);
    buf_puts(out, ", ");
    text_where(w, out);
}

static void
flush_buf(struct buf *text, FILE *out)
{
    fwrite(buf_text(text), 1, text->length, out);
    buf_clear(text);
}

bool
publish_film(struct film *f, enum publish_format format, int step,
             enum ground ground, FILE *out, struct err *err)
{
    const struct canvas *c = &f->canvas;
    OWN(buf) title = {0}, text = {0};
    struct svg svg = {.ground = ground};
    struct asciicast cast = {.begun = false};
    struct gif *gif = NULL;

    if (format == PUBLISH_HTML) {
        page_run(f, &text);
        flush_buf(&text, out);
        return true;
    }
    if (format == PUBLISH_GIF &&
        (gif = gif_begin(c->columns, c->rows, ground, out, err)) == NULL)
        return false;
    add_run_title(f->player.session->world, &title);
    if (format == PUBLISH_ASCIICAST)
        asciicast_begin(&cast, c->columns, c->rows, ground, buf_text(&title),
                        &text);
    while (step < 0 && film_next(f)) {
        if (gif != NULL)
            gif_add(gif, c, f->ms);
        else if (format == PUBLISH_ASCIICAST)
            asciicast_add(&cast, c, f->ms, &text);
        else
            svg_add(&svg, c, f->ms);
        flush_buf(&text, out);
    }
    if (step >= 0) {
        film_still(f, step);
        svg_add(&svg, c, 0);
    }
    if (format == PUBLISH_ASCIICAST)
        asciicast_end(&cast, f->ms, &text);
    else if (gif == NULL)
        svg_write(&svg, buf_text(&title), f->ms, &text);
    flush_buf(&text, out);
    svg_done(&svg);
    return gif == NULL || gif_end(gif, f->ms, err);
}

struct replace *
publish_open(const char *path, struct err *err)
{
    struct err why;
    struct replace *file = replace_open(path, 0666, &why);

    if (file == NULL)
        err_set(err, "cannot write %s: %s", path, why.text);
    return file;
}

bool
publish_close(struct replace *file, const char *path, bool ok, struct err *err)
{
    struct err why;

    if (!replace_close(file, ok, &why) && ok)
        return err_set(err, "cannot write %s: %s", path, why.text);
    return ok;
}

enum publish_format
publish_format(const char *path)
{
    static const char *const endings[] = {".svg", ".cast", ".gif", ".html",
                                          ".jsonl"};
    size_t length = strlen(path);

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t tail = strlen(endings[i]);
        if (length > tail && strcasecmp(path + length - tail, endings[i]) == 0)
            return (enum publish_format)i;
    }
    return PUBLISH_UNKNOWN;
}

/* Writes a canvas as an SVG, and frees it; `path` NULL: to standard output. */
static bool
write_svg(const char *path, struct canvas *c, enum ground ground,
          const char *title, struct err *err)
{
    struct replace *file = path != NULL ? publish_open(path, err) : NULL;
    struct svg svg = {.ground = ground};
    OWN(buf) text = {0};

    svg_add(&svg, c, 0);
    svg_write(&svg, title, 0, &text);
    if (file != NULL || path == NULL)
        flush_buf(&text, file != NULL ? replace_file(file) : stdout);
    svg_done(&svg);
    canvas_done(c);
    return path == NULL ||
           (file != NULL && publish_close(file, path, true, err));
}

/* The row of the keys stays empty, and is cut off, if there is one. */
bool
publish_scene(const char *path, const struct scene *s,
              const struct canvas *like, enum ground ground, struct err *err)
{
    struct canvas c = {.glyphs = like->glyphs, .colourless = like->colourless};
    OWN(buf) title = {0};
    struct layout l;

    canvas_resize(&c, like->columns, like->rows);
    frame_draw(s, NULL, &c);
    if (layout(c.columns, c.rows, false, &l))
        c.rows--;
    add_run_title(s->world, &title);
    return write_svg(path, &c, ground, buf_text(&title), err);
}

/* The row of the keys is cut off. */
bool
publish_chart(const char *path, const struct chart *chart,
              const struct canvas *like, enum ground ground, struct err *err)
{
    struct canvas c = {.glyphs = like->glyphs};

    canvas_resize(&c, like->columns, like->rows);
    chart_draw(chart, &c);
    c.rows--;
    return write_svg(path, &c, ground, chart->title, err);
}

bool
publish_film_file(const char *path, struct film *f, enum ground ground,
                  struct err *err)
{
    struct replace *file = publish_open(path, err);

    return file != NULL &&
           publish_close(file, path,
                      publish_film(f, publish_format(path), -1, ground,
                                   replace_file(file), err), err);
}

/* A pipe without a reader would stop the screen. */
bool
publish_may_write(const char *path, char asked[PROMPT_MAX], struct err *err)
{
    struct stat about;

    if (stat(path, &about) != 0)
        return true; /* it is new, or cannot be opened */
    if (!S_ISREG(about.st_mode))
        return err_set(err, _("%s is not a regular file"), path);
    if (strcmp(path, asked) == 0)
        return true;
    snprintf(asked, PROMPT_MAX, "%s", path);
    return err_set(err, _("%s exists: Enter again replaces it"), path);
}
