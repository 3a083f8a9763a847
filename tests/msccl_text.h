/* SPDX-License-Identifier: MIT */
/* Programs in MSCCL's XML, read from text that a test writes, and what becomes
 * of them: right, refuted by the proof, refused by the reader, or too large to
 * judge.
 *
 *     is_right(read_blocks(ALLREDUCE(2), 2, (struct thread_block[]){
 *         {0, 1, 1, "s i0 i0 2 -1 -1; r i0 i0 2 -1 -1;"},
 *         {1, 0, 0, "rrcs i0 i0 2 -1 -1;"}, END}), "s, r, rrcs");
 *
 * The is_ functions free the schedule. */
#ifndef TESTS_MSCCL_TEXT_H
#define TESTS_MSCCL_TEXT_H

#include <stdio.h>

#include "base/buf.h"
#include "msccl/msccl.h"
#include "schedule/check.h"
#include "tap.h"

/* Of the program that was read last. */
static struct msccl_notes notes;
static struct err err;

static inline struct schedule *
read_text(const char *text, size_t length)
{
    FILE *file = fmemopen((void *)text, length, "r");
    struct schedule *s = msccl_read(file, "x.xml", false, &notes, &err);

    fclose(file);
    return s;
}

/* Adds steps, each "TYPE SRC DST CNT DEPID DEPS;", as in
 * "rrc i0 o1 2 -1 -1;". "TYPE!" stands for hasdep="1". */
static inline void
add_steps(struct buf *out, const char *steps)
{
    char type[8], src, dst;
    int from, to, count, dep, deps, used;

    for (int s = 0; sscanf(steps, " %7s %c%d %c%d %d %d %d;%n", type, &src,
                           &from, &dst, &to, &count, &dep, &deps, &used) == 8;
         s++, steps += used)
        buf_addf(out, "<step s='%d' type='%.*s' srcbuf='%c' srcoff='%d' "
                 "dstbuf='%c' dstoff='%d' cnt='%d' depid='%d' deps='%d' "
                 "hasdep='%d'/>\n", s, (int)strcspn(type, "!"), type, src,
                 from, dst, to, count, dep, deps, strchr(type, '!') != NULL);
}

struct thread_block {
    int rank, send, recv;
    const char *steps;
};

/* Reads a program of thread blocks, which are in rank order. END follows the
 * last one.  Its protocol is LL unless `algo` names another one. */
static inline struct schedule *
read_blocks(const char *algo, int nranks, const struct thread_block *b)
{
    struct buf text = {0};
    struct schedule *s;

    buf_addf(&text, "<algo name='t' %s nchannels='1' ngpus='%d' %s>\n",
             strstr(algo, "proto=") == NULL ? "proto='LL'" : "", nranks, algo);
    for (int rank = 0; rank < nranks; rank++) {
        buf_addf(&text, "<gpu id='%d' i_chunks='9' o_chunks='9' "
                 "s_chunks='2'>\n", rank);
        for (int id = 0; b->rank == rank; id++, b++) {
            buf_addf(&text, "<tb id='%d' send='%d' recv='%d' chan='0'>\n", id,
                     b->send, b->recv);
            add_steps(&text, b->steps);
            buf_puts(&text, "</tb>\n");
        }
        buf_puts(&text, "</gpu>\n");
    }
    buf_puts(&text, "</algo>\n");
    s = read_text(buf_text(&text), text.length);
    buf_done(&text);
    return s;
}

static inline void
is_right(struct schedule *s, const char *what)
{
    if (!ok(s != NULL && schedule_check(s, 8, NULL, &err), "%s is right",
            what))
        diag("%s", err.text);
    schedule_free(s);
}

/* The file can be read, but the proof refutes the program. */
static inline void
is_refuted(struct schedule *s, const char *why, const char *what)
{
    if (!ok(s != NULL && !schedule_check(s, 8, NULL, &err) &&
                strstr(err.text, why) != NULL, "%s: %s", what, why))
        diag("%s", err.text);
    schedule_free(s);
}

static inline void
is_refused(struct schedule *s, const char *why, const char *what)
{
    if (!ok(s == NULL && strstr(err.text, why) != NULL, "%s: refused, %s",
            what, why))
        diag("%s", s == NULL ? err.text : "it was read");
    schedule_free(s);
}

/* Refused, but not called wrong. */
static inline void
is_too_large(struct schedule *s, const char *why, const char *what)
{
    is_refused(s, why, what);
    ok(notes.too_large && strstr(err.text, "wrong") == NULL &&
           strstr(err.text, "x.xml is too large to judge: ") == err.text,
       "%s: not judged", what);
}

#define ALLREDUCE(n) "coll='allreduce' inplace='1' nchunksperloop='" #n "'"
#define END {-1, 0, 0, ""}

#endif
