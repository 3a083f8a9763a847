/* SPDX-License-Identifier: MIT */
/* Programs in MSCCL's XML, read from text that a test writes, and what becomes
 * of them: right, refuted by the proof, refused by the reader, or too large to
 * judge.
 *
 *     is_right(read_blocks(ALLREDUCE(2), 2,
 *                          "0 1 1: s i0 i0 2; r i0 i0 2 | "
 *                          "1 0 0: rrcs i0 i0 2"), "s, r, rrcs");
 *
 * The is_ functions free the schedule. */
#ifndef TESTS_MSCCL_TEXT_H
#define TESTS_MSCCL_TEXT_H

#include <stdio.h>

#include "base/buf.h"
#include "base/mem.h"
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

/* Adds steps, each "TYPE SRC DST [CNT [DEPID DEPS]]", with a ";" between them:
 * "rrc i0 o1 2; s i0 o0 1 0 1".  "TYPE!" stands for hasdep="1".  Returns what
 * follows them: "|", or the end. */
static inline const char *
add_steps(struct buf *out, const char *steps)
{
    steps += strspn(steps, " ");
    for (int s = 0; *steps != '\0' && *steps != '|'; s++) {
        char type[8], src, dst;
        int from, to, count = 1, dep = -1, deps = -1;
        if (sscanf(steps, "%7s %c%d %c%d %d %d %d", type, &src, &from, &dst,
                   &to, &count, &dep, &deps) < 5)
            die("these are no steps: %s", steps);
        buf_addf(out, "<step s='%d' type='%.*s' srcbuf='%c' srcoff='%d' "
                 "dstbuf='%c' dstoff='%d' cnt='%d' depid='%d' deps='%d' "
                 "hasdep='%d'/>\n", s, (int)strcspn(type, "!"), type, src,
                 from, dst, to, count, dep, deps, strchr(type, '!') != NULL);
        steps += strcspn(steps, ";|");
        steps += strspn(steps, "; ");
    }
    return steps;
}

/* Reads a program of thread blocks, each "RANK SEND RECV: STEPS", with a "|"
 * between them and in rank order.  Its protocol is LL unless `algo` names
 * another one. */
static inline struct schedule *
read_blocks(const char *algo, int nranks, const char *blocks)
{
    struct buf text = {0};
    struct schedule *s;

    buf_addf(&text, "<algo name='t' %s nchannels='1' ngpus='%d' %s>\n",
             strstr(algo, "proto=") == NULL ? "proto='LL'" : "", nranks, algo);
    for (int rank = 0; rank < nranks; rank++) {
        int of, send, recv, used;
        buf_addf(&text, "<gpu id='%d' i_chunks='9' o_chunks='9' "
                 "s_chunks='2'>\n", rank);
        for (int id = 0; sscanf(blocks, "%d %d %d:%n", &of, &send, &recv,
                                &used) == 3 && of == rank; id++) {
            buf_addf(&text, "<tb id='%d' send='%d' recv='%d' chan='0'>\n", id,
                     send, recv);
            blocks = add_steps(&text, blocks + used);
            blocks += *blocks == '|';
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

#endif
