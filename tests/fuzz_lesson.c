/* SPDX-License-Identifier: MIT */
/* libFuzzer's input as what a lesson's script says, and as a progress file: a
 * line of JSON, read as a question and answered with the keys on the line after
 * it, which are a rule or a step where one is asked for; then as text, wrapped
 * and drawn; then as progress. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lesson/attempt.h"
#include "lesson/progress.h"
#include "screen/answer.h"
#include "script/script.h"
#include "text/notation.h"
#include "view/frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
draw(const struct question *q, const struct answer *r)
{
    struct panel p = {.number = 1, .title = q->text, .text = q->text,
                      .keys = {.on = ON_LESSON},
                      .chosen = r->chosen, .refused = -1, .right = -1,
                      .asked = {q->rank, q->slot},
                      .typed = r->prompt.typed, .nitems = q->nitems,
                      .aside = q->nhints > 0 ? q->hints[0] : NULL};
    struct canvas c = {0};
    struct layout l;

    for (int i = 0; i < q->nitems; i++)
        p.items[i] = q->items[q->shown[i] - 1];
    canvas_resize(&c, 80, 24);
    if (layout(80, 24, true, &l))
        panel_draw(&p, &c, &l);
    canvas_done(&c);
}

/* The keys as a line of transfers. */
static void
wire(const struct wiring *w, const char *keys)
{
    OWNS(schedule) *s = wiring_new(w);
    struct notation n = notation_for(s);
    struct transfer list[WIRING_TRANSFERS];
    struct err err;
    size_t count;

    n.example = wiring_example(w, s, false);
    if (notation_read(&n, keys, list, WIRING_TRANSFERS, &count, &err))
        wiring_add(w, s, false, list, count, &err);
}

static void
ask(json_t *with, const char *keys)
{
    struct tutor_seen t = {.picture.shown = -1};
    struct question *q = &t.question;
    struct answer r;
    struct err err;
    struct buf text = {0};
    json_t *answer = NULL, *truth = NULL;

    if (question_read(q, with, 4, 4, &err)) {
        if (q->kind == QUIZ_RULE) /* the keys as one line: few press Enter */
            json_decref(question_parse(q, keys, &err));
        answer_begin(&r, &t, NULL);
        if (q->kind == QUIZ_WIRING) /* keys would make runs */
            wire(&q->wiring, keys);
        for (; *keys != '\0' && q->kind != QUIZ_WIRING; keys++) {
            json_decref(answer);
            answer_key(&r, (unsigned char)*keys, &answer, &err);
        }
        draw(q, &r);
        truth = question_truth(q, json_object_get(with, "truth"), &err);
        question_shuffle(q, 1);
        question_line(q, answer);
        if (truth != NULL && !question_is_right(q, answer, truth))
            question_answer_text(q, truth, &text);
    }
    json_decref(truth);
    json_decref(answer);
    buf_done(&text);
    question_done(q);
}

/* As progress: what was answered, and what comes back. */
static void
keep(const json_t *all)
{
    struct progress p = progress_of(all, "broadcast");
    json_t *copy = json_deep_copy(all), *entry;
    struct due d;
    size_t i;

    json_array_foreach(p.answers, i, entry) {
        json_decref(attempt_write(attempt_read(entry)));
    }
    progress_due(all, 1);
    if (progress_next(copy, NULL, &d) ||
        progress_next(copy, "broadcast", &d))
        progress_ended(copy, &d, REVIEW_RIGHT, 1);
    json_decref(copy);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *line = mem_new(size + 1, 1), *keys;
    const char *text;
    struct err err;
    json_t *with;

    memcpy(line, data, size);
    keys = strchr(line, '\n');
    if (keys != NULL)
        *keys++ = '\0';
    with = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    if (json_is_object(with)) {
        ask(with, keys != NULL ? keys : "");
        keep(with);
        script_text(with, "text", true, &text, &err);
    }
    json_decref(with);
    free(line);
    return 0;
}
