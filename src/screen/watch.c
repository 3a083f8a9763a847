/* SPDX-License-Identifier: MIT */
#include "screen/watch.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/translate.h"
#include "model/holdup.h"
#include "play/player.h"
#include "screen/publish.h"
#include "screen/stage.h"
#include "text/sum.h"
#include "view/frame.h"

struct watch {
    struct job **job; /* NULL: a recording, which cannot be changed */
    struct session *session;
    const struct watch_way_back *back;
    struct stage stage;
    struct player player;
    struct prompt_history remembered, *changes; /* typed at the key `a` */
    char typed[6]; /* the digits of a number before a key */
    int count;     /* that number, once the key is typed; -1: none */
    int selected, slot, view, beside; /* as in a scene */
    struct trail *trail; /* NULL: nothing is followed */
    bool inspect;
    struct panes panes; /* of the picture, and whether it moves */
    bool moves;
    unsigned tried;  /* bit i: the way back's try i is done */
    struct buf task; /* the next one, as it is shown */
};

/* What is shown. */

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
        .colourless = w->stage.colourless,
        .selected = w->selected,
        .view = w->view,
        .beside = w->beside,
        .inspect = w->inspect,
        .slot = w->slot,
        .awaited_ns = player_awaited(&w->player, clock_ns()),
        .note = session_note(w->session),
        .replay = w->job == NULL,
        .trail = w->trail,
    };
}

static struct surround
around_of(struct watch *w)
{
    return (struct surround){
        .playing = w->player.playing,
        .speed = w->player.speed,
        .typed = w->typed[0] != '\0' ? w->typed : NULL,
        .back = w->back->to,
        .panes = &w->panes,
        .in_lesson = w->back->lesson,
        .task = w->task.length > 0 ? buf_text(&w->task) : NULL,
    };
}

static bool
draw(void *self, struct canvas *c)
{
    struct watch *w = self;
    const struct schedule *schedule = w->session->world->schedule;
    const struct surround around = around_of(w);
    struct scene scene;

    if (schedule != NULL && w->selected >= schedule->nranks)
        w->selected = 0; /* a changed run may have fewer ranks */
    scene = scene_of(w);
    w->moves = frame_draw(&scene, &around, c);
    return true;
}

static struct help
help_of(void *self, const struct canvas *c)
{
    struct scene scene = scene_of(self);
    struct surround around = around_of(self);

    return frame_help(&scene, &around, c->columns, c->rows);
}

/* The run. */

static bool
start(void *self, struct err *err)
{
    struct watch *w = self;

    return job_start(*w->job, false, err);
}

static bool
advance(void *self, int64_t now, struct err *err)
{
    struct watch *w = self;

    return player_advance(&w->player, now, err);
}

/* The time for which a rank has been awaited is shown in seconds, and arrows
 * pulse. */
static struct pause
wait_for(const void *self, int64_t now)
{
    const struct watch *w = self;
    int64_t awaited = player_awaited(&w->player, now);
    int64_t next = player_due(&w->player, now);
    int64_t tick = now + HOLDUP_PULSE_NS - awaited % HOLDUP_PULSE_NS;

    return (struct pause){
        .due_ns = awaited > 0 && tick < next ? tick : next,
        .fd = player_fd(&w->player),
        .moves = player_moves(&w->player) && w->moves};
}

/* What the player asks before it plays a step. */
static int64_t
reading(const void *self)
{
    const struct watch *w = self;
    struct scene scene = scene_of(w);

    return frame_reading_ns(&scene, w->stage.canvas.columns,
                            w->stage.canvas.rows);
}

/* Prepares the player for a session. */
static void
begin(struct watch *w, struct session *session)
{
    w->session = session;
    player_init(&w->player, session);
    w->player.reading = reading;
    w->player.reader = w;
}

/* What a lesson asks the learner to try. */

static void
set_task(struct watch *w)
{
    int next = 0;

    buf_clear(&w->task);
    if (w->back->ntries == 0)
        return;
    while (next < w->back->ntries && (w->tried & 1u << next) != 0)
        next++;
    if (next < w->back->ntries)
        buf_addf(&w->task, _("Now type: a, then  %s  and Enter  (%d of %d)"),
                 w->back->tries[next], next + 1, w->back->ntries);
    else
        buf_puts(&w->task, _("That was all. Look around; Enter goes back to "
                             "the lesson."));
}

static bool
same_words(const char *a, const char *b)
{
    for (;;) {
        size_t x, y;
        a += strspn(a, " \t");
        b += strspn(b, " \t");
        x = strcspn(a, " \t");
        y = strcspn(b, " \t");
        if (x != y || strncmp(a, b, x) != 0)
            return false;
        if (x == 0)
            return true;
        a += x;
        b += y;
    }
}

/* The selected slot: another one, the data in it followed through the run, the
 * next one that is wrong. */

static void
follow_none(struct watch *w)
{
    trail_free(w->trail);
    w->trail = NULL;
}

/* Follows what the selected slot holds. */
static void
follow_slot(struct watch *w)
{
    const struct world *world = w->session->world;
    const uint64_t *row = world_row(world, w->selected, w->slot);
    struct buf text = {0}, name = {0};
    char rank[SCENE_NAME_MAX];

    follow_none(w);
    sum_name(world, row, &name);
    scene_rank_name(world->schedule, w->selected, rank);
    if (name.length == 0)
        buf_addf(&text, _("slot %1$d of %2$s is empty"), w->slot, rank);
    else if ((w->trail = trail_new(world->schedule, w->selected, w->slot,
                                   world->position)) == NULL)
        buf_puts(&text, _("this run is too large to follow data in it"));
    else
        buf_addf(&text, _("following %1$s of %2$s; Up, Down: another slot; "
                          "Esc: stop"), buf_text(&name), rank);
    stage_notify(&w->stage, false, buf_text(&text));
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

/* Follows the slot, or no longer if it is followed already.  Outside the
 * inspector, begins with the slot that the words are about. */
static void
follow(struct watch *w)
{
    const struct world *world = w->session->world;
    int slot;

    if (world->schedule == NULL || !world_step_complete(world, 0))
        return;
    if (w->trail != NULL && w->trail->rank == w->selected &&
        (w->trail->slot == w->slot || !w->inspect)) {
        follow_none(w);
        return;
    }
    if (!w->inspect && (slot = slot_in_use(w)) >= 0)
        w->slot = slot;
    if (w->slot >= world->schedule->nslots)
        w->slot = 0;
    follow_slot(w);
}

/* Selects a slot: the inspector shows it, or else what it holds is followed, or
 * no longer if it is followed already. */
static void
pick_slot(struct watch *w, int rank, int slot)
{
    w->selected = rank;
    w->slot = slot;
    if (!w->inspect && w->trail != NULL && w->trail->rank == rank &&
        w->trail->slot == slot)
        follow_none(w);
    else if (!w->inspect)
        follow_slot(w);
}

static void
select_slot(struct watch *w, int by)
{
    const struct schedule *s = w->session->world->schedule;

    if (!w->inspect && w->trail == NULL) {
        stage_notify(&w->stage, false,
                     _("no slots are open: i opens them"));
        return;
    }
    if (s == NULL || w->slot + by < 0 || w->slot + by >= s->nslots)
        return;
    w->slot += by;
    if (w->trail != NULL && !w->inspect)
        follow_slot(w);
}

/* Opens the inspector on the next wrong slot, in the order of ranks. */
static void
next_wrong(struct watch *w)
{
    const struct world *world = w->session->world;
    const struct schedule *s = world->schedule;
    int cells = s != NULL ? s->nranks * s->nslots : 0;

    for (int k = 0; k < cells; k++) {
        int cell = (w->selected * s->nslots + w->slot + k + w->inspect) % cells;
        if (!world_is_wrong(world, world->position, cell / s->nslots,
                            cell % s->nslots))
            continue;
        w->selected = cell / s->nslots;
        w->slot = cell % s->nslots;
        w->inspect = true;
        return;
    }
    stage_notify(&w->stage, false,
                 _("no slot is known to be wrong at this step"));
}

/* Writing files. */

/* The film shows the steps that are known so far, and leaves the world as it
 * was. */
static bool
write_film(struct watch *w, const char *path, struct err *err)
{
    struct world *world = w->session->world;
    struct session known = {.world = world, .granted = world->nsteps};
    int position = world->position;
    struct film f;
    bool ok;

    film_init(&f, &known, w->stage.canvas.columns, w->stage.canvas.rows,
              w->stage.glyphs);
    f.view = w->view;
    f.beside = w->beside;
    f.selected = w->selected;
    world_seek(world, 0);
    ok = publish_film_file(path, &f, screen_ground(w->stage.screen), err);
    film_done(&f);
    world_seek(world, position);
    return ok;
}

static bool
write_file(struct watch *w, const char *path, struct err *err)
{
    struct scene scene = scene_of(w);

    switch (publish_kind(path)) {
    case PUBLISH_FILM:
        return write_film(w, path, err);
    case PUBLISH_PICTURE:
        return publish_scene(path, &scene, w->stage.canvas.columns,
                             w->stage.canvas.rows,
                             screen_ground(w->stage.screen), err);
    default:
        return session_record(w->session, path, err);
    }
}

/* What is asked at the bottom of the screen. */

static bool
enter_file(void *self, const char *path, struct err *err)
{
    struct watch *w = self;
    const struct world *world = w->session->world;
    enum publish_kind kind = publish_kind(path);
    bool whole = kind != PUBLISH_RECORDING || world->has_end;
    struct buf text = {0};

    if (kind == PUBLISH_UNKNOWN)
        return err_set(err, _("%s: the name of a file must end in .jsonl, "
                              ".svg, .gif or .cast"), path);
    if (kind != PUBLISH_RECORDING &&
        (world->schedule == NULL || !world_step_complete(world, 0)))
        return err_set(err, _("there is nothing to show yet"));
    if (!publish_may_write(path, w->stage.replaced, err))
        return false;
    stage_busy(&w->stage, _("writing ...")); /* a film may take seconds */
    if (!write_file(w, path, err))
        return false;
    buf_addf(&text, whole ? _("written to %s") : _("being written to %s"),
             path);
    stage_notify(&w->stage, false, buf_text(&text));
    buf_done(&text);
    return true;
}

static bool
enter_step(void *self, const char *typed, struct err *err)
{
    struct watch *w = self;
    long long step = strtoll(typed, NULL, 10);

    if (typed[strspn(typed, "0123456789")] != '\0')
        return err_set(err, "'%s' is not a step: type a number", typed);
    player_go(&w->player, step > INT_MAX ? INT_MAX : (int)step);
    return true;
}

/* Changes the run and starts the new one from its beginning, at the same speed.
 * This may take seconds. */
static bool
enter_change(void *self, const char *typed, struct err *err)
{
    struct watch *w = self;
    struct job *old = *w->job, *changed;
    int speed = w->player.speed;

    stage_busy(&w->stage, _("preparing the run ..."));
    changed = job_changed(old, typed, err);
    if (changed == NULL || !job_start(changed, false, err)) {
        job_free(changed);
        return false;
    }
    if (!session_end(&old->session, true, err))
        stage_notify(&w->stage, true, err->text);
    for (int i = 0; i < w->back->ntries; i++)
        if (same_words(typed, w->back->tries[i]))
            w->tried |= 1u << i;
    set_task(w);
    w->selected = w->slot = 0;
    follow_none(w);
    player_done(&w->player);
    *w->job = changed;
    job_free(old);
    begin(w, &changed->session);
    w->player.speed = speed;
    return true;
}

static const struct question
    ask_step = {N_("go to step:"), "", enter_step, NULL},
    ask_change = {N_("change:"),
                  N_("5 (GPUs)  --count 12  --op max  --type int32  "
                     "--delay 2=300  --pace free\nTab completes names, Up is "
                     "what was typed before"),
                  enter_change, options_complete},
    ask_file = {N_("write to:"),
                N_("run.jsonl: the run, to replay  run.svg: this picture  "
                   "run.gif, run.cast: a film"),
                enter_file, NULL};

/* Keys. */

/* Goes `by` times as many steps on as the number before the key says. */
static void
go_by(struct watch *w, int by)
{
    int shown = w->player.step > 0 ? w->player.step
                                   : w->session->world->position;

    player_go(&w->player, shown + by * (w->count >= 0 ? w->count : 1));
}

static void
next(struct watch *w)
{
    if (w->count >= 0) {
        go_by(w, 1);
        return;
    }
    w->player.playing = false;
    player_next(&w->player, clock_ns());
}

static void
select_rank(struct watch *w, int rank)
{
    const struct schedule *s = w->session->world->schedule;

    if (s != NULL)
        w->selected = (rank % s->nranks + s->nranks) % s->nranks;
}

/* A click selects a rank, then one of its slots, or goes to a step. */
static void
point(struct watch *w)
{
    struct scene scene = scene_of(w);
    struct frame_target hit = frame_at(&scene, w->stage.canvas.columns,
                                       w->stage.canvas.rows,
                                       screen_pointed(w->stage.screen));

    if (hit.what == FRAME_STEP)
        player_go(&w->player, hit.number);
    else if (hit.what == FRAME_RANK && hit.slot >= 0 &&
             (hit.number == w->selected || w->inspect))
        pick_slot(w, hit.number, hit.slot);
    else if (hit.what == FRAME_RANK)
        w->selected = hit.number;
}

/* Digits are kept for the key that follows them; Backspace takes the last one
 * away. */
static void
type_digit(struct watch *w, int key)
{
    size_t length = strlen(w->typed);

    if (key == SCREEN_KEY_BACKSPACE)
        w->typed[length - 1] = '\0';
    else if (length + 1 < sizeof w->typed) {
        w->typed[length] = (char)key;
        w->typed[length + 1] = '\0';
    }
}

/* Keys of the clock. `times`: what was typed before, or 1. */
static void
answer_clock(struct watch *w, int request, bool counted, int times)
{
    struct player *p = &w->player;

    switch (request) {
    case DO_BACK:
        if (counted)
            go_by(w, -1);
        else
            player_back(p);
        break;
    case DO_NEXT:
        next(w);
        break;
    case DO_PAGE_BACK:
        go_by(w, -KEY_STEPS);
        break;
    case DO_PAGE_NEXT:
        go_by(w, KEY_STEPS);
        break;
    case DO_FIRST:
        player_go(p, 0);
        break;
    case DO_LAST:
        player_go(p, counted ? times : w->session->world->nsteps);
        break;
    case DO_GO_TO:
        if (counted)
            player_go(p, times);
        else
            stage_ask(&w->stage, &ask_step, NULL);
        break;
    case DO_PLAY:
        player_play(p, clock_ns());
        break;
    case DO_FASTER:
        player_faster(p, times);
        break;
    default: /* DO_SLOWER */
        player_faster(p, -times);
    }
}

/* Keys of what is shown. */
static void
answer_view(struct watch *w, int request, bool counted, int times)
{
    const struct canvas *c = &w->stage.canvas;
    struct scene scene = scene_of(w);

    switch (request) {
    case DO_VIEW:
        w->view = frame_next_view(&scene, c->columns, c->rows);
        break;
    case DO_VIEW_BESIDE:
        w->beside = frame_next_beside(&scene, c->columns, c->rows);
        if (w->beside == scene.beside && scene.world->schedule != NULL)
            stage_notify(&w->stage, true,
                         _("there is no room for a second view"));
        break;
    case DO_NEXT_RANK:
        select_rank(w, counted ? times : w->selected + 1);
        break;
    case DO_PREVIOUS_RANK:
        select_rank(w, w->selected - times);
        break;
    case DO_INSPECT:
        w->inspect = !w->inspect;
        break;
    case DO_NEXT_SLOT:
        select_slot(w, 1);
        break;
    case DO_PREVIOUS_SLOT:
        select_slot(w, -1);
        break;
    case DO_FOLLOW:
        follow(w);
        break;
    case DO_NEXT_WRONG:
        next_wrong(w);
        break;
    case DO_POINT:
        point(w);
        break;
    case DO_CLOSE: /* a number that was typed is gone already */
        if (!counted && w->inspect)
            w->inspect = false;
        else if (!counted)
            follow_none(w);
        break;
    default:
        break;
    }
}

static bool
answer(void *self, int request, struct err *err)
{
    struct watch *w = self;
    bool counted;
    int times;

    (void)err;
    if (request == DO_DIGIT ||
        (w->stage.key == SCREEN_KEY_BACKSPACE && w->typed[0] != '\0')) {
        type_digit(w, w->stage.key);
        return true;
    }
    counted = w->typed[0] != '\0';
    w->count = counted ? atoi(w->typed) : -1;
    w->typed[0] = '\0';
    times = counted ? w->count : 1;
    switch (request) {
    case DO_BACK:
    case DO_NEXT:
    case DO_PAGE_BACK:
    case DO_PAGE_NEXT:
    case DO_FIRST:
    case DO_LAST:
    case DO_GO_TO:
    case DO_PLAY:
    case DO_FASTER:
    case DO_SLOWER:
        answer_clock(w, request, counted, times);
        break;
    case DO_CHANGE:
        if (w->job != NULL)
            stage_ask(&w->stage, &ask_change, w->changes);
        else
            stage_notify(&w->stage, true, _("a recording cannot be changed"));
        break;
    case DO_WRITE:
        stage_ask(&w->stage, &ask_file, NULL);
        break;
    default:
        stage_answer(&w->stage, request);
        answer_view(w, request, counted, times);
    }
    return true;
}

bool
watch_can(void)
{
    struct err reason;

    return screen_can(&reason);
}

static bool
watch(struct job **job, struct session *session, struct screen *screen,
      const struct watch_way_back *back, bool ascii, struct err *err)
{
    static const struct watch_way_back nowhere = {.step = -1};
    struct watch w = {.job = job, .view = -1,
                      .back = back != NULL ? back : &nowhere};
    const struct act act = {
        .accent = w.back->lesson ? ROLE_LEARN
                  : job == NULL  ? ROLE_REPLAY
                                 : ROLE_WATCH,
        .draw = draw, .help = help_of, .request = answer,
        .start = job != NULL ? start : NULL, .advance = advance,
        .pause = wait_for};
    bool ok;

    w.changes = w.back->changes != NULL ? w.back->changes : &w.remembered;
    begin(&w, session);
    set_task(&w);
    w.player.target = w.back->step;
    if (w.back->asks)
        stage_ask(&w.stage, &ask_change, w.changes);
    else if (w.back->task != NULL)
        stage_notify(&w.stage, false, w.back->task);
    ok = stage_run(&w.stage, screen, ascii, &act, &w, err);
    follow_none(&w);
    buf_done(&w.task);
    player_done(&w.player);
    return ok;
}

bool
watch_job(struct job **job, struct screen *screen,
          const struct watch_way_back *back, bool ascii, struct err *err)
{
    bool ok = watch(job, &(*job)->session, screen, back, ascii, err);

    return session_end(&(*job)->session, ok, err);
}

bool
watch_recording(struct session *session, struct screen *screen,
                const struct watch_way_back *back, bool ascii, struct err *err)
{
    return watch(NULL, session, screen, back, ascii, err);
}
