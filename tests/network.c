/* SPDX-License-Identifier: MIT */
/* Networks: the table, what --network takes and refuses, and figures that are
 * found again from times. */
#include "schedule/network.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "tap.h"

#define ADD (3 / 3350.0) /* gamma of the table */

/* What is read, and as which network; in a file its name may be that of the
 * file, "". */
static const struct {
    const char *text;
    struct network n;
} right[] = {
    {"nvlink", {"nvlink", 600, 1 / 450.0, ADD, 1, 0, 0}},
    {"pcie", {"pcie", 1000, 1 / 64.0, ADD, 1, 0, 0}},
    {"infiniband", {"infiniband", 2700, 1 / 50.0, ADD, 1, 0, 0}},
    {"ethernet", {"ethernet", 20000, 1 / 12.5, ADD, 1, 0, 0}},
    {"alpha=2us,beta=0.08ns,gamma=1.5ps,ports=2",
     {"alpha=2us,beta=0.08ns,gamma=1.5ps,ports=2", 2000, 0.08, 0.0015, 2, 0,
      0}},
    {"beta=0.5us,alpha=0ns,name=slow one", {"slow one", 0, 500, 0, 1, 0, 0}},
    {"ethernet,links=1,alpha=5us",
     {"ethernet,links=1,alpha=5us", 5000, 0.08, ADD, 1, 1, 0}},
    {"alpha=4ns,beta=0.02ns,cores=2",
     {"alpha=4ns,beta=0.02ns,cores=2", 4, 0.02, 0, 1, 0, 2}},
}, files[] = {
    {"# our cluster\n\n alpha = 3us # measured\r\nbeta=0.1ns\nports=4",
     {"", 3000, 0.1, 0, 4, 0, 0}},
    {"name=lab\nalpha=1us\nbeta=1ns", {"lab", 1000, 1, 0, 1, 0, 0}},
    {"pcie\nlinks=2\nname=two", {"two", 1000, 1 / 64.0, ADD, 1, 2, 0}},
};

static bool
near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

static void
is_network(const struct network *n, const struct network *want,
           const char *text)
{
    ok(near(n->alpha, want->alpha) && near(n->beta, want->beta) &&
           near(n->gamma, want->gamma) && n->ports == want->ports &&
           n->links == want->links && n->cores == want->cores,
       "the figures of %s", text);
    is_str(n->name, want->name, "its name");
}

static void
test_right(void)
{
    struct network n;
    struct err err;
    OWN(buf) figures = {0};
    int i = 0;

    for (; network_at(i) != NULL; i++) {
        is_network(network_at(i), &right[i].n, "the table");
        ok(i == 0 || (right[i].n.alpha > right[i - 1].n.alpha &&
                      right[i].n.beta > right[i - 1].n.beta),
           "%s is slower than the one before", right[i].text);
    }
    is_int(i, 4, "four networks");
    ok(network_at(-1) == NULL, "none before the first");
    for (size_t k = 0; k < sizeof right / sizeof right[0]; k++)
        if (ok(network_parse(right[k].text, &n, &err), "%s is read",
               right[k].text))
            is_network(&n, &right[k].n, right[k].text);
    network_figures(&right[4].n, &figures);
    is_str(buf_text(&figures), right[4].text, "its figures, written");
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

static void
test_files(void)
{
    static char large[5000];
    static const struct {
        const char *text;
        size_t length;
        const char *why[2];
    } wrong[] = {
        {"alpha=1us\n\nbta=1ns", 18, {".txt: line 3: ", "did you mean beta?"}},
        {"alpha=1us\0\nbeta=1ns", 19, {"not a text", ""}},
        {large, sizeof large, {"more than 4 KiB", ""}},
    };
    char hidden[] = "/tmp/.collviz-XXXXXX";
    struct network n;
    struct err err = {""};

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[] = "/tmp/collviz-network-XXXXXX.txt";
        struct network want = files[i].n;
        ok(read_file(path, 4, files[i].text, strlen(files[i].text), &n, &err),
           "a file is read%s", err.text);
        if (want.name[0] == '\0') /* it is called like the file */
            snprintf(want.name, sizeof want.name, "%.*s",
                     (int)strlen(path) - 9, path + 5);
        is_network(&n, &want, "a file");
    }
    ok(read_file(hidden, 0, "alpha=1us\nbeta=1ns", 18, &n, &err) &&
           strcmp(n.name, hidden + 5) == 0,
       "a name may begin with a dot: %s", n.name);
    memset(large, '#', sizeof large);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char path[] = "/tmp/collviz-network-XXXXXX.txt";
        ok(!read_file(path, 4, wrong[i].text, wrong[i].length, &n, &err) &&
               strstr(err.text, wrong[i].why[0]) != NULL &&
               strstr(err.text, wrong[i].why[1]) != NULL,
           "a file is refused: %s", err.text);
    }
}

static void
test_refused(void)
{
    static const struct {
        const char *text, *why;
    } refused[] = {
        {"/no/such/file", "/no/such/file: No such file"},
        {"/tmp", "/tmp: "},
        {"beta=1s,alpha=0ns", "at most 0.001 s"},
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
    const struct network truth = {"", 1500, 0.25, 0.75, 1, 0, 0},
                         impossible = {"", 30000, 0.25, -0.1, 1, 0, 0};
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
    test_right();
    test_files();
    test_refused();
    test_fit();
    return done_testing();
}
