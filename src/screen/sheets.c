/* SPDX-License-Identifier: MIT */
#include "screen/sheets.h"

#include "base/signals.h"
#include "base/translate.h"
#include "lesson/code.h"
#include "screen/stage.h"
#include "text/text.h"
#include "view/sheet.h"

/* Shows a sheet until a key leads back. */
static void
show(struct screen *screen, bool ascii, struct sheet *sheet)
{
    enum key_request request = 0;
    struct stage stage;
    int key;

    stage_init(&stage, screen, ascii, ROLE_LEARN);
    while (request != DO_CLOSE && signals_ending() == 0) {
        if (stage_wants_frame(&stage)) {
            sheet_draw(sheet, stage.glyphs, stage_canvas(&stage));
            stage_show(&stage);
        }
        if (stage_wait(&stage, -1, INT64_MAX, false, &key) != SCREEN_KEY)
            continue;
        request = keys_request(ON_SHEET, 0, key);
        sheet_scroll(sheet, request, stage.canvas.columns, stage.canvas.rows);
    }
    stage_done(&stage);
}

void
sheets_promises(struct screen *screen, bool ascii)
{
    struct buf text = {0};
    struct sheet sheet = {.title = _("what each collective promises")};

    text_promises(&text);
    sheet.text = buf_text(&text);
    show(screen, ascii, &sheet);
    buf_done(&text);
}

bool
sheets_program(struct screen *screen, bool ascii, const char *lesson,
               const char *name, struct err *err)
{
    struct buf text = {0};
    struct sheet sheet = {.title = name, .numbered = true};
    bool ok = name != NULL
                  ? code_read(lesson, name, &text, err)
                  : err_set(err, _("this lesson shows no program"));

    if (ok) {
        sheet.text = buf_text(&text);
        show(screen, ascii, &sheet);
    }
    buf_done(&text);
    return ok;
}
