/* SPDX-License-Identifier: MIT */
#include "screen/sheets.h"

#include "base/translate.h"
#include "lesson/shelf.h"
#include "text/text.h"
#include "view/sheet.h"

struct showing {
    struct stage stage;
    struct sheet sheet;
};

static bool
draw(void *self, struct canvas *c)
{
    const struct showing *s = self;

    sheet_draw(&s->sheet, s->stage.glyphs, c);
    return true;
}

static bool
answer(void *self, int request, struct err *err)
{
    struct showing *s = self;

    (void)err;
    s->stage.over = request == DO_CLOSE;
    sheet_scroll(&s->sheet, request, s->stage.canvas.columns,
                 s->stage.canvas.rows);
    return true;
}

static const struct act act = {.accent = ROLE_LEARN, .draw = draw,
                               .on = ON_SHEET, .request = answer};

static void
show(const struct stage *on, const char *title, bool numbered,
     const struct buf *text)
{
    struct showing s = {.sheet = {.title = title, .numbered = numbered,
                                  .text = buf_text(text)}};
    struct err none;

    stage_run(&s.stage, on->screen, on->glyphs == GLYPHS_ASCII, &act,
              &s, &none);
}

void
sheets_promises(const struct stage *stage)
{
    struct buf text = {0};

    text_promises(&text);
    show(stage, _("what each collective promises"), false, &text);
    buf_done(&text);
}

void
sheets_program(struct stage *stage, const char *lesson, const char *name)
{
    struct buf text = {0};
    struct err why;

    if (name == NULL)
        stage_notify(stage, false, _("this lesson is not about a program"));
    else if (shelf_program(lesson, name, &text, &why))
        show(stage, name, true, &text);
    else
        stage_notify(stage, true, why.text);
    buf_done(&text);
}
