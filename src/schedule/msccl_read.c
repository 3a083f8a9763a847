/* SPDX-License-Identifier: MIT */
#include "schedule/msccl.h"

#include <errno.h>
#include <expat.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

static const char *const type_names[MSCCL_TYPES] = {
    [MSCCL_SEND] = "s",         [MSCCL_RECEIVE] = "r",
    [MSCCL_RECEIVE_SEND] = "rcs", [MSCCL_REDUCE_STORE] = "rrc",
    [MSCCL_REDUCE_SEND] = "rrs", [MSCCL_REDUCE_STORE_SEND] = "rrcs",
    [MSCCL_COPY] = "cpy",       [MSCCL_REDUCE] = "re",
    [MSCCL_NOP] = "nop",
};

const char *
msccl_type_name(enum msccl_type type)
{
    return type_names[type];
}

bool
msccl_receives(enum msccl_type type)
{
    return type >= MSCCL_RECEIVE && type <= MSCCL_REDUCE_STORE_SEND;
}

bool
msccl_sends(enum msccl_type type)
{
    return type == MSCCL_SEND || type == MSCCL_RECEIVE_SEND ||
           type == MSCCL_REDUCE_SEND || type == MSCCL_REDUCE_STORE_SEND;
}

enum level { LEVEL_NONE, LEVEL_ALGO, LEVEL_GPU, LEVEL_BLOCK, LEVEL_STEP };
static const char *const elements[] = {"", "algo", "gpu", "tb", "step"};

struct reader {
    XML_Parser parser;
    struct msccl *m;
    enum level level; /* of what is open */
    bool over;        /* the algo was closed */
    int gpus;
    size_t blocks_capacity, steps_capacity;
    struct err *err;
    bool failed;
};

static void
fail(struct reader *r)
{
    r->failed = true;
    XML_StopParser(r->parser, XML_FALSE);
}

static const char *
attribute(const XML_Char **all, const char *name)
{
    for (; all[0] != NULL; all += 2)
        if (strcmp(all[0], name) == 0)
            return all[1];
    return NULL;
}

/* A number that must be there. */
static bool
number(struct reader *r, const XML_Char **all, const char *name, int least,
       int most, int *value)
{
    const char *text = attribute(all, name);
    char *end;
    long n;

    if (text == NULL)
        return err_set(r->err, "<%s> has no \"%s\"",
                       elements[r->level + 1], name);
    errno = 0;
    n = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || n < least || n > most)
        return err_set(r->err, "%s=\"%.40s\": a number from %d to %d belongs "
                       "there", name, text, least, most);
    *value = (int)n;
    return true;
}

/* One that may be left out. */
static bool
flag(struct reader *r, const XML_Char **all, const char *name, bool *value)
{
    int n = 0;

    if (attribute(all, name) != NULL && !number(r, all, name, 0, 1, &n))
        return false;
    *value = n == 1;
    return true;
}

static bool
begin_algo(struct reader *r, const XML_Char **all)
{
    const char *name = attribute(all, "name");
    const char *coll = attribute(all, "coll");
    struct msccl *m = r->m;

    if (coll == NULL || (m->collective = collective_find(coll)) == NULL)
        return err_set(r->err, "coll=\"%.40s\": collviz proves allreduce, "
                       "allgather, reduce_scatter, alltoall, broadcast, "
                       "reduce, gather and scatter", coll != NULL ? coll : "");
    if (!number(r, all, "ngpus", 1, SCHEDULE_RANKS_MAX, &m->nranks) ||
        !flag(r, all, "inplace", &m->in_place) ||
        !flag(r, all, "outofplace", &m->out_of_place) ||
        (attribute(all, "root") != NULL &&
         !number(r, all, "root", 0, m->nranks - 1, &m->root)))
        return false;
    if (!m->in_place && !m->out_of_place)
        m->out_of_place = true;
    utf8_clean(m->name, sizeof m->name, name != NULL ? name : "msccl");
    m->first_block = mem_new((size_t)m->nranks + 1, sizeof *m->first_block);
    return true;
}

static int
larger(int a, int b)
{
    return a > b ? a : b;
}

static bool
begin_gpu(struct reader *r, const XML_Char **all)
{
    struct msccl *m = r->m;
    int id, input, output, scratch;

    if (r->gpus == m->nranks)
        return err_set(r->err, "one <gpu> more than ngpus=\"%d\"", m->nranks);
    if (!number(r, all, "id", r->gpus, r->gpus, &id) ||
        !number(r, all, "i_chunks", 0, SCHEDULE_SLOTS_MAX, &input) ||
        !number(r, all, "o_chunks", 0, SCHEDULE_SLOTS_MAX, &output) ||
        !number(r, all, "s_chunks", 0, SCHEDULE_SLOTS_MAX, &scratch))
        return false;
    m->input = larger(m->input, input);
    m->output = larger(m->output, output);
    m->scratch = larger(m->scratch, scratch);
    m->first_block[r->gpus++] = m->nblocks;
    m->first_block[r->gpus] = m->nblocks;
    return true;
}

static bool
begin_block(struct reader *r, const XML_Char **all)
{
    struct msccl *m = r->m;
    struct msccl_block b = {.rank = r->gpus - 1, .first = m->nsteps};
    int next = m->nblocks - m->first_block[b.rank];

    if (m->nblocks == MSCCL_BLOCKS_MAX)
        return err_set(r->err, "more than %d thread blocks", MSCCL_BLOCKS_MAX);
    if (!number(r, all, "id", next, next, &b.id) ||
        !number(r, all, "send", -1, m->nranks - 1, &b.send) ||
        !number(r, all, "recv", -1, m->nranks - 1, &b.receive) ||
        !number(r, all, "chan", 0, MSCCL_CHANNELS_MAX - 1, &b.channel))
        return false;
    if (b.send == b.rank || b.receive == b.rank)
        return err_set(r->err, "a thread block of rank %d that sends to it or "
                       "receives from it: copies within a rank are cpy",
                       b.rank);
    m->blocks = mem_grow(m->blocks, (size_t)m->nblocks, &r->blocks_capacity,
                         sizeof *m->blocks);
    m->blocks[m->nblocks++] = b;
    m->first_block[r->gpus] = m->nblocks;
    return true;
}

static bool
read_type(struct reader *r, const XML_Char **all, enum msccl_type *type)
{
    const char *text = attribute(all, "type");

    for (int t = 0; text != NULL && t < MSCCL_TYPES; t++)
        if (strcmp(type_names[t], text) == 0) {
            *type = (enum msccl_type)t;
            return true;
        }
    return err_set(r->err, "type=\"%.40s\": s, r, rcs, rrc, rrs, rrcs, cpy, re "
                   "or nop belongs there", text != NULL ? text : "");
}

static bool
read_place(struct reader *r, const XML_Char **all, const char *buffer,
           const char *offset, struct msccl_place *place)
{
    static const char letters[] = "ios";
    const char *text = attribute(all, buffer);
    const char *letter =
        text != NULL && text[0] != '\0' && text[1] == '\0'
            ? strchr(letters, text[0]) : NULL;

    if (letter == NULL)
        return err_set(r->err, "%s=\"%.40s\": i, o or s belongs there", buffer,
                       text != NULL ? text : "");
    place->buffer = (enum msccl_buffer)(letter - letters);
    return number(r, all, offset, 0, SCHEDULE_SLOTS_MAX, &place->offset);
}

/* What it uses of src and dst must be there; the rest often is -1. */
static bool
read_places(struct reader *r, const XML_Char **all, struct msccl_step *s)
{
    bool src = s->type != MSCCL_NOP && s->type != MSCCL_RECEIVE &&
               s->type != MSCCL_RECEIVE_SEND;
    bool dst = s->type != MSCCL_NOP && s->type != MSCCL_SEND &&
               s->type != MSCCL_REDUCE_SEND;

    if ((src || dst) &&
        !number(r, all, "cnt", 1, SCHEDULE_SLOTS_MAX, &s->count))
        return false;
    return (!src || read_place(r, all, "srcbuf", "srcoff", &s->src)) &&
           (!dst || read_place(r, all, "dstbuf", "dstoff", &s->dst));
}

static bool
begin_step(struct reader *r, const XML_Char **all)
{
    struct msccl *m = r->m;
    struct msccl_block *b = &m->blocks[m->nblocks - 1];
    struct msccl_step s = {.wait_block = -1, .wait_step = -1};
    int number_in_block;

    if (m->nsteps == MSCCL_STEPS_MAX)
        return err_set(r->err, "more than %d steps", MSCCL_STEPS_MAX);
    if (!number(r, all, "s", b->nsteps, b->nsteps, &number_in_block) ||
        !read_type(r, all, &s.type) || !read_places(r, all, &s) ||
        !number(r, all, "depid", -1, MSCCL_BLOCKS_MAX, &s.wait_block) ||
        !number(r, all, "deps", -1, MSCCL_STEPS_MAX, &s.wait_step))
        return false;
    if ((msccl_sends(s.type) && b->send < 0) ||
        (msccl_receives(s.type) && b->receive < 0))
        return err_set(r->err, "a step of type \"%s\" in a thread block with "
                       "%s=\"-1\"", type_names[s.type],
                       msccl_sends(s.type) && b->send < 0 ? "send" : "recv");
    m->steps = mem_grow(m->steps, m->nsteps, &r->steps_capacity,
                        sizeof *m->steps);
    m->steps[m->nsteps++] = s;
    b->nsteps++;
    return true;
}

static void
on_begin(void *state, const XML_Char *name, const XML_Char **all)
{
    static bool (*const begin[])(struct reader *, const XML_Char **) = {
        begin_algo, begin_gpu, begin_block, begin_step};
    struct reader *r = state;

    if (r->failed)
        return;
    if (r->level == LEVEL_STEP || r->over ||
        strcmp(name, elements[r->level + 1]) != 0) {
        err_set(r->err, "<%.40s> where <%s> belongs", name,
                r->level == LEVEL_STEP || r->over ? "nothing"
                                                  : elements[r->level + 1]);
        fail(r);
    } else if (!begin[r->level](r, all)) {
        fail(r);
    } else {
        r->level++;
    }
}

static void
on_end(void *state, const XML_Char *name)
{
    struct reader *r = state;

    (void)name;
    if (r->failed)
        return;
    r->level--;
    r->over = r->level == LEVEL_NONE;
}

static void
on_doctype(void *state, const XML_Char *name, const XML_Char *system,
           const XML_Char *public, int has_internal)
{
    struct reader *r = state;

    (void)name, (void)system, (void)public, (void)has_internal;
    if (r->failed)
        return;
    err_set(r->err, "a document type (<!DOCTYPE>) has no place here");
    fail(r);
}

static bool
parse(struct reader *r, FILE *file, struct err *err)
{
    char bytes[65536];
    size_t total = 0;
    bool last = false;

    while (!last) {
        size_t n = fread(bytes, 1, sizeof bytes, file);
        if (ferror(file))
            return err_set(err, "%s", strerror(errno));
        if ((total += n) > MSCCL_BYTES_MAX)
            return err_set(err, "more than %d bytes", MSCCL_BYTES_MAX);
        last = n < sizeof bytes;
        if (XML_Parse(r->parser, bytes, (int)n, last) == XML_STATUS_OK)
            continue;
        if (!r->failed)
            err_set(err, "%s",
                    XML_ErrorString(XML_GetErrorCode(r->parser)));
        return false;
    }
    return true;
}

/* What only the whole tells. */
static bool
judge(const struct msccl *m, int gpus, struct err *err)
{
    if (gpus != m->nranks)
        return err_set(err, "%d <gpu>, but ngpus=\"%d\"", gpus, m->nranks);
    for (int i = 0; i < m->nblocks; i++) {
        const struct msccl_block *b = &m->blocks[i];
        int nblocks = m->first_block[b->rank + 1] - m->first_block[b->rank];
        for (int k = 0; k < b->nsteps; k++) {
            const struct msccl_step *s = &m->steps[b->first + (size_t)k];
            if (s->wait_block < 0)
                continue;
            if (s->wait_block >= nblocks || s->wait_step < 0 ||
                s->wait_step >=
                    m->blocks[m->first_block[b->rank] + s->wait_block].nsteps)
                return err_set(err, "rank %d, thread block %d, step %d waits "
                               "for step %d of thread block %d, which is not "
                               "there", b->rank, b->id, k, s->wait_step,
                               s->wait_block);
        }
    }
    return true;
}

bool
msccl_read(struct msccl **m, FILE *file, const char *name, struct err *err)
{
    struct reader r = {.parser = XML_ParserCreate(NULL), .err = err};
    unsigned long line = 0;
    bool ok;

    if (r.parser == NULL)
        die("out of memory: an XML parser");
    r.m = mem_new(1, sizeof *r.m);
    XML_SetUserData(r.parser, &r);
    XML_SetElementHandler(r.parser, on_begin, on_end);
    XML_SetStartDoctypeDeclHandler(r.parser, on_doctype);
    ok = parse(&r, file, err);
    if (!ok)
        line = XML_GetCurrentLineNumber(r.parser);
    XML_ParserFree(r.parser);
    ok = ok && judge(r.m, r.gpus, err);
    if (ok) {
        *m = r.m;
        return true;
    }
    msccl_free(r.m);
    return line > 0 ? err_prefix(err, "%s:%lu", name, line)
                    : err_prefix(err, "%s", name);
}

void
msccl_free(struct msccl *m)
{
    if (m == NULL)
        return;
    free(m->blocks);
    free(m->first_block);
    free(m->steps);
    free(m);
}
