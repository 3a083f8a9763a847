/* SPDX-License-Identifier: MIT */
#include "screen/http.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <ifaddrs.h>
#include <microhttpd.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/signals.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "play/parse.h"
#include "screen/page.h"
#include "screen/page_css.h"
#include "screen/serve_css.h"
#include "screen/serve_js.h"
#include "term/svg.h"

/* What a browser may cost: a connection that says nothing, or takes nothing in,
 * for so long is closed; a request with its headers and its answer has so much
 * memory.  A class may stand behind one address. */
enum {
    CONNECTIONS_MOST = 512, /* or half of the descriptors that there may be */
    CONNECTIONS_EACH = 384, /* from one address */
    CONNECTION_BYTES = 32 << 10,
    SILENCE_S = 20,
    PIECE_BYTES = 16 << 10, /* of an event stream at a time */
    GUESSES = 250, /* at the code, a minute, from one address: a class mistypes,
                    * and there are 31^6 codes */
    GUESSERS = 256, /* counters, which addresses share */
};
enum { PORT = 8017, SECRET = SERVE_VOTER, COOKIE = 128 };
static const int64_t FRAME_NS = 1000000000 / 15, NEWS_NS = 1000000000 / 4,
                     ALIVE_NS = 10 * INT64_C(1000000000),
                     MINUTE_NS = 60 * INT64_C(1000000000);

struct http {
    struct serve *serve;
    struct http_place *place;
    struct MHD_Daemon *daemon;
    pthread_t thread;
    int wake; /* an eventfd, which wakes the thread */
    atomic_bool ends;
    bool here; /* only this machine can reach it */
    int port;
    char host[INET6_ADDRSTRLEN], name[256]; /* how it is reached; ours */
    char key[SECRET + 1], token[SECRET + 1]; /* who has them may see the notes,
                                              * or has given the code */
    /* Of the thread alone. */
    struct follower *followers;
    int64_t frame_ns, alive_ns, news_ns; /* when the next is due */
    bool pending, has_news;
    int64_t minute_ns;
    unsigned char guesses[GUESSERS];
};

struct follower {
    struct http *http;
    struct MHD_Connection *connection;
    struct follower *next, **from;
    struct serve_follower has;
    bool asleep; /* suspended */
    bool pinged; /* is to be sent something, if only a comment */
    struct buf out; /* what it is being sent, from `at` on */
    size_t at;
};

/* Streams of events. */

static void
wake_followers(struct http *h)
{
    for (struct follower *f = h->followers; f != NULL; f = f->next)
        if (f->asleep) {
            f->asleep = false;
            MHD_resume_connection(f->connection);
        }
}

/* libmicrohttpd asks for more of a stream. */
static ssize_t
read_events(void *self, uint64_t position, char *out, size_t most_bytes)
{
    struct follower *f = self;
    size_t count;

    (void)position;
    if (f->at == f->out.length) {
        buf_clear(&f->out);
        f->at = 0;
        serve_add_events(f->http->serve, &f->has, &f->out);
        if (f->pinged && f->out.length == 0)
            buf_puts(&f->out, ":\n\n");
        f->pinged = false;
    }
    if (f->out.length == 0 && f->http->ends)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (f->out.length == 0) {
        buf_done(&f->out);
        f->asleep = true;
        MHD_suspend_connection(f->connection);
        return 0;
    }
    count = f->out.length - f->at;
    count = count < most_bytes ? count : most_bytes;
    memcpy(out, f->out.data + f->at, count);
    f->at += count;
    return (ssize_t)count;
}

static void
count_follower(struct follower *f, int by)
{
    if (!f->has.speaker)
        serve_count(f->http->serve, by);
    f->http->has_news = true;
}

static void
leave(void *self)
{
    struct follower *f = self;

    *f->from = f->next;
    if (f->next != NULL)
        f->next->from = f->from;
    count_follower(f, -1);
    buf_done(&f->out);
    free(f);
}

/* Answers. */

static enum MHD_Result
reply_with(struct MHD_Connection *c, unsigned status,
           struct MHD_Response *r, const char *type, const char *cookie)
{
    const char *const headers[][2] = {
        {"Content-Type", type},
        {"Cache-Control", "no-store"},
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'self'; style-src 'self'; "
         "connect-src 'self'; base-uri 'none'; form-action 'none'; "
         "frame-ancestors 'none'"},
        {"Set-Cookie", cookie},
    };
    enum MHD_Result queued;

    if (r == NULL)
        return MHD_NO;
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        if (headers[i][1] != NULL)
            MHD_add_response_header(r, headers[i][0], headers[i][1]);
    queued = MHD_queue_response(c, status, r);
    MHD_destroy_response(r);
    return queued;
}

static struct MHD_Response *
text_of(const char *text)
{
    return MHD_create_response_from_buffer(strlen(text), (void *)text,
                                           MHD_RESPMEM_MUST_COPY);
}

static enum MHD_Result
say(struct MHD_Connection *c, unsigned status, const char *text)
{
    return reply_with(c, status, text_of(text), "text/plain; charset=utf-8",
                      NULL);
}

/* Secrets. */

/* Without I, L and O, 0 and 1, which look alike.  Some come a little more often
 * than others, which helps nobody to guess. */
static void
make_secret(char *out, size_t length)
{
    static const char letters[] = "ABCDEFGHJKMNPQRSTUVWXYZ23456789";

    if (getrandom(out, length, 0) != (ssize_t)length)
        die("getrandom: %s", strerror(errno));
    for (size_t i = 0; i < length; i++)
        out[i] = letters[(unsigned char)out[i] % (sizeof letters - 1)];
    out[length] = '\0';
}

/* Takes as long for one wrong text as for another. */
static bool
is_secret(const char *given, const char *secret)
{
    size_t length = strlen(secret);
    int differs = 0;

    if (given == NULL || strlen(given) != length)
        return false;
    for (size_t i = 0; i < length; i++)
        differs |= toupper((unsigned char)given[i]) ^ secret[i];
    return differs == 0;
}

static const char *
argument(struct MHD_Connection *c, const char *name)
{
    return MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, name);
}

/* Cookies belong to a host, whose ports share them. */
static const char *
get_cookie(const struct http *h, struct MHD_Connection *c, const char *name)
{
    char own[32];

    snprintf(own, sizeof own, "%s%d", name, h->port);
    return MHD_lookup_connection_value(c, MHD_COOKIE_KIND, own);
}

static const char *
set_cookie(const struct http *h, const char *name, const char *value,
           const char *path, char out[COOKIE])
{
    snprintf(out, COOKIE, "%s%d=%s; Path=%s; HttpOnly; SameSite=Lax", name,
             h->port, value, path);
    return out;
}

/* A name that someone else owns may be made to point here (DNS rebinding), so
 * the host is an address, localhost, or this machine's own name. */
static bool
is_ours(const struct http *h, const char *host)
{
    static const char *const domains[] = {"", ".local"};

    if (host == NULL || is_address(host))
        return host != NULL;
    for (int i = 0; i < 2 && !h->here && h->name[0] != '\0'; i++) {
        char own[sizeof h->name + 8];
        size_t length = (size_t)snprintf(own, sizeof own, "%s%s", h->name,
                                         domains[i]);
        if (strncasecmp(host, own, length) == 0 &&
            (host[length] == '\0' || host[length] == ':'))
            return true;
    }
    return false;
}

/* The counter of an address's guesses, for this minute.  Of IPv6 a whole
 * network has one. */
static unsigned char *
guesses_of(struct http *h, struct MHD_Connection *c)
{
    const struct sockaddr *from = MHD_get_connection_info(
        c, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
    bool six = from->sa_family == AF_INET6;
    const struct in6_addr *in6 =
        &((const struct sockaddr_in6 *)from)->sin6_addr;
    bool mapped = six && IN6_IS_ADDR_V4MAPPED(in6);
    const void *address =
        mapped ? in6->s6_addr + 12
        : six  ? (const void *)in6
               : (const void *)&((const struct sockaddr_in *)from)->sin_addr;
    const unsigned char *byte = address, *end = byte + (six && !mapped ? 8 : 4);
    unsigned hash = 0;

    while (byte < end)
        hash = hash * 31 + *byte++;
    if (clock_ns() >= h->minute_ns) {
        memset(h->guesses, 0, sizeof h->guesses);
        h->minute_ns = clock_ns() + MINUTE_NS;
    }
    return &h->guesses[hash % GUESSERS];
}

/* Requests. */

/* The code is asked for only where it is needed, and then gives a cookie, which
 * nobody can guess. */
static enum MHD_Result
join(struct http *h, struct MHD_Connection *c)
{
    unsigned char *guesses = guesses_of(h, c);
    char set[COOKIE];

    if (*guesses >= GUESSES)
        return say(c, MHD_HTTP_TOO_MANY_REQUESTS,
                   _("Too many wrong codes: wait a minute."));
    if (!is_secret(argument(c, "code"), h->place->code)) {
        ++*guesses;
        return say(c, MHD_HTTP_FORBIDDEN, _("This is not the code."));
    }
    return reply_with(c, MHD_HTTP_OK, text_of(""), "text/plain",
                      set_cookie(h, "joined", h->token, "/", set));
}

/* The key goes into a cookie, so that it stays neither in the address that the
 * speaker's phone shows nor in its history. */
static enum MHD_Result
go_to_notes(const struct http *h, struct MHD_Connection *c)
{
    struct MHD_Response *r = text_of("");
    char set[COOKIE];

    if (r != NULL)
        MHD_add_response_header(r, "Location", "/notes");
    return reply_with(c, MHD_HTTP_SEE_OTHER, r, "text/plain",
                      set_cookie(h, "speaks", h->key, "/notes", set));
}

/* The page of those who follow, of the speaker, or of those who have not
 * joined. */
static enum MHD_Result
send_page(const struct http *h, struct MHD_Connection *c, const char *kind)
{
    const char *const words[][2] = {
        {"lost", _("The screen is gone; this page waits for it.")},
        {"given", _("Your answer: %s. It can be changed.")},
        {"closed", _("This question is closed.")},
        {"answer", _("Answer")},
        {"gpu", _("GPU %d")},
        {"number", _("a number: 8, 0.75 or 3/4")},
        {"label", _("what is in the slot: A1+C1; - for nothing")},
    };
    const char *voter = get_cookie(h, c, "voter");
    bool is_known = voter != NULL && strlen(voter) == SERVE_VOTER;
    char id[SERVE_VOTER + 1], set[COOKIE];
    OWN(buf) page = {0};

    page_begin("collviz", "<link rel=\"stylesheet\" href=\"/serve.css\"/>\n"
               "<script src=\"/serve.js\" defer=\"defer\"></script>\n", &page);
    buf_addf(&page, "</head>\n<body class=\"%s\"", kind);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        buf_addf(&page, " data-%s=\"", words[i][0]);
        utf8_add_xml(&page, words[i][1]);
        buf_putc(&page, '"');
    }
    buf_puts(&page, ">\n<main>\n");
    if (strcmp(kind, "join") == 0)
        buf_addf(&page, "<form id=\"join\"><h1>collviz</h1>\n<label>%s "
                 "<input id=\"code\" maxlength=\"%d\" autocomplete=\"off\" "
                 "autocapitalize=\"characters\" autofocus></label>\n"
                 "<button>%s</button></form>\n", _("The code on the screen:"),
                 HTTP_CODE, _("Join"));
    else
        buf_puts(&page, "<section id=\"notes\"></section>\n"
                 "<figure id=\"figure\"></figure>\n"
                 "<pre id=\"words\" class=\"unseen\"></pre>\n"
                 "<section id=\"page\"><h1 id=\"title\"></h1>"
                 "<p id=\"text\"></p><form id=\"question\"></form>"
                 "</section>\n");
    buf_puts(&page, "<p id=\"state\" role=\"status\"></p>\n"
             "<p id=\"said\" class=\"unseen\" aria-live=\"polite\"></p>\n"
             "</main>\n</body>\n</html>\n");
    if (!is_known)
        make_secret(id, SERVE_VOTER);
    return reply_with(c, MHD_HTTP_OK, text_of(buf_text(&page)),
                      "text/html; charset=utf-8",
                      is_known ? NULL : set_cookie(h, "voter", id, "/", set));
}

static enum MHD_Result
send_style(struct MHD_Connection *c)
{
    OWN(buf) style = {0};

    svg_add_page_style(&style);
    buf_addf(&style, "%s%s", page_css, serve_css);
    return reply_with(c, MHD_HTTP_OK, text_of(buf_text(&style)),
                      "text/css; charset=utf-8", NULL);
}

static enum MHD_Result
send_events(struct http *h, struct MHD_Connection *c, bool speaker)
{
    struct follower *f = mem_new(1, sizeof *f);
    struct MHD_Response *r;

    *f = (struct follower){.http = h, .connection = c,
                           .has.speaker = speaker,
                           .next = h->followers, .from = &h->followers};
    buf_puts(&f->out, "retry: 2000\n\n");
    if (f->next != NULL)
        f->next->from = &f->next;
    h->followers = f;
    count_follower(f, 1);
    serve_refresh(h->serve); /* what has changed while nobody followed */
    r = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, PIECE_BYTES,
                                          read_events, f, leave);
    if (r == NULL)
        leave(f);
    return reply_with(c, MHD_HTTP_OK, r, "text/event-stream; charset=utf-8",
                      NULL);
}

static enum MHD_Result
take_vote(struct http *h, struct MHD_Connection *c)
{
    static const unsigned statuses[] = {
        [VOTE_KEPT] = MHD_HTTP_OK, [VOTE_REFUSED] = MHD_HTTP_BAD_REQUEST,
        [VOTE_CLOSED] = MHD_HTTP_CONFLICT};
    const char *voter = get_cookie(h, c, "voter");
    const char *typed = argument(c, "answer");
    const char *question = argument(c, "question");
    OWN(buf) text = {0};
    enum serve_vote_end end;

    if (voter == NULL || strlen(voter) != SERVE_VOTER)
        return say(c, MHD_HTTP_BAD_REQUEST,
                   _("Answers need this page's cookie: allow it, and reload."));
    if (typed == NULL || question == NULL)
        return say(c, MHD_HTTP_BAD_REQUEST, "");
    end = serve_take_vote(h->serve, question, voter, typed, &text);
    h->has_news = h->has_news || end == VOTE_KEPT;
    return say(c, statuses[end], buf_text(&text));
}

static enum MHD_Result
handle_request(void *self, struct MHD_Connection *c, const char *url,
               const char *method, const char *version, const char *data,
               size_t *size, void **own)
{
    struct http *h = self;
    const char *host = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Host");
    const char *origin = MHD_lookup_connection_value(c, MHD_HEADER_KIND,
                                                     "Origin");
    bool posts = strcmp(method, "POST") == 0;
    bool coded = h->place->code[0] != '\0';
    bool joined = !coded || is_secret(get_cookie(h, c, "joined"), h->token);
    bool speaks = is_secret(get_cookie(h, c, "speaks"), h->key);

    (void)version, (void)data, (void)size, (void)own;
    if (!posts && strcmp(method, "GET") != 0)
        return say(c, MHD_HTTP_METHOD_NOT_ALLOWED, "");
    if (!is_ours(h, host) ||
        (origin != NULL && (strncmp(origin, "http://", 7) != 0 ||
                            strcasecmp(origin + 7, host) != 0)))
        return say(c, MHD_HTTP_FORBIDDEN,
                   _("Open the address that stands on the screen."));
    if (posts && coded && strcmp(url, "/join") == 0)
        return join(h, c);
    if (posts && joined && strcmp(url, "/vote") == 0)
        return take_vote(h, c);
    if (posts)
        return say(c, strcmp(url, "/vote") == 0 ? MHD_HTTP_FORBIDDEN
                                                : MHD_HTTP_NOT_FOUND, "");
    if (strcmp(url, "/") == 0)
        return send_page(h, c, joined ? "follows" : "join");
    if (strcmp(url, "/serve.css") == 0)
        return send_style(c);
    if (strcmp(url, "/serve.js") == 0)
        return reply_with(c, MHD_HTTP_OK, text_of(serve_js),
                          "text/javascript; charset=utf-8", NULL);
    if (strcmp(url, "/events") == 0 && joined)
        return send_events(h, c, false);
    if (strcmp(url, "/notes") == 0 && is_secret(argument(c, "key"), h->key))
        return go_to_notes(h, c);
    if (strcmp(url, "/notes") == 0 && speaks)
        return send_page(h, c, "speaks");
    if (strcmp(url, "/notes/events") == 0 && speaks)
        return send_events(h, c, true);
    return say(c, strcmp(url, "/events") == 0 || strcmp(url, "/notes") == 0 ||
                          strcmp(url, "/notes/events") == 0
                      ? MHD_HTTP_FORBIDDEN
                      : MHD_HTTP_NOT_FOUND, "");
}

/* The thread. */

static void
ring(int fd)
{
    if (write(fd, &(uint64_t){1}, sizeof(uint64_t)) < 0) /* it is full */
        return;
}

/* Does what is due; returns when the next is, in ms. */
static int
tick(struct http *h, int64_t now)
{
    int64_t next;
    MHD_UNSIGNED_LONG_LONG ms;

    h->pending = h->pending && h->followers != NULL;
    if (h->pending && now >= h->frame_ns) {
        h->pending = false;
        h->frame_ns = now + FRAME_NS;
        serve_refresh(h->serve);
        wake_followers(h);
    }
    if (now >= h->alive_ns) {
        h->alive_ns = now + ALIVE_NS;
        for (struct follower *f = h->followers; f != NULL; f = f->next)
            f->pinged = true;
        wake_followers(h);
    }
    MHD_run(h->daemon);
    if (h->has_news && now >= h->news_ns) {
        h->has_news = false;
        h->news_ns = now + NEWS_NS;
        ring(h->place->news_fd);
    }
    next = h->alive_ns;
    if (h->pending && h->frame_ns < next)
        next = h->frame_ns;
    if (h->has_news && h->news_ns < next)
        next = h->news_ns;
    next = (next > now ? next - now : 0) / 1000000 + 1;
    return MHD_get_timeout(h->daemon, &ms) == MHD_YES && (int64_t)ms < next
               ? (int)ms : (int)next;
}

static void *
run(void *self)
{
    struct http *h = self;
    struct pollfd fds[] = {
        {.fd = MHD_get_daemon_info(h->daemon,
                                   MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd,
         .events = POLLIN},
        {.fd = h->wake, .events = POLLIN}};
    uint64_t count;
    int ms = 0;

    while (!h->ends) {
        if (poll(fds, 2, ms) < 0 && errno != EINTR)
            break;
        h->pending |= read(h->wake, &count, sizeof count) > 0;
        ms = tick(h, clock_ns());
    }
    wake_followers(h);
    MHD_run(h->daemon);
    return NULL;
}

void
http_wake(struct http *h)
{
    ring(h->wake);
}

/* Listening. */

/* Where it listens at all addresses: one of them, of IPv4, which others can
 * reach.  It is the one from which the kernel would send something (nothing is
 * sent), or, where it knows no way out, that of a network that is there. */
static void
find_host(struct http *h)
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
        inet_ntop(AF_INET, &at.sin_addr, h->host, sizeof h->host);
}

/* Listens at the host, and finds out whether only this machine can reach it. */
static int
listen_at(struct http *h, struct err *err)
{
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST,
                             .ai_socktype = SOCK_STREAM}, *at;
    struct sockaddr_storage bound;
    socklen_t length = sizeof bound;
    char port[8];
    int fd = -1, error = EINVAL;

    snprintf(port, sizeof port, "%d", h->port);
    if (getaddrinfo(h->host, port, &hints, &at) == 0) {
        fd = socket(at->ai_family,
                    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd < 0 ||
            setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1},
                       sizeof(int)) < 0 ||
            setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT,
                       &(unsigned){SILENCE_S * 1000}, sizeof(unsigned)) < 0 ||
            bind(fd, at->ai_addr, at->ai_addrlen) < 0 || listen(fd, 128) < 0) {
            error = errno;
            close(fd);
            fd = -1;
        }
        freeaddrinfo(at);
    }
    if (fd < 0 && error == EADDRINUSE)
        err_set(err, "--serve: port %d of %s is taken: name another one, or 0 "
                "for any that is free", h->port, h->host);
    else if (fd < 0)
        err_set(err, "--serve: cannot listen at port %d of %s: %s", h->port,
                h->host, strerror(error));
    if (fd < 0)
        return -1;
    getsockname(fd, (struct sockaddr *)&bound, &length);
    getnameinfo((struct sockaddr *)&bound, length, h->host, sizeof h->host,
                port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
    h->port = atoi(port);
    h->here = strncmp(h->host, "127.", 4) == 0 || strcmp(h->host, "::1") == 0;
    if (strcmp(h->host, "0.0.0.0") == 0 || strcmp(h->host, "::") == 0)
        find_host(h);
    return fd;
}

static void
make_place(struct http *h)
{
    bool six = strchr(h->host, ':') != NULL;
    struct http_place *p = h->place;

    make_secret(h->key, SECRET);
    make_secret(h->token, SECRET);
    if (!h->here)
        make_secret(p->code, HTTP_CODE);
    snprintf(p->address, sizeof p->address, "http://%s%s%s:%d/",
             six ? "[" : "", h->host, six ? "]" : "", h->port);
    snprintf(p->notes, sizeof p->notes, "%snotes?key=%s", p->address, h->key);
}

struct http *
http_open(const char *where, struct serve *s, struct http_place *place,
          struct err *err)
{
    struct http *h = mem_new(1, sizeof *h);
    unsigned most = CONNECTIONS_MOST;
    struct rlimit files;
    sigset_t before;
    int fd = -1;

    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur / 2 < most)
        most = (unsigned)files.rlim_cur / 2;
    h->serve = s;
    h->place = place;
    h->port = PORT;
    h->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    place->news_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (gethostname(h->name, sizeof h->name - 1) != 0)
        h->name[0] = '\0';
    if (parse_address(where, h->host, sizeof h->host, &h->port, err))
        fd = listen_at(h, err);
    if (fd >= 0) {
        make_place(h);
        h->daemon = MHD_start_daemon(
            MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL,
            handle_request, h, MHD_OPTION_LISTEN_SOCKET, fd,
            MHD_OPTION_CONNECTION_LIMIT, most,
            MHD_OPTION_PER_IP_CONNECTION_LIMIT, (unsigned)CONNECTIONS_EACH,
            MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
            MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SILENCE_S,
            MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
        if (h->daemon == NULL) {
            close(fd);
            err_set(err, "--serve: libmicrohttpd does not start");
        }
    }
    if (h->daemon != NULL) {
        signals_block(&before);
        if (pthread_create(&h->thread, NULL, run, h) != 0)
            die("cannot start a thread");
        signals_unblock(&before);
        return h;
    }
    http_close(h);
    return NULL;
}

void
http_close(struct http *h)
{
    if (h == NULL)
        return;
    if (h->daemon != NULL) {
        h->ends = true;
        ring(h->wake);
        pthread_join(h->thread, NULL);
        MHD_stop_daemon(h->daemon);
    }
    close(h->wake);
    close(h->place->news_fd);
    free(h);
}
