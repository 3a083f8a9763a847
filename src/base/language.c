/* SPDX-License-Identifier: MIT */
#include "base/language.h"

#include <langinfo.h>
#include <libintl.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/install.h"
#include "base/mem.h"
#include "base/near.h"

static const char *const languages[] = {"en", "zh_CN"};

enum { LANGUAGES = sizeof languages / sizeof languages[0] };

const char *
language_at(int index)
{
    return index < LANGUAGES ? languages[index] : NULL;
}

/* "zh_CN" for zh, zh_CN and zh_CN.UTF-8; NULL if there is no catalogue. */
static const char *
catalogue_name(const char *lang)
{
    for (size_t i = 0; i < sizeof languages / sizeof languages[0]; i++)
        if (strncmp(languages[i], lang, 2) == 0 &&
            (lang[2] == '\0' || strchr("_.@", lang[2]) != NULL))
            return languages[i];
    return NULL;
}

const char *
language_directory(void)
{
    static char path[PATH_MAX];

    for (int place = 0; path[0] == '\0' && place < INSTALL_PLACES; place++)
        if (!install_folder(INSTALL_CATALOGUES, place, path) ||
            (place < INSTALL_PLACES - 1 && access(path, R_OK | X_OK) != 0))
            path[0] = '\0';
    return path;
}

bool
language_has_catalogue(void)
{
    const char *nothing = ""; /* its translation is the catalogue's header */

    return gettext(nothing)[0] != '\0';
}

bool
language_is_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/* The language that the environment asks for, whether or not it is there. */
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
refuse_language(const char *lang, struct err *err)
{
    const char *names[LANGUAGES + 1] = {NULL};
    OWN(buf) text = {0};

    for (int i = 0; i < LANGUAGES; i++)
        names[i] = languages[i];
    near_among(lang, names, &text);
    return err_set(err, "--lang '%s': %s", lang, buf_text(&text));
}

/* A system without any locale has ours, where it came along. */
static void
set_utf8(int category)
{
    char folder[PATH_MAX];

    if (setlocale(category, "C.UTF-8") == NULL &&
        install_folder(INSTALL_LOCALES, 1, folder) &&
        access(folder, R_OK | X_OK) == 0 &&
        setenv("LOCPATH", folder, 0) == 0)
        setlocale(category, "C.UTF-8");
}

bool
language_init(const char *lang, struct err *err)
{
    bool there = setlocale(LC_ALL, "") != NULL;
    const char *want = lang != NULL ? catalogue_name(lang) : NULL;

    if (lang != NULL && want == NULL)
        return refuse_language(lang, err);
    if (want == NULL && !there)
        want = catalogue_name(asked_for());
    if (!there)
        set_utf8(LC_ALL);
    if (!language_is_utf8()) /* most terminals are, even if no locale is set */
        set_utf8(LC_CTYPE);
    if (want != NULL) {
        setenv("LANGUAGE", want, 1);
        if (strcmp(setlocale(LC_MESSAGES, NULL), "C") == 0)
            set_utf8(LC_MESSAGES); /* "C" is never translated */
    }
    setlocale(LC_NUMERIC, "C");
    bindtextdomain("collviz", language_directory());
    bind_textdomain_codeset("collviz", "UTF-8");
    textdomain("collviz");
    return true;
}
