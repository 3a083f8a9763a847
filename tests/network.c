/* SPDX-License-Identifier: MIT */
/* Networks: the table, what --network takes and refuses, and figures that are
 * found again from times. */
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
                 {"ethernet", 20, 12.5},
                 {"dgx-h100", 0.6, 450},
                 {"g5.12xlarge", 1, 32},
                 {"laptops", 48, 0.125}};
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
        ok(i == 0 || i == 4 || (at->alpha > network_at(i - 1)->alpha &&
                                at->beta > network_at(i - 1)->beta),
           "%s is slower than the one before", at->name);
        is_int(at->gpus > 0, i >= 4, "those with hosts come last");
    }
    is_int(i, 7, "four networks, and three of hosts");
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

/* The text, or its figures as they are printed, which mean the same. */
static void
test_hosts(void)
{
    static const struct {
        const char *text;
        int hosts, gpus, nics;
        double alpha, beta, between_alpha, between_beta;
    } rows[] = {
        {"4x8,inside=nvlink,between=infiniband", 4, 8, 8, 600, 1 / 450.0, 2700,
         0.02},
        {"4x8,inside=nvlink,between=infiniband,nics=1", 4, 8, 1, 600,
         1 / 450.0, 2700, 0.02},
        {"nics=2,between-beta=1ns,between=ethernet,gpus=4,inside=pcie", 0, 4, 2,
         1000, 1 / 64.0, 20000, 1},
        {"pcie,beta=1ns,3x1,between-alpha=1ms,between-beta=2ns", 3, 1, 1, 1000,
         1, 1e6, 2},
        {"alpha=1us,inside=pcie,2x2,between=pcie,between-alpha=3us", 2, 2, 2,
         1000, 1 / 64.0, 3000, 1 / 64.0},
        {"dgx-h100", 0, 8, 8, 600, 1 / 450.0, 2700, 0.02},
        {"dgx-h100,2x4", 2, 4, 4, 600, 1 / 450.0, 2700, 0.02},
        {"dgx-h100,hosts=2,between=ethernet", 2, 8, 8, 600, 1 / 450.0, 20000,
         0.08},
        {"g5.12xlarge,hosts=16", 16, 4, 1, 1000, 1 / 32.0, 20000, 0.2},
        {"laptops", 0, 1, 1, 48000, 8, 48000, 8},
    };
    struct network n;
    struct err err = {""};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct buf text = {0};
        buf_puts(&text, rows[i].text);
        for (int again = 0; again < 2; again++) {
            ok(network_parse(buf_text(&text), &n, &err) &&
                   n.hosts == rows[i].hosts && n.gpus == rows[i].gpus &&
                   n.nics == rows[i].nics,
               "%s: hosts, GPUs and NICs %s", buf_text(&text), err.text);
            ok(fabs(n.alpha - rows[i].alpha) <= 1e-3 * n.alpha &&
                   fabs(n.beta - rows[i].beta) <= 1e-3 * n.beta &&
                   fabs(n.between_alpha - rows[i].between_alpha) <=
                       1e-3 * n.between_alpha &&
                   fabs(n.between_beta - rows[i].between_beta) <=
                       1e-3 * n.between_beta,
               "and the figures of both networks");
            buf_clear(&text);
            network_figures(&n, &text);
        }
        buf_done(&text);
    }
    network_parse("4x8,inside=nvlink,between=infiniband,nics=3", &n, &err);
    is_int(hosts_at(network_hosts(&n), 7) * 100 +
               hosts_at(network_hosts(&n), 8), 1,
           "hosts are filled in the ranks' order");
    is_int(network_host_count(&n, 9), 2, "9 ranks need two of them");
    for (int rank = 0; rank < 32; rank++)
        is_int(network_nic(&n, rank), rank / 8 * 3 + rank % 8 * 3 / 8,
               "the NIC of rank %d", rank);
    n.cyclic = true;
    for (int rank = 0; rank < 32; rank++)
        is_int(hosts_at(network_hosts(&n), rank) * 100 + network_nic(&n, rank),
               rank % 4 * 100 + rank % 4 * 3 + rank / 4 * 3 / 8,
               "dealt in turn: host and NIC of rank %d", rank);
    is_int(network_host_count(&n, 3) * 10 + network_host_count(&n, 9), 34,
           "3 ranks are on three hosts, 9 on four");
    ok(network_holds(&n, 32, &err) && network_holds(&n, 9, &err),
       "hosts need not be full");
    ok(!network_holds(&n, 33, &err) &&
           strstr(err.text, "have 32 GPUs in all") != NULL,
       "33 ranks are too many: %s", err.text);
    ok(network_parse("dgx-h100", &n, &err) && network_holds(&n, 9999, &err) &&
           network_parse("nvlink", &n, &err) && network_holds(&n, 9999, &err),
       "without a number of hosts none are");
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
    ok(read_text("2x4 # hosts\ninside=pcie\n\nbetween=ethernet\nnics=1", 48,
                 &n, &err) &&
           n.hosts == 2 && n.gpus == 4 && n.nics == 1,
       "hosts in a file: %s", err.text);
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
        {"ethernet,", "a comma with nothing after it"},
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
        {"4x8", "inside=... is missing"},
        {"4x8,inside=nvlink", "between=... is missing"},
        {"4x8,inside=nvlink,between-alpha=1us", "between=... is missing"},
        {"4x8,alpha=1us,between=pcie", "inside=... is missing"},
        {"4x8,nvlink,between=pcie", "must come first"},
        {"inside=nvlink,between=pcie", "gpus=..., of a host, is missing"},
        {"nvlink,nics=2", "gpus=..., of a host, is missing"},
        {"4x8,inside=nvlnk,between=pcie", "inside=nvlnk: did you mean nvlink?"},
        {"4x8,inside=nvlink,between=", "between=: it must be"},
        {"4x8,inside=nvlink,between=dgx-h100", "between=dgx-h100: it must be"},
        {"4x8,inside=nvlink,between=pcie,links=1", "with hosts has no links"},
        {"dgx-h100,cores=1", "with hosts has no cores"},
        {"dgx-h100,nics=9", "nics=9"},
        {"dgx-h100,nics=0", "nics=0 must be a whole number from 1 to 1024"},
        {"0x8,inside=nvlink,between=pcie", "hosts=0 must be"},
        {"4x0,inside=nvlink,between=pcie", "gpus=0 must be"},
        {"4x8,2x4,inside=nvlink,between=pcie", "hosts is given twice"},
        {"65537x1,inside=nvlink,between=pcie", "from 1 to 65536"},
        {"1x1025,inside=nvlink,between=pcie", "from 1 to 1024"},
        {"9999999999x8,inside=nvlink,between=pcie", "from 1 to 65536"},
        {"4x8x2,inside=nvlink,between=pcie", "neither a network nor a file"},
        {"x8,inside=nvlink,between=pcie", "neither a network nor a file"},
        {"dgx-h100,between-alpha=0ns,between-beta=0ns", "both 0"},
        {"dgx-h10", "did you mean dgx-h100?"},
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

static double
time_of(const struct network *n, const struct network_fit_point *p)
{
    return n->alpha * p->messages + n->beta * p->bytes + n->gamma * p->added;
}

enum { POINTS = 8 };

/* Runs of several kinds, with the times that a model gives. */
static void
measure(struct network_fit_point points[POINTS], const struct network *m)
{
    for (int i = 0; i < POINTS; i++) {
        points[i] = (struct network_fit_point){1 + i % 3 * 4, 1000 << i % 4,
                                       i % 2 ? 500 << i : 0, 0};
        points[i].ns = time_of(m, &points[i]);
    }
}

static double
squared_errors(const struct network_fit_point *points, const struct network *m)
{
    double sum = 0;

    for (int i = 0; i < POINTS; i++)
        sum += pow(time_of(m, &points[i]) / points[i].ns - 1, 2);
    return sum;
}

/* The sum of squares has one minimum, so a model that no small change makes
 * better is the best. */
static bool
is_best(const struct network_fit_point *points, struct network m)
{
    double least = squared_errors(points, &m);
    double *terms[] = {&m.alpha, &m.beta, &m.gamma};
    static const double steps[] = {1, 1e-3, 1e-3};

    if (m.alpha < 0 || m.beta < 0 || m.gamma < 0)
        return false;
    for (int i = 0; i < 3; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double before = *terms[i];
            *terms[i] = fmax(before + sign * steps[i], 0);
            if (squared_errors(points, &m) < least)
                return false;
            *terms[i] = before;
        }
    return true;
}

static void
test_fit(void)
{
    const struct network truth = {.alpha = 1500, 0.25, 0.75, .ports = 1},
                         impossible = {.alpha = 30000, 0.25, -0.1, .ports = 1};
    struct network_fit_point points[POINTS];
    struct network m = {.ports = 1};

    measure(points, &truth);
    network_fit(&m, points, POINTS);
    ok(fabs(m.alpha - truth.alpha) < 1e-3 && fabs(m.beta - truth.beta) < 1e-6 &&
           fabs(m.gamma - truth.gamma) < 1e-6,
       "a model is found again from its times: %g, %g, %g", m.alpha, m.beta,
       m.gamma);
    measure(points, &impossible);
    network_fit(&m, points, POINTS);
    ok(is_best(points, m), "else the best without negative coefficients: "
       "%g, %g, %g", m.alpha, m.beta, m.gamma);
    for (int i = 0; i < POINTS; i++)
        points[i].added = 0;
    network_fit(&m, points, POINTS);
    ok(is_best(points, m) && m.gamma == 0, "nothing was added: %g, %g, %g",
       m.alpha, m.beta, m.gamma);
}

int
main(void)
{
    test_table();
    test_own();
    test_hosts();
    test_file();
    test_refused();
    test_fit();
    return done_testing();
}
