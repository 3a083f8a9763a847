/* SPDX-License-Identifier: MIT */
/* collviz wire|repair|choose|diagnose, and collviz exam: tasks on the screen or
 * on paper. */
#include <string.h>

#include "app/command.h"
#include "base/print.h"
#include "base/translate.h"
#include "screen/home.h"
#include "screen/watch.h"
#include "tutor/exam.h"
#include "tutor/tutor.h"

/* The skill whose exercise a command asks for; SKILL_NONE: it is the exam. */
static enum skill
skill_of(const char *command)
{
    for (int i = SKILL_NONE + 1; i < SKILLS; i++)
        if (skills[i].exercise != NULL &&
            strcmp(skills[i].exercise, command) == 0)
            return (enum skill)i;
    return SKILL_NONE;
}

int
cmd_practice(const struct options *o, struct err *err)
{
    enum skill skill = skill_of(o->command);
    bool exam = skill == SKILL_NONE, paper = o->paper || o->plain;
    uint32_t seed = seed_new();
    unsigned wanted = EXAM_ALL;
    OWN(buf) title = {0};
    struct followed f;
    struct exam e;
    bool ok;

    if ((o->seed != NULL && !seed_parse(o->seed, &seed, err)) ||
        (o->skills != NULL && !exam_skills(o->skills, &wanted, err)))
        return EXIT_USAGE;
    paper = paper || o->answers || !watch_can();
    if (!exam && !paper) {
        ok = followed_open(&f, o, err) &&
             home_tasks(o, f.screen, skill, seed, NULL, err);
        followed_close(&f);
        return command_status(ok, err);
    }
    if (exam)
        print_progress(_("drawing an exam ..."));
    ok = exam ? exam_draw(&e, seed, wanted, o, err)
              : exam_practice(&e, seed, skill, o, err);
    print_progress(NULL);
    if (ok && paper)
        ok = transcript_exam(&e, o, o->answers, err);
    if (ok && !paper) {
        ok = followed_open(&f, o, err) &&
             home_tasks(o, f.screen, SKILL_NONE, seed, &e, err);
        followed_close(&f);
    }
    if (ok && !paper) {
        exam_add_title(&e, &title);
        print("%s\n", buf_text(&title));
    }
    exam_done(&e);
    return command_status(ok, err);
}
