/* SPDX-License-Identifier: MIT */
#include "schedule/check.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/translate.h"
#include "schedule/extents.h"

enum {
    NO_SET = -1,       /* of a slot that was never written */
    MIXED = INT32_MIN, /* the shift of a sum of different chunks */
    AHEAD = 8,         /* transfers whose slots are fetched before their turn */
};

struct rank_set {
    uint32_t users;
    int next_free;  /* of a free set */
    int twice_by; /* what added a rank a second time, or 0 */
};

/* Sets of ranks, shared by all slots that hold the same sum.  Sets 0 ..
 * nranks - 1 are those of one rank each, and stay.  Every other set comes from
 * add_sets() and is freed when its last user drops it. */
struct rank_sets {
    int nranks;
    size_t words; /* of a set's bits */
    struct rank_set *sets;
    uint64_t *bits; /* set i: words i * words .. (i + 1) * words - 1 */
    size_t count, capacity;
    int first_free; /* NO_SET if there is none */
};

/* What a slot holds, or what a step writes to it: the sum of a chunk of several
 * ranks. */
struct content {
    int32_t set;   /* the ranks; NO_SET if the slot was never written: memory
                    * may hold anything */
    int32_t shift; /* the chunk minus the slot, so that consecutive chunks in
                    * consecutive slots are equal contents; or MIXED */
    int32_t step;  /* the step that writes it; not kept after that step */
};

struct proof {
    const struct schedule *s;
    struct err *err; /* the first fault in time */
    int fault_step;  /* its step; 0: no fault so far */
    int unkept;      /* outputs that are not as promised */
    struct rank_sets sets;
    struct extents now;  /* contents, by cell, before the step */
    struct extents next; /* what the step writes, by cell; if the step of a
                        * content is another one, it is out of date */
    int64_t *starts;   /* elements of all chunks before one, by id; of all */
    bool uneven;       /* not all chunks have the same length */
};

static uint64_t *
bits_of(const struct rank_sets *sets, int set)
{
    return sets->bits + (size_t)set * sets->words;
}

/* A set with arbitrary bits: a free one, else a new one. */
static int
new_set(struct rank_sets *sets)
{
    size_t old = sets->capacity;
    int set = sets->first_free;

    if (set != NO_SET) {
        sets->first_free = sets->sets[set].next_free;
        return set;
    }
    sets->sets = mem_grow(sets->sets, sets->count, &sets->capacity,
                          sizeof *sets->sets);
    if (sets->capacity != old)
        sets->bits = mem_resize(sets->bits, sets->capacity * sets->words,
                                sizeof *sets->bits);
    return (int)sets->count++;
}

static void
sets_init(struct rank_sets *sets, int nranks)
{
    *sets = (struct rank_sets){.nranks = nranks,
                               .words = ((size_t)nranks + 63) / 64,
                               .first_free = NO_SET};
    for (int rank = 0; rank < nranks; rank++) {
        int set = new_set(sets);
        sets->sets[set] = (struct rank_set){0};
        for (size_t w = 0; w < sets->words; w++)
            bits_of(sets, set)[w] = (size_t)rank / 64 == w
                                        ? UINT64_C(1) << rank % 64 : 0;
    }
}

/* The union of two sets, as a new set without users. `by`, a number above 0 for
 * what adds them, is noted if a rank is in both. */
static int
add_sets(struct rank_sets *sets, int a, int b, int by)
{
    int sum = new_set(sets);
    const uint64_t *from = bits_of(sets, a), *other = bits_of(sets, b);
    uint64_t *to = bits_of(sets, sum), both = 0;
    int twice = sets->sets[a].twice_by;

    for (size_t w = 0; w < sets->words; w++) {
        both |= from[w] & other[w];
        to[w] = from[w] | other[w];
    }
    if (twice == 0)
        twice = both != 0 ? by : sets->sets[b].twice_by;
    sets->sets[sum] = (struct rank_set){.twice_by = twice};
    return sum;
}

/* `users` more, or fewer, use the set, if it is counted: those of one rank are
 * not, and NO_SET is none. */
static void
hold_set(struct rank_sets *sets, int set, uint32_t users)
{
    if (set >= sets->nranks)
        sets->sets[set].users += users;
}

static void
drop_set(struct rank_sets *sets, int set, uint32_t users)
{
    if (set < sets->nranks)
        return;
    assert(sets->sets[set].users >= users);
    if ((sets->sets[set].users -= users) > 0)
        return;
    sets->sets[set].next_free = sets->first_free;
    sets->first_free = set;
}

static bool
set_has(const struct rank_sets *sets, int set, int rank)
{
    return bits_of(sets, set)[rank / 64] >> rank % 64 & 1;
}

static bool
set_has_all(const struct rank_sets *sets, int set)
{
    size_t w = 0;

    while (w + 1 < sets->words && bits_of(sets, set)[w] == UINT64_MAX)
        w++;
    return w + 1 == sets->words &&
           bits_of(sets, set)[w] == UINT64_MAX >> (-sets->nranks & 63);
}

static struct content
look_up_content(const struct extents *a, size_t cell, int *length)
{
    return *(const struct content *)extents_at(a, cell, length);
}

static void
set_contents(struct proof *p, struct extents *a, size_t cell, int count,
             struct content content)
{
    int length;

    hold_set(&p->sets, content.set, (uint32_t)count);
    for (int k = 0; k < count; k += length) {
        struct content old = look_up_content(a, cell + (size_t)k, &length);
        length = least(length, count - k);
        drop_set(&p->sets, old.set, (uint32_t)length);
    }
    extents_set(a, cell, (size_t)count, &content);
}

static void
proof_init(struct proof *p, const struct schedule *s, int64_t count,
           struct err *err)
{
    size_t cells = (size_t)s->nranks * (size_t)s->nslots;
    struct content nothing = {.set = NO_SET};
    int ids = s->makers * s->nchunks;

    *p = (struct proof){.s = s, .err = err,
                        .starts = mem_new((size_t)ids + 1, sizeof *p->starts)};
    for (int id = 0; id < ids; id++) {
        int64_t length = schedule_chunk_length(s, count, id);
        p->starts[id + 1] = p->starts[id] + length;
        p->uneven = p->uneven || length != p->starts[1];
    }
    sets_init(&p->sets, schedule_members(s));
    extents_init(&p->now, cells, sizeof nothing, &nothing);
    extents_init(&p->next, cells, sizeof nothing, &nothing);
    for (int rank = 0; rank < s->nranks; rank++) {
        struct region input = schedule_input(s, rank);
        if (input.count > 0)
            set_contents(p, &p->now, schedule_cell(s, rank, input.first),
                         input.count, (struct content){rank, -input.first, 0});
    }
}

/* Returns the place for the reason of a fault in `step`; NULL if an earlier
 * fault, or another one of this step, is known. */
static struct err *
claim_fault(struct proof *p, int step)
{
    if (p->fault_step != 0 && p->fault_step <= step)
        return NULL;
    p->fault_step = step;
    return p->err;
}

/* The region of a rank that a slot lies in, and where in it. */
static const char *
name_region(const struct schedule *s, int slot, int *index)
{
    int outputs = schedule_outputs(s).first, scratch = schedule_scratch(s);

    if (slot >= scratch)
        return *index = slot - scratch, _("scratch");
    if (s->in_place)
        return *index = slot, _("buffer");
    if (slot >= outputs)
        return *index = slot - outputs, _("output");
    return *index = slot, _("input");
}

/* The last of the first `end` transfers that wrote a slot; NULL: there is none.
 * A copy that no line of the script says (they are made out of place) only
 * brings what an earlier transfer wrote. */
static const struct transfer *
last_writer(const struct schedule *s, size_t end, int rank, int slot)
{
    for (size_t i = end; i-- > 0;) {
        const struct transfer *t = &s->transfers[i];
        if (t->dst != rank || slot < t->dst_slot ||
            slot >= t->dst_slot + t->nslots)
            continue;
        if (s->lines == NULL || s->lines[i] > 0)
            return t;
        slot += t->src_slot - t->dst_slot;
    }
    return NULL;
}

/* Blames a transfer that reads memory which was never written. */
static void
blame_unwritten(struct proof *p, const struct transfer *t, size_t cell,
                bool is_source, int step)
{
    struct err *err = claim_fault(p, step);
    int rank = (int)(cell / (size_t)p->s->nslots);
    int slot = (int)(cell % (size_t)p->s->nslots), chunk;
    const char *region = name_region(p->s, slot, &chunk);

    if (err == NULL)
        return;
    err_set(err, "step %d: rank %d %s slot %d, chunk %d of its %s, which was "
            "never written", step, rank,
            !is_source         ? _("adds to")
            : t->src == t->dst ? _("moves")
                               : _("sends"),
            slot, chunk, region);
    schedule_blame(p->s, t, err);
}

/* The same content in a slot that is `places` further on. */
static struct content
shift_content(struct content content, int places)
{
    if (content.shift != MIXED)
        content.shift -= places;
    return content;
}

/* The sum of two contents, made by a transfer (its index and 1). Memory that
 * was never written adds nothing. */
static struct content
sum_of(struct proof *p, struct content a, struct content b, int by)
{
    if (a.set == NO_SET)
        return b;
    if (b.set == NO_SET)
        return a;
    return (struct content){add_sets(&p->sets, a.set, b.set, by),
                            a.shift == b.shift ? a.shift : MIXED, 0};
}

/* Some slots of a transfer, all of which hold equal contents. */
struct part {
    size_t from, add, to; /* the first cells */
    int count;
    struct content source, base; /* `base` is what a reduction adds to */
};

/* The part of a transfer from its slot `k` on. */
static struct part
part_at(const struct proof *p, const struct transfer *t, int k, int step)
{
    struct part part = {.from = schedule_cell(p->s, t->src, t->src_slot + k),
                        .add = schedule_cell(p->s, t->dst, t->add_slot + k),
                        .to = schedule_cell(p->s, t->dst, t->dst_slot + k)};
    struct content change;
    int length;

    part.source = look_up_content(&p->now, part.from, &length);
    part.count = least(length, t->nslots - k);
    if (t->op == TRANSFER_COPY)
        return part;
    part.base = shift_content(look_up_content(&p->now, part.add, &length),
                              t->dst_slot - t->add_slot);
    part.count = least(length, part.count);
    change = look_up_content(&p->next, part.to, &length);
    part.count = least(length, part.count);
    if (change.step == step) /* an earlier reduction of the step */
        part.base = change;
    return part;
}

/* The id of a chunk of the ranks in a set; of those that differ by maker, only
 * wrong schedules make sums. */
static int
chunk_id(const struct proof *p, int set, int chunk)
{
    return schedule_id(p->s, set < p->sets.nranks ? set : 0, chunk);
}

static int64_t
length_of(const struct proof *p, int id)
{
    return p->starts[id + 1] - p->starts[id];
}

/* Elements that are in some slots of equal content. */
static int64_t
count_elements(const struct proof *p, const struct part *part, int slot)
{
    int id;

    if (part->source.set == NO_SET)
        return 0;
    if (part->source.shift == MIXED)
        return part->count * length_of(p, p->s->longest);
    id = chunk_id(p, part->source.set, slot + part->source.shift);
    return p->starts[id + part->count] - p->starts[id];
}

/* Returns how many elements the transfer moves. */
static int64_t
run_transfer(struct proof *p, const struct transfer *t, int step)
{
    int64_t elements = 0;
    struct part part;

    for (int k = 0; k < t->nslots; k += part.count) {
        struct content content;

        part = part_at(p, t, k, step);
        content = shift_content(part.source, t->dst_slot - t->src_slot);
        if (part.source.set == NO_SET)
            blame_unwritten(p, t, part.from, true, step);
        if (t->op == TRANSFER_REDUCE) {
            if (part.base.set == NO_SET)
                blame_unwritten(p, t, part.add, false, step);
            content = sum_of(p, part.base, content,
                             (int)(t - p->s->transfers) + 1);
        }
        content.step = step;
        set_contents(p, &p->next, part.to, part.count, content);
        elements += count_elements(p, &part, t->src_slot + k);
    }
    return elements;
}

/* Blames a transfer that writes a chunk to a slot which is made for a shorter
 * one, and so cuts it. */
static void
judge_room(struct proof *p, const struct transfer *t, int k, int count,
           struct content content, int step)
{
    const struct schedule *s = p->s;

    for (int slot = t->dst_slot + k; count-- > 0; slot++) {
        int chunk = slot + content.shift, index;
        int room = schedule_slot_room(s, t->dst, slot);
        int64_t length = length_of(p, chunk_id(p, content.set, chunk));
        int64_t most = length_of(p, room);
        const char *region = name_region(s, slot, &index);
        struct err *err = length > most ? claim_fault(p, step) : NULL;

        if (err == NULL)
            continue;
        err_set(err, "step %d: chunk %d, of %lld element%s, is cut in slot "
                "%d of rank %d, chunk %d of its %s, which has room for %lld; "
                "with a multiple of %d elements all chunks are equal", step,
                chunk, (long long)length, err_plural(length), slot, t->dst,
                index, region, (long long)most, s->nchunks);
        schedule_blame(s, last_writer(s, (size_t)(t - s->transfers) + 1,
                                      t->dst, slot), err);
    }
}

/* Makes what a transfer wrote the contents of its slots. */
static void
apply_transfer(struct proof *p, const struct transfer *t, int step)
{
    size_t to = schedule_cell(p->s, t->dst, t->dst_slot);
    int length;

    for (int k = 0; k < t->nslots; k += length) {
        struct content content =
            look_up_content(&p->next, to + (size_t)k, &length);
        length = least(length, t->nslots - k);
        if (p->uneven && content.set != NO_SET && content.shift != MIXED)
            judge_room(p, t, k, length, content, step);
        content.step = 0;
        set_contents(p, &p->now, to + (size_t)k, length, content);
    }
}

/* The chunk that a cell holds, or MIXED. */
static int
find_chunk(const struct proof *p, size_t cell, struct content content)
{
    return content.shift == MIXED
               ? MIXED
               : (int)(cell % (size_t)p->s->nslots) + content.shift;
}

/* Appends "A0+B0", cut after a few ranks. */
static void
describe_content(const struct proof *p, size_t cell, struct buf *out)
{
    enum { SHOWN = 8 };
    char letter[LABEL_RANK_MAX];
    int shown = 0, length, chunk;
    struct content content = look_up_content(&p->now, cell, &length);

    if (content.set == NO_SET) {
        buf_puts(out, _("nothing"));
        return;
    }
    chunk = find_chunk(p, cell, content);
    for (int rank = 0; rank < p->sets.nranks; rank++) {
        if (!set_has(&p->sets, content.set, rank))
            continue;
        if (shown++ == SHOWN) {
            buf_puts(out, "+...");
            break;
        }
        buf_addf(out, "%s%s", shown > 1 ? "+" : "", label_rank(rank, letter));
        if (chunk != MIXED)
            buf_addf(out, "%d", chunk);
    }
    if (chunk == MIXED)
        buf_puts(out, _(" of different chunks"));
}

/* Whether a content is a sum of the promised chunk, with no rank twice. */
static bool
is_sum_of(const struct proof *p, size_t cell, struct content content,
          struct promise want)
{
    return content.set != NO_SET &&
           find_chunk(p, cell, content) == want.chunk &&
           p->sets.sets[content.set].twice_by == 0;
}

static bool
holds_promise(const struct proof *p, size_t cell, struct promise want)
{
    int length;
    struct content content = look_up_content(&p->now, cell, &length);

    /* the set of a single rank is the one that it had from the start */
    if (!is_sum_of(p, cell, content, want) || want.first == want.last)
        return is_sum_of(p, cell, content, want) && content.set == want.first;
    if (want.last == p->sets.nranks - 1)
        return set_has_all(&p->sets, content.set);
    for (int rank = 0; rank < p->sets.nranks; rank++)
        if (set_has(&p->sets, content.set, rank) != (rank <= want.last))
            return false;
    return true;
}

/* The step of a transfer. */
static int
step_of_transfer(const struct schedule *s, const struct transfer *t)
{
    size_t index = (size_t)(t - s->transfers);
    int step = 1;

    while (index >= s->steps[step - 1].first + s->steps[step - 1].count)
        step++;
    return step;
}

static void
judge_output(struct proof *p, int rank, int chunk)
{
    struct promise want = schedule_promise(p->s, rank, chunk);
    int slot = schedule_output(p->s, rank).first + chunk;
    size_t cell = schedule_cell(p->s, rank, slot);
    const struct transfer *twice = NULL;
    int by, step, missing = want.first, length;
    struct content content = look_up_content(&p->now, cell, &length);
    OWN(buf) found = {0};
    bool is_all = want.first < want.last && want.last == p->sets.nranks - 1;
    bool is_range = want.first < want.last && !is_all;
    char letter[LABEL_RANK_MAX], last[LABEL_RANK_MAX];
    struct err *err;
    bool is_part; /* of what it should hold */

    if (holds_promise(p, cell, want) ||
        !schedule_has_chunk(p->s, schedule_id(p->s, want.first, want.chunk)))
        return;
    p->unkept++;
    if (content.set != NO_SET &&
        (by = p->sets.sets[content.set].twice_by) > 0)
        twice = &p->s->transfers[by - 1];
    step = twice != NULL ? step_of_transfer(p->s, twice) : p->s->nsteps + 1;
    if ((err = claim_fault(p, step)) == NULL)
        return;
    is_part = is_sum_of(p, cell, content, want);
    while (is_part && missing <= want.last &&
           set_has(&p->sets, content.set, missing))
        missing++;
    describe_content(p, cell, &found);
    if (twice != NULL)
        err_set(err, "chunk %d of rank %d's output ends as %s, with a "
                "contribution that is in it more than once: step %d adds it "
                "again", chunk, rank, buf_text(&found), step);
    else if (is_part && missing <= want.last)
        err_set(err, "chunk %d of rank %d's output ends as %s: %s%d is "
                "missing", chunk, rank, buf_text(&found),
                label_rank(missing, letter), want.chunk);
    else
        err_set(err, "chunk %d of rank %d's output ends as %s: it should hold "
                "chunk %d of %s%s%s", chunk, rank, buf_text(&found), want.chunk,
                is_all ? _("every rank") : label_rank(want.first, letter),
                is_range ? "-" : "",
                is_range ? label_rank(want.last, last) : "");
    schedule_blame(p->s, twice != NULL ? twice
                                       : last_writer(p->s, p->s->ntransfers,
                                                     rank, slot), err);
}

static void
judge_link(struct proof *p, const struct transfer *t, int step)
{
    const struct schedule *s = p->s;
    struct err *err;

    if (topology_links(&s->topology, s->nranks, s->root, t->src, t->dst) ||
        (err = claim_fault(p, step)) == NULL)
        return;
    err_set(err, "step %d: rank %d sends to rank %d; there is no such link "
            "(%s)", step, t->src, t->dst, topology_name(s->topology.kind));
    schedule_blame(s, t, err);
}

/* Judges what ranks end with. */
static void
judge_end(struct proof *p)
{
    const struct schedule *s = p->s;
    struct err *err;

    for (int rank = 0; rank < s->nranks; rank++) {
        struct region input = schedule_input(s, rank);
        int outputs = schedule_output(s, rank).count;
        for (int c = 0; c < outputs; c++)
            judge_output(p, rank, c);
        for (int c = 0; !s->in_place && c < input.count; c++) {
            int slot = input.first + c;
            if (holds_promise(p, schedule_cell(s, rank, slot),
                              (struct promise){rank, rank, c}) ||
                (err = claim_fault(p, s->nsteps + 1)) == NULL)
                continue;
            err_set(err, "out of place, but chunk %d of rank %d's input is "
                    "written", c, rank);
            schedule_blame(s, last_writer(s, s->ntransfers, rank, slot), err);
        }
    }
}

/* Counts steps, peers and elements, transfer by transfer. */
struct meter {
    struct check_counts counts;
    int nranks, members;
    int step; /* the last one with traffic between ranks */
    struct rank_meter {
        int step;            /* the last one with its traffic, ... */
        int sends, receives; /* ... and its peers in that step */
        int64_t sent, received, reduced; /* elements */
    } *ranks;
    struct link_meter {
        int step; /* the last one with traffic on this link */
        int64_t elements;
    } *links; /* [src * nranks + dst] */
};

/* A switch does not count. */
static void
raise_most(const struct meter *m, int rank, int64_t *most, int64_t value)
{
    if (rank < m->members && value > *most)
        *most = value;
}

/* A rank sends to one more peer in this step, or receives from one. */
static void
count_port(struct meter *m, int rank, bool sends)
{
    struct rank_meter *r = &m->ranks[rank];
    int ports;

    if (r->step != m->step)
        r->sends = r->receives = 0;
    r->step = m->step;
    ports = sends ? ++r->sends : ++r->receives;
    if (rank < m->members)
        m->counts.ports = most(m->counts.ports, ports);
}

/* All transfers from one rank to another in one step count as one message. */
static void
meter_transfer(struct meter *m, const struct transfer *t, int step,
               int64_t length)
{
    struct rank_meter *src = &m->ranks[t->src], *dst = &m->ranks[t->dst];
    struct link_meter *link =
        &m->links[(size_t)t->src * (size_t)m->nranks + (size_t)t->dst];

    if (t->op == TRANSFER_REDUCE) {
        m->counts.reduced += length;
        raise_most(m, t->dst, &m->counts.most_reduced, dst->reduced += length);
    }
    if (t->src == t->dst)
        return;
    m->counts.steps += step != m->step;
    m->step = step;
    m->counts.total += length;
    raise_most(m, t->src, &m->counts.most_sent, src->sent += length);
    raise_most(m, t->dst, &m->counts.most_received, dst->received += length);
    raise_most(m, 0, &m->counts.busiest_link, link->elements += length);
    if (link->step != step) {
        count_port(m, t->src, true);
        count_port(m, t->dst, false);
    }
    link->step = step;
}

static void
prefetch_contents(const struct proof *p, const struct transfer *t)
{
    size_t to = schedule_cell(p->s, t->dst, t->dst_slot);

    extents_fetch(&p->now, schedule_cell(p->s, t->src, t->src_slot));
    extents_fetch(&p->now, to);
    extents_fetch(&p->next, to);
}

static void
check_step(struct proof *p, struct meter *m, int step)
{
    size_t count;
    const struct transfer *t = schedule_transfers(p->s, step, &count);

    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            prefetch_contents(p, &t[i + AHEAD]);
        judge_link(p, &t[i], step);
        meter_transfer(m, &t[i], step, run_transfer(p, &t[i], step));
    }
    for (size_t i = 0; i < count; i++)
        apply_transfer(p, &t[i], step);
}

bool
schedule_check(const struct schedule *s, int64_t count,
               struct check_counts *counts, struct err *err)
{
    size_t n = (size_t)s->nranks;
    struct meter m = {.nranks = s->nranks, .members = schedule_members(s)};
    struct proof p;

    if (counts != NULL)
        *counts = (struct check_counts){0};
    if (!schedule_valid(s, err))
        return false;
    proof_init(&p, s, count, err);
    m.ranks = mem_new(n, sizeof *m.ranks);
    m.links = mem_new(n * n, sizeof *m.links);
    for (int step = 1; step <= s->nsteps; step++)
        check_step(&p, &m, step);
    judge_end(&p);
    m.counts.unkept = p.unkept;
    if (counts != NULL)
        *counts = m.counts;
    free(m.ranks);
    free(m.links);
    free(p.sets.sets);
    free(p.sets.bits);
    extents_done(&p.now);
    extents_done(&p.next);
    free(p.starts);
    return p.fault_step == 0;
}
