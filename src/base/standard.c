/* SPDX-License-Identifier: MIT */
#include "base/standard.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/err.h"

void
standard_open(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd)
            die("there is no /dev/null to stand for a closed descriptor %d",
                fd);
}
