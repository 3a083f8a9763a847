/* SPDX-License-Identifier: MIT */
#include "run/platform.h"

#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/near.h"

static const char *const names[PLATFORM_KINDS + 1] = {
    [PLATFORM_CLUSTER] = "cluster",
    [PLATFORM_RING] = "ring",
    [PLATFORM_TORUS] = "torus",
    [PLATFORM_FAT_TREE] = "fat-tree",
};

/* A network of 100 Gbit/s. */
#define BANDWIDTH "12.5GBps"
#define LATENCY "2us"

#define NUMBER "^[0-9]+(\\.[0-9]+)?"

static bool
matches(const char *text, const char *pattern)
{
    regex_t regex;
    bool found;

    if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) != 0)
        return false;
    found = regexec(&regex, text, 0, NULL, 0) == 0;
    regfree(&regex);
    return found && strlen(text) < PLATFORM_UNIT_MAX;
}

static bool
is_bandwidth(const char *text)
{
    return matches(text, NUMBER "(k|M|G|T|Ki|Mi|Gi|Ti)?[Bb]ps$") &&
           strpbrk(text, "123456789") != NULL;
}

static bool
is_latency(const char *text)
{
    return matches(text, NUMBER "(ns|us|ms|s)$");
}

/* "12.5GBps,2us" */
static bool
parse_link(const char *text, struct platform *p)
{
    char rest;

    return sscanf(text, "%31[^,],%31[^,]%c", p->bandwidth, p->latency,
                  &rest) == 2 &&
           is_bandwidth(p->bandwidth) && is_latency(p->latency);
}

static bool
parse_file(const char *text, struct platform *p, struct err *err)
{
    struct buf others = {0};

    p->file = text;
    if (access(text, R_OK) == 0)
        return true;
    if (errno != ENOENT || strchr(text, '/') != NULL)
        return err_set(err, "--platform %s: %s", text, strerror(errno));
    near_among(text, names, &others);
    err_set(err, "--platform '%s' is neither a file nor a network: %s", text,
            buf_text(&others));
    buf_done(&others);
    return false;
}

bool
platform_parse(const char *text, struct platform *p, struct err *err)
{
    size_t length;

    *p = (struct platform){.bandwidth = BANDWIDTH, .latency = LATENCY};
    if (text == NULL)
        return true;
    length = strcspn(text, ":");
    while (p->kind < PLATFORM_KINDS &&
           (strlen(names[p->kind]) != length ||
            strncmp(names[p->kind], text, length) != 0))
        p->kind++;
    if (p->kind == PLATFORM_KINDS)
        return parse_file(text, p, err);
    return text[length] == '\0' || parse_link(text + length + 1, p) ||
           err_set(err, "--platform '%s' must be %s:BANDWIDTH,LATENCY, as in "
                   "%s:" BANDWIDTH "," LATENCY, text, names[p->kind],
                   names[p->kind]);
}

/* The greatest divisor that is not above the square root. */
static int
divisor(int n)
{
    int best = 1;

    for (int d = 1; d * d <= n; d++)
        best = n % d == 0 ? d : best;
    return best;
}

/* SimGrid counts hosts along the first dimension first, and ranks go along the
 * last one first. */
static void
add_torus(const struct schedule *s, struct buf *xml)
{
    const struct topology *t = &s->topology;
    int rows = divisor(s->nranks);
    bool shaped = t->kind == TOPOLOGY_TORUS || t->kind == TOPOLOGY_MESH;

    buf_puts(xml, " topology=\"TORUS\" topo_parameters=\"");
    if (!shaped)
        buf_addf(xml, "%d,%d\"", s->nranks / rows, rows);
    else if (t->dims[2] > 1)
        buf_addf(xml, "%d,%d,%d\"", t->dims[2], t->dims[1], t->dims[0]);
    else
        buf_addf(xml, "%d,%d\"", t->dims[1], t->dims[0]);
}

/* Hosts of each leaf switch: all leaf switches have the same number, and there
 * may be more hosts than ranks. */
static int
leaf_hosts(int nranks)
{
    int hosts = 1;

    while (hosts * hosts < nranks)
        hosts++;
    return hosts;
}

/* "levels; children of a switch, by level; parents; links to each" */
static int
add_fat_tree(int nranks, struct buf *xml)
{
    int hosts = leaf_hosts(nranks), leaves = (nranks + hosts - 1) / hosts;

    buf_addf(xml, " topology=\"FAT_TREE\" topo_parameters=\"2;%d,%d;1,%d;1,1\"",
             hosts, leaves, hosts);
    return hosts * leaves;
}

/* A rank's messages to itself take no time. */
void
platform_describe(const struct platform *p, const struct schedule *s,
                  struct buf *xml, struct buf *hosts)
{
    int nhosts = s->nranks;

    buf_puts(xml, "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM "
             "\"https://simgrid.org/simgrid.dtd\">\n"
             "<platform version=\"4.1\">\n<cluster id=\"collviz\"");
    if (p->kind == PLATFORM_RING)
        buf_addf(xml, " topology=\"TORUS\" topo_parameters=\"%d\"", nhosts);
    else if (p->kind == PLATFORM_TORUS)
        add_torus(s, xml);
    else if (p->kind == PLATFORM_FAT_TREE)
        nhosts = add_fat_tree(s->nranks, xml);
    buf_addf(xml, " prefix=\"host-\" suffix=\"\" radical=\"0-%d\" "
             "speed=\"1Gf\" bw=\"%s\" lat=\"%s\" loopback_bw=\"1TBps\" "
             "loopback_lat=\"0s\"/>\n</platform>\n",
             nhosts - 1, p->bandwidth, p->latency);
    for (int rank = 0; rank < s->nranks; rank++)
        buf_addf(hosts, "host-%d\n", rank);
}
