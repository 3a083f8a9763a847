/* SPDX-License-Identifier: MIT */
#include "screen/home.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/signals.h"
#include "base/translate.h"
#include "lesson/shelf.h"
#include "play/recording.h"
#include "screen/course.h"
#include "screen/home_list.h"
#include "screen/preview.h"
#include "screen/stage.h"
#include "screen/watch_job.h"
#include "term/prompt.h"
#include "view/keys.h"

enum { PREVIEW_BYTES_MOST = 8 << 20 }; /* of a recording */

/* A preview begins once the cursor rests. */
static const int64_t REST_NS = 150000000;

struct home_screen {
    const struct options *o;
    struct screen *screen;
    struct stage stage;
    struct home_list list;
    struct home view;
    int *listed; /* view.listed */
    struct prompt search;
    struct prompt_history changes; /* typed in runs */
    struct preview preview;
    struct scene scene; /* of the preview */
    struct err trouble; /* why there is no preview, or "" */
    int previewed;      /* the row; -1: none */
    int64_t preview_ns; /* when the preview of the chosen row begins */
    struct err notice;
    int help; /* its page; 0: none */
    bool quit;
};

static void
notify(struct home_screen *h, bool alarm, const char *text)
{
    err_set(&h->notice, "%s", text);
    h->view.notice = text[0] != '\0' ? h->notice.text : NULL;
    h->view.alarm = alarm;
}

/* The chosen row, by its index in all rows; -1: none. */
static int
chosen_row(const struct home_screen *h)
{
    return h->view.nlisted > 0 ? h->listed[h->view.chosen] : -1;
}

static void
choose(struct home_screen *h, int listed)
{
    int most = h->view.nlisted - 1;

    h->view.chosen = listed > most ? most : listed;
    if (h->view.chosen < 0)
        h->view.chosen = 0;
    if (h->previewed == chosen_row(h))
        return;
    preview_close(&h->preview);
    h->previewed = -1;
    h->preview_ns = clock_ns() + REST_NS;
}

/* Lists what the search finds or what is behind the door, and chooses `row` if
 * it is there. */
static void
fill_list(struct home_screen *h, int row)
{
    int at = 0;

    free(h->listed);
    h->listed = mem_new((size_t)h->list.count, sizeof *h->listed);
    if (h->search.open)
        home_list_find(&h->list, h->search.typed, h->listed,
                       &h->view.nlisted, &h->view.nnamed);
    else
        home_list_behind(&h->list, h->view.door, h->listed,
                         &h->view.nlisted);
    for (int i = 0; i < h->view.nlisted; i++)
        if (h->listed[i] == row)
            at = i;
    h->view.rows = h->list.rows;
    h->view.listed = h->listed;
    h->view.search = h->search.open ? h->search.text : NULL;
    choose(h, at);
}

static void
open_door(struct home_screen *h, enum home_door door)
{
    h->view.door = door;
    fill_list(h, door == HOME_LEARN ? home_list_lesson(&h->list, NULL) : -1);
}

/* Previews. */

static bool
preview_file(struct home_screen *h, const char *path, struct err *err)
{
    struct stat about;

    if (stat(path, &about) == 0 && about.st_size > PREVIEW_BYTES_MOST)
        return err_set(err, _("%lld MiB: Enter shows it"),
                       (long long)about.st_size >> 20);
    return preview_recording(&h->preview, path, err);
}

static void
open_preview(struct home_screen *h)
{
    int row = chosen_row(h);
    const struct home_entry *e = row >= 0 ? &h->list.entries[row] : NULL;

    h->preview_ns = INT64_MAX;
    h->previewed = row;
    h->trouble.text[0] = '\0';
    if (e != NULL && e->picture != NULL)
        preview_run(&h->preview, e->picture, &h->trouble);
    else if (e != NULL && e->opens && h->list.rows[row].door == HOME_REPLAY)
        preview_file(h, e->name, &h->trouble);
    if (h->trouble.text[0] != '\0')
        notify(h, true, h->trouble.text);
}

/* A preview that fails is not shown. */
static void
advance_preview(struct home_screen *h)
{
    struct err err;

    if (clock_ns() >= h->preview_ns && !screen_has_key(h->screen))
        open_preview(h);
    if (preview_advance(&h->preview, clock_ns(), &err))
        return;
    preview_close(&h->preview);
    notify(h, true, err.text);
}

static void
draw(struct home_screen *h)
{
    struct canvas *canvas = stage_canvas(&h->stage);
    struct help help;

    h->view.scene = NULL;
    if (h->preview.open) {
        h->scene = preview_scene(&h->preview, h->stage.glyphs);
        h->view.recorded = h->preview.job == NULL;
        h->view.scene = &h->scene;
    }
    home_draw(&h->view, h->stage.glyphs, canvas);
    if (h->help > 0) {
        help = home_help(&h->view, canvas);
        help_draw(&help, h->help, h->stage.glyphs, canvas);
    }
    stage_show(&h->stage);
}

/* Going there, and back. */

static bool
go_to_lesson(struct home_screen *h, const struct home_entry *e,
             struct err *err)
{
    char *path = shelf_find(e->name, err);
    bool ok = path != NULL &&
              course(h->screen, h->o, e->name, path, _("home"), err);

    free(path);
    return ok;
}

static bool
go_to_run(struct home_screen *h, const char *algorithm, const char *backend,
          struct err *err)
{
    const struct watch_way_back back = {.to = _("home"),
                                        .changes = &h->changes};
    struct options o;
    struct job *job;
    int status;
    bool ok;

    options_copy(&o, h->o);
    if (backend != NULL) {
        free(o.backend);
        o.backend = mem_string(backend);
    }
    job = job_new(algorithm, &o, &status, err);
    options_done(&o);
    ok = job != NULL && watch_job(&job, h->screen, &back, h->o->ascii, err);
    job_free(job);
    return ok;
}

static bool
go_to_recording(struct home_screen *h, const char *path, struct err *err)
{
    const struct watch_way_back back = {.to = _("home")};
    struct session session;
    bool ok;

    session_init(&session);
    ok = recording_read(&session, path, err) &&
         watch_on(h->screen,
                  &(struct watch_source){.session = &session, .back = &back},
                  h->o->ascii, err);
    session_done(&session);
    return ok;
}

static bool
go_there(struct home_screen *h, int row, struct err *err)
{
    const struct home_entry *e = &h->list.entries[row];

    switch (h->list.rows[row].door) {
    case HOME_LEARN:
        return go_to_lesson(h, e, err);
    case HOME_WATCH:
        return go_to_run(h, e->name, NULL, err);
    case HOME_REPLAY:
        return go_to_recording(h, e->name, err);
    default:
        return go_to_run(h, "ring-allreduce", e->name, err);
    }
}

/* Lists what is there now: a lesson may be done, a run recorded. */
static void
come_back(struct home_screen *h, enum home_door door, const char *name)
{
    struct err why;

    if (door == HOME_LEARN && !home_list_read_lessons(&h->list, &why))
        notify(h, true, why.text);
    home_list_read_recordings(&h->list);
    h->previewed = -1;
    fill_list(h, door == HOME_LEARN ? home_list_lesson(&h->list, name)
                                    : home_list_row(&h->list, door, name));
    stage_hurry(&h->stage);
}

static void
go(struct home_screen *h)
{
    int row = chosen_row(h);
    struct err err = {""};
    char *name;
    enum home_door door;

    if (row < 0)
        return;
    if (!h->list.entries[row].opens) {
        notify(h, true, h->list.rows[row].text);
        return;
    }
    preview_close(&h->preview);
    name = mem_string(h->list.entries[row].name);
    door = h->list.rows[row].door;
    if (!go_there(h, row, &err) && signals_ending() == 0)
        notify(h, true, err.text);
    h->quit = signals_ending() != 0;
    if (!h->quit)
        come_back(h, door, name);
    free(name);
}

/* Keys. */

static void
begin_search(struct home_screen *h)
{
    prompt_open(&h->search, _("search:"), NULL);
    fill_list(h, chosen_row(h));
}

/* The door of the chosen row opens. */
static void
end_search(struct home_screen *h)
{
    int row = chosen_row(h);

    h->search.open = false;
    if (row >= 0)
        h->view.door = h->list.rows[row].door;
    fill_list(h, row);
}

static void
click(struct home_screen *h)
{
    struct home_target at = home_at(&h->view, &h->stage.canvas,
                                    screen_pointed(h->screen));

    if (at.door >= 0)
        open_door(h, (enum home_door)at.door);
    else if (at.row >= 0 && at.row == h->view.chosen)
        go(h);
    else if (at.row >= 0)
        choose(h, at.row);
}

static void
type(struct home_screen *h, int key)
{
    if (!h->search.open && (key <= ' ' || key > '~'))
        return;
    if (key == SCREEN_KEY_BACKSPACE && h->search.typed[0] == '\0') {
        end_search(h);
        return;
    }
    if (!h->search.open)
        begin_search(h);
    prompt_key(&h->search, key);
    fill_list(h, chosen_row(h));
}

static void
answer_key(struct home_screen *h, int key)
{
    unsigned state = h->search.open ? KEY_SEARCHING : 0;
    int request = keys_request(ON_HOME, state, key);
    int door = h->view.door;

    notify(h, false, "");
    switch (request) {
    case DO_BACK:
        choose(h, h->view.chosen - 1);
        break;
    case DO_NEXT:
        choose(h, h->view.chosen + 1);
        break;
    case DO_FIRST:
        choose(h, 0);
        break;
    case DO_LAST:
        choose(h, INT_MAX);
        break;
    case DO_PAGE_BACK:
        choose(h, h->view.chosen - KEY_STEPS);
        break;
    case DO_PAGE_NEXT:
        choose(h, h->view.chosen + KEY_STEPS);
        break;
    case DO_NEXT_DOOR:
        open_door(h, (door + 1) % HOME_DOORS);
        break;
    case DO_PREVIOUS_DOOR:
        open_door(h, (door + HOME_DOORS - 1) % HOME_DOORS);
        break;
    case DO_POINT:
        click(h);
        break;
    case DO_ENTER:
        go(h);
        break;
    case DO_SEARCH:
        if (h->search.open)
            end_search(h);
        else
            begin_search(h);
        break;
    case DO_HELP:
        h->help = 1;
        break;
    case DO_QUIT:
        h->quit = true;
        break;
    default:
        type(h, key);
        break;
    }
}

static void
key_pressed(struct home_screen *h, int key)
{
    const struct canvas *shown = &h->stage.canvas;
    struct help help = home_help(&h->view, shown);

    if (h->help > 0)
        h->help = help_after(&help, h->help, key, shown->columns,
                             shown->rows);
    else
        answer_key(h, key);
}

static int64_t
due(const struct home_screen *h)
{
    int64_t preview = preview_due(&h->preview, clock_ns());

    return h->preview_ns < preview ? h->preview_ns : preview;
}

static bool
moves(const struct home_screen *h)
{
    return h->preview.open && player_moves(&h->preview.player) &&
           home_moves(&h->view, &h->stage.canvas);
}

static int
preview_fd(const struct home_screen *h)
{
    return h->preview.open ? player_fd(&h->preview.player) : -1;
}

/* The first frame comes before the lessons, which are read in a while. */
static void
read_lists(struct home_screen *h)
{
    struct err why;

    home_list_read(&h->list);
    for (int i = 0; i < HOME_DOORS; i++)
        h->view.counts[i] = h->list.counts[i];
    h->view.empty = _("reading the lessons ...");
    open_door(h, HOME_LEARN);
    draw(h);
    if (!home_list_read_lessons(&h->list, &why))
        notify(h, true, why.text);
    h->view.empty = _("There are no recordings (*.jsonl) in this folder. The "
                      "key w writes one while you watch a run.");
    open_door(h, HOME_LEARN);
}

static void
loop(struct home_screen *h)
{
    int key;

    stage_hurry(&h->stage);
    while (!h->quit && signals_ending() == 0) {
        advance_preview(h);
        if (stage_wants_frame(&h->stage))
            draw(h);
        switch (stage_wait(&h->stage, preview_fd(h), due(h), moves(h),
                           &key)) {
        case SCREEN_KEY:
            key_pressed(h, key);
            break;
        case SCREEN_SIGNAL:
            h->quit = true;
            break;
        default:
            break;
        }
    }
}

bool
home(const struct options *o, struct err *err)
{
    struct home_screen h = {.o = o, .previewed = -1, .preview_ns = INT64_MAX};

    if (!screen_open(&h.screen, err))
        return false;
    stage_init(&h.stage, h.screen, o->ascii, ROLE_TEXT);
    read_lists(&h);
    loop(&h);
    preview_close(&h.preview);
    stage_done(&h.stage);
    screen_close(h.screen);
    home_list_done(&h.list);
    free(h.listed);
    return true;
}
