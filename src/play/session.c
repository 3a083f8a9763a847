/* SPDX-License-Identifier: MIT */
#include "play/session.h"

#include "base/clock.h"

enum { ITEMS_A_LOOK = 64 }; /* items between two looks at the clock */

void
session_init(struct session *s)
{
    *s = (struct session){.world = world_new(), .granted = -1};
}

void
session_done(struct session *s)
{
    struct err ignored;

    if (s->record != NULL)
        record_close(s->record, false, &ignored);
    run_close(s->run);
    network_clock_free(s->clock);
    world_free(s->world);
}

void
session_start(struct session *s, struct run *run, struct network_clock *clock)
{
    s->run = run;
    s->clock = clock;
}

bool
session_feed(struct session *s, const struct item *item, struct err *err)
{
    if (!world_add(s->world, item, err))
        return false;
    if (s->record != NULL && !record_take(s->record, item, err))
        return false;
    return s->sink.take == NULL || s->sink.take(s->sink.state, item, err);
}

bool
session_grant(struct session *s, int to, struct err *err)
{
    if (s->run == NULL || to <= s->granted)
        return true;
    if (!run_grant(s->run, to, err))
        return false;
    s->granted = to;
    return true;
}

enum run_got
session_pump(struct session *s, int64_t until, struct err *err)
{
    struct item item;
    enum run_got got;

    if (s->run == NULL || s->world->has_end)
        return RUN_CAUGHT_UP;
    for (int n = 1; (got = run_next(s->run, &item, err)) == RUN_ITEM; n++) {
        if ((s->clock != NULL && !network_clock_set(s->clock, &item, err)) ||
            !session_feed(s, &item, err))
            return RUN_FAILED;
        if (n % ITEMS_A_LOOK == 0 && until != INT64_MAX && clock_ns() >= until)
            break;
    }
    return got;
}

int
session_fd(const struct session *s)
{
    return s->run != NULL && !s->world->has_end ? run_fd(s->run) : -1;
}

const char *
session_note(const struct session *s)
{
    return s->run != NULL && !s->world->has_end ? run_note(s->run) : NULL;
}

static bool
close_record(struct session *s, bool keep, struct err *err)
{
    struct record *record = s->record;

    s->record = NULL;
    return record == NULL || record_close(record, keep, err);
}

bool
session_record(struct session *s, const char *path, struct err *err)
{
    struct err ignored;

    if (s->record != NULL && !s->world->has_end)
        return err_set(err, "%s is being written already",
                       record_path(s->record));
    if (!close_record(s, true, err))
        return false;
    s->record = record_open(path, err);
    if (s->record == NULL)
        return false;
    if (!record_world(s->record, s->world, err)) {
        close_record(s, false, &ignored);
        return false;
    }
    return !s->world->has_end || close_record(s, true, err);
}

bool
session_end(struct session *s, bool keep, struct err *err)
{
    struct item end = {.type = ITEM_END, .complete = false};
    struct err ignored;
    bool begun = world_step_complete(s->world, 0), ok = true;

    if (keep && !s->world->has_end && s->world->schedule != NULL)
        ok = session_feed(s, &end, err);
    return close_record(s, keep && begun && ok, ok ? err : &ignored) && ok;
}
