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
#include "play/parse.h"
#include "screen/serve.h"
#include "screen/speaker.h"
#include "tap.h"

enum { LATE_MS = 5000, ANSWER_MOST = 1 << 20 };

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
follow(const char *path, const char *more)
{
    OWN(buf) text = {0};
    int fd = dial(1);

    buf_addf(&text, "GET %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", path, host, more);
    say(fd, buf_text(&text));
    return fd;
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

/* What is shown while somebody joins gets there, before or after. */
static void
test_newcomers(void)
{
    enum { ROUNDS = 300 };
    char text[32];
    int missed = 0;

    start(":0");
    for (int i = 0; i < ROUNDS; i++) {
        int fd = follow("/events", "");
        usleep((useconds_t)(i % 30) * 10);
        snprintf(text, sizeof text, "frame %d.", i);
        show(80, 24, 3, text);
        missed += !hear(fd, text, 2000);
        close(fd);
    }
    is_int(missed, 0, "newcomers miss no frame");
    serve_close(s);
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
        {"GET /events", "Origin: http://evil.example\r\n", 403},
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
    char cookie[100];

    start(":0");
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        is_int(ask(asked[i].what, asked[i].more), asked[i].status, "%s %.*s",
               asked[i].what, (int)strcspn(asked[i].more, "\r"), asked[i].more);
    ask("GET /", "");
    ok(strstr(got, "HttpOnly; SameSite=Lax") != NULL,
       "whoever may vote gets a cookie that no script sees");
    snprintf(cookie, sizeof cookie, "Cookie: voter%d=%032d\r\n", port, 7);
    ask("GET /", cookie);
    ok(strstr(got, "Set-Cookie") == NULL,
       "and no second one, for a second vote");
    serve_close(s);
}

static void
test_code(void)
{
    char line[100], cookie[200] = "";

    start("0.0.0.0:0");
    is_int((int)strlen(code), 6, "elsewhere a code is needed");
    is_int(ask("GET /", ""), 200, "without it");
    ok(strstr(got, "id=\"join\"") != NULL && strstr(got, "figure") == NULL,
       "  it is asked for");
    is_int(ask("GET /events", ""), 403, "  there is no stream");
    is_int(ask("POST /vote?question=1&answer=1", ""), 403, "  and no vote");
    snprintf(line, sizeof line, "POST /join?code=%s", code);
    is_int(ask(line, ""), 200, "with it");
    if (strstr(got, "joined") != NULL)
        snprintf(cookie, sizeof cookie, "Cookie: %.*s\r\n",
                 (int)strcspn(strstr(got, "joined"), ";"),
                 strstr(got, "joined"));
    ok(ask("GET /", cookie) == 200 && strstr(got, "figure") != NULL,
       "  the page is there");
    for (int i = 0; i < 240; i++)
        ask("POST /join?code=ABCDEF", "");
    is_int(ask(line, ""), 200, "a class that mistypes may still join");
    for (int i = 0; i < 10; i++)
        ask("POST /join?code=ABCDEF", "");
    is_int(ask(line, ""), 429, "after many guesses the code is refused, too");
    is_int(ask_from(2, line, ""), 200, "  but not to others");
    ok(ask("GET /", cookie) == 200 && strstr(got, "figure") != NULL,
       "  and who has joined stays");
    is_int(ask("GET /", "Cookie: joined=\r\n"), 200, "  another cookie");
    ok(strstr(got, "id=\"join\"") != NULL, "  is none");
    serve_close(s);
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

static int
vote(int question, const char *answer, char voter)
{
    char what[400], cookie[100], id[33];

    memset(id, voter, 32);
    id[32] = '\0';
    snprintf(what, sizeof what, "POST /vote?question=%d&answer=%s",
             asked + question, answer);
    snprintf(cookie, sizeof cookie, "Cookie: voter%d=%s\r\n", port, id);
    return ask(what, cookie);
}

/* A phone may still have a question of another collviz at this address. */
static int
first_number(void)
{
    struct quiz q = {.kind = QUIZ_NUMBER, .text = "How many?"};
    int fd;

    start(":0");
    serve_page(s, &(struct serve_page){"Title", "How many?", &q});
    fd = follow("/events", "");
    hear(fd, "\"items\"", LATE_MS);
    close(fd);
    serve_close(s);
    return strstr(got, "\"id\":") != NULL ? atoi(strstr(got, "\"id\":") + 5)
                                          : 0;
}

static void
test_votes(void)
{
    struct quiz q = {.kind = QUIZ_CHOICE, .text = "Which?", .nitems = 3,
                     .items = {"one", "two", "three"}, .shown = {2, 3, 1},
                     .hints = {"SECRET"}, .nhints = 1, .why = "SECRET",
                     .notes = "SECRET", .nranks = 3, .nslots = 3};
    struct serve_page page = {"Title", "Which?", &q};
    char many[400] = "";
    int fd;

    ok(first_number() != first_number(), "each collviz has its own numbers");
    start(":0");
    is_int(vote(1, "1", 'a'), 409, "no question is open");
    serve_page(s, &page);
    fd = follow("/events", "");
    ok(hear(fd, "\"items\":[\"two\",\"three\",\"one\"]", LATE_MS) &&
           strstr(got, "SECRET") == NULL,
       "a question, in the order in which it stands, and no more of it");
    asked = strstr(got, "\"id\":") != NULL
                ? atoi(strstr(got, "\"id\":") + 5) - 1 : 0;
    is_int(vote(1, "1", 'a'), 200, "a vote");
    is_str(votes(), "1 a):1 b):0 c):0", "  is for the choice");
    is_int(vote(1, "2", 'a'), 200, "may be changed");
    is_int(vote(1, "2", 'b'), 200, "another one's");
    is_str(votes(), "2 a):0 b):2 c):0", "  one each");
    is_str(status(), "2 of 2 answered", "  counted");
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
    ok(vote(2, "%1b[31mA1", 'd') == 400 && strstr(got, "\033") == NULL &&
           vote(2, many, 'd') == 400 && vote(2, "%ff%fe", 'd') == 400,
       "what is none is refused");
    q.kind = QUIZ_NUMBER;
    serve_page(s, &page);
    ok(vote(3, "3/4", 'a') == 200 && vote(3, "0.75", 'b') == 200 &&
           vote(3, "nan", 'c') == 400 && vote(3, "1e999", 'c') == 400,
       "numbers");
    is_str(votes(), "2 0.75:2", "  are equal if they are");
    q.kind = QUIZ_RANK;
    serve_page(s, &page);
    ok(vote(4, "2", 'a') == 200 && vote(4, "3", 'b') == 400 &&
           vote(4, "-1", 'b') == 400, "ranks");
    is_str(votes(), "1 GPU 2:1", "  that there are");
    q.kind = QUIZ_ORDER;
    serve_page(s, &page);
    is_int(vote(4, "1", 'a'), 409, "an order is not asked for");
    is_str(votes(), "0", "nor has it the votes for another question");
    close(fd);
    serve_close(s);
}

static void
test_notes(void)
{
    char path[100], cookie[200] = "";
    int speaker, class;

    start(":0");
    snprintf(path, sizeof path, "GET %s",
             strstr(serve_notes_address(s), "/notes"));
    is_int(ask(path, ""), 303, "the key of the notes leads on");
    ok(strstr(got, "Location: /notes\r\n") != NULL,
       "to an address without it");
    if (strstr(got, "speaks") != NULL)
        snprintf(cookie, sizeof cookie, "Cookie: %.*s\r\n",
                 (int)strcspn(strstr(got, "speaks"), ";"),
                 strstr(got, "speaks"));
    ok(strstr(got, "Path=/notes;") != NULL,
       "with a cookie for the notes alone");
    is_int(ask("GET /notes", cookie), 200, "which opens them");
    is_int(ask("GET /notes", "Cookie: speaks=\r\n"), 403, "as no other does");
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
    show_many(0, 10, 100000);
    hear(quick, "LAST", LATE_MS);
    before = resident();
    longest = show_many(10, 60, 100000);
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
    show_many(60, 62, 100000);
    ok(comes_to("1 follows"), "the dead are forgotten");
    close(quick);
    serve_close(s);
}

static void
test_hostile(void)
{
    enum { CROWD = 600 };
    static const char *const nonsense[] = {
        "\r\n\r\n\r\n", "GET", "\026\003\001\002", "GET / HTTP/9.9\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "POST /vote HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
        "ffffffff\r\n"};
    int crowd[CROWD], n = 0, fd;
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
    for (int i = 0; i < CROWD; i++)
        if ((fd = dial(1)) >= 0)
            crowd[n++] = fd;
    before = clock_ns();
    is_int(ask_from(2, "GET /", ""), 200, "a crowd from one address");
    ok(clock_ns() - before < INT64_C(2000000000), "  does not keep others out");
    is_int(ask("GET /", ""), 0, "  and gets no more");
    for (int i = 0; i < n; i++)
        close(crowd[i]);
    for (int i = 0; i < 100 && ask("GET /", "") != 200; i++)
        usleep(10000);
    is_int(ask("GET /", ""), 200, "  until it is gone");
    free(flood);
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

int
main(void)
{
    struct rlimit files;

    test_addresses();
    test_clock();
#ifndef HAVE_MICROHTTPD
    skip("browsers: there is no libmicrohttpd");
    return done_testing();
#endif
    getrlimit(RLIMIT_NOFILE, &files); /* for both ends of a crowd */
    files.rlim_cur = files.rlim_max < 4096 ? files.rlim_max : 4096;
    setrlimit(RLIMIT_NOFILE, &files);
    test_host();
    test_frames();
    test_newcomers();
    test_who_may_come();
    test_code();
    test_votes();
    test_notes();
    test_slow_and_dead();
    test_hostile();
    test_taken();
    return done_testing();
}
