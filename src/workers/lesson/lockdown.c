/* SPDX-License-Identifier: MIT */
#include "workers/lesson/lockdown.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* Whether a tool that needs more than a script does runs in this process: then
 * only the first lock is set. */
static bool
is_examined(void)
{
    const char *preloaded = getenv("LD_PRELOAD");

    return SANITIZED ||
           (preloaded != NULL && strstr(preloaded, "vgpreload") != NULL);
}

/* The first argument of a filter says for which of these its numbers are. */
#if defined(__x86_64__) && defined(__LP64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && defined(__LP64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCHITECTURE AUDIT_ARCH_RISCV64
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define ARCHITECTURE AUDIT_ARCH_PPC64LE
#endif

/* Limits ------------------------------------------------------------------ */

static void
close_foreign(void)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0) == 0)
        return;
#endif
    for (int fd = STDERR_FILENO + 1; fd < 1024; fd++) /* before Linux 5.9 */
        close(fd);
}

static void
set_limits(void)
{
    static const struct {
        int what;
        rlim_t most;
    } limits[] = {
        {RLIMIT_AS, 512 << 20},
        {RLIMIT_CORE, 0},
        {RLIMIT_NOFILE, STDERR_FILENO + 1},
        {RLIMIT_NPROC, 0},
    };

    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        setrlimit(limits[i].what,
                  &(struct rlimit){limits[i].most, limits[i].most});
}

/* The locks --------------------------------------------------------------- */

/* Returns why it does not hold, as the others do. */
static int
drop_privileges(void)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return errno;
    return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : LOCK_IDLE;
}

/* The header of the machine that builds it may be older than the kernel. */
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_restrict_self 446
#endif
struct landlock_rules {
    uint64_t files, ports, scopes;
};
enum { ASKS_VERSION = 1 };

/* Denies all that the kernel's version of Landlock can, with no exception. */
static int
lock_files(void)
{
    /* Each version has these more than the one before. */
    static const struct landlock_rules by_version[] = {
        {0x1fff, 0, 0}, /* open, execute, list, make, remove */
        {0x2000, 0, 0}, /* link and rename */
        {0x4000, 0, 0}, /* truncate */
        {0, 3, 0},      /* TCP: bind, connect */
        {0x8000, 0, 0}, /* ioctl */
        {0, 0, 3},      /* abstract sockets, signals */
    };
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, ASKS_VERSION);
    struct landlock_rules rules = {0};
    int ruleset, opened, why = 0;

    for (int i = 0; i < version && i < 6; i++) {
        rules.files |= by_version[i].files;
        rules.ports |= by_version[i].ports;
        rules.scopes |= by_version[i].scopes;
    }
    if (version < 0)
        return errno;
    ruleset = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof rules,
                           0);
    if (ruleset < 0)
        return errno;
    if (syscall(SYS_landlock_restrict_self, ruleset, 0) != 0)
        why = errno;
    close(ruleset);
    if (why == 0 && (opened = open("/", O_RDONLY | O_CLOEXEC)) >= 0) {
        close(opened);
        why = LOCK_IDLE;
    }
    return why;
}

#ifdef ARCHITECTURE
/* Calls for memory, the timer and the end; and for reading and writing, for
 * which there are three descriptors. */
static const int allowed[] = {
    SYS_read,           SYS_write,        SYS_brk,
    SYS_munmap,         SYS_mremap,       SYS_madvise,
    SYS_futex,          SYS_setitimer,    SYS_rt_sigreturn,
    SYS_rt_sigprocmask, SYS_clock_gettime, SYS_restart_syscall,
    SYS_exit,           SYS_exit_group,
};

/* Calls that are allowed, but not for memory that can be executed. */
static const int allowed_without_code[] = {SYS_mmap, SYS_mprotect};

/* The calls that are not in the list fail with EPERM, since a C library tries
 * some that it can do without. */
static int
lock_calls(void)
{
    enum { MOST = 128 };
    const struct sock_filter
        allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        refuse = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    struct sock_filter code[MOST] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    };
    struct sock_fprog program = {.len = 4, .filter = code};

#define ADD(...) code[program.len++] = (struct sock_filter)__VA_ARGS__
    for (size_t i = 0; i < sizeof allowed / sizeof allowed[0]; i++) {
        ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)allowed[i], 0, 1));
        ADD(allow);
    }
    for (size_t i = 0; i < 2; i++) {
        ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                     (uint32_t)allowed_without_code[i], 0, 4));
        ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                     offsetof(struct seccomp_data, args[2])));
        ADD(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0));
        ADD(allow);
        ADD(refuse);
    }
    ADD(refuse);
#undef ADD
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0)
        return errno;
    return syscall(SYS_getppid) < 0 ? 0 : LOCK_IDLE;
}
#endif

void
lockdown(struct lockdown *l)
{
    close_foreign();
    *l = (struct lockdown){.missing = {drop_privileges(), LOCK_LEFT_OUT,
                                       LOCK_LEFT_OUT}};
    if (is_examined())
        return;
    l->missing[LOCK_LANDLOCK] = lock_files(); /* opens a descriptor */
    set_limits();
#ifdef ARCHITECTURE
    l->missing[LOCK_SECCOMP] = lock_calls(); /* forbids the rest */
#endif
}
