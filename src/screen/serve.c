/* SPDX-License-Identifier: MIT */
#include "screen/serve.h"

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
    VOTES_MOST = 1000,
    GUESSES = 250, /* at the code, a minute, from one address: a class mistypes,
                    * and there are 31^6 codes */
    PLACES = 256, /* that addresses share to be counted */
};
enum { PORT = 8017, CODE = 6, KEY = 12, ID = 32 };
static const int64_t FRAME_NS = 1000000000 / 15, NEWS_NS = 1000000000 / 4,
                     ALIVE_NS = 10 * INT64_C(1000000000),
                     MINUTE_NS = 60 * INT64_C(1000000000);

/* Without I, L and O, 0 and 1, which look alike. */
static const char letters[] = "ABCDEFGHJKMNPQRSTUVWXYZ23456789";

struct serve {
    struct MHD_Daemon *daemon;
    pthread_t thread;
    int wake, news; /* wakes the thread; says news */
    bool here;      /* only this machine can reach it */
    int port;
    char host[INET6_ADDRSTRLEN + 2], name[256]; /* how it is reached; ours */
    char address[128], notes_address[160];
    char code[CODE + 1], key[KEY + 1], token[ID + 1];
    bool announced;

    /* Under the lock. */
    pthread_mutex_t lock;
    struct canvas latest;
    char *page, *notes; /* JSON */
    unsigned pages, noted; /* how often they have changed */
    struct quiz asked; /* without its texts */
    unsigned question; /* its number; 0: there was none yet */
    bool open, ends;
    struct vote {
        char voter[ID + 1];
        char answer[SERVE_ANSWER];
    } *votes;
    int nvotes, nfollowers, nclass; /* the class: those who may vote */

    /* Of the thread alone. */
    struct canvas now;   /* its cells, */
    struct buf *rows;    /* each row of them as SVG, */
    unsigned *changed;   /* and the frame in which it changed last */
    unsigned frame, sized; /* the last one; the last one of another size */
    struct buf page_now, notes_now;
    unsigned pages_now, noted_now;
    struct follower *followers;
    int64_t frame_ns, alive_ns, news_ns; /* when the next is due */
    bool pending, has_news, ending;
    int64_t minute_ns;
    unsigned char guesses[PLACES];
};

struct follower {
    struct serve *serve;
    struct MHD_Connection *connection;
    struct follower *next, **from;
    bool speaker, asleep, tired; /* asleep: suspended; tired: it has heard
                                  * nothing for long */
    unsigned frame, page, note;  /* that it has */
    struct buf out; /* what it is being sent, from `at` on */
    size_t at;
};

/* What is sent. */

static void
add_event(struct buf *out, const char *name, const char *data)
{
    buf_addf(out, "event: %s\ndata: %s\n\n", name, data);
}

/* Without line breaks, which separate fields of an event. */
static void
add_one_line(struct buf *out, const char *text)
{
    for (; *text != '\0'; text++)
        buf_putc(out, *text == '\n' ? ' ' : *text);
}

/* The empty picture, whose rows come as all that change do. */
static void
add_picture(const struct serve *s, struct buf *out)
{
    struct canvas blank = {0};
    struct buf svg = {0};

    canvas_resize(&blank, s->now.columns, s->now.rows);
    svg_add_fragment(&blank, (struct rect){0, 0, blank.columns, blank.rows},
                     "", _("picture"), "", &svg);
    buf_puts(out, "event: picture\ndata: ");
    add_one_line(out, buf_text(&svg));
    buf_puts(out, "\n\n");
    canvas_done(&blank);
    buf_done(&svg);
}

/* All that the follower lacks; nothing if it has all. */
static void
fill(struct follower *f)
{
    const struct serve *s = f->serve;
    bool rows = false;

    if (f->frame < s->sized)
        add_picture(s, &f->out);
    for (int y = 0; y < s->now.rows; y++) {
        if (s->changed[y] <= f->frame)
            continue;
        buf_addf(&f->out, "%sdata: %d %s\n", rows ? "" : "event: rows\n", y,
                 buf_text(&s->rows[y]));
        rows = true;
    }
    buf_puts(&f->out, rows ? "\n" : "");
    f->frame = s->frame;
    if (f->page != s->pages_now)
        add_event(&f->out, "page", buf_text(&s->page_now));
    if (f->speaker && f->note != s->noted_now)
        add_event(&f->out, "notes", buf_text(&s->notes_now));
    f->page = s->pages_now;
    f->note = s->noted_now;
    if (f->tired && f->out.length == 0)
        buf_puts(&f->out, ":\n\n");
    f->tired = false;
}

static void
wake(struct serve *s)
{
    for (struct follower *f = s->followers; f != NULL; f = f->next)
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
        fill(f);
    }
    if (f->out.length == 0 && f->serve->ending)
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

/* A speaker is none of the class. */
static void
count(struct follower *f, int by)
{
    struct serve *s = f->serve;

    pthread_mutex_lock(&s->lock);
    s->nfollowers += by;
    s->nclass += f->speaker ? 0 : by;
    pthread_mutex_unlock(&s->lock);
    s->has_news = true;
}

static void
leave(void *self)
{
    struct follower *f = self;

    *f->from = f->next;
    if (f->next != NULL)
        f->next->from = f->from;
    count(f, -1);
    buf_done(&f->out);
    free(f);
}

/* Takes over what the screen shows now, as far as it has changed. */
static void
take(struct serve *s)
{
    int rows = 0;

    pthread_mutex_lock(&s->lock);
    if (s->latest.columns != s->now.columns || s->latest.rows != s->now.rows) {
        for (int y = 0; y < s->now.rows; y++)
            buf_done(&s->rows[y]);
        canvas_resize(&s->now, s->latest.columns, s->latest.rows);
        free(s->rows);
        free(s->changed);
        s->rows = mem_new((size_t)s->now.rows, sizeof *s->rows);
        s->changed = mem_new((size_t)s->now.rows, sizeof *s->changed);
        s->sized = s->frame + 1;
    }
    for (int y = 0; y < s->now.rows; y++) {
        struct cell *from = canvas_at(&s->latest, 0, y);
        struct cell *to = canvas_at(&s->now, 0, y);
        int x = 0;
        while (x < s->now.columns && cell_same(&from[x], &to[x]))
            x++;
        if (x == s->now.columns && s->sized <= s->frame)
            continue;
        memcpy(to, from, (size_t)s->now.columns * sizeof *to);
        s->changed[y] = s->frame + 1;
        rows++;
    }
    if (s->pages_now != s->pages) {
        buf_clear(&s->page_now);
        buf_puts(&s->page_now, s->page);
    }
    if (s->noted_now != s->noted) {
        buf_clear(&s->notes_now);
        buf_puts(&s->notes_now, s->notes);
    }
    s->pages_now = s->pages;
    s->noted_now = s->noted;
    pthread_mutex_unlock(&s->lock);

    s->frame += rows > 0;
    for (int y = 0; y < s->now.rows && rows > 0; y++)
        if (s->changed[y] == s->frame) {
            struct buf svg = {0};
            svg_add_row(&s->now, y, &svg);
            buf_clear(&s->rows[y]);
            add_one_line(&s->rows[y], buf_text(&svg));
            buf_done(&svg);
        }
}

/* Requests. */

static enum MHD_Result
reply_with(struct MHD_Connection *c, unsigned status,
           struct MHD_Response *r, const char *type, const char *cookie)
{
    static const char *const headers[][2] = {
        {"Cache-Control", "no-store"},
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'self'; style-src 'self'; "
         "connect-src 'self'; base-uri 'none'; form-action 'none'; "
         "frame-ancestors 'none'"},
    };
    enum MHD_Result queued;

    if (r == NULL)
        return MHD_NO;
    MHD_add_response_header(r, "Content-Type", type);
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        MHD_add_response_header(r, headers[i][0], headers[i][1]);
    if (cookie != NULL)
        MHD_add_response_header(r, "Set-Cookie", cookie);
    queued = MHD_queue_response(c, status, r);
    MHD_destroy_response(r);
    return queued;
}

static enum MHD_Result
reply(struct MHD_Connection *c, unsigned status, const char *type,
      const char *text, const char *cookie)
{
    return reply_with(c, status,
                      MHD_create_response_from_buffer(
                          strlen(text), (void *)text, MHD_RESPMEM_MUST_COPY),
                      type, cookie);
}

static enum MHD_Result
say(struct MHD_Connection *c, unsigned status, const char *text)
{
    return reply(c, status, "text/plain; charset=utf-8", text, NULL);
}

/* Takes as long for one wrong text as for another. */
static bool
same(const char *given, const char *secret)
{
    size_t length = strlen(secret);
    int differs = 0;

    if (given == NULL || strlen(given) != length)
        return false;
    for (size_t i = 0; i < length; i++)
        differs |= toupper((unsigned char)given[i]) ^
                   toupper((unsigned char)secret[i]);
    return differs == 0;
}

static void
make_secret(char *out, int length)
{
    unsigned char byte;

    for (int i = 0; i < length;)
        if (getrandom(&byte, 1, 0) != 1)
            die("getrandom: %s", strerror(errno));
        else if (byte < 256 / (sizeof letters - 1) * (sizeof letters - 1))
            out[i++] = letters[byte % (sizeof letters - 1)];
    out[length] = '\0';
}

static const char *
argument(struct MHD_Connection *c, const char *name)
{
    return MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, name);
}

/* Cookies belong to a host, whose ports share them. */
static const char *
cookie(const struct serve *s, struct MHD_Connection *c, const char *name)
{
    char own[32];

    snprintf(own, sizeof own, "%s%d", name, s->port);
    return MHD_lookup_connection_value(c, MHD_COOKIE_KIND, own);
}

static void
make_cookie(const struct serve *s, const char *name, const char *value,
            char out[128])
{
    snprintf(out, 128, "%s%d=%s; Path=/; HttpOnly; SameSite=Lax", name,
             s->port, value);
}

/* A name that someone else owns may be made to point here (DNS rebinding), so
 * the host is an address, localhost, or this machine's own name. */
static bool
is_ours(const struct serve *s, const char *host)
{
    char name[256], local[300];
    unsigned char address[16];
    bool six = host != NULL && host[0] == '[';
    size_t length;

    if (host == NULL || (length = strcspn(host + six, six ? "]" : ":")) >= 256)
        return false;
    memcpy(name, host + six, length);
    name[length] = '\0';
    host += six + length + (six && host[six + length] == ']');
    if (*host != '\0' && (*host != ':' || strlen(host) > 6 ||
                          host[1 + strspn(host + 1, "0123456789")] != '\0'))
        return false;
    snprintf(local, sizeof local, "%s.local", s->name);
    return six ? inet_pton(AF_INET6, name, address) == 1
               : inet_pton(AF_INET, name, address) == 1 ||
                     strcasecmp(name, "localhost") == 0 ||
                     (!s->here && s->name[0] != '\0' &&
                      (strcasecmp(name, s->name) == 0 ||
                       strcasecmp(name, local) == 0));
}

/* The counter of an address's guesses, for this minute.  Of IPv6 a whole
 * network has one. */
static unsigned char *
guesses_of(struct serve *s, struct MHD_Connection *c)
{
    const struct sockaddr *from = MHD_get_connection_info(
        c, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
    const struct in6_addr *six =
        &((const struct sockaddr_in6 *)from)->sin6_addr;
    unsigned char bytes[8] = {0};
    unsigned hash = 0;

    if (from->sa_family == AF_INET)
        memcpy(bytes, &((const struct sockaddr_in *)from)->sin_addr, 4);
    else
        memcpy(bytes, six->s6_addr + (IN6_IS_ADDR_V4MAPPED(six) ? 8 : 0), 8);
    if (clock_ns() >= s->minute_ns) {
        memset(s->guesses, 0, sizeof s->guesses);
        s->minute_ns = clock_ns() + MINUTE_NS;
    }
    for (int i = 0; i < 8; i++)
        hash = hash * 31 + bytes[i];
    return &s->guesses[hash % PLACES];
}

/* The code is asked for only where it is needed, and then gives a cookie, which
 * nobody can guess. */
static enum MHD_Result
join(struct serve *s, struct MHD_Connection *c)
{
    unsigned char *guesses = guesses_of(s, c);
    char set[128];

    if (*guesses >= GUESSES)
        return say(c, MHD_HTTP_TOO_MANY_REQUESTS,
                   _("Too many wrong codes: wait a minute."));
    if (!same(argument(c, "code"), s->code)) {
        ++*guesses;
        return say(c, MHD_HTTP_FORBIDDEN, _("This is not the code."));
    }
    make_cookie(s, "joined", s->token, set);
    return reply(c, MHD_HTTP_OK, "text/plain", "", set);
}

/* The page of those who follow, of the speaker, or of those who have not
 * joined. */
static enum MHD_Result
send_page(struct serve *s, struct MHD_Connection *c, const char *kind)
{
    const char *voter = cookie(s, c, "voter");
    struct buf page = {0};
    char id[ID + 1], set[128];
    enum MHD_Result sent;

    buf_addf(&page, "<!DOCTYPE html>\n<html lang=\"%s\">\n"
             "<head><meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, "
             "initial-scale=1\">\n<title>collviz</title>\n"
             "<link rel=\"stylesheet\" href=\"/serve.css\">\n"
             "<script src=\"/serve.js\" defer></script></head>\n"
             "<body class=\"%s\"", _("en"), kind);
    const char *const words[][2] = {
        {"lost", _("The screen is gone; this page waits for it.")},
        {"given", _("Your answer: %s. It can be changed.")},
        {"closed", _("This question is closed.")},
        {"answer", _("Answer")},
        {"gpu", _("GPU %d")},
        {"number", _("a number: 8, 0.75 or 3/4")},
        {"label", _("what is in the slot: A1+C1; - for nothing")},
    };
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
                 CODE, _("Join"));
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
    if (voter == NULL || strlen(voter) != ID)
        make_secret(id, ID);
    make_cookie(s, "voter", id, set);
    sent = reply(c, MHD_HTTP_OK, "text/html; charset=utf-8", buf_text(&page),
                 voter == NULL || strlen(voter) != ID ? set : NULL);
    buf_done(&page);
    return sent;
}

static enum MHD_Result
send_style(struct MHD_Connection *c)
{
    struct buf style = {0};
    enum MHD_Result sent;

    svg_add_page_style(&style);
    buf_addf(&style, "%s%s", page_css, serve_css);
    sent = reply(c, MHD_HTTP_OK, "text/css; charset=utf-8", buf_text(&style),
                 NULL);
    buf_done(&style);
    return sent;
}

static enum MHD_Result
send_events(struct serve *s, struct MHD_Connection *c, bool speaker)
{
    struct follower *f = mem_new(1, sizeof *f);
    struct MHD_Response *r;

    *f = (struct follower){.serve = s, .connection = c, .speaker = speaker,
                           .next = s->followers, .from = &s->followers};
    buf_puts(&f->out, "retry: 2000\n\n");
    if (f->next != NULL)
        f->next->from = &f->next;
    s->followers = f;
    count(f, 1);
    take(s); /* after it is counted: what changes from now on wakes us */
    r = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, PIECE_BYTES,
                                          read_events, f, leave);
    if (r == NULL)
        leave(f);
    return reply_with(c, MHD_HTTP_OK, r, "text/event-stream; charset=utf-8",
                      NULL);
}

/* Votes. */

/* Whether a question can be answered in a browser. */
static bool
takes_votes(const struct quiz *q)
{
    return q->kind == QUIZ_CHOICE || q->kind == QUIZ_NUMBER ||
           q->kind == QUIZ_LABEL || q->kind == QUIZ_RANK;
}

/* Reads what a browser says: a choice by its place, from 1.  Sets the answer,
 * as serve_votes() gives it, and appends it as people write it. */
static bool
read_answer(const struct quiz *q, const char *typed,
            char answer[SERVE_ANSWER], struct err *err)
{
    int limit = q->kind == QUIZ_CHOICE ? q->nitems : q->nranks - 1, n;
    struct buf text = {0};
    json_t *value;
    bool ok;

    if (q->kind == QUIZ_CHOICE || q->kind == QUIZ_RANK) {
        if (!parse_int(_("answer"), typed, q->kind == QUIZ_CHOICE, limit, &n,
                       err))
            return false;
        snprintf(answer, SERVE_ANSWER, "%d",
                 q->kind == QUIZ_CHOICE ? q->shown[n - 1] : n);
        return true;
    }
    value = quiz_parse(q, typed, err);
    if (value == NULL)
        return false;
    quiz_answer_text(q, value, &text);
    json_decref(value);
    ok = text.length < SERVE_ANSWER;
    if (ok)
        memcpy(answer, buf_text(&text), text.length + 1);
    else
        err_set(err, "this answer is too long");
    buf_done(&text);
    return ok;
}

/* Keeps a vote, or replaces that of the same voter.  Returns the status. */
static unsigned
keep_vote(struct serve *s, unsigned question, const char *voter,
          const char *answer)
{
    int i = 0;

    if (!s->open || question != s->question)
        return MHD_HTTP_CONFLICT;
    while (i < s->nvotes && memcmp(s->votes[i].voter, voter, ID) != 0)
        i++;
    if (i == VOTES_MOST)
        return MHD_HTTP_SERVICE_UNAVAILABLE;
    if (i == s->nvotes)
        memcpy(s->votes[s->nvotes++].voter, voter, ID);
    snprintf(s->votes[i].answer, SERVE_ANSWER, "%s", answer);
    return MHD_HTTP_OK;
}

static enum MHD_Result
vote(struct serve *s, struct MHD_Connection *c)
{
    const char *voter = cookie(s, c, "voter");
    const char *typed = argument(c, "answer");
    const char *number = argument(c, "question");
    char answer[SERVE_ANSWER], right[16];
    struct quiz asked;
    unsigned status, question;
    struct err err;
    bool open;

    pthread_mutex_lock(&s->lock);
    asked = s->asked;
    question = s->question;
    open = s->open;
    pthread_mutex_unlock(&s->lock);
    snprintf(right, sizeof right, "%u", question);
    if (voter == NULL || strlen(voter) != ID || typed == NULL ||
        number == NULL)
        return say(c, MHD_HTTP_BAD_REQUEST, "");
    if (!open || strcmp(number, right) != 0)
        return say(c, MHD_HTTP_CONFLICT, "");
    if (strlen(typed) >= SERVE_ANSWER ||
        !read_answer(&asked, typed, answer, &err))
        return say(c, MHD_HTTP_BAD_REQUEST,
                   strlen(typed) >= SERVE_ANSWER ? "" : err.text);
    pthread_mutex_lock(&s->lock);
    status = keep_vote(s, question, voter, answer);
    pthread_mutex_unlock(&s->lock);
    s->has_news = s->has_news || status == MHD_HTTP_OK;
    return say(c, status, status == MHD_HTTP_OK ? answer
                          : status == MHD_HTTP_CONFLICT
                              ? "" : _("There are too many votes."));
}

static enum MHD_Result
answer(void *self, struct MHD_Connection *c, const char *url,
       const char *method, const char *version, const char *data,
       size_t *size, void **own)
{
    struct serve *s = self;
    const char *host = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Host");
    const char *origin =
        MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Origin");
    bool posts = strcmp(method, "POST") == 0;
    bool joined = s->code[0] == '\0' || same(cookie(s, c, "joined"), s->token);
    bool speaks = same(argument(c, "key"), s->key);

    (void)version, (void)data, (void)size, (void)own;
    if (!posts && strcmp(method, "GET") != 0)
        return say(c, MHD_HTTP_METHOD_NOT_ALLOWED, "");
    if (!is_ours(s, host) ||
        (origin != NULL && (strncmp(origin, "http://", 7) != 0 ||
                            strcasecmp(origin + 7, host) != 0)))
        return say(c, MHD_HTTP_FORBIDDEN,
                   _("Open the address that stands on the screen."));
    if (posts && s->code[0] != '\0' && strcmp(url, "/join") == 0)
        return join(s, c);
    if (posts)
        return strcmp(url, "/vote") != 0 ? say(c, MHD_HTTP_NOT_FOUND, "")
               : joined                  ? vote(s, c)
                                         : say(c, MHD_HTTP_FORBIDDEN, "");
    if (strcmp(url, "/") == 0)
        return send_page(s, c, joined ? "follows" : "join");
    if (strcmp(url, "/serve.css") == 0)
        return send_style(c);
    if (strcmp(url, "/serve.js") == 0)
        return reply(c, MHD_HTTP_OK, "text/javascript; charset=utf-8",
                     serve_js, NULL);
    if (strcmp(url, "/events") == 0)
        return joined ? send_events(s, c, false)
                      : say(c, MHD_HTTP_FORBIDDEN, "");
    if (strcmp(url, "/notes") == 0)
        return speaks ? send_page(s, c, "speaks")
                      : say(c, MHD_HTTP_FORBIDDEN, "");
    if (strcmp(url, "/notes/events") == 0)
        return speaks ? send_events(s, c, true)
                      : say(c, MHD_HTTP_FORBIDDEN, "");
    return say(c, MHD_HTTP_NOT_FOUND, "");
}

/* The thread. */

static void
empty(int fd)
{
    uint64_t count;

    if (read(fd, &count, sizeof count) < 0) /* it was empty */
        return;
}

static void
ring(int fd)
{
    if (write(fd, &(uint64_t){1}, sizeof(uint64_t)) < 0) /* it is full */
        return;
}

/* Does what is due; returns when the next is, in ms. */
static int
tick(struct serve *s, int64_t now)
{
    int64_t next = s->alive_ns;
    MHD_UNSIGNED_LONG_LONG ms;

    if (s->pending && now >= s->frame_ns) {
        s->pending = false;
        s->frame_ns = now + FRAME_NS;
        take(s);
        wake(s);
    }
    if (s->has_news && now >= s->news_ns) {
        s->has_news = false;
        s->news_ns = now + NEWS_NS;
        ring(s->news);
    }
    if (now >= s->alive_ns) {
        s->alive_ns = now + ALIVE_NS;
        for (struct follower *f = s->followers; f != NULL; f = f->next)
            f->tired = true;
        wake(s);
    }
    MHD_run(s->daemon);
    if (s->pending && s->frame_ns < next)
        next = s->frame_ns;
    if (s->has_news && s->news_ns < next)
        next = s->news_ns;
    next = (next > now ? next - now : 0) / 1000000 + 1;
    return MHD_get_timeout(s->daemon, &ms) == MHD_YES && (int64_t)ms < next
               ? (int)ms : (int)next;
}

static void *
run(void *self)
{
    struct serve *s = self;
    struct pollfd fds[] = {
        {.fd = MHD_get_daemon_info(s->daemon,
                                   MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd,
         .events = POLLIN},
        {.fd = s->wake, .events = POLLIN}};
    int ms = 0;

    while (!s->ending) {
        if (poll(fds, 2, ms) < 0 && errno != EINTR)
            break;
        if (fds[1].revents & POLLIN) {
            empty(s->wake);
            s->pending = true;
        }
        pthread_mutex_lock(&s->lock);
        s->ending = s->ends;
        pthread_mutex_unlock(&s->lock);
        ms = tick(s, clock_ns());
    }
    wake(s);
    MHD_run(s->daemon);
    return NULL;
}

/* Listening. */

/* Where it listens at all addresses: one of them, of IPv4, which others can
 * reach. */
static void
find_host(struct serve *s)
{
    struct ifaddrs *all, *a;

    if (getifaddrs(&all) != 0)
        return;
    for (a = all; a != NULL; a = a->ifa_next)
        if (a->ifa_addr != NULL && (a->ifa_flags & IFF_UP) != 0 &&
            (a->ifa_flags & IFF_LOOPBACK) == 0 &&
            a->ifa_addr->sa_family == AF_INET)
            break;
    if (a != NULL)
        getnameinfo(a->ifa_addr, sizeof(struct sockaddr_in), s->host,
                    sizeof s->host, NULL, 0, NI_NUMERICHOST);
    freeifaddrs(all);
}

/* Listens at the host, and finds out whether only this machine can reach it. */
static int
listen_at(struct serve *s, struct err *err)
{
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST,
                             .ai_socktype = SOCK_STREAM}, *at;
    struct sockaddr_storage bound;
    socklen_t length = sizeof bound;
    char port[8];
    int fd = -1, error = EINVAL;

    snprintf(port, sizeof port, "%d", s->port);
    if (getaddrinfo(s->host, port, &hints, &at) == 0) {
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
                "for any that is free", s->port, s->host);
    else if (fd < 0)
        err_set(err, "--serve: cannot listen at port %d of %s: %s", s->port,
                s->host, strerror(error));
    if (fd < 0)
        return -1;
    getsockname(fd, (struct sockaddr *)&bound, &length);
    getnameinfo((struct sockaddr *)&bound, length, s->host, sizeof s->host,
                port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
    s->port = atoi(port);
    s->here = strncmp(s->host, "127.", 4) == 0 || strcmp(s->host, "::1") == 0;
    if (strcmp(s->host, "0.0.0.0") == 0 || strcmp(s->host, "::") == 0)
        find_host(s);
    return fd;
}

static void
make_addresses(struct serve *s)
{
    bool six = strchr(s->host, ':') != NULL;

    snprintf(s->address, sizeof s->address, "http://%s%s%s:%d/",
             six ? "[" : "", s->host, six ? "]" : "", s->port);
    make_secret(s->key, KEY);
    for (char *c = s->key; *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
    snprintf(s->notes_address, sizeof s->notes_address, "%snotes?key=%s",
             s->address, s->key);
    make_secret(s->token, ID);
    if (!s->here)
        make_secret(s->code, CODE);
}

static unsigned
connections(void)
{
    struct rlimit files;

    return getrlimit(RLIMIT_NOFILE, &files) == 0 &&
                   files.rlim_cur / 2 < CONNECTIONS_MOST
               ? (unsigned)files.rlim_cur / 2
               : CONNECTIONS_MOST;
}

struct serve *
serve_open(const char *where, struct err *err)
{
    struct serve *s = mem_new(1, sizeof *s);
    sigset_t before;
    int fd = -1;

    s->port = PORT;
    pthread_mutex_init(&s->lock, NULL);
    s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    s->news = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    s->page = mem_string("null");
    s->notes = mem_string("null");
    s->pages = 1;
    s->votes = mem_new(VOTES_MOST, sizeof *s->votes);
    if (gethostname(s->name, sizeof s->name - 1) != 0)
        s->name[0] = '\0';
    if (parse_address(where, s->host, sizeof s->host, &s->port, err))
        fd = listen_at(s, err);
    if (fd >= 0) {
        make_addresses(s);
        s->daemon = MHD_start_daemon(
            MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, answer, s,
            MHD_OPTION_LISTEN_SOCKET, fd,
            MHD_OPTION_CONNECTION_LIMIT, connections(),
            MHD_OPTION_PER_IP_CONNECTION_LIMIT, (unsigned)CONNECTIONS_EACH,
            MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
            MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SILENCE_S,
            MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
        if (s->daemon == NULL) {
            close(fd);
            err_set(err, "--serve: libmicrohttpd does not start");
        }
    }
    if (s->daemon != NULL) {
        signals_block(&before);
        if (pthread_create(&s->thread, NULL, run, s) != 0)
            die("cannot start a thread");
        signals_unblock(&before);
        return s;
    }
    serve_close(s);
    return NULL;
}

void
serve_close(struct serve *s)
{
    if (s == NULL)
        return;
    if (s->daemon != NULL) {
        pthread_mutex_lock(&s->lock);
        s->ends = true;
        pthread_mutex_unlock(&s->lock);
        ring(s->wake);
        pthread_join(s->thread, NULL);
        MHD_stop_daemon(s->daemon);
    }
    close(s->wake);
    close(s->news);
    for (int y = 0; y < s->now.rows; y++)
        buf_done(&s->rows[y]);
    canvas_done(&s->now);
    canvas_done(&s->latest);
    buf_done(&s->page_now);
    buf_done(&s->notes_now);
    pthread_mutex_destroy(&s->lock);
    free(s->rows);
    free(s->changed);
    free(s->page);
    free(s->notes);
    free(s->votes);
    free(s);
}

/* What the screen says. */

bool
serve_can(const char **text)
{
    *text = _("browsers can follow the screen");
    return true;
}

bool
serve_announce(struct serve *s, bool once, struct buf *out)
{
    if (once && s->announced)
        return false;
    s->announced |= once;
    buf_addf(out, _("Browsers follow at %s"), s->address);
    if (s->code[0] != '\0')
        buf_addf(out, _(", with the code %s"), s->code);
    return true;
}

void
serve_add_notes_address(const struct serve *s, struct buf *out)
{
    buf_puts(out, s->notes_address);
}

void
serve_add_status(struct serve *s, struct buf *out)
{
    pthread_mutex_lock(&s->lock);
    buf_puts(out, s->code);
    buf_puts(out, s->code[0] != '\0' ? "  " : "");
    if (s->open)
        buf_addf(out, _("%1$d of %2$d answered"), s->nvotes,
                 s->nclass > s->nvotes ? s->nclass : s->nvotes);
    else
        buf_addf(out, ngettext("%d follows", "%d follow",
                               (unsigned long)s->nclass), s->nclass);
    pthread_mutex_unlock(&s->lock);
}

int
serve_fd(const struct serve *s)
{
    return s->news;
}

void
serve_news(struct serve *s)
{
    empty(s->news);
}

/* Wakes the thread if somebody follows; else it looks when somebody comes. */
static void
unlock(struct serve *s, bool changed)
{
    bool followed = s->nfollowers > 0;

    pthread_mutex_unlock(&s->lock);
    if (changed && followed)
        ring(s->wake);
}

void
serve_show(struct serve *s, const struct canvas *c)
{
    size_t count = (size_t)c->columns * (size_t)c->rows, i = 0;
    bool sized = c->columns == s->latest.columns && c->rows == s->latest.rows;

    while (sized && i < count && cell_same(&c->cells[i], &s->latest.cells[i]))
        i++;
    if (sized && i == count)
        return;
    pthread_mutex_lock(&s->lock);
    if (!sized)
        canvas_resize(&s->latest, c->columns, c->rows);
    memcpy(s->latest.cells, c->cells, count * sizeof *c->cells);
    unlock(s, true);
}

void
serve_page(struct serve *s, const struct serve_page *page)
{
    static const char *const kinds[QUIZ_KINDS] = {
        [QUIZ_CHOICE] = "choice", [QUIZ_NUMBER] = "number",
        [QUIZ_LABEL] = "label", [QUIZ_RANK] = "rank"};
    const struct quiz *q = page != NULL ? page->question : NULL;
    json_t *asked = json_null(), *items;
    bool opens = q != NULL && takes_votes(q);
    char *text;

    if (opens) {
        items = json_array();
        for (int i = 0; q->kind == QUIZ_CHOICE && i < q->nitems; i++)
            json_array_append_new(items,
                                  json_string(quiz_item(q, q->shown[i])));
        asked = json_pack("{si ss so si}", "id", (int)s->question + 1, "kind",
                          kinds[q->kind], "items", items, "ranks", q->nranks);
    }
    text = page == NULL ? mem_string("null") : NULL;
    if (page != NULL) {
        json_t *all = json_pack("{ss ss so}", "title", page->title, "text",
                                page->text, "question", asked);
        text = json_dumps(all, JSON_COMPACT);
        json_decref(all);
    }

    pthread_mutex_lock(&s->lock);
    free(s->page);
    s->page = text != NULL ? text : mem_string("null");
    s->pages++;
    s->open = opens;
    if (opens) {
        s->asked = *q;
        s->question++;
        s->nvotes = 0;
    }
    unlock(s, true);
}

void
serve_notes(struct serve *s, const char *json)
{
    bool changed;

    pthread_mutex_lock(&s->lock);
    changed = strcmp(s->notes, json) != 0;
    if (changed) {
        free(s->notes);
        s->notes = mem_string(json);
        s->noted++;
    }
    unlock(s, changed);
}

static int
by_count(const void *one, const void *other)
{
    const struct serve_vote *a = one, *b = other;

    return b->count != a->count ? b->count - a->count
                                : strcmp(a->answer, b->answer);
}

int
serve_votes(struct serve *s, struct serve_vote *votes, int most, int *voters)
{
    struct serve_vote *all;
    int count = 0;

    pthread_mutex_lock(&s->lock);
    *voters = s->nvotes;
    all = mem_new((size_t)s->nvotes, sizeof *all);
    for (int i = 0; i < s->nvotes; i++) {
        int k = 0;
        while (k < count && strcmp(all[k].answer, s->votes[i].answer) != 0)
            k++;
        memcpy(all[k].answer, s->votes[i].answer, SERVE_ANSWER);
        all[k].count++;
        count += k == count;
    }
    pthread_mutex_unlock(&s->lock);
    qsort(all, (size_t)count, sizeof *all, by_count);
    count = count < most ? count : most;
    memcpy(votes, all, (size_t)count * sizeof *all);
    free(all);
    return count;
}
