/* SPDX-License-Identifier: MIT */
/* MSCCL's XML as files: what each element must have, hostile files, files that
 * are too large to judge, and published ones. */
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "msccl_text.h"

/* A right program: one element of each kind, with all required attributes. */
static const char *const elements[] = {
    "<algo name='a' proto='LL' nchannels='1' nchunksperloop='1' ngpus='1' "
    "coll='allreduce' inplace='1'>\n",
    "<gpu id='0' i_chunks='1' o_chunks='0' s_chunks='0'>\n",
    "<tb id='0' send='-1' recv='-1' chan='0'>\n",
    "<step s='0' type='cpy' srcbuf='i' srcoff='0' dstbuf='i' dstoff='0' "
    "cnt='1' depid='-1' deps='-1' hasdep='0'/>\n",
};
#define CLOSING "</tb></gpu></algo>"

/* Reads the elements after `length` bytes at `from` in one of them were
 * replaced by `other`. Element -1: nothing is replaced. */
static struct schedule *
read_but(int element, size_t from, size_t length, const char *other)
{
    OWN(buf) text = {0};
    struct schedule *s;

    for (int i = 0; i < 4; i++)
        if (i == element)
            buf_addf(&text, "%.*s%s%s", (int)from, elements[i], other,
                     elements[i] + from + length);
        else
            buf_puts(&text, elements[i]);
    buf_puts(&text, CLOSING);
    s = read_text(buf_text(&text), text.length);
    return s;
}

/* Each attribute is required; the error names the line of its element. */
static void
test_required(void)
{
    int lacking = 0;

    is_right(read_but(-1, 0, 0, ""), "a program with every attribute");
    for (int e = 0; e < 4; e++)
        for (const char *at = strchr(elements[e], ' '), *end; at != NULL;
             at = *end == ' ' ? end : NULL) {
            int length = (int)strcspn(at + 1, "=");
            char expected[80];
            end = strchr(strchr(at, '\'') + 1, '\'') + 1;
            snprintf(expected, sizeof expected, "x.xml:%d: this <%.*s> lacks "
                     "the attribute %.*s", e + 1,
                     (int)strcspn(elements[e] + 1, " "), elements[e] + 1,
                     length, at + 1);
            is_refused(read_but(e, (size_t)(at - elements[e]),
                                (size_t)(end - at), ""), expected, "lacking");
            lacking++;
        }
    is_int(lacking, 7 + 4 + 4 + 10, "every attribute was left out once");
}

static void
test_hostile(void)
{
    static const struct {
        const char *text, *why;
    } files[] = {
        {"hello", "x.xml:1: not valid XML"},
        {"<algo name='a' proto='LL' nchannels='1' coll='allreduce' ngpus='1' "
         "inplace='1' nchunksperloop='1'>", "not valid XML: no element found"},
        {"<!DOCTYPE a [<!ENTITY b 'bb'><!ENTITY c '&b;&b;'>]><algo/>",
         "document type"},
        {"<algo><algo/>", "this <algo> lacks"},
        {"<algo name='a' proto='LL' nchannels='1' coll='allreduce' ngpus='2' "
         "inplace='1' nchunksperloop='1'>"
         "<gpu id='0' i_chunks='1' o_chunks='0' s_chunks='0'>"
         "<tb id='0' send='-1' recv='1' chan='-1'/></gpu></algo>",
         "chan=\"-1\": it must be a whole number from 0 to 0"},
    };
    static const struct {
        int element;
        const char *attribute, *other, *why;
    } values[] = {
        {0, "proto", "x", "proto=\"x\": it must be Simple, LL or LL128"},
        {0, "coll", "custom", "coll=\"custom\""},
        {0, "coll", "all-reduce", "MSCCL's runtime calls it \"allreduce\""},
        {0, "coll", "reduce-scatter", "calls it \"reducescatter\""},
        {0, "inplace", "1' maxBytes='-1", "maxBytes=\"-1\""},
        {0, "ngpus", "99999999999999999999", "from 1 to 2147483647"},
        {0, "ngpus", "2", "1 GPU, but ngpus=\"2\""},
        {0, "ngpus", "1024", "1 GPU, but ngpus=\"1024\""},
        {0, "coll", "alltoall' ngpus='2", "not valid XML: duplicate attribute"},
        {0, "nchunksperloop", "0", "from 1 to"},
        {0, "inplace", "2", "inplace=\"2\""},
        {0, "inplace", "0' outofplace='0", "neither in place nor out"},
        {0, "inplace", "1' root='1", "root=\"1\""},
        {1, "id", "7", "x.xml:2: id=\"7\": it must be a whole number from 0 "
                       "to 0"},
        {1, "s_chunks", "-1", "s_chunks=\"-1\""},
        {1, "i_chunks", "0", "x.xml:4: it uses 1 chunks from chunk 0 on, "
                             "but the buffer has 0"},
        {2, "send", "5", "send=\"5\""},
        {2, "recv", "0", "GPU 0 is its own peer"},
        {2, "chan", "1", "chan=\"1\""},
        {2, "chan", "-2", "chan=\"-2\""},
        {2, "id", "1", "x.xml:3: the ids of GPU 0's thread blocks must be 0, "
                       "1, 2 and so on: this is 1, and 0 is missing"},
        {3, "type", "x", "type=\"x\""},
        {3, "type", "s", "its thread block has send=\"-1\""},
        {3, "type", "rrc", "its thread block has recv=\"-1\""},
        {3, "srcbuf", "x", "srcbuf=\"x\": it must be i, o or s"},
        {3, "srcoff", "1", "1 chunks from chunk 1 on, but the buffer has 1"},
        {3, "srcoff", "2147483647", "but the buffer has 1"},
        {3, "srcoff", "-1", "srcoff=\"-1\""},
        {3, "srcoff", "08", "one that begins with 0 is octal"},
        {3, "srcoff", "01", "1 chunks from chunk 1 on, but the buffer has 1"},
        {3, "srcoff", "0x2", "chunks from chunk 2 on, but the buffer has 1"},
        {3, "srcoff", "010", "chunks from chunk 8 on, but the buffer has 1"},
        {3, "dstbuf", "s", "but the buffer has 0"},
        {3, "dstbuf", "o", "but the buffer has 0"},
        {3, "cnt", "0", "cnt=\"0\""},
        {3, "depid", "3", "depid=\"3\", but GPU 0 has 1 thread blocks"},
        {3, "depid", "0", "deps=\"-1\", but thread block 0 has 1 steps"},
        {3, "hasdep", "2", "hasdep=\"2\""},
    };

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        is_refused(read_text(files[i].text, strlen(files[i].text)),
                   files[i].why, "hostile");
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        const char *element = elements[values[i].element];
        char name[40];
        const char *at;
        snprintf(name, sizeof name, " %s='", values[i].attribute);
        at = strstr(element, name) + strlen(name);
        is_refused(read_but(values[i].element, (size_t)(at - element),
                            strcspn(at, "'"), values[i].other),
                   values[i].why, "hostile");
    }
    is_refused(read_but(1, 0, 0, "<algo/>"), "<algo> where <gpu> belongs",
               "hostile");
}

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

    buf_puts(&text, elements[0]);
    buf_puts(&text, elements[1]);
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
    size_t bytes = MSCCL_BYTES_MAX + 1;
    char *spaces = mem_new(bytes, 1);

    memset(spaces, ' ', bytes);
    is_too_large(read_text(spaces, bytes), "more than 128 MiB", "a long file");
    free(spaces);
    test_many("<tb id='0' send='-1' recv='-1' chan='0'>", step,
              "more than 1048576 steps");
    test_many("", "<tb id='%d' send='-1' recv='-1' chan='0'/>",
              "more than 262144 thread blocks");
    is_too_large(read_but(0, 0, strlen(elements[0]),
        "<algo name='a' proto='LL' nchannels='1' nchunksperloop='1' "
        "ngpus='1025' coll='allreduce' inplace='1'>\n"), "more than 1024 GPUs",
        "many GPUs");
    is_too_large(read_but(0, 0, strlen(elements[0]),
        "<algo name='a' proto='LL' nchannels='1' nchunksperloop='2000000' "
        "ngpus='1' coll='allreduce' inplace='1'>\n"), "are more than 2097152 "
        "chunks", "many chunks");
    is_too_large(read_but(0, 0, strlen(elements[0]),
        "<algo name='a' proto='LL' nchannels='1' nchunksperloop='70000' "
        "ngpus='1' coll='allreduce' inplace='1'>\n"), "more than collviz takes",
        "more chunks than a ledger can tell apart");
    test_long_searches();
}

static struct schedule *
read_sample(const char *folder, const char *name)
{
    struct schedule *s = NULL;
    char path[4096];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "r");
    if (ok(file != NULL, "%s is there", name)) {
        s = msccl_read(file, path, false, &notes, &err);
        fclose(file);
    }
    return s;
}

static void
test_samples(void)
{
    static const char *const names[] = {
        "azure-scheduler__ncv4__ag_hier_4_Simple.xml",
        "azure-scheduler__ncv4__ar_hier_12_Simple.xml",
        "azure-scheduler__ndv4__a2a2ll.xml",
        "dailiuyao__allreduce_binary_tree_Simple_gpu4_ins1.xml",
        "rccl__allreduce-1step-4n-ll-1pass.xml",
    };
    static const char *const faulty[] = {"faulty/empty-allgather.xml",
                                         "faulty/empty-scratch.xml",
                                         "faulty/pairs-rrc.xml"};
    const char *folder = getenv("MSCCL_SAMPLES");

    if (folder == NULL || access(folder, R_OK) != 0) {
        skip("published programs are not here (MSCCL_SAMPLES)");
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        is_right(read_sample(folder, names[i]), names[i]);
        ok(notes.most_bytes == INT64_MAX, "%s: any amount of data ends",
           names[i]);
    }
    for (size_t i = 0; i < sizeof faulty / sizeof faulty[0]; i++)
        is_refuted(read_sample(folder, faulty[i]), "step 1: rank 0 adds to",
                   faulty[i]);
}

int
main(void)
{
    test_required();
    test_hostile();
    test_any_order();
    test_too_large();
    test_samples();
    return done_testing();
}
