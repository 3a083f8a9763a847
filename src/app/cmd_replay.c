/* SPDX-License-Identifier: MIT */
/* collviz replay FILE: shows a recording; nothing runs. */
#include <errno.h>
#include <string.h>

#include "app/command.h"
#include "app/show.h"
#include "app/watch.h"
#include "base/text.h"
#include "event/stream.h"

/* Reads the whole recording into the session. */
static bool
read_all(struct session *s, FILE *file, const char *name, struct err *err)
{
    struct stream_reader *reader = stream_reader_new(file, name);
    struct item item;
    enum stream_got got;
    bool ok = true;

    while (ok && (got = stream_read(reader, &item, err)) == STREAM_ITEM)
        ok = session_feed(s, &item, err) || stream_blame(reader, err);
    ok = ok && got == STREAM_OVER;
    stream_reader_free(reader);
    return ok;
}

static int
verdict(const struct world *w)
{
    return w->has_result && w->result.correct ? EXIT_RIGHT : EXIT_WRONG;
}

static int
replay(const struct options *o, FILE *file, const char *name)
{
    bool screen = !o->plain && !o->json && watch_can();
    struct session session;
    struct show show;
    struct err err, ignored;
    bool ok;
    int status;

    session_init(&session);
    if (!screen)
        show_init(&show, &session, o);
    ok = read_all(&session, file, name, &err);
    if (ok && screen)
        ok = watch(&(struct watch_source){.session = &session}, o->ascii, &err);
    if (!session_end(&session, ok, ok ? &err : &ignored))
        ok = false;
    if (!screen)
        show_done(&show);
    status = ok ? verdict(session.world) : command_fail(EXIT_WRONG, &err);
    session_done(&session);
    return command_finish(status);
}

int
cmd_replay(const struct options *o)
{
    const char *name;
    struct err err;
    FILE *file;
    int status;

    if (!command_operand(o, "replay", "FILE", &name))
        return EXIT_USAGE;
    file = fopen(name, "re");
    if (file == NULL) {
        err_set(&err, "cannot read the recording %s: %s", name,
                strerror(errno));
        return command_fail(EXIT_WRONG, &err);
    }
    status = replay(o, file, name);
    fclose(file);
    return status;
}
