/* SPDX-License-Identifier: MIT */
/* A thread's time is PHASE * (barriers of its block so far) and one more for
 * each of its releases since.  A clock says for every thread up to which time
 * its accesses are known to come before what its owner does next.  Threads of
 * a block differ only in what they acquired since their last barrier, so a
 * block has one clock, and such a thread one of its own beside it. */
#include "race.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
    THREADS = 4096,
    BLOCKS = 256,
    PHASE = 256,
    HOST = 0, /* the host's thread, and its block */
    MANY = THREADS, /* in place of a thread: several of the block */
};

struct clock {
    uint32_t time[THREADS];
};

/* A strong store: the threads that it publishes to, and the clock that they
 * get. */
struct message {
    uint64_t at;
    struct clock *known; /* NULL: nothing */
    enum ptx_scope scope;
    int thread;
    bool for_host;
};

struct block {
    int gpu, first, n;
    uint32_t phase;
    struct clock *known;
};

struct thread {
    uint16_t block;
    uint32_t time;
    struct clock *known;   /* acquired since the last barrier; or NULL */
    struct clock *read;    /* by relaxed loads: a fence acquires it */
    struct clock *fenced;  /* what relaxed stores publish */
    enum ptx_scope read_scope, fenced_scope;
};

/* An access, or those of several threads of one block. */
struct access {
    uint16_t thread, block;
    uint32_t time;
    enum ptx_scope scope; /* 0: plain */
};

/* The last store to some bytes, and since then the last load of each block. */
struct cell {
    struct access store; /* time 0: none */
    struct access *loads;
    int nloads;
};

enum { GRAIN = 16 };

/* GRAIN bytes, in as many cells as accesses of different sizes require. */
struct shadow {
    uint64_t at; /* 0: free */
    int unit;    /* bytes of a cell */
    struct cell *cells;
};

static struct thread threads[THREADS];
static struct block blocks[BLOCKS];
static int nthreads, nblocks;
static struct message *messages;
static size_t nmessages, messages_room;
static struct shadow *shadows;
static size_t nshadows, shadows_room; /* a power of two */
static char report[256];

static void
join(struct clock **to, const struct clock *from)
{
    if (*to == NULL)
        *to = mem_new(1, sizeof **to);
    for (int i = 0; i < nthreads; i++)
        if (from->time[i] > (*to)->time[i])
            (*to)->time[i] = from->time[i];
}

static void
forget(struct clock **clock)
{
    free(*clock);
    *clock = NULL;
}

static void
forget_shadow(struct shadow *s)
{
    for (int i = 0; i < GRAIN / s->unit; i++)
        free(s->cells[i].loads);
    free(s->cells);
}

void
race_begin(void)
{
    for (int i = 0; i < nthreads; i++) {
        forget(&threads[i].known);
        forget(&threads[i].read);
        forget(&threads[i].fenced);
    }
    for (int i = 0; i < nblocks; i++)
        forget(&blocks[i].known);
    for (size_t i = 0; i < nmessages; i++)
        forget(&messages[i].known);
    for (size_t i = 0; i < shadows_room; i++)
        if (shadows[i].at != 0)
            forget_shadow(&shadows[i]);
    if (shadows_room > 0)
        memset(shadows, 0, shadows_room * sizeof *shadows);
    nthreads = nblocks = 0;
    nmessages = nshadows = 0;
    race_join(-1, 1);
}

int
race_join(int gpu, int n)
{
    int first = nthreads;

    if (nthreads + n > THREADS || nblocks == BLOCKS) {
        fprintf(stderr, "race_join: %d threads are too many\n", nthreads + n);
        abort();
    }
    blocks[nblocks] = (struct block){gpu, first, n, 1,
                                     mem_new(1, sizeof(struct clock))};
    for (int i = first; i < first + n; i++)
        threads[i] = (struct thread){.block = (uint16_t)nblocks,
                                     .time = PHASE};
    nblocks++;
    nthreads += n;
    return first;
}

static uint32_t
known_time(int thread, int other)
{
    const struct thread *t = &threads[thread];
    uint32_t time = blocks[t->block].known->time[other];

    if (t->known != NULL && t->known->time[other] > time)
        time = t->known->time[other];
    return time;
}

static bool
reaches(const struct block *from, enum ptx_scope scope, const struct block *to)
{
    return scope == PTX_SYSTEM || (scope == PTX_GPU && from->gpu == to->gpu) ||
           (scope == PTX_BLOCK && from == to);
}

static bool
reach_each_other(int a, enum ptx_scope a_scope, int b, enum ptx_scope b_scope)
{
    return reaches(&blocks[a], a_scope, &blocks[b]) &&
           reaches(&blocks[b], b_scope, &blocks[a]);
}

/* Whether an access happened before the current one of a thread. */
static bool
is_before(const struct access *a, int thread)
{
    const struct block *b = &blocks[a->block];

    if (a->thread != MANY)
        return a->thread == thread ||
               known_time(thread, a->thread) >= a->time;
    for (int i = b->first; i < b->first + b->n; i++)
        if (known_time(thread, i) < a->time / PHASE * PHASE + PHASE - 1)
            return false;
    return true;
}

static bool
is_ordered(const struct access *a, const struct access *b, int thread)
{
    return (a->scope != 0 && b->scope != 0 &&
            reach_each_other(a->block, a->scope, b->block, b->scope)) ||
           is_before(a, thread);
}

static const char *
say(const char *first, const char *then, const struct access *a, int thread,
    uint64_t at)
{
    const struct thread *t = &threads[thread];
    int who = a->thread == MANY ? -1 : a->thread - blocks[a->block].first;

    snprintf(report, sizeof report,
             "race at %#llx: a %s of block %d, thread %d, on GPU %d, and a %s "
             "of block %d, thread %d, on GPU %d", (unsigned long long)at,
             first, a->block, who, blocks[a->block].gpu, then, t->block,
             thread - blocks[t->block].first, blocks[t->block].gpu);
    return report;
}

static void
add_load(struct cell *c, const struct access *now, int thread)
{
    struct access *a;

    for (int i = 0; i < c->nloads; i++) {
        a = &c->loads[i];
        if (a->block != now->block)
            continue;
        if (is_before(a, thread)) {
            *a = *now;
        } else {
            a->thread = MANY;
            a->time = now->time > a->time ? now->time : a->time;
            a->scope = now->scope < a->scope ? now->scope : a->scope;
        }
        return;
    }
    c->loads = realloc(c->loads, (size_t)(c->nloads + 1) * sizeof *c->loads);
    if (c->loads == NULL)
        abort();
    c->loads[c->nloads++] = *now;
}

static const char *
touch(struct cell *c, const struct access *now, int thread, uint64_t at,
      bool stores)
{
    if (c->store.time > 0 && !is_ordered(&c->store, now, thread))
        return say("store", stores ? "store" : "load", &c->store, thread, at);
    for (int i = 0; stores && i < c->nloads; i++)
        if (!is_ordered(&c->loads[i], now, thread))
            return say("load", "store", &c->loads[i], thread, at);
    if (stores) {
        c->store = *now;
        c->nloads = 0;
    } else {
        add_load(c, now, thread);
    }
    return NULL;
}

static struct shadow *
find(uint64_t at)
{
    size_t i = (size_t)((at / GRAIN * UINT64_C(0x9e3779b97f4a7c15)) >> 20);

    for (;; i++) {
        struct shadow *s = &shadows[i & (shadows_room - 1)];
        if (s->at == at || s->at == 0)
            return s;
    }
}

static void
make_room(void)
{
    struct shadow *old = shadows;
    size_t room = shadows_room;

    if (nshadows * 2 < shadows_room)
        return;
    shadows_room = room > 0 ? room * 2 : 1 << 12;
    shadows = mem_new(shadows_room, sizeof *shadows);
    for (size_t i = 0; i < room; i++)
        if (old[i].at != 0)
            *find(old[i].at) = old[i];
    free(old);
}

/* Splits cells down to `unit` bytes. */
static void
cut(struct shadow *s, int unit)
{
    struct cell *cells = mem_new((size_t)(GRAIN / unit), sizeof *cells);

    for (int i = 0; i < GRAIN / unit; i++) {
        const struct cell *from = &s->cells[i * unit / s->unit];
        size_t bytes = (size_t)from->nloads * sizeof *from->loads;
        cells[i] = *from;
        cells[i].loads = mem_new((size_t)from->nloads, sizeof *from->loads);
        if (bytes > 0)
            memcpy(cells[i].loads, from->loads, bytes);
    }
    forget_shadow(s);
    s->unit = unit;
    s->cells = cells;
}

static struct shadow *
shadow_of(uint64_t at, int unit)
{
    struct shadow *s;

    make_room();
    s = find(at / GRAIN * GRAIN);
    if (s->at == 0) {
        nshadows++;
        *s = (struct shadow){at / GRAIN * GRAIN, unit,
                             mem_new((size_t)(GRAIN / unit),
                                     sizeof *s->cells)};
    }
    if (s->unit > unit)
        cut(s, unit);
    return s;
}

static const char *
race_any(int thread, uint64_t at, size_t bytes, bool stores,
         enum ptx_scope scope)
{
    const struct thread *t = &threads[thread];
    struct access now = {(uint16_t)thread, t->block, t->time, scope};
    const char *raced = NULL;

    while (raced == NULL && bytes > 0) {
        size_t part = GRAIN - at % GRAIN;
        struct shadow *s;

        part = part < bytes ? part : bytes;
        s = shadow_of(at, (part & (part - 1)) != 0 || at % part != 0
                              ? 1 : (int)part);
        for (size_t i = at % GRAIN / (size_t)s->unit;
             raced == NULL && i < (at % GRAIN + part) / (size_t)s->unit; i++)
            raced = touch(&s->cells[i], &now, thread, at, stores);
        at += part;
        bytes -= part;
    }
    return raced;
}

const char *
race_access(int thread, uint64_t at, size_t bytes, bool stores)
{
    return race_any(thread, at, bytes, stores, 0);
}

static struct message *
message_at(uint64_t at)
{
    for (size_t i = 0; i < nmessages; i++)
        if (messages[i].at == at)
            return &messages[i];
    return NULL;
}

/* Publishes a thread's clock, and advances its time. */
static void
publish(int thread, struct clock **to)
{
    struct thread *t = &threads[thread];

    join(to, blocks[t->block].known);
    if (t->known != NULL)
        join(to, t->known);
    (*to)->time[thread] = t->time++;
    if (t->time % PHASE == PHASE - 1)
        abort(); /* more than the releases between two barriers */
}

static void
leave_message(int thread, uint64_t at, enum ptx_scope scope, bool for_host,
              const struct clock *known)
{
    struct message *m = message_at(at);

    if (m == NULL) {
        messages = mem_grow(messages, nmessages, &messages_room,
                            sizeof *messages);
        m = &messages[nmessages++];
        *m = (struct message){.at = at};
    }
    forget(&m->known);
    m->thread = thread;
    m->scope = scope;
    m->for_host = for_host;
    if (known != NULL)
        join(&m->known, known);
}

const char *
race_store(int thread, uint64_t at, enum ptx_order order, enum ptx_scope scope,
           bool for_host)
{
    struct thread *t = &threads[thread];
    const char *raced = race_any(thread, at, 8, true, scope);

    if (order == PTX_RELEASE) {
        struct clock *known = NULL;
        publish(thread, &known);
        leave_message(thread, at, scope, for_host, known);
        free(known);
    } else {
        leave_message(thread, at,
                      t->fenced_scope < scope ? t->fenced_scope : scope,
                      for_host, t->fenced);
    }
    return raced;
}

const char *
race_load(int thread, uint64_t at, enum ptx_order order, enum ptx_scope scope)
{
    struct thread *t = &threads[thread];
    const struct message *m = message_at(at);
    const char *raced = race_any(thread, at, 8, false, scope);

    if (m == NULL || m->known == NULL ||
        !reach_each_other(threads[m->thread].block, m->scope, t->block, scope))
        return raced;
    if (order == PTX_ACQUIRE) {
        join(&t->known, m->known);
    } else {
        join(&t->read, m->known);
        t->read_scope = scope;
    }
    return raced;
}

void
race_fence(int thread, enum ptx_scope scope)
{
    struct thread *t = &threads[thread];

    if (t->read != NULL && scope >= t->read_scope) {
        join(&t->known, t->read);
        forget(&t->read);
    }
    forget(&t->fenced);
    publish(thread, &t->fenced);
    t->fenced_scope = scope;
}

const char *
race_host_reads(uint64_t at, size_t bytes)
{
    for (size_t i = 0; i < nmessages; i++) {
        const struct message *m = &messages[i];
        if (m->known != NULL && m->for_host && m->scope == PTX_SYSTEM)
            join(&threads[HOST].known, m->known);
    }
    return race_access(HOST, at, bytes, false);
}

void
race_barrier(int first)
{
    struct block *b = &blocks[threads[first].block];

    for (int i = b->first; i < b->first + b->n; i++) {
        struct thread *t = &threads[i];
        if (t->known != NULL)
            join(&b->known, t->known);
        forget(&t->known);
    }
    for (int i = b->first; i < b->first + b->n; i++)
        b->known->time[i] = b->phase * PHASE + PHASE - 1;
    b->phase++;
    for (int i = b->first; i < b->first + b->n; i++)
        threads[i].time = b->phase * PHASE;
}
