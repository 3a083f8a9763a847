/* SPDX-License-Identifier: MIT */
#include "screen/speaker.h"

#include <stdlib.h>

#include "base/mem.h"
#include "tutor/notes.h"

static const int64_t second_ns = 1000000000;
enum { THINK_S = 30, THINK_MOST_S = 300, LOOK_S = 2 };

bool
speaker_begin(struct speaker *s, const char *lesson, int gpus,
              const struct lecture *lecture, bool presents, struct err *err)
{
    *s = (struct speaker){.lecture = lecture,
                          .place = {.lesson = mem_string(lesson),
                                    .gpus = gpus}};
    if (lecture != NULL)
        s->place.lecture = *lecture;
    if (presents)
        s->podium = podium_open(err);
    return !presents || s->podium != NULL;
}

void
speaker_end(struct speaker *s)
{
    podium_close(s->podium);
    s->podium = NULL;
    podium_place_done(&s->place);
}

/* Before the first page there is nothing to follow. */
static bool
publish(const struct speaker *s, struct err *err)
{
    return s->podium == NULL || s->place.title == NULL ||
           podium_put(s->podium, &s->place, err);
}

static void
move_text(struct buf *from, char **to)
{
    free(*to);
    *to = mem_string(buf_text(from));
    buf_clear(from);
}

bool
speaker_turn(struct speaker *s, const struct tutor *t, double progress,
             struct err *err)
{
    struct place *p = &s->place;
    struct buf text = {0};

    p->number = t->card.number;
    p->page = t->state == TUTOR_OVER ? 0 : t->pages;
    p->progress = progress;
    p->think_until_ns = 0;
    if (s->podium != NULL) { /* the texts of the page */
        buf_puts(&text, t->card.title);
        move_text(&text, &p->title);
        notes_add_first_line(t, &text);
        move_text(&text, &p->first);
        notes_add(t, GLYPHS_ASCII, &text);
        move_text(&text, &p->notes);
        buf_done(&text);
    }
    return publish(s, err);
}

bool
speaker_give_time(struct speaker *s, int64_t now, struct err *err)
{
    int64_t *until = &s->place.think_until_ns;
    int64_t latest = now + THINK_MOST_S * second_ns;

    *until = (*until > now ? *until : now) + THINK_S * second_ns;
    if (*until > latest)
        *until = latest;
    return publish(s, err);
}

void
speaker_add_status(const struct speaker *s, int64_t now, struct buf *out)
{
    podium_add_status(&s->place, now, out);
}

int64_t
speaker_due(const struct speaker *s, int64_t now)
{
    int64_t left = s->place.think_until_ns - now;

    if (left > 0)
        return now + (left - 1) % second_ns + 1;
    return s->lecture != NULL ? now + LOOK_S * second_ns : INT64_MAX;
}
