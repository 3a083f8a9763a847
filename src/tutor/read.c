/* SPDX-License-Identifier: MIT */
#include "tutor/read.h"

bool
tutor_read(struct tutor *t, const struct tutor_reader *r, void *self,
           struct err *err)
{
    const struct tutor_seen *seen = tutor_seen(t);
    bool begun = r->begin == NULL, more, asks = false;

    do {
        more = tutor_next(t, err);
        if (!begun && seen->card.title != NULL && !r->begin(self, err))
            return false;
        begun = begun || seen->card.title != NULL;
        if (!more)
            break;
        asks = seen->state == TUTOR_ASKS;
        (asks                          ? r->question
         : page_answers(seen->page.kind) ? r->answer
                                       : r->page)(self);
    } while (!asks || r->answer != NULL);
    return seen->state == TUTOR_OVER || (more && asks);
}
