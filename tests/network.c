/* SPDX-License-Identifier: MIT */
/* Networks: the table, what --network takes, and what it refuses. */
#include "schedule/network.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "tap.h"

static bool
near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

static void
test_table(void)
{
    static const struct {
        const char *name;
        double alpha, rate; /* us, GB/s */
    } known[] = {{"nvlink", 0.6, 450},
                 {"pcie", 1, 64},
                 {"infiniband", 2.7, 50},
                 {"ethernet", 20, 12.5}};
    struct network n;
    struct err err;
    int i = 0;

    for (; network_at(i) != NULL; i++) {
        const struct network *at = network_at(i);
        is_str(at->name, known[i].name, "network %d", i);
        ok(near(at->alpha, known[i].alpha * 1e3), "%s: alpha", at->name);
        ok(near(at->beta, 1 / known[i].rate), "%s: beta", at->name);
        ok(network_parse(at->name, &n, &err) &&
               memcmp(&n, at, sizeof n) == 0,
           "%s is read by its name", at->name);
        ok(i == 0 || (at->alpha > network_at(i - 1)->alpha &&
                      at->beta > network_at(i - 1)->beta),
           "%s is slower than the one before", at->name);
    }
    is_int(i, 4, "four networks");
    ok(network_at(-1) == NULL, "none before the first");
}

static void
test_own(void)
{
    struct network n;
    struct err err;
    struct buf figures = {0};

    ok(network_parse("alpha=2us,beta=0.08ns,gamma=1.5ps,ports=2", &n, &err) &&
           near(n.alpha, 2000) && near(n.beta, 0.08) && near(n.gamma, 0.0015),
       "times have units");
    is_int(n.ports, 2, "ports");
    is_int(n.links, 0, "links are not limited by default");
    is_str(n.name, "alpha=2us,beta=0.08ns,gamma=1.5ps,ports=2",
           "its name is the text");
    network_figures(&n, &figures);
    is_str(buf_text(&figures), "alpha=2us,beta=0.08ns,gamma=1.5ps,ports=2",
           "and so are its figures");
    buf_done(&figures);
    ok(network_parse("beta=1s,alpha=0ns", &n, &err) == false,
       "a second a byte is too much");
    ok(network_parse("beta=0.5us,alpha=0ns,name=slow one", &n, &err) &&
           near(n.beta, 500) && n.gamma <= 0 && n.ports == 1,
       "gamma and ports have defaults");
    is_str(n.name, "slow one", "a name is given");
    ok(network_parse("ethernet,links=1,alpha=5us", &n, &err) &&
           near(n.alpha, 5000) && near(n.beta, 0.08),
       "a network of the table, changed");
    is_int(n.links, 1, "its links");
    is_str(n.name, "ethernet,links=1,alpha=5us", "it no longer has that name");
    ok(network_parse("alpha=4ns,beta=0.02ns,cores=2", &n, &err) && n.cores == 2,
       "threads on two cores");
}

/* Writes a file, named by mkstemps(), reads it, and returns whether that went
 * well. */
static bool
read_file(char *path, int ending, const char *text, size_t length,
          struct network *n, struct err *err)
{
    int fd = mkstemps(path, ending);
    bool read = fd >= 0 && write(fd, text, length) == (ssize_t)length &&
                close(fd) == 0 && network_parse(path, n, err);

    unlink(path);
    return read;
}

static bool
read_text(const char *text, size_t length, struct network *n, struct err *err)
{
    char path[] = "/tmp/collviz-network-XXXXXX.txt";

    return read_file(path, 4, text, length, n, err);
}

static void
test_file(void)
{
    static const char text[] = "# our cluster\n\n alpha = 3us # measured\r\n"
                               "beta=0.1ns\nports=4";
    char large[5000], hidden[] = "/tmp/.collviz-XXXXXX";
    struct network n;
    struct err err = {""};

    ok(read_text(text, sizeof text - 1, &n, &err) && near(n.alpha, 3000) &&
           near(n.beta, 0.1) && n.ports == 4,
       "a file: comments, blanks, no last newline (%s)", err.text);
    ok(strncmp(n.name, "collviz-network-", 16) == 0 &&
           strchr(n.name, '.') == NULL && strchr(n.name, '/') == NULL,
       "it is called like the file: %s", n.name);
    ok(read_file(hidden, 0, "alpha=1us\nbeta=1ns", 18, &n, &err) &&
           strncmp(n.name, ".collviz-", 9) == 0,
       "also if that begins with a dot: %s", n.name);
    ok(read_text("name=lab\nalpha=1us\nbeta=1ns", 27, &n, &err) &&
           strcmp(n.name, "lab") == 0,
       "unless it has a name");
    ok(read_text("pcie\nlinks=2\nname=two", 21, &n, &err) &&
           near(n.alpha, 1000) && n.links == 2,
       "a file can begin with a network of the table");
    ok(!read_text("alpha=1us\n\nbta=1ns", 18, &n, &err) &&
           strstr(err.text, ".txt: line 3: ") != NULL &&
           strstr(err.text, "did you mean beta?") != NULL,
       "an error has its line: %s", err.text);
    ok(!read_text("alpha=1us\0\nbeta=1ns", 19, &n, &err) &&
           strstr(err.text, "not a text") != NULL,
       "a file with zeros: %s", err.text);
    memset(large, '#', sizeof large);
    ok(!read_text(large, sizeof large, &n, &err) &&
           strstr(err.text, "more than 4 KiB") != NULL,
       "a large file: %s", err.text);
    ok(!network_parse("/no/such/file", &n, &err) &&
           strstr(err.text, "/no/such/file: No such file") != NULL,
       "a file that is not there: %s", err.text);
    ok(!network_parse("/tmp", &n, &err) && strstr(err.text, "/tmp: ") != NULL,
       "a folder: %s", err.text);
}

static void
test_refused(void)
{
    static const struct {
        const char *text, *why;
    } refused[] = {
        {"ethernot", "did you mean ethernet?"},
        {"", "neither a network nor a file"},
        {"ethernet,", "neither a network nor a file"},
        {"alpha=2us", "beta is missing"},
        {"beta=2ns", "alpha is missing"},
        {"alpha=2,beta=1ns", "alpha=2 must be a time"},
        {"alpha=us,beta=1ns", "must be a time"},
        {"alpha=-2us,beta=1ns", "must be a time"},
        {"alpha=infs,beta=1ns", "must be a time"},
        {"alpha=nanus,beta=1ns", "must be a time"},
        {"alpha=0x10us,beta=1ns", "must be a time"},
        {"alpha=1e3us,beta=1ns", "must be a time"},
        {"alpha=1.2.3us,beta=1ns", "must be a time"},
        {"alpha=.us,beta=1ns", "must be a time"},
        {"alpha=2us,beta=1GBps", "beta=1GBps must be a time"},
        {"alpha=101s,beta=1ns", "at most 100 s"},
        {"alpha=2us,beta=2ms", "at most 0.001 s"},
        {"alpha=0us,beta=0ns", "must take some time"},
        {"alpha=2us,alpha=2us,beta=1ns", "given twice"},
        {"pcie,ethernet", "must come first"},
        {"alpha=2us,beta=1ns,pcie", "must come first"},
        {"pcie,ports=0", "1 to 64"},
        {"pcie,ports=65", "1 to 64"},
        {"pcie,ports=1x", "1 to 64"},
        {"pcie,ports=4294967297", "1 to 64"},
        {"pcie,cores=0", "1 to 1024"},
        {"pcie,links=", "1 to 64"},
        {"pcie,name=", "1 to 127 bytes"},
        {"pcie,bandwidth=3ns", "a network has no 'bandwidth'"},
        {"pcie,=3ns", "a network has no ''"},
    };
    char longer[200];
    struct network n;
    struct err err;

    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        ok(!network_parse(refused[i].text, &n, &err) &&
               strncmp(err.text, "--network: ", 11) == 0 &&
               strstr(err.text, refused[i].why) != NULL,
           "'%s' is refused: %s", refused[i].text, err.text);
    snprintf(longer, sizeof longer, "pcie,name=%0150d", 1);
    ok(!network_parse(longer, &n, &err), "a name of 150 bytes: %s", err.text);
    snprintf(longer, sizeof longer, "pcie,alpha=%0150dus", 1);
    ok(!network_parse(longer, &n, &err) &&
           strstr(err.text, "name=...") != NULL,
       "a text that is too long for a name: %s", err.text);
}

int
main(void)
{
    test_table();
    test_own();
    test_file();
    test_refused();
    return done_testing();
}
