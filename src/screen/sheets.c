/* SPDX-License-Identifier: MIT */
#include "screen/sheets.h"

#include "base/translate.h"
#include "lesson/program.h"
#include "screen/stage.h"
#include "text/promises.h"
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
    s->stage.over = request == SHEET_BACK;
    sheet_scroll(&s->sheet, request, s->stage.canvas.columns,
                 s->stage.canvas.rows);
    return true;
}

static const struct act act = {.accent = ROLE_LEARN, .draw = draw,
                               .keys = sheet_keys, .request = answer};

/* Shows a text until a key leads back, and frees it. */
static void
show(struct screen *screen, bool ascii, const char *title, bool numbered,
     struct buf *text)
{
    struct showing s = {.sheet = {.title = title, .numbered = numbered,
                                  .text = buf_text(text)}};
    struct err none;

    stage_run(&s.stage, screen, ascii, &act, &s, &none);
    buf_done(text);
}

void
sheets_promises(struct screen *screen, bool ascii)
{
    struct buf text = {0};

    promises_text(&text);
    show(screen, ascii, _("what each collective promises"), false, &text);
}

bool
sheets_program(struct screen *screen, bool ascii, const char *lesson,
               const char *name, struct err *err)
{
    struct buf text = {0};

    if (name == NULL)
        return err_set(err, _("this lesson shows no program"));
    if (!program_read(lesson, name, &text, err)) {
        buf_done(&text);
        return false;
    }
    show(screen, ascii, name, true, &text);
    return true;
}
