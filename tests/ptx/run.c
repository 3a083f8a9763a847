/* SPDX-License-Identifier: MIT */
#undef _FORTIFY_SOURCE /* its longjmp does not go from one stack to another */
#include "run.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "base/mem.h"
#include "fake_kernels.h"
#include "ptx.h"
#include "race.h"

enum { STACK = 64 << 10, TURNS_MOST = 8, REACHED = 8 };

typedef void kernel(struct ptx_thread *t, const unsigned char *parameter);

struct fiber {
    struct ptx_thread thread;
    jmp_buf here;
    bool begun, over, vote;
    int site; /* of the barrier that it waits at */
};

struct ptx_block {
    struct ptx_launch *launch;
    int n, left;
    bool voted;
    struct fiber *fibers;
    unsigned char *stacks;
    jmp_buf home;
};

struct ptx_launch {
    kernel *kernel;
    const unsigned char *parameter;
    size_t parameter_bytes;
    int gpu, nblocks;
    struct ptx_block *blocks;
    /* Memory that the last accesses were in. */
    struct fake_memory reached[REACHED];
    int next_reached;
};

int ptx_fault;

/* One block runs at a time, and holds this. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int running;
static char finding[256];
static bool found, dies;
static void *library;
static uint64_t random_state = 88172645463325252;

bool
ptx_open(const char *path)
{
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        fprintf(stderr, "%s\n", dlerror());
    return library != NULL;
}

const char *
ptx_finding(void)
{
    bool any;

    pthread_mutex_lock(&turn);
    any = found;
    found = false;
    pthread_mutex_unlock(&turn);
    return any ? finding : NULL;
}

void
ptx_die_of_findings(void)
{
    race_begin(); /* memory of earlier runs may become that of others */
    dies = true;
}

__attribute__((format(printf, 1, 2))) static void
find(const char *format, ...)
{
    va_list args;

    if (found)
        return;
    found = true;
    va_start(args, format);
    vsnprintf(finding, sizeof finding, format, args);
    va_end(args);
    if (dies) {
        fprintf(stderr, "%s\n", finding);
        abort();
    }
}

static void
find_race(const char *raced)
{
    if (raced != NULL)
        find("%s", raced);
}

void
ptx_host_reads(const void *from, size_t bytes)
{
    pthread_mutex_lock(&turn);
    find_race(race_host_reads((uintptr_t)from, bytes));
    pthread_mutex_unlock(&turn);
}

static unsigned
pick(unsigned n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state % n);
}

/* Fibers. */

static struct fiber *starting;

static void
begin_fiber(void)
{
    struct fiber *f = starting;
    const struct ptx_launch *l = f->thread.block->launch;

    l->kernel(&f->thread, l->parameter);
    f->over = true;
    _longjmp(f->thread.block->home, 1);
}

/* Runs a thread to its next barrier, or its end. */
static void
resume(struct ptx_block *b, int i)
{
    struct fiber *f = &b->fibers[i];
    ucontext_t context;

    if (_setjmp(b->home) != 0)
        return;
    if (f->begun)
        _longjmp(f->here, 1);
    f->begun = true;
    starting = f;
    getcontext(&context);
    context.uc_stack.ss_sp = b->stacks + (size_t)i * STACK;
    context.uc_stack.ss_size = STACK;
    context.uc_link = NULL;
    makecontext(&context, begin_fiber, 0);
    setcontext(&context);
}

bool
ptx_barrier(struct ptx_thread *t, int site, bool vote)
{
    struct fiber *f = &t->block->fibers[t->tid];

    f->site = site;
    f->vote = vote;
    if (_setjmp(f->here) == 0)
        _longjmp(t->block->home, 1);
    return t->block->voted;
}

/* Blocks. */

static void
open_block(struct ptx_block *b, struct ptx_launch *l, int id, int n)
{
    int first = race_join(l->gpu, n);

    *b = (struct ptx_block){.launch = l, .n = n, .left = n,
                            .fibers = mem_new((size_t)n, sizeof *b->fibers)};
    b->stacks = mmap(NULL, (size_t)n * STACK, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (b->stacks == MAP_FAILED)
        abort();
    for (int i = 0; i < n; i++)
        b->fibers[i].thread = (struct ptx_thread){
            (uint32_t)i, (uint32_t)n, (uint32_t)id, (uint32_t)l->nblocks,
            first + i, b};
}

/* Checks that all threads of a block wait at the same barrier, or have ended;
 * otherwise that is a finding. */
static void
meet(struct ptx_block *b)
{
    int site = 0, over = 0;

    b->voted = false;
    for (int i = 0; i < b->n; i++) {
        const struct fiber *f = &b->fibers[i];
        over += f->over;
        b->voted = b->voted || (!f->over && f->vote);
        if (f->over)
            continue;
        if (site != 0 && f->site != site)
            find("threads of a block wait at barriers %d and %d", site,
                 f->site);
        site = f->site;
    }
    if (over != 0 && over != b->n)
        find("%d of %d threads of a block have ended, the others wait at "
             "barrier %d", over, b->n, site);
    b->left = b->n - over;
    if (b->left > 0)
        race_barrier(b->fibers[0].thread.number);
}

/* Runs every thread to its next barrier, in a random order. */
static void
run_block(struct ptx_block *b)
{
    int first = (int)pick((unsigned)b->n), way = pick(2) ? 1 : b->n - 1;

    for (int i = 0; i < b->n && !found; i++) {
        int k = (first + i * way) % b->n;
        if (!b->fibers[k].over)
            resume(b, k);
    }
    if (!found)
        meet(b);
}

/* Launches. */

/* Runs some turns of one block. */
static void
run_turns(struct ptx_launch *l)
{
    struct ptx_block *b = &l->blocks[pick((unsigned)l->nblocks)];

    for (unsigned turns = 1 + pick(TURNS_MOST);
         turns > 0 && b->left > 0 && !found; turns--)
        run_block(b);
}

static bool
is_over(const struct ptx_launch *l)
{
    for (int i = 0; i < l->nblocks; i++)
        if (l->blocks[i].left > 0)
            return found;
    return true;
}

static void
run_launch(struct ptx_launch *l, int nthreads)
{
    pthread_mutex_lock(&turn);
    if (running++ == 0)
        race_begin();
    l->blocks = mem_new((size_t)l->nblocks, sizeof *l->blocks);
    for (int i = 0; i < l->nblocks; i++)
        open_block(&l->blocks[i], l, i, nthreads);
    while (!is_over(l)) {
        run_turns(l);
        pthread_mutex_unlock(&turn);
        sched_yield();
        pthread_mutex_lock(&turn);
    }
    for (int i = 0; i < l->nblocks; i++) {
        munmap(l->blocks[i].stacks, (size_t)l->blocks[i].n * STACK);
        free(l->blocks[i].fibers);
    }
    free(l->blocks);
    running--;
    pthread_mutex_unlock(&turn);
}

void
fake_kernel(struct fake_launch *l)
{
    bool clock = fake_is_clock(l), work = fake_is_work(l);
    struct ptx_launch launch = {
        .gpu = l->gpu, .nblocks = l->blocks,
        .parameter = clock  ? (const void *)&l->clock
                     : work ? (const void *)&l->work
                            : (const void *)&l->ranks,
        .parameter_bytes = clock  ? sizeof l->clock
                           : work ? sizeof l->work
                                  : sizeof l->ranks};

    *(void **)&launch.kernel = dlsym(library, clock  ? "kernel_clock_tell"
                                              : work ? "nccl_kernel"
                                                     : "kernel_ranks");
    if (launch.kernel == NULL)
        abort();
    run_launch(&launch, l->threads);
}

/* Accesses. */

static bool
holds(const struct fake_memory *m, uint64_t at, size_t bytes)
{
    uint64_t from = (uintptr_t)m->from;

    return at >= from && at + bytes <= from + m->bytes;
}

/* Returns the memory that an access lies in, or NULL if the GPU reaches none
 * there. */
static const struct fake_memory *
reach(struct ptx_launch *l, uint64_t at, size_t bytes)
{
    struct fake_memory *next = &l->reached[l->next_reached], found_there;

    for (int i = 0; i < REACHED; i++)
        if (holds(&l->reached[i], at, bytes))
            return &l->reached[i];
    if (!fake_finds(l->gpu, (const void *)(uintptr_t)at, &found_there) ||
        !holds(&found_there, at, bytes))
        return NULL;
    *next = found_there;
    l->next_reached = (l->next_reached + 1) % REACHED;
    return next;
}

static bool
is_parameter(const struct ptx_launch *l, uint64_t at, size_t bytes)
{
    uint64_t from = (uintptr_t)l->parameter;

    return at >= from && at + bytes <= from + l->parameter_bytes;
}

/* Returns the memory of an allowed access; otherwise that is a finding. */
static const struct fake_memory *
allow(const struct ptx_thread *t, uint64_t at, size_t bytes, const char *what)
{
    struct ptx_launch *l = t->block->launch;
    const struct fake_memory *m = reach(l, at, bytes);

    if (at % bytes != 0)
        find("a misaligned %s of %zu bytes", what, bytes);
    else if (m == NULL)
        find("a %s of %zu bytes where GPU %d reaches no memory, by block %u, "
             "thread %u", what, bytes, l->gpu, t->block_id, t->tid);
    return at % bytes == 0 ? m : NULL;
}

/* The same of a strong access.  What the host has a part in is of the system;
 * so is all that lies in its memory. */
static const struct fake_memory *
allow_strong(const struct ptx_thread *t, uint64_t at, size_t bytes,
             enum ptx_scope scope, const char *what)
{
    const struct fake_memory *m = allow(t, at, bytes, what);

    if (bytes != 8)
        find("a strong %s of %zu bytes", what, bytes);
    else if (m != NULL && m->on_host && scope != PTX_SYSTEM)
        find("a %s in the host's memory, whose scope leaves the host out",
             what);
    return bytes == 8 ? m : NULL;
}

void
ptx_load(struct ptx_thread *t, uint64_t from, size_t bytes, void *value)
{
    memset(value, 0, bytes);
    if (!is_parameter(t->block->launch, from, bytes)) {
        if (allow(t, from, bytes, "load") == NULL)
            return;
        find_race(race_access(t->number, from, bytes, false));
    }
    memcpy(value, (const void *)(uintptr_t)from, bytes);
}

void
ptx_store(struct ptx_thread *t, uint64_t to, size_t bytes, const void *value)
{
    if (allow(t, to, bytes, "store") == NULL)
        return;
    find_race(race_access(t->number, to, bytes, true));
    memcpy((void *)(uintptr_t)to, value, bytes);
}

uint64_t
ptx_load_strong(struct ptx_thread *t, uint64_t from, size_t bytes,
                enum ptx_order order, enum ptx_scope scope)
{
    if (allow_strong(t, from, bytes, scope, "load") == NULL)
        return 0;
    find_race(race_load(t->number, from, order, scope));
    return __atomic_load_n((uint64_t *)(uintptr_t)from, __ATOMIC_ACQUIRE);
}

void
ptx_store_strong(struct ptx_thread *t, uint64_t to, uint64_t value,
                 size_t bytes, enum ptx_order order, enum ptx_scope scope)
{
    const struct fake_memory *m = allow_strong(t, to, bytes, scope, "store");

    if (m == NULL)
        return;
    find_race(race_store(t->number, to, order, scope, m->on_host));
    __atomic_store_n((uint64_t *)(uintptr_t)to, value, __ATOMIC_RELEASE);
}

void
ptx_fence(struct ptx_thread *t, enum ptx_scope scope)
{
    race_fence(t->number, scope);
}

uint64_t
ptx_time(struct ptx_thread *t)
{
    return (uint64_t)fake_time(t->block->launch->gpu);
}
