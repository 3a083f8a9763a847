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

/* The formats of films. */

static bool
write_svg_film(struct film *f, int step, enum ground ground, FILE *out,
               struct err *err)
{
    OWN(svg) svg = {.ground = ground};
    OWN(buf) title = {0}, text = {0};

    (void)err;
    if (step >= 0)
        film_still(f, step);
    for (bool more = step >= 0 || film_next(f); more;
         more = step < 0 && film_next(f))
        svg_add(&svg, &f->canvas, f->ms);
    add_run_title(f->player.session->world, &title);
    svg_write(&svg, buf_text(&title), f->ms, &text);
    flush_buf(&text, out);
    return true;
}

static bool
write_asciicast_film(struct film *f, int step, enum ground ground, FILE *out,
                     struct err *err)
{
    const struct canvas *c = &f->canvas;
    struct asciicast cast = {.begun = false};
    OWN(buf) title = {0}, text = {0};

    (void)step, (void)err;
    add_run_title(f->player.session->world, &title);
    asciicast_begin(&cast, c->columns, c->rows, ground, buf_text(&title),
                    &text);
    while (film_next(f)) {
        asciicast_add(&cast, c, f->ms, &text);
        flush_buf(&text, out);
    }
    asciicast_end(&cast, f->ms, &text);
    flush_buf(&text, out);
    return true;
}

static bool
write_gif_film(struct film *f, int step, enum ground ground, FILE *out,
               struct err *err)
{
    const struct canvas *c = &f->canvas;
    struct gif *gif = gif_begin(c->columns, c->rows, ground, out, err);

    (void)step;
    while (gif != NULL && film_next(f))
        gif_add(gif, c, f->ms);
    return gif != NULL && gif_end(gif, f->ms, err);
}

/* A page has the reader's ground. */
static bool
write_html_film(struct film *f, int step, enum ground ground, FILE *out,
                struct err *err)
{
    OWN(buf) text = {0};

    (void)step, (void)ground, (void)err;
    page_run(f, &text);
    flush_buf(&text, out);
    return true;
}

const struct film_format film_formats[] = {
    {"--svg", ".svg", true, false, write_svg_film},
    {"--asciicast", ".cast", false, false, write_asciicast_film},
    {"--gif", ".gif", false, true, write_gif_film},
    {"--html", ".html", false, false, write_html_film},
};
const int nfilm_formats = sizeof film_formats / sizeof film_formats[0];

bool
publish_ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);

    return length > tail && strcasecmp(path + length - tail, ending) == 0;
}

const struct film_format *
publish_format(const char *path)
{
    for (int i = 0; i < nfilm_formats; i++)
        if (publish_ends_in(path, film_formats[i].ending))
            return &film_formats[i];
    return NULL;
}

/* Files. */

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

/* Writes a canvas as an SVG, and frees it; `path` NULL: to standard output. */
static bool
write_svg(const char *path, struct canvas *c, enum ground ground,
          const char *title, struct err *err)
{
    struct replace *file = path != NULL ? publish_open(path, err) : NULL;
    OWN(svg) svg = {.ground = ground};
    OWN(buf) text = {0};

    svg_add(&svg, c, 0);
    svg_write(&svg, title, 0, &text);
    if (file != NULL || path == NULL)
        flush_buf(&text, file != NULL ? replace_file(file) : stdout);
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
                         publish_format(path)->write(f, -1, ground,
                                                     replace_file(file), err),
                         err);
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
