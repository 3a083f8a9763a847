/* SPDX-License-Identifier: MIT */
#include "event/wrong.h"

#include <inttypes.h>

#include "base/err.h"

/* "rank 0 waits for rank 2 (step 3)" */
static void
add_wait(const struct rank_wait *wait, struct buf *out)
{
    if (wait->kind == WAIT_THROUGH)
        buf_addf(out, "rank %d has finished", wait->rank);
    else if (wait->kind == WAIT_TRUNCATED)
        buf_addf(out, "rank %d stopped at a message of %" PRId64
                 " element%s from rank %d where it expects %" PRId64
                 " (step %d)", wait->rank, wait->length,
                 err_plural(wait->length), wait->peer, wait->room, wait->step);
    else if (wait->kind == WAIT_SEND)
        buf_addf(out, "rank %d waits until rank %d receives (step %d)",
                 wait->rank, wait->peer, wait->step);
    else
        buf_addf(out, "rank %d waits for rank %d (step %d)", wait->rank,
                 wait->peer, wait->step);
}

static void
add_chain(const struct wrong *w, struct buf *out)
{
    buf_puts(out, w->kind == WRONG_HANGS ? "the run hangs: "
                                         : "the run stops: ");
    for (int i = 0; i < w->nwaits; i++) {
        buf_puts(out, i > 0 ? ", " : "");
        add_wait(&w->waits[i], out);
        if (i == 0 && w->skipped > 0)
            buf_addf(out, ", and so on for %d more", w->skipped);
    }
    buf_puts(out, w->cycle ? ": a cycle" : "");
    if (w->others > 0)
        buf_addf(out, "; %d more wait%s", w->others, w->others == 1 ? "s" : "");
}

/* Cuts a text off before the character with which it would be longer. */
static void
cut_text(struct buf *text, size_t most)
{
    if (text->length <= most)
        return;
    while (most > 0 && ((unsigned char)text->data[most] & 0xc0) == 0x80)
        most--;
    text->data[most] = '\0';
    text->length = most;
}

void
wrong_text(const struct wrong *w, struct buf *out)
{
    const struct rank_wait *message = &w->waits[0];
    size_t start = out->length;

    if (w->library[0] != '\0')
        buf_addf(out, "%s: ", w->library);
    if (w->kind <= WRONG_SUM && w->kind != WRONG_NOTHING)
        buf_addf(out, "rank %d, chunk %d", w->rank, w->chunk);
    switch (w->kind) {
    case WRONG_NOTHING:
        break;
    case WRONG_VALUE:
        buf_addf(out, ", element %" PRId64 ": expected %s, found %s",
                 w->element, w->expected, w->found);
        break;
    case WRONG_UNLIKE:
        buf_addf(out, ", element %" PRId64 ": found %s, rank %d has %s by the "
                 "same additions", w->element, w->found, w->peer, w->expected);
        break;
    case WRONG_SUM:
        buf_puts(out, ": it holds ");
        /* fall through */
    case WRONG_SAID:
        buf_puts(out, w->said);
        break;
    case WRONG_HANGS:
    case WRONG_STOPS:
        add_chain(w, out);
        break;
    case WRONG_UNRECEIVED:
        buf_addf(out, "rank %d never receives what rank %d sends it in step %d",
                 message->rank, message->peer, message->step);
        break;
    case WRONG_LENGTH:
        buf_addf(out, "rank %d expects %" PRId64 " element%s in step %d, rank "
                 "%d sends %" PRId64, message->rank, message->room,
                 err_plural(message->room), message->step, message->peer,
                 message->length);
    }
    cut_text(out, start + WRONG_TEXT_MAX - 1);
}
