/* SPDX-License-Identifier: MIT */
/* Where the server of web/http.h listens, and by which names it is
 * reached. */
#ifndef WEB_LISTENER_H
#define WEB_LISTENER_H

#include <netinet/in.h>

#include "base/err.h"

struct listener {
    bool here; /* only this machine can reach it */
    int port;
    char host[INET6_ADDRSTRLEN], name[256]; /* how it is reached; ours */
};

/* Listens as serve_open() says.  Connections whose peer answers nothing for
 * `silence_s` seconds end.  Returns a descriptor, or -1 with the reason in
 * *err. */
int listener_open(struct listener *l, const char *where, int silence_s,
                  struct err *err);

/* Whether a request to this host is meant for us.  A name that someone else
 * owns may be made to point here (DNS rebinding), so it is an address,
 * localhost, or, where other machines can reach us, this machine's own name. */
bool listener_is_named(const struct listener *l, const char *host);

#endif
