/* SPDX-License-Identifier: MIT */
/* What launchers and ranks write, as one sentence.  tests/transcripts has what
 * Open MPI 4.1.4, MPICH 4.0.2, Intel MPI 2021.19, Slurm 22.05.8 and shells
 * wrote when it was done to them, lines of Open MPI 5, Slurm and ssh as their
 * sources have them, and in "expected" the sentence for each. */
#include "run/complaint.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/load.h"
#include "tap.h"

static void
read_transcript(const char *name, struct buf *said)
{
    const char *folder = getenv("srcdir");
    char path[200];
    struct err err;

    snprintf(path, sizeof path, "%s/tests/transcripts/%s",
             folder != NULL ? folder : ".", name);
    if (!load(path, 1 << 20, said, &err))
        die("%s", err.text);
}

static void
test_transcripts(void)
{
    OWN(buf) all = {0};
    char *lines, *line;
    int count = 0;

    read_transcript("expected", &all);
    for (lines = all.data; (line = strsep(&lines, "\n")) != NULL && *line;) {
        const char *name = strsep(&line, ":");
        OWN(buf) said = {0};
        struct err err = {.text = ""};
        read_transcript(name, &said);
        complaint_report(buf_text(&said), "collviz-mpi", &err);
        is_str(err.text, line + 1, "%s", name);
        count++;
    }
    ok(count >= 40, "%d transcripts", count);
}

/* Many times the text, ended, and after it short lines: the text that makes
 * matching slow.  The limit is on the processor's time for 24 patterns. */
static void
is_quick(const char *text, int times)
{
    struct timespec begin, end;
    OWN(buf) said = {0};
    struct err err;

    for (int i = 0; i < times; i++)
        buf_puts(&said, text);
    for (int i = 0; i < 200; i++)
        buf_puts(&said, "\nshort");
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    complaint_report(buf_text(&said), "collviz-mpi", &err);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    ok(end.tv_sec - begin.tv_sec < 3, "%d times '%s' on a line", times, text);
    is_str(err.text, "collviz-mpi: short", "and the last line is found");
}

static void
test_long_lines(void)
{
    OWN(buf) said = {0};
    struct err err;

    is_quick("collviz: a: ", 10000);
    is_quick("Abort(1) on node rank 1 ", 5000);
    is_quick("[proxy:@a] on file ", 6000);
    is_quick("x", 120000);
    is_quick(" ", 120000);
    buf_puts(&said, "first\ncollviz-mpi: ");
    for (int i = 0; i < 1000; i++)
        buf_puts(&said, "long");
    complaint_report(buf_text(&said), "collviz-mpi", &err);
    is_int((long long)strlen(err.text), 400, "a long line is cut");
}

int
main(void)
{
    test_transcripts();
    test_long_lines();
    return done_testing();
}
