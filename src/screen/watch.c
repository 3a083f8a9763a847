/* SPDX-License-Identifier: MIT */
#include "screen/watch.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/signals.h"
#include "base/translate.h"
#include "play/complete.h"
#include "play/player.h"
#include "screen/publish.h"
#include "screen/stage.h"
#include "term/prompt.h"
#include "term/screen.h"
#include "text/sum_name.h"
#include "view/frame.h"
#include "view/keys.h"
#include "view/mouse.h"
#include "view/panes.h"

struct watch {
    const struct watch_source *source;
    struct session *session;
    struct stage stage;
    struct player player;
    struct prompt prompt;
    struct prompt_history remembered, *changes; /* typed at the key `a` */
    const struct question *question; /* what the prompt asks */
    struct err notice; /* "": none */
    bool alarm;        /* the notice is an error */
    char typed[6]; /* a number before a key */
    int selected, slot, view, beside; /* as in a scene */
    struct trail *trail; /* NULL: nothing is followed */
    bool inspect;
    int help; /* its page; 0: none */
    bool quit;
};

bool
watch_can(void)
{
    struct err reason;

    return screen_can(&reason);
}

static struct scene
scene_of(const struct watch *w)
{
    return (struct scene){
        .world = w->session->world,
        .step = w->player.step,
        .target = w->player.target,
        .flights = w->player.flights,
        .nflights = w->player.nflights,
        .glyphs = w->stage.glyphs,
        .selected = w->selected,
        .view = w->view,
        .beside = w->beside,
        .playing = w->player.playing,
        .speed = w->player.speed,
        .inspect = w->inspect,
        .slot = w->slot,
        .awaited_ns = player_awaited(&w->player, clock_ns()),
        .help = w->help,
        .typed = w->typed[0] != '\0' ? w->typed : NULL,
        .prompt = w->prompt.open ? w->prompt.text : NULL,
        .note = session_note(w->session),
        .notice = w->notice.text[0] != '\0' ? w->notice.text : NULL,
        .alarm = w->alarm,
        .replay = w->source->change == NULL,
        .back = w->source->back != NULL ? w->source->back->to : NULL,
        .trail = w->trail,
    };
}

static void
draw(struct watch *w)
{
    const struct schedule *schedule = w->session->world->schedule;
    struct scene scene;

    if (schedule != NULL && w->selected >= schedule->nranks)
        w->selected = 0; /* a changed run may have fewer ranks */
    scene = scene_of(w);
    frame_draw(&scene, stage_canvas(&w->stage));
    stage_show(&w->stage);
}

/* Shows a notice until the next key. */
static void
notify(struct watch *w, bool alarm, const char *text)
{
    err_set(&w->notice, "%s", text);
    w->alarm = alarm;
}

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
/* What the player asks before it plays a step. */
static int64_t
reading(const void *watch)
{
    const struct watch *w = watch;
    struct scene scene = scene_of(w);

    return frame_reading_ns(&scene, w->stage.canvas.columns,
                            w->stage.canvas.rows);
}

static void
begin(struct watch *w)
{
    player_init(&w->player, w->session);
    w->player.reading = reading;
    w->player.reader = w;
}

static bool
enter_change(struct watch *w, const char *typed, struct err *err)
{
    const struct watch_source *source = w->source;
    struct session *session = w->session;
    int speed = w->player.speed;
    bool ok;

    notify(w, false, _("preparing the run ..."));
    draw(w);
    notify(w, false, "");
    stage_hurry(&w->stage);
    ok = source->change(source->state, typed, &session, err);
    if (session == w->session)
        return ok;
    w->session = session;
    w->selected = w->slot = 0;
    trail_free(w->trail);
    w->trail = NULL;
    player_done(&w->player);
    begin(w);
    w->player.speed = speed;
    if (!ok)
        notify(w, true, err->text);
    return true;
}

static bool
write_picture(struct watch *w, const char *path, struct err *err)
{
    struct scene scene = scene_of(w);
    int columns, rows;

    scene.prompt = scene.notice = NULL;
    screen_size(w->stage.screen, &columns, &rows);
    return publish_scene(path, &scene, columns, rows,
                         screen_ground(w->stage.screen), err);
}

/* The film shows the steps that are known so far, and leaves the world as it
 * was. */
static bool
write_film(struct watch *w, const char *path, struct err *err)
{
    struct world *world = w->session->world;
    struct session known = {.world = world, .granted = world->nsteps};
    int columns, rows, position = world->position;
    struct film f;
    bool ok;

    screen_size(w->stage.screen, &columns, &rows);
    film_init(&f, &known, columns, rows, w->stage.glyphs);
    f.view = w->view;
    f.beside = w->beside;
    f.selected = w->selected;
    world_seek(world, 0);
    ok = publish_film(path, &f, screen_ground(w->stage.screen), err);
    film_done(&f);
    world_seek(world, position);
    return ok;
}

/* The ending of the name says what is written. */
static bool
write_file(struct watch *w, const char *path, struct err *err)
{
    const struct world *world = w->session->world;
    bool film = publish_is_film(path), picture = publish_is_picture(path);

    if ((film || picture) &&
        (world->schedule == NULL || !world_step_complete(world, 0)))
        return err_set(err, "there is nothing to show yet");
    return film      ? write_film(w, path, err)
           : picture ? write_picture(w, path, err)
                     : session_record(w->session, path, err);
}

static bool
enter_file(struct watch *w, const char *typed, struct err *err)
{
    bool whole = publish_is_film(typed) || publish_is_picture(typed) ||
                 w->session->world->has_end;
    struct buf text = {0};

    notify(w, false, _("writing ..."));
    draw(w); /* a film may take seconds */
    notify(w, false, "");
    stage_hurry(&w->stage);
    if (!write_file(w, typed, err))
        return false;
    buf_addf(&text, whole ? _("written to %s") : _("being written to %s"),
             typed);
    notify(w, false, buf_text(&text));
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

static const struct question
    go_to_step = {N_("go to step:"), "", enter_step, NULL},
    change_run = {N_("change:"),
                  N_("5 (GPUs)  --count 12  --op max  --type int32  "
                     "--delay 2=300  --pace free\nTab completes names, Up is "
                     "what was typed before"),
                  enter_change, complete_change},
    write_what = {N_("write to:"),
                  N_("run.jsonl: the run, to replay  run.svg: this picture  "
                     "run.gif, run.cast: a film"),
                  enter_file, NULL};

static void
ask(struct watch *w, const struct question *question)
{
    w->question = question;
    prompt_open(&w->prompt, _(question->label),
                question == &change_run ? w->changes : NULL);
    if (question->hint[0] != '\0')
        notify(w, false, _(question->hint));
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
    notify(w, false, buf_text(&list));
    buf_done(&list);
    completion_done(&c);
}

/* A refused line stays in the prompt, so that it can be corrected. */
static void
prompt_pressed(struct watch *w, int key)
{
    struct prompt *p = &w->prompt;
    struct err err;

    if (key == '\t' && w->question->complete != NULL) {
        complete(w);
        return;
    }
    switch (prompt_key(p, key)) {
    case PROMPT_LEFT:
        notify(w, false, "");
        break;
    case PROMPT_ENTERED:
        notify(w, false, "");
        p->open = p->typed[0] != '\0' &&
                  !w->question->enter(w, p->typed, &err);
        if (p->open)
            notify(w, true, err.text);
        else if (w->question == &change_run && p->typed[0] != '\0')
            prompt_remember(w->changes, p->typed);
        break;
    default:
        break;
    }
}

static void
select_rank(struct watch *w, int rank)
{
    const struct schedule *s = w->session->world->schedule;

    if (s != NULL)
        w->selected = (rank + s->nranks) % s->nranks;
}

/* Follows what the selected slot holds. */
static void
follow(struct watch *w)
{
    const struct world *world = w->session->world;
    const uint64_t *row = world_row(world, w->selected, w->slot);
    struct buf text = {0}, name = {0};
    char rank[SCENE_NAME_MAX];

    trail_free(w->trail);
    w->trail = NULL;
    sum_name(world, row, world_names_sums(world), &name);
    scene_rank_name(w->selected, rank);
    if (name.length == 0)
        buf_addf(&text, _("slot %1$d of %2$s is empty"), w->slot, rank);
    else if ((w->trail = trail_new(world->schedule, w->selected, w->slot,
                                   world->position)) == NULL)
        buf_puts(&text, _("this run is too large to follow data in it"));
    else
        buf_addf(&text, _("following %1$s of %2$s; Up, Down: another slot; f: "
                          "no more"), buf_text(&name), rank);
    notify(w, false, buf_text(&text));
    buf_done(&text);
    buf_done(&name);
}

/* The slot that the selected rank sends next, or else the one that it received
 * in last; -1 if there is none. */
static int
slot_in_use(const struct watch *w)
{
    const struct world *world = w->session->world;
    size_t count;
    const struct transfer *t = schedule_transfers(
        world->schedule, world->position + 1, &count);

    for (size_t i = 0; i < count; i++)
        if (t[i].src == w->selected)
            return t[i].src_slot;
    t = schedule_transfers(world->schedule, world->position, &count);
    for (size_t i = 0; i < count; i++)
        if (t[i].dst == w->selected)
            return t[i].dst_slot;
    return -1;
}

/* A second time, no more. Outside the inspector, begins with the slot that the
 * words are about. */
static void
follow_or_stop(struct watch *w)
{
    const struct world *world = w->session->world;
    int slot;

    if (world->schedule == NULL || !world_step_complete(world, 0))
        return;
    if (w->trail != NULL && w->trail->rank == w->selected &&
        (w->trail->slot == w->slot || !w->inspect)) {
        trail_free(w->trail);
        w->trail = NULL;
        return;
    }
    if (!w->inspect && (slot = slot_in_use(w)) >= 0)
        w->slot = slot;
    if (w->slot >= world->schedule->nslots)
        w->slot = 0;
    follow(w);
}

static void
select_slot(struct watch *w, int by)
{
    const struct schedule *s = w->session->world->schedule;

    if (s == NULL || w->slot + by < 0 || w->slot + by >= s->nslots)
        return;
    w->slot += by;
    if (w->trail != NULL && !w->inspect)
        follow(w);
}

/* Opens the inspector on the next wrong slot, in the order of ranks. */
static void
next_wrong(struct watch *w)
{
    const struct schedule *s = w->session->world->schedule;
    struct scene scene = scene_of(w);
    int cells = s != NULL ? s->nranks * s->nslots : 0;

    for (int k = 0; k < cells; k++) {
        int cell = (w->selected * s->nslots + w->slot + k + w->inspect) % cells;
        if (!scene_slot_is_wrong(&scene, cell / s->nslots, cell % s->nslots))
            continue;
        w->selected = cell / s->nslots;
        w->slot = cell % s->nslots;
        w->inspect = true;
        return;
    }
    notify(w, false, _("no slot is wrong, as far as its contributions show"));
}

/* Sets *l to the layout of the screen. Returns false if no picture is shown. */
static bool
shows_picture(const struct watch *w, struct layout *l)
{
    int columns, rows;

    screen_size(w->stage.screen, &columns, &rows);
    return layout(columns, rows, false, l) &&
           w->session->world->schedule != NULL;
}

static void
next_view(struct watch *w)
{
    struct scene scene = scene_of(w);
    struct layout l;

    if (shows_picture(w, &l))
        w->view = view_next(&scene, l.picture);
}

static void
next_view_beside(struct watch *w)
{
    struct scene scene = scene_of(w);
    struct layout l;

    if (!shows_picture(w, &l))
        return;
    w->beside = panes_next(&scene, l.picture);
    if (w->beside == scene.beside)
        notify(w, true, _("there is no room for a second view"));
}

static int
step_shown(const struct watch *w)
{
    return w->player.step > 0 ? w->player.step
                              : w->session->world->position;
}

/* A click selects a rank, or goes to a step. */
static void
click(struct watch *w)
{
    struct scene scene = scene_of(w);
    int columns, rows;
    struct mouse_target hit;

    screen_size(w->stage.screen, &columns, &rows);
    hit = mouse_at(&scene, columns, rows, screen_pointed(w->stage.screen));
    if (hit.what == MOUSE_RANK)
        w->selected = hit.number;
    else if (hit.what == MOUSE_STEP)
        player_go(&w->player, hit.number);
}

/* With a number before it (-1: none) a key goes that far at once. */
static void
next(struct watch *w, int count)
{
    if (count >= 0) {
        player_go(&w->player, step_shown(w) + count);
        return;
    }
    w->player.playing = false;
    player_next(&w->player, clock_ns());
}

static void
back(struct watch *w, int count)
{
    if (count >= 0)
        player_go(&w->player, step_shown(w) - count);
    else
        player_back(&w->player);
}

/* Digits are kept for the key that follows them. */
static void
add_digit(struct watch *w, int key)
{
    size_t length = strlen(w->typed);

    if (length + 1 < sizeof w->typed) {
        w->typed[length] = (char)key;
        w->typed[length + 1] = '\0';
    }
}

static void
answer_key(struct watch *w, int key)
{
    struct scene scene = scene_of(w);
    enum watch_request request =
        keys_request(watch_keys, keys_state(&scene), key);
    int count = w->typed[0] != '\0' ? atoi(w->typed) : -1;
    int times = count >= 0 ? count : 1;

    if (request != WATCH_COUNT)
        w->typed[0] = '\0';
    switch (request) {
    case WATCH_BACK:
        back(w, count);
        break;
    case WATCH_NEXT:
        next(w, count);
        break;
    case WATCH_PLAY:
        player_play(&w->player, clock_ns());
        break;
    case WATCH_FASTER:
        player_faster(&w->player, times);
        break;
    case WATCH_SLOWER:
        player_faster(&w->player, -times);
        break;
    case WATCH_FIRST:
        player_go(&w->player, 0);
        break;
    case WATCH_LAST:
        player_go(&w->player,
                  count >= 0 ? count : w->session->world->nsteps);
        break;
    case WATCH_GO_TO:
        if (count >= 0)
            player_go(&w->player, count);
        else
            ask(w, &go_to_step);
        break;
    case WATCH_VIEW:
        next_view(w);
        break;
    case WATCH_VIEW_BESIDE:
        next_view_beside(w);
        break;
    case WATCH_NEXT_RANK:
        select_rank(w, count >= 0 ? count : w->selected + 1);
        break;
    case WATCH_PREVIOUS_RANK:
        select_rank(w, w->selected - times);
        break;
    case WATCH_INSPECT:
        w->inspect = !w->inspect;
        break;
    case WATCH_NEXT_SLOT:
        select_slot(w, 1);
        break;
    case WATCH_PREVIOUS_SLOT:
        select_slot(w, -1);
        break;
    case WATCH_FOLLOW:
        follow_or_stop(w);
        break;
    case WATCH_NEXT_WRONG:
        next_wrong(w);
        break;
    case WATCH_CHANGE:
        if (w->source->change != NULL)
            ask(w, &change_run);
        else
            notify(w, true, _("a recording can not be changed"));
        break;
    case WATCH_WRITE:
        ask(w, &write_what);
        break;
    case WATCH_COUNT:
        add_digit(w, key);
        break;
    case WATCH_POINT:
        click(w);
        break;
    case WATCH_HELP:
        w->help = 1;
        break;
    case WATCH_QUIT:
        w->quit = true;
        break;
    }
}

static int
help_after(const struct watch *w, int key)
{
    struct scene scene = scene_of(w);
    int columns, rows;

    screen_size(w->stage.screen, &columns, &rows);
    return frame_help_after(&scene, columns, rows, key);
}

static void
key_pressed(struct watch *w, int key)
{
    if (w->prompt.open) {
        prompt_pressed(w, key);
        return;
    }
    notify(w, false, "");
    if (w->help > 0)
        w->help = help_after(w, key);
    else
        answer_key(w, key);
}

/* Whether the picture changes while a step is in flight. */
static bool
moves(const struct watch *w)
{
    struct scene scene = scene_of(w);
    struct layout l;

    return shows_picture(w, &l) && panes_move(&scene, l.picture);
}

/* When there is something to do without a key. The time for which a rank has
 * been awaited is shown in seconds. */
static int64_t
due(const struct watch *w, int64_t now)
{
    enum { SECOND_NS = 1000000000 };
    int64_t awaited = player_awaited(&w->player, now);
    int64_t next = player_due(&w->player, now);
    int64_t tick = now + SECOND_NS - awaited % SECOND_NS;

    return awaited > 0 && tick < next ? tick : next;
}

/* Waits for an event and handles it. Returns false when the user quits. */
static bool
turn(struct watch *w)
{
    int key;

    switch (stage_wait(&w->stage, player_fd(&w->player),
                       due(w, clock_ns()),
                       player_moves(&w->player) && moves(w), &key)) {
    case SCREEN_KEY:
        key_pressed(w, key);
        break;
    case SCREEN_SIGNAL:
        w->quit = true;
        break;
    default:
        break;
    }
    return !w->quit;
}

static bool
loop(struct watch *w, struct err *err)
{
    draw(w); /* preparing a run may take seconds */
    stage_hurry(&w->stage);
    if (w->source->start != NULL &&
        !w->source->start(w->source->state, err))
        return false;
    do {
        if (!player_advance(&w->player, clock_ns(), err))
            return false;
        if (stage_wants_frame(&w->stage))
            draw(w);
    } while (turn(w));
    return true;
}

bool
watch_on(struct screen *screen, const struct watch_source *source, bool ascii,
         struct err *err)
{
    struct watch w = {.source = source, .session = source->session,
                      .view = -1};
    bool ok;

    w.changes = source->back != NULL && source->back->changes != NULL
                    ? source->back->changes : &w.remembered;
    stage_init(&w.stage, screen, ascii);
    w.quit = signals_ending() != 0; /* a signal may come before the screen */
    begin(&w);
    if (source->back != NULL)
        w.player.target = source->back->step;
    if (source->back != NULL && source->back->task != NULL)
        notify(&w, false, source->back->task);
    ok = w.quit || loop(&w, err);
    trail_free(w.trail);
    player_done(&w.player);
    stage_done(&w.stage);
    return ok;
}

bool
watch(const struct watch_source *source, bool ascii, struct err *err)
{
    struct screen *screen;
    bool ok;

    if (!screen_open(&screen, err))
        return false;
    ok = watch_on(screen, source, ascii, err);
    screen_close(screen);
    return ok;
}
