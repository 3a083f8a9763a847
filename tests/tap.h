/* SPDX-License-Identifier: MIT */
/* TAP, the Test Anything Protocol: a line "ok" or "not ok" for each check, and
 * at the end how many there were.  A test program is one source file:
 *
 *     int
 *     main(void)
 *     {
 *         is_int(ring_next(2, 3), 0, "of 3 ranks, %d sends to %d", 2, 0);
 *         return done_testing();
 *     }
 *
 * A check says whether it passed.  Its name is a printf format. */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

#define TAP_UNUSED __attribute__((unused))
#define TAP_PRINTF(n) __attribute__((unused, format(printf, n, n + 1)))

static int tap_checks, tap_failures;

#define ok(cond, ...) tap_ok(cond, #cond, __FILE__, __LINE__, __VA_ARGS__)
#define is_int(got, want, ...)                                                \
    tap_is_int(got, want, #got, __FILE__, __LINE__, __VA_ARGS__)
#define is_str(got, want, ...)                                                \
    tap_is_str(got, want, #got, __FILE__, __LINE__, __VA_ARGS__)

/* Prints a line to stderr that helps to understand a failure. */
TAP_PRINTF(1) static void
diag(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("# ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

static bool
tap_vok(bool passed, const char *text, const char *file, int line,
        const char *format, va_list args)
{
    printf("%sok %d - ", passed ? "" : "not ", ++tap_checks);
    vprintf(format, args);
    putchar('\n');
    fflush(stdout); /* for a crash, and for a fork */
    if (!passed) {
        tap_failures++;
        diag("%s:%d: %s", file, line, text);
    }
    return passed;
}

TAP_PRINTF(5) static bool
tap_ok(bool passed, const char *text, const char *file, int line,
       const char *format, ...)
{
    va_list args;

    va_start(args, format);
    tap_vok(passed, text, file, line, format, args);
    va_end(args);
    return passed;
}

TAP_PRINTF(6) static bool
tap_is_int(long long got, long long want, const char *text, const char *file,
           int line, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (!tap_vok(got == want, text, file, line, format, args))
        diag("got %lld, expected %lld", got, want);
    va_end(args);
    return got == want;
}

/* NULL equals NULL only. */
TAP_PRINTF(6) static bool
tap_is_str(const char *got, const char *want, const char *text,
           const char *file, int line, const char *format, ...)
{
    bool same = got && want ? strcmp(got, want) == 0 : got == want;
    va_list args;

    va_start(args, format);
    if (!tap_vok(same, text, file, line, format, args))
        diag("got:\n%s\nexpected:\n%s", got ? got : "NULL",
             want ? want : "NULL");
    va_end(args);
    return same;
}

/* Counts a check that cannot be made on this machine. */
TAP_PRINTF(1) static void
skip(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    printf("ok %d # SKIP ", ++tap_checks);
    vprintf(format, args);
    putchar('\n');
    va_end(args);
}

/* Prints the plan. Returns main's exit status. */
TAP_UNUSED static int
done_testing(void)
{
    printf("1..%d\n", tap_checks);
    return tap_failures > 0;
}

#endif
