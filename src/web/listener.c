/* SPDX-License-Identifier: MIT */
#include "web/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "play/parse.h"

enum { PORT = 8017 };

/* If the server listens at all addresses, this finds an IPv4 address under
 * which others reach it: the one from which the kernel would send (nothing is
 * sent), or, if there is no route, that of any network that is there. */
static void
find_host(struct listener *l)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    socklen_t length = sizeof at;
    struct ifaddrs *all = NULL, *a;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool found;

    inet_pton(AF_INET, "192.0.2.1", &at.sin_addr); /* nobody's: RFC 5737 */
    found = fd >= 0 && connect(fd, (struct sockaddr *)&at, length) == 0 &&
            getsockname(fd, (struct sockaddr *)&at, &length) == 0;
    close(fd);
    if (!found && getifaddrs(&all) == 0)
        for (a = all; a != NULL && !found; a = a->ifa_next) {
            found = a->ifa_addr != NULL && (a->ifa_flags & IFF_RUNNING) != 0 &&
                    (a->ifa_flags & IFF_LOOPBACK) == 0 &&
                    a->ifa_addr->sa_family == AF_INET;
            if (found)
                at = *(const struct sockaddr_in *)a->ifa_addr;
        }
    if (all != NULL)
        freeifaddrs(all);
    if (found)
        inet_ntop(AF_INET, &at.sin_addr, l->host, sizeof l->host);
}

/* Listens at the host, and finds out whether only this machine can reach it. */
static int
listen_at(struct listener *l, int silence_s, struct err *err)
{
    unsigned silence_ms = (unsigned)silence_s * 1000;
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST,
                             .ai_socktype = SOCK_STREAM}, *at;
    struct sockaddr_storage bound;
    socklen_t length = sizeof bound;
    char port[8];
    int fd = -1, error = EINVAL;

    snprintf(port, sizeof port, "%d", l->port);
    if (getaddrinfo(l->host, port, &hints, &at) == 0) {
        fd = socket(at->ai_family,
                    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd < 0 ||
            setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1},
                       sizeof(int)) < 0 ||
            setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT,
                       &silence_ms, sizeof silence_ms) < 0 ||
            bind(fd, at->ai_addr, at->ai_addrlen) < 0 || listen(fd, 128) < 0) {
            error = errno;
            close(fd);
            fd = -1;
        }
        freeaddrinfo(at);
    }
    if (fd < 0 && error == EADDRINUSE)
        err_set(err, "--serve: port %d of %s is taken: name another one, or 0 "
                "for any that is free", l->port, l->host);
    else if (fd < 0)
        err_set(err, "--serve: cannot listen at port %d of %s: %s", l->port,
                l->host, strerror(error));
    if (fd < 0)
        return -1;
    getsockname(fd, (struct sockaddr *)&bound, &length);
    getnameinfo((struct sockaddr *)&bound, length, l->host, sizeof l->host,
                port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
    l->port = atoi(port);
    l->here = strncmp(l->host, "127.", 4) == 0 || strcmp(l->host, "::1") == 0;
    if (strcmp(l->host, "0.0.0.0") == 0 || strcmp(l->host, "::") == 0)
        find_host(l);
    return fd;
}

int
listener_open(struct listener *l, const char *where, int silence_s,
              struct err *err)
{
    l->port = PORT;
    if (gethostname(l->name, sizeof l->name - 1) != 0)
        l->name[0] = '\0';
    if (!parse_address(where, l->host, sizeof l->host, &l->port, err))
        return -1;
    return listen_at(l, silence_s, err);
}

bool
listener_is_named(const struct listener *l, const char *host)
{
    static const char *const domains[] = {"", ".local"};

    if (host == NULL || is_address(host))
        return host != NULL;
    for (int i = 0; i < 2 && !l->here && l->name[0] != '\0'; i++) {
        char own[sizeof l->name + 8];
        size_t length = (size_t)snprintf(own, sizeof own, "%s%s", l->name,
                                         domains[i]);
        if (strncasecmp(host, own, length) == 0 &&
            (host[length] == '\0' || host[length] == ':'))
            return true;
    }
    return false;
}
