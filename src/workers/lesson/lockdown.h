/* SPDX-License-Identifier: MIT */
/* Takes from this process for good what no script needs: files, the network,
 * other processes, programs.  A script cannot reach them anyway (lesson.c); the
 * locks stop one that has broken out of Lua.
 *
 * All descriptors but standard input, output and error are closed.  Then come
 * the locks and, before the last of them, limits: no more descriptors, no more
 * processes, no core.  If the kernel lacks a lock, or a container forbids it,
 * the process goes on without it.
 *
 *     struct lockdown l;
 *     lockdown(&l);
 *     if (l.missing[LOCK_SECCOMP] == 0) ... it holds
 *
 * The address and the thread sanitizer, and valgrind, need more than a script
 * does: with them there are no locks but the first, and no limits.  The list of
 * system calls is for 64-bit x86, Arm, RISC-V and POWER; elsewhere there is no
 * seccomp. */
#ifndef WORKERS_LESSON_LOCKDOWN_H
#define WORKERS_LESSON_LOCKDOWN_H

enum lock {
    LOCK_PRIVILEGES, /* no_new_privs: no program gives it more rights */
    LOCK_LANDLOCK,   /* no file can be opened, made, removed or executed; by
                      * version, no TCP, no signal to another process */
    LOCK_SECCOMP,    /* no system call but those that a script needs */
    LOCKS
};

/* Why a lock does not hold, besides an errno of the kernel's. */
enum { LOCK_IDLE = -1, /* it was set, and what it forbids still worked */
       LOCK_LEFT_OUT = -2 /* see above */ };

struct lockdown {
    int missing[LOCKS]; /* 0: it holds, which was tried */
};

void lockdown(struct lockdown *l);

#endif
