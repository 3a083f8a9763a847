/* SPDX-License-Identifier: MIT */
/* The verb `code`: shows lines of a program in the folder code/ beside the
 * lesson, in the place of the picture. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "lesson/code.h"
#include "tutor/tutor.h"

enum {
    LINES_MOST = 14,   /* that fit above a page on 80x24 */
    COLUMNS_MOST = 80
};

/* A part of a program: whole lines. */
struct excerpt {
    const char *lines[LINES_MOST];
    int first; /* the number of lines[0], from 1 */
    int count;
    size_t indent; /* blanks that all lines begin with */
};

static bool
read_program(const char *lesson, const char *name, struct buf *text,
             struct err *err)
{
    return code_read(lesson, name, text, err) || err_prefix(err, "code");
}

/* Adds a line to the excerpt. Its newline has become a NUL. */
static bool
add_line(struct excerpt *e, const char *line, int number, struct err *err)
{
    size_t indent = strspn(line, " ");

    if (e->count == LINES_MOST)
        return err_set(err, "code: more than %d lines from line %d on",
                       LINES_MOST, e->first);
    if (e->count == 0)
        e->first = number;
    if (line[indent] != '\0' && (e->count == 0 || indent < e->indent))
        e->indent = indent;
    e->lines[e->count++] = line;
    return true;
}

/* Finds the lines from the first that contains `from` to the next that contains
 * `to`.  Cuts `text` into lines. */
static bool
find_lines(char *text, const char *from, const char *to, struct excerpt *e,
           struct err *err)
{
    char *line;

    for (int number = 1; (line = strsep(&text, "\n")) != NULL; number++) {
        if (e->count == 0 && strstr(line, from) == NULL)
            continue;
        if (!add_line(e, line, number, err))
            return false;
        if (strstr(line, to) != NULL)
            return true;
    }
    return err_set(err, "code: no line has '%s'", e->count > 0 ? to : from);
}

/* Adds a row.  Returns false if it is too long. */
static bool
add_row(struct buf *out, const char *text)
{
    utf8_pad(out, text, -COLUMNS_MOST);
    return utf8_columns(text) <= COLUMNS_MOST;
}

/* Adds rows of the same length: the file's name, then its lines. */
static bool
add_table(const struct excerpt *e, const char *name, struct buf *out,
          struct err *err)
{
    struct buf row = {0};
    bool fits;

    buf_addf(&row, "    %s", name);
    fits = add_row(out, buf_text(&row)) ||
           err_set(err, "code: the name of the file is too long");
    for (int i = 0; i < e->count && fits; i++) {
        size_t blanks = strspn(e->lines[i], " ");
        buf_clear(&row);
        buf_addf(&row, "%3d %s", e->first + i,
                 e->lines[i] + (blanks < e->indent ? blanks : e->indent));
        buf_putc(out, '\n');
        fits = add_row(out, buf_text(&row)) ||
               err_set(err, "code: line %d of %s is too long", e->first + i,
                       name);
    }
    buf_done(&row);
    return fits;
}

static bool
show_code(struct tutor *t, const char *name, const char *from, const char *to,
          struct err *err)
{
    struct buf text = {0}, table = {0};
    struct excerpt e = {.count = 0};
    bool ok = read_program(t->path, name, &text, err) &&
              find_lines(text.data, from, to, &e, err) &&
              add_table(&e, name, &table, err);

    if (ok)
        tutor_put_table(t, &table, NULL);
    buf_done(&table);
    buf_done(&text);
    return ok;
}

enum tutor_did
tutor_code(struct tutor *t, const struct request *r, json_t **reply,
           struct err *err)
{
    char *name = NULL, *from = NULL, *to = NULL;
    bool ok = script_text(r->with, "name", false, &name, err) &&
              script_text(r->with, "from", false, &from, err) &&
              script_text(r->with, "to", false, &to, err);

    ok = ok && show_code(t, name, from, to, err);
    free(name);
    free(from);
    free(to);
    *reply = json_true();
    return ok ? DID_REPLY : DID_REFUSE;
}
