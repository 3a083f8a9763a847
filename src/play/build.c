/* SPDX-License-Identifier: MIT */
#include "play/build.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/install.h"
#include "base/load.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "msccl/msccl.h"
#include "play/author.h"
#include "schedule/counts.h"

int
build_ranks(const struct options *o)
{
    int ranks = 1;

    if (o->nranks > 0)
        return o->nranks;
    for (int d = 0; d < TOPOLOGY_DIMS && o->dims[d] > 0; d++)
        ranks = ranks > SCHEDULE_RANKS_MAX ? ranks : ranks * o->dims[d];
    if (o->dims[0] > 0)
        return ranks;
    if (o->input != NULL)
        return (int)utf8_parts(o->input, strlen(o->input), '/');
    return o->counts != NULL ? counts_ranks(o->counts) : 4;
}

int64_t
build_count(const struct options *o, int nranks)
{
    if (o->count >= 0)
        return o->count;
    return o->input != NULL
               ? (int64_t)utf8_parts(o->input, strcspn(o->input, "/"), ',')
               : 2 * (int64_t)nranks;
}

int64_t
build_elements(const struct options *o, const struct schedule *s)
{
    int members = schedule_members(s);
    int64_t most = 0;

    for (int rank = 0; rank < members; rank++)
        most = most64(most, schedule_input_length(
                                s, build_count(o, members), rank));
    return most;
}

struct coll_options
build_coll(const struct options *o)
{
    struct coll_options c = {.nranks = build_ranks(o),
                             .root = o->root,
                             .chunks = o->chunks,
                             .in_place = !o->out_of_place,
                             .host = o->network.gpus};

    memcpy(c.dims, o->dims, sizeof c.dims);
    return c;
}

static bool
ends_with(const char *name, const char *ending)
{
    size_t length = strlen(name), its = strlen(ending);

    return length > its && strcmp(name + length - its, ending) == 0;
}

bool
build_is_script(const char *name)
{
    return ends_with(name, ".lua");
}

bool
build_is_file(const char *name)
{
    return ends_with(name, ".xml") || build_is_script(name);
}

/* An MSCCL program.  o->nranks may be 0: as many as the file is for. */
static struct schedule *
read_xml(const char *name, const struct coll_options *o,
         struct msccl_notes *notes, struct err *err)
{
    struct schedule *s;
    FILE *file;

    if (o->root != 0 || o->chunks > 0 || o->dims[0] != 0) {
        err_set(err, "%s: the file gives root, chunks and shape: leave out "
                "--root, --chunks and --shape", name);
        err_typed(err);
        return NULL;
    }
    file = load_open(name, err);
    if (file == NULL)
        return NULL;
    s = msccl_read(file, name, !o->in_place, notes, err);
    fclose(file);
    if (s == NULL && !notes->too_large)
        return NULL;
    if (s != NULL && !o->in_place && s->in_place)
        err_set(err, "%s: it only runs in place", name);
    else if (s != NULL && o->nranks != 0 && o->nranks != s->nranks)
        err_set(err, "%s: the file is for %d rank%s, --gpus says %d", name,
                s->nranks, err_plural(s->nranks), o->nranks);
    else if (s != NULL)
        return s;
    err_typed(err);
    schedule_free(s);
    return NULL;
}

/* A script on the shelf, of the first place that has it. */
static struct schedule *
build_from_shelf(const char *script, const struct coll_options *o,
                 struct err *err)
{
    char path[PATH_MAX];
    OWN(buf) found = {0};

    for (int place = 0; place < INSTALL_PLACES; place++) {
        buf_clear(&found);
        if (!install_folder(INSTALL_LESSONS, place, path))
            continue;
        buf_addf(&found, "%s/algorithms/%s", path, script);
        if (access(buf_text(&found), R_OK) == 0)
            break;
    }
    return author_build(buf_text(&found), NULL, o, err);
}

struct schedule *
build_row(const struct algorithm *a, const struct coll_options *o,
          struct err *err)
{
    struct coll_options complete = *o;
    struct msccl_notes notes;

    if (!coll_complete(a, &complete, err))
        return NULL;
    if (a->script != NULL)
        return build_from_shelf(a->script, o, err);
    if (a->file == NULL)
        return coll_build(a, o, err);
    return build_is_script(a->file) ? author_build(a->file, NULL, o, err)
                                    : read_xml(a->file, o, &notes, err);
}

bool
build_find(const char *name, const struct options *o, struct algorithm *own,
           const struct algorithm **found, struct err *err)
{
    struct coll_options c = build_coll(o);
    struct msccl_notes notes;
    OWNS(schedule) *s = NULL;

    if (!build_is_file(name))
        return coll_find(name, found, err);
    *found = own;
    if (build_is_script(name))
        return author_find(name, &c, own, err);
    s = read_xml(name, &(struct coll_options){.in_place = c.in_place}, &notes,
                 err);
    if (s != NULL)
        *own = (struct algorithm){
            .name = load_name(name), .file = name,
            .collective = s->collective->name};
    return s != NULL;
}

struct network
build_network(const struct options *o)
{
    struct network n = o->network;
    struct err never;

    if (n.name[0] == '\0')
        network_parse(network_here(), &n, &never);
    return n;
}

/* Sets c->chunks from CHUNKS_AUTO to the number that the model finds best, or,
 * of a schedule that is too large for it, to the usual one. */
static void
choose_chunks(const struct algorithm *a, const struct options *o,
              struct coll_options *c)
{
    double input = (double)build_count(o, c->nranks) *
                   (double)dtype_size(o->type);
    struct network network = build_network(o);
    struct pipeline p;
    struct err ignored;

    if (pipeline_open(&p, a, c, &network, &ignored))
        pipeline_ns(&p, prediction_bytes(collective_find(a->collective),
                                         c->nranks, input),
                    &c->chunks);
    else
        c->chunks = a->chunks;
    pipeline_close(&p);
}

static struct schedule *
build_even(const char *name, const struct options *o, struct built *built,
           struct err *err)
{
    struct coll_options c = build_coll(o), complete;
    bool script = build_is_script(name);
    const struct algorithm *a;
    struct algorithm own;
    struct schedule *s;

    if (build_is_file(name) && !script) {
        c.nranks = o->nranks;
        return read_xml(name, &c, &built->notes, err);
    }
    if (!build_find(name, o, &own, &a, err)) {
        err->typed = !script;
        return NULL;
    }
    if (c.chunks == CHUNKS_AUTO && a->chunks == 0)
        c.chunks = 0;
    if (c.chunks == CHUNKS_AUTO)
        choose_chunks(a, o, &c);
    complete = c;
    if (!coll_complete(a, &complete, err)) {
        err_typed(err);
        return NULL;
    }
    built->algorithm = script ? NULL : a;
    built->chunks = a->chunks == 0 || c.chunks > 0 ? c.chunks : a->chunks;
    if ((s = build_row(a, &c, err)) == NULL)
        err->typed = !script;
    return s;
}

struct schedule *
build_schedule(const char *name, const struct options *o, struct built *built,
               struct err *err)
{
    struct built ignored;
    struct schedule *even, *uneven = NULL;

    built = built != NULL ? built : &ignored;
    *built = (struct built){.algorithm = NULL};
    even = build_even(name, o, built, err);
    if (even == NULL || o->counts == NULL)
        return even;
    if (o->count >= 0 || o->input != NULL)
        err_set(err, "it says how many elements there are: leave out --count "
                "and --input");
    else if (o->mismatch.kind != MISMATCH_NONE)
        err_set(err, "a --mismatch is of even inputs: leave out one of them");
    else if (schedule_valid(even, err))
        uneven = counts_apply(even, o->counts, err);
    schedule_free(even);
    if (uneven == NULL) {
        err_prefix(err, "--counts");
        err_typed(err);
    }
    return uneven;
}

void
build_name(const char *operand, const struct algorithm *a, struct buf *out)
{
    if (a != NULL)
        buf_addf(out, "%s-%s", a->name, a->collective);
    else
        utf8_add(out, operand);
}

void
build_costs(const struct algorithm *a, struct buf *out)
{
    const char *where = coll_holds(a);

    buf_addf(out, ngettext("%1$s step, the busiest rank sends %2$s",
                           "%1$s steps, the busiest rank sends %2$s",
                           strcmp(a->formulas.steps, "1") == 0 ? 1 : 2),
             a->formulas.steps, a->formulas.bytes);
    if (where != NULL)
        buf_addf(out, _(", where %s"), _(where));
}
