/* SPDX-License-Identifier: MIT */
#include "tutor/read.h"

bool
tutor_read(struct tutor *t, const struct tutor_reader *r, void *self,
           struct err *err)
{
    bool begun = r->begin == NULL, more, asks = false;

    do {
        more = tutor_next(t, err);
        if (!begun && t->card.title != NULL && !r->begin(self, err))
            return false;
        begun = begun || t->card.title != NULL;
        if (!more)
            break;
        asks = t->state == TUTOR_ASKS;
        (asks                          ? r->question
         : page_answers(t->page.kind) ? r->answer
                                       : r->page)(self);
    } while (!asks || r->answer != NULL);
    return t->state == TUTOR_OVER || (more && asks);
}
