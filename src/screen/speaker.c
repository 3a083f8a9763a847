/* SPDX-License-Identifier: MIT */
#include "screen/speaker.h"

#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"

static const int64_t second_ns = 1000000000;
enum { THINK_S = 30, THINK_MOST_S = 300, LOOK_S = 2 };

/* While the outline is found out; its descriptor is not waited for. */
static const int64_t OUTLINE_NS = 50000000;

void
speaker_begin(struct speaker *s, const char *lesson, const struct options *o,
              const struct lecture *lecture, struct serve *serve)
{
    *s = (struct speaker){.lecture = lecture, .serve = serve};
    if (serve != NULL && o->present)
        outline_init(&s->outline, lesson, o);
}

void
speaker_end(struct speaker *s)
{
    if (s->serve != NULL) {
        serve_page(s->serve, NULL);
        serve_notes(s->serve, json_null());
    }
    outline_done(&s->outline);
    buf_done(&s->head);
    buf_done(&s->notes);
}

int
speaker_votes(const struct speaker *s, int most, struct serve_vote *votes,
              int *count)
{
    int voters = 0;

    *count = s->serve != NULL && s->counted
                 ? serve_votes(s->serve, votes, most, &voters) : 0;
    return voters;
}

/* What was answered, or may be, each with its votes, and after the end which is
 * right: {"voters":18,"rows":[{"text":"a)  B1","votes":14,"right":false}]} */
static json_t *
poll_of(const struct speaker *s, const struct tutor_seen *t)
{
    struct serve_vote votes[QUESTION_ITEMS];
    const struct question *q = &t->question;
    const json_t *truth = t->state == TUTOR_PAGE ? record_truth(&t->record)
                                                 : NULL;
    bool chooses = question_kind(q)->chooses;
    int count, voters = speaker_votes(s, QUESTION_ITEMS, votes, &count);
    json_t *rows = json_array();

    for (int i = 0; i < (chooses ? q->nitems : count); i++) {
        OWN(buf) text = {0};
        bool right = truth != NULL &&
                     (chooses ? q->shown[i] == json_integer_value(truth)
                              : question_text_is_right(q, votes[i].answer,
                                                       truth));
        if (chooses)
            buf_addf(&text, "%c)  %s", 'a' + i, question_item(q, q->shown[i]));
        else
            buf_puts(&text, votes[i].answer);
        json_array_append_new(rows, json_pack(
            "{ss si sb}", "text", buf_text(&text), "votes",
            i < count ? votes[i].count : 0, "right", right));
    }
    return json_pack("{si so}", "voters", voters, "rows", rows);
}

void
speaker_turn(struct speaker *s, const struct tutor_seen *t, bool votes)
{
    bool asks = t->state == TUTOR_ASKS, over = t->state == TUTOR_OVER;
    OWN(buf) first = {0};

    s->think_until_ns = 0;
    if (s->serve == NULL || t->card.title == NULL)
        return;
    s->counted = votes && (asks || (!over && page_answers(t->page.kind) &&
                                    s->counted));
    serve_page(s->serve, &(struct serve_page){
        t->card.title,
        asks   ? t->question.text
        : over ? _("The lesson is over.")
               : t->page.text,
        asks && votes ? &t->question : NULL,
        !asks && s->counted ? poll_of(s, t) : NULL});
    buf_clear(&s->head);
    buf_clear(&s->notes);
    if (over)
        return;
    notes_add_first_line(t, &first);
    buf_addf(&s->head, _("Page %d"), t->pages);
    buf_addf(&s->head, ": %s", buf_text(&first));
    notes_add(t, GLYPHS_FULL, &s->notes);
}

void
speaker_close(const struct speaker *s, const struct tutor_seen *t)
{
    if (s->serve != NULL)
        serve_page(s->serve, &(struct serve_page){
            .title = t->card.title, .text = t->question.text});
}

void
speaker_give_time(struct speaker *s, int64_t now)
{
    int64_t *until = &s->think_until_ns;
    int64_t latest = now + THINK_MOST_S * second_ns;

    *until = (*until > now ? *until : now) + THINK_S * second_ns;
    if (*until > latest)
        *until = latest;
}

void
speaker_add_status(const struct speaker *s, double progress, int64_t now,
                   struct buf *out)
{
    int64_t left = s->think_until_ns - now;
    int seconds = (int)((left + second_ns - 1) / second_ns);

    if (s->think_until_ns > 0 && left > 0)
        buf_addf(out, _("%d:%02d to think"), seconds / 60, seconds % 60);
    else if (s->think_until_ns > 0)
        buf_puts(out, _("time is up"));
    if (s->lecture == NULL)
        return;
    buf_puts(out, s->think_until_ns > 0 ? ", " : "");
    lecture_add_status(s->lecture, progress, now, out);
}

void
speaker_publish(const struct speaker *s, const struct tutor_seen *t,
                struct buf *status)
{
    const json_t *after = json_array_get(s->outline.pages, (size_t)t->pages);
    OWN(buf) next = {0}, first = {0};

    if (s->serve == NULL)
        return;
    notes_add_first_line(t, &first);
    if (t->state != TUTOR_OVER && after != NULL &&
        outline_has(&s->outline, t->pages, buf_text(&first)))
        buf_addf(&next, _("next: %s"), json_string_value(after));
    serve_notes(s->serve,
                json_pack("{ss ss ss so ss}", "head", buf_text(&s->head),
                          "notes", buf_text(&s->notes), "next",
                          buf_text(&next), "poll",
                          s->counted ? poll_of(s, t) : json_null(), "clock",
                          buf_text(status)));
    buf_puts(status, status->length > 0 ? "  " : "");
    serve_add_status(s->serve, status);
}

void
speaker_advance(struct speaker *s, int64_t now)
{
    outline_advance(&s->outline, now);
}

int64_t
speaker_due(const struct speaker *s, int64_t now)
{
    int64_t left = s->think_until_ns - now;

    if (s->outline.tutor != NULL)
        return now + OUTLINE_NS;
    if (left > 0)
        return now + (left - 1) % second_ns + 1;
    return s->lecture != NULL ? now + LOOK_S * second_ns : INT64_MAX;
}
