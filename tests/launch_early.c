/* SPDX-License-Identifier: MIT */
/* collviz-launch that is killed before the launcher it has forked asks to die
 * with it: the launcher does not begin. */
#define main launch_main
int launch_main(int argc, char *argv[]);
#include "workers/launch/launch.c"
#undef main

#include "dies_early.h"
#include "tap.h"

/* What a launcher says that is to say "begun". */
static void
launch(bool early, char said[16])
{
    char *argv[] = {(char *)"launch", (char *)"there", (char *)"echo",
                    (char *)"begun", NULL};
    ssize_t length;
    size_t n = 0;
    int ends[2];
    pid_t pid;

    if (pipe(ends) != 0 || (pid = fork()) < 0)
        exit(99);
    if (pid == 0) {
        dies_early = early ? getpid() : 0;
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        _exit(launch_main(4, argv));
    }
    close(ends[1]);
    while (n < 15 && (length = read(ends[0], said + n, 15 - n)) > 0)
        n += (size_t)length;
    said[n] = '\0';
    close(ends[0]);
    waitpid(pid, NULL, 0);
}

int
main(void)
{
    char said[16];

    launch(false, said);
    is_str(said, "begun\n", "a launcher begins");
    launch(true, said);
    is_str(said, "", "but not after collviz-launch has died");
    return done_testing();
}
