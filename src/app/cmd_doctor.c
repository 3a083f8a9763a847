/* SPDX-License-Identifier: MIT */
/* collviz doctor: which backends work here, and why the others do not. */
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "app/command.h"
#include "base/buf.h"
#include "base/language.h"
#include "base/print.h"
#include "base/translate.h"
#include "run/backend.h"
#include "run/pool.h"
#include "screen/watch.h"
#include "script/script.h"
#include "web/serve.h"

static void
print_finding(const char *name, bool works, const char *text)
{
    print("%s %-10s %s\n", works ? "ok" : "--", name, text);
}

/* A line for each device that the worker finds. */
static void
show_devices(const struct backend *b)
{
    OWN(buf) devices = {0};
    struct err err;
    char *device, *rest;
    bool ok = (b->there == NULL || b->there(b, &err)) &&
              devices_ask(b, &devices, &err);

    if (!ok)
        print_finding(b->name, false, err.text);
    rest = ok ? devices.data : NULL;
    while ((device = strsep(&rest, "\n")) != NULL && *device != '\0')
        print_finding(b->name, true, device);
}

static void
show_backends(void)
{
    const struct backend *b;
    char text[64];
    struct err err;

    snprintf(text, sizeof text,
             ngettext("ranks share %d core", "ranks share %d cores",
                      (unsigned long)pool_cores()),
             pool_cores());
    for (int i = 0; (b = backend_at(i)) != NULL; i++) {
        bool there = b->launcher != NULL && b->there(b, &err);
        if (there)
            err_set(&err, _("ranks are started by %s"), b->launcher);
        if (b->launcher != NULL)
            print_finding(b->name, there, err.text);
        else if (b->worker != NULL)
            show_devices(b);
        else
            print_finding(b->name, true, text);
    }
}

static void
show_terminal(void)
{
    const char *term = getenv("TERM");
    struct winsize size = {0};
    char text[256];

    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    if (!isatty(STDOUT_FILENO))
        snprintf(text, sizeof text, "%s",
                 _("standard output is not a terminal: runs are shown as "
                   "text"));
    else if (!watch_can())
        snprintf(text, sizeof text,
                 _("TERM=%.60s cannot place the cursor: runs are shown as "
                   "text"), term != NULL ? term : "");
    else
        snprintf(text, sizeof text, _("TERM=%.60s, %d columns, %d rows%s"),
                 term != NULL ? term : "", size.ws_col, size.ws_row,
                 size.ws_col < 80 || size.ws_row < 24
                     ? _("; collviz needs 80 by 24") : "");
    print_finding("terminal", watch_can(), text);
}

/* Says what keeps scripts from reaching outside. */
static void
show_scripts(void)
{
    OWN(buf) held = {0}, missing = {0}, text = {0};
    struct err err;

    if (!script_locks(&held, &missing, &err)) {
        print_finding("scripts", false, err.text);
        return;
    }
    if (held.length > 0)
        buf_addf(&text, _("locked in by %s"), buf_text(&held));
    buf_puts(&text, held.length > 0 && missing.length > 0 ? "; " : "");
    if (missing.length > 0)
        buf_addf(&text, _("without %s"), buf_text(&missing));
    print_finding("scripts", missing.length == 0, buf_text(&text));
}

int
cmd_doctor(const struct options *o, struct err *err)
{
    char text[512];

    if (o->noperands > 0)
        return command_misuse(err, "'%s': 'collviz doctor' takes no operand",
                              o->operands[0]);
    show_backends();
    show_scripts();
    show_terminal();
    snprintf(text, sizeof text, _("%s, messages from %.400s"),
             nl_langinfo(CODESET), language_directory());
    print_finding("locale", language_is_utf8(), text);
#ifdef HAVE_MICROHTTPD
    print_finding("browsers", true, _("browsers can follow the screen"));
#else
    print_finding("browsers", false,
                  _("no browser can follow: built without libmicrohttpd and "
                    "zlib"));
#endif
    return EXIT_RIGHT;
}
