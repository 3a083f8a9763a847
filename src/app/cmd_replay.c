/* SPDX-License-Identifier: MIT */
/* collviz replay FILE: shows a recording; nothing runs. */
#include "app/command.h"
#include "play/play.h"
#include "screen/watch.h"

int
cmd_replay(const struct options *o, struct err *err)
{
    bool screen = !o->plain && !o->json && watch_can(), ok;
    struct session session;
    struct printer show;
    int status;

    session_init(&session);
    if (!screen)
        printer_init(&show, &session, o);
    ok = session_read(&session, o->operands[0], err);
    if (ok && screen)
        ok = watch_recording(&session, NULL, NULL, o->ascii, err);
    ok = session_end(&session, ok, err);
    if (!screen)
        printer_done(&show);
    status = !ok ? EXIT_WRONG
             : session.world->has_result &&
                     result_right(&session.world->result)
                 ? EXIT_RIGHT
                 : command_wrong(err);
    session_done(&session);
    return status;
}
