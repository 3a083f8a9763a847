/* SPDX-License-Identifier: MIT */
/* collviz serve [ADDRESS:PORT]: the home screen, which browsers follow; and
 * --serve, with which other screens are followed. */
#include <stdio.h>
#include <unistd.h>

#include "app/command.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/print.h"
#include "base/translate.h"
#include "screen/home.h"
#include "web/serve.h"

/* The screen may be projected, so what is for the speaker alone is said before
 * it opens, and a key opens it. */
static void
say_where(struct serve *s, bool presents)
{
    OWN(buf) text = {0};
    int c;

    serve_announce(s, false, &text);
    print_to(stderr, "%s\n", buf_text(&text));
    if (presents) {
        print_to(stderr, _("Your notes, for you alone: %s\n"),
                 serve_notes_address(s));
        print_to(stderr, "%s", _("Enter begins."));
        while ((c = getchar()) != '\n' && c != EOF)
            continue;
    }
}

bool
followed_open(struct followed *f, const struct options *o, struct err *err)
{
    *f = (struct followed){NULL, NULL};
    if (o->serve == NULL)
        return true;
    f->serve = serve_open(o->serve, err);
    if (f->serve == NULL)
        return err_typed(err);
    say_where(f->serve, o->present);
    if (!screen_open(&f->screen, err))
        return false;
    screen_follow(f->screen, f->serve, serve_fd(f->serve));
    return true;
}

void
followed_close(struct followed *f)
{
    if (f->screen != NULL)
        screen_close(f->screen);
    serve_close(f->serve);
}

int
cmd_serve(const struct options *o, struct err *err)
{
    OWN(options) served = {0};
    struct followed f;
    bool ok;

    if (!screen_can(err))
        return EXIT_USAGE;
    options_copy(&served, o);
    served.serve = mem_string(o->noperands > 0 ? o->operands[0] : "");
    ok = followed_open(&f, &served, err) && home(&served, f.screen, err);
    followed_close(&f);
    return command_status(ok, err);
}
