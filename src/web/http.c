/* SPDX-License-Identifier: MIT */
#include "web/http.h"

#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/signals.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "term/svg.h"
#include "tutor/question.h"
#include "web/listener.h"
#include "web/packet.h"
#include "web/page.h"
#include "web/page_css.h"
#include "web/secret.h"
#include "web/serve_css.h"
#include "web/serve_js.h"
#include "web/visitors.h"

/* What a browser may cost (web/visitors.h): a connection that takes nothing
 * in for so long is closed; a request with its headers and its answer has
 * so much memory. */
enum {
    CONNECTIONS_MOST = 512, /* or half of the descriptors that there may be */
    CONNECTION_BYTES = 32 << 10,
    SILENCE_S = 20,
    PIECE_BYTES = 16 << 10, /* of an event stream at a time */
};
enum { COOKIE = 128 };
static const int64_t FRAME_NS = 1000000000 / 15, NEWS_NS = 1000000000 / 4,
                     ALIVE_NS = 10 * INT64_C(1000000000);

struct http {
    struct serve *serve;
    struct http_place *place;
    struct MHD_Daemon *daemon;
    pthread_t thread;
    int wake; /* an eventfd, which wakes the thread */
    atomic_bool ends;
    struct listener at;
    char key[SECRET_LETTERS + 1]; /* of the notes */
    /* Of the thread alone. */
    struct visitors visitors;
    struct packet *packets;
    int64_t frame_ns, alive_ns, news_ns; /* when the next is due */
    bool pending, has_news;
    struct pollfd *polled;
};

/* Streams of events. */

/* libmicrohttpd asks for more of a stream. */
static ssize_t
read_events(void *self, uint64_t position, char *out, size_t most_bytes)
{
    struct visitor *v = self;
    struct http *h = v->http;
    size_t count;

    (void)position;
    if (v->gone)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    if (v->out == NULL || v->at == v->out->data.length) {
        packet_release(v->out);
        v->at = 0;
        v->out = packet_next(&h->packets, h->serve, &v->has, v->gzip);
        if (v->out == NULL && v->pinged)
            v->out = packet_ping(v->gzip);
        v->pinged = false;
    }
    if (v->out == NULL && h->ends)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (v->out == NULL) {
        visitor_suspend(v);
        return 0;
    }
    count = v->out->data.length - v->at;
    count = count < most_bytes ? count : most_bytes;
    memcpy(out, v->out->data.data + v->at, count);
    v->at += count;
    return (ssize_t)count;
}

static void
refresh_frame(struct http *h)
{
    packets_forget(&h->packets);
    serve_refresh(h->serve);
}

static void
count_follower(struct http *h, const struct visitor *v, int by)
{
    if (!v->has.speaker)
        serve_count(h->serve, by);
    h->has_news = true;
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
make_text_response(const char *text)
{
    return MHD_create_response_from_buffer(strlen(text), (void *)text,
                                           MHD_RESPMEM_MUST_COPY);
}

static enum MHD_Result
send_text(struct MHD_Connection *c, unsigned status, const char *text)
{
    return reply_with(c, status, make_text_response(text),
                      "text/plain; charset=utf-8", NULL);
}

/* Who asks. */

static const char *
get_header(struct MHD_Connection *c, const char *name)
{
    return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

static const char *
get_argument(struct MHD_Connection *c, const char *name)
{
    return MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, name);
}

/* Cookies belong to a host, whose ports share them. */
static const char *
get_cookie(const struct http *h, struct MHD_Connection *c, const char *name)
{
    char own[32];

    snprintf(own, sizeof own, "%s%d", name, h->at.port);
    return MHD_lookup_connection_value(c, MHD_COOKIE_KIND, own);
}

static const char *
set_cookie(const struct http *h, const char *name, const char *value,
           const char *path, char out[COOKIE])
{
    snprintf(out, COOKIE, "%s%d=%s; Path=%s; HttpOnly; SameSite=Lax", name,
             h->at.port, value, path);
    return out;
}

/* Pages of other sites may be opened by people only, and may not make requests
 * of their own in the name of a browser that is here: they would follow,
 * unseen, and take up connections. */
static bool
is_of_another_site(struct MHD_Connection *c, const char *host, bool is_page)
{
    const char *origin = get_header(c, "Origin");
    const char *site = get_header(c, "Sec-Fetch-Site");
    const char *mode = get_header(c, "Sec-Fetch-Mode");

    if (origin != NULL && (strncmp(origin, "http://", 7) != 0 ||
                           strcasecmp(origin + 7, host) != 0))
        return true;
    return site != NULL && strcmp(site, "same-origin") != 0 &&
           strcmp(site, "none") != 0 &&
           !(is_page && mode != NULL && strcmp(mode, "navigate") == 0);
}

/* The id that a browser has been given, or NULL.  Where a code is needed, only
 * those get one who have given it. */
static const char *
get_voter_id(const struct http *h, struct MHD_Connection *c)
{
    const char *id = get_cookie(h, c, "voter");

    return secret_is_id(&h->visitors.key, id) ? id : NULL;
}

/* The same, or a new one, with the cookie that takes it there, else NULL. */
static const char *
give_voter_id(const struct http *h, struct MHD_Connection *c,
              char id[SECRET_LETTERS + 1], char cookie[COOKIE])
{
    const char *known = get_voter_id(h, c);

    if (known != NULL) {
        memcpy(id, known, SECRET_LETTERS + 1);
        return NULL;
    }
    secret_make_id(&h->visitors.key, id);
    return set_cookie(h, "voter", id, "/", cookie);
}

/* Whether a list as in "br, gzip;q=0.5" has gzip, and not at a weight of 0. */
static bool
may_send_gzip(const char *list)
{
    const char *gzip = list != NULL ? strcasestr(list, "gzip") : NULL;
    double weight = 1;

    return gzip != NULL &&
           (sscanf(gzip, "%*4s ; %*1[qQ]=%lf", &weight) < 1 || weight > 0);
}

/* Requests. */

/* The code is asked for only where it is needed, and then gives an id, which
 * nobody can guess. */
static enum MHD_Result
admit_follower(struct http *h, struct MHD_Connection *c, struct visitor *v)
{
    char id[SECRET_LETTERS + 1], set[COOKIE];
    bool right = secret_is(get_argument(c, "code"), h->place->code);

    if (h->ends)
        return MHD_NO; /* none may be suspended when the daemon stops */
    if (!visitor_guesses(v, right, clock_ns()))
        return MHD_YES;
    if (!v->right)
        return send_text(c, MHD_HTTP_FORBIDDEN, _("This is not the code."));
    return reply_with(c, MHD_HTTP_OK, make_text_response(""), "text/plain",
                      give_voter_id(h, c, id, set));
}

/* The key goes into a cookie, so that it stays neither in the address that the
 * speaker's phone shows nor in its history. */
static enum MHD_Result
go_to_notes(const struct http *h, struct MHD_Connection *c)
{
    struct MHD_Response *r = make_text_response("");
    char set[COOKIE];

    if (r != NULL)
        MHD_add_response_header(r, "Location", "/notes");
    return reply_with(c, MHD_HTTP_SEE_OTHER, r, "text/plain",
                      set_cookie(h, "speaks", h->key, "/notes", set));
}

/* Appends what the page's script says in a language, as an attribute. */
static void
add_word(const char *name, const char *text, struct buf *out)
{
    buf_addf(out, " data-%s=\"", name);
    utf8_add_xml(out, text);
    buf_putc(out, '"');
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
    };
    bool follows = strcmp(kind, "follows") == 0;
    char id[SECRET_LETTERS + 1], set[COOKIE];
    OWN(buf) page = {0};

    page_begin("collviz", "<link rel=\"stylesheet\" href=\"/serve.css\"/>\n"
               "<script src=\"/serve.js\" defer=\"defer\"></script>\n", &page);
    buf_addf(&page, "</head>\n<body class=\"%s\"", kind);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        add_word(words[i][0], words[i][1], &page);
    for (int i = 0; i < QUIZ_KINDS; i++)
        if (question_kinds[i]->hint != NULL)
            add_word(question_kinds[i]->name, _(question_kinds[i]->hint),
                     &page);
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
    return reply_with(c, MHD_HTTP_OK, make_text_response(buf_text(&page)),
                      "text/html; charset=utf-8",
                      follows ? give_voter_id(h, c, id, set) : NULL);
}

static enum MHD_Result
send_style(struct MHD_Connection *c)
{
    OWN(buf) style = {0};

    svg_add_page_style(&style);
    buf_addf(&style, "%s%s", page_css, serve_css);
    return reply_with(c, MHD_HTTP_OK, make_text_response(buf_text(&style)),
                      "text/css; charset=utf-8", NULL);
}

static enum MHD_Result
send_events(struct http *h, struct MHD_Connection *c, struct visitor *v,
            bool speaker)
{
    struct MHD_Response *r;
    char set[COOKIE];
    const char *cookie = NULL;

    if (!visitor_streams(&h->visitors, v)) {
        r = make_text_response("");
        if (r != NULL)
            MHD_add_response_header(r, "Connection", "close");
        return reply_with(c, MHD_HTTP_SERVICE_UNAVAILABLE, r, "text/plain",
                          NULL);
    }
    v->http = h;
    v->has.speaker = speaker;
    v->gzip = may_send_gzip(get_header(c, "Accept-Encoding"));
    if (!speaker)
        cookie = give_voter_id(h, c, v->id, set);
    count_follower(h, v, 1);
    if (h->visitors.streams == 1)
        refresh_frame(h); /* what has changed while nobody followed */
    r = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, PIECE_BYTES,
                                          read_events, v, NULL);
    if (r != NULL && v->gzip)
        MHD_add_response_header(r, "Content-Encoding", "gzip");
    return reply_with(c, MHD_HTTP_OK, r, "text/event-stream; charset=utf-8",
                      cookie);
}

/* Only those who follow vote, so that votes cost as much as streams. */
static bool
is_following(const struct http *h, const char *id)
{
    const struct visitor *v = h->visitors.first;

    while (v != NULL && strcmp(v->id, id) != 0)
        v = v->next;
    return v != NULL;
}

static enum MHD_Result
take_vote(struct http *h, struct MHD_Connection *c, const struct visitor *v)
{
    static const unsigned statuses[] = {
        [VOTE_KEPT] = MHD_HTTP_OK, [VOTE_REFUSED] = MHD_HTTP_BAD_REQUEST,
        [VOTE_CLOSED] = MHD_HTTP_CONFLICT};
    const char *id = get_voter_id(h, c);
    const char *typed = get_argument(c, "answer");
    const char *question = get_argument(c, "question");
    OWN(buf) text = {0};
    enum serve_vote_end end;

    if (id == NULL)
        return send_text(c, MHD_HTTP_BAD_REQUEST,
                   _("Answers need this page's cookie: allow it, and reload."));
    if (!is_following(h, id))
        return send_text(c, MHD_HTTP_BAD_REQUEST,
                   _("This page does not follow the screen: reload it."));
    if (typed == NULL || question == NULL)
        return send_text(c, MHD_HTTP_BAD_REQUEST, "");
    end = serve_take_vote(h->serve, question,
                          &(struct serve_voter){
                              id, (unsigned)(v->place - h->visitors.places),
                              visitor_votes_most(v)}, typed, &text);
    h->has_news = h->has_news || end == VOTE_KEPT;
    return send_text(c, statuses[end], buf_text(&text));
}

static enum MHD_Result
handle_request(void *self, struct MHD_Connection *c, const char *url,
               const char *method, const char *version, const char *data,
               size_t *size, void **own)
{
    struct http *h = self;
    struct visitor *v = MHD_get_connection_info(
        c, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
    const char *host = get_header(c, "Host");
    bool posts = strcmp(method, "POST") == 0;
    bool coded = h->place->code[0] != '\0';
    bool joined = !coded || get_voter_id(h, c) != NULL;
    bool speaks = secret_is(get_cookie(h, c, "speaks"), h->key);
    bool is_home = strcmp(url, "/") == 0, is_notes = strcmp(url, "/notes") == 0;

    (void)version, (void)data, (void)size, (void)own;
    if (!posts && strcmp(method, "GET") != 0)
        return send_text(c, MHD_HTTP_METHOD_NOT_ALLOWED, "");
    if (!listener_is_named(&h->at, host) ||
        is_of_another_site(c, host, !posts && (is_home || is_notes)))
        return send_text(c, MHD_HTTP_FORBIDDEN,
                   _("Open the address that stands on the screen."));
    if (posts && coded && strcmp(url, "/join") == 0)
        return admit_follower(h, c, v);
    if (posts && joined && strcmp(url, "/vote") == 0)
        return take_vote(h, c, v);
    if (posts)
        return send_text(c, strcmp(url, "/vote") == 0 ? MHD_HTTP_FORBIDDEN
                                                : MHD_HTTP_NOT_FOUND, "");
    if (is_home)
        return send_page(h, c, joined ? "follows" : "join");
    if (strcmp(url, "/serve.css") == 0)
        return send_style(c);
    if (strcmp(url, "/serve.js") == 0)
        return reply_with(c, MHD_HTTP_OK, make_text_response(serve_js),
                          "text/javascript; charset=utf-8", NULL);
    if (strcmp(url, "/events") == 0 && joined)
        return send_events(h, c, v, false);
    if (is_notes && secret_is(get_argument(c, "key"), h->key))
        return go_to_notes(h, c);
    if (is_notes && speaks)
        return send_page(h, c, "speaks");
    if (strcmp(url, "/notes/events") == 0 && speaks)
        return send_events(h, c, v, true);
    return send_text(c, strcmp(url, "/events") == 0 || is_notes ||
                          strcmp(url, "/notes/events") == 0
                      ? MHD_HTTP_FORBIDDEN
                      : MHD_HTTP_NOT_FOUND, "");
}

/* The thread. */

static void
notify_eventfd(int fd)
{
    if (write(fd, &(uint64_t){1}, sizeof(uint64_t)) < 0) /* it is full */
        return;
}

/* Does what is due; returns when the next is, in ms. */
static int
run_due_work(struct http *h, int64_t now)
{
    MHD_UNSIGNED_LONG_LONG ms;
    int64_t next;

    h->pending = h->pending && h->visitors.streams > 0;
    if (h->pending && now >= h->frame_ns) {
        h->pending = false;
        h->frame_ns = now + FRAME_NS;
        refresh_frame(h);
        visitors_wake(&h->visitors, now);
    }
    if (now >= h->alive_ns) {
        h->alive_ns = now + ALIVE_NS;
        for (struct visitor *v = h->visitors.first; v != NULL; v = v->next)
            v->pinged = true;
        visitors_wake(&h->visitors, now);
    }
    MHD_run(h->daemon);
    if (h->has_news && now >= h->news_ns) {
        h->has_news = false;
        h->news_ns = now + NEWS_NS;
        notify_eventfd(h->place->news_fd);
    }
    next = least64(h->alive_ns, visitors_tick(&h->visitors, now));
    next = h->pending ? least64(next, h->frame_ns) : next;
    next = h->has_news ? least64(next, h->news_ns) : next;
    next = most64(next - now, 0) / 1000000 + 1;
    return MHD_get_timeout(h->daemon, &ms) == MHD_YES && (int64_t)ms < next
               ? (int)ms : (int)next;
}

/* Waits for requests, for what is new, and for the end of streams in which
 * nothing is sent, which libmicrohttpd would see only when something is. */
static bool
wait_for_work(struct http *h, int ms)
{
    struct pollfd *fds = h->polled;
    struct visitor *v;
    nfds_t n = 2, i = 2;
    uint64_t count;

    fds[0] = (struct pollfd){.fd = MHD_get_daemon_info(h->daemon,
        MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd, .events = POLLIN};
    fds[1] = (struct pollfd){.fd = h->wake, .events = POLLIN};
    for (v = h->visitors.first; v != NULL; v = v->next)
        fds[n++] = (struct pollfd){
            .fd = v->streams && v->suspended ? v->fd : -1,
            .events = POLLRDHUP};
    if (poll(fds, n, ms) < 0)
        return errno == EINTR;
    for (v = h->visitors.first; v != NULL; v = v->next)
        if (fds[i++].revents != 0) {
            v->gone = true;
            visitor_resume(v);
        }
    h->pending |= read(h->wake, &count, sizeof count) > 0;
    return true;
}

static void *
run_server(void *self)
{
    struct http *h = self;
    int ms = 0;

    signals_catch_crashes();
    while (!h->ends && wait_for_work(h, ms))
        ms = run_due_work(h, clock_ns());
    visitors_wake(&h->visitors, INT64_MAX);
    MHD_run(h->daemon);
    return NULL;
}

void
http_wake(struct http *h)
{
    notify_eventfd(h->wake);
}

/* Beginning and end. */

static void
make_place(struct http *h)
{
    const char *host = h->at.host;
    bool six = strchr(host, ':') != NULL;
    struct http_place *p = h->place;

    secret_make(h->key, SECRET_LETTERS);
    if (!h->at.here)
        secret_make(p->code, HTTP_CODE);
    snprintf(p->address, sizeof p->address, "http://%s%s%s:%d/",
             six ? "[" : "", host, six ? "]" : "", h->at.port);
    snprintf(p->notes, sizeof p->notes, "%snotes?key=%s", p->address, h->key);
}

static enum MHD_Result
admit_address(void *self, const struct sockaddr *from, socklen_t length)
{
    struct http *h = self;

    (void)length;
    return visitors_admits(&h->visitors, from) ? MHD_YES : MHD_NO;
}

/* A connection begins, or ends. */
static void
note_connection(void *self, struct MHD_Connection *c, void **visitor,
                enum MHD_ConnectionNotificationCode what)
{
    struct http *h = self;
    struct visitor *v = *visitor;

    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        *visitor = visitors_add(&h->visitors, c);
        return;
    }
    if (v->streams)
        count_follower(h, v, -1);
    packet_release(v->out);
    visitors_remove(&h->visitors, v);
}

static void
note_answer(void *self, struct MHD_Connection *c, void **own,
            enum MHD_RequestTerminationCode why)
{
    (void)self, (void)own, (void)why;
    visitor_rests(MHD_get_connection_info(
        c, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context);
}

/* Begins to answer at a socket that listens, which it takes over. */
static bool
start_daemon(struct http *h, int fd, int most, struct err *err)
{
    sigset_t before;

    visitors_init(&h->visitors, most);
    h->polled = mem_new((size_t)most + 2, sizeof *h->polled);
    h->daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, admit_address, h,
        handle_request, h, MHD_OPTION_LISTEN_SOCKET, fd,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)most,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SILENCE_S,
        MHD_OPTION_NOTIFY_CONNECTION, note_connection, h,
        MHD_OPTION_NOTIFY_COMPLETED, note_answer, h,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
    if (h->daemon == NULL) {
        close(fd);
        return err_set(err, "--serve: libmicrohttpd does not start");
    }
    signals_block(&before);
    if (pthread_create(&h->thread, NULL, run_server, h) != 0)
        die("cannot start a thread");
    signals_unblock(&before);
    return true;
}

struct http *
http_open(const char *where, struct serve *s, struct http_place *place,
          struct err *err)
{
    struct http *h = mem_new(1, sizeof *h);
    int most = CONNECTIONS_MOST, fd;
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) == 0 &&
        files.rlim_cur / 2 < (rlim_t)most)
        most = (int)files.rlim_cur / 2;
    h->serve = s;
    h->place = place;
    h->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    place->news_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    fd = listener_open(&h->at, where, SILENCE_S, err);
    if (fd >= 0) {
        make_place(h);
        if (start_daemon(h, fd, most, err))
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
        notify_eventfd(h->wake);
        pthread_join(h->thread, NULL);
        MHD_stop_daemon(h->daemon);
    }
    packets_forget(&h->packets);
    free(h->polled);
    close(h->wake);
    close(h->place->news_fd);
    free(h);
}
