/* SPDX-License-Identifier: MIT */
/* A run or a lesson as an HTML page: one file without network access, which is
 * read without a script, too, or printed.
 *
 * Each step of a run, or page of a lesson, is a <section> with its picture and
 * its text.  page.js shows one at a time and moves what is in flight: a frame
 * is the rows in which it differs from the picture at rest, and each row is in
 * the page once.  page.css follows the reader's preference for dark or light.
 * The page is XML as well. */
#ifndef WEB_PAGE_H
#define WEB_PAGE_H

#include "play/film.h"
#include "play/options.h"

/* Appends what a page begins with, up to its title.  `more` stands in its
 * <head>, which is left open. */
void page_begin(const char *title, const char *more, struct buf *out);

/* Appends the page of a run: its input, each step, the result, with what
 * text/text.h says of them. */
void page_run(struct film *f, struct buf *out);

/* Appends a lesson as a deck, which it plays without a learner: the answer to a
 * question, with its hints, is closed until it is asked for.  Returns false,
 * with the reason in *err, if the lesson failed, or is no part of the lecture
 * that was asked for.  Ends early if a signal asks
 * for it (base/signals.h). */
bool page_lesson(const char *path, const struct options *o, struct buf *out,
                 struct err *err);

#endif
