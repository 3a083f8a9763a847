/* SPDX-License-Identifier: MIT */
#include "app/language.h"

#include <langinfo.h>
#include <libgen.h>
#include <libintl.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/near.h"

static const char *const languages[] = {"en", "zh_CN"};

enum { LANGUAGES = sizeof languages / sizeof languages[0] };

const char *
language_at(int index)
{
    return index < LANGUAGES ? languages[index] : NULL;
}

/* "zh_CN" for zh, zh_CN and zh_CN.UTF-8; NULL for what there is no catalogue
 * of. */
static const char *
known(const char *lang)
{
    for (size_t i = 0; i < sizeof languages / sizeof languages[0]; i++)
        if (strncmp(languages[i], lang, 2) == 0 &&
            (lang[2] == '\0' || strchr("_.@", lang[2]) != NULL))
            return languages[i];
    return NULL;
}

/* The build tree's catalogues, the ones beside where it is installed, or the
 * ones configured. */
const char *
language_directory(void)
{
    static const char *const relative[] = {"../locale", "../share/locale"};
    static char path[PATH_MAX];
    char exe[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", exe, sizeof exe - 1);

    if (path[0] != '\0')
        return path;
    for (size_t i = 0; length > 0 && i < 2; i++) {
        char copy[PATH_MAX];
        exe[length] = '\0';
        memcpy(copy, exe, (size_t)length + 1);
        if (snprintf(path, sizeof path, "%s/%s", dirname(copy), relative[i]) <
                (int)sizeof path &&
            access(path, R_OK | X_OK) == 0)
            return path;
    }
    snprintf(path, sizeof path, "%s", LOCALEDIR);
    return path;
}

bool
language_has_catalogue(void)
{
    const char *nothing = ""; /* in a catalogue that is its header */

    return gettext(nothing)[0] != '\0';
}

bool
language_is_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/* What the environment asks for, whether or not such a locale is there. */
static const char *
asked_for(void)
{
    static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (value != NULL && *value != '\0')
            return value;
    }
    return "";
}

static bool
refuse(const char *lang, struct err *err)
{
    const char *names[LANGUAGES + 1] = {NULL};
    struct buf text = {0};

    for (int i = 0; i < LANGUAGES; i++)
        names[i] = languages[i];
    near_among(lang, names, &text);
    err_set(err, "--lang '%s': %s", lang, buf_text(&text));
    buf_done(&text);
    return false;
}

bool
language_init(const char *lang, struct err *err)
{
    bool there = setlocale(LC_ALL, "") != NULL;
    const char *want = lang != NULL ? known(lang) : NULL;

    if (lang != NULL && want == NULL)
        return refuse(lang, err);
    if (want == NULL && !there)
        want = known(asked_for());
    if (!there)
        setlocale(LC_ALL, "C.UTF-8");
    if (!language_is_utf8()) /* terminals are, where nobody set a locale */
        setlocale(LC_CTYPE, "C.UTF-8");
    if (want != NULL) {
        setenv("LANGUAGE", want, 1);
        if (strcmp(setlocale(LC_MESSAGES, NULL), "C") == 0)
            setlocale(LC_MESSAGES, "C.UTF-8"); /* "C" is never translated */
    }
    setlocale(LC_NUMERIC, "C");
    bindtextdomain("collviz", language_directory());
    bind_textdomain_codeset("collviz", "UTF-8");
    textdomain("collviz");
    return true;
}
