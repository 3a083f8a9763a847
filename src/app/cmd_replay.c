/* SPDX-License-Identifier: MIT */
/* collviz replay FILE: shows a recording; nothing runs. */
#include "app/command.h"
#include "play/play.h"
#include "screen/watch.h"

int
cmd_replay(const struct options *o)
{
    bool screen = !o->plain && !o->json && watch_can(), ok;
    struct session session;
    struct printer show;
    struct err err;
    const char *name;
    int status;

    if (!command_operand(o, "replay", "FILE", &name))
        return EXIT_USAGE;
    session_init(&session);
    if (!screen)
        printer_init(&show, &session, o);
    ok = session_read(&session, name, &err);
    if (ok && screen)
        ok = watch_recording(&session, NULL, NULL, o->ascii, &err);
    ok = session_end(&session, ok, &err);
    if (!screen)
        printer_done(&show);
    status = !ok ? command_fail(EXIT_WRONG, &err)
             : session.world->has_result &&
                     result_right(&session.world->result)
                 ? EXIT_RIGHT
                 : EXIT_WRONG;
    session_done(&session);
    return command_finish(status);
}
