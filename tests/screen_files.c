/* SPDX-License-Identifier: MIT */
/* The files that collviz writes from a screen: recordings, and pictures with
 * the key w. */
#include <sys/stat.h>

#include "screen_run.h"

static const char *
slurp(const char *path, struct buf *out)
{
    FILE *file = fopen(path, "re");
    int c;

    while (file != NULL && (c = getc(file)) != EOF)
        buf_putc(out, (char)c);
    if (file != NULL)
        fclose(file);
    return buf_text(out);
}

/* A recording that begins in the middle, while an earlier step is shown, has
 * everything. */
static void
test_record(void)
{
    static char path[] = "screen-test.jsonl";
    char keys[64];
    struct terminal t;
    struct buf text = {0}, again = {0};
    char *argv[] = {program(), (char *)"replay", path, NULL};

    unlink(path);
    start(&t, 80, 24, "3", NULL, NULL);
    terminal_shows(&t, "step 0/4");
    go(&t, "2");
    terminal_shows(&t, "step 2/4");
    terminal_type(&t, "w/no/such/place.jsonl\r");
    ok(terminal_shows(&t, "! cannot write"),
       "a folder that does not exist is an error");
    snprintf(keys, sizeof keys, "\025%s\r", path);
    terminal_type(&t, keys);
    ok(terminal_shows(&t, "being written"), "a recording is begun");
    terminal_type(&t, "wother.jsonl\r");
    ok(terminal_shows(&t, "is being written already"), "one at a time");
    terminal_type(&t, "\033G");
    terminal_shows(&t, "every element");
    terminal_type(&t, "q");
    terminal_wait(&t);
    terminal_done(&t);
    slurp(path, &text);
    ok(strncmp(buf_text(&text), "{\"type\":\"run\"", 13) == 0 &&
           strstr(buf_text(&text), "\"complete\":true") != NULL,
       "it has the beginning and the end");

    terminal_start(&t, 80, 24, argv);
    ok(terminal_shows(&t, "step 0/4"), "and is replayed");
    ok(terminal_shows(&t, "replay ring all-reduce"),
       "and says so in its title");
    terminal_type(&t, "G");
    ok(terminal_shows(&t, "every element"), "to the end");
    terminal_type(&t, "a");
    ok(terminal_shows(&t, "cannot be changed"), "a recording stays as it is");
    unlink(path);
    terminal_type(&t, "w");
    terminal_type(&t, path);
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "written to"), "and can be written again");
    terminal_type(&t, "q");
    terminal_wait(&t);
    terminal_done(&t);
    is_int((int)strlen(slurp(path, &again)), (int)text.length,
           "with as much in it, step by step");
    buf_done(&again);
    unlink(path);
    buf_done(&text);
}

/* w writes only what it knows, to regular files, and asks before it replaces
 * one. */
static void
test_write_refused(void)
{
    static const char path[] = "screen-test.svg", pipe[] = "screen-test.cast";
    struct terminal t;
    struct buf text = {0};
    FILE *file = fopen(path, "we");

    fputs("precious", file);
    fclose(file);
    unlink(pipe);
    mkfifo(pipe, 0600);
    start(&t, 80, 24, "3", NULL, NULL);
    terminal_shows(&t, "step 0/4");
    terminal_type(&t, "wscreen-test.png\r");
    ok(terminal_shows(&t, "! screen-test.png: the name of a file must end in "
                          ".jsonl, .svg"),
       "an ending that w does not know is refused, with those that it knows");
    ok(access("screen-test.png", F_OK) != 0, "and nothing is written");
    terminal_type(&t, "\025screen-test.cast\r");
    ok(terminal_shows(&t, "not a regular file"),
       "a pipe is refused, which would wait for a reader");
    terminal_type(&t, "\025screen-test.svg\r");
    ok(terminal_shows(&t, "Enter again replaces it"),
       "a file that exists is not replaced without a question");
    terminal_type(&t, "\033");
    terminal_shows(&t, "back");
    terminal_type(&t, "wscreen-test.svg\r");
    ok(terminal_shows(&t, "Enter again replaces it"),
       "which is asked again the next time");
    is_str(slurp(path, &text), "precious", "the file is what it was");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "written to screen-test.svg"), "Enter replaces it");
    buf_clear(&text);
    ok(strstr(slurp(path, &text), "<svg") != NULL, "by the picture");
    terminal_type(&t, "q");
    terminal_wait(&t);
    terminal_done(&t);
    unlink(path);
    unlink(pipe);
    buf_done(&text);
}

/* w writes what is on the screen, or a film; the name says which. */
static void
test_publish(void)
{
    static const char picture[] = "screen-test.svg", film[] =
        "screen-test.cast";
    struct terminal t;
    struct buf svg = {0}, cast = {0};

    unlink(picture);
    unlink(film);
    unlink("screen-test.gif");
    start(&t, 80, 24, "3", NULL, NULL);
    terminal_shows(&t, "step 0/4");
    terminal_type(&t, "vvG");
    terminal_shows(&t, "every element");
    go(&t, "2");
    terminal_shows(&t, "step 2/4");
    terminal_type(&t, "wscreen-test.svg\r");
    ok(terminal_shows(&t, "written to screen-test.svg"), "w writes a picture");
    terminal_type(&t, "wscreen-test.cast\r");
    ok(terminal_shows(&t, "written to screen-test.cast"), "or a film");
    ok(terminal_shows(&t, "step 2/4"), "and the screen stays as it was");
    terminal_type(&t, "wscreen-test.gif\r");
    ok(terminal_shows(&t, "screen-test.gif"), "or as a GIF, if there are any");
    terminal_type(&t, "\033w/no/such/place.svg\r");
    ok(terminal_shows(&t, "! cannot write /no/such/place.svg"),
       "a folder that does not exist is an error");
    terminal_type(&t, "\033q");
    terminal_wait(&t);
    terminal_done(&t);
    slurp(picture, &svg);
    ok(strstr(buf_text(&svg), ">step 2/4<") != NULL &&
           strstr(buf_text(&svg), "every element") == NULL,
       "the picture has the step that was shown");
    ok(strstr(buf_text(&svg), "\xe2\x95\xad") == NULL,
       "in the view that was shown, which has no frames");
    ok(strstr(buf_text(&svg), ">back<") == NULL &&
           strstr(buf_text(&svg), "written") == NULL,
       "without keys and messages");
    slurp(film, &cast);
    ok(strstr(buf_text(&cast), "step 0/4") != NULL &&
           strstr(buf_text(&cast), "correct") != NULL,
       "the film has the whole run");
    unlink(picture);
    unlink(film);
    unlink("screen-test.gif");
    buf_done(&svg);
    buf_done(&cast);
}

int
main(void)
{
    terminal_or_skip();
    screen_begin();
    test_record();
    test_publish();
    test_write_refused();
    lab_remove();
    return done_testing();
}
