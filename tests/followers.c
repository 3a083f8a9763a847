/* SPDX-License-Identifier: MIT */
/* Browsers that follow, as sockets that say what browsers say, and what
 * browsers do not: who may come, what is sent to whom, votes, and what those
 * cost who are slow, dead or hostile.  And what the speaker's clock says.
 * classroom.test has a real browser. */
#include <arpa/inet.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "lesson/shelf.h"
#include "patience.h"
#include "play/parse.h"
#include "screen/speaker.h"
#include "tap.h"
#include "web/http.h"
#include "web/secret.h"
#include "web/serve.h"
#ifdef HAVE_MICROHTTPD
#include <zlib.h>

#include "web/packet.h"
#include "web/visitors.h"
#endif

enum { LATE_MS = HUNG_MS, ANSWER_MOST = 1 << 20 };

static struct serve *s;
static int port;
static char code[16], host[64];
static char got[ANSWER_MOST]; /* the answer to the last request */

/* The server. */

static void
start(const char *where)
{
    OWN(buf) text = {0};
    struct err err;
    const char *at;

    s = serve_open(where, &err);
    if (s == NULL) {
        diag("%s", err.text);
        exit(99);
    }
    serve_announce(s, false, &text);
    at = strrchr(buf_text(&text), '/');
    while (at[-1] >= '0' && at[-1] <= '9')
        at--;
    port = atoi(at);
    at = strstr(buf_text(&text), "code ");
    snprintf(code, sizeof code, "%s", at != NULL ? at + 5 : "");
    snprintf(host, sizeof host, "127.0.0.1:%d", port);
}

static const char *
status(void)
{
    static char text[100];
    OWN(buf) out = {0};

    serve_add_status(s, &out);
    snprintf(text, sizeof text, "%s", buf_text(&out));
    return text;
}

/* A client at 127.0.0.`from`; -1: it was turned away. */
static int
dial(int from)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(0x7f000000u +
                                                      (unsigned)from)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    if (bind(fd, (struct sockaddr *)&at, sizeof at) == 0) {
        at.sin_addr.s_addr = htonl(0x7f000001);
        at.sin_port = htons((uint16_t)port);
        if (connect(fd, (struct sockaddr *)&at, sizeof at) == 0)
            return fd;
    }
    close(fd);
    return -1;
}

static void
say(int fd, const char *text)
{
    if (send(fd, text, strlen(text), MSG_NOSIGNAL) < 0)
        return;
}

/* Reads into `got` until it has `until`, or nothing comes for `ms`, or the end.
 * Returns whether it has. */
static bool
hear(int fd, const char *until, int ms)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    int64_t end = clock_ns() + ms * INT64_C(1000000);
    size_t length = 0;
    ssize_t n = 1;

    got[0] = '\0';
    while (strstr(got, until) == NULL && n > 0 && length < sizeof got - 1 &&
           clock_ns() < end && poll(&p, 1, (int)((end - clock_ns()) / 1000000) +
                                               1) > 0) {
        n = recv(fd, got + length, sizeof got - 1 - length, 0);
        length += n > 0 ? (size_t)n : 0;
        got[length] = '\0';
        for (size_t i = 0; i < length; i++)
            got[i] = (char)(got[i] != '\0' ? got[i] : '0');
    }
    return strstr(got, until) != NULL;
}

/* Sends a request with the lines `more`, and returns the status of the answer;
 * 0: it was closed without one. */
static int
ask_from(int from, const char *what, const char *more)
{
    OWN(buf) text = {0};
    int fd = dial(from);

    buf_addf(&text, "%s HTTP/1.1\r\n%s%s%s%sConnection: close\r\n\r\n", what,
             strstr(more, "Host:") == NULL ? "Host: " : "",
             strstr(more, "Host:") == NULL ? host : "",
             strstr(more, "Host:") == NULL ? "\r\n" : "", more);
    say(fd, buf_text(&text));
    hear(fd, "\377", LATE_MS); /* to its end */
    close(fd);
    return strncmp(got, "HTTP/1.1 ", 9) == 0 ? atoi(got + 9) : 0;
}

static int
ask(const char *what, const char *more)
{
    return ask_from(1, what, more);
}

static int
follow_from(int from, const char *path, const char *more)
{
    OWN(buf) text = {0};
    int fd = dial(from);

    buf_addf(&text, "GET %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", path, host, more);
    say(fd, buf_text(&text));
    return fd;
}

static int
follow(const char *path, const char *more)
{
    return follow_from(1, path, more);
}

/* The cookie that the last answer has set, as a line of a request. */
static const char *
get_cookie(const char *name)
{
    static char line[4][200];
    static int used;
    char *own = line[used++ % 4];
    const char *at = strstr(got, "Set-Cookie: ");

    own[0] = '\0';
    if (at != NULL && strncmp(at + 12, name, strlen(name)) == 0)
        snprintf(own, sizeof *line, "Cookie: %.*s\r\n",
                 (int)strcspn(at + 12, ";"), at + 12);
    return own;
}

/* Shows a screen that is blank but for a text in a row. */
static void
show(int columns, int rows, int y, const char *text)
{
    OWN(canvas) c = {0};

    canvas_resize(&c, columns, rows);
    canvas_puts(&c, 0, y, text, (struct pen){.fg = ROLE_QUIET});
    serve_show(s, &c);
}

static bool
comes_to(const char *want)
{
    for (int ms = 0; ms < LATE_MS && strcmp(status(), want) != 0; ms += 10)
        usleep(10000);
    return strcmp(status(), want) == 0;
}

/* Tests. */

static void
test_addresses(void)
{
    static const struct {
        const char *text, *host;
        int port;
    } good[] = {{"", "127.0.0.1", 1},          {":8080", "127.0.0.1", 8080},
                {"10.1.2.3", "10.1.2.3", 1},   {"10.1.2.3:0", "10.1.2.3", 0},
                {"[::1]:80", "::1", 80},       {"::1", "::1", 1},
                {"localhost:9", "127.0.0.1", 9}, {"[fe80::2]", "fe80::2", 1}};
    static const char *const bad[] = {"trees", "1.2.3", "a:1", "1.2.3.4:",
                                      "1.2.3.4:65536", "[::1", "[::1]8", "8080",
                                      "[1.2.3.4]:1x", "1.2.3.4:-1"};
    char name[64];
    struct err err;
    int number;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        number = 1;
        ok(parse_address(good[i].text, name, sizeof name, &number, &err) &&
               strcmp(name, good[i].host) == 0 && number == good[i].port,
           "'%s' is an address", good[i].text);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ok(!parse_address(bad[i], name, sizeof name, &number, &err),
           "'%s' is none", bad[i]);
}

static void
test_frames(void)
{
    int first, late;
    OWN(canvas) c = {0};

    start(":0");
    show(80, 24, 3, "early <b>&");
    first = follow("/events", "");
    ok(hear(first, "early &lt;b&gt;&amp;", LATE_MS),
       "a late joiner gets the frame");
    ok(strstr(got, "event: picture") != NULL && strstr(got, "Content-Security-"
       "Policy: default-src 'none'") != NULL && strstr(got, "nosniff") != NULL,
       "with its picture, under a strict policy");
    ok(comes_to("1 follows"), "who follows is counted");
    show(80, 24, 5, "later");
    ok(hear(first, "later", LATE_MS) && strstr(got, "data: 3 ") != NULL &&
           strstr(got, "data: 4 ") == NULL && strstr(got, "picture") == NULL,
       "then the rows that have changed");
    show(80, 24, 5, "later");
    ok(!hear(first, "data", 300), "and nothing if none has");
    show(100, 30, 0, "wide");
    ok(hear(first, "wide", LATE_MS) && strstr(got, "event: picture") != NULL,
       "another size is another picture");
    late = follow("/events", "");
    ok(hear(late, "wide", LATE_MS) && strstr(got, "early") == NULL,
       "one who comes later sees the last one");
    canvas_resize(&c, 10, 2);
    canvas_puts(&c, 0, 0, "\033[31m\xe2\x80\xae", strong);
    serve_show(s, &c);
    ok(hear(late, "\\x1b[31m\\u", LATE_MS), "signs that do harm are escaped");
    close(late);
    for (int i = 0; i < 3; i++) { /* the first one is sent in vain */
        show(10, 2, 1, i % 2 ? "a" : "b");
        usleep(200000);
    }
    ok(comes_to("1 follows"), "one who goes is not counted");
    serve_close(s);
    ok(!hear(first, "\377", LATE_MS), "the end is the end of the stream");
    close(first);
}

/* A stream that ends is forgotten though nothing is sent. */
static void
test_leaving(void)
{
    int stays, goes;

    start(":0");
    stays = follow("/events", "");
    goes = follow("/events", "");
    ok(comes_to("2 follow"), "two follow");
    usleep(300000);
    close(goes);
    ok(comes_to("1 follows"), "one who goes is seen to go");
    ok(hear(stays, "data: null\n\n", LATE_MS) && strstr(got, ":\n\n") == NULL &&
           !hear(stays, ":\n\n", 50), "  before something is sent");
    shutdown(stays, SHUT_WR);
    ok(comes_to("0 follow"), "also one who says only that");
    ok(!hear(stays, ":\n\n", 50), "  as soon");
    close(stays);
    serve_close(s);
}

/* The letter of which a row of a frame has eight. */
static char
letter_of(const char *row)
{
    size_t length = strcspn(row, "\n"), same = 0;

    for (size_t i = 1; i < length && same < 7; i++) {
        same = row[i] == row[i - 1] ? same + 1 : 0;
        if (same == 7)
            return row[i];
    }
    return '\0';
}

/* Frames of one letter each, as fast as they can be shown, arrive as such. */
static void
test_whole_frames(void)
{
    OWN(canvas) c = {0};
    char line[201] = "";
    int fd, rows = 0, mixed = 0, frames = 0;
    size_t length = 0;

    start(":0");
    canvas_resize(&c, 200, 60);
    fd = follow("/events", "");
    for (int i = 0; length < sizeof got / 4; i++) {
        ssize_t n;
        memset(line, 'b' + i % 20, 200);
        for (int y = 0; y < c.rows; y++)
            canvas_puts(&c, 0, y, line, plain);
        serve_show(s, &c);
        n = recv(fd, got + length, sizeof got - 1 - length, MSG_DONTWAIT);
        length += n > 0 ? (size_t)n : 0;
    }
    got[length] = '\0';
    for (const char *at = got; (at = strstr(at, "event: rows\n")) != NULL;) {
        char first = '\0';
        at += 12;
        for (; strncmp(at, "data: ", 6) == 0; at += strcspn(at, "\n") + 1) {
            if (strchr(at, '\n') == NULL) /* not all of it has come */
                break;
            first = first == '\0' ? letter_of(at) : first;
            mixed += first != letter_of(at);
            rows++;
        }
        frames++;
    }
    ok(frames >= 8 && rows > 400, "%d frames come, of %d rows", frames, rows);
    is_int(mixed, 0, "  and none is mixed with another");
    close(fd);
    serve_close(s);
}

/* A request that does not end, one that does not come, and a stream in which
 * nothing happens, for some ten seconds, in which there are other tests. */
static struct {
    struct serve *serve;
    int idles, stays;
    pid_t drips; /* exits with the seconds that it was let drip */
} waiting;

static void
begin_deadlines(void)
{
    int64_t began = clock_ns();

    start(":0");
    waiting.serve = s;
    waiting.stays = follow("/events", "");
    ok(hear(waiting.stays, "data: null\n\n", LATE_MS), "a stream");
    waiting.idles = dial(1);
    say(waiting.idles, "GET /serve.css HTTP/1.1\r\nHost: localhost\r\n\r\n");
    hear(waiting.idles, "svg", LATE_MS);
    waiting.drips = fork();
    if (waiting.drips != 0)
        return;
    struct pollfd p = {.fd = dial(1), .events = POLLIN};
    say(p.fd, "GET / HTTP/1.1\r\n");
    for (int i = 0; i < 300 && poll(&p, 1, 50) == 0; i++)
        say(p.fd, "a: b\r\n");
    _exit((int)((clock_ns() - began) / 1000000000));
}

static void
end_deadlines(void)
{
    int status = 0;

    s = waiting.serve;
    waitpid(waiting.drips, &status, 0);
    ok(WIFEXITED(status) && WEXITSTATUS(status) < 14,
       "a request has some seconds (%d)", WEXITSTATUS(status));
    ok(WEXITSTATUS(status) >= 5, "  and not too few");
    got[0] = 'x';
    ok(recv(waiting.idles, got, 1, MSG_DONTWAIT | MSG_PEEK) == 0,
       "so has the next one");
    ok(hear(waiting.stays, ":\n\n", LATE_MS),
       "a stream stays, and is sent something");
    ok(comes_to("1 follows"), "  as the dead would be noticed by");
    close(waiting.idles);
    close(waiting.stays);
    serve_close(s);
}

#ifdef HAVE_MICROHTTPD
/* What a browser makes of a stream so far. */
static void
unzip(const unsigned char *data, size_t length, struct buf *out)
{
    z_stream z = {.next_in = (unsigned char *)data, .avail_in = (uInt)length};
    char text[1 << 14];
    int end = inflateInit2(&z, 15 + 16); /* gzip alone */

    while (end == Z_OK) {
        z.next_out = (unsigned char *)text;
        z.avail_out = sizeof text;
        end = inflate(&z, Z_SYNC_FLUSH);
        buf_add(out, text, sizeof text - z.avail_out);
    }
    inflateEnd(&z);
}

static void
add_packet(struct packet *p, struct buf *out)
{
    if (p != NULL)
        buf_add(out, p->data.data, p->data.length);
    packet_release(p);
}

/* There is no follower, so this thread may do what the server's does. */
static void
test_packets(void)
{
    struct serve_follower clear = {0}, zipped = {0}, late = {0}, speaker = {0};
    struct packet *all = NULL, *one, *other;
    OWN(buf) text = {0}, data = {0}, unzipped = {0};

    speaker.speaker = true;
    start(":0");
    for (int i = 0; i < 5; i++) {
        struct serve_follower same = zipped, whole = {0};
        show(120, 40, i + 3, i % 2 ? "later <b>" : "early &");
        serve_refresh(s);
        packets_forget(&all);
        add_packet(packet_next(&all, s, &clear, false), &text);
        one = packet_next(&all, s, &zipped, true);
        other = packet_next(&all, s, &same, true);
        ok(one != NULL && one == other,
           "two who have the same are sent the same, made once");
        packet_release(other);
        add_packet(one, &data);
        one = packet_next(&all, s, &whole, true);
        ok(one != NULL && (i == 0 || one->data.length > 2 * other->data.length),
           "one who has none is sent all");
        packet_release(one);
        ok(packet_next(&all, s, &zipped, true) == NULL, "then no more");
    }
    add_packet(packet_ping(false), &text);
    add_packet(packet_ping(true), &data);
    unzip((const unsigned char *)data.data, data.length, &unzipped);
    is_str(buf_text(&unzipped), buf_text(&text), "it is the same compressed");
    ok(strstr(buf_text(&text), "early &amp;") != NULL &&
           data.length < text.length / 2,
       "and shorter: %d bytes for %d", (int)data.length, (int)text.length);
    serve_notes(s, json_pack("{ss}", "notes", "WHISPER"));
    one = packet_next(&all, s, &speaker, false);
    other = packet_next(&all, s, &late, false);
    ok(one != NULL && other != NULL && one != other &&
           strstr(buf_text(&one->data), "WHISPER") != NULL &&
           strstr(buf_text(&other->data), "WHISPER") == NULL,
       "a speaker's packets are no one else's");
    packet_release(one);
    packet_release(other);
    packets_forget(&all);
    serve_close(s);
}

/* Which place an address is at: the only one that has room. */
static int
place_of(struct visitors *all, const char *address)
{
    struct sockaddr_in6 six = {.sin6_family = AF_INET6};
    struct sockaddr_in four = {.sin_family = AF_INET};
    bool is_six = strchr(address, ':') != NULL, admits = false;
    int i = -1;

    inet_pton(is_six ? AF_INET6 : AF_INET, address,
              is_six ? (void *)&six.sin6_addr : (void *)&four.sin_addr);
    while (!admits && ++i < VISITORS_PLACES) {
        all->places[i].connections = 0;
        admits = visitors_admits(all, is_six ? (struct sockaddr *)&six
                                             : (struct sockaddr *)&four);
        all->places[i].connections = all->most;
    }
    return i;
}

static void
test_places(void)
{
    static const struct {
        const char *one, *other;
        bool same;
    } rows[] = {{"192.168.1.7", "192.168.1.7", true},
                {"192.168.1.7", "192.168.1.8", false},
                {"192.168.1.7", "::ffff:192.168.1.7", true},
                {"2001:db8::1", "2001:db8::ffff:2", true},
                {"2001:db8:0:1::1", "2001:db8:0:2::1", false},
                {"2001:db8::1", "32.1.13.184", false}};
    struct visitors *all = calloc(1, sizeof *all);
    int before;

    visitors_init(all, 512);
    all->key = (struct secret_key){{1, 2}}; /* none of these meet */
    for (int i = 0; i < VISITORS_PLACES; i++)
        all->places[i].connections = 512;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int one = place_of(all, rows[i].one);
        ok(one < VISITORS_PLACES &&
               (one == place_of(all, rows[i].other)) == rows[i].same,
           "%s and %s are at %s", rows[i].one, rows[i].other,
           rows[i].same ? "one place" : "two");
    }
    before = place_of(all, "10.0.0.1");
    all->key.half[1]++;
    ok(place_of(all, "10.0.0.1") != before, "nobody knows where that is");
    free(all);
}

static void
test_compression(void)
{
    static const struct {
        const char *accepts;
        bool gzip;
    } rows[] = {{"gzip, deflate, br", true}, {"br;q=1.0, gzip;q=0.8", true},
                {"identity", false},         {"gzip;q=0", false},
                {"gzip;q=0.000, br", false}, {"br,GZIP", true},
                {"br, gzip ; q=0", false},   {"deflate", false}};

    start(":0");
    show(80, 24, 3, "early");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char more[100];
        int fd;
        snprintf(more, sizeof more, "Accept-Encoding: %s\r\n",
                 rows[i].accepts);
        fd = follow("/events", more);
        hear(fd, rows[i].gzip ? "\r\n\r\n" : "early", LATE_MS);
        ok((strstr(got, "Content-Encoding: gzip\r\n") != NULL) ==
               rows[i].gzip &&
               (strstr(got, "early") == NULL) == rows[i].gzip,
           "%s: %s", rows[i].accepts, rows[i].gzip ? "compressed" : "plain");
        close(fd);
    }
    serve_close(s);
}
#endif

/* What is shown while somebody joins gets there, before or after.  Servers take
 * turns, as each of them sends a frame only so often. */
static void
test_newcomers(void)
{
    enum { ROUNDS = 300, SERVERS = 15 };
    struct serve *servers[SERVERS];
    int ports[SERVERS], fds[SERVERS], missed = 0;
    char text[32];

    for (int i = 0; i < ROUNDS + SERVERS; i++) {
        int k = i % SERVERS;
        if (i >= SERVERS) {
            snprintf(text, sizeof text, "frame %d.", i - SERVERS);
            missed += !hear(fds[k], text, 2000);
            close(fds[k]);
        }
        if (i < SERVERS)
            start(":0");
        else
            s = servers[k], port = ports[k];
        servers[k] = s, ports[k] = port;
        if (i >= ROUNDS) {
            serve_close(s);
            continue;
        }
        fds[k] = follow("/events", "");
        usleep((useconds_t)(i % 30) * 10);
        snprintf(text, sizeof text, "frame %d.", i);
        show(80, 24, 3, text);
    }
    is_int(missed, 0, "newcomers miss no frame");
}

/* All addresses: the one that is told is that which leads out, not that of a
 * bridge that comes before. */
static void
test_host(void)
{
    OWN(buf) text = {0};
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        if (unshare(CLONE_NEWNET) != 0 ||
            system("{ ip link add br9 type bridge && ip link set br9 up &&"
                   " ip addr add 172.17.0.1/16 dev br9 &&"
                   " ip link add ve9 type veth peer name vp9 &&"
                   " ip addr add 198.51.100.7/24 dev ve9 &&"
                   " ip link set ve9 up && ip link set vp9 up &&"
                   " ip route add default via 198.51.100.1; }"
                   " 2>/dev/null") != 0)
            _exit(77);
        start("0.0.0.0:0");
        serve_announce(s, false, &text);
        diag("%s", buf_text(&text));
        _exit(strstr(buf_text(&text), "//198.51.100.7:") == NULL);
    }
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip("an address to be reached at: there can be no networks");
    else
        is_int(status, 0, "the address that is told can be reached");
}

static void
test_who_may_come(void)
{
    static const struct {
        const char *what, *more;
        int status;
    } asked[] = {
        {"GET /", "", 200},
        {"GET /serve.css", "", 200},
        {"GET /", "Host: localhost\r\n", 200},
        {"GET /", "Host: [::1]:80\r\n", 200},
        {"GET /", "Host: evil.example\r\n", 403},
        {"GET /", "Host: 127.0.0.1.evil.example:80\r\n", 403},
        {"GET /", "Host: localhost.\r\n", 403},
        {"GET /", "Host: 127.0.0.1:80:80\r\n", 403},
        {"GET /", "Host:\r\n", 403},
        {"GET /", "Host: 127.0.0.1x\r\n", 403},
        {"GET /events", "Origin: http://evil.example\r\n", 403},
        {"GET /events", "Origin: https://127.0.0.1\r\n", 403},
        {"GET /events", "Sec-Fetch-Site: cross-site\r\n", 403},
        {"GET /events", "Sec-Fetch-Site: same-site\r\n", 403},
        {"GET /events", "Sec-Fetch-Site: cross-site\r\n"
         "Sec-Fetch-Mode: navigate\r\n", 403},
        {"GET /serve.js", "Sec-Fetch-Site: cross-site\r\n", 403},
        {"GET /", "Sec-Fetch-Site: cross-site\r\n"
         "Sec-Fetch-Mode: no-cors\r\n", 403},
        {"GET /", "Sec-Fetch-Site: cross-site\r\n"
         "Sec-Fetch-Mode: navigate\r\n", 200},
        {"GET /", "Sec-Fetch-Site: none\r\n", 200},
        {"GET /serve.js", "Sec-Fetch-Site: same-origin\r\n", 200},
        {"POST /vote?question=1&answer=1", "Sec-Fetch-Site: cross-site\r\n"
         "Sec-Fetch-Mode: navigate\r\n", 403},
        {"GET /", "Origin: null\r\n", 403},
        {"GET /", "Host: localhost\r\nOrigin: http://localhost\r\n", 200},
        {"POST /vote?question=1&answer=1", "Origin: http://evil.example\r\n",
         403},
        {"POST /vote?question=1&answer=1", "", 400},
        {"POST /join?code=A", "", 404},
        {"PUT /", "", 405},
        {"OPTIONS /vote", "", 405},
        {"GET /notes", "", 403},
        {"GET /notes?key=aaaaaaaaaaaa", "", 403},
        {"GET /notes/events", "", 403},
        {"GET /notes?key=", "", 403},
        {"GET /../../etc/passwd", "", 404},
        {"GET /%2e%2e/%2e%2e/etc/passwd", "", 404},
        {"GET //", "", 404},
        {"GET /events/", "", 404},
    };
    char line[300], name[256] = "";
    const char *cookie;

    start(":0");
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        is_int(ask(asked[i].what, asked[i].more), asked[i].status, "%s %.*s",
               asked[i].what, (int)strcspn(asked[i].more, "\r"), asked[i].more);
    ask("GET /", "");
    ok(strstr(got, "HttpOnly; SameSite=Lax") != NULL,
       "whoever may vote gets a cookie that no script sees");
    ok(strstr(got, " data-gpu=\"GPU %d\" data-number=\"a number: 8, 0.75 or 3/4"
                   "\" data-label=\"what is in the slot: A1+C1; - for nothing"
                   "\">\n<main>") != NULL,
       "its script is told how each kind of answer is typed");
    cookie = get_cookie("voter");
    ok(ask("GET /", cookie) == 200 && strstr(got, "Set-Cookie") == NULL,
       "and no second one, for a second vote");
    snprintf(line, sizeof line, "Cookie: voter%d=%032d\r\n", port, 7);
    ok(ask("GET /", line) == 200 && strstr(got, "Set-Cookie") != NULL,
       "unless it is one that was not given");
    gethostname(name, sizeof name - 1);
    snprintf(line, sizeof line, "Host: %s\r\n", name);
    is_int(ask("GET /", line), 403, "here this machine's name is not ours");
    serve_close(s);

    start("0.0.0.0:0");
    is_int(ask("GET /", line), 200, "elsewhere it is");
    snprintf(line, sizeof line, "Host: %s.local:80\r\n", name);
    is_int(ask("GET /", line), 200, "also with a port");
    snprintf(line, sizeof line, "Host: %s.example\r\n", name);
    is_int(ask("GET /", line), 403, "and not as a part of another");
    serve_close(s);
}

static void
test_code(void)
{
    char line[100], wrong[100];
    const char *cookie;

    start("0.0.0.0:0");
    is_int((int)strlen(code), 6, "elsewhere a code is needed");
    ok(ask("GET /", "") == 200 && *get_cookie("") == '\0', "without it");
    ok(strstr(got, "id=\"join\"") != NULL && strstr(got, "figure") == NULL,
       "  it is asked for");
    is_int(ask("GET /events", ""), 403, "  there is no stream");
    is_int(ask("POST /vote?question=1&answer=1", ""), 403, "  and no vote");
    snprintf(line, sizeof line, "POST /join?code=%s", code);
    for (int i = 0; i < 6; i++) {
        strcpy(wrong, line);
        wrong[strlen(wrong) - 6 + (size_t)i] = '0';
        ok(ask(wrong, "") == 403 && *get_cookie("") == '\0',
           "a code is wrong that is so in letter %d", i + 1);
    }
    is_int(ask(line, ""), 200, "with it");
    cookie = get_cookie("voter");
    ok(ask("GET /", cookie) == 200 && strstr(got, "figure") != NULL,
       "  the page is there");
    is_int(ask("GET /", "Cookie: voter=\r\n"), 200, "  another cookie");
    ok(strstr(got, "id=\"join\"") != NULL, "  is none");
    snprintf(wrong, sizeof wrong, "Cookie: voter%d=%032d\r\n", port, 7);
    ok(ask("GET /", wrong) == 200 && strstr(got, "id=\"join\"") != NULL,
       "  nor is one that was not given");
    is_int(ask("GET /events", wrong), 403, "  for a stream either");
    serve_close(s);
}

/* All at once from one address, which would try as many codes as it liked if
 * each guess had an answer of its own time. */
static void
test_guesses(void)
{
    enum { GUESSES = 300, LAST = 100 };
    int guesses[GUESSES], joined = 0, wrong = 0;
    char line[100], request[200];
    int64_t began, right;

    start("0.0.0.0:0");
    snprintf(line, sizeof line, "POST /join?code=%s", code);
    snprintf(request, sizeof request, "%s HTTP/1.1\r\nHost: localhost\r\n\r\n",
             line);
    for (int i = 0; i < GUESSES; i++)
        guesses[i] = dial(1);
    began = clock_ns();
    for (int i = 0; i < GUESSES; i++)
        say(guesses[i], request);
    for (int i = 0; i < GUESSES; i++)
        joined += hear(guesses[i], "\r\n\r\n", LATE_MS) &&
                  strstr(got, " 200 ") != NULL;
    ok(joined == GUESSES && clock_ns() - began < GUESSES * INT64_C(9000000),
       "a class that joins at once does not wait (%d in %d ms)", joined,
       (int)((clock_ns() - began) / 1000000));
    for (int i = 0; i < GUESSES; i++) {
        close(guesses[i]);
        guesses[i] = dial(1);
        if (i % 64 == 0) /* all are accepted, before there are too many */
            ask_from(2, "GET /", "");
    }
    began = clock_ns();
    for (int i = 0; i < GUESSES; i++)
        say(guesses[i], "POST /join?code=AAAAA0 HTTP/1.1\r\n"
            "Host: localhost\r\n\r\n");
    hear(guesses[0], "\r\n\r\n", LATE_MS);
    is_int(ask_from(2, line, ""), 200, "those elsewhere may join meanwhile");
    ok(clock_ns() - began < INT64_C(2500000000), "  at once");
    is_int(ask(line, ""), 200, "so may others from there");
    right = clock_ns() - began;
    ok(right >= GUESSES * INT64_C(10000000) * 99 / 100,
       "  after those that came before (%d ms)", (int)(right / 1000000));
    for (int i = 0; i < GUESSES; i++) {
        wrong += i == 0 || (hear(guesses[i], "\r\n\r\n", LATE_MS) &&
                            strstr(got, " 403 ") != NULL);
        close(guesses[i]);
    }
    is_int(wrong, GUESSES, "and all have their answers");
    for (int i = 0; i < LAST; i++) {
        guesses[i] = dial(1);
        say(guesses[i], "POST /join?code=AAAAA0 HTTP/1.1\r\n"
            "Host: localhost\r\n\r\n");
    }
    hear(guesses[0], "\r\n\r\n", LATE_MS);
    serve_close(s);
    ok(!hear(guesses[LAST - 1], "403", LATE_MS),
       "the server ends while guesses wait");
    for (int i = 0; i < LAST; i++)
        close(guesses[i]);
}

/* The answers, as "a):1 ...", and how many there are. */
static const char *
votes(void)
{
    static char text[200];
    struct serve_vote all[4];
    int voters, n = serve_votes(s, all, 4, &voters);
    size_t at = (size_t)sprintf(text, "%d", voters);

    for (int i = 0; i < n; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, " %s:%d",
                               all[i].answer, all[i].count);
    return text;
}

static int asked; /* the number before that of the first question */

/* A browser that follows, and has an id. */
static struct phone {
    char cookie[200];
    int from, stream;
} phones[4];

static void
join_class(struct phone *p, int from)
{
    p->from = from;
    ask_from(from, "GET /", "");
    snprintf(p->cookie, sizeof p->cookie, "%s", get_cookie("voter"));
    p->stream = follow_from(from, "/events", p->cookie);
    hear(p->stream, "data", LATE_MS);
}

static int
vote_with(int from, int question, const char *answer, const char *cookie)
{
    char what[400];

    snprintf(what, sizeof what, "POST /vote?question=%d&answer=%s",
             asked + question, answer);
    return ask_from(from, what, cookie);
}

static int
vote(int question, const char *answer, char voter)
{
    const struct phone *p = &phones[voter - 'a'];

    return vote_with(p->from, question, answer, p->cookie);
}

/* The number before that of the question in what was heard last. */
static int
number_heard(void)
{
    const char *at = strstr(got, "\"id\":");

    return at != NULL ? atoi(at + 5) - 1 : 0;
}

/* The same for the one that is asked. */
static int
first_question(void)
{
    int fd = follow("/events", "");

    hear(fd, "\"items\"", LATE_MS);
    close(fd);
    return number_heard();
}

/* A phone may still have a question of another collviz at this address. */
static int
first_number(void)
{
    struct question q = {.kind = QUIZ_NUMBER, .text = "How many?"};

    start(":0");
    serve_page(s, &(struct serve_page){"Title", "How many?", &q, NULL});
    asked = first_question();
    serve_close(s);
    return asked;
}

static void
test_votes(void)
{
    struct question q = {.kind = QUIZ_CHOICE, .text = "Which?", .nitems = 3,
                         .items = {"one", "two", "three"}, .shown = {2, 3, 1},
                         .hints = {"SECRET"}, .nhints = 1, .why = "SECRET",
                         .notes = "SECRET", .nranks = 3, .nslots = 3};
    struct serve_page page = {"Title", "Which?", &q, NULL};
    char many[400] = "";
    int fd;

    ok(first_number() != first_number(), "each collviz has its own numbers");
    start(":0");
    for (int i = 0; i < 4; i++)
        join_class(&phones[i], 1);
    is_int(vote(1, "1", 'a'), 409, "no question is open");
    serve_page(s, &page);
    fd = phones[0].stream;
    ok(hear(fd, "\"items\":[\"two\",\"three\",\"one\"]", LATE_MS) &&
           strstr(got, "SECRET") == NULL,
       "a question, in the order in which it stands, and no more of it");
    asked = number_heard();
    is_int(vote(1, "1", 'a'), 200, "a vote");
    is_str(votes(), "1 a):1 b):0 c):0", "  is for the choice");
    is_int(vote(1, "2", 'a'), 200, "may be changed");
    is_int(vote(1, "2", 'b'), 200, "another one's");
    is_str(votes(), "2 a):0 b):2 c):0", "  one each");
    is_str(status(), "2 of 4 answered", "  counted");
    ok(vote(1, "0", 'c') == 400 && vote(1, "4", 'c') == 400 &&
           vote(1, "two", 'c') == 400 && vote(1, "", 'c') == 400,
       "what is no choice is refused");
    is_int(vote(2, "1", 'c'), 409, "and a question that is not asked");
    is_int(ask("POST /vote?question=1&answer=1", ""), 400, "or no voter");
    is_int(ask("POST /vote?question=1", "Content-Length: 999999999\r\n"), 400,
           "a body is not read");
    page.question = NULL;
    serve_page(s, &page);
    is_int(vote(1, "1", 'a'), 409, "it closes");
    is_str(votes(), "2 a):0 b):2 c):0", "its votes stay");

    q.kind = QUIZ_LABEL;
    page.question = &q;
    serve_page(s, &page);
    is_str(votes(), "0", "the next one begins without");
    ok(vote(2, "%20b1%2Ba1", 'a') == 200 && vote(2, "A1%2BB1", 'b') == 200 &&
           vote(2, "-", 'c') == 200, "labels");
    is_str(votes(), "3 A1+B1:2 nothing:1", "  are read as at the keys");
    memset(many, 'A', sizeof many - 100);
    ok(vote(2, "banana", 'd') == 400 && vote(2, "f2%20e2", 'd') == 400 &&
           vote(2, "%1b[31mA1", 'd') == 400 && strstr(got, "\033") == NULL &&
           vote(2, many, 'd') == 400 && vote(2, "%ff%fe", 'd') == 400,
       "what is none is refused");
    q.kind = QUIZ_NUMBER;
    serve_page(s, &page);
    ok(vote(3, "3/4", 'a') == 200 && vote(3, "0.75", 'b') == 200 &&
           vote(3, "nan", 'c') == 400 && vote(3, "1e999", 'c') == 400,
       "numbers");
    is_str(votes(), "2 0.75:2", "  are equal if they are");
    memset(many, '0', 250);
    many[250] = '\0';
    is_int(vote(3, many, 'c'), 400, "  and not too long");
    q.kind = QUIZ_RANK;
    serve_page(s, &page);
    ok(vote(4, "2", 'a') == 200 && vote(4, "3", 'b') == 400 &&
           vote(4, "-1", 'b') == 400, "ranks");
    is_str(votes(), "1 GPU 2:1", "  that there are");
    q.kind = QUIZ_ORDER;
    serve_page(s, &page);
    is_int(vote(4, "1", 'a'), 409, "an order is not asked for");
    is_str(votes(), "0", "nor has it the votes for another question");

    q.kind = QUIZ_RANK;
    serve_page(s, &page);
    for (int i = 0; i < 4; i++) {
        is_int(vote(5, "1", (char)('a' + i)), 200, "a phone votes");
        close(phones[i].stream);
    }
    usleep(200000);
    join_class(&phones[0], 1);
    is_int(vote(5, "1", 'a'), 200, "and when others sleep, one more may");
    is_str(status(), "5 of 5 answered", "  and is counted with them");
    close(phones[0].stream);
    serve_close(s);
}

/* One who wants more votes than others. */
static void
test_forged_votes(void)
{
    enum { TRIES = 40 };
    struct question q = {.kind = QUIZ_CHOICE, .text = "Which?", .nitems = 2,
                         .items = {"one", "two"}, .shown = {1, 2}};
    char cookie[100];
    int taken = 0;

    start(":0");
    serve_page(s, &(struct serve_page){"Title", "Which?", &q, NULL});
    join_class(&phones[0], 1);
    asked = first_question();
    for (int i = 0; i < TRIES; i++) {
        snprintf(cookie, sizeof cookie, "Cookie: voter%d=%032d\r\n", port, i);
        taken += vote_with(1, 1, "1", cookie) != 400;
    }
    is_int(taken, 0, "voters who make up their ids have no vote");
    for (int i = 0; i < TRIES; i++) {
        ask("GET /", "");
        taken += vote_with(1, 1, "1", get_cookie("voter")) != 400;
    }
    is_int(taken, 0, "nor have those who do not follow");
    is_str(votes(), "0", "  none at all");
    is_int(vote(1, "1", 'a'), 200, "one who follows has");
    for (int i = 0; i < TRIES; i++) {
        join_class(&phones[1], 1);
        taken += vote(1, "2", 'b') == 200;
        close(phones[1].stream);
        usleep(20000);
    }
    ok(taken > 0 && taken < TRIES / 4,
       "who comes again and again as another one has few (%d)", taken);
    is_int(vote(1, "2", 'a'), 200, "  and keeps nobody from changing a vote");
    join_class(&phones[2], 2);
    is_int(vote(1, "2", 'c'), 200, "  or from voting elsewhere");
    close(phones[2].stream);
    close(phones[0].stream);
    serve_close(s);
}

/* The vote of a voter without a browser. */
static enum serve_vote_end
vote_from(int question, int voter, int place, int most, const char *answer)
{
    OWN(buf) text = {0};
    char id[SECRET_LETTERS + 1], number[16];

    snprintf(id, sizeof id, "%032d", voter);
    snprintf(number, sizeof number, "%d", asked + question);
    return serve_take_vote(s, number, &(struct serve_voter){
        id, (unsigned)place, most}, answer, &text);
}

static void
test_ballot(void)
{
    struct question q = {.kind = QUIZ_NUMBER, .text = "How many?"};
    struct serve_page page = {"Title", "How many?", &q, NULL};
    struct serve_vote all[2];
    int voters, kept = 0, refused = 0;

    start(":0");
    serve_page(s, &page);
    asked = first_question();
    for (int i = 0; i < SERVE_VOTES_MOST + 3; i++) {
        enum serve_vote_end end = vote_from(1, i, i / 10, 10, "1");
        kept += end == VOTE_KEPT;
        refused += end == VOTE_REFUSED;
    }
    is_int(kept, SERVE_VOTES_MOST, "there is room for so many votes");
    is_int(refused, 3, "  and for no more");
    is_int((int)vote_from(1, 4, 0, 10, "2"), VOTE_KEPT,
           "one that is kept can be changed");
    ok(serve_votes(s, all, 2, &voters) == 2 && voters == SERVE_VOTES_MOST &&
           all[0].count == SERVE_VOTES_MOST - 1 && all[1].count == 1,
       "  by one");
    serve_page(s, &page);
    for (int i = kept = 0; i < 6; i++)
        kept += vote_from(2, i, 3, 4, "1") == VOTE_KEPT;
    is_int(kept, 4, "a place has as many votes as it may");
    is_int((int)vote_from(2, 5, 2, 4, "1"), VOTE_KEPT,
           "  and another one others");
    serve_close(s);
}

static void
test_secrets(void)
{
    /* The paper's example, and two of its authors' vectors. */
    static const struct {
        size_t length;
        uint64_t hash;
    } vectors[] = {{15, 0xa129ca6149be45e5}, {0, 0x726fdb47dd0e0e31},
                   {8, 0x93f5f5799a932462}};
    struct secret_key key = {{0x0706050403020100, 0x0f0e0d0c0b0a0908}};
    unsigned char bytes[16];
    char id[SECRET_LETTERS + 1], other[SECRET_LETTERS + 1];
    int same = 0;

    for (int i = 0; i < 16; i++)
        bytes[i] = (unsigned char)i;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        ok(secret_hash(&key, bytes, vectors[i].length) == vectors[i].hash,
           "SipHash of %d bytes", (int)vectors[i].length);
    secret_make_id(&key, id);
    ok(secret_is_id(&key, id), "an id is known again");
    for (size_t i = 0; i < SECRET_LETTERS; i++) {
        strcpy(other, id);
        other[i] = other[i] == '2' ? '3' : '2';
        same += secret_is_id(&key, other);
    }
    is_int(same, 0, "  and not if a letter differs");
    other[SECRET_LETTERS - 1] = '\0';
    ok(!secret_is_id(&key, other) && !secret_is_id(&key, "") &&
           !secret_is_id(&key, NULL), "  or is missing");
    secret_make_id(&key, other);
    ok(strcmp(id, other) != 0, "each is another one");
    secret_key_make(&key);
    ok(!secret_is_id(&key, id), "another key does not know it");
    ok(secret_is("k7xq2m", "K7XQ2M") && !secret_is("K7XQ2", "K7XQ2M") &&
           !secret_is("K7XQ2MM", "K7XQ2M") && !secret_is(NULL, "K"),
       "a code is the same in small letters, and as a whole");
}

static void
test_notes(void)
{
    char path[100], wrong[200], cookie[200] = "";
    int speaker, class;

    start(":0");
    snprintf(path, sizeof path, "GET %s",
             strstr(serve_notes_address(s), "/notes"));
    for (size_t i = 0; i < SECRET_LETTERS; i++) {
        strcpy(wrong, path);
        wrong[strlen(wrong) - 1 - i] = '0';
        is_int(ask(wrong, ""), 403, "a key is wrong that is so in letter %d",
               SECRET_LETTERS - (int)i);
    }
    is_int(ask(path, ""), 303, "the key of the notes leads on");
    ok(strstr(got, "Location: /notes\r\n") != NULL,
       "to an address without it");
    snprintf(cookie, sizeof cookie, "%s", get_cookie("speaks"));
    ok(strstr(got, "Path=/notes;") != NULL,
       "with a cookie for the notes alone");
    is_int(ask("GET /notes", cookie), 200, "which opens them");
    ok(*get_cookie("") == '\0', "  to one who is none of the class");
    is_int(ask("GET /notes", "Cookie: speaks=\r\n"), 403, "as no other does");
    snprintf(wrong, sizeof wrong, "%s", cookie);
    wrong[strlen(wrong) - 3] = '0';
    is_int(ask("GET /notes/events", wrong), 403, "in its last letter either");
    speaker = follow("/notes/events", cookie);
    class = follow("/events", "");
    ok(comes_to("1 follows"), "a speaker is none of the class");
    serve_notes(s, json_pack("{ss}", "notes", "WHISPER"));
    ok(hear(speaker, "WHISPER", LATE_MS), "the speaker hears them");
    ok(!hear(class, "WHISPER", 300), "the class does not");
    close(speaker);
    close(class);
    serve_close(s);
}

/* The resident memory, in KiB. */
static long
resident(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");

    if (f == NULL || fscanf(f, "%*d %ld", &pages) != 1)
        pages = 0;
    if (f != NULL)
        fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) >> 10);
}

/* Fills a large screen with frames that differ everywhere. */
static int64_t
show_many(int from, int to, int pause_us)
{
    OWN(canvas) c = {0};
    int64_t longest = 0;

    canvas_resize(&c, 200, 60);
    for (int i = from; i < to; i++) {
        for (int y = 0; y < c.rows; y++)
            canvas_putf(&c, 0, y, plain, "%-99d%99d", i * 100 + y, i);
        if (i == to - 1)
            canvas_puts(&c, 0, 59, "LAST", strong);
        int64_t before = clock_ns();
        serve_show(s, &c);
        longest = clock_ns() - before > longest ? clock_ns() - before : longest;
        usleep((useconds_t)pause_us);
    }
    return longest;
}

static void
test_slow_and_dead(void)
{
    enum { SLOW = 50 };
    int slow[SLOW], quick;
    int64_t longest;
    long before;

    start(":0");
    for (int i = 0; i < SLOW; i++)
        slow[i] = follow("/events", "");
    quick = follow("/events", "");
    comes_to("51 follow");
    show_many(0, 10, 70000);
    hear(quick, "LAST", LATE_MS);
    before = resident();
    longest = show_many(10, 35, 70000);
    ok(hear(quick, "LAST", LATE_MS), "those who take nothing hold nobody up");
    ok(longest < INT64_C(1000000000), "  nor the screen (%d us)",
       (int)(longest / 1000));
#ifdef __SANITIZE_ADDRESS__
    (void)before;
    skip("the address sanitizer keeps what was freed");
#else
    ok(resident() - before < 16 << 10, "  and take no memory (%ld KiB)",
       resident() - before);
#endif
    ok(hear(slow[0], "LAST", LATE_MS), "they get the last frame at last");
    for (int i = 0; i < SLOW; i++) {
        struct linger at_once = {1, 0};
        setsockopt(slow[i], SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        close(slow[i]);
    }
    show_many(35, 37, 70000);
    ok(comes_to("1 follows"), "the dead are forgotten");
    close(quick);
    serve_close(s);
}

static void
test_hostile(void)
{
    enum { CROWD = 600, IDLE = 60 };
    static const char *const nonsense[] = {
        "\r\n\r\n\r\n", "GET", "\026\003\001\002", "GET / HTTP/9.9\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "POST /vote HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
        "ffffffff\r\n"};
    int crowd[CROWD], idle[IDLE], n = 0, stay = 0, fd;
    char *flood = malloc(1 << 20);
    int64_t before;

    start(":0");
    memset(flood, 'a', 1 << 20);
    memcpy(flood, "GET / HTTP/1.1\r\nX: ", 19);
    flood[(1 << 20) - 1] = '\0';
    fd = dial(1);
    say(fd, flood);
    hear(fd, "\r\n\r\n", LATE_MS);
    ok(strncmp(got, "HTTP/1.1 2", 10) != 0, "a header without end is refused");
    close(fd);
    memcpy(flood, "GET /", 5);
    fd = dial(1);
    say(fd, flood);
    hear(fd, "\r\n\r\n", LATE_MS);
    ok(strncmp(got, "HTTP/1.1 2", 10) != 0, "so is such a path");
    close(fd);
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        fd = dial(1);
        say(fd, nonsense[i]);
        shutdown(fd, SHUT_WR);
        hear(fd, "\377", 200);
        ok(strncmp(got, "HTTP/1.1 2", 10) != 0, "nonsense %d", (int)i);
        close(fd);
    }
    for (int i = 0; i < CROWD; i++) {
        if ((fd = dial(1)) >= 0)
            crowd[n++] = fd;
        if (i % 64 == 0)
            ask_from(2, "GET /", "");
    }
    before = clock_ns();
    is_int(ask_from(2, "GET /", ""), 200, "a crowd from one address");
    ok(clock_ns() - before < INT64_C(2000000000), "  does not keep others out");
    for (int i = 0; i < n; i++)
        close(crowd[i]);
    for (int i = 0; i < 100 && ask("GET /", "") != 200; i++)
        usleep(10000);
    is_int(ask("GET /", ""), 200, "  until it is gone");
    free(flood);
    serve_close(s);

    start(":0");
    for (n = 0; n < CROWD; n++) {
        crowd[n] = follow_from(n < CROWD - 160 ? 1 : 2, "/events", "");
        if (n % 64 == 0)
            ask_from(3, "GET /", "");
    }
    for (int i = stay = 0; i < n; i++) {
        stay += hear(crowd[i], "data: null\n\n", LATE_MS);
        if (i == CROWD - 161)
            is_int(stay, 336, "one address has as many streams as it may");
    }
    is_int(stay, 448, "  and all have as many as there may be");
    is_int(ask("GET /", ""), 200, "  which leaves room for requests");
    for (int i = 0; i < IDLE; i++)
        idle[i] = dial(1);
    hear(idle[IDLE - 1], "\377", LATE_MS);
    ok(recv(idle[IDLE - 1], got, 1, MSG_DONTWAIT) == 0 &&
           recv(idle[0], got, 1, MSG_DONTWAIT) < 0,
       "  but the last of too many is closed before the first");
    for (int i = 0; i < IDLE; i++)
        close(idle[i]);
    for (int i = 0; i < n; i++)
        close(crowd[i]);
    serve_close(s);
}

static void
test_taken(void)
{
    struct err err;
    char where[100];

    start(":0");
    snprintf(where, sizeof where, ":%d", port);
    ok(serve_open(where, &err) == NULL && strstr(err.text, "is taken") != NULL,
       "a port that is taken: %s", err.text);
    serve_close(s);
    ok(serve_open("203.0.113.9:0", &err) == NULL &&
           strstr(err.text, "cannot listen") != NULL,
       "an address of another machine: %s", err.text);
}

static void
says(struct speaker *k, double progress, int64_t now_s, const char *want)
{
    OWN(buf) text = {0};

    speaker_add_status(k, progress, now_s * INT64_C(1000000000), &text);
    is_str(buf_text(&text), want, "after %d s", (int)now_s);
}

static void
test_clock(void)
{
    enum { MINUTE_S = 60 };
    const int64_t second = 1000000000;
    struct lecture lecture = {.began_ns = 1000 * second, .minutes = 20,
                              .before = 5, .here = 10};
    struct speaker k = {.serve = NULL};

    says(&k, 0, 1000, "");
    speaker_give_time(&k, 1000 * second);
    says(&k, 0, 1000, "0:30 to think");
    says(&k, 0, 1029, "0:01 to think");
    says(&k, 0, 940, "1:30 to think");
    says(&k, 0, 1030, "time is up");
    k.think_until_ns = 0;
    k.lecture = &lecture;
    says(&k, 0, 1000, "20 min left, 5 ahead");
    says(&k, 0, 1000 + 5 * MINUTE_S, "15 min left");
    says(&k, 0, 1000 + 7 * MINUTE_S, "13 min left, 2 behind");
    says(&k, 0.5, 1000 + 8 * MINUTE_S, "12 min left, 2 ahead");
    says(&k, 0.5, 1000 + 10 * MINUTE_S, "10 min left");
    says(&k, 0.5, 1000 + 20 * MINUTE_S - 1, "1 min left, 10 behind");
    says(&k, 0.5, 1000 + 20 * MINUTE_S, "0 min left, 10 behind");
    says(&k, 0.5, 1000 + 22 * MINUTE_S, "2 min over, 12 behind");
    k.think_until_ns = 1000 * second;
    says(&k, 0.5, 1000 + 10 * MINUTE_S, "time is up, 10 min left");
}

/* Publishes the notes, marked, and reads them at the speaker's phone. */
static const char *
notes_of(const struct speaker *k, const struct tutor_seen *t, int phone)
{
    static int mark;
    char marked[32];
    OWN(buf) status = {0};

    snprintf(marked, sizeof marked, "\"clock\":\"%d\"", ++mark);
    buf_addf(&status, "%d", mark);
    speaker_publish(k, t, &status);
    if (!hear(phone, marked, LATE_MS))
        got[0] = '\0';
    return got;
}

/* Votes of others, each from a place of its own. */
static void
add_voters(int count, const char *answer)
{
    char id[SECRET_LETTERS + 1], question[16];

    snprintf(question, sizeof question, "%d", asked + 1);
    for (int i = 0; i < count; i++) {
        OWN(buf) text = {0};
        snprintf(id, sizeof id, "%0*d", SECRET_LETTERS, i);
        serve_take_vote(s, question,
                        &(struct serve_voter){id, (unsigned)i, 1}, answer,
                        &text);
    }
}

static void
test_speaker(void)
{
    static struct tutor_seen t = {.state = TUTOR_PAGE, .picture.shown = -1,
                                  .pages = 1};
    struct options o = {.present = true};
    struct serve_vote all[4];
    struct speaker k;
    char line[100];
    int phone, class, count;
    json_t *truth;

    t.card.title = (char *)"Title";
    t.card.idea = (char *)"IDEA";
    t.page.text = (char *)"First.\nMore.";
    t.page.notes = "WHISPER";
    start(":0");
    speaker_begin(&k, "/no/such/lesson.lua", &o, NULL, s);
    while (k.outline.tutor != NULL)
        speaker_advance(&k, clock_ns());
    json_decref(k.outline.pages);
    k.outline.pages = json_pack("[sss]", "First.", "Second.", "Third.");
    snprintf(line, sizeof line, "GET %s", strstr(serve_notes_address(s),
                                                 "/notes"));
    ask(line, "");
    phone = follow("/notes/events", get_cookie("speaks"));
    class = follow("/events", "");

    speaker_turn(&k, &t, true);
    notes_of(&k, &t, phone);
    ok(strstr(got, "WHISPER") != NULL &&
           strstr(got, "\"head\":\"Page 1: First.\"") != NULL &&
           strstr(got, "\"next\":\"next: Second.\"") != NULL,
       "a speaker sees the notes, and what comes next");
    t.pages = 2;
    t.page.text = (char *)"Another way.";
    speaker_turn(&k, &t, true);
    notes_of(&k, &t, phone);
    ok(strstr(got, "Another way.") != NULL &&
           strstr(got, "\"next\":\"\"") != NULL,
       "but not where the lesson went another way");
    t.state = TUTOR_ASKS;
    t.pages = 3;
    t.question = (struct question){.kind = QUIZ_NUMBER, .text = "Third.",
                                   .notes = "ASKED"};
    speaker_turn(&k, &t, true);
    ok(hear(class, "\"kind\":\"number\"", LATE_MS), "a class is asked");
    asked = number_heard();
    join_class(&phones[0], 1);
    ok(vote(1, "7", 'a') == 200 && speaker_votes(&k, 4, all, &count) == 1,
       "  and its vote is counted");
    add_voters(4, "8");
    ok(speaker_votes(&k, 4, all, &count) == 5 && count == 2 &&
           all[0].count == 4 && strcmp(all[0].answer, "8") == 0,
       "  the most frequent first");
    ok(strstr(notes_of(&k, &t, phone), "\"voters\":5,\"rows\":[{\"text\":\"8\","
              "\"votes\":4,\"right\":false}") != NULL,
       "  and the speaker sees them: %s", got);
    ok(strstr(notes_of(&k, &t, phone), "ASKED") != NULL &&
           strstr(got, "\"next\":\"\"") != NULL, "the last page has no next");
    speaker_close(&k, &t);
    ok(hear(class, "\"question\":null", LATE_MS) &&
           strstr(got, "\"kind\"") == NULL && strstr(got, "poll") == NULL,
       "until the question is closed");
    record_init(&t.record);
    truth = json_integer(8);
    record_reveal(&t.record, truth, true, true);
    json_decref(truth);
    t.state = TUTOR_PAGE;
    t.page.kind = PAGE_TRUTH;
    speaker_turn(&k, &t, true);
    ok(hear(class, "\"votes\":4,\"right\":true},{\"text\":\"7\",\"votes\":1,"
            "\"right\":false}", LATE_MS),
       "then the class sees its votes, and what is right");
    record_done(&t.record);
    t.page.kind = PAGE_TEXT;
    speaker_turn(&k, &t, false);
    t.card.title = (char *)"Exam";
    speaker_turn(&k, &t, false);
    ok(hear(class, "Exam", LATE_MS) &&
           strstr(got, "\"question\":null") != NULL &&
           strstr(status(), "answered") == NULL &&
           speaker_votes(&k, 4, all, &count) == 0,
       "a class is not in an exam");
    t.state = TUTOR_OVER;
    speaker_turn(&k, &t, true);
    notes_of(&k, &t, phone);
    ok(strstr(got, "\"notes\":\"\"") != NULL &&
           strstr(got, "\"head\":\"\"") != NULL &&
           strstr(got, "\"next\":\"\"") != NULL,
       "at the end there are no notes");
    speaker_end(&k);
    ok(hear(phone, "data: null\n", LATE_MS), "nor afterwards");
    close(phone);
    close(class);
    close(phones[0].stream);
    serve_close(s);
}

int
main(void)
{
    struct rlimit files;

    test_addresses();
    test_clock();
    test_secrets();
#ifndef HAVE_MICROHTTPD
    skip("browsers: there is no libmicrohttpd");
    return done_testing();
#endif
    getrlimit(RLIMIT_NOFILE, &files); /* for both ends of a crowd */
    files.rlim_cur = files.rlim_max < 4096 ? files.rlim_max : 4096;
    setrlimit(RLIMIT_NOFILE, &files);
    test_host();
    begin_deadlines();
    test_frames();
    test_leaving();
    test_whole_frames();
#ifdef HAVE_MICROHTTPD
    test_packets();
    test_compression();
    test_places();
#endif
    test_newcomers();
    test_who_may_come();
    test_code();
    test_guesses();
    test_votes();
    test_ballot();
    test_forged_votes();
    test_notes();
    test_speaker();
    test_slow_and_dead();
    test_hostile();
    test_taken();
    end_deadlines();
    return done_testing();
}
