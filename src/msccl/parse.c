/* SPDX-License-Identifier: MIT */
#include <expat.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "msccl/file.h"

struct parse {
    struct msccl *m;
    XML_Parser xml;
    struct err *err;
    int depth; /* number of open elements */
    int gpus;  /* seen so far */
    int rank;  /* of the GPU that is being read */
    bool idle; /* this block has a nop that waits for nothing */
    bool failed;
};

static int
line_now(const struct parse *p)
{
    return (int)XML_GetCurrentLineNumber(p->xml);
}

/* Only the first error is kept; nothing is read after it. */
#define fail(p, ...) \
    ((p)->failed ? false \
                 : (err_set((p)->err, __VA_ARGS__), \
                    err_prefix((p)->err, "%s:%d", (p)->m->file, line_now(p)), \
                    stop_parsing(p)))

static bool
stop_parsing(struct parse *p)
{
    p->failed = true;
    XML_StopParser(p->xml, XML_FALSE);
    return false;
}

static bool
too_many(struct parse *p, int most, const char *of)
{
    msccl_too_large(p->m, p->err, "it has more than %d %s", most, of);
    return stop_parsing(p);
}

static const char *
find_attribute(const char **attributes, const char *name)
{
    for (; *attributes != NULL; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return NULL;
}

/* Reads a whole number from `least` to `most`.  As for the runtime, one that
 * begins with 0 is octal. */
static bool
read_int64(struct parse *p, const char **attributes, const char *name,
           int64_t least, int64_t most, int64_t *value)
{
    const char *text = find_attribute(attributes, name);
    char *end;

    *value = strtoll(text, &end, 0);
    return (end != text && *end == '\0' && *value >= least && *value <= most) ||
           fail(p, "%s=\"%.40s\": it must be a whole number from %lld to "
                "%lld%s", name, text, (long long)least, (long long)most,
                text[0] == '0' && text[1] != '\0'
                    ? "; one that begins with 0 is octal" : "");
}

static bool
read_int(struct parse *p, const char **attributes, const char *name, int least,
         int most, int *value)
{
    int64_t wide;
    bool ok = read_int64(p, attributes, name, least, most, &wide);

    *value = ok ? (int)wide : 0;
    return ok;
}

static bool
read_int_or(struct parse *p, const char **attributes, const char *name,
            int least, int most, int otherwise, int *value)
{
    *value = otherwise;
    return find_attribute(attributes, name) == NULL ||
           read_int(p, attributes, name, least, most, value);
}

/* Sizes are those of NCCL's default buffers (computeBuffSizes() in src/init.cc
 * of msccl-executor-nccl), of which a link has NCCL_STEPS (8) parts.  A message
 * takes one, or MSCCL_CHUNKSTEPS (4) if the protocol is Simple. */
static bool
read_protocol(struct parse *p, const char *proto)
{
    static const struct msccl_protocol protocols[] = {
        {"Simple", 2, (4 << 20) / 2, true},
        {"LL", 8, 8 * 512 * 16 / 2, false},        /* half of it is flags */
        {"LL128", 8, 120 * 640 * 8 / 16 * 15, false}, /* a 16th is flags */
    };

    for (size_t i = 0; i < sizeof protocols / sizeof protocols[0]; i++)
        if (strcmp(proto, protocols[i].name) == 0) {
            p->m->protocol = &protocols[i];
            return true;
        }
    return fail(p, "proto=\"%.40s\": it must be Simple, LL or LL128", proto);
}

static bool
read_coll(struct parse *p, const char *coll)
{
    const struct collective *c;

    for (int i = 0; (c = collective_at(i)) != NULL; i++)
        if (strcmp(msccl_collective_name(c), coll) == 0) {
            p->m->collective = c;
            return true;
        }
    c = collective_find(coll);
    if (c != NULL)
        return fail(p, "coll=\"%.40s\": MSCCL's runtime calls it \"%s\"", coll,
                    msccl_collective_name(c));
    return fail(p, "coll=\"%.40s\": collviz does not know this collective",
                coll);
}

static bool
start_algo(struct parse *p, const char **attributes)
{
    struct msccl *m = p->m;
    const char *name = find_attribute(attributes, "name");
    const char *cut = name, *next = name;
    int in_place, out_of_place;

    while (utf8_next(&next) != 0 && next - name < SCHEDULE_NAME_MAX)
        cut = next; /* at a whole character */
    memcpy(m->name, name, (size_t)(cut - name));
    m->name[cut - name] = '\0';
    m->max_bytes = MSCCL_NONE;
    if (!read_coll(p, find_attribute(attributes, "coll")) ||
        !read_protocol(p, find_attribute(attributes, "proto")) ||
        (find_attribute(attributes, "maxBytes") != NULL &&
         !read_int64(p, attributes, "maxBytes", 0, INT64_MAX,
                     &m->max_bytes)) ||
        !read_int(p, attributes, "ngpus", 1, INT32_MAX, &m->nranks) ||
        !read_int(p, attributes, "nchannels", 1, INT32_MAX, &m->nchannels) ||
        !read_int(p, attributes, "nchunksperloop", 1, INT32_MAX, &m->chunks) ||
        !read_int_or(p, attributes, "root", 0, m->nranks - 1, 0, &m->root) ||
        !read_int(p, attributes, "inplace", 0, 1, &in_place) ||
        !read_int_or(p, attributes, "outofplace", 0, 1, !in_place,
                     &out_of_place))
        return false;
    if (m->nranks > SCHEDULE_RANKS_MAX)
        return too_many(p, SCHEDULE_RANKS_MAX, "GPUs");
    m->in_place = in_place;
    m->out_of_place = out_of_place;
    m->buffers = mem_new((size_t)m->nranks, sizeof *m->buffers);
    m->first_block = mem_new((size_t)m->nranks + 1, sizeof *m->first_block);
    return in_place || out_of_place ||
           fail(p, "it runs neither in place nor out of place");
}

static bool
start_gpu(struct parse *p, const char **attributes)
{
    static const char *const names[] = {
        [MSCCL_INPUT] = "i_chunks",
        [MSCCL_OUTPUT] = "o_chunks",
        [MSCCL_SCRATCH] = "s_chunks",
    };
    struct msccl *m = p->m;
    struct msccl_buffers *b;
    int *chunks;

    if (!read_int(p, attributes, "id", 0, m->nranks - 1, &p->rank))
        return false;
    b = &m->buffers[p->rank];
    if (b->stated)
        return fail(p, "id=\"%d\": there is already a GPU %d", p->rank,
                    p->rank);
    b->stated = true;
    chunks = b->chunks;
    for (int i = MSCCL_INPUT; i <= MSCCL_SCRATCH; i++)
        if (!read_int(p, attributes, names[i], 0, INT32_MAX, &chunks[i]))
            return false;
    if (chunks[MSCCL_SCRATCH] > m->scratch)
        m->scratch = chunks[MSCCL_SCRATCH];
    p->gpus++;
    return true;
}

static bool
start_block(struct parse *p, const char **attributes)
{
    struct msccl *m = p->m;
    struct msccl_block b = {.rank = p->rank, .first = (int)m->nsteps,
                            .out = MSCCL_NONE, .in = MSCCL_NONE,
                            .line = line_now(p)};

    if (m->nblocks == MSCCL_BLOCKS_MAX)
        return too_many(p, MSCCL_BLOCKS_MAX, "thread blocks");
    p->idle = false;
    if (!read_int(p, attributes, "id", 0, MSCCL_BLOCKS_MAX - 1, &b.id) ||
        !read_int(p, attributes, "send", -1, m->nranks - 1, &b.send) ||
        !read_int(p, attributes, "recv", -1, m->nranks - 1, &b.recv) ||
        !read_int(p, attributes, "chan",
                  b.send < 0 && b.recv < 0 ? -1 : 0, m->nchannels - 1, &b.chan))
        return false;
    if (b.send == p->rank || b.recv == p->rank)
        return fail(p, "GPU %d is its own peer", p->rank);
    m->blocks = mem_grow(m->blocks, m->nblocks, &m->blocks_capacity,
                         sizeof *m->blocks);
    m->blocks[m->nblocks++] = b;
    return true;
}

static bool
read_type(struct parse *p, const char **attributes, int *does)
{
    static const struct {
        const char *name;
        int does;
    } types[] = {
        {"s", DOES_READ | DOES_SEND},
        {"r", DOES_RECEIVE | DOES_WRITE},
        {"rcs", DOES_RECEIVE | DOES_WRITE | DOES_SEND},
        {"rrc", DOES_RECEIVE | DOES_READ | DOES_ADD | DOES_WRITE},
        {"rrs", DOES_RECEIVE | DOES_READ | DOES_ADD | DOES_SEND},
        {"rrcs", DOES_RECEIVE | DOES_READ | DOES_ADD | DOES_WRITE | DOES_SEND},
        {"cpy", DOES_READ | DOES_WRITE},
        {"re", DOES_READ | DOES_ADD | DOES_WRITE},
        {"nop", 0},
    };
    const char *type = find_attribute(attributes, "type");

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].name, type) == 0) {
            *does = types[i].does;
            return true;
        }
    return fail(p, "type=\"%.40s\": it must be s, r, rcs, rrc, rrs, rrcs, cpy, "
                "re or nop", type);
}

/* The runtime requires a chunk even in steps that do not use it. */
static bool
read_chunk(struct parse *p, const char **attributes, bool used,
           const char *buffer, const char *offset, enum msccl_buffer *which,
           int *chunk)
{
    const char *text = find_attribute(attributes, buffer);
    const char *found;

    found = text[0] != '\0' && text[1] == '\0' ? strchr("ios", text[0]) : NULL;
    if (found == NULL)
        return fail(p, "%s=\"%.40s\": it must be i, o or s", buffer, text);
    *which = *found == 'i' ? MSCCL_INPUT
                           : *found == 'o' ? MSCCL_OUTPUT : MSCCL_SCRATCH;
    return read_int(p, attributes, offset, used ? 0 : INT32_MIN, INT32_MAX,
                    chunk);
}

/* The runtime keeps a nop's dependency for the next step, and counts the nop as
 * a step only if it has a dependency.  It fuses consecutive additions to the
 * same chunks into one step, with the number of chunks of the last one. */
static bool
may_follow(struct parse *p, const struct msccl_step *s)
{
    const int re = DOES_READ | DOES_ADD | DOES_WRITE;
    const struct msccl *m = p->m;
    bool first = m->blocks[m->nblocks - 1].count == 0;
    const struct msccl_step *before = first ? NULL : &m->steps[m->nsteps - 1];

    p->idle = p->idle || (s->does == 0 && s->dep_block < 0);
    if (p->idle && s->does != 0)
        return fail(p, "a nop before it waits for nothing (depid=\"-1\"): "
                    "MSCCL's runtime does not count that nop as a step");
    if (before == NULL || s->does == 0)
        return true;
    if (before->does == 0 && s->dep_block < 0)
        return fail(p, "the step after a nop waits for nothing (depid=\"-1\"): "
                    "MSCCL's runtime requires a dependency there");
    if (s->does == re && before->does == re && s->dep_block < 0 &&
        !before->publishes && s->src_buffer == before->src_buffer &&
        s->dst_buffer == before->dst_buffer && s->dst == before->dst &&
        s->count != before->count)
        return fail(p, "cnt=\"%d\" after cnt=\"%d\": MSCCL's runtime makes "
                    "additions to the same chunks one step, with one cnt",
                    s->count, before->count);
    return true;
}

static bool
read_step_attributes(struct parse *p, const char **attributes,
                     struct msccl_step *s)
{
    int publishes;
    bool ok = read_type(p, attributes, &s->does) &&
              read_chunk(p, attributes, s->does & DOES_READ, "srcbuf",
                         "srcoff", &s->src_buffer, &s->src) &&
              read_chunk(p, attributes, s->does & DOES_WRITE, "dstbuf",
                         "dstoff", &s->dst_buffer, &s->dst) &&
              read_int(p, attributes, "cnt", s->does != 0, INT32_MAX,
                       &s->count) &&
              read_int(p, attributes, "depid", -1, INT32_MAX, &s->dep_block) &&
              read_int(p, attributes, "deps", -1, INT32_MAX, &s->dep_step) &&
              read_int(p, attributes, "hasdep", 0, 1, &publishes);

    s->publishes = ok && publishes && s->does != 0;
    return ok;
}

static bool
start_step(struct parse *p, const char **attributes)
{
    struct msccl *m = p->m;
    struct msccl_block *b = &m->blocks[m->nblocks - 1];
    struct msccl_step s = {.line = line_now(p), .block = (int)m->nblocks - 1};
    int id;

    if (m->nsteps == MSCCL_STEPS_MAX)
        return too_many(p, MSCCL_STEPS_MAX, "steps");
    if (!read_int(p, attributes, "s", 0, INT32_MAX, &id))
        return false;
    if (id != b->count)
        return fail(p, "s=\"%d\", but %d is next: they are counted from 0", id,
                    b->count);
    if (!read_step_attributes(p, attributes, &s) || !may_follow(p, &s))
        return false;
    if (s.does & DOES_SEND && b->send < 0)
        return fail(p, "the step sends, but its thread block has send=\"-1\"");
    if (s.does & DOES_RECEIVE && b->recv < 0)
        return fail(p, "the step receives, but its thread block has "
                    "recv=\"-1\"");
    m->steps = mem_grow(m->steps, m->nsteps, &m->steps_capacity,
                        sizeof *m->steps);
    m->steps[m->nsteps++] = s;
    b->count++;
    return true;
}

enum { REQUIRED_MAX = 11 };

/* The elements, by depth, and the attributes that each must have. */
static const struct element {
    const char *name;
    bool (*start)(struct parse *p, const char **attributes);
    const char *required[REQUIRED_MAX];
} elements[] = {
    {"algo", start_algo, {"name", "proto", "nchannels", "nchunksperloop",
                          "ngpus", "coll", "inplace"}},
    {"gpu", start_gpu, {"id", "i_chunks", "o_chunks", "s_chunks"}},
    {"tb", start_block, {"id", "send", "recv", "chan"}},
    {"step", start_step, {"s", "type", "srcbuf", "srcoff", "dstbuf", "dstoff",
                          "cnt", "depid", "deps", "hasdep"}},
};

static void XMLCALL
start_element(void *state, const XML_Char *name, const XML_Char **attributes)
{
    enum { DEEPEST = sizeof elements / sizeof elements[0] };
    struct parse *p = state;
    int depth = p->depth++;
    const struct element *e = &elements[depth < DEEPEST ? depth : 0];

    if (depth == DEEPEST) {
        fail(p, "<%.40s> in a step: nothing belongs there", name);
    } else if (!p->failed) {
        if (strcmp(name, e->name) != 0)
            fail(p, "<%.40s> where <%s> belongs", name, e->name);
        for (int i = 0; !p->failed && e->required[i] != NULL; i++)
            if (find_attribute(attributes, e->required[i]) == NULL)
                fail(p, "this <%s> lacks the attribute %s", e->name,
                     e->required[i]);
        if (!p->failed)
            e->start(p, attributes);
    }
}

/* The runtime does not wait for the dependencies of a block's last nops, which
 * are of no use to any step there. */
static void XMLCALL
end_element(void *state, const XML_Char *element)
{
    struct parse *p = state;
    const struct msccl_block *b;

    (void)element;
    if (--p->depth != 2 || p->failed)
        return;
    b = &p->m->blocks[p->m->nblocks - 1];
    for (int i = b->count; i-- > 0 && p->m->steps[b->first + i].does == 0;)
        p->m->steps[b->first + i].dep_block = MSCCL_NONE;
}

static int
by_rank_and_id(const void *a, const void *b)
{
    const struct msccl_block *x = a, *y = b;

    return x->rank != y->rank ? x->rank - y->rank
           : x->id != y->id   ? x->id - y->id : x->line - y->line;
}

/* The steps in the order of their blocks. */
static struct msccl_step *
sorted_steps(struct msccl *m)
{
    struct msccl_step *steps = mem_new(m->nsteps, sizeof *steps);
    int n = 0;

    for (size_t i = 0; i < m->nblocks; i++) {
        struct msccl_block *b = &m->blocks[i];
        int first = n;
        for (int k = 0; k < b->count; k++) {
            steps[n] = m->steps[b->first + k];
            steps[n++].block = (int)i;
        }
        b->first = first;
    }
    return steps;
}

/* Files may have GPUs, and the thread blocks of a GPU, in any order. */
static bool
sort_blocks(struct parse *p)
{
    struct msccl *m = p->m;
    struct msccl_step *steps;

    if (m->nblocks > 0)
        qsort(m->blocks, m->nblocks, sizeof *m->blocks, by_rank_and_id);
    for (int rank = 0, i = 0; rank < m->nranks; rank++) {
        m->first_block[rank] = i;
        for (; i < (int)m->nblocks && m->blocks[i].rank == rank; i++)
            if (m->blocks[i].id != i - m->first_block[rank]) {
                err_set(p->err, "%s:%d: the ids of GPU %d's thread blocks must "
                        "be 0, 1, 2 and so on: this is %d, and %d is %s",
                        m->file, m->blocks[i].line, rank, m->blocks[i].id,
                        i - m->first_block[rank],
                        m->blocks[i].id < i - m->first_block[rank]
                            ? "next" : "missing");
                return false;
            }
        m->first_block[rank + 1] = i;
    }
    steps = sorted_steps(m);
    free(m->steps);
    m->steps = steps;
    return true;
}

/* Documents with entities are refused: nobody needs them here. */
static void XMLCALL
refuse_doctype(void *state, const XML_Char *name, const XML_Char *system,
               const XML_Char *public, int internal)
{
    struct parse *p = state;

    (void)name, (void)system, (void)public, (void)internal;
    fail(p, "it has a document type, which MSCCL's files never have");
}

static bool
read_whole(struct parse *p, FILE *file, struct buf *text)
{
    enum { PIECE = 1 << 16 };
    OWN_MEMORY char *piece = mem_new(PIECE, 1);
    size_t got;

    while (text->length <= MSCCL_BYTES_MAX &&
           (got = fread(piece, 1, PIECE, file)) > 0)
        buf_add(text, piece, got);
    if (ferror(file))
        return fail(p, "it cannot be read");
    return text->length <= MSCCL_BYTES_MAX ||
           too_many(p, MSCCL_BYTES_MAX >> 20, "MiB");
}

/* Parses all at once: in pieces, expat would scan a long tag again for each. */
static bool
parse_file(struct parse *p, FILE *file)
{
    OWN(buf) text = {0};

    return read_whole(p, file, &text) &&
           (XML_Parse(p->xml, buf_text(&text), (int)text.length, 1) !=
                XML_STATUS_ERROR ||
            fail(p, "not valid XML: %s",
                 XML_ErrorString(XML_GetErrorCode(p->xml))));
}

bool
msccl_parse(struct msccl *m, FILE *file, const char *name, struct err *err)
{
    struct parse p = {.m = m, .err = err};
    bool ok;

    *m = (struct msccl){.file = name};
    p.xml = XML_ParserCreate(NULL);
    if (p.xml == NULL)
        die("out of memory");
    XML_SetUserData(p.xml, &p);
    XML_SetElementHandler(p.xml, start_element, end_element);
    XML_SetStartDoctypeDeclHandler(p.xml, refuse_doctype);
    if (parse_file(&p, file) && p.gpus < m->nranks)
        fail(&p, "%d GPU%s, but ngpus=\"%d\"", p.gpus, err_plural(p.gpus),
             m->nranks);
    ok = !p.failed && sort_blocks(&p);
    XML_ParserFree(p.xml);
    return ok;
}

void
msccl_done(struct msccl *m)
{
    free(m->buffers);
    free(m->blocks);
    free(m->first_block);
    free(m->steps);
    free(m->links);
    *m = (struct msccl){0};
}
