/* SPDX-License-Identifier: MIT */
#include "play/author.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/load.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "coll/coll.h"
#include "coll/lib/parts.h"
#include "script/script.h"

/* The time for a whole script.  The worker allows less between two requests
 * (workers/lesson). */
static const int64_t PATIENCE_NS = 30000000000;

struct move {
    struct transfer t; /* slots as the script numbers them */
    int step, name, line;
};

/* What has happened to a slot of a script that follows chunks. */
struct cell {
    int32_t written, read; /* the last steps in which it was; 0: not yet */
    int32_t move;          /* the number of the last one that wrote it */
};

struct author {
    const char *file; /* the last part of its path */
    struct coll_options o;
    struct algorithm row; /* what is promised */
    bool whole; /* what comes after the promise is played, too */
    int scratch;
    struct schedule *s; /* NULL: nothing is promised yet */
    int buffer; /* slots of the work buffer; those of scratch come after it */
    struct move *moves;
    size_t nmoves, capacity;
    int64_t moved; /* slots, by all moves */
    char **names; /* of steps */
    size_t nnames, names_capacity;
    struct cell *cells; /* [rank * slots + slot]; NULL: it goes by steps */
};

/* The promise ------------------------------------------------------------- */

static bool
read_promised(const json_t *with, const char **name, struct err *err)
{
    const struct collective *c;
    const char *text;
    bool ok = script_text(with, "collective", false, &text, err) &&
              collective_named(text, &c, err);

    *name = ok ? c->name : NULL;
    return ok;
}

/* A shape that the script gives is not --shape's: the row takes none then. */
static bool
read_topology(struct author *a, const json_t *with, struct topology *t,
              struct err *err)
{
    const json_t *shape = json_object_get(with, "shape");
    const char *text;
    int64_t size;

    if (!script_text(with, "topology", true, &text, err))
        return false;
    if (text != NULL && !topology_find(text, &t->kind)) {
        OWN(buf) all = {0};
        for (int k = 0; k < TOPOLOGY_KINDS; k++)
            buf_addf(&all, "%s%s", k > 0 ? ", " : "",
                     topology_name((enum topology_kind)k));
        err_set(err, "no topology is called '%s'; there are %s", text,
                buf_text(&all));
        return false;
    }
    a->row.topology = t->kind;
    if (t->kind != TOPOLOGY_TORUS && t->kind != TOPOLOGY_MESH &&
        t->kind != TOPOLOGY_NODES)
        return shape == NULL ||
               err_set(err, "only torus, mesh and nodes have a shape");
    if (shape == NULL) {
        a->row.dims = 2;
        return true;
    }
    t->dims[2] = 1;
    for (size_t d = 0; d < json_array_size(shape) && d < TOPOLOGY_DIMS; d++) {
        if (!json_at(shape, d, 1, SCHEDULE_RANKS_MAX, &size))
            break;
        t->dims[d] = (int)size;
    }
    return (json_array_size(shape) == 2 || json_array_size(shape) == 3) ||
           err_set(err, "shape must be a list of 2 or 3 sizes");
}

/* algorithm { ... } */
static bool
read_promise(struct author *a, const json_t *with, struct err *err)
{
    struct topology topology = {.kind = TOPOLOGY_ANY};
    struct schedule_spec spec = {.nranks = a->o.nranks,
                                 .in_place = a->o.in_place, .root = a->o.root};
    struct coll_options o = a->o;
    char name[SCHEDULE_NAME_MAX], *dot;
    const char *title;
    int scratch = 0, pieces = 1;

    if (a->s != NULL)
        return err_set(err, "algorithm has been called already");
    a->row = (struct algorithm){.name = a->file};
    if (!read_promised(with, &a->row.collective, err) ||
        !script_text(with, "title", true, &title, err) ||
        !script_count(with, "chunks", 1, SCHEDULE_CHUNKS_MAX, &pieces, err) ||
        !script_count(with, "pipeline", 1, SCHEDULE_CHUNKS_MAX,
                      &a->row.chunks, err) ||
        !script_count(with, "scratch", 0, SCHEDULE_SLOTS_MAX, &scratch, err) ||
        !read_topology(a, with, &topology, err))
        return false;
    if (title != NULL && strlen(title) >= SCHEDULE_NAME_MAX)
        return err_set(err, "title has more than %d bytes",
                       SCHEDULE_NAME_MAX - 1);
    if (a->row.chunks > 0 && json_object_get(with, "chunks") != NULL)
        return err_set(err, "chunks and pipeline: --chunks says how many "
                       "chunks a pipeline has; leave one of them out");
    if (!a->whole)
        return true;
    if (!coll_complete(&a->row, &o, err))
        return false;
    utf8_clean(name, sizeof name, a->file);
    if ((dot = strrchr(name, '.')) != NULL)
        *dot = '\0';
    spec.collective = collective_find(a->row.collective);
    spec.algorithm = title != NULL && title[0] != '\0' ? title : name;
    spec.pieces = a->row.chunks > 0 ? o.chunks : pieces;
    spec.topology = topology;
    if (a->row.dims > 0)
        memcpy(spec.topology.dims, o.dims, sizeof o.dims);
    if (!schedule_spec_check(&spec, err))
        return false;
    a->buffer = spec.pieces *
                most(collective_units(spec.collective->input, spec.nranks),
                     collective_units(spec.collective->output, spec.nranks));
    a->scratch = spec.scratch = scratch;
    if (!spec.in_place &&
        spec.collective->output == UNITS_ONE &&
        spec.collective->input == UNITS_RANKS)
        spec.scratch += a->buffer; /* where work_begin() puts it */
    if (!schedule_spec_check(&spec, err))
        return false;
    a->s = schedule_new(&spec);
    return true;
}

/* Moves ------------------------------------------------------------------- */

/* Whether a rank and its slots exist. */
static bool
is_there(const struct author *a, int64_t rank, int64_t slot, int64_t count,
         struct err *err)
{
    int slots = a->buffer + a->scratch;
    int end = slot < a->buffer ? a->buffer : slots;

    if (rank < 0 || rank >= a->o.nranks)
        return err_set(err, "there is no rank %lld; the ranks are 0 to %d",
                       (long long)rank, a->o.nranks - 1);
    if (slot < 0 || slot >= slots)
        return err_set(err, "there is no chunk %lld; the chunks are 0 to %d",
                       (long long)slot, slots - 1);
    if (count < 1 || count > end - slot)
        return err_set(err, "%lld chunk%s from %lld on would end after %d",
                       (long long)count, err_plural(count), (long long)slot,
                       end - 1);
    return true;
}

/* Puts a move into the earliest step in which its data is there and nothing
 * that is still needed is overwritten.  `since` is the move that brought what
 * it sends. */
static bool
place_move(struct author *a, struct move *m, int since, struct err *err)
{
    size_t slots = (size_t)(a->buffer + a->scratch);
    struct cell *from, *to;
    const struct transfer *t = &m->t;
    bool adds = t->op == TRANSFER_REDUCE;

    if (a->cells == NULL)
        a->cells = mem_new((size_t)a->o.nranks * slots, sizeof *a->cells);
    from = &a->cells[(size_t)t->src * slots + (size_t)t->src_slot];
    to = &a->cells[(size_t)t->dst * slots + (size_t)t->dst_slot];
    m->step = 1;
    for (int k = 0; k < t->nslots; k++) {
        if (from[k].move > since)
            return err_set(err, "rank %d's chunk %d is no longer what was "
                           "followed: line %d has written it since", t->src,
                           t->src_slot + k,
                           a->moves[from[k].move - 1].line);
        m->step = most(m->step, from[k].written + 1);
        m->step = most(m->step, to[k].read);
        m->step = most(m->step, to[k].written + !adds);
    }
    for (int k = 0; k < t->nslots; k++) {
        from[k].read = most(from[k].read, m->step);
        to[k].written = m->step;
        to[k].move = (int32_t)a->nmoves + 1;
    }
    return true;
}

enum { ADDS, WHEN, FROM, SLOT, TO, INTO, SLOTS, NAME, LINE, NUMBERS };

/* A row of author.lua. */
static bool
take_move(struct author *a, const int64_t *row, bool follows, struct err *err)
{
    struct move m = {.step = (int)row[WHEN], .line = (int)row[LINE],
                     .name = (int)row[NAME] - 1};
    int most_moves = a->o.transfers_most > 0 ? a->o.transfers_most
                                             : AUTHOR_TRANSFERS_MAX;
    bool ok = true;

    if (a->nmoves == (size_t)most_moves)
        ok = err_set(err, "these are more than %d transfers", most_moves);
    ok = ok && is_there(a, row[FROM], row[SLOT], row[SLOTS], err) &&
         is_there(a, row[TO], row[INTO], row[SLOTS], err);
    if (ok && (a->moved += row[SLOTS]) > AUTHOR_MOVED_MAX)
        ok = err_set(err, "the transfers move more than %d chunks",
                     AUTHOR_MOVED_MAX);
    m.t = (struct transfer){
        .op = row[ADDS] != 0 ? TRANSFER_REDUCE : TRANSFER_COPY,
        .src = (int32_t)row[FROM], .src_slot = (int32_t)row[SLOT],
        .dst = (int32_t)row[TO], .dst_slot = (int32_t)row[INTO],
        .add_slot = (int32_t)row[INTO], .nslots = (int32_t)row[SLOTS]};
    if (!ok || (follows && !place_move(a, &m, (int)row[WHEN], err)))
        return err_prefix(err, "%s:%d", a->file, m.line);
    a->moves = mem_grow(a->moves, a->nmoves, &a->capacity, sizeof *a->moves);
    a->moves[a->nmoves++] = m;
    return true;
}

/* The request of author.lua. */
static bool
take_moves(struct author *a, const json_t *with, struct err *err)
{
    const json_t *rows = json_object_get(with, "rows");
    const json_t *names = json_object_get(with, "names");
    bool follows = json_is_true(json_object_get(with, "follows"));
    int64_t row[NUMBERS];

    if (a->s == NULL)
        return err_set(err, "%s: say what it promises first: algorithm { "
                       "collective = \"all-reduce\" }", a->file);
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        if (name == NULL || strlen(name) >= SCHEDULE_NAME_MAX ||
            a->nnames == AUTHOR_NAMES_MAX)
            return err_set(err, "%s: steps have more than %d names", a->file,
                           AUTHOR_NAMES_MAX);
        a->names = mem_grow(a->names, a->nnames, &a->names_capacity,
                            sizeof *a->names);
        a->names[a->nnames++] = mem_string(name);
    }
    for (size_t i = 0; i < json_array_size(rows); i += NUMBERS) {
        for (size_t k = 0; k < NUMBERS; k++)
            row[k] = json_integer_value(json_array_get(rows, i + k));
        if (row[WHEN] < 0 || row[WHEN] > INT32_MAX || row[LINE] < 0 ||
            row[LINE] > INT32_MAX || row[NAME] < 1 ||
            row[NAME] > (int64_t)a->nnames)
            return err_set(err, "%s: collviz-lesson sent a wrong row",
                           a->file);
        if (!take_move(a, row, follows, err))
            return false;
    }
    return true;
}

/* The schedule ------------------------------------------------------------ */

/* Chunks of a script as slots of the schedule. */
static int32_t
author_slot(const struct author *a, int work, int32_t slot)
{
    int scratch = schedule_scratch(a->s);

    if (slot < a->buffer)
        return work + slot;
    return slot - a->buffer + scratch + (work == scratch ? a->buffer : 0);
}

static int
by_move(const void *one, const void *other)
{
    const struct move *a = *(const struct move *const *)one;
    const struct move *b = *(const struct move *const *)other;

    if (a->step != b->step)
        return a->step < b->step ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* Gives up the author's schedule. */
static struct schedule *
end_author(struct author *a, struct err *err)
{
    const struct move **order = mem_new(a->nmoves, sizeof *order);
    struct schedule *s = a->s;
    int work = work_begin(s), step = 0;
    size_t first = s->ntransfers;

    for (size_t i = 0; i < a->nmoves; i++)
        order[i] = &a->moves[i];
    if (a->nmoves > 1)
        qsort(order, a->nmoves, sizeof *order, by_move);
    for (size_t i = 0; i < a->nmoves; i++) {
        struct transfer t = order[i]->t;
        if (order[i]->step != step)
            schedule_step(s, a->names[order[i]->name]);
        step = order[i]->step;
        t.src_slot = author_slot(a, work, t.src_slot);
        t.dst_slot = t.add_slot = author_slot(a, work, t.dst_slot);
        schedule_add(s, t);
    }
    work_end(s, work);
    schedule_set_script(s, a->file);
    for (size_t i = 0; i < a->nmoves; i++)
        s->lines[first + i] = order[i]->line;
    free(order);
    a->s = NULL;
    if (schedule_valid(s, err))
        return s;
    schedule_free(s);
    return NULL;
}

/* The script -------------------------------------------------------------- */

static json_t *
promise_reply(const struct author *a)
{
    const int *dims = a->s->topology.dims;

    return json_pack("{sisisisi}", "chunks", a->s->pieces, "x", dims[0], "y",
                     dims[1], "z", dims[2]);
}

/* Plays the script to its end, or up to its promise. */
static bool
play_author(struct author *a, struct script *script, struct err *err)
{
    int64_t until = clock_ns() + PATIENCE_NS;
    struct request r;
    struct err why;

    for (;;) {
        enum script_got got = script_await(script, until, &r, err);
        json_t *reply = NULL;
        bool ok = true;

        if (got == SCRIPT_LATER)
            return err_set(err, "%s: the script takes more than %d s",
                           a->file, (int)(PATIENCE_NS / 1000000000));
        if (got == SCRIPT_FAILED)
            return false;
        if (got == SCRIPT_OVER)
            return a->s != NULL ||
                   err_set(err, "%s: it does not say what it promises: "
                           "algorithm { collective = \"all-reduce\" }",
                           a->file);
        if (strcmp(r.verb, "moves") == 0) {
            if (!take_moves(a, r.with, err))
                return false;
        } else if (strcmp(r.verb, "algorithm") == 0) {
            ok = read_promise(a, r.with, &why);
            if (ok && !a->whole)
                return true;
            reply = ok ? promise_reply(a) : NULL;
        } else {
            ok = err_set(&why, "'%s' is a verb of lessons, and this is an "
                         "algorithm", r.verb);
        }
        if (!(ok ? script_reply(script, reply, err)
                 : script_refuse(script, &why, err)))
            return false;
    }
}

static bool
author_open(struct author *a, const char *path, const char *source,
            const struct coll_options *o, bool whole, struct err *err)
{
    struct script *script;
    bool ok;

    *a = (struct author){.file = load_name(path), .o = *o, .whole = whole};
    if (o->nranks < 1 || o->nranks > SCHEDULE_RANKS_MAX)
        return err_set(err, "%d ranks: collviz takes 1 to %d", o->nranks,
                       SCHEDULE_RANKS_MAX);
    script = script_open(
        path, source, json_pack("{si si}", "n", o->nranks, "root", o->root),
        err);
    ok = script != NULL && play_author(a, script, err);
    script_close(script);
    return ok;
}

static void
author_done(struct author *a)
{
    for (size_t i = 0; i < a->nnames; i++)
        free(a->names[i]);
    free(a->names);
    free(a->moves);
    free(a->cells);
    schedule_free(a->s);
}

struct schedule *
author_build(const char *path, const char *source,
             const struct coll_options *o, struct err *err)
{
    OWN(author) a;

    return author_open(&a, path, source, o, true, err) ? end_author(&a, err)
                                                       : NULL;
}

bool
author_find(const char *path, const struct coll_options *o,
            struct algorithm *row, struct err *err)
{
    OWN(author) a;
    bool ok = author_open(&a, path, NULL, o, false, err);

    *row = a.row;
    row->file = path;
    return ok;
}
