/* SPDX-License-Identifier: MIT */
/* Errors, three cases.
 *
 * A bug in collviz is an assert().  Out of memory is die().  Everything the
 * world may do to us (files, devices, terminals, other people's text) is a
 * function that returns false and fills a struct err:
 *
 *     if (!stream_open(&in, path, &err))
 *         return err_show(&err);
 *
 * A message says what, where and what to do about it.  Only main and app
 * print messages. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdbool.h>

struct err {
    char text[512]; /* UTF-8, one line, no control characters */
};

/* Formats the message, with control characters and bytes that are not UTF-8
 * written as \xNN, so that hostile input quoted in a message can not reach
 * the terminal.  Always returns false: `return err_set(err, ...)`. */
bool err_set(struct err *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Puts "WHERE: " before the message. Always returns false. */
bool err_prefix(struct err *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Ends the process with a line on stderr and status 1: for "out of memory"
 * and nothing else the caller could act on. */
void die(const char *format, ...)
    __attribute__((noreturn, format(printf, 1, 2)));

#endif
