/* SPDX-License-Identifier: MIT */
#include "screen/answer.h"

#include "base/translate.h"
#include "term/screen.h"

#define FACE_ROW(NAME, name) [QUIZ_##NAME] = &face_##name,
const struct question_face *const question_faces[QUIZ_KINDS] = {
    QUESTION_KINDS(FACE_ROW)};

void
answer_begin(struct answer *a, const struct tutor_seen *seen, struct tutor *t)
{
    const struct picture *shown = &seen->picture;

    *a = (struct answer){.seen = seen, .tutor = t, .question = &seen->question,
                         .chosen = -1, .refused = -1};
    if (shown->shown >= 0)
        a->stood = shown->player.target >= 0 ? shown->player.target
                                             : picture_world(shown)->position;
    prompt_open(&a->prompt, "", NULL);
    if (answer_face(a)->begin != NULL)
        answer_face(a)->begin(a);
}

const char *
answer_not_known(const struct answer *a)
{
    return a->seen->how.examines ? N_("I don't know")
                                  : N_("I don't know: show me");
}

enum answer_did
answer_click(struct answer *a, int rank, int slot, struct err *err)
{
    const struct question_face *f = answer_face(a);

    a->empty = false;
    return f->click != NULL ? f->click(a, rank, slot, err) : ANSWER_NOTHING;
}

enum answer_did
answer_key(struct answer *a, int key, json_t **given, struct err *err)
{
    const struct question_face *f = answer_face(a);

    *given = NULL;
    a->empty = a->empty && key == SCREEN_KEY_ENTER;
    if (key >= SCREEN_KEY_PASTED)
        return f->keys & (KEY(NUMBER) | KEY(LABEL)) || a->typing
                   ? answer_type(a, key - SCREEN_KEY_PASTED)
                   : ANSWER_NOTHING;
    if (key == '?' ||
        (key == 'h' &&
         (f->keys & (KEY(NUMBER) | KEY(LABEL) | KEY(WIRE))) == 0)) {
        a->hints += a->hints < a->question->nhints;
        return ANSWER_CHANGED;
    }
    return f->key(a, key, given, err);
}
