/* SPDX-License-Identifier: MIT */
/* MSCCL's XML: every type of step, links, what is refuted and where, hostile
 * text; our schedules written and read back; published files, where they are
 * at hand. */
#include <glob.h>
#include <stdlib.h>

#include "coll/coll.h"
#include "schedule/check.h"
#include "schedule/msccl.h"
#include "tap.h"

static bool
read_text(const char *text, size_t length, struct msccl **m, struct err *err)
{
    FILE *file = fmemopen((void *)text, length, "r");
    bool ok = msccl_read(m, file, "x.xml", err);

    fclose(file);
    return ok;
}

/* Reads, schedules and proves. */
static bool
proves(const char *text, bool out_of_place, struct err *err)
{
    struct schedule *s = NULL;
    struct msccl *m;
    bool ok;

    if (!read_text(text, strlen(text), &m, err))
        return false;
    s = msccl_schedule(m, out_of_place, err);
    ok = s != NULL && schedule_check(s, 1000, NULL, err);
    schedule_free(s);
    msccl_free(m);
    return ok;
}

#define ALGO(coll, n)                                                      \
    "<algo name='t' ngpus='" #n "' coll='" coll "' inplace='1'>\n"
#define GPU(id, i, o, s)                                                   \
    "<gpu id='" #id "' i_chunks='" #i "' o_chunks='" #o "' s_chunks='" #s  \
    "'>\n"
#define TB(id, send, recv)                                                 \
    "<tb id='" #id "' send='" #send "' recv='" #recv "' chan='0'>\n"
#define STEP(s, type, sb, so, db, dof, n, tb, at)                          \
    "<step s='" #s "' type='" type "' srcbuf='" sb "' srcoff='" #so        \
    "' dstbuf='" db "' dstoff='" #dof "' cnt='" #n "' depid='" #tb         \
    "' deps='" #at "' hasdep='0'/>\n"
#define END_TB "</tb>\n"
#define END_GPU "</gpu>\n"
#define END "</algo>\n"

/* Two ranks exchange and add, with what each type needs to do it. */
static const struct {
    const char *name, *text;
} right[] = {
    {"s and rrc",
     ALGO("allreduce", 2)
     GPU(0, 1, 0, 0)
     TB(0, 1, 1) STEP(0, "s", "i", 0, "i", 0, 1, -1, -1)
     STEP(1, "rrc", "i", 0, "i", 0, 1, -1, -1) END_TB END_GPU
     GPU(1, 1, 0, 0)
     TB(0, 0, 0) STEP(0, "s", "i", 0, "i", 0, 1, -1, -1)
     STEP(1, "rrc", "i", 0, "i", 0, 1, -1, -1) END_TB END_GPU END},
    {"r into scratch, re, nop and dependencies",
     ALGO("allreduce", 2)
     GPU(0, 1, 0, 1)
     TB(0, 1, -1) STEP(0, "s", "i", 0, "i", 0, 1, -1, -1) END_TB
     TB(1, -1, 1) STEP(0, "r", "s", 0, "s", 0, 1, -1, -1)
     STEP(1, "nop", "i", -1, "i", -1, 0, 0, 0)
     STEP(2, "re", "s", 0, "i", 0, 1, -1, -1) END_TB END_GPU
     GPU(1, 1, 0, 1)
     TB(0, 0, -1) STEP(0, "s", "i", 0, "i", 0, 1, -1, -1) END_TB
     TB(1, -1, 0) STEP(0, "r", "s", 0, "s", 0, 1, 0, 0)
     STEP(1, "re", "s", 0, "i", 0, 1, -1, -1) END_TB END_GPU END},
    {"rrcs down and r back",
     ALGO("allreduce", 2)
     GPU(0, 1, 0, 0)
     TB(0, 1, 1) STEP(0, "s", "i", 0, "i", 0, 1, -1, -1)
     STEP(1, "r", "i", 0, "i", 0, 1, -1, -1) END_TB END_GPU
     GPU(1, 1, 0, 0)
     TB(0, 0, 0) STEP(0, "rrcs", "i", 0, "i", 0, 1, -1, -1)
     END_TB END_GPU END},
    {"rrs and rcs round a ring",
     ALGO("allreduce", 3)
     GPU(0, 1, 0, 0)
     TB(0, 1, 2) STEP(0, "s", "i", 0, "i", 0, 1, -1, -1)
     STEP(1, "rcs", "i", 0, "i", 0, 1, -1, -1) END_TB END_GPU
     GPU(1, 1, 0, 0)
     TB(0, 2, 0) STEP(0, "rrs", "i", 0, "i", 0, 1, -1, -1)
     STEP(1, "r", "i", 0, "i", 0, 1, -1, -1) END_TB END_GPU
     GPU(2, 1, 0, 0)
     TB(0, 0, 1) STEP(0, "rrcs", "i", 0, "i", 0, 1, -1, -1)
     END_TB END_GPU END},
    {"messages come out in their order, also where they wait",
     ALGO("broadcast", 2)
     GPU(0, 2, 0, 0)
     TB(0, 1, -1) STEP(0, "s", "i", 1, "i", 0, 1, -1, -1)
     STEP(1, "s", "i", 0, "i", 0, 1, -1, -1) END_TB END_GPU
     GPU(1, 2, 0, 2)
     TB(0, -1, -1) STEP(0, "cpy", "s", 0, "s", 1, 1, -1, -1)
     STEP(1, "cpy", "s", 0, "s", 1, 1, -1, -1)
     STEP(2, "cpy", "s", 0, "s", 1, 1, -1, -1) END_TB
     TB(1, -1, 0) STEP(0, "r", "i", 1, "i", 1, 1, 0, 2)
     STEP(1, "r", "i", 0, "i", 0, 1, -1, -1) END_TB END_GPU END},
};

static void
test_right(void)
{
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        struct err err = {""};
        if (!ok(proves(right[i].text, false, &err), "%s", right[i].name))
            diag("%s", err.text);
    }
}

#define BOTH(steps0, steps1)                                               \
    ALGO("allreduce", 2)                                                   \
    GPU(0, 1, 0, 1) TB(0, 1, 1) steps0 END_TB END_GPU                      \
    GPU(1, 1, 0, 1) TB(0, 0, 0) steps1 END_TB END_GPU END
#define S0 STEP(0, "s", "i", 0, "i", 0, 1, -1, -1)
#define S1 STEP(1, "s", "i", 0, "i", 0, 1, -1, -1)

static const struct {
    const char *text, *why;
} wrong[] = {
    {BOTH(STEP(0, "rrc", "i", 0, "i", 0, 1, -1, -1) S1,
          STEP(0, "rrc", "i", 0, "i", 0, 1, -1, -1) S1),
     "rank 0, thread block 0, step 0 (rrc): it waits for ever for a message "
     "from rank 1 on channel 0"},
    {BOTH(S0, S0), "what it sends to rank 1 on channel 0 is never received"},
    {BOTH(STEP(0, "cpy", "i", 0, "s", 0, 1, 0, 0), ""),
     "rank 0, thread block 0, step 0 (cpy): it waits for ever for step 0 of "
     "thread block 0"},
    {BOTH(STEP(0, "cpy", "i", 0, "s", 0, 1, 0, 5), ""),
     "waits for step 5 of thread block 0, which is not there"},
    {BOTH(STEP(0, "cpy", "i", 0, "s", 0, 2, -1, -1), ""),
     "chunks 0 to 1 of the input, which has 1"},
    {BOTH(S0 STEP(1, "r", "i", 0, "i", 0, 1, -1, -1),
          S0 STEP(1, "r", "i", 0, "i", 0, 1, -1, -1)),
     "ends as B0: A0 is missing"},
    {BOTH(S0, "") "<algo>", "x.xml:"},
    {"", "x.xml:1: no element found"},
    {"hello", "x.xml:1: syntax error"},
    {"<algo>", "coll=\"\""},
    {ALGO("custom", 2), "coll=\"custom\""},
    {ALGO("allreduce", 0) END, "ngpus=\"0\""},
    {ALGO("allreduce", 99999999999) END, "from 1 to 1024"},
    {ALGO("allreduce", 2) GPU(0, 1, 0, 0) END_GPU END, "1 <gpu>, but ngpus"},
    {ALGO("allreduce", 1) GPU(1, 1, 0, 0) END_GPU END, "id=\"1\""},
    {ALGO("allreduce", 1) "<tb/>" END, "<tb> where <gpu> belongs"},
    {ALGO("allreduce", 1) GPU(0, 0, 0, 0) END_GPU END,
     "do not go together"},
    {ALGO("alltoall", 2) GPU(0, 3, 3, 0) END_GPU GPU(1, 3, 3, 0) END_GPU END,
     "do not go together"},
    {ALGO("allreduce", 2) GPU(0, 1, 0, 0) TB(0, 0, -1), "sends to it"},
    {ALGO("allreduce", 2) GPU(0, 1, 0, 0) TB(0, -1, -1) S0, "send=\"-1\""},
    {ALGO("allreduce", 1) GPU(0, 1, 0, 0) TB(0, -1, -1)
     STEP(0, "jump", "i", 0, "i", 0, 1, -1, -1), "type=\"jump\""},
    {ALGO("allreduce", 1) GPU(0, 1, 0, 0) TB(0, -1, -1)
     STEP(0, "cpy", "x", 0, "i", 0, 1, -1, -1), "srcbuf=\"x\""},
    {ALGO("allreduce", 1) GPU(0, 1, 0, 0) TB(0, -1, -1)
     STEP(1, "cpy", "i", 0, "i", 0, 1, -1, -1), "s=\"1\""},
    {"<!DOCTYPE a [<!ENTITY b 'bb'>]><algo/>", "document type"},
    {"<!DOCTYPE a SYSTEM 'file:///etc/passwd'><algo/>", "document type"},
};

static void
test_wrong(void)
{
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct err err = {""};
        bool refused = !proves(wrong[i].text, false, &err);
        if (!ok(refused && strstr(err.text, wrong[i].why) != NULL,
                "refused: %.60s", wrong[i].why))
            diag("%s", err.text);
    }
}

/* Each sends two messages before it receives: that needs room for two. */
static void
test_one_deep(void)
{
    static const char text[] =
        ALGO("allreduce", 2)
        GPU(0, 2, 0, 0) TB(0, 1, 1) S0
        STEP(1, "s", "i", 1, "i", 1, 1, -1, -1)
        STEP(2, "rrc", "i", 0, "i", 0, 1, -1, -1)
        STEP(3, "rrc", "i", 1, "i", 1, 1, -1, -1) END_TB END_GPU
        GPU(1, 2, 0, 0) TB(0, 0, 0) S0
        STEP(1, "s", "i", 1, "i", 1, 1, -1, -1)
        STEP(2, "rrc", "i", 0, "i", 0, 1, -1, -1)
        STEP(3, "rrc", "i", 1, "i", 1, 1, -1, -1) END_TB END_GPU END;
    struct msccl *m;
    struct err err = {""};

    ok(proves(text, false, &err), "two messages on their way: right");
    if (!read_text(text, strlen(text), &m, &err))
        return;
    ok(!msccl_one_deep(m, &err), "with one message a link it hangs");
    ok(strstr(err.text, "room on the link to rank 1") != NULL,
       "and says where");
    msccl_free(m);
}

static void
test_written(void)
{
    const struct algorithm *a;

    for (int i = 0; (a = coll_at(i)) != NULL; i++) {
        int wrong_ones = 0;
        for (int n = 1; n <= 9; n++)
            for (int in_place = 0; in_place < 2; in_place++) {
                struct coll_options o = {.nranks = n, .in_place = in_place};
                struct buf text = {0};
                struct err err = {""};
                struct schedule *s;
                if (collective_rooted(collective_find(a->collective)))
                    o.root = n / 2;
                s = coll_build(a, &o, &err);
                msccl_write(s, &text);
                if (!proves(buf_text(&text), !in_place, &err)) {
                    wrong_ones++;
                    diag("%s-%s, %d ranks, %s: %s", a->name, a->collective, n,
                         in_place ? "in place" : "out of place", err.text);
                }
                schedule_free(s);
                buf_done(&text);
            }
        is_int(wrong_ones, 0, "%s-%s, written and read back, is proved",
               a->name, a->collective);
    }
}

/* The project's samples lie beside its folder, not in it. */
static void
test_published(void)
{
    const char *folder = getenv("MSCCL_SAMPLES");
    char pattern[512];
    glob_t files;

    snprintf(pattern, sizeof pattern, "%s/*.xml",
             folder != NULL ? folder : "../shared/msccl");
    if (glob(pattern, 0, NULL, &files) != 0) {
        skip("published programs: none in MSCCL_SAMPLES or ../shared/msccl");
        return;
    }
    for (size_t i = 0; i < files.gl_pathc; i++) {
        FILE *file = fopen(files.gl_pathv[i], "re");
        struct schedule *s = NULL;
        struct err err = {""};
        struct msccl *m;
        bool right_one = file != NULL && msccl_read(&m, file, "it", &err);
        if (right_one) {
            s = msccl_schedule(m, false, &err);
            right_one = s != NULL && schedule_check(s, 1000, NULL, &err);
            msccl_free(m);
        }
        if (!ok(right_one, "%s", strrchr(files.gl_pathv[i], '/') + 1))
            diag("%s", err.text);
        schedule_free(s);
        if (file != NULL)
            fclose(file);
    }
    globfree(&files);
}

int
main(void)
{
    test_right();
    test_wrong();
    test_one_deep();
    test_written();
    test_published();
    return done_testing();
}
