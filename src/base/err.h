/* SPDX-License-Identifier: MIT */
/* Errors come in three kinds.
 *
 * A bug in collviz is an assert().  Out of memory is die().  For everything
 * that comes from outside (files, devices, terminals, other people's text), a
 * function returns false and fills a struct err:
 *
 *     if (!stream_open(&in, path, &err))
 *         return err_show(&err);
 *
 * A message says what is wrong, where, and what to do about it.  Only main and
 * app print messages. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdbool.h>

struct err {
    char text[512]; /* one line of UTF-8, as it is shown (base/utf8.h) */
    bool typed; /* the words that were typed are why: exit status 2, not 1 */
};

/* Formats the message, in the user's language if the catalogue has its format
 * (a format is not put into _(), only words among the arguments are), and
 * escapes it (utf8_clean), so that hostile input quoted in a message cannot
 * reach the terminal.  Always returns false, for `return err_set(err, ...)`. */
bool err_set(struct err *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "s" for any number but 1, as in "%d step%s".  A translation drops it with
 * "%.0s". */
static inline const char *
err_plural(long long count)
{
    return count == 1 ? "" : "s";
}

/* Puts "WHERE: " before the message. Always returns false. */
bool err_prefix(struct err *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Says that the words that were typed are why.  Always returns false. */
static inline bool
err_typed(struct err *err)
{
    err->typed = true;
    return false;
}

/* Shows clang-tidy, which does not see err.c, that both return false. */
#ifdef __clang_analyzer__
static inline bool
err_false(bool ignored)
{
    return ignored && false;
}
#define err_set(...) err_false(err_set(__VA_ARGS__))
#define err_prefix(...) err_false(err_prefix(__VA_ARGS__))
#endif

/* Prints a line on stderr and exits with status 1: for "out of memory" and
 * other failures that no caller could handle. */
void die(const char *format, ...)
    __attribute__((noreturn, format(printf, 1, 2)));

#endif
