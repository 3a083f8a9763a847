/* SPDX-License-Identifier: MIT */
/* A process that dies just before its child asks to die with it. */
#ifndef TESTS_DIES_EARLY_H
#define TESTS_DIES_EARLY_H

#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "processes.h"

/* Set in that process to its own id. */
static pid_t dies_early;

/* In place of libc's. */
int
prctl(int option, ...)
{
    va_list rest;
    int value;

    va_start(rest, option);
    value = va_arg(rest, int);
    va_end(rest);
    if (option == PR_SET_PDEATHSIG && dies_early > 0 &&
        getppid() == dies_early) {
        process_signal(dies_early, SIGKILL);
        while (getppid() == dies_early)
            usleep(1000);
    }
    return (int)syscall(SYS_prctl, option, value, 0, 0, 0);
}

#endif
