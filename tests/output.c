/* SPDX-License-Identifier: MIT */
/* What is written of names and texts of others: every file of
 * tests/corpus-output, from which tests/fuzz_output.c starts, too.  What is
 * read in their place: tests/golden/recordings.cmds. */
#include <dirent.h>
#include <errno.h>

#include "harmless.h"
#include "tap.h"

static int outputs, harmful;

static void
see(enum output kind, const struct buf *made)
{
    long code;

    outputs++;
    if (harmless(kind, made, &code))
        return;
    harmful++;
    diag("output %d has %lx in it:\n%s", kind, (unsigned long)code,
         buf_text(made));
}

static void
slurp(const char *name, struct buf *out)
{
    const char *srcdir = getenv("srcdir");
    OWN(buf) path = {0};
    FILE *file;
    int c;

    buf_addf(&path, "%s/tests/corpus-output/%s", srcdir != NULL ? srcdir : ".",
             name);
    file = fopen(buf_text(&path), "re");
    while (file != NULL && (c = getc(file)) != EOF)
        buf_putc(out, (char)c);
    if (file != NULL)
        fclose(file);
}

static void
test_file(const char *name)
{
    OWN(buf) data = {0}, stream = {0};

    outputs = harmful = 0;
    slurp(name, &data);
    if (buf_text(&data)[0] == '{')
        ok(outputs_of_recording(buf_text(&data), data.length, see, &stream),
           "%s is a recording", name);
    else
        outputs_of_text(buf_text(&data), see);
    ok(outputs > 5 && harmful == 0, "%s: %d outputs, all harmless", name,
       outputs);
}

static void
test_files(void)
{
    const char *srcdir = getenv("srcdir");
    OWN(buf) path = {0};
    struct dirent *entry;
    DIR *folder;
    int files = 0;

    buf_addf(&path, "%s/tests/corpus-output", srcdir != NULL ? srcdir : ".");
    folder = opendir(buf_text(&path));
    while (folder != NULL && (entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.') {
            test_file(entry->d_name);
            files++;
        }
    if (folder != NULL)
        closedir(folder);
    ok(files >= 4, "there are files to look at");
}

/* The recording in which all names are one name. */
static void
test_every_name(void)
{
    static const char *const names[] = {
        "", "ring", "\033[2J\xe2\x80\x8e", "a\nb", "\xf3\xa0\x81\x81\xc2\x9b",
        "\xef\xbb\xbf\xd8\x9c\xe2\x80\x8b\x7f"};
    OWN(buf) data = {0}, stream = {0};

    for (size_t i = 0; i < 2 * sizeof names / sizeof names[0]; i++) {
        outputs = harmful = 0;
        buf_clear(&data);
        buf_clear(&stream);
        recording_with(names[i / 2], i % 2 == 0, &data);
        ok(outputs_of_recording(buf_text(&data), data.length, see, &stream) &&
               strstr(buf_text(&stream), "\"end\"") != NULL,
           "name %zu of all: it is a recording", i / 2);
        ok(outputs > 20 && harmful == 0, "and harmless");
    }
}

/* The judge itself is tested. */
static void
test_harmless(void)
{
    static const char *const bad[] = {"\033", "\x7f", "\xc2\x80", "\xff",
                                      "\xe2\x80\x8f", "\xd8\x9c",
                                      "\xe2\x80\x8b", "\xef\xbb\xbf",
                                      "\xf3\xa0\x81\x81", "\xed\xa0\x80",
                                      "\xc0\x80", "\xe4\xb8"};
    OWN(buf) made = {0};
    long code;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        buf_clear(&made);
        buf_puts(&made, bad[i]);
        ok(!harmless(OUTPUT_TEXT, &made, &code), "the judge sees %zu", i);
    }
    buf_clear(&made);
    buf_puts(&made, "[\"\\u202e\"]\n");
    ok(harmless(OUTPUT_STREAM, &made, &code), "a recording may have escapes");
    ok(!harmless(OUTPUT_TRACE, &made, &code), "which a trace may not");
    buf_clear(&made);
    buf_puts(&made, "[\"\\u001b[2J\\u001b]0;x\"]\n");
    ok(!harmless(OUTPUT_CAST, &made, &code),
       "an asciicast may not, except its own");
    buf_clear(&made);
    buf_puts(&made,
             "[\"\\u001b[2Jx\"]\n[\"\\u001b[0;38;2;1;2;3m\\u001b[?25l\"]\n");
    ok(harmless(OUTPUT_CAST, &made, &code), "whose own it may have");
}

int
main(void)
{
    test_harmless();
    test_files();
    test_every_name();
    return done_testing();
}
