/* SPDX-License-Identifier: MIT */
#include "app/session.h"

#include <assert.h>

void
session_init(struct session *s, struct run *run)
{
    *s = (struct session){.world = world_new(), .run = run, .granted = -1};
}

void
session_done(struct session *s)
{
    run_close(s->run);
    world_free(s->world);
}

void
session_add_sink(struct session *s, struct session_sink sink)
{
    assert(s->nsinks < SESSION_SINKS_MAX);
    s->sinks[s->nsinks++] = sink;
}

bool
session_feed(struct session *s, const struct item *item, struct err *err)
{
    if (!world_add(s->world, item, err))
        return false;
    for (int i = 0; i < s->nsinks; i++)
        if (!s->sinks[i].take(s->sinks[i].state, item, err))
            return false;
    return true;
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
session_pump(struct session *s, struct err *err)
{
    struct item item;
    enum run_got got;

    if (s->run == NULL)
        return RUN_TOLD;
    while ((got = run_next(s->run, &item, err)) == RUN_ITEM)
        if (!session_feed(s, &item, err))
            return RUN_FAILED;
    return got;
}

int
session_fd(const struct session *s)
{
    return s->run != NULL ? run_fd(s->run) : -1;
}

bool
session_quit(struct session *s, struct err *err)
{
    struct item end = {.type = ITEM_END, .complete = false};

    if (s->world->has_end || s->world->schedule == NULL)
        return true;
    return session_feed(s, &end, err);
}
