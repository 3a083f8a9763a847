/* SPDX-License-Identifier: MIT */
/* Pictures to give away: what is on the screen, or a film of the run, as the
 * screen shows them but without its keys. */
#ifndef WEB_PUBLISH_H
#define WEB_PUBLISH_H

#include <stdio.h>

#include "base/replace.h"
#include "play/film.h"
#include "term/prompt.h"
#include "view/chart.h"

/* A format of films, a row of the table. */
struct film_format {
    const char *option; /* that asks for it: "--gif" */
    const char *ending; /* of its files: ".gif" */
    bool of_a_step;     /* it can have a single step */
    bool binary;        /* nothing for a terminal */

    /* Writes the film, or one of its steps (-1: all).  Errors of `out` are left
     * to its owner. */
    bool (*write)(struct film *f, int step, enum ground ground, FILE *out,
                  struct err *err);
};

extern const struct film_format film_formats[];
extern const int nfilm_formats;

/* The format by the ending of a file's name, in any case of letters; NULL:
 * none.  And whether it ends so. */
const struct film_format *publish_format(const char *path);
bool publish_ends_in(const char *path, const char *ending);

/* Write a scene as an SVG, as on a canvas like this one, or a film as its name
 * says, to a file.  Return false, with the reason in *err, if it cannot be
 * written; then an older file of that name is kept. */
bool publish_scene(const char *path, const struct scene *s,
                   const struct canvas *like, enum ground ground,
                   struct err *err);
bool publish_film_file(const char *path, struct film *f, enum ground ground,
                       struct err *err);

/* Opens a file to be written, and closes it.  An older file of that name is
 * kept unless it is closed with `ok`, which publish_close() returns if nothing
 * else fails.  NULL or false: with the reason in *err. */
struct replace *publish_open(const char *path, struct err *err);
bool publish_close(struct replace *file, const char *path, bool ok,
                   struct err *err);

/* Whether a file may be written where somebody has typed its name.  A file that
 * exists is replaced only if its name is entered twice: `asked` has the last
 * one, "" at first.  Returns false, with what to say in *err. */
bool publish_may_write(const char *path, char asked[PROMPT_MAX],
                       struct err *err);

/* Writes a chart as an SVG to a file, as above; `path` NULL: to standard
 * output, whose errors are left to its owner. */
bool publish_chart(const char *path, const struct chart *chart,
                   const struct canvas *like, enum ground ground,
                   struct err *err);

#endif
