/* SPDX-License-Identifier: MIT */
#include "screen/watch_prompt.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/translate.h"
#include "play/complete.h"
#include "screen/publish.h"
#include "screen/watch_slots.h"
#include "screen/watch_write.h"

static void
go_to(struct watch *w, const char *typed)
{
    long long step = strtoll(typed, NULL, 10);

    player_go(&w->player, step > INT_MAX ? INT_MAX : (int)step);
}

static bool
enter_step(struct watch *w, const char *typed, struct err *err)
{
    if (typed[strspn(typed, "0123456789")] != '\0')
        return err_set(err, "'%s' is not a step: type a number", typed);
    go_to(w, typed);
    return true;
}

/* Changes the run and starts the new one from its beginning, at the same speed.
 * This may take seconds. */
static bool
enter_change(struct watch *w, const char *typed, struct err *err)
{
    const struct watch_source *source = w->source;
    struct session *session = w->session;
    int speed = w->player.speed;
    bool ok;

    watch_notify(w, false, _("preparing the run ..."));
    watch_draw(w);
    watch_notify(w, false, "");
    stage_hurry(&w->stage);
    ok = source->change(source->state, typed, &session, err);
    if (session == w->session)
        return ok;
    watch_note_change(w, typed);
    w->selected = w->slot = 0;
    watch_follow_none(w);
    player_done(&w->player);
    watch_begin(w, session);
    w->player.speed = speed;
    if (!ok)
        watch_notify(w, true, err->text);
    return true;
}

static bool
enter_file(struct watch *w, const char *typed, struct err *err)
{
    bool whole = publish_kind(typed) != PUBLISH_RECORDING ||
                 w->session->world->has_end;
    struct buf text = {0};

    if (!watch_may_write(w, typed, err))
        return false;
    watch_notify(w, false, _("writing ..."));
    watch_draw(w); /* a film may take seconds */
    watch_notify(w, false, "");
    stage_hurry(&w->stage);
    if (!watch_write(w, typed, err))
        return false;
    buf_addf(&text, whole ? _("written to %s") : _("being written to %s"),
             typed);
    watch_notify(w, false, buf_text(&text));
    buf_done(&text);
    return true;
}

/* A question of the prompt.  `enter` takes what was typed, or refuses it;
 * `complete` finds how its last word may go on (NULL: Tab does nothing). */
struct question {
    const char *label, *hint;
    bool (*enter)(struct watch *w, const char *typed, struct err *err);
    void (*complete)(const char *text, struct completion *c);
};

const struct question
    watch_step = {N_("go to step:"), "", enter_step, NULL},
    watch_change = {N_("change:"),
                    N_("5 (GPUs)  --count 12  --op max  --type int32  "
                       "--delay 2=300  --pace free\nTab completes names, Up is "
                       "what was typed before"),
                    enter_change, complete_change},
    watch_file = {N_("write to:"),
                  N_("run.jsonl: the run, to replay  run.svg: this picture  "
                     "run.gif, run.cast: a film"),
                  enter_file, NULL};

void
watch_ask(struct watch *w, const struct question *question)
{
    w->question = question;
    w->replaced[0] = '\0';
    prompt_open(&w->prompt, _(question->label),
                question == &watch_change ? w->changes : NULL);
    if (question->hint[0] != '\0')
        watch_notify(w, false, _(question->hint));
}

/* Goes on with the last word as far as that is clear, and lists the words that
 * it may become. */
static void
complete(struct watch *w)
{
    enum { LISTED_MOST = 15 };
    struct completion c;
    struct buf list = {0};

    w->question->complete(w->prompt.typed, &c);
    prompt_complete(&w->prompt, c.from, c.words, c.count);
    for (size_t i = 0; i < c.count && c.count > 1 && i < LISTED_MOST; i++)
        buf_addf(&list, "%s  ", c.words[i]);
    buf_puts(&list, c.count > LISTED_MOST ? "..." : "");
    watch_notify(w, false, buf_text(&list));
    buf_done(&list);
    completion_done(&c);
}

void
watch_prompt_key(struct watch *w, int key)
{
    struct prompt *p = &w->prompt;
    struct err err;

    if (key == '\t' && w->question->complete != NULL) {
        complete(w);
        return;
    }
    switch (prompt_key(p, key)) {
    case PROMPT_LEFT:
        watch_notify(w, false, "");
        break;
    case PROMPT_ENTERED:
        watch_notify(w, false, "");
        p->open = p->typed[0] != '\0' &&
                  !w->question->enter(w, p->typed, &err);
        if (p->open)
            watch_notify(w, true, err.text);
        else if (w->question == &watch_change && p->typed[0] != '\0')
            prompt_remember(w->changes, p->typed);
        break;
    default:
        break;
    }
}
