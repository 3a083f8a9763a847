/* SPDX-License-Identifier: MIT */
#include "text/word.h"

#include <stdio.h>

#include "base/translate.h"
#include "model/scene.h"
#include "text/text.h"

static struct word
word_of(struct buf *text)
{
    struct word word;

    snprintf(word.text, sizeof word.text, "%s", buf_text(text));
    buf_done(text);
    return word;
}

struct word
word_bytes(int64_t bytes)
{
    struct buf text = {0};

    text_bytes(bytes, &text);
    return word_of(&text);
}

struct word
word_ns(int64_t ns, bool brief)
{
    struct buf text = {0};

    text_ns(ns, brief, &text);
    return word_of(&text);
}

struct word
word_rank(int rank)
{
    struct word word;

    scene_rank_name(rank, word.text);
    return word;
}

struct word
word_wait(const struct event *e)
{
    struct buf text = {0};

    if (e->wait_ns > 0 && e->waited_for < 0)
        text_ns(e->wait_ns, false, &text);
    else if (e->wait_ns > 0)
        buf_addf(&text, _("%1$s for %2$s"), word_ns(e->wait_ns, false).text,
                 word_rank(e->waited_for).text);
    return word_of(&text);
}
