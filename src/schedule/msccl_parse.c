/* SPDX-License-Identifier: MIT */
#include <expat.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "schedule/msccl_program.h"

struct parse {
    struct msccl *m;
    XML_Parser xml;
    const char *name; /* of the file */
    struct err *err;
    int depth; /* elements that are open */
    int gpus;  /* seen so far */
    bool failed;
};

static int
line_of(const struct parse *p)
{
    return (int)XML_GetCurrentLineNumber(p->xml);
}

/* The first error counts; nothing is read after it. */
#define fail(p, ...) \
    ((p)->failed ? false \
                 : (err_set((p)->err, __VA_ARGS__), \
                    err_prefix((p)->err, "%s:%d", (p)->name, line_of(p)), \
                    (p)->failed = true, XML_StopParser((p)->xml, XML_FALSE), \
                    false))

static const char *
find(const char **attributes, const char *name)
{
    for (; *attributes != NULL; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return NULL;
}

/* A whole number from `least` to `most`. */
static bool
number(struct parse *p, const char **attributes, const char *name, int least,
       int most, int *value)
{
    const char *text = find(attributes, name);
    char *end;
    long wide;

    if (text == NULL)
        return fail(p, "the attribute %s is missing", name);
    wide = strtol(text, &end, 10);
    if (end == text || *end != '\0' || wide < least || wide > most)
        return fail(p, "%s=\"%.40s\": a whole number from %d to %d belongs "
                    "there", name, text, least, most);
    *value = (int)wide;
    return true;
}

static bool
number_or(struct parse *p, const char **attributes, const char *name,
          int least, int most, int otherwise, int *value)
{
    *value = otherwise;
    return find(attributes, name) == NULL ||
           number(p, attributes, name, least, most, value);
}

/* The next of its kind must have this id. */
static bool
is_next(struct parse *p, const char **attributes, const char *name, int next)
{
    int id;

    return number(p, attributes, name, 0, INT32_MAX, &id) &&
           (id == next ||
            fail(p, "%s=\"%d\", but %d is next: they are counted from 0",
                 name, id, next));
}

/* As it is, cut at a whole character. */
static void
copy_name(const char *from, char *to)
{
    const char *end = from, *next = from;

    while (utf8_next(&next) != 0 && next - from < SCHEDULE_NAME_MAX)
        end = next;
    memcpy(to, from, (size_t)(end - from));
    to[end - from] = '\0';
}

static bool
start_algo(struct parse *p, const char **attributes)
{
    struct msccl *m = p->m;
    const char *name = find(attributes, "name");
    const char *coll = find(attributes, "coll");
    int in_place, out_of_place;

    if (name == NULL || coll == NULL)
        return fail(p, "the attribute %s is missing",
                    name == NULL ? "name" : "coll");
    copy_name(name, m->name);
    m->collective = collective_find(coll);
    if (m->collective == NULL)
        return fail(p, "coll=\"%.40s\": collviz knows no such collective, and "
                    "so not what is promised", coll);
    if (!number(p, attributes, "ngpus", 1, SCHEDULE_RANKS_MAX, &m->nranks) ||
        !number(p, attributes, "nchunksperloop", 1, MSCCL_CELLS_MAX,
                &m->chunks) ||
        !number_or(p, attributes, "root", 0, m->nranks - 1, 0, &m->root) ||
        !number_or(p, attributes, "inplace", 0, 1, 0, &in_place) ||
        !number_or(p, attributes, "outofplace", 0, 1, !in_place,
                   &out_of_place))
        return false;
    m->in_place = in_place;
    m->out_of_place = out_of_place;
    m->scratch_of = mem_new((size_t)m->nranks, sizeof *m->scratch_of);
    m->first_block = mem_new((size_t)m->nranks + 1, sizeof *m->first_block);
    return in_place || out_of_place ||
           fail(p, "it runs neither in place nor out of place");
}

static bool
start_gpu(struct parse *p, const char **attributes)
{
    struct msccl *m = p->m;
    int *scratch;

    if (p->gpus == m->nranks)
        return fail(p, "more GPUs than ngpus=\"%d\"", m->nranks);
    if (!is_next(p, attributes, "id", p->gpus))
        return false;
    scratch = &m->scratch_of[p->gpus];
    if (!number_or(p, attributes, "s_chunks", 0, MSCCL_CELLS_MAX, 0, scratch))
        return false;
    m->scratch = *scratch > m->scratch ? *scratch : m->scratch;
    p->gpus++;
    return true;
}

static bool
start_block(struct parse *p, const char **attributes)
{
    struct msccl *m = p->m;
    int rank = p->gpus - 1;
    struct msccl_block b = {.rank = rank, .first = (int)m->nsteps, .out = -1,
                            .in = -1,
                            .id = (int)m->nblocks - m->first_block[rank]};

    if (m->nblocks == MSCCL_BLOCKS_MAX)
        return fail(p, "more than %d thread blocks", MSCCL_BLOCKS_MAX);
    if (!is_next(p, attributes, "id", b.id) ||
        !number_or(p, attributes, "send", -1, m->nranks - 1, -1, &b.send) ||
        !number_or(p, attributes, "recv", -1, m->nranks - 1, -1, &b.recv) ||
        !number_or(p, attributes, "chan", 0, INT32_MAX, 0, &b.chan))
        return false;
    if (b.send == rank || b.recv == rank)
        return fail(p, "GPU %d is its own peer", rank);
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
    const char *type = find(attributes, "type");

    if (type == NULL)
        return fail(p, "the attribute type is missing");
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].name, type) == 0) {
            *does = types[i].does;
            return true;
        }
    return fail(p, "type=\"%.40s\": there is s, r, rcs, rrc, rrs, rrcs, cpy, "
                "re and nop", type);
}

static bool
read_chunk(struct parse *p, const char **attributes, const char *buffer,
           const char *offset, enum msccl_buffer *which, int *chunk)
{
    const char *text = find(attributes, buffer);
    const char *found;

    if (text == NULL)
        return fail(p, "the attribute %s is missing", buffer);
    found = text[0] != '\0' && text[1] == '\0' ? strchr("ios", text[0]) : NULL;
    if (found == NULL)
        return fail(p, "%s=\"%.40s\": there is i, o and s", buffer, text);
    *which = *found == 'i' ? MSCCL_INPUT
                           : *found == 'o' ? MSCCL_OUTPUT : MSCCL_SCRATCH;
    return number(p, attributes, offset, 0, MSCCL_CELLS_MAX, chunk);
}

static bool
start_step(struct parse *p, const char **attributes)
{
    struct msccl *m = p->m;
    struct msccl_block *b = &m->blocks[m->nblocks - 1];
    struct msccl_step s = {.line = line_of(p)};

    if (m->nsteps == MSCCL_STEPS_MAX)
        return fail(p, "more than %d steps", MSCCL_STEPS_MAX);
    if (!is_next(p, attributes, "s", b->count) ||
        !read_type(p, attributes, &s.does) ||
        (s.does & DOES_READ && !read_chunk(p, attributes, "srcbuf", "srcoff",
                                           &s.src_buffer, &s.src)) ||
        (s.does & DOES_WRITE && !read_chunk(p, attributes, "dstbuf", "dstoff",
                                            &s.dst_buffer, &s.dst)) ||
        (s.does != 0 &&
         !number(p, attributes, "cnt", 1, MSCCL_CELLS_MAX, &s.count)) ||
        !number_or(p, attributes, "depid", -1, MSCCL_BLOCKS_MAX, -1,
                   &s.dep_block) ||
        !number_or(p, attributes, "deps", -1, MSCCL_STEPS_MAX, -1,
                   &s.dep_step))
        return false;
    if (s.does & DOES_SEND && b->send < 0)
        return fail(p, "it sends, in a thread block without send");
    if (s.does & DOES_RECEIVE && b->recv < 0)
        return fail(p, "it receives, in a thread block without recv");
    m->steps = mem_grow(m->steps, m->nsteps, &m->steps_capacity,
                        sizeof *m->steps);
    m->steps[m->nsteps++] = s;
    b->count++;
    return true;
}

static void XMLCALL
start(void *state, const XML_Char *element, const XML_Char **attributes)
{
    static const struct {
        const char *name;
        bool (*start)(struct parse *p, const char **attributes);
    } elements[] = {{"algo", start_algo}, {"gpu", start_gpu},
                    {"tb", start_block}, {"step", start_step}};
    enum { DEEPEST = sizeof elements / sizeof elements[0] };
    struct parse *p = state;
    int depth = p->depth++;

    if (p->failed)
        return;
    if (depth == DEEPEST)
        fail(p, "<%.40s> in a step: nothing belongs there", element);
    else if (strcmp(element, elements[depth].name) != 0)
        fail(p, "<%.40s> where <%s> belongs", element, elements[depth].name);
    else
        elements[depth].start(p, attributes);
}

static void XMLCALL
end(void *state, const XML_Char *element)
{
    struct parse *p = state;

    (void)element;
    if (--p->depth == 1 && !p->failed) /* a GPU is complete */
        p->m->first_block[p->gpus] = (int)p->m->nblocks;
}

/* Nobody needs one here, and entities come from nowhere else. */
static void XMLCALL
doctype(void *state, const XML_Char *name, const XML_Char *system,
        const XML_Char *public, int internal)
{
    struct parse *p = state;

    (void)name, (void)system, (void)public, (void)internal;
    fail(p, "a document type: MSCCL's files have none");
}

/* All at once: expat goes over a long tag again with every piece of it. */
static bool
feed(struct parse *p, FILE *file)
{
    enum { PIECE = 1 << 16 };
    struct buf text = {0};
    char *piece = mem_new(PIECE, 1);
    size_t got;
    bool ok = true;

    while (text.length <= MSCCL_BYTES_MAX &&
           (got = fread(piece, 1, PIECE, file)) > 0)
        buf_add(&text, piece, got);
    if (ferror(file))
        ok = fail(p, "it can not be read");
    else if (text.length > MSCCL_BYTES_MAX)
        ok = fail(p, "the file is longer than %d MiB", MSCCL_BYTES_MAX >> 20);
    else if (XML_Parse(p->xml, buf_text(&text), (int)text.length, 1) ==
             XML_STATUS_ERROR)
        ok = fail(p, "no XML: %s", XML_ErrorString(XML_GetErrorCode(p->xml)));
    free(piece);
    buf_done(&text);
    return ok;
}

bool
msccl_parse(struct msccl *m, FILE *file, const char *name, struct err *err)
{
    struct parse p = {.m = m, .name = name, .err = err};

    *m = (struct msccl){0};
    p.xml = XML_ParserCreate(NULL);
    if (p.xml == NULL)
        die("out of memory");
    XML_SetUserData(p.xml, &p);
    XML_SetElementHandler(p.xml, start, end);
    XML_SetStartDoctypeDeclHandler(p.xml, doctype);
    if (feed(&p, file) && p.gpus < m->nranks)
        fail(&p, "%d GPU%s, but ngpus=\"%d\"", p.gpus, err_plural(p.gpus),
             m->nranks);
    XML_ParserFree(p.xml);
    return !p.failed;
}

void
msccl_done(struct msccl *m)
{
    free(m->scratch_of);
    free(m->blocks);
    free(m->first_block);
    free(m->steps);
    free(m->links);
    *m = (struct msccl){0};
}
