/* SPDX-License-Identifier: MIT */
#include "run/complaint.h"

#include <regex.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "run/launcher.h"

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
    {"(^|\n)(collviz-mpi:[ ][^\n]*)", "$2"}, /* of ours */
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
    /* Intel MPI: all ranks, of which it has killed the others. */
    {"RUNNING AT ([^ \n]+)\n=   KILLED BY SIGNAL: ([0-8]|1[0-9]) "
     "\\(([^)\n]*)\\)", "a rank on $1 was ended by signal $2 ($3)"},
    {"RUNNING AT ([^ \n]+)\n=   KILLED BY SIGNAL: 9 ",
     "a rank on $1 was killed (signal 9); " OUT_OF_MEMORY},
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
    /* Skips tasks that Slurm has ended itself, and tasks that failed because
     * they wrote to such a one. */
    {"srun: error: ([^ :\n]+): tasks? ([0-9,-]+): (([^TB\n]|Bu)[^\n]+)",
     "rank $2 on $1: $3"},
    {"\\*\\*\\* (JOB|STEP) ([0-9.]+) ON [^\n]* CANCELLED AT",
     "Slurm has ended the run: somebody has cancelled $2 (scancel)"},
    {"execve\\(\\): ([^ :\n]+): No such file",
     "a host has no $1: " SAME_PLACE},
    {"srun: error: ([^\n]+)", "srun: $1"},
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
    /* The launcher's own end, if it has not said more. */
    {"(^|\n)collviz-launch: ([^\n]*) was ended by signal 9 ",
     "$2 was killed (signal 9); if nobody killed it, look in this host's log "
     "for a lack of memory"},
    {"(^|\n)collviz-launch: ([^\n]*)", "$2"},
};
enum { RULES = sizeof rules / sizeof *rules };

/* Each space that is not in a set also matches the end of a line. */
static bool
match_wrapped(const char *pattern, const char *text, regmatch_t groups[GROUPS])
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

/* Sets the error to the rule's sentence if its pattern matches. */
static bool
apply_rule(const struct rule *rule, const char *said, struct err *err)
{
    OWN(buf) sentence = {0};
    regmatch_t groups[GROUPS];

    if (!match_wrapped(rule->pattern, said, groups))
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

/* Finds the shell's answer to a launcher that is not there. */
static bool
find_missing_launcher(const char *said, struct err *err)
{
    regmatch_t groups[GROUPS];
    char program[64];

    if (!match_wrapped("(^|\n)collviz: [^\n]*[ :]([^ :\n]+): "
                       "(command )?not found",
                       said, groups))
        return false;
    snprintf(program, sizeof program, "%.*s",
             (int)(groups[2].rm_eo - groups[2].rm_so), said + groups[2].rm_so);
    launcher_refuse_missing(program, err);
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
find_last_line(const char *said, const char *worker, struct err *err)
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
complaint_find(const char *said, const char *worker, struct err *err)
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
    found = find_missing_launcher(text, err);
    for (int i = 0; !found && i < RULES; i++)
        found = apply_rule(&rules[i], text, err);
    return found || find_last_line(text, worker, err);
}

bool
complaint_report(const char *said, const char *worker, struct err *err)
{
    return complaint_find(said, worker, err)
               ? false
               : err_set(err, "%s has ended, and neither it nor the launcher "
                         "has said why", worker);
}
