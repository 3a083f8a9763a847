/* SPDX-License-Identifier: MIT */
/* A browser that follows a lesson, and waits for each of its pages:
 *
 *     if (!follow(&f)) ...
 *     screen.facts.serve = f.serve;
 *     if (!hears(&f, t->page.text)) ...
 *     unfollow(&f); */
#ifndef TESTS_FOLLOWER_H
#define TESTS_FOLLOWER_H

#include <arpa/inet.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tap.h"
#include "web/serve.h"

struct follower {
    struct serve *serve; /* NULL: there is none */
    int fd;
    struct buf heard; /* after the last page */
    char *page;       /* the text of the last page */
};

static bool
follow(struct follower *f)
{
    const char *text = "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n";
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    OWN(buf) said = {0};
    const char *port;
    struct err err;

    *f = (struct follower){.serve = serve_open(":0", &err)};
    if (f->serve == NULL) {
        diag("%s", err.text);
        return false;
    }
    serve_announce(f->serve, false, &said);
    port = strrchr(buf_text(&said), ':');
    at.sin_port = htons((uint16_t)atoi(port + 1));
    f->fd = socket(AF_INET, SOCK_STREAM, 0);
    return connect(f->fd, (struct sockaddr *)&at, sizeof at) == 0 &&
           send(f->fd, text, strlen(text), MSG_NOSIGNAL) > 0;
}

static void
unfollow(struct follower *f)
{
    if (f->serve == NULL)
        return;
    close(f->fd);
    serve_close(f->serve);
    buf_done(&f->heard);
    free(f->page);
}

/* Takes in what has come, and the text of the last page in it. */
static void
listen_on(struct follower *f)
{
    static const char event[] = "event: page\n";
    char some[1 << 16];
    ssize_t n;

    while ((n = recv(f->fd, some, sizeof some, MSG_DONTWAIT)) > 0)
        buf_add(&f->heard, some, (size_t)n);
    for (;;) {
        const char *from = buf_text(&f->heard), *at, *data;
        OWN(buf) rest = {0};
        json_auto_t *page = NULL;
        /* chunks of HTTP have their lengths in lines of their own */
        at = strstr(from, event);
        data = at != NULL ? strstr(at, "data: ") : NULL;
        if (data == NULL || strchr(data, '\n') == NULL)
            return;
        page = json_loads(data + strlen("data: "), JSON_DISABLE_EOF_CHECK,
                          NULL);
        free(f->page);
        f->page = mem_string(json_is_object(page)
                                 ? json_string_value(json_object_get(page,
                                                                     "text"))
                                 : "");
        buf_puts(&rest, strchr(data, '\n'));
        buf_clear(&f->heard);
        buf_puts(&f->heard, buf_text(&rest));
    }
}

/* Whether the follower gets the page that the class sees. */
static bool
hears(struct follower *f, const char *text)
{
    enum { PATIENCE = 6000, WAIT_MS = 10 };
    struct pollfd p = {.fd = f->fd, .events = POLLIN};

    for (int i = 0; i < PATIENCE; i++) {
        listen_on(f);
        if (f->page != NULL && strcmp(f->page, text) == 0)
            return true;
        poll(&p, 1, WAIT_MS);
    }
    diag("not heard: %s; but: %s", text, f->page != NULL ? f->page : "");
    return false;
}

#endif
