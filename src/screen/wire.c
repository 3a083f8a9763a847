/* SPDX-License-Identifier: MIT */
#include "screen/wire.h"

#include <stdio.h>
#include <string.h>

#include "base/translate.h"
#include "term/screen.h"
#include "text/notation.h"
#include "text/sum.h"

void
wire_begin(struct wire *w, const struct wiring *task)
{
    *w = (struct wire){.task = task, .digit = -1, .gpu = task->root,
                       .adds = task->collective->reduces};
}

void
wire_ran(struct wire *w)
{
    w->n = 0;
    w->picked = w->typing = false;
}

/* The slots that can be chosen. */
static int
slots(const struct wire *w)
{
    return schedule_outputs(w->world->schedule).count;
}

static enum wire_did
add(struct wire *w, const struct transfer *t, struct err *err)
{
    if (!wiring_may(w->task, w->world->schedule, w->step, w->n, t, err))
        return WIRE_REFUSED;
    w->step[w->n++] = *t;
    return WIRE_CHANGED;
}

/* The next transfer, to a GPU. */
static enum wire_did
send_to(struct wire *w, int gpu, struct err *err)
{
    int slot = schedule_outputs(w->world->schedule).first + w->slot;

    w->picked = false;
    if (gpu >= w->task->nranks) {
        err_set(err, _("there is no GPU %d"), gpu);
        return WIRE_REFUSED;
    }
    return add(w, &(struct transfer){.src = w->gpu, .dst = gpu,
                                     .src_slot = slot, .dst_slot = slot,
                                     .add_slot = slot, .nslots = 1,
                                     .op = w->adds ? TRANSFER_REDUCE
                                                   : TRANSFER_COPY}, err);
}

/* Typed transfers belong to the step together, or not at all. */
static enum wire_did
enter_typed(struct wire *w, struct prompt *p, struct err *err)
{
    struct notation n = notation_of(w->world, w->world->nsteps);
    struct transfer list[WIRING_TRANSFERS];
    size_t count, before = w->n;

    if (p->typed[strspn(p->typed, " ")] == '\0') {
        w->typing = false;
        return WIRE_CHANGED;
    }
    if (!notation_read(&n, p->typed, list, WIRING_TRANSFERS, &count, err))
        return WIRE_REFUSED;
    for (size_t i = 0; i < count; i++)
        if (add(w, &list[i], err) == WIRE_REFUSED) {
            w->n = before;
            return WIRE_REFUSED;
        }
    w->typing = false;
    return WIRE_CHANGED;
}

static void
type(struct wire *w, struct prompt *p, const char *begin)
{
    w->typing = true;
    prompt_open(p, "", NULL);
    for (; *begin != '\0'; begin++)
        prompt_key(p, *begin);
}

/* "0>1 +A1" may be typed at once: at the > the digit before it turns out to be
 * the sender. */
static enum wire_did
type_on(struct wire *w, struct prompt *p)
{
    char begin[] = {(char)('0' + w->digit), '>', '\0'};

    if (w->digit < 0)
        return WIRE_NOTHING;
    if (w->digit_adds)
        w->n--;
    type(w, p, begin);
    return WIRE_CHANGED;
}

static enum wire_did
choose(struct wire *w, int gpus, int down)
{
    int ranks = w->task->nranks, n = slots(w);

    w->gpu = (w->gpu + gpus + ranks) % ranks;
    w->slot = (w->slot + down + n) % n;
    return WIRE_CHANGED;
}

static enum wire_did
set_op(struct wire *w, bool adds, struct err *err)
{
    if (adds && !w->task->collective->reduces) {
        err_set(err, _("nothing is added in a %s: data only replaces"),
                _(w->task->collective->title));
        return WIRE_REFUSED;
    }
    w->adds = adds;
    return WIRE_CHANGED;
}

static enum wire_did
key_typing(struct wire *w, struct prompt *p, int key, struct err *err)
{
    switch (key) {
    case SCREEN_KEY_ENTER:
        return enter_typed(w, p, err);
    case SCREEN_KEY_ESCAPE:
        w->typing = false;
        return WIRE_CHANGED;
    default:
        if (key != SCREEN_KEY_BACKSPACE && (key < ' ' || key >= 0x7f))
            return WIRE_NOTHING;
        if (key == SCREEN_KEY_BACKSPACE && p->typed[0] == '\0')
            w->typing = false;
        prompt_key(p, key);
        return WIRE_CHANGED;
    }
}

static enum wire_did
key_choosing(struct wire *w, struct prompt *p, int key, struct err *err)
{
    switch (key) {
    case SCREEN_KEY_LEFT:
    case SCREEN_KEY_BACKTAB:
        return choose(w, -1, 0);
    case SCREEN_KEY_RIGHT:
    case '\t':
        return choose(w, 1, 0);
    case SCREEN_KEY_UP:
        return choose(w, 0, -1);
    case SCREEN_KEY_DOWN:
        return choose(w, 0, 1);
    case '+':
        return set_op(w, true, err);
    case '=':
        return set_op(w, false, err);
    case 't':
        type(w, p, "");
        return WIRE_CHANGED;
    case 'u':
    case SCREEN_KEY_BACKSPACE:
        if (w->n == 0)
            return WIRE_BACK;
        w->n--;
        return WIRE_CHANGED;
    case SCREEN_KEY_ENTER:
        return w->n > 0 ? WIRE_STEP : WIRE_DONE;
    case '>':
        return type_on(w, p);
    default:
        return key >= '0' && key <= '9' ? send_to(w, key - '0', err)
                                        : WIRE_NOTHING;
    }
}

enum wire_did
wire_key(struct wire *w, struct prompt *p, int key, struct err *err)
{
    size_t before = w->n;
    enum wire_did did;

    if (w->typing)
        return key_typing(w, p, key, err);
    did = key_choosing(w, p, key, err);
    w->digit = key >= '0' && key <= '9' ? key - '0' : -1;
    w->digit_adds = w->n > before;
    return did;
}

enum wire_did
wire_click(struct wire *w, int rank, int slot, struct err *err)
{
    w->digit = -1;
    if (rank >= w->task->nranks || w->typing)
        return WIRE_NOTHING;
    if (w->picked && rank != w->gpu)
        return send_to(w, rank, err);
    w->gpu = rank;
    if (slot >= 0 && slot < slots(w))
        w->slot = slot;
    w->picked = true;
    return WIRE_CHANGED;
}

void
wire_add_step(const struct wire *w, const struct world *world, struct buf *out)
{
    struct notation n = notation_of(world, world->nsteps);

    buf_addf(out, _("step %d:"), world->nsteps + 1);
    for (size_t i = 0; i < w->n; i++) {
        buf_puts(out, i > 0 ? ", " : " ");
        notation_add(&n, &w->step[i], out);
    }
    if (w->n == 0)
        buf_puts(out, _(" no transfer yet"));
}

void
wire_add_next(const struct wire *w, const struct world *world, struct buf *out)
{
    int slot = schedule_outputs(world->schedule).first + w->slot;
    struct buf holds = {0};

    sum_name(world, world_row_at(world, w->gpu, slot, world->nsteps),
             &holds);
    if (holds.length == 0)
        buf_addf(out, _("GPU %1$d's slot %2$d is empty"), w->gpu, w->slot);
    else
        buf_addf(out, _("GPU %1$d sends %2$s (slot %3$d) to GPU _"), w->gpu,
                 buf_text(&holds), w->slot);
    if (w->task->collective->reduces && holds.length > 0)
        buf_puts(out, w->adds ? _(", which adds it (= replaces)")
                              : _(", in place of its own (+ adds)"));
    buf_done(&holds);
}
