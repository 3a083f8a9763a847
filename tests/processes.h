/* SPDX-License-Identifier: MIT */
/* Processes, as proc(5) shows them, and signals to them: pgrep and its like are
 * not installed everywhere.  For scripts there is tests/processes.sh. */
#ifndef TESTS_PROCESSES_H
#define TESTS_PROCESSES_H

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

#define PROCESSES_UNUSED __attribute__((unused))

/* Tests send every signal through this or the next function.  0 and -1, which
 * stand for a process that was not found, are many processes to kill(2): the
 * tests, make and whatever started them. */
PROCESSES_UNUSED static void
process_signal(pid_t pid, int number)
{
    if (pid <= 0) {
        fprintf(stderr, "# signal %d to process %d\n", number, (int)pid);
        abort();
    }
    kill(pid, number);
}

/* To a whole group, which has the number of its leader. */
PROCESSES_UNUSED static void
process_signal_group(pid_t leader, int number)
{
    if (leader <= 1) {
        fprintf(stderr, "# signal %d to group %d\n", number, (int)leader);
        abort();
    }
    kill(-leader, number);
}

/* Gets the parent of a process and its state. Returns false if it is gone. */
static bool
process_stat(pid_t pid, pid_t *parent, char *state)
{
    char path[64];
    FILE *file;
    bool found;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    file = fopen(path, "re");
    found = file != NULL &&
            fscanf(file, "%*d (%*[^)]) %c %d", state, parent) == 2;
    if (file != NULL)
        fclose(file);
    return found;
}

/* Whether a process runs; a zombie does not. */
PROCESSES_UNUSED static bool
process_lives(pid_t pid)
{
    pid_t parent;
    char state;

    return process_stat(pid, &parent, &state) && state != 'Z';
}

/* Counts the processes that descend from a process, and sets the first `most`
 * of them, from `count` on. */
PROCESSES_UNUSED static int
process_descendants(pid_t of, pid_t *found, int most, int count)
{
    DIR *proc = opendir("/proc");
    struct dirent *entry;

    while (proc != NULL && (entry = readdir(proc)) != NULL) {
        pid_t pid = (pid_t)atoi(entry->d_name), parent;
        char state;
        if (pid > 0 && process_stat(pid, &parent, &state) && parent == of &&
            state != 'Z') {
            if (count < most)
                found[count] = pid;
            count = process_descendants(pid, found, most, count + 1);
        }
    }
    if (proc != NULL)
        closedir(proc);
    return count;
}

/* The first child of a process; 0 if it has none. */
PROCESSES_UNUSED static pid_t
process_child(pid_t parent)
{
    pid_t child = 0;

    process_descendants(parent, &child, 1, 0);
    return child;
}

#endif
