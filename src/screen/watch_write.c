/* SPDX-License-Identifier: MIT */
#include "screen/watch_write.h"

#include "base/translate.h"
#include "screen/publish.h"

static bool
write_picture(struct watch *w, const char *path, struct err *err)
{
    struct scene scene = watch_scene(w);
    int columns, rows;

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

/* A film and a picture need something to show. */
static bool
check_kind(const struct watch *w, const char *path, struct err *err)
{
    const struct world *world = w->session->world;

    switch (publish_kind(path)) {
    case PUBLISH_UNKNOWN:
        return err_set(err, _("%s: the name of a file must end in .jsonl, "
                              ".svg, .gif or .cast"), path);
    case PUBLISH_RECORDING:
        return true;
    default:
        return (world->schedule != NULL && world_step_complete(world, 0)) ||
               err_set(err, _("there is nothing to show yet"));
    }
}

bool
watch_may_write(struct watch *w, const char *path, struct err *err)
{
    return check_kind(w, path, err) &&
           publish_may_write(path, w->replaced, err);
}

bool
watch_write(struct watch *w, const char *path, struct err *err)
{
    switch (publish_kind(path)) {
    case PUBLISH_FILM:
        return write_film(w, path, err);
    case PUBLISH_PICTURE:
        return write_picture(w, path, err);
    default:
        return session_record(w->session, path, err);
    }
}
