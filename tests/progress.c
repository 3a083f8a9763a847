/* SPDX-License-Identifier: MIT */
/* What is kept of lessons: pages, answers, plans of reviews, under the name of
 * the lesson; the lock; and what cannot be read or written. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/language.h"
#include "lab.h"
#include "lesson/progress.h"
#include "lesson/shelf.h"
#include "patience.h"
#include "tap.h"

static char *
progress_path(void)
{
    static char path[300];

    snprintf(path, sizeof path, "%s/collviz/progress.json", lab);
    return path;
}

static void
put_file(const char *text)
{
    FILE *file = fopen(progress_path(), "w");

    fputs(text, file);
    fclose(file);
}

/* What is kept of a lesson; its page is -1 if nothing can be read. Its review
 * must not be looked at. */
static struct progress
kept(const char *lesson)
{
    struct err err;
    json_t *all = progress_read(&err);
    struct progress p = {.page = -1};

    if (all != NULL)
        p = progress_of(all, lesson);
    json_decref(all);
    return p;
}

static bool
keep(const char *lesson, int page, struct err *aside, struct err *err)
{
    struct progress played = {.page = page, .answers = json_array()};
    bool done = progress_keep(lesson, &played, NULL, NULL, aside, err);

    json_decref(played.answers);
    return done;
}

static void
test_progress(void)
{
    struct err aside, err = {.text = ""};
    enum { EACH = 50 };
    char name[32];
    int found = 0;
    pid_t child;

    is_int(kept("broadcast").page, 0, "nothing was done yet");
    ok(keep("broadcast", 3, &aside, &err), "a page is kept");
    is_int(kept("broadcast").page, 3, "and found again");
    ok(keep("scatter", 5, &aside, &err), "another lesson's page is kept, too");
    is_int(kept("broadcast").page, 3, "the first is not lost");

    /* Two programs at once: neither loses what the other has kept. */
    child = fork();
    for (int i = 0; i < EACH; i++) {
        snprintf(name, sizeof name, "%s-%d", child == 0 ? "child" : "parent",
                 i);
        keep(name, 1, &aside, &err);
        usleep(2000); /* no two people are faster */
    }
    if (child == 0)
        _exit(0);
    wait(NULL);
    for (int i = 0; i < 2 * EACH; i++) {
        snprintf(name, sizeof name, "%s-%d", i < EACH ? "child" : "parent",
                 i % EACH);
        found += kept(name).page;
    }
    is_int(found, 2 * EACH, "two programs at once lose nothing");

    ok(progress_forget("scatter", &aside, &err), "a lesson is forgotten");
    is_int(kept("scatter").page, 0, "and is gone");
    is_int(kept("broadcast").page, 3, "the other is not");
}

static void
is_plan(const json_t *all, const char *want)
{
    char *text = json_dumps(progress_of(all, "a").review, JSON_COMPACT);

    is_str(text, want, "the plan");
    free(text);
}

/* A lesson with this plan. */
static json_t *
planned(const char *plan)
{
    return json_pack("{s{s{so}}}", "lessons", "a", "review",
                     json_loads(plan, 0, NULL));
}

static void
end_review(json_t *all, int question, int round, time_t due,
           enum review_result result, time_t now)
{
    progress_ended(all, &(struct due){"a", false, question, round, due},
                   result, now);
}

/* What was missed comes back after 1, 3 and 7 days. */
static void
test_review(void)
{
    enum { DAY = 24 * 60 * 60 };
    json_t *all = planned("[]");
    struct due d = {0};

    ok(!progress_next(all, NULL, &d), "nothing is planned");
    json_decref(all);
    all = planned("[{\"question\":4,\"round\":1,\"due\":87400},"
                  "{\"question\":2,\"round\":1,\"due\":87900}]");
    is_int(progress_due(all, 1000), 0, "nothing is due at once");
    is_int(progress_due(all, 1000 + DAY), 1, "one after a day");
    is_int(progress_due(all, 2000 + DAY), 2, "and then the other");
    end_review(all, 4, 1, 87400, REVIEW_RIGHT, DAY);
    is_plan(all, "[{\"question\":4,\"round\":2,\"due\":345600},"
                 "{\"question\":2,\"round\":1,\"due\":87900}]");
    ok(progress_next(all, NULL, &d) && d.question == 2 && d.due == 87900,
       "the other is due first");
    end_review(all, 4, 1, 87400, REVIEW_MISSED, DAY);
    end_review(all, 4, 2, 345601, REVIEW_GONE, DAY);
    end_review(all, 5, 2, 345600, REVIEW_RIGHT, DAY);
    is_plan(all, "[{\"question\":4,\"round\":2,\"due\":345600},"
                 "{\"question\":2,\"round\":1,\"due\":87900}]");
    progress_ended(all, &d, REVIEW_GONE, DAY);
    end_review(all, 4, 2, 345600, REVIEW_RIGHT, 4 * DAY);
    is_plan(all, "[{\"question\":4,\"round\":3,\"due\":950400}]");
    end_review(all, 4, 3, 950400, REVIEW_MISSED, 11 * DAY);
    is_plan(all, "[{\"question\":4,\"round\":1,\"due\":1036800}]");
    for (int i = 0; i < 3; i++)
        if (progress_next(all, NULL, &d))
            progress_ended(all, &d, REVIEW_RIGHT, 11 * DAY);
    is_plan(all, "[]");
    json_decref(all);

    all = planned("[5,null,{},{\"question\":1,\"round\":9,\"due\":5},"
                  "{\"question\":-1,\"round\":1,\"due\":5},"
                  "{\"question\":1,\"round\":1,\"due\":\"x\"}]");
    ok(!progress_next(all, NULL, &d) && progress_due(all, 99) == 0,
       "a plan that is none");
    json_decref(all);
}

/* Compares what is kept of a lesson. */
static void
is_record(const char *lesson, const char *want, const char *name)
{
    struct err err;
    json_t *all = progress_read(&err);
    json_t *record = json_object_get(json_object_get(all, "lessons"), lesson);
    char *text = json_dumps(record, JSON_COMPACT | JSON_ENCODE_ANY);

    is_str(text != NULL ? text : "", want, "%s", name);
    free(text);
    json_decref(all);
}

#define NEW_RECORD                                                             \
    "{\"page\":2,\"answers\":[7],\"done\":false,\"passed\":false,"             \
    "\"asked\":0,\"right\":0,\"review\":[]}"

/* What a lesson has done changes only that in its record. */
static void
test_played(void)
{
    struct err aside, err = {.text = ""};
    struct progress played = {.page = 2, .answers = json_pack("[i]", 7)};

    put_file("{\"version\":1,\"lessons\":{\"a\":{\"page\":5,\"answers\":[1,2],"
             "\"done\":true,\"passed\":true,\"asked\":4,\"right\":3,"
             "\"review\":[{\"question\":3,\"round\":2,\"due\":9}]},"
             "\"b\":5}}");
    ok(progress_keep("a", &played, NULL, NULL, &aside, &err), "a page is kept");
    is_record("a", "{\"page\":2,\"answers\":[7],\"done\":true,"
              "\"passed\":true,\"asked\":4,\"right\":3,\"review\":["
              "{\"question\":3,\"round\":2,\"due\":9}]}",
              "which changes the page and the answers");
    is_record("b", "5", "of this lesson");
    progress_keep("b", &played, NULL, NULL, &aside, &err);
    is_record("b", NEW_RECORD, "what was no record becomes one");
    progress_forget("a", &aside, &err);
    progress_keep("a", &played, NULL, NULL, &aside, &err);
    is_record("a", NEW_RECORD, "what was forgotten stays forgotten");
    json_decref(played.answers);
}

/* The end of a lesson: the last score counts, but what was passed stays so. */
static void
test_played_to_the_end(void)
{
    struct err aside, err = {.text = ""};
    json_t *missed = json_pack("[ii]", 0, 3), *all;
    struct progress played = {.answers = json_array(), .done = true,
                              .asked = 10, .right = 6};
    time_t day = time(NULL) + 24 * 60 * 60;
    struct progress p;
    struct due d;

    put_file("{\"version\":1,\"lessons\":{\"a\":{\"passed\":true,"
             "\"review\":[{\"question\":3,\"round\":2,\"due\":9}]}}}");
    ok(progress_keep("a", &played, missed, NULL, &aside, &err),
       "an end is kept");
    all = progress_read(&err);
    p = progress_of(all, "a");
    ok(p.done && p.asked == 10 && p.right == 6, "with its score");
    ok(p.passed, "what was passed stays passed");
    is_int((int)json_array_size(p.review), 2, "what was missed is planned");
    ok(progress_next(all, NULL, &d) && d.question == 3 && d.round == 2,
       "but not again if it is planned already");
    progress_ended(all, &d, REVIEW_GONE, 0);
    ok(progress_next(all, NULL, &d) && d.question == 0 && d.round == 1 &&
           d.due >= day && d.due < day + 60, "for the next day");
    json_decref(all);

    played.page = 4;
    progress_keep("b", &played, missed, NULL, &aside, &err);
    is_int(kept("b").page, 0, "the lesson begins at its first page again");
    played.right = 10;
    progress_keep("b", &played, missed, NULL, &aside, &err);
    ok(kept("b").done && !kept("b").passed, "what was read is not passed");
    all = progress_read(&err);
    is_int((int)json_array_size(progress_of(all, "b").review), 2,
           "what is missed once more is planned once");
    json_decref(all);
    json_decref(played.answers);
    json_decref(missed);
}

/* Whether two times are on different days here. */
static bool
other_day(time_t a, time_t b)
{
    struct tm x, y;

    localtime_r(&a, &x);
    localtime_r(&b, &y);
    return x.tm_yday != y.tm_yday || x.tm_year != y.tm_year;
}

/* Reads lesson "a" with these questions, and returns its proof; what it points
 * to is *all's. */
static struct proof
proof_after(const char *questions, json_t **all)
{
    struct err aside, err;
    json_t *offered = json_loads(questions, 0, NULL);
    struct progress played = {.answers = json_array(), .done = true};

    progress_keep("a", &played, NULL, offered, &aside, &err);
    json_decref(played.answers);
    json_decref(offered);
    *all = progress_read(&err);
    return progress_of(*all, "a").proof;
}

static struct proof
proof_now(json_t **all)
{
    struct err err;

    json_decref(*all);
    *all = progress_read(&err);
    return progress_of(*all, "a").proof;
}

/* Answers the questions of a proof, of which so many are right. */
static void
prove(const int *questions, int count, int right)
{
    struct err aside, err;

    for (int i = 0; i < count; i++)
        progress_keep_due(&(struct due){"a", true, questions[i], 0, 0},
                          i < right ? REVIEW_RIGHT : REVIEW_MISSED, &aside,
                          &err);
}

/* A lesson is passed on another day, in rounds that were not seen. */
static void
test_proof(void)
{
    static const int four[] = {1, 3, 4, 8}, ten[] = {0, 1, 2, 3, 4, 5, 6, 7, 8,
                                                     9};
    time_t now = time(NULL);
    struct err aside, err;
    struct progress p;
    struct proof proof;
    json_t *all;

    put_file("{\"version\":1,\"lessons\":{}}");
    proof = proof_after("[1,3,4,8]", &all);
    p = progress_of(all, "a");
    ok(!progress_provable(&p, now), "not on the day when it was read");
    ok(other_day(proof.due, now) && !other_day(proof.due - 1, now),
       "but from the next midnight on");
    ok(progress_provable(&p, proof.due), "it can be proved");
    is_int(proof.round, REVIEW_ROUNDS, "in the last round");
    is_int((int)json_array_size(proof.questions), 4, "with all its questions");

    prove((int[]){3}, 1, 1);
    is_int(proof_now(&all).asked, 0, "another question is not the next");
    prove(four, 2, 2);
    proof = proof_now(&all);
    ok(proof.asked == 2 && proof.right == 2, "two of four are kept");
    ok(!kept("a").passed, "before the end nothing is passed");
    prove(four + 2, 2, 0);
    ok(!kept("a").passed, "two of four are not enough");
    proof = proof_now(&all);
    ok(proof.asked == 0 && proof.right == 0, "it begins anew");
    is_int(proof.round, REVIEW_ROUNDS - 1, "in another round");
    ok(other_day(proof.due, now), "on another day");
    prove(four, 4, 3);
    ok(kept("a").passed && proof_now(&all).questions == NULL,
       "three of four pass");
    json_decref(all);

    proof = proof_after("[1,3]", &all);
    ok(kept("a").passed && proof.questions == NULL, "what is passed stays so");
    json_decref(all);

    progress_forget("a", &aside, &err);
    proof = proof_after("[0,1,2,3,4,5,6,7,8,9]", &all);
    prove(ten, 10, 6);
    ok(!kept("a").passed, "six of ten do not pass");
    prove(ten, 10, 7);
    ok(kept("a").passed, "seven of ten do");
    json_decref(all);

    progress_forget("a", &aside, &err);
    proof = proof_after("[1,3]", &all);
    prove((int[]){1}, 1, 1);
    json_decref(all);
    proof = proof_after("[1,3]", &all);
    ok(proof.asked == 0 && proof.round == REVIEW_ROUNDS - 1,
       "who reads it again in between has seen that round");
    for (int i = 1; i <= 3; i += 2)
        progress_keep_due(&(struct due){"a", true, i, 0, 0}, REVIEW_GONE,
                          &aside, &err);
    ok(proof_now(&all).questions == NULL && !kept("a").passed,
       "a lesson that has lost its questions is not passed");
    json_decref(all);

    progress_forget("a", &aside, &err);
    proof = proof_after("[]", &all);
    ok(kept("a").done && proof.questions == NULL,
       "nor is one that has no other questions");
    json_decref(all);

    put_file("{\"version\":1,\"lessons\":{\"a\":{\"done\":true,\"proof\":{"
             "\"questions\":[1],\"round\":9,\"due\":5}},\"b\":{\"proof\":7}}}");
    ok(kept("a").proof.questions == NULL && kept("b").proof.questions == NULL,
       "what nobody has written is no proof");
}

static void
put_plan(int questions)
{
    json_t *plan = json_array(), *all;
    char *text;

    for (int i = 0; i < questions; i++)
        json_array_append_new(plan, json_pack("{si si si}", "question", i,
                                              "round", 1, "due", 87400));
    all = json_pack("{si s{s{so}}}", "version", 1, "lessons", "a", "review",
                    plan);
    text = json_dumps(all, 0);
    put_file(text);
    free(text);
    json_decref(all);
}

/* Two programs at once review questions of the same lesson. */
static void
test_reviewed(void)
{
    enum { EACH = 20, DUE = 1000 + 24 * 60 * 60 };
    struct err aside, err = {.text = ""};
    struct due d = {"a", false, 0, 1, DUE};
    json_t *all, *entry;
    int right = 0;
    pid_t child;
    size_t i;

    put_plan(2 * EACH);
    child = fork();
    for (int n = 0; n < EACH; n++) {
        d.question = child == 0 ? n : EACH + n;
        progress_keep_due(&d, REVIEW_RIGHT, &aside, &err);
        usleep(2000); /* no two people are faster */
    }
    if (child == 0)
        _exit(0);
    wait(NULL);
    d.lesson = "b";
    ok(progress_keep_due(&d, REVIEW_GONE, &aside, &err),
       "a review of a lesson that was forgotten");
    all = progress_read(&err);
    ok(!progress_has(all, "b"), "keeps nothing");
    json_array_foreach(progress_of(all, "a").review, i, entry) {
        right += json_integer_value(json_object_get(entry, "round")) == 2;
    }
    is_int(right, 2 * EACH, "each question is in its second round");
    json_decref(all);
}

/* The question that is due first, over all lessons. */
static void
test_progress_review(void)
{
    json_t *all = json_loads(
        "{\"lessons\":{\"a\":{\"review\":[{\"question\":1,\"round\":1,"
        "\"due\":70}]},\"b\":7,\"c\":{\"review\":[{\"question\":2,"
        "\"round\":3,\"due\":50}]},\"d\":{\"review\":5}}}", 0, NULL);
    struct due d;

    ok(progress_next(all, NULL, &d), "something is planned");
    is_str(d.lesson, "c", "first in c");
    ok(d.question == 2 && d.round == 3,
       "which question, and which round");
    is_int(progress_due(all, 60), 1, "one is due");
    is_int(progress_due(all, 70), 2, "then two");
    progress_ended(all, &d, REVIEW_GONE, 0);
    ok(progress_next(all, NULL, &d) && strcmp(d.lesson, "a") == 0,
       "after that one is asked, it is in a");
    json_decref(all);
}

static int lock;

static void
let_go(int signal)
{
    (void)signal;
    close(lock);
}

/* Somebody else has the lock, until SIGALRM arrives after so many
 * microseconds. */
static void
hold_lock(int us)
{
    struct itimerval after = {.it_value = {us / 1000000, us % 1000000}};
    struct sigaction action = {.sa_handler = let_go};
    char path[300];

    snprintf(path, sizeof path, "%s/collviz/lock", lab);
    lock = open(path, O_RDWR);
    ok(flock(lock, LOCK_EX) == 0, "the lock is held");
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &after, NULL);
}

static void
test_progress_lock(void)
{
    struct err aside, err = {.text = ""};

    hold_lock(100000);
    ok(keep("broadcast", 7, &aside, &err), "the lock is waited for");
    is_int(kept("broadcast").page, 7, "and a signal stops nothing");
    hold_lock(60000000);
    ok(!keep("broadcast", 8, &aside, &err) &&
           strstr(err.text, "(another program holds it)") != NULL,
       "but not for ever: %s", err.text);
    is_int(kept("broadcast").page, 7, "what was kept is there");
    alarm(0);
    close(lock);
    ok(keep("broadcast", 3, &aside, &err), "the next time it is kept");
}

/* A draft with a lesson's name is another lesson. */
static void
test_key(void)
{
    char path[300], link[300], *key;
    struct shelf shelf;
    struct err err;

    snprintf(path, sizeof path, "%s/ring-allreduce.lua", lab);
    snprintf(link, sizeof link, "%s/collviz/../ring-allreduce.lua", lab);
    fclose(fopen(path, "w"));
    key = shelf_key(link);
    is_str(key, path, "a draft goes by its path");
    free(key);
    unlink(path);
    snprintf(path, sizeof path, "%s/\377.lua", lab);
    fclose(fopen(path, "w"));
    key = shelf_key(path);
    ok(strstr(key, "\\xff.lua") != NULL, "which JSON can hold: %s", key);
    free(key);
    unlink(path);
    snprintf(path, sizeof path, "%s/collviz/lessons", lab);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/collviz/lessons/\377.lua", lab);
    fclose(fopen(path, "w"));
    key = shelf_key(path);
    is_str(key, "\\xff", "one of the learner's shelf is a text, too");
    shelf_read(&shelf);
    ok(shelf_index(&shelf, key) >= 0, "and the name of its card");
    shelf_done(&shelf);
    free(key);
    key = shelf_find("\\xff", &err);
    is_str(key != NULL ? key : err.text, path, "which finds it");
    free(key);
    unlink(path);
    char *found = shelf_find("ring-allreduce", &err);
    key = found != NULL ? shelf_key(found) : NULL;
    is_str(key, "ring-allreduce", "a lesson on the shelf by its name");
    free(key);
    free(found);
}

/* A pipe that nobody writes to must not stop a program that reads progress. */
static void
test_progress_pipe(void)
{
    struct err aside, err = {.text = ""};
    json_t *all;

    unlink(progress_path());
    ok(mkfifo(progress_path(), 0600) == 0, "a pipe stands for the file");
    signal(SIGALRM, SIG_DFL);
    alarm(HUNG_S); /* ends a test that waits for the pipe */
    all = progress_read(&err);
    ok(all == NULL && strstr(err.text, "is not a regular file") != NULL,
       "it is refused: %s", err.text);
    json_decref(all);
    ok(keep("broadcast", 5, &aside, &err), "a page is kept all the same");
    ok(strstr(aside.text, ".broken-") != NULL, "the pipe is put aside");
    is_int(kept("broadcast").page, 5, "the page is in a new file");
    alarm(0);
}

static void
test_progress_fails(void)
{
    struct err aside, err = {.text = ""};
    struct rlimit none = {0, RLIM_INFINITY}, usual;
    static const char *const broken[] = {
        "", "{", "[]", "{\"version\":2,\"lessons\":{}}",
        "{\"version\":1,\"lessons\":[]}", "\377\376"};

    /* A full disk: no file may grow. */
    put_file("{\"version\":1,\"lessons\":{\"broadcast\":{\"page\":3}}}");
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &usual);
    none.rlim_max = usual.rlim_max;
    setrlimit(RLIMIT_FSIZE, &none);
    ok(!keep("broadcast", 4, &aside, &err) &&
           strstr(err.text, strerror(EFBIG)) != NULL &&
           strstr(err.text, strerror(EFBIG)) < strstr(err.text, lab),
       "a full disk is reported before the path: %s", err.text);
    setrlimit(RLIMIT_FSIZE, &usual);
    is_int(kept("broadcast").page, 3, "and loses nothing");

    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        put_file(broken[i]);
        is_int(kept("broadcast").page, -1, "'%s' is not understood", broken[i]);
        ok(keep("broadcast", 5, &aside, &err), "but does no harm");
        ok(strstr(aside.text, ".broken-") != NULL, "it is put aside");
        is_int(kept("broadcast").page, 5, "and begun anew");
    }

    /* What earlier versions have written, and members of the wrong types. */
    put_file("{\"version\":1,\"lessons\":{"
             "\"old\":{\"done\":true,\"asked\":10,\"right\":7},"
             "\"few\":{\"done\":true,\"asked\":10,\"right\":6},"
             "\"none\":{\"done\":true,\"asked\":0,\"right\":0},"
             "\"odd\":{\"done\":true,\"asked\":1,\"right\":1,"
             "\"passed\":\"no\"},"
             "\"once\":{\"done\":true,\"asked\":2,\"right\":0,"
             "\"passed\":true}}}");
    ok(kept("old").passed, "seven of ten pass");
    ok(!kept("few").passed, "six of ten do not");
    ok(!kept("none").passed, "nothing asked is nothing passed");
    ok(!kept("odd").passed, "'no' is not passed");
    ok(kept("once").passed, "what was passed stays passed");

    put_file("{\"version\":1,\"lessons\":{\"a\":5,\"b\":{\"page\":-1},"
             "\"c\":{\"page\":\"x\",\"answers\":7}}}");
    is_int(kept("a").page, 0, "a number is not a lesson's progress");
    is_int(kept("b").page, 0, "page -1 is not a page");
    is_int(kept("c").page, 0, "'x' is not a page");

    setenv("XDG_STATE_HOME", "/proc/nowhere", 1);
    ok(!keep("broadcast", 1, &aside, &err), "a folder that cannot be created");
    setenv("XDG_STATE_HOME", "relative", 1);
    unsetenv("HOME");
    ok(!keep("broadcast", 1, &aside, &err), "no folder at all");
    setenv("XDG_STATE_HOME", lab, 1);
}

/* Practice adds up, an exam takes the place of the last one, and neither what
 * a file holds instead nor other skills disturb that. */
static void
test_skills(void)
{
    struct tally done[SKILLS] = {[SKILL_REPAIR] = {2, 1}};
    struct err aside, err;
    struct skill_progress p;
    json_t *all;

    put_file("{\"version\":1,\"lessons\":{},\"skills\":{\"repair\":7,"
             "\"choose\":{\"asked\":2,\"right\":9,\"exam\":[]}}}");
    ok(progress_keep_skills(done, NULL, &aside, &err) &&
       progress_keep_skills(done, NULL, &aside, &err), "practice is kept");
    done[SKILL_REPAIR].right = 2;
    ok(progress_keep_skills(done, "7F3A", &aside, &err) &&
       progress_keep_skills(done, "7F3B", &aside, &err), "exams are kept");
    all = progress_read(&err);
    p = progress_skill(all, SKILL_REPAIR);
    is_int(p.practice.asked, 4, "practice: answers");
    is_int(p.practice.right, 2, "right ones");
    is_int(p.exam.asked, 2, "the last exam: answers");
    is_int(p.exam.right, 2, "right ones");
    p = progress_skill(all, SKILL_CHOOSE);
    is_int(p.practice.right, 2, "not more right ones than answers");
    is_int(p.exam.asked + progress_skill(all, SKILL_PREDICT).exam.asked, 0,
           "no exam");
    json_decref(all);
    ok(progress_forget(NULL, &aside, &err), "all is forgotten");
    all = progress_read(&err);
    is_int(progress_skill(all, SKILL_REPAIR).practice.asked, 0,
           "also what was practised");
    json_decref(all);
}

int
main(void)
{
    struct err err;

    language_init("en", &err);
    lab_make();
    test_progress();
    test_review();
    test_played();
    test_played_to_the_end();
    test_proof();
    test_reviewed();
    test_progress_review();
    test_progress_lock();
    test_key();
    test_skills();
    test_progress_pipe();
    test_progress_fails();
    lab_remove();
    return done_testing();
}
