/* SPDX-License-Identifier: MIT */
/* MSCCL's XML as files: elements in any order, and files that are too large to
 * judge.  What each element must have is in tests/golden/msccl-files.cmds, and
 * tests/mutants.test judges published programs. */
#include "msccl_text.h"

/* Files whose GPUs and thread blocks are not in the order of their ids. */
static void
test_any_order(void)
{
    static const char algo[] =
        "<algo name='a' proto='LL' nchannels='1' nchunksperloop='1' ngpus='2' "
        "coll='allreduce' inplace='1'>\n";
    static const char gpu[] =
        "<gpu id='%d' i_chunks='1' o_chunks='0' s_chunks='1'>\n";
    static const struct {
        /* GPUs: A or B; their blocks: their numbers; r: a 1 that races */
        const char *ids, *why;
    } orders[] = {
        {"A01B01", ""}, {"B01A01", ""}, {"B10A01", ""}, {"A10B10", ""},
        {"B01A0r", "rank 0, thread block 1, step 0: races with"},
        {"A01B01A", "x.xml:22: id=\"0\": there is already a GPU 0"},
        {"B01", "1 GPU, but ngpus=\"2\""},
        {"A01B001", "x.xml:18: the ids of GPU 1's thread blocks must be 0, 1, "
                    "2 and so on: this is 0, and 1 is next"},
        {"B1A01", "x.xml:3: the ids of GPU 1's thread blocks must be 0, 1, 2 "
                  "and so on: this is 1, and 0 is missing"},
    };

    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        OWN(buf) text = {0};
        struct schedule *s;
        int rank = 0;
        buf_puts(&text, algo);
        for (const char *c = orders[i].ids; *c != '\0'; c++) {
            if (*c == 'A' || *c == 'B') {
                rank = *c - 'A';
                buf_puts(&text, c == orders[i].ids ? "" : "</gpu>\n");
                buf_addf(&text, gpu, rank);
                continue;
            }
            buf_addf(&text, "<tb id='%c' send='%d' recv='%d' chan='%d'>\n",
                     *c == 'r' ? '1' : *c, *c == '0' ? 1 - rank : -1,
                     *c == '0' ? 1 - rank : -1, *c == '0' ? 0 : -1);
            add_steps(&text, *c == '0'   ? "s i0 s0; r! i0 s0"
                             : *c == '1' ? "re s0 i0 1 0 1"
                                         : "re s0 i0");
            buf_puts(&text, *c == '0' ? "\n</tb>\n" : "</tb>\n");
        }
        buf_puts(&text, "</gpu></algo>\n");
        s = read_text(buf_text(&text), text.length);
        if (orders[i].why[0] == '\0')
            is_right(s, orders[i].ids);
        else
            is_refused(s, orders[i].why, orders[i].ids);
    }
}

/* A million of something. A reader whose time grows with the square of that
 * would take hours. */
static void
test_many(const char *head, const char *each, const char *why)
{
    OWN(buf) text = {0};

    buf_puts(&text, "<algo name='a' proto='LL' nchannels='1' ngpus='1' "
             "nchunksperloop='1' coll='allreduce' inplace='1'>\n"
             "<gpu id='0' i_chunks='1' o_chunks='0' s_chunks='0'>\n");
    buf_puts(&text, head);
    for (int i = 0; i <= 1 << 20; i++)
        buf_addf(&text, each, i);
    is_too_large(read_text(buf_text(&text), text.length), why, "a million");
}

/* Each of many steps comes after each of many others, by way of all steps of a
 * third thread block. */
static void
test_long_searches(void)
{
    enum { MANY = 9000 };
    OWN(buf) text = {0};

    buf_addf(&text, "<algo name='a' proto='LL' nchannels='1' ngpus='1' "
             "nchunksperloop='%d' coll='allreduce' inplace='1'>\n", MANY);
    buf_addf(&text, "<gpu id='0' i_chunks='%d' o_chunks='0' s_chunks='%d'>\n",
             MANY, MANY + 2);
    for (int b = 0; b < 4; b++) {
        buf_addf(&text, "<tb id='%d' send='-1' recv='-1' chan='0'>\n", b);
        for (int i = 0; i < (b == 3 ? 1 : MANY); i++)
            buf_addf(&text, "<step s='%d' type='cpy' srcbuf='%c' srcoff='%d' "
                     "dstbuf='%c' dstoff='%d' cnt='1' depid='%d' deps='%d' "
                     "hasdep='1'/>\n", i, b == 0 ? 'i' : 's',
                     b == 0 ? i : MANY, b == 1 ? 'i' : 's',
                     b == 2 ? MANY + 1 : b == 3 ? MANY : i,
                     b == 3 ? -1 : b == 1 ? 2 : b == 2 && i == 0 ? 0 : 3,
                     b == 3 ? -1 : b == 1 || (b == 2 && i == 0) ? MANY - 1
                                                                : 0);
        buf_puts(&text, "</tb>\n");
    }
    buf_puts(&text, "</gpu></algo>\n");
    is_too_large(read_text(buf_text(&text), text.length), "whether steps race",
                 "a maze");
}

static void
test_too_large(void)
{
    static const char step[] =
        "<step s='%d' type='nop' srcbuf='i' srcoff='0' dstbuf='i' dstoff='0' "
        "cnt='0' depid='0' deps='0' hasdep='0'/>";

    test_many("<tb id='0' send='-1' recv='-1' chan='0'>", step,
              "more than 1048576 steps");
    test_many("", "<tb id='%d' send='-1' recv='-1' chan='0'/>",
              "more than 262144 thread blocks");
    test_long_searches();
}

int
main(void)
{
    test_any_order();
    test_too_large();
    return done_testing();
}
