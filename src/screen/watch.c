/* SPDX-License-Identifier: MIT */
#include "screen/watch.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bounds.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/translate.h"
#include "model/holdup.h"
#include "play/build.h"
#include "play/player.h"
#include "screen/window.h"
#include "text/sum.h"
#include "text/word.h"
#include "view/frame.h"
#include "web/publish.h"

static const int64_t LOOK_NS = 200000000; /* between two looks at a file */

/* A file as it was when it was looked at. */
struct looks {
    struct timespec changed;
    off_t size;
    ino_t number;
};

struct watch {
    struct job **job; /* NULL: a recording, which cannot be changed */
    struct session *session;
    const struct watch_way_back *back;
    struct window window;
    struct player player;
    struct prompt_history remembered, *changes; /* typed at the key `a` */
    char typed[6]; /* the digits of a number before a key */
    struct scene scene;  /* what is shown, but for the moment of the run */
    struct trail *trail; /* NULL: nothing is followed */
    struct panes panes; /* of the picture */
    struct looks made, seen; /* the run's file: as the run was made from it, and
                              * when it was last looked at */
    int64_t look_ns; /* when to look at it; INT64_MAX: never */
    unsigned tried;  /* bit i: the way back's try i is done */
    struct buf task; /* the next one, as it is shown */
};

/* What is shown. */

static struct scene
watch_scene(const struct watch *w)
{
    struct scene s = w->scene;

    player_show(&w->player, clock_ns(), &s);
    s.trail = w->trail;
    return s;
}

static bool
is_from_file(const struct watch *w)
{
    return w->job != NULL && build_is_file((*w->job)->plan->name);
}

static struct surround
watch_surround(struct watch *w)
{
    return (struct surround){
        .playing = w->player.playing,
        .speed = w->player.speed,
        .typed = w->typed[0] != '\0' ? w->typed : NULL,
        .back = w->back->to,
        .panes = &w->panes,
        .in_lesson = w->back->lesson,
        .from_file = is_from_file(w),
        .task = w->task.length > 0 ? buf_text(&w->task) : NULL,
    };
}

static bool
watch_draw(void *self, struct canvas *c)
{
    struct watch *w = self;
    const struct schedule *schedule = w->session->world->schedule;
    const struct surround around = watch_surround(w);
    struct scene scene;

    if (schedule != NULL && w->scene.selected >= schedule->nranks)
        w->scene.selected = 0; /* a changed run may have fewer ranks */
    scene = watch_scene(w);
    frame_draw(&scene, &around, c);
    return true;
}

static struct help
watch_help(void *self, const struct canvas *c)
{
    struct scene scene = watch_scene(self);
    struct surround around = watch_surround(self);

    return frame_help(&scene, &around, c->columns, c->rows);
}

/* The run. */

/* The time for which a rank has been awaited is shown in seconds, and arrows
 * pulse. */
static struct pause
watch_pause(const void *self, int64_t now)
{
    const struct watch *w = self;
    int64_t awaited = player_awaited(&w->player, now);
    int64_t next = player_due(&w->player, now);
    int64_t tick = now + HOLDUP_PULSE_NS - awaited % HOLDUP_PULSE_NS;

    next = awaited > 0 && tick < next ? tick : next;
    return (struct pause){
        .due_ns = w->look_ns < next ? w->look_ns : next,
        .fd = session_fd(w->player.session),
        .moves = player_moves(&w->player)};
}

/* The player asks for this before it plays a step. */
static int64_t
reading_time(const void *self)
{
    const struct watch *w = self;
    struct scene scene = watch_scene(w);

    return frame_reading_ns(&scene, w->window.canvas.columns,
                            w->window.canvas.rows);
}

/* Prepares the player for a session. */
static void
attach_session(struct watch *w, struct session *session)
{
    w->session = session;
    player_init(&w->player, session);
    w->player.reading = reading_time;
    w->player.reader = w;
}

static void
follow_none(struct watch *w)
{
    trail_free(w->trail);
    w->trail = NULL;
}

/* Puts a run that is changed in this way in the place of the present one, at
 * the same speed.  This may take seconds. */
static bool
replace_job(struct watch *w, const char *change, struct err *err)
{
    struct job *old = *w->job, *changed = job_changed(old, change, err);
    int speed = w->player.speed;

    if (changed == NULL || !job_start(changed, false, err)) {
        job_free(changed);
        return false;
    }
    if (!session_end(&old->session, true, err))
        window_notify(&w->window, true, "%s", err->text);
    follow_none(w);
    player_done(&w->player);
    *w->job = changed;
    job_free(old);
    attach_session(w, &changed->session);
    w->player.speed = speed;
    return true;
}

/* The file of a run, which may change. */

static struct looks
looks_of(const char *path)
{
    struct stat about;

    if (stat(path, &about) != 0)
        return (struct looks){.size = -1};
    return (struct looks){about.st_mtim, about.st_size, about.st_ino};
}

/* Makes the run again from its file, and goes to the step that was shown.  The
 * proof says which line is wrong. */
static void
remake_run(struct watch *w)
{
    const struct player *p = &w->player;
    int step = p->target >= 0 ? p->target
                              : most(p->step, w->session->world->position);
    const struct schedule *s;
    struct err err;

    w->made = w->seen = looks_of((*w->job)->plan->name);
    window_notify(&w->window, false, _("run again from the file"));
    if (!replace_job(w, "", &err)) {
        window_notify(&w->window, true, "%s", err.text);
        return;
    }
    s = (*w->job)->schedule;
    w->scene.slot = least(w->scene.slot, s->nslots - 1);
    w->player.target = least(step, s->nsteps);
    if (!job_proved(*w->job, &err))
        window_notify(&w->window, true, "%s", err.text);
}

/* --watch: a file that is being written is left alone. */
static void
look_at_file(struct watch *w, int64_t now)
{
    struct looks before = w->seen;

    w->look_ns = now + LOOK_NS;
    w->seen = looks_of((*w->job)->plan->name);
    if (is_from_file(w) && w->seen.size > 0 &&
        memcmp(&w->seen, &before, sizeof before) == 0 &&
        memcmp(&w->seen, &w->made, sizeof before) != 0) {
        remake_run(w);
        window_hurry(&w->window);
    }
}

static bool
watch_start(void *self, struct err *err)
{
    struct watch *w = self;

    return job_start(*w->job, false, err);
}

static bool
watch_advance(void *self, int64_t now, struct err *err)
{
    struct watch *w = self;

    if (now >= w->look_ns)
        look_at_file(w, now);
    return player_advance(&w->player, now, err);
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

/* Follows what the selected slot holds after the step that is shown, once all
 * of it has landed. */
static void
follow_slot(struct watch *w)
{
    const struct world *world = w->session->world;
    int step = most(w->player.step, world->position);
    const uint64_t *row = world_row_at(world, w->scene.selected, w->scene.slot,
                                       step);
    struct word rank = word_rank_name(world->schedule, w->scene.selected);
    OWN(buf) name = {0};

    follow_none(w);
    sum_name(world, row, &name);
    if (name.length == 0)
        window_notify(&w->window, false, _("slot %1$d of %2$s is empty"),
                      w->scene.slot, rank.text);
    else if ((w->trail = trail_new(world->schedule, w->scene.selected,
                                   w->scene.slot, step)) == NULL)
        window_notify(&w->window, false,
                      _("this run is too large to follow data in it"));
    else
        window_notify(&w->window, false,
                      _("following %1$s of %2$s; Up, Down: another slot; "
                        "Esc: stop"), buf_text(&name), rank.text);
}

/* Follows the slot, or no longer if it is followed already.  It begins outside
 * the inspector with the slot that the words are about: the one that the rank
 * sends next, or else the one in which it received last. */
static void
toggle_trail(struct watch *w)
{
    const struct world *world = w->session->world;
    int rank = w->scene.selected, slot = -1;
    int step = most(w->player.step, world->position);
    const struct transfer *t;
    size_t count;

    if (world->schedule == NULL || !world_step_complete(world, 0))
        return;
    if (w->trail != NULL && w->trail->rank == rank &&
        (w->trail->slot == w->scene.slot || !w->scene.inspect)) {
        follow_none(w);
        return;
    }
    t = schedule_transfers(world->schedule, step + 1, &count);
    for (size_t i = 0; i < count && slot < 0; i++)
        slot = t[i].src == rank ? t[i].src_slot : -1;
    t = schedule_transfers(world->schedule, step, &count);
    for (size_t i = 0; i < count && slot < 0; i++)
        slot = t[i].dst == rank ? t[i].dst_slot : -1;
    if (!w->scene.inspect && slot >= 0)
        w->scene.slot = slot;
    if (w->scene.slot >= world->schedule->nslots)
        w->scene.slot = 0;
    follow_slot(w);
}

static void
select_slot(struct watch *w, int by)
{
    const struct schedule *s = w->session->world->schedule;

    if (!w->scene.inspect && w->trail == NULL) {
        window_notify(&w->window, false,
                      _("no slots are open: i opens them"));
        return;
    }
    if (s == NULL || w->scene.slot + by < 0 || w->scene.slot + by >= s->nslots)
        return;
    w->scene.slot += by;
    if (w->trail != NULL && !w->scene.inspect)
        follow_slot(w);
}

/* An output that does not hold what was promised is wrong, too, at the end of a
 * wrong run: the schedule itself may be to blame. */
static bool
is_wrong(const struct world *w, int rank, int slot)
{
    const struct schedule *s = w->schedule;
    struct region out = schedule_output(s, rank);

    return world_is_wrong(w, w->position, rank, slot) ||
           (w->position == w->nsteps && w->has_result &&
            !result_right(&w->result) && region_has(out, slot) &&
            !ledger_keeps(world_row(w, rank, slot), s->nranks,
                          schedule_promise(s, rank, slot - out.first)));
}

/* Opens the inspector on the next wrong slot, in the order of ranks. */
static void
next_wrong(struct watch *w)
{
    const struct world *world = w->session->world;
    const struct schedule *s = world->schedule;
    int cells = s != NULL ? s->nranks * s->nslots : 0;

    for (int k = 0; k < cells; k++) {
        int cell = (w->scene.selected * s->nslots + w->scene.slot + k +
                    w->scene.inspect) % cells;
        if (!is_wrong(world, cell / s->nslots, cell % s->nslots))
            continue;
        w->scene.selected = cell / s->nslots;
        w->scene.slot = cell % s->nslots;
        w->scene.inspect = true;
        return;
    }
    window_notify(&w->window, false,
                  _("no slot is known to be wrong at this step"));
}

/* Writing files. */

#define RECORDING_ENDING ".jsonl"

/* A film shows the steps that are known so far, and leaves the world as it
 * was. */
static bool
write_file(struct watch *w, const char *path, struct err *err)
{
    const struct canvas *c = &w->window.canvas;
    enum ground ground = screen_facts(w->window.screen)->ground;
    struct world *world = w->session->world;
    struct session known = {.world = world, .granted = world->nsteps};
    struct scene scene = watch_scene(w);
    int position = world->position;
    struct film f;
    bool ok;

    if (publish_ends_in(path, RECORDING_ENDING))
        return session_record(w->session, path, err);
    if (publish_format(path)->of_a_step)
        return publish_scene(path, &scene, c, ground, err);
    film_init(&f, &known, c->columns, c->rows, c->glyphs);
    f.view = scene.view;
    f.beside = scene.beside;
    f.selected = scene.selected;
    world_seek(world, 0);
    ok = publish_film_file(path, &f, ground, err);
    film_done(&f);
    world_seek(world, position);
    return ok;
}

/* What is asked at the bottom of the screen. */

static bool
enter_path(void *self, const char *path, struct err *err)
{
    struct watch *w = self;
    const struct world *world = w->session->world;
    bool records = publish_ends_in(path, RECORDING_ENDING);
    OWN(buf) endings = {0};

    buf_puts(&endings, RECORDING_ENDING);
    for (int i = 1; i <= nfilm_formats; i++)
        buf_addf(&endings, "%s%s", near_before(i, nfilm_formats + 1, _(" or ")),
                 film_formats[i - 1].ending);
    if (!records && publish_format(path) == NULL)
        return err_set(err, _("%1$s: the name of a file must end in %2$s"),
                       path, buf_text(&endings));
    if (!records &&
        (world->schedule == NULL || !world_step_complete(world, 0)))
        return err_set(err, _("there is nothing to show yet"));
    if (!publish_may_write(path, w->window.replaced, err))
        return false;
    window_busy(&w->window, _("writing ...")); /* a film may take seconds */
    if (!write_file(w, path, err))
        return false;
    window_notify(&w->window, false,
                  !records || world->has_end ? _("written to %s")
                                             : _("being written to %s"), path);
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

/* Changes the run and starts the new one from its beginning. */
static bool
enter_change(void *self, const char *typed, struct err *err)
{
    struct watch *w = self;

    window_busy(&w->window, _("preparing the run ..."));
    if (!replace_job(w, typed, err))
        return false;
    for (int i = 0; i < w->back->ntries; i++)
        if (same_words(typed, w->back->tries[i]))
            w->tried |= 1u << i;
    set_task(w);
    w->scene.selected = w->scene.slot = 0;
    return true;
}

static const struct ask
    ask_step = {N_("go to step:"), "", enter_step, NULL},
    ask_change = {N_("change:"),
                  N_("5 (GPUs)  --count 12  --op max  --type int32  "
                     "--delay 2=300  --pace free\nTab completes names, Up is "
                     "what was typed before"),
                  enter_change, options_complete},
    ask_file = {N_("write to:"),
                N_("run.jsonl: the run, to replay  run.svg: this picture  "
                   "run.gif, run.cast: a film  run.html: a page"),
                enter_path, NULL};

/* Keys. */

static void
go_by_steps(struct watch *w, int by)
{
    player_go(&w->player, by + (w->player.step > 0
                                    ? w->player.step
                                    : w->session->world->position));
}

static void
select_rank(struct watch *w, int rank)
{
    const struct schedule *s = w->session->world->schedule;

    if (s != NULL)
        w->scene.selected = (rank % s->nranks + s->nranks) % s->nranks;
}

/* A click selects a rank, then one of its slots, or goes to a step.  The
 * inspector shows the slot, or else what it holds is followed, or no longer if
 * it is followed already. */
static void
click_scene(struct watch *w)
{
    const struct world *world = w->session->world;
    struct target hit = w->window.hit;
    bool again = hit.number == w->scene.selected || w->scene.inspect;

    if (hit.kind == TARGET_STEP)
        player_go(&w->player, hit.number);
    /* what is on the screen may be of the run before this one */
    if (hit.kind != TARGET_RANK || !world_step_complete(world, 0) ||
        hit.number >= world->schedule->nranks ||
        hit.slot >= world->schedule->nslots)
        return;
    w->scene.selected = hit.number;
    if (hit.slot < 0 || !again)
        return;
    w->scene.slot = hit.slot;
    if (w->scene.inspect)
        return;
    if (w->trail != NULL && w->trail->rank == hit.number &&
        w->trail->slot == hit.slot)
        follow_none(w);
    else
        follow_slot(w);
}

/* Keys of the clock.  `times`: what was typed before, or 1.  Returns false for
 * other keys. */
static bool
answer_clock(struct watch *w, int request, bool counted, int times)
{
    struct player *p = &w->player;

    switch (request) {
    case DO_BACK:
        if (counted)
            go_by_steps(w, -times);
        else
            player_back(p);
        return true;
    case DO_NEXT:
        if (counted) {
            go_by_steps(w, times);
        } else {
            p->playing = false;
            player_next(p, clock_ns());
        }
        return true;
    case DO_PAGE_BACK:
    case DO_PAGE_NEXT:
        go_by_steps(w, keys_by(request) * times);
        return true;
    case DO_FIRST:
        player_go(p, 0);
        return true;
    case DO_LAST:
        player_go(p, counted ? times : w->session->world->nsteps);
        return true;
    case DO_GO_TO:
        if (counted)
            player_go(p, times);
        else
            window_ask(&w->window, &ask_step, NULL);
        return true;
    case DO_PLAY:
        player_play(p, clock_ns());
        return true;
    case DO_FASTER:
    case DO_SLOWER:
        player_faster(p, request == DO_FASTER ? times : -times);
        return true;
    default:
        return false;
    }
}

/* Keys of what is shown. */
static void
answer_view(struct watch *w, int request, bool counted, int times)
{
    const struct canvas *c = &w->window.canvas;
    struct scene scene = watch_scene(w);

    switch (request) {
    case DO_VIEW:
        w->scene.view = frame_next_view(&scene, c->columns, c->rows);
        break;
    case DO_VIEW_BESIDE:
        w->scene.beside = frame_next_beside(&scene, c->columns, c->rows);
        if (w->scene.beside == scene.beside && scene.world->schedule != NULL)
            window_notify(&w->window, true,
                          _("there is no room for a second view"));
        break;
    case DO_NEXT_RANK:
        select_rank(w, counted ? times : w->scene.selected + 1);
        break;
    case DO_PREVIOUS_RANK:
        select_rank(w, w->scene.selected - times);
        break;
    case DO_INSPECT:
        w->scene.inspect = !w->scene.inspect;
        break;
    case DO_NEXT_SLOT:
    case DO_PREVIOUS_SLOT:
        select_slot(w, request == DO_NEXT_SLOT ? 1 : -1);
        break;
    case DO_FOLLOW:
        toggle_trail(w);
        break;
    case DO_NEXT_WRONG:
        next_wrong(w);
        break;
    case DO_POINT:
        click_scene(w);
        break;
    case DO_CLOSE: /* a number that was typed is gone already */
        if (!counted && w->scene.inspect)
            w->scene.inspect = false;
        else if (!counted)
            follow_none(w);
        break;
    case DO_CHANGE:
        if (w->job != NULL)
            window_ask(&w->window, &ask_change, w->changes);
        else
            window_notify(&w->window, true, _("a recording cannot be changed"));
        break;
    case DO_AGAIN:
        remake_run(w);
        break;
    case DO_WRITE:
        window_ask(&w->window, &ask_file, NULL);
        break;
    default:
        window_answer(&w->window, request);
    }
}

static bool
watch_request(void *self, int request, struct err *err)
{
    struct watch *w = self;
    size_t length = strlen(w->typed);
    bool counted = length > 0;
    int times;

    (void)err;
    if (counted && w->window.key == SCREEN_KEY_BACKSPACE) {
        w->typed[length - 1] = '\0';
        return true;
    }
    if (request == DO_DIGIT) { /* kept for the key that follows */
        if (length + 1 < sizeof w->typed) {
            w->typed[length] = (char)w->window.key;
            w->typed[length + 1] = '\0';
        }
        return true;
    }
    times = counted ? atoi(w->typed) : 1;
    w->typed[0] = '\0';
    if (!answer_clock(w, request, counted, times))
        answer_view(w, request, counted, times);
    return true;
}

bool
watch_can(void)
{
    struct err reason;

    return screen_can(&reason);
}

static bool
watch_session(struct job **job, struct session *session, struct screen *screen,
              const struct watch_way_back *back, bool ascii, struct err *err)
{
    static const struct watch_way_back nowhere = {.step = -1};
    struct watch w = {.job = job, .scene = {.view = -1, .replay = job == NULL},
                      .back = back != NULL ? back : &nowhere};
    const struct window_kind kind = {
        .accent = w.back->lesson ? ROLE_LEARN
                  : job == NULL  ? ROLE_REPLAY
                                 : ROLE_WATCH,
        .draw = watch_draw, .help = watch_help, .request = watch_request,
        .start = job != NULL ? watch_start : NULL, .advance = watch_advance,
        .pause = watch_pause};
    bool ok;

    w.look_ns = INT64_MAX;
    if (is_from_file(&w) && (*job)->plan->o.watch) {
        w.made = w.seen = looks_of((*job)->plan->name);
        w.look_ns = 0;
    }
    w.changes = w.back->changes != NULL ? w.back->changes : &w.remembered;
    attach_session(&w, session);
    set_task(&w);
    w.player.target = w.back->step;
    if (w.back->asks)
        window_ask(&w.window, &ask_change, w.changes);
    else if (w.back->task != NULL)
        window_notify(&w.window, false, "%s", w.back->task);
    else if (is_from_file(&w) && !job_proved(*job, err))
        window_notify(&w.window, true, "%s", err->text);
    ok = window_run(&w.window, screen, ascii, &kind, &w, err);
    follow_none(&w);
    buf_done(&w.task);
    player_done(&w.player);
    return ok;
}

bool
watch_job(struct job **job, struct screen *screen,
          const struct watch_way_back *back, bool ascii, struct err *err)
{
    bool ok = watch_session(job, &(*job)->session, screen, back, ascii, err);

    return session_end(&(*job)->session, ok, err);
}

bool
watch_recording(struct session *session, struct screen *screen,
                const struct watch_way_back *back, bool ascii, struct err *err)
{
    return watch_session(NULL, session, screen, back, ascii, err);
}
