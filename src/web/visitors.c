/* SPDX-License-Identifier: MIT */
#include "web/visitors.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/bounds.h"
#include "base/clock.h"
#include "base/mem.h"

/* 31^6 codes at 100 a second take 100 days. */
static const int64_t GUESS_NS = 1000000000 / 100,
                     REQUEST_NS = 10 * INT64_C(1000000000),
                     REQUEST_LEAST_NS = 1000000000,
                     LOOK_NS = 1000000000 / 4;

/* Shares of all connections, in parts of WHOLE: those of one place, streams,
 * and streams of one place.  The rest is for requests of those who have
 * streams. */
enum { WHOLE = 32, HERE = 24, STREAMS = 28, STREAMS_HERE = 21 };

void
visitors_init(struct visitors *all, int most)
{
    all->most = most;
    secret_key_make(&all->key);
}

static struct place *
find_visitor_place(struct visitors *all, const struct sockaddr *from)
{
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)from;
    const struct in6_addr *v6 = &((const struct sockaddr_in6 *)from)->sin6_addr;
    uint64_t hash;

    if (from->sa_family != AF_INET6)
        hash = secret_hash(&all->key, &v4->sin_addr, 4);
    else if (IN6_IS_ADDR_V4MAPPED(v6))
        hash = secret_hash(&all->key, v6->s6_addr + 12, 4);
    else
        hash = secret_hash(&all->key, v6->s6_addr, 8);
    return &all->places[hash % VISITORS_PLACES];
}

bool
visitors_admits(struct visitors *all, const struct sockaddr *from)
{
    return find_visitor_place(all, from)->connections <
           all->most * HERE / WHOLE;
}

struct visitor *
visitors_add(struct visitors *all, struct MHD_Connection *c)
{
    struct visitor *v = mem_new(1, sizeof *v);

    v->connection = c;
    v->fd = MHD_get_connection_info(
        c, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    v->place = find_visitor_place(all, MHD_get_connection_info(
        c, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr);
    v->place->connections++;
    v->next = all->first;
    v->from = &all->first;
    if (v->next != NULL)
        v->next->from = &v->next;
    all->first = v;
    all->count++;
    visitor_rests(v);
    return v;
}

void
visitors_remove(struct visitors *all, struct visitor *v)
{
    *v->from = v->next;
    if (v->next != NULL)
        v->next->from = v->from;
    v->place->connections--;
    v->place->streams -= v->streams;
    all->streams -= v->streams;
    all->count--;
    free(v);
}

void
visitor_rests(struct visitor *v)
{
    v->since_ns = clock_ns();
    v->turn_ns = 0;
}

bool
visitor_streams(struct visitors *all, struct visitor *v)
{
    struct place *place = v->place;

    if (place->streams >= all->most * STREAMS_HERE / WHOLE ||
        all->streams >= all->most * STREAMS / WHOLE)
        return false;
    v->streams = true;
    all->streams++;
    place->streams++;
    place->most_streams = most(place->most_streams, place->streams);
    return true;
}

int
visitor_votes_most(const struct visitor *v)
{
    return 2 * v->place->most_streams;
}

bool
visitor_guesses(struct visitor *v, bool right, int64_t now)
{
    struct place *place = v->place;

    if (v->turn_ns == 0) {
        v->turn_ns = most64(now, place->quiet_ns);
        v->right = right;
        if (!right)
            place->quiet_ns = v->turn_ns + GUESS_NS;
    }
    if (v->turn_ns <= now)
        return true;
    visitor_suspend(v);
    return false;
}

void
visitor_suspend(struct visitor *v)
{
    v->suspended = true;
    MHD_suspend_connection(v->connection);
}

void
visitor_resume(struct visitor *v)
{
    if (v->suspended)
        MHD_resume_connection(v->connection);
    v->suspended = false;
}

void
visitors_wake(struct visitors *all, int64_t now)
{
    for (struct visitor *v = all->first; v != NULL; v = v->next)
        if (v->turn_ns <= now)
            visitor_resume(v);
}

int64_t
visitors_tick(struct visitors *all, int64_t now)
{
    int64_t patience = most64(REQUEST_LEAST_NS, REQUEST_NS *
                                  (all->most - all->count) / all->most);
    int64_t next = INT64_MAX;

    for (struct visitor *v = all->first; v != NULL; v = v->next) {
        if (v->streams)
            continue;
        if (v->suspended) {
            next = least64(next, most64(now, v->turn_ns));
            if (v->turn_ns <= now)
                visitor_resume(v);
        } else if (v->since_ns < now - patience)
            shutdown(v->fd, SHUT_RDWR);
        else
            next = least64(next, now + LOOK_NS);
    }
    return next;
}
