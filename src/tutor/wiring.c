/* SPDX-License-Identifier: MIT */
#include "tutor/wiring.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/translate.h"
#include "script/script.h"
#include "text/notation.h"

/* The task. */

/* "any", "ring", "one-way ring", "line", "star", "cube", "mesh 2x3" */
static bool
read_links(struct wiring *w, const char *links, struct err *err)
{
    struct topology *t = &w->topology;
    int end = 0;

    if (links == NULL || strcmp(links, "any") == 0) {
        t->kind = TOPOLOGY_ANY;
    } else if (strcmp(links, "line") == 0) {
        *t = (struct topology){TOPOLOGY_MESH, {1, w->nranks, 1}, 0};
    } else if (strcmp(links, "one-way ring") == 0) {
        t->kind = TOPOLOGY_RING;
        w->one_way = true;
    } else if (strcmp(links, "ring") == 0) {
        t->kind = TOPOLOGY_RING;
    } else if (strcmp(links, "star") == 0) {
        t->kind = TOPOLOGY_STAR;
    } else if (strcmp(links, "cube") == 0) {
        t->kind = TOPOLOGY_CUBE;
    } else if (sscanf(links, "mesh %2dx%2d%n", &t->dims[0], &t->dims[1],
                      &end) == 2 && links[end] == '\0') {
        t->kind = TOPOLOGY_MESH;
        t->dims[2] = 1;
    } else {
        return err_set(err, "links must be any, ring, one-way ring, line, "
                       "star, cube or mesh 2x3");
    }
    return true;
}

static struct schedule_spec
spec_of(const struct wiring *w)
{
    return (struct schedule_spec){
        .collective = w->collective, .algorithm = N_("wired"),
        .nranks = w->nranks, .root = w->root, .pieces = w->pieces,
        .in_place = true, .topology = w->topology};
}

static bool
is_wirable(const struct wiring *w, struct err *err)
{
    struct schedule_spec spec = spec_of(w);
    int units = collective_units(w->collective->input, w->nranks);
    int outputs = collective_units(w->collective->output, w->nranks);

    if (!schedule_spec_check(&spec, err))
        return false;
    if (outputs > units)
        units = outputs;
    return units * w->pieces <= WIRING_SLOTS ||
           err_set(err, "a GPU would have %d slots; at most %d can be wired",
                   units * w->pieces, WIRING_SLOTS);
}

/* The numbers of GPUs of a rule, and "n" for its chunks. */
static bool
read_tries(struct wiring *w, const json_t *with, struct err *err)
{
    const json_t *list = json_object_get(with, "ranks");
    const char *each = json_string_value(json_object_get(with, "chunks"));
    int64_t ranks;

    if (json_array_size(list) < 1 || json_array_size(list) > WIRING_TRIES)
        return err_set(err, "ranks must be a list of 1 to %d numbers of GPUs "
                       "to try the rule with", WIRING_TRIES);
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (!json_at(list, i, 2, WIRING_RANKS, &ranks))
            return err_set(err, "ranks must be from 2 to %d", WIRING_RANKS);
        w->tries[w->ntries++] = (int)ranks;
    }
    w->nranks = w->tries[0];
    w->piece_each = each != NULL && strcmp(each, "n") == 0;
    return true;
}

bool
wiring_read(struct wiring *w, const json_t *with, bool rule, struct err *err)
{
    const json_t *par = json_object_get(with, "par");
    const char *of, *links;

    *w = (struct wiring){.pieces = 1, .ports = 1};
    if (!script_text(with, "of", false, &of, err) ||
        !script_text(with, "links", true, &links, err) ||
        !(rule ? read_tries(w, with, err)
               : script_integer(with, "ranks", 2, WIRING_RANKS, &w->nranks,
                                err)) ||
        !script_count(with, "root", 0, w->nranks - 1, &w->root, err) ||
        !script_count(with, "ports", 1, WIRING_RANKS, &w->ports, err) ||
        !(w->piece_each || script_count(with, "chunks", 1, WIRING_SLOTS,
                                        &w->pieces, err)) ||
        !script_count(par, "steps", 1, WIRING_STEPS, &w->par_steps, err) ||
        !script_count(par, "chunks", 1, 9999, &w->par_chunks, err) ||
        !read_links(w, links, err))
        return false;
    w->collective = collective_find(of);
    if (w->collective == NULL)
        return err_set(err, "of must be a collective, such as all-reduce");
    for (int i = 0; i < w->ntries; i++) {
        struct wiring one = wiring_for(w, w->tries[i]);
        if (!is_wirable(&one, err))
            return false;
    }
    if (rule)
        return true;
    if (w->par_steps == 0 && w->par_chunks == 0)
        return err_set(err, "a wiring needs par = { steps=, chunks= }, or one "
                       "of them");
    return is_wirable(w, err);
}

struct wiring
wiring_for(const struct wiring *w, int nranks)
{
    struct wiring one = *w;

    one.nranks = nranks;
    if (w->piece_each)
        one.pieces = nranks;
    if (one.topology.kind == TOPOLOGY_MESH && one.topology.dims[0] == 1)
        one.topology.dims[1] = nranks; /* a line */
    return one;
}

/* Steps. */

struct schedule *
wiring_new(const struct wiring *w)
{
    struct schedule_spec spec = spec_of(w);

    return schedule_new(&spec);
}

/* A schedule whose last step is being wired. */
struct draft {
    const struct wiring *w;
    const struct schedule *s;
    size_t first; /* transfer of that step */
    int slots;    /* as they are typed count from this one */
};

static struct draft
draft_of(const struct wiring *w, const struct schedule *s, bool open)
{
    return (struct draft){w, s, open ? s->steps[s->nsteps - 1].first
                                     : s->ntransfers,
                          schedule_outputs(s).first};
}

/* Whether a slot has been written before the step. */
static bool
is_slot_written(const struct draft *d, int rank, int slot)
{
    if (region_has(schedule_input(d->s, rank), slot))
        return true;
    for (size_t i = 0; i < d->first; i++) {
        const struct transfer *t = &d->s->transfers[i];
        if (t->dst == rank && slot >= t->dst_slot &&
            slot < t->dst_slot + t->nslots)
            return true;
    }
    return false;
}

static bool
all_written(const struct draft *d, const struct transfer *t, struct err *err)
{
    for (int k = 0; k < t->nslots; k++) {
        if (!is_slot_written(d, t->src, t->src_slot + k))
            return err_set(err, "GPU %d's slot %d is empty: there is nothing "
                           "to send", t->src, t->src_slot + k - d->slots);
        if (t->op == TRANSFER_REDUCE &&
            !is_slot_written(d, t->dst, t->add_slot + k))
            return err_set(err, "GPU %d's slot %d is empty: there is nothing "
                           "to add to; replace it, with =", t->dst,
                           t->add_slot + k - d->slots);
    }
    return true;
}

static void
add_links(const struct wiring *w, struct buf *out)
{
    const struct topology *t = &w->topology;

    if (w->one_way)
        buf_puts(out, _("a ring one way"));
    else if (t->kind == TOPOLOGY_RING)
        buf_puts(out, _("a ring both ways"));
    else if (t->kind == TOPOLOGY_STAR)
        buf_addf(out, _("a star around GPU %d"), w->root);
    else if (t->kind == TOPOLOGY_CUBE)
        buf_puts(out, _("a hypercube"));
    else if (t->kind == TOPOLOGY_MESH && t->dims[0] == 1)
        buf_puts(out, _("a line"));
    else if (t->kind == TOPOLOGY_MESH)
        buf_addf(out, _("a mesh of %1$d x %2$d"), t->dims[0], t->dims[1]);
    else
        buf_puts(out, _("any to any"));
}

static bool
has_link(const struct wiring *w, const struct transfer *t, struct err *err)
{
    OWN(buf) links = {0};

    if (topology_links(&w->topology, w->nranks, w->root, t->src, t->dst) &&
        (!w->one_way || t->dst == (t->src + 1) % w->nranks))
        return true;
    add_links(w, &links);
    return err_set(err, "there is no link from GPU %d to GPU %d: it is %s",
                   t->src, t->dst, buf_text(&links));
}

/* Whether the step has a port left for the transfer at both ends. */
static bool
has_port(const struct draft *d, const struct transfer *t, struct err *err)
{
    bool to[WIRING_RANKS] = {false}, from[WIRING_RANKS] = {false};
    int sends = 0, receives = 0, sent_to = 0, received_from = 0;

    for (size_t i = d->first; i < d->s->ntransfers; i++) {
        const struct transfer *o = &d->s->transfers[i];
        if (o->src == t->src && !to[o->dst]) {
            to[sent_to = o->dst] = true;
            sends++;
        }
        if (o->dst == t->dst && !from[o->src]) {
            from[received_from = o->src] = true;
            receives++;
        }
    }
    if (!to[t->dst] && sends >= d->w->ports)
        return err_set(err, "GPU %d sends to GPU %d already in this step, and "
                       "has no port left: leave GPU %d for the next step",
                       t->src, sent_to, t->dst);
    return from[t->src] || receives < d->w->ports ||
           err_set(err, "GPU %d receives from GPU %d already in this step, "
                   "and has no port left: leave GPU %d for the next step",
                   t->dst, received_from, t->src);
}

/* Whether no other transfer of the step writes there, unless both add. */
static bool
is_slot_free(const struct draft *d, const struct transfer *t, struct err *err)
{
    for (size_t i = d->first; i < d->s->ntransfers; i++) {
        const struct transfer *o = &d->s->transfers[i];
        bool both = o->op == TRANSFER_REDUCE && t->op == TRANSFER_REDUCE &&
                    o->src != t->src;
        if (o->dst == t->dst && t->dst_slot < o->dst_slot + o->nslots &&
            o->dst_slot < t->dst_slot + t->nslots && !both)
            return err_set(err, "this step writes GPU %d's slot %d already: "
                           "take that back (u), or wait for the next step",
                           t->dst, t->dst_slot - d->slots);
    }
    return true;
}

/* Whether the transfer may be in the step. */
static bool
may_add(const struct draft *d, const struct transfer *t, struct err *err)
{
    if (t->src == t->dst)
        return err_set(err, "GPU %d would send to itself: choose another GPU",
                       t->src);
    if (t->op == TRANSFER_REDUCE && !d->w->collective->reduces)
        return err_set(err, "%s adds nothing: replace, with =",
                       _(d->w->collective->title));
    if (d->s->ntransfers - d->first == WIRING_TRANSFERS)
        return err_set(err, "a step has at most %d transfers here",
                       WIRING_TRANSFERS);
    return has_link(d->w, t, err) && all_written(d, t, err) &&
           has_port(d, t, err) && is_slot_free(d, t, err);
}

bool
wiring_add(const struct wiring *w, struct schedule *s, bool open,
           const struct transfer *list, size_t n, struct err *err)
{
    struct draft d;

    if (n == 0)
        return err_set(err, "a step needs a transfer");
    if (!open && s->nsteps == WIRING_STEPS)
        return err_set(err, "%d steps are enough: take some back",
                       WIRING_STEPS);
    if (!open)
        schedule_step(s, N_("wiring"));
    d = draft_of(w, s, true);
    for (size_t i = 0; i < n; i++) {
        if (!may_add(&d, &list[i], err))
            return false;
        schedule_add(s, list[i]);
    }
    return true;
}

struct transfer
wiring_example(const struct wiring *w, const struct schedule *s, bool open)
{
    const struct draft d = draft_of(w, s, open);
    int cells = w->nranks * s->nslots;
    struct err ignored;

    for (int i = 0; i < 2 * cells * w->nranks; i++) {
        int slot = i / 2 % s->nslots, src = i / 2 / s->nslots % w->nranks;
        struct transfer t = {
            .src = src, .dst = (src + 1 + i / 2 / cells) % w->nranks,
            .src_slot = slot, .dst_slot = slot, .add_slot = slot, .nslots = 1,
            .op = i % 2 == 0 ? TRANSFER_REDUCE : TRANSFER_COPY};
        if (may_add(&d, &t, &ignored))
            return t;
    }
    return (struct transfer){.nslots = 0};
}

/* Answers. */

json_t *
wiring_answer(const struct schedule *s)
{
    struct notation n = notation_for(s);
    json_t *answer = json_array();
    OWN(buf) line = {0};

    for (int step = 1; step <= s->nsteps; step++) {
        size_t count;
        const struct transfer *t = schedule_transfers(s, step, &count);
        buf_clear(&line);
        notation_add_list(&n, t, count, &line);
        json_array_append_new(answer, json_string(buf_text(&line)));
    }
    return answer;
}

struct schedule *
wiring_schedule(const struct wiring *w, const json_t *answer, struct err *err)
{
    struct schedule *s = json_is_array(answer) ? wiring_new(w) : NULL;
    struct transfer list[WIRING_TRANSFERS];
    const json_t *line;
    size_t i, count;

    if (s == NULL)
        err_set(err, "a wiring is a list of steps: "
                "{ \"0>1 +1, 1>2 +2\", ... }");
    json_array_foreach(answer, i, line) {
        struct notation n = notation_for(s);
        const char *text = json_string_value(line);
        if (notation_read(&n, text != NULL ? text : "", list,
                          WIRING_TRANSFERS, &count, err) &&
            wiring_add(w, s, false, list, count, err))
            continue;
        err_prefix(err, "step %d", (int)i + 1);
        schedule_free(s);
        return NULL;
    }
    return s;
}

/* The par. */

int
wiring_over(const struct wiring *w, const struct check_counts *c)
{
    int steps = w->par_steps > 0 ? c->steps - w->par_steps : 0;
    int chunks = w->par_chunks > 0 ? (int)c->most_sent - w->par_chunks : 0;

    return steps > 0 || chunks > 0 ? 1 : steps < 0 || chunks < 0 ? -1 : 0;
}

static void
add_figures(const struct wiring *w, int steps, int chunks, struct buf *out)
{
    if (w->par_steps > 0 || w->par_chunks == 0)
        buf_addf(out, ngettext("%d step", "%d steps",
                               (unsigned long)steps), steps);
    if (w->par_steps > 0 && w->par_chunks > 0)
        buf_puts(out, _(", "));
    if (w->par_chunks > 0)
        buf_addf(out, ngettext("%d chunk a GPU", "%d chunks a GPU",
                               (unsigned long)chunks), chunks);
}

void
wiring_add_cost(const struct wiring *w, const struct check_counts *c,
                struct buf *out)
{
    add_figures(w, c->steps, (int)c->most_sent, out);
}

void
wiring_add_par(const struct wiring *w, struct buf *out)
{
    add_figures(w, w->par_steps, w->par_chunks, out);
}

void
wiring_add_model(const struct wiring *w, struct buf *out)
{
    add_links(w, out);
    buf_addf(out, ngettext(", %1$d send, %1$d receive",
                           ", %1$d sends, %1$d receives",
                           (unsigned long)w->ports), w->ports);
}
