/* SPDX-License-Identifier: MIT */
/* How collviz ends: the usual signals sent to each screen, every signal sent to
 * a screen and to an export, and the exit status after q;
 * tests/screens/terminal.screen has the time before there is a run.  COLLVIZ is
 * the program. */
#include "stories.h"
#include "tap.h"
#include "terminal.h"

#include <glob.h>
#include <sys/resource.h>

#define ARRAY_COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { MOVES = 10, DESCENDANTS = 16 };

/* A screen, and the way to it: a text that shows, then keys and what shows
 * after them, and so on. */
struct place {
    const char *name, *words;
    int status; /* of q; -1: q does not quit there */
    const char *moves[MOVES];
};

#define RING3 "ring-allreduce --gpus 3"
#define OVER_MPI " --backend mpi"

static const struct place places[] = {
    {"a run", RING3, 1, {"step 0/4"}},
    {"a run under way", RING3, 1, {"step 0/4", "l", "step 1/4"}},
    {"a run at its end", RING3, 0, {"step 0/4", "G", "correct"}},
    {"a run at its end, looked back at", RING3, 0, {"step 0/4", "G", "correct",
      "0g", "step 0/4"}},
    {"a run that hangs", RING3 " --delay 2=inf", 1, {"step 0/4", "l",
      "GPU 2 holds up"}},
    {"a fault before it shows", RING3 " --fault drop:3:2", 1, {"step 0/4", "l",
      "step 1/4"}},
    {"a fault at the end", RING3 " --fault drop:1:2", 1, {"step 0/4", "G",
      "WRONG"}},
    {"a run changed to another one", RING3, 1, {"step 0/4", "G", "correct",
      "a5\r", "step 0/8"}},
    {"the prompt of a", RING3, -1, {"step 0/4", "a5", "change: 5"}},
    {"the prompt of g", RING3, -1, {"step 0/4", "g3", "go to step: 3"}},
    {"the help", RING3, -1, {"step 0/4", "?", "Esc close"}},
    {"a replay", "replay ../right", 0, {"step 0/4"}},
    {"a replay of a wrong run", "replay ../wrong", 1, {"step 0/4"}},
    {"a replay of a run that was quit", "replay ../cut", 1, {"step 0/4"}},
    {"a race", "compare ring-allreduce tree-allreduce --gpus 4", 0,
     {"all-reduce of float32 on 4 GPUs"}},
    {"a chart", "chart ring-allreduce tree-allreduce", 0,
     {"modelled, not measured"}},
    {"a chart whose file is being named", "chart ring-allreduce", -1,
     {"modelled, not measured", "w", "write an SVG"}},
    {"the home screen", "", 0, {"What is a collective?"}},
    {"a search on the home screen", "", -1, {"What is a collective?", "/tree",
      "search: tree"}},
    {"a run out of the home screen", "", -1, {"What is a collective?", "\t",
      "halving", "\r", "step 0/6"}},
    {"the menu", "learn", 0, {"What is a collective?"}},
    {"a lesson before its first run", "learn ring-allreduce --present", 0,
     {"Three GPUs have trained"}},
    {"a lesson after its first run", "learn ring-allreduce --present", 0,
     {"Three GPUs have trained", "\r", "A box is a GPU"}},
    {"a lesson that has gone on", "learn ring-allreduce --present", 0,
     {"Three GPUs have trained", "\r", "A box is a GPU", "\r",
      "That was step 1"}},
    {"a question of a lesson", "learn ring-allreduce --present --quiz", 0,
     {"Three GPUs have trained", "\r", "A box is a GPU", "\r",
      "That was step 1", "\r", "I don't know"}},
    {"free play out of a lesson", "learn ring-allreduce --present", -1,
     {"Three GPUs have trained", "\r", "A box is a GPU", ">", "Esc lesson"}},
    {"free play, changed", "learn ring-allreduce --present", -1,
     {"Three GPUs have trained", "\r", "A box is a GPU", ">", "Esc lesson",
      "a5\r", "step 0/8"}},
};

static const struct place mpi_places[] = {
    {"a run over MPI", RING3 OVER_MPI, 1, {"step 0/4"}},
    {"a run over MPI at its end, looked back at", RING3 OVER_MPI, 0,
     {"step 0/4", "G", "correct", "0g", "step 0/4"}},
    {"a run over MPI that hangs", RING3 OVER_MPI " --delay 2=inf", 1,
     {"step 0/4", "l", "GPU 2 holds up"}},
};

/* The text that shows last on the way to a place. */
static const char *
last_text(const struct place *p)
{
    int i = 0;

    while (p->moves[i + 1] != NULL)
        i += 2;
    return p->moves[i];
}

static bool
go_there(struct terminal *t, const struct place *p)
{
    bool there;

    terminal_run(t, 80, 24, p->words);
    there = terminal_shows(t, p->moves[0]);
    for (int i = 1; there && p->moves[i] != NULL; i += 2) {
        terminal_type(t, p->moves[i]);
        there = terminal_shows(t, p->moves[i + 1]);
    }
    return there;
}

/* Ways to ask the program to end. */
static const struct ending {
    const char *name;
    int sent;          /* a signal */
    const char *typed; /* or a key; both NULL: the terminal is closed */
    int signal;        /* that kills the program */
} endings[] = {
    {"SIGINT", SIGINT, NULL, SIGINT},
    {"SIGTERM", SIGTERM, NULL, SIGTERM},
    {"SIGHUP", SIGHUP, NULL, SIGHUP},
    {"SIGQUIT", SIGQUIT, NULL, SIGQUIT},
    {"SIGKILL", SIGKILL, NULL, SIGKILL},
    {"Ctrl-C", 0, "\003", SIGINT},
    {"Ctrl-\\", 0, "\034", SIGQUIT},
    {"a closed terminal", 0, NULL, SIGHUP},
};

static void
ask_to_end(struct terminal *t, const struct ending *e)
{
    if (e->sent != 0)
        process_signal(t->pid, e->sent);
    else if (e->typed != NULL)
        terminal_type(t, e->typed);
    else
        terminal_hang_up(t);
}

/* Whether all of these processes end. */
static bool
all_gone(const pid_t *pids, int count)
{
    int64_t until = hung_at();

    for (int i = 0; i < count; i++)
        while (process_lives(pids[i])) {
            if (clock_ns() > until)
                return false;
            usleep(5000);
        }
    return true;
}

/* Returns the time in ns. */
static int64_t
test_ending(const struct place *p, const struct ending *e)
{
    OWN(terminal) t;
    pid_t descendants[DESCENDANTS];
    int status, count;
    int64_t took;
    bool there = go_there(&t, p);

    count = process_descendants(t.pid, descendants, DESCENDANTS, 0);
    took = clock_ns();
    ask_to_end(&t, e);
    status = terminal_wait(&t);
    took = clock_ns() - took;
    if (!ok(there && status >= 0 && WIFSIGNALED(status) &&
                WTERMSIG(status) == e->signal,
            "%s ends %s", e->name, p->name))
        diag("status %#x after %.3f s", (unsigned)status, (double)took / 1e9);
    if (e->sent != SIGKILL && t.fd >= 0)
        ok(terminal_whole(&t), "with the terminal whole");
    ok(count <= DESCENDANTS && all_gone(descendants, count),
       "none of %d processes is left", count);
    return took;
}

/* Stops the program and continues it. */
static void
test_stop(const struct place *p)
{
    OWN(terminal) t;
    bool there = go_there(&t, p);

    terminal_type(&t, "\032");
    ok(there && WIFSTOPPED(terminal_wait(&t)) && terminal_whole(&t),
       "Ctrl-Z stops %s, with the terminal whole", p->name);
    vterm_screen_reset(t.screen, 1);
    terminal_continue(&t);
    if (!ok(terminal_shows(&t, last_text(p)) && t.alternate,
            "fg continues it"))
        diag("alternate screen: %d", t.alternate);
}

static void
test_quit(const struct place *p)
{
    OWN(terminal) t;
    bool there = go_there(&t, p);
    int status;

    terminal_type(&t, "q");
    status = terminal_wait(&t);
    if (!ok(there && WIFEXITED(status) && WEXITSTATUS(status) == p->status,
            "q quits %s with status %d", p->name, p->status))
        diag("status %#x", (unsigned)status);
    ok(terminal_whole(&t), "with the terminal whole");
}

/* The quickest of all endings tells whether signals are heard, or only end the
 * program after two seconds. */
static void
test_place(const void *place)
{
    const struct place *p = place;
    int64_t quickest = INT64_MAX;

    for (size_t i = 0; i < ARRAY_COUNT(endings); i++) {
        int64_t took = test_ending(p, &endings[i]);
        if (endings[i].signal != SIGKILL && endings[i].signal != SIGQUIT &&
            took < quickest)
            quickest = took;
    }
    if (!ok(quickest < 1500000000, "%s ends at once", p->name))
        diag("the quickest took %.3f s", (double)quickest / 1e9);
    test_stop(p);
    if (p->status >= 0)
        test_quit(p);
}

static bool
has_mpi(void)
{
    char command[600];

    snprintf(command, sizeof command, "'%s' doctor | grep -q '^ok mpi '",
             terminal_program());
    return system(command) == 0;
}

/* Of the threads of a run, only the first handles signals. */
static void
test_threads(void)
{
    OWN(terminal) t;
    char path[64], line[256];
    DIR *tasks;
    struct dirent *entry;
    int threads = 0, answering = 0;

    terminal_run(&t, 80, 24, RING3);
    terminal_shows(&t, "step 0/4");
    snprintf(path, sizeof path, "/proc/%d/task", (int)t.pid);
    tasks = opendir(path);
    while (tasks != NULL && (entry = readdir(tasks)) != NULL) {
        FILE *file;
        unsigned long long blocked = 0;
        if (atoi(entry->d_name) <= 0)
            continue;
        snprintf(path, sizeof path, "/proc/%d/task/%d/status", (int)t.pid,
                 atoi(entry->d_name));
        file = fopen(path, "re");
        while (file != NULL && fgets(line, sizeof line, file) != NULL)
            sscanf(line, "SigBlk: %llx", &blocked);
        if (file != NULL)
            fclose(file);
        threads++;
        answering += (blocked >> (SIGTERM - 1) & 1) == 0;
    }
    if (tasks != NULL)
        closedir(tasks);
    ok(threads > 1, "a run has threads: %d", threads);
    is_int(answering, 1, "one of them answers signals");
    terminal_type(&t, "q");
    terminal_wait(&t);
}

/* Returns the status without reading what the program writes; -1: it has not
 * ended. */
static int
wait_unread(struct terminal *t, int ms)
{
    struct pollfd p = {.fd = t->news, .events = POLLIN};
    int status;

    if (poll(&p, 1, ms) <= 0 ||
        read(t->news, &status, sizeof status) != sizeof status)
        return -1;
    t->pid = 0;
    return status;
}

/* Nobody reads what the program draws, until it can draw no more. */
static void
test_stalled(const void *ending)
{
    const struct ending *e = ending;
    struct terminal t;
    int status;

#ifdef __SANITIZE_THREAD__
    skip("the thread sanitizer holds back the signal of a busy process");
    return;
#endif
    terminal_run(&t, 80, 24, "ring-allreduce --gpus 16");
    terminal_shows(&t, "step 0/30");
    terminal_type(&t, "-----p");
    for (int i = 0; i < 300; i++) {
        terminal_type(&t, "v");
        usleep(10 * 1000);
    }
    ask_to_end(&t, e);
    status = wait_unread(&t, HUNG_MS);
    ok(WIFSIGNALED(status) && WTERMSIG(status) == e->signal,
       "%s ends it when nobody reads the terminal", e->name);
    terminal_settle(&t);
    ok(terminal_whole(&t), "the terminal is whole once somebody reads it");
    terminal_done(&t);
}

/* What ends a process by default, but SIGPIPE and SIGXFSZ, which are ignored,
 * as write() then fails instead; of the real-time ones the first and last. */
static bool
is_ending(int sig)
{
    static const int once[] = {SIGHUP,  SIGINT,    SIGQUIT, SIGILL,  SIGTRAP,
                               SIGABRT, SIGBUS,    SIGFPE,  SIGUSR1, SIGSEGV,
                               SIGUSR2, SIGALRM,   SIGTERM, SIGSTKFLT,
                               SIGXCPU, SIGVTALRM, SIGPROF, SIGIO,   SIGPWR,
                               SIGSYS};

    for (size_t i = 0; i < ARRAY_COUNT(once); i++)
        if (sig == once[i])
            return true;
    return sig == SIGRTMIN || sig == SIGRTMAX;
}

static bool
died_of(int status, int sig)
{
    return status >= 0 && WIFSIGNALED(status) && WTERMSIG(status) == sig;
}

static void
test_signal_to_screen(const void *number)
{
    int sig = *(const int *)number;
    OWN(terminal) t;
    bool there;

    terminal_run(&t, 80, 24, RING3);
    there = terminal_shows(&t, "step 0/4");
    process_signal(t.pid, sig);
    ok(there && died_of(terminal_wait(&t), sig) && terminal_whole(&t),
       "signal %d ends a screen, with the terminal whole", sig);
}

/* How many files an export has written or begun. */
static size_t
count_files(void)
{
    glob_t found;
    size_t count = glob("x.svg*", 0, NULL, &found) == 0 ? found.gl_pathc : 0;

    globfree(&found);
    return count;
}

/* GCC's thread sanitizer loses a signal that comes while a thread first makes a
 * call that may wait (SigCtx() of its interceptors): there it is sent again. */
#ifdef __SANITIZE_THREAD__
enum { HEARD_MS = 2000 };
#else
enum { HEARD_MS = HUNG_MS };
#endif

static void
test_signal_to_export(const void *number)
{
    int sig = *(const int *)number, status;
    int64_t until = hung_at();
    OWN(terminal) t;
    bool begun;

    terminal_run(&t, 80, 24, "export " RING3 " --delay 1=inf --svg -o x.svg");
    while (!(begun = count_files() > 0) && clock_ns() < until)
        terminal_read(&t, 10);
    do {
        process_signal(t.pid, sig);
        status = wait_unread(&t, HEARD_MS);
    } while (status < 0 && clock_ns() < until);
    ok(begun && died_of(status, sig) && count_files() == 0,
       "signal %d ends an export, which leaves no file", sig);
}

static void
record(const char *name, const char *options)
{
    char command[600];

    snprintf(command, sizeof command,
             "'%s' ring-allreduce --gpus 3 %s --record %s >/dev/null 2>&1",
             terminal_program(), options, name);
    if (system(command) < 0)
        exit(99);
}

/* A signal ends the program once its recording has begun. */
static void
record_cut(void)
{
    OWN(terminal) t;

    terminal_run(&t, 80, 24, RING3 " --record cut");
    terminal_shows(&t, "step 0/4");
    terminal_type(&t, "l");
    terminal_shows(&t, "GPU 0 sent");
    process_signal(t.pid, SIGTERM);
    terminal_wait(&t);
}

int
main(void)
{
    struct rlimit none = {0, 0};
    int signals[NSIG];
    bool mpi;

    terminal_begin();
    mpi = has_mpi();
    setrlimit(RLIMIT_CORE, &none); /* SIGQUIT would leave core files */
    record("right", "");
    record("wrong", "--fault drop:1:2");
    record_cut();
    test_threads();
    for (size_t i = 0; i < ARRAY_COUNT(places); i++)
        story(test_place, &places[i]);
    for (size_t i = 0; mpi && i < ARRAY_COUNT(mpi_places); i++)
        story(test_place, &mpi_places[i]);
    for (int i = 1; i < NSIG; i++) {
        signals[i] = i;
        if (!is_ending(i))
            continue;
        story(test_signal_to_screen, &signals[i]);
        story(test_signal_to_export, &signals[i]);
    }
    story(test_stalled, &endings[0]);
    story(test_stalled, &endings[1]);
    stories_end();
    if (!mpi)
        skip("no MPI: see collviz doctor");
    return terminal_end();
}
