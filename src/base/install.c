/* SPDX-License-Identifier: MIT */
#include "base/install.h"

#include <libgen.h>
#include <stdio.h>
#include <unistd.h>

static const struct {
    const char *relative[INSTALL_PLACES - 1]; /* to the program's folder */
    const char *configured;
} folders[] = {
    [INSTALL_PROGRAMS] = {{".", "../libexec/collviz"}, PKGLIBEXECDIR},
    [INSTALL_LESSONS] = {{"../lessons", "../share/collviz/lessons"},
                         PKGDATADIR "/lessons"},
    [INSTALL_CATALOGUES] = {{"../locale", "../share/locale"}, LOCALEDIR},
    [INSTALL_LOCALES] = {{"../lib/locale", "../lib/locale"},
                         "/usr/lib/locale"},
    [INSTALL_TERMINALS] = {{"../share/terminfo", "../share/terminfo"},
                           "/usr/share/terminfo"},
    [INSTALL_FONTS] = {{"../share/collviz/fonts/fonts.conf",
                        "../share/collviz/fonts/fonts.conf"},
                       PKGDATADIR "/fonts/fonts.conf"},
};

bool
install_folder(enum install_what what, int place, char path[PATH_MAX])
{
    char exe[PATH_MAX];
    ssize_t length;

    if (place == INSTALL_PLACES - 1)
        return snprintf(path, PATH_MAX, "%s", folders[what].configured) <
               PATH_MAX;
    length = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (length <= 0)
        return false;
    exe[length] = '\0';
    return snprintf(path, PATH_MAX, "%s/%s", dirname(exe),
                    folders[what].relative[place]) < PATH_MAX;
}
