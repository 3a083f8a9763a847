/* SPDX-License-Identifier: MIT */
#include "base/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/signals.h"

enum { LINKS_MOST = 40 };

struct replace {
    FILE *file;
    int fd;
    int error;    /* errno of the first write that failed; 0: none */
    char *path;   /* after following links */
    char *beside; /* the file that is written; NULL: `path` itself */
    struct undo undo;
};

static bool
set_reason(struct err *why)
{
    return err_set(why, "%s", strerror(errno));
}

/* Writes everything, or keeps the reason, which ferror() would lose. */
static ssize_t
write_all(void *state, const char *bytes, size_t size)
{
    struct replace *r = state;
    size_t done = 0;

    while (done < size && r->error == 0) {
        ssize_t n = write(r->fd, bytes + done, size - done);
        done += n > 0 ? (size_t)n : 0;
        if (n < 0 && errno != EINTR)
            r->error = errno;
    }
    return (ssize_t)done;
}

/* The target of a link at `path`; NULL if it is not a link. */
static char *
link_target(const char *path)
{
    char target[PATH_MAX], *copy;
    ssize_t length = readlink(path, target, sizeof target - 1);
    OWN(buf) all = {0};

    if (length < 0)
        return NULL;
    target[length] = '\0';
    copy = mem_string(path);
    if (target[0] != '/')
        buf_addf(&all, "%s/", dirname(copy));
    buf_puts(&all, target);
    free(copy);
    copy = mem_string(buf_text(&all));
    return copy;
}

static void
remove_beside(void *state)
{
    unlink(state);
}

/* The undo comes before the file: another thread may handle a signal that is
 * blocked here. */
static int
open_beside(struct replace *r, mode_t mode)
{
    OWN(buf) name = {0};
    sigset_t before;
    int fd;

    buf_addf(&name, "%s.XXXXXX", r->path);
    r->beside = mem_string(buf_text(&name));
    r->undo = (struct undo){remove_beside, r->beside};
    signals_block(&before);
    signals_add_undo(&r->undo);
    fd = mkostemp(r->beside, O_CLOEXEC);
    if (fd >= 0)
        fchmod(fd, mode);
    else
        signals_remove_undo(&r->undo);
    signals_unblock(&before);
    return fd;
}

/* Returns a descriptor to write to, or -1 with the reason.  Links are followed
 * like realpath(3) does, but the file need not exist. */
static int
open_for(struct replace *r, const char *path, mode_t mode, struct err *why)
{
    struct stat st, out;
    bool there = stat(path, &st) == 0;
    mode_t mask = umask(0);
    char *next;
    int fd = -1;

    umask(mask);
    if (there && S_ISREG(st.st_mode) && fstat(STDOUT_FILENO, &out) == 0 &&
        out.st_dev == st.st_dev && out.st_ino == st.st_ino) {
        err_set(why, "standard output goes there");
        return -1;
    }
    if (there && !S_ISREG(st.st_mode)) {
        fd = open(path, O_WRONLY | O_CLOEXEC);
    } else if (there ? access(path, W_OK) == 0 : errno == ENOENT) {
        r->path = mem_string(path);
        for (int i = 0;
             i < LINKS_MOST && (next = link_target(r->path)) != NULL; i++) {
            free(r->path);
            r->path = next;
        }
        fd = open_beside(r, there ? st.st_mode & 07777 : mode & ~mask);
    }
    if (fd < 0)
        set_reason(why);
    return fd;
}

static void
free_replace(struct replace *r)
{
    signals_remove_undo(&r->undo);
    free(r->beside);
    free(r->path);
    free(r);
}

struct replace *
replace_open(const char *path, mode_t mode, struct err *why)
{
    struct replace *r = mem_new(1, sizeof *r);

    r->fd = open_for(r, path, mode, why);
    if (r->fd < 0) {
        free_replace(r);
        return NULL;
    }
    r->file = fopencookie(r, "w",
                          (cookie_io_functions_t){.write = write_all});
    if (r->file == NULL)
        die("out of memory");
    return r;
}

FILE *
replace_file(struct replace *r)
{
    return r->file;
}

int
replace_fd(const struct replace *r)
{
    return r->fd;
}

/* Whether everything was written to the file and, if `lasts`, to the disk;
 * closes the stream, not the file. */
static bool
is_all_written(struct replace *r, bool lasts)
{
    fclose(r->file);
    errno = r->error;
    return r->error == 0 && (!lasts || fsync(r->fd) == 0);
}

bool
replace_close(struct replace *r, bool keep, struct err *why)
{
    bool moves = keep && r->beside != NULL;
    bool ok = is_all_written(r, moves) || set_reason(why);

    if (close(r->fd) != 0 && ok)
        ok = set_reason(why);
    if (ok && moves && rename(r->beside, r->path) != 0)
        ok = set_reason(why);
    if (r->beside != NULL && !(ok && keep))
        unlink(r->beside);
    free_replace(r);
    return ok;
}
