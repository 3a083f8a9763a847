/* SPDX-License-Identifier: MIT */
#include "run/launcher.h"

#include <assert.h>
#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/near.h"
#include "run/request.h"

#define LAUNCH "collviz-launch"

enum {
    WORDS_MAX = 24,
    END_MS = 1000, /* collviz-launch seldom needs longer */
};

struct launch_words {
    char *words[WORDS_MAX]; /* NULL after the last */
    int count;
    char ranks[16]; /* how many */
    char worker[PATH_MAX];
    struct buf platform, hosts; /* of smpirun */
};

static void
add(struct launch_words *w, const char *word)
{
    assert(w->count < WORDS_MAX - 1);
    w->words[w->count++] = (char *)word;
}

/* SimGrid counts hosts along the first dimension first, and ranks go along the
 * last one first. */
static void
add_torus(const struct schedule *s, struct buf *xml)
{
    const struct topology *t = &s->topology;
    int rows = 1; /* the greatest divisor not above the square root */
    bool shaped = t->kind == TOPOLOGY_TORUS || t->kind == TOPOLOGY_MESH;

    for (int d = 2; d * d <= s->nranks; d++)
        rows = s->nranks % d == 0 ? d : rows;
    buf_puts(xml, " topology=\"TORUS\" topo_parameters=\"");
    if (!shaped)
        buf_addf(xml, "%d,%d\"", s->nranks / rows, rows);
    else if (t->dims[2] > 1)
        buf_addf(xml, "%d,%d,%d\"", t->dims[2], t->dims[1], t->dims[0]);
    else
        buf_addf(xml, "%d,%d\"", t->dims[1], t->dims[0]);
}

/* "levels; children of a switch, by level; parents; links to each".  All leaf
 * switches have the same number of hosts: there may be more than ranks. */
static int
add_fat_tree(int nranks, struct buf *xml)
{
    int hosts = 1, leaves;

    while (hosts * hosts < nranks)
        hosts++;
    leaves = (nranks + hosts - 1) / hosts;
    buf_addf(xml, " topology=\"FAT_TREE\" topo_parameters=\"2;%d,%d;1,%d;1,1\"",
             hosts, leaves, hosts);
    return hosts * leaves;
}

static const char head[] =
    "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM "
    "\"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n";

/* Appends SimGrid's description of a network without a file, and its hosts in
 * the order of the ranks, one a line.  A rank's messages to itself take no
 * time. */
static void
platform_describe(const struct platform *p, const struct schedule *s,
                  struct buf *xml, struct buf *hosts)
{
    int nhosts = s->nranks;

    buf_addf(xml, "%s<cluster id=\"collviz\"", head);
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

/* Half of the way, which carries messages both ways at once. */
static void
add_link(const char *name, int i, double alpha, double beta, struct buf *xml)
{
    buf_addf(xml, "<link id=\"%s%d\" bandwidth=\"%.9gGBps\" latency=\"%.9gns\" "
             "sharing_policy=\"SPLITDUPLEX\"/>\n",
             name, i, beta > 1e-6 ? 1 / beta : 1e6, alpha / 2);
}

static void
add_route(int rank, const char *to, int i, const char *link, int k,
          struct buf *xml)
{
    buf_addf(xml, "<route src=\"gpu-%d\" dst=\"%s%d\"><link_ctn id=\"%s%d\" "
             "direction=\"UP\"/></route>\n", rank, to, i, link, k);
}

/* The same for a network of ours, on which rank r runs on gpu-r: alpha is the
 * latency of two links, from a GPU to its host's switch and from there, or from
 * NIC to NIC.  SimGrid has no gamma, and messages share a link.  It takes the
 * route of the fewest links, so no message between GPUs of a host goes over
 * NICs, and none between hosts through a third GPU. */
static void
platform_of_network(const struct network *n, const struct schedule *s,
                    struct buf *xml, struct buf *hosts)
{
    int last = s->nranks - 1, nhosts = network_host_count(n, s->nranks);
    struct hosts at = network_hosts(n);
    int nics = nhosts * n->nics;

    buf_addf(xml, "%s<zone id=\"collviz\" routing=\"Floyd\">\n", head);
    for (int rank = 0; rank <= last; rank++) {
        buf_addf(xml, "<host id=\"gpu-%d\" speed=\"1Gf\"/>\n", rank);
        buf_addf(hosts, "gpu-%d\n", rank);
    }
    for (int host = 0; host < nhosts; host++)
        buf_addf(xml, "<router id=\"host-%d\"/>\n", host);
    buf_puts(xml, nics > 0 ? "<router id=\"between-0\"/>\n" : "");
    for (int rank = 0; rank <= last; rank++)
        add_link("port-", rank, n->alpha, n->beta, xml);
    for (int nic = 0; nic < nics; nic++)
        add_link("nic-", nic, n->between_alpha, n->between_beta, xml);
    for (int rank = 0; rank <= last; rank++) {
        add_route(rank, "host-", hosts_at(&at, rank), "port-",
                  rank, xml);
        if (nics > 0)
            add_route(rank, "between-", 0, "nic-", network_nic(n, rank), xml);
    }
    buf_puts(xml, "</zone>\n</platform>\n");
}

/* Ranks are threads of one process.  Only messages take simulated time: not
 * computation, whose speed here says nothing of the simulated hosts, and not
 * looking for a message. */
static const char *const smpi_settings[] = {
    "-no-privatize",
    "-quiet",
    "--cfg=smpi/simulate-computation:no",
    "--cfg=smpi/test:0",
    "--cfg=smpi/iprobe:0",
    "--log=root.thres:error",
};
enum { SMPI_SETTINGS = sizeof smpi_settings / sizeof *smpi_settings };

enum { WORD_MOST = 128 << 10 }; /* bytes, of Linux */

/* A text of more than one line stands for a file with it
 * (workers/launch/launch.c). */
static bool
smpi_words(struct launch_words *w, const struct schedule *s,
           const struct run_options *o, struct err *err)
{
    struct platform p = {.file = NULL};

    if (o->network != NULL)
        platform_of_network(o->network, s, &w->platform, &w->hosts);
    else if (!platform_parse(o->platform, &p, err))
        return false;
    else if (p.file == NULL)
        platform_describe(&p, s, &w->platform, &w->hosts);
    if (w->platform.length >= WORD_MOST)
        return err_set(err, "--network: %d ranks are too many for --backend "
                       "smpi, which describes each to SimGrid", s->nranks);
    for (size_t i = 0; i < SMPI_SETTINGS; i++)
        add(w, smpi_settings[i]);
    add(w, "-np");
    add(w, w->ranks);
    add(w, "-platform");
    if (p.file == NULL) {
        add(w, buf_text(&w->platform));
        add(w, "-hostfile");
        add(w, buf_text(&w->hosts));
    } else {
        add(w, p.file);
    }
    return true;
}

const struct launcher launcher_mpi = {
    .command = MPI_LAUNCHER,
};

const struct launcher launcher_smpi = {
    .command = "smpirun",
    .has_platform = true,
};

/* An empty folder in PATH is the current one. */
static bool
in_path(const char *program)
{
    const char *path = getenv("PATH");
    OWN_MEMORY char *copy = mem_string(path != NULL ? path : "/bin:/usr/bin");
    char *rest = copy, *folder, file[PATH_MAX];

    while ((folder = strsep(&rest, ":")) != NULL)
        if (snprintf(file, sizeof file, "%s/%s",
                     folder[0] != '\0' ? folder : ".", program) <
                (int)sizeof file &&
            access(file, X_OK) == 0)
            return true;
    return false;
}

/* Says that there is no such launcher on this machine. Always returns false. */
static bool
refuse_missing(const char *program, struct err *err)
{
    if (strcmp(program, "smpirun") == 0)
        return err_set(err, "there is no smpirun on this machine: install "
                       "SimGrid (Debian and Ubuntu: libsimgrid-dev)");
    return err_set(err, "there is no %s on this machine: install Open MPI or "
                   "MPICH (Debian and Ubuntu: openmpi-bin), or name another "
                   "launcher with --launcher", program);
}

bool
launcher_there(const struct launcher *l, struct err *err)
{
    char program[64];

    snprintf(program, sizeof program, "%.*s", (int)strcspn(l->command, " "),
             l->command);
    return in_path(program) || refuse_missing(program, err);
}

bool
launcher_is_chosen(const struct launcher *l)
{
    return l != NULL && !l->has_platform;
}

struct child *
launcher_start(const struct launcher *l, const char *worker,
               const struct schedule *s, const struct run_options *o,
               struct err *err)
{
    bool given = o->launcher != NULL && launcher_is_chosen(l);
    struct launch_words w = {.count = 0};
    struct child *c = NULL;
    bool ok = true;

    if (!child_find(worker, w.worker, err) ||
        (!given && !launcher_there(l, err)))
        return NULL;
    snprintf(w.ranks, sizeof w.ranks, "%d", s->nranks);
    add(&w, LAUNCH);
    add(&w, given ? "anywhere" : "here");
    add(&w, given ? o->launcher : l->command);
    if (l->has_platform) {
        ok = smpi_words(&w, s, o, err);
    } else {
        add(&w, "-n");
        add(&w, w.ranks);
    }
    add(&w, w.worker);
    if (ok)
        c = child_open(LAUNCH, w.words, err);
    if (c != NULL) {
        child_give_time(c, END_MS);
        child_limit(c, REQUEST_AHEAD);
    }
    buf_done(&w.platform);
    buf_done(&w.hosts);
    return c;
}

#define SAME_PLACE "collviz must be installed in the same place on every host"
#define WITHOUT_PASSWORD "'ssh HOST true' must work without a password"
#define OUT_OF_MEMORY \
    "if nobody killed it, look in that host's log for a lack of memory"

/* MPICH: the exit code may be another rank's, which was killed afterwards. */
#define MPICH_SIGNAL \
    "RUNNING AT ([^ \n]+)(\n=[^\n]*){4}\nYOUR APPLICATION TERMINATED WITH " \
    "THE EXIT STRING: "

enum {
    GROUPS = 5,
    LINE_MOST = 400, /* bytes of a line that are looked at */
};

/* What launchers write, the most telling first, and what collviz makes of it:
 * $1 is what the first parentheses match.  A space matches the end of a line,
 * too, since launchers wrap lines; not so in a set, where it comes first, as in
 * [^ :].  No match goes over more lines than the pattern names, and lines are
 * cut, so the time for a text is proportional to its length. */
static const struct rule {
    const char *pattern, *sentence;
} rules[] = {
    {"(^|\n)(collviz-s?mpi:[ ][^\n]*)", "$2"}, /* of ours */
    /* Open MPI */
    {"not enough space for ([^ \n]+) \\(the shared-memory backing\nfile[^:]*"
     "Local host: +([^ \n]+)",
     "host $2 has no space left for shared memory ($1): remove what is not "
     "needed there, or take fewer ranks"},
    {"noticed that process rank ([0-9]+) with PID [0-9]+ on node ([^ \n]+) "
     "exited on signal 9 ",
     "rank $1 on $2 was killed (signal 9); " OUT_OF_MEMORY},
    {"noticed that process rank ([0-9]+) with PID [0-9]+ on node ([^ \n]+) "
     "exited on signal ([0-9]+) \\(([^)\n]*)\\)",
     "rank $1 on $2 was ended by signal $3 ($4)"},
    {"Process name: \\[[^\n]*,([0-9]+)\\]\n[ ]*Exit code:[ ]+([0-9]+)",
     "rank $1 has ended with status $2 and gave no reason"},
    {"1 process returned\na non-zero exit code",
     "a rank has ended with a status other than 0 and gave no reason"},
    {"Executable: ([^\n]+)\nNode: ([^\n]+)\n\n[^\n]* process rank ([0-9]+)",
     "rank $3 cannot start, host $2 has no $1: " SAME_PLACE},
    {"satisfy the ([0-9]+) slots",
     "the hosts have fewer than $1 slots: take fewer ranks, write slots=N into "
     "the hostfile, or add --oversubscribe to the launcher"},
    {"Remote daemon: [^\n]* on node ([^ \n]+)",
     "the connection to host $1 is lost: the host or its network is down"},
    {"(mpirun|mpiexec|prterun): Error: ([^\n]+)", "$1: $2"},
    /* MPICH does not say which rank it was. */
    {"\\[[0-9.]+\\] \\[([^ :\n]+):[^\n]* Please check that /dev/shm ",
     "host $1 has no space left for shared memory (/dev/shm): remove what is "
     "not needed there, or set UCX_TLS=tcp"},
    {"Abort\\([0-9-]+\\) on node [^\n]*rank ([0-9]+)[^\n]*\\): ([^\n]+)",
     "rank $1: $2"},
    {MPICH_SIGNAL "([^(\n]*) \\(signal 9\\)",
     "a rank on $1 was killed (signal 9); " OUT_OF_MEMORY},
    {MPICH_SIGNAL "([^(\n]*) \\(signal ([0-9]+)\\)",
     "a rank on $1 was ended by signal $4 ($3)"},
    {"RUNNING AT ([^ \n]+)\n=   EXIT CODE: 9\n",
     "a rank on $1 was killed (signal 9); " OUT_OF_MEMORY},
    {"RUNNING AT ([^ \n]+)\n=   EXIT CODE: 11\n",
     "a rank on $1 was ended by signal 11 (Segmentation fault)"},
    {"RUNNING AT ([^ \n]+)\n=   EXIT CODE: ([0-9]+)\n",
     "a rank on $1 has ended, with status or signal $2"},
    {"\\[proxy:[^@\n]*@([^]\n]+)\\][^\n]* on file ([^ \n]+) \\(([^)\n]*)\\)",
     "host $1 cannot start $2 ($3): " SAME_PLACE},
    /* Slurm */
    {"direct launched using \"srun\"",
     "srun does not tell Open MPI's ranks of each other: add --mpi=pmix to the "
     "launcher, as in 'srun --mpi=pmix -N 2'"},
    {"CANCELLED AT [^ \n]+ DUE TO TIME LIMIT",
     "Slurm has ended the run, whose time limit is over: --time sets another"},
    /* Not of ranks that Slurm has ended, or that wrote to one that has. */
    {"srun: error: ([^ :\n]+): tasks? ([0-9,-]+): (([^TB\n]|Bu)[^\n]+)",
     "rank $2 on $1: $3"},
    {"\\*\\*\\* (JOB|STEP) ([0-9.]+) ON [^\n]* CANCELLED AT",
     "Slurm has ended the run: somebody has cancelled $2 (scancel)"},
    {"execve\\(\\): ([^ :\n]+): No such file",
     "a host has no $1: " SAME_PLACE},
    {"srun: error: ([^\n]+)", "srun: $1"},
    /* SimGrid */
    {"Parse error at ([^\n]+):([0-9]+): ([^\n]+)",
     "SimGrid cannot read --platform $1, line $2: $3"},
    {"send data from ([^ \n]+) to ([^ \n]+) but there is no connecting path",
     "--platform has no route from $1 to $2 (a route to itself is a loopback)"},
    {"Deadlock detected", "the simulation has come to a halt: ranks wait for "
     "messages that no other rank sends"},
    {"\\[[A-Za-z_]+/(CRITICAL|ERROR)\\] ([^\n]+)", "SimGrid: $2"},
    /* How other hosts are reached. */
    {"ssh: Could not resolve hostname ([^ :\n]+):",
     "there is no host called $1: look into the hostfile, or at --host"},
    {"ssh: connect to host ([^ \n]+) port [0-9]+: ([^\n\r]+)",
     "host $1 cannot be reached ($2): " WITHOUT_PASSWORD},
    {"([^ @\n]+@)?([^ :\n]+): Permission denied \\(",
     "host $2 does not let you in: " WITHOUT_PASSWORD},
    {"Host key verification failed",
     "ssh does not know the key of a host: log in to each of them once"},
    {"\n?([^\n-][^\n]*)\n-+\n[OP]RTE was unable to reliably start",
     "mpirun cannot start anything on a host ($1): " WITHOUT_PASSWORD},
    /* The launcher's own end, where it has not said more. */
    {"(^|\n)collviz-launch: ([^\n]*) was ended by signal 9 ",
     "$2 was killed (signal 9); if nobody killed it, look in this host's log "
     "for a lack of memory"},
    {"(^|\n)collviz-launch: ([^\n]*)", "$2"},
};
enum { RULES = sizeof rules / sizeof *rules };

/* Each space that is not in a set also matches the end of a line. */
static bool
match(const char *pattern, const char *text, regmatch_t groups[GROUPS])
{
    OWN(buf) wrapped = {0};
    char before = '[';
    regex_t regex;
    bool found = false;

    for (; *pattern != '\0'; before = *pattern++)
        if (*pattern == ' ' && before != '[' && before != '^')
            buf_puts(&wrapped, "[ \n]");
        else
            buf_putc(&wrapped, *pattern);
    if (regcomp(&regex, buf_text(&wrapped), REG_EXTENDED) == 0) {
        found = regexec(&regex, text, GROUPS, groups, 0) == 0;
        regfree(&regex);
    }
    return found;
}

/* The rule's sentence, with what its pattern matches. */
static bool
apply(const struct rule *rule, const char *said, struct err *err)
{
    OWN(buf) sentence = {0};
    regmatch_t groups[GROUPS];

    if (!match(rule->pattern, said, groups))
        return false;
    for (const char *c = rule->sentence; *c != '\0'; c++)
        if (*c == '$') {
            const regmatch_t *g = &groups[*++c - '0'];
            buf_add(&sentence, said + g->rm_so, (size_t)(g->rm_eo - g->rm_so));
        } else {
            buf_putc(&sentence, *c);
        }
    err_set(err, "%s", buf_text(&sentence));
    return true;
}

/* The shell's answer to a launcher that is not there. */
static bool
missing(const char *said, struct err *err)
{
    regmatch_t groups[GROUPS];
    char program[64];

    if (!match("(^|\n)collviz: [^\n]*[ :]([^ :\n]+): (command )?not found",
               said, groups))
        return false;
    snprintf(program, sizeof program, "%.*s",
             (int)(groups[2].rm_eo - groups[2].rm_so), said + groups[2].rm_so);
    refuse_missing(program, err);
    return true;
}

/* Whether a line says nothing: rules, backtraces, advice for everybody. */
static bool
is_decoration(const char *line)
{
    static const char *const starts[] = {
        "Type '", "YOUR APPLICATION", "This typically refers",
        "Please see the", "Execution failed with code", "Aborted"};

    if (line[strspn(line, "-=* \t\r")] == '\0' || line[0] == '=' ||
        line[0] == '[' || strstr(line, "ORTE_ERROR_LOG") != NULL)
        return true;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(line, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

static bool
last_line(const char *said, const char *worker, struct err *err)
{
    OWN_MEMORY char *copy = mem_string(said);
    char *rest = copy, *line;
    bool found = false;

    while ((line = strsep(&rest, "\n")) != NULL)
        if (!is_decoration(line)) {
            err_set(err, "%s: %s", worker, line);
            found = true;
        }
    return found;
}

bool
launch_find_complaint(const char *said, const char *worker, struct err *err)
{
    OWN(buf) lines = {0};
    const char *text;
    bool found;

    for (size_t length; *said != '\0'; said += length) {
        length = strcspn(said, "\n");
        buf_add(&lines, said, length < LINE_MOST ? length : LINE_MOST);
        length += said[length] == '\n';
        buf_putc(&lines, '\n');
    }
    text = buf_text(&lines);
    found = missing(text, err);
    for (int i = 0; !found && i < RULES; i++)
        found = apply(&rules[i], text, err);
    found = found || last_line(text, worker, err);
    return found;
}

bool
launch_complain(const char *said, const char *worker, struct err *err)
{
    return launch_find_complaint(said, worker, err)
               ? false
               : err_set(err, "%s has ended, and neither it nor the launcher "
                         "has said why", worker);
}

static const char *const names[PLATFORM_KINDS + 1] = {
    [PLATFORM_CLUSTER] = "cluster",
    [PLATFORM_RING] = "ring",
    [PLATFORM_TORUS] = "torus",
    [PLATFORM_FAT_TREE] = "fat-tree",
};

/* A network of 100 Gbit/s. */
#define BANDWIDTH "12.5GBps"
#define LATENCY "2us"

#define NUMBER "[0-9]+(\\.[0-9]+)?"
#define LINK \
    "^" NUMBER "(k|M|G|T|Ki|Mi|Gi|Ti)?[Bb]ps," NUMBER "(ns|us|ms|s)$"

static bool
parse_file(const char *text, struct platform *p, struct err *err)
{
    OWN(buf) others = {0};

    p->file = text;
    if (access(text, R_OK) == 0)
        return true;
    if (errno != ENOENT || strchr(text, '/') != NULL)
        return err_set(err, "--platform %s: %s", text, strerror(errno));
    near_among(text, names, &others);
    return err_set(err, "--platform '%s' is neither a file nor a network: %s",
                   text, buf_text(&others));
}

bool
platform_parse(const char *text, struct platform *p, struct err *err)
{
    regmatch_t ignored[GROUPS];
    size_t length;
    char rest;

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
    return text[length] == '\0' ||
           (match(LINK, text + length + 1, ignored) &&
            sscanf(text + length + 1, "%31[^,],%31[^,]%c", p->bandwidth,
                   p->latency, &rest) == 2 &&
            strpbrk(p->bandwidth, "123456789") != NULL) ||
           err_set(err, "--platform '%s' must be %s:BANDWIDTH,LATENCY, as in "
                   "%s:" BANDWIDTH "," LATENCY, text, names[p->kind],
                   names[p->kind]);
}
