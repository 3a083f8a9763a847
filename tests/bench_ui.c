/* SPDX-License-Identifier: MIT */
/* make bench-ui: how long a user waits, beside the goals.
 *
 * The program runs in a pty; a time ends when its output has been read. */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>

#include "machine_speed.h"
#include "terminal.h"

enum { STARTS = 20, KEYS = 40, WATCH_MS = 4000 };

/* A ring of so many ranks. */
static void
start(struct terminal *t, int columns, int rows, const char *ranks)
{
    char words[50];

    snprintf(words, sizeof words, "ring-allreduce --gpus %s", ranks);
    terminal_run(t, columns, rows, words);
}

static void
quit(struct terminal *t)
{
    terminal_type(t, "q");
    terminal_wait(t);
    terminal_done(t);
}

static void
report(const char *what, double value, double goal, const char *unit)
{
    printf("%-50s %9.2f %-3s", what, value, unit);
    if (goal > 0)
        printf("  goal %6.2f %s", goal, value <= goal ? "" : " MISSED");
    putchar('\n');
    fflush(stdout);
}

static double
ms_since(int64_t begin)
{
    return (double)(clock_ns() - begin) / 1e6;
}

/* Waits until `text` has been written. It looks at the bytes, all of which are
 * kept: that is quicker than to look at the screen again and again. */
static void
wait_for(struct terminal *t, struct buf *written, const char *text)
{
    struct pollfd p = {.fd = t->fd, .events = POLLIN};
    char bytes[65536];
    ssize_t n;

    while (strstr(buf_text(written), text) == NULL &&
           poll(&p, 1, HUNG_MS) > 0 &&
           (n = read(t->fd, bytes, sizeof bytes)) > 0) {
        vterm_input_write(t->vt, bytes, (size_t)n);
        buf_add(written, bytes, (size_t)n);
    }
}

/* Times the first frame, and the input: until the last of what is drawn. */
static void
bench_start(const char *ranks, int starts)
{
    double frame[STARTS], picture[STARTS];
    char what[64];

    for (int i = 0; i < starts; i++) {
        int64_t begin = clock_ns();
        struct terminal t;
        struct buf written = {0};
        start(&t, 80, 24, ranks);
        wait_for(&t, &written, "change");
        frame[i] = ms_since(begin);
        wait_for(&t, &written, "optimum");
        picture[i] = ms_since(begin);
        buf_done(&written);
        quit(&t);
    }
    snprintf(what, sizeof what, "first frame, %s ranks", ranks);
    report(what, median(frame, starts), starts > 1 ? 30 : 0, "ms");
    snprintf(what, sizeof what, "the input shown, %s ranks", ranks);
    report(what, median(picture, starts), starts > 1 ? 30 : 0, "ms");
}

/* Nanoseconds of processor time that all threads of a process have used. */
static int64_t
cpu_ns(pid_t pid)
{
    char path[64 + sizeof(((struct dirent *)0)->d_name)];
    struct dirent *entry;
    int64_t sum = 0, own;
    DIR *dir;

    snprintf(path, sizeof path, "/proc/%d/task", pid);
    dir = opendir(path);
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        FILE *file;
        snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", pid,
                 entry->d_name);
        file = fopen(path, "re");
        if (file != NULL && fscanf(file, "%" SCNd64, &own) == 1)
            sum += own;
        if (file != NULL)
            fclose(file);
    }
    if (dir != NULL)
        closedir(dir);
    return sum;
}

/* Per cent of a core, and writes per second. */
static double
cpu_percent(struct terminal *t, double *writes)
{
    int64_t begin = clock_ns(), used = cpu_ns(t->pid);
    int count = 0;

    while (ms_since(begin) < WATCH_MS) {
        struct pollfd p = {.fd = t->fd, .events = POLLIN};
        if (poll(&p, 1, 10) > 0)
            count++;
        terminal_read(t, 0);
    }
    *writes = count * 1000.0 / WATCH_MS;
    return 100.0 * (double)(cpu_ns(t->pid) - used) /
           (double)(clock_ns() - begin);
}

/* Times a key until nothing more is written for a while. */
static double
key_ms(struct terminal *t, const char *key)
{
    struct pollfd p = {.fd = t->fd, .events = POLLIN};
    int64_t begin;
    double last = 0;

    usleep(40 * 1000);
    while (poll(&p, 1, 0) > 0)
        terminal_read(t, 0);
    begin = clock_ns();
    terminal_type(t, key);
    while (poll(&p, 1, last == 0 ? 5000 : 10) > 0) {
        terminal_read(t, 0);
        last = ms_since(begin);
    }
    return last;
}

static void
bench_key(struct terminal *t, const char *there, const char *back,
          const char *what)
{
    double times[KEYS];

    for (int i = 0; i < KEYS; i++)
        times[i] = key_ms(t, i % 2 == 0 ? there : back);
    report(what, median(times, KEYS), 5, "ms");
    report("  the slowest", times[KEYS - 1], 0, "ms");
}

static void
bench_memory(const struct terminal *t, double goal, const char *what)
{
    char path[64], line[256];
    long kb = 0;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/status", t->pid);
    file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "VmHWM: %ld", &kb) == 1)
            break;
    if (file != NULL)
        fclose(file);
    report(what, (double)kb / 1024, goal, "MiB");
}

/* Keys, and what waiting and playing take of a core. */
static void
bench_run(int columns, int rows, const char *ranks, const char *begun)
{
    struct terminal t;
    char what[80];
    double writes;

    start(&t, columns, rows, ranks);
    terminal_shows(&t, begun);
    snprintf(what, sizeof what, "a key (another GPU), %s ranks at %dx%d",
             ranks, columns, rows);
    bench_key(&t, "\t", "\033[Z", what);
    snprintf(what, sizeof what, "a key (another step), %s ranks at %dx%d",
             ranks, columns, rows);
    bench_key(&t, "2g", "1g", what);
    terminal_settle(&t);
    report("idle, per cent of a core", cpu_percent(&t, &writes), 0.1, "%");
    terminal_type(&t, "0g---p");
    report("60 frames a second, per cent of a core",
           cpu_percent(&t, &writes), 5, "%");
    report("  of them changed something", writes, 0, "");
    terminal_type(&t, "G");
    terminal_shows(&t, "correct");
    bench_memory(&t, 0, "peak memory");
    quit(&t);
}

/* Times a lesson with its worker, up to its first page; and the menu, which
 * asks every lesson for its title. */
static void
bench_lessons(void)
{
    double lesson[STARTS], menu[STARTS], writes;
    struct terminal t;

    for (int i = 0; i < STARTS; i++) {
        struct buf written = {0};
        int64_t begin = clock_ns();
        terminal_run(&t, 80, 24, "learn ring-allreduce");
        wait_for(&t, &written, "go on");
        lesson[i] = ms_since(begin);
        buf_clear(&written);
        quit(&t);
        begin = clock_ns();
        terminal_run(&t, 80, 24, "learn");
        wait_for(&t, &written, "Broadcast"); /* is there once all are read */
        menu[i] = ms_since(begin);
        buf_done(&written);
        quit(&t);
    }
    report("a lesson's first page", median(lesson, STARTS), 30, "ms");
    report("the menu of lessons", median(menu, STARTS), 0, "ms");
    terminal_run(&t, 80, 24, "learn ring-allreduce");
    terminal_shows(&t, "go on");
    terminal_type(&t, "\r");
    terminal_shows(&t, "A box is a GPU");
    terminal_settle(&t);
    report("a lesson pausing, per cent of a core", cpu_percent(&t, &writes),
           0.1, "%");
    bench_memory(&t, 0, "peak memory of a lesson");
    quit(&t);
}

static void
bench_large(void)
{
    struct terminal t;

    bench_start("1000", 1);
    start(&t, 80, 24, "1000");
    terminal_shows(&t, "step 0/1998");
    terminal_type(&t, "1000g");
    terminal_shows(&t, "step 1000/1998");
    bench_key(&t, "\t", "\033[Z", "a key (another GPU), 1000 ranks");
    bench_key(&t, "999g", "1000g", "a key (another step), 1000 ranks");
    bench_memory(&t, 0, "peak memory half way, 1000 ranks");
    terminal_type(&t, "G");
    terminal_shows(&t, "correct");
    bench_memory(&t, 0, "peak memory at the end, 1000 ranks");
    quit(&t);
}

int
main(void)
{
    terminal_begin();
    bench_start("3", STARTS);
    bench_run(80, 24, "3", "step 0/4");
    bench_run(200, 60, "8", "step 0/14");
    bench_lessons();
    bench_large();
    lab_remove();
    return 0;
}
