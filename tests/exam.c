/* SPDX-License-Identifier: MIT */
/* What exams draw: the skills that were asked for, each in turn, and no task
 * twice; and which lessons a result names.  Sheets: golden/exams.cmds. */
#include "tutor/exam.h"
#include "tutor_run.h"

static void
check_skills(const char *text, unsigned want)
{
    unsigned wanted = 0;
    struct err err;

    ok(exam_skills(text, &wanted, &err) == (want != 0) &&
           (want == 0 || wanted == want), "--skills %s: %#x", text, wanted);
}

static void
test_skills(void)
{
    check_skills("wire", 1 << SKILL_WIRE);
    check_skills("repair,wire", 1 << SKILL_WIRE | 1 << SKILL_REPAIR);
    check_skills("wire,diagnose,choose",
                 1 << SKILL_WIRE | 1 << SKILL_DIAGNOSE | 1 << SKILL_CHOOSE);
    check_skills("wire,", 0);
    check_skills(",wire", 0);
    check_skills("wire,cook,repair", 0);
}

static bool
is_same(const struct task *a, const struct task *b)
{
    return strcmp(a->path, b->path) == 0 && a->question == b->question &&
           (a->skill == SKILL_PREDICT || a->round == b->round);
}

/* With this seed, one that was drawn before comes up once more. */
static void
test_draw(uint32_t seed, unsigned wanted)
{
    static const struct options o = {.backend = (char *)"auto", .count = -1,
                                     .step = -1, .bytes = 1 << 20};
    int again = 0, other = 0, most = 0, least = EXAM_TASKS;
    struct tally result[SKILLS];
    struct err err = {.text = ""};
    OWN(exam) e;

    ok(exam_draw(&e, seed, wanted, &o, &err), "exam %X%s", (unsigned)seed,
       err.text);
    is_int(e.ntasks, EXAM_TASKS, "has its tasks");
    exam_result(&e, result);
    for (int i = 0; i < e.ntasks; i++)
        for (int k = 0; k < i; k++)
            again += is_same(&e.tasks[i], &e.tasks[k]);
    for (int i = 0; i < SKILLS; i++) {
        int n = result[i].asked;
        other += (wanted >> i & 1) == 0 ? n : 0;
        most = (wanted >> i & 1) != 0 && n > most ? n : most;
        least = (wanted >> i & 1) != 0 && n < least ? n : least;
    }
    is_int(again, 0, "no task comes twice");
    is_int(other, 0, "none is of another skill");
    ok(most - least <= 1, "skills come in turn: %d to %d tasks", least, most);
}

/* A lesson to go back to is named once, whatever came before a miss. */
static void
test_result(void)
{
    char ring[] = "4 ring", tree[] = "8 tree", stars[] = "9 stars";
    struct exam e = {
        .ntasks = 6,
        .tasks = {{.skill = SKILL_PREDICT, .lesson = ring, .right = true},
                  {.skill = SKILL_PREDICT, .lesson = ring},
                  {.skill = SKILL_REPAIR, .lesson = tree},
                  {.skill = SKILL_PREDICT, .lesson = ring},
                  {.skill = SKILL_PREDICT, .lesson = tree},
                  {.skill = SKILL_PREDICT, .lesson = stars, .right = true}}};
    OWN(buf) text = {0};

    exam_add_result(&e, GLYPHS_ASCII, &text);
    ok(strstr(buf_text(&text), "  2 of 5\n            > go back to: 4 ring, "
                               "8 tree\n") != NULL,
       "lessons to go back to are those of what was missed");
}

int
main(int argc, char **argv)
{
    tutor_begin();
    test_skills();
    test_result();
    test_draw(argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 16) : 3,
              1 << SKILL_PREDICT);
    test_draw(7, 1 << SKILL_WIRE | 1 << SKILL_REPAIR | 1 << SKILL_DIAGNOSE);
    lab_remove();
    return done_testing();
}
