/* SPDX-License-Identifier: MIT */
/* A lesson before a class: the time that its status states, and its place and
 * notes, as another process reads them from presenting.json, which may hold
 * anything. */
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/language.h"
#include "lab.h"
#include "lesson/podium.h"
#include "syncs.h"
#include "tap.h"

enum { MINUTE_S = 60 };
static const int64_t second = 1000000000;

static void
says(const struct place *place, int64_t now_s, const char *want)
{
    OWN(buf) text = {0};

    podium_add_status(place, now_s * second, &text);
    is_str(buf_text(&text), want, "after %d s", (int)now_s);
}

static void
test_status(void)
{
    struct place place = {.lesson = NULL};
    struct lecture lecture = {.began_ns = 1000 * second, .minutes = 20,
                              .before = 5, .here = 10};

    says(&place, 1000, "");
    place.think_until_ns = 1030 * second;
    says(&place, 1000, "0:30 to think");
    says(&place, 1029, "0:01 to think");
    says(&place, 940, "1:30 to think");
    says(&place, 1030, "time is up");
    place.think_until_ns = 0;
    place.lecture = lecture;
    says(&place, 1000, "20 min left, 5 ahead");
    says(&place, 1000 + 5 * MINUTE_S, "15 min left");
    says(&place, 1000 + 7 * MINUTE_S, "13 min left, 2 behind");
    place.progress = 0.5;
    says(&place, 1000 + 8 * MINUTE_S, "12 min left, 2 ahead");
    says(&place, 1000 + 10 * MINUTE_S, "10 min left");
    says(&place, 1000 + 20 * MINUTE_S - 1, "1 min left, 10 behind");
    says(&place, 1000 + 20 * MINUTE_S, "0 min left, 10 behind");
    says(&place, 1000 + 22 * MINUTE_S, "2 min over, 12 behind");
    place.think_until_ns = 1000 * second;
    says(&place, 1000 + 10 * MINUTE_S, "time is up, 10 min left");
}

static struct podium *p; /* static: valgrind finds it in a child, too */

static const char *
podium_path(void)
{
    static char path[300];

    snprintf(path, sizeof path, "%s/collviz/presenting.json", lab);
    return path;
}

/* Looks from another process, because a lock does not keep its own process
 * out.  Whether it sees a lesson there that is at this page. */
static bool
sees_page(int page)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        struct place place;
        bool seen = podium_look(&place);
        _exit(seen ? place.page : 0);
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == page;
}

/* Whether another process sees this place with all its texts. */
static bool
sees(const struct place *want)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        struct place place;
        bool same = podium_look(&place) && place.page == want->page &&
                    place.number == want->number &&
                    strcmp(place.title, want->title) == 0 &&
                    strcmp(place.first, want->first) == 0 &&
                    strcmp(place.notes, want->notes) == 0;
        _exit(same);
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

static void
put_place(const char *text)
{
    FILE *file = fopen(podium_path(), "w");

    fputs(text, file);
    fclose(file);
}

#define PLACE_OF(texts, lesson, gpus, page, progress, until, lecture)          \
    "{\"version\":1," texts ",\"lesson\":" lesson ",\"gpus\":" gpus            \
    ",\"page\":" page ",\"progress\":" progress ",\"think_until_ns\":" until   \
    ",\"lecture\":" lecture "}"
#define TEXTS(number, title, first, notes)                                     \
    "\"number\":" number ",\"title\":" title ",\"first\":" first              \
    ",\"notes\":" notes
#define PLACE(...)                                                             \
    PLACE_OF(TEXTS("9", "\"t\"", "\"f\"", "\"n\""), __VA_ARGS__)
#define PLACE_WITH(texts)                                                      \
    PLACE_OF(texts, "\"/x.lua\"", "0", "3", "0.5", "0", LECTURE("0"))
#define LECTURE(began)                                                         \
    "{\"began_ns\":" began ",\"minutes\":1,\"before\":0,\"here\":1}"

static void
test_podium(void)
{
    static const char good[] = PLACE("\"/x.lua\"", "0", "3", "0.5", "0",
                                     LECTURE("0"));
    static const char landed[] = PLACE("\"/x.lua\"", "0", "3", "1", "0",
                                       LECTURE("0"));
    static const char *const bad[] = {
        "", "[]", "7", "{}", "{\"version\":1",
        PLACE("\"x.lua\"", "0", "3", "0.5", "0", LECTURE("0")),
        PLACE("\"/etc/passwd\"", "0", "3", "0.5", "0", LECTURE("0")),
        PLACE("\"/x\\u0000.lua\"", "0", "3", "0.5", "0", LECTURE("0")),
        PLACE("7", "0", "3", "0.5", "0", LECTURE("0")),
        PLACE("\"/x.lua\"", "-1", "3", "0.5", "0", LECTURE("0")),
        PLACE("\"/x.lua\"", "0", "3.0", "0.5", "0", LECTURE("0")),
        PLACE("\"/x.lua\"", "0", "4294967299", "0.5", "0", LECTURE("0")),
        PLACE("\"/x.lua\"", "0", "3", "1.001", "0", LECTURE("0")),
        PLACE("\"/x.lua\"", "0", "3", "\"\"", "0", LECTURE("0")),
        PLACE("\"/x.lua\"", "0", "3", "0.5", "9223372036854775807",
              LECTURE("0")),
        PLACE("\"/x.lua\"", "0", "3", "0.5", "0", LECTURE("-1")),
        PLACE("\"/x.lua\"", "0", "3", "0.5", "0", "[]"),
        PLACE_WITH(TEXTS("1000", "\"t\"", "\"f\"", "\"n\"")),
        PLACE_WITH(TEXTS("9", "null", "\"f\"", "\"n\"")),
        PLACE_WITH(TEXTS("9", "\"t\"", "7", "\"n\"")),
        PLACE_WITH(TEXTS("9", "\"t\"", "\"f\"", "[]")),
        PLACE_WITH(TEXTS("9", "\"t\"", "\"f\"", "\"\\ud800\"")),
        PLACE_WITH("\"number\":9"),
    };
    struct err err = {.text = ""};
    struct place place = {.lesson = lab, .page = 7, .title = (char *)"t",
                          .first = (char *)"f", .notes = (char *)"n"};

    p = podium_open(&err);
    ok(p != NULL, "the podium is taken: %s", err.text);
    podium_close(p);
    put_place(good); /* as one that was killed leaves it */
    p = podium_open(&err);
    ok(p != NULL && sees_page(0), "nothing is said there yet");
    place.lesson = (char *)"/none.lua";
    ok(!podium_put(p, &place, &err) &&
           strstr(err.text, "No such file") != NULL,
       "a lesson that is not there: %s", err.text);
    place.lesson = lab;
    ok(podium_put(p, &place, &err) && sees_page(0),
       "a lesson's name ends in .lua");
    is_int(syncs, 0, "the class does not wait for the disk");
    put_place(good);
    ok(sees_page(3), "a place is seen");
    put_place(landed);
    ok(sees_page(3), "also with all transfers at their end");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        put_place(bad[i]);
        ok(sees_page(0), "not understood: %s", bad[i]);
    }
    put_place(good);
    unlink(podium_path());
    ok(mkfifo(podium_path(), 0600) == 0 && sees_page(0), "a pipe is not read");
    unlink(podium_path());
    podium_close(p);
    put_place(good);
    ok(sees_page(0), "when nobody presents, what is left says nothing");
    unlink(podium_path());
}

/* The notes arrive as they are, also those of a lesson that has as long ones as
 * it may (lesson/script.h), in the characters that JSON writes longest. */
static void
test_texts(void)
{
    enum { LONGEST = 300000 };
    char lesson[300], *notes = malloc(LONGEST + 1);
    struct err err = {.text = ""};
    struct place place = {.lesson = lesson, .page = 7, .number = 10,
                          .title = (char *)"\342\234\223 \"t\"",
                          .first = (char *)"\033[31m",
                          .notes = (char *)"a\nb\tc\\ \344\270\255\177"};

    p = podium_open(&err);
    snprintf(lesson, sizeof lesson, "%s/x.lua", lab);
    fclose(fopen(lesson, "w"));
    ok(podium_put(p, &place, &err) && sees(&place), "notes are seen");
    memset(notes, 1, LONGEST);
    notes[LONGEST] = '\0';
    place.notes = notes;
    ok(podium_put(p, &place, &err) && sees(&place), "also long ones");
    podium_close(p);
    free(notes);
}

int
main(void)
{
    struct err err;

    language_init("en", &err);
    lab_make();
    test_status();
    test_podium();
    test_texts();
    lab_remove();
    return done_testing();
}
