/* SPDX-License-Identifier: MIT */
/* Instead of serve.c where libmicrohttpd is missing: there is no server, so
 * nothing is ever asked of one. */
#include "base/translate.h"
#include "screen/serve.h"

bool
serve_can(const char **text)
{
    *text = _("no browser can follow: built without libmicrohttpd");
    return false;
}

struct serve *
serve_open(const char *where, struct err *err)
{
    (void)where;
    err_set(err, "--serve: this collviz was built without libmicrohttpd, so no "
            "browser can follow");
    return NULL;
}

void
serve_close(struct serve *s)
{
    (void)s;
}

bool
serve_announce(struct serve *s, bool once, struct buf *out)
{
    (void)s, (void)once, (void)out;
    return false;
}

void
serve_add_notes_address(const struct serve *s, struct buf *out)
{
    (void)s, (void)out;
}

void
serve_add_status(struct serve *s, struct buf *out)
{
    (void)s, (void)out;
}

int
serve_fd(const struct serve *s)
{
    (void)s;
    return -1;
}

void
serve_news(struct serve *s)
{
    (void)s;
}

void
serve_show(struct serve *s, const struct canvas *c)
{
    (void)s, (void)c;
}

void
serve_page(struct serve *s, const struct serve_page *page)
{
    (void)s, (void)page;
}

void
serve_notes(struct serve *s, const char *json)
{
    (void)s, (void)json;
}

int
serve_votes(struct serve *s, struct serve_vote *votes, int most, int *voters)
{
    (void)s, (void)votes, (void)most;
    return *voters = 0;
}
