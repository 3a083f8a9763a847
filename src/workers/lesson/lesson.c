/* SPDX-License-Identifier: MIT */
/* collviz-lesson NAME: runs a lesson, or an algorithm, a script in Lua, where
 * it can do no harm, and passes its requests on.
 *
 * The first line on standard input is {"value":{"source":...}}; for an
 * algorithm, which has a few verbs more (author.lua), also with "n" and "root".
 *
 * A verb of the script becomes a line {"verb":"say","line":12,"with":{...}} on
 * standard output.  The process then waits for a line on standard input,
 * {"value":...}, which the verb returns, or {"error":"..."}, which is raised in
 * the script's line.  The last line is {"end":true}, or {"error":"FILE:LINE:
 * ..."} if the script failed.  The front end knows what the verbs mean; here
 * they are all alike (verbs.lua).
 *
 * In the place of a reply, {"next":{"name":...,"source":...}} gives the script
 * up and runs another one.  A script that breaks out of Lua has its hand in
 * those after it, so this is for scripts that one trusts alike.
 *
 * Before it reads a word of the script, the process locks itself up
 * (lockdown.h).  If the first line has "locks" and no source, the last one is
 * {"locks":{"no_new_privs":0,"Landlock":38,"seccomp":0}}: why each does not
 * hold.
 *
 * The script is limited by this process: memory by Lua's allocator, CPU time by
 * a timer that restarts with every request.  The first time the timer expires,
 * a hook raises an error that names the line.  Hooks do not run inside patterns
 * or finalizers; the second time ends the process. */
#include <jansson.h>
#include <lauxlib.h>
#include <libgen.h>
#include <lua.h>
#include <lualib.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/print.h"
#include "base/utf8.h"
#include "workers/lesson/author.h"
#include "workers/lesson/lockdown.h"
#include "workers/lesson/verbs.h"

#ifndef CPU_MS /* between two requests; a worker of the tests gives less */
#define CPU_MS 2000
#endif

enum {
    MEMORY_BYTES = 64 << 20,
    REQUEST_BYTES = 64 << 10,
    GRACE_MS = 300,      /* after that, for the hook to run */
    NESTED = 8,          /* levels of tables in tables */
};

static lua_State *lua; /* for the timer's handler */
static bool is_algorithm;
static const char *kind = "lesson"; /* or "algorithm" */
static char chunk_name[256];
static int last_line; /* of the script: where it last made a request */
static char last_words[512]; /* to write if the timer ends the process */
static volatile sig_atomic_t rung;
static size_t memory;

static void
write_line(const struct buf *line)
{
    if (fwrite(line->data, 1, line->length, stdout) != line->length ||
        fflush(stdout) != 0)
        _exit(1); /* the front end is gone */
}

/* Adds the script's failure, always the last line. */
static void
add_failure(struct buf *out, const char *text)
{
    buf_puts(out, "{\"error\":");
    json_add_string(out, text);
    buf_puts(out, "}\n");
}

static void
report_failure(const char *text)
{
    struct buf line = {0};
    char clean[1024];

    utf8_clean(clean, sizeof clean, text);
    add_failure(&line, clean);
    write_line(&line);
    _exit(1);
}

/* Limits ------------------------------------------------------------------ */

static void *
allocate_limited(void *state, void *old, size_t old_size, size_t size)
{
    void *p;

    (void)state;
    if (old == NULL)
        old_size = 0; /* it is the kind of the new object */
    if (size == 0) {
        free(old);
        memory -= old_size;
        return NULL;
    }
    if (size > old_size && memory + (size - old_size) > MEMORY_BYTES)
        return NULL;
    p = realloc(old, size);
    if (p != NULL)
        memory += size - old_size;
    return p;
}

static void raise_time_over(lua_State *L, lua_Debug *ar);

static void
on_timer(int signal_number)
{
    (void)signal_number;
    if (rung++ == 0) {
        lua_sethook(lua, raise_time_over,
                    LUA_MASKCALL | LUA_MASKRET | LUA_MASKCOUNT, 1);
        return;
    }
    if (write(STDOUT_FILENO, last_words, strlen(last_words)) < 0)
        _exit(2);
    _exit(1);
}

static void
set_timer(void)
{
    struct itimerval t = {
        .it_value = {CPU_MS / 1000, CPU_MS % 1000 * 1000},
        .it_interval = {GRACE_MS / 1000, GRACE_MS % 1000 * 1000},
    };

    setitimer(ITIMER_PROF, &t, NULL);
}

static const char *
limit_text(void)
{
    static char text[32];

    snprintf(text, sizeof text, "%g s", CPU_MS / 1e3);
    return text;
}

/* Prepares the message in case the script is ended after this line. */
static void
prepare_last_words(int line)
{
    OWN(buf) text = {0}, json = {0};

    last_line = line;
    buf_addf(&text, "%s:%d: after this line the %s has computed for %s "
             "without a verb", chunk_name, line, kind, limit_text());
    add_failure(&json, buf_text(&text));
    snprintf(last_words, sizeof last_words, "%s", buf_text(&json));
}

/* Errors ------------------------------------------------------------------ */

/* The current line of the script, or 0 if there is none; *level is that of its
 * function, for luaL_where(). */
static int
script_line(lua_State *L, int *level)
{
    lua_Debug ar;

    for (*level = 0; lua_getstack(L, *level, &ar); ++*level) {
        lua_getinfo(L, "Sl", &ar);
        if (strcmp(ar.source + (ar.source[0] == '@'), chunk_name) == 0)
            return ar.currentline;
    }
    *level = 1;
    return 0;
}

/* Raises an error in the script's line; without one, if the script has ended
 * (an algorithm's cells are read then).  Never returns. */
static void
raise_at_line(lua_State *L, const char *format, ...)
{
    va_list args;
    int level;

    if (script_line(L, &level) > 0)
        luaL_where(L, level);
    else
        lua_pushliteral(L, "");
    va_start(args, format);
    lua_pushvfstring(L, format, args);
    va_end(args);
    lua_concat(L, 2);
    lua_error(L);
}

/* The hook that is set when the time is over. */
static void
raise_time_over(lua_State *L, lua_Debug *ar)
{
    (void)ar;
    raise_at_line(L, "the %s has computed for %s without a verb; is there an "
                  "endless loop?", kind, limit_text());
}

/* Values ------------------------------------------------------------------ */

static void add_value(lua_State *L, int index, int depth, struct buf *out);

static void
add_text(lua_State *L, int index, struct buf *out)
{
    size_t length;
    const char *text = lua_tolstring(L, index, &length), *p = text;
    uint32_t code;

    if (strlen(text) != length)
        raise_at_line(L, "a string contains a NUL");
    while ((code = utf8_next(&p)) != 0)
        if (code >= UTF8_BAD)
            raise_at_line(L, "a string is not UTF-8");
    if (out->length + length > REQUEST_BYTES)
        raise_at_line(L, "this is more than %d KiB of text",
                      REQUEST_BYTES >> 10);
    json_add_string(out, text);
}

/* A list if it has an item 1, else an object. */
static void
add_table(lua_State *L, int index, int depth, struct buf *out)
{
    const char *comma = "";

    if (depth == NESTED)
        raise_at_line(L, "tables are nested too deeply");
    luaL_checkstack(L, 6, "tables");
    if (lua_rawgeti(L, index, 1) != LUA_TNIL) {
        lua_Integer count = (lua_Integer)lua_rawlen(L, index);
        lua_pop(L, 1);
        buf_putc(out, '[');
        for (lua_Integer i = 1; i <= count; i++, comma = ",") {
            buf_puts(out, comma);
            lua_rawgeti(L, index, i);
            add_value(L, lua_gettop(L), depth + 1, out);
            lua_pop(L, 1);
        }
        buf_putc(out, ']');
        return;
    }
    buf_putc(out, '{');
    for (; lua_next(L, index) != 0; lua_pop(L, 1), comma = ",") {
        buf_puts(out, comma);
        if (lua_type(L, -2) != LUA_TSTRING)
            raise_at_line(L, "a table has a key that is not a string");
        add_text(L, lua_gettop(L) - 1, out);
        buf_putc(out, ':');
        add_value(L, lua_gettop(L), depth + 1, out);
    }
    buf_putc(out, '}');
}

static void
add_value(lua_State *L, int index, int depth, struct buf *out)
{
    double number;

    switch (lua_type(L, index)) {
    case LUA_TNIL:
        buf_puts(out, "null");
        break;
    case LUA_TBOOLEAN:
        buf_puts(out, lua_toboolean(L, index) ? "true" : "false");
        break;
    case LUA_TNUMBER:
        number = lua_tonumber(L, index);
        if (lua_isinteger(L, index))
            buf_addf(out, "%lld", (long long)lua_tointeger(L, index));
        else if (number - number == 0)
            buf_addf(out, "%.17g", number);
        else
            raise_at_line(L, "a number is not finite");
        break;
    case LUA_TSTRING:
        add_text(L, index, out);
        break;
    case LUA_TTABLE:
        add_table(L, index, depth, out);
        break;
    default:
        raise_at_line(L, "a %s cannot be shown", luaL_typename(L, index));
    }
    if (out->length > REQUEST_BYTES)
        raise_at_line(L, "this is more than %d KiB", REQUEST_BYTES >> 10);
}

static void
push_value(lua_State *L, const json_t *v)
{
    luaL_checkstack(L, 4, "values");
    switch (v != NULL ? json_typeof(v) : JSON_NULL) {
    case JSON_TRUE:
    case JSON_FALSE:
        lua_pushboolean(L, json_is_true(v));
        break;
    case JSON_INTEGER:
        lua_pushinteger(L, json_integer_value(v));
        break;
    case JSON_REAL:
        lua_pushnumber(L, json_real_value(v));
        break;
    case JSON_STRING:
        lua_pushlstring(L, json_string_value(v), json_string_length(v));
        break;
    case JSON_ARRAY:
        lua_createtable(L, (int)json_array_size(v), 0);
        for (size_t i = 0; i < json_array_size(v); i++) {
            push_value(L, json_array_get(v, i));
            lua_rawseti(L, -2, (lua_Integer)i + 1);
        }
        break;
    case JSON_OBJECT: {
        const char *key;
        json_t *member;
        lua_newtable(L);
        json_object_foreach((json_t *)v, key, member) {
            push_value(L, member);
            lua_setfield(L, -2, key);
        }
        break;
    }
    default:
        lua_pushnil(L);
        break;
    }
}

/* Requests ---------------------------------------------------------------- */

static _Noreturn void run_given(const char *path, const json_t *given);

/* request(verb, with).  What it holds is freed by the next one, since an error
 * leaves it at any point. */
static int
make_request(lua_State *L)
{
    static struct buf out;
    static json_t *reply;
    const char *error;
    json_t *next;
    int level, line = script_line(L, &level);

    lua_settop(L, 2);
    buf_clear(&out);
    buf_puts(&out, "{\"verb\":");
    add_text(L, 1, &out);
    buf_addf(&out, ",\"line\":%d,\"with\":", line);
    add_value(L, 2, 0, &out);
    buf_puts(&out, "}\n");
    prepare_last_words(line);
    write_line(&out);
    json_decref(reply);
    reply = json_loadf(stdin, JSON_DISABLE_EOF_CHECK, NULL);
    if (reply == NULL)
        _exit(0); /* the front end is gone */
    next = json_incref(json_object_get(reply, "next"));
    if (next != NULL)
        run_given(json_string_value(json_object_get(next, "name")), next);
    if (rung == 0)
        set_timer();
    error = json_string_value(json_object_get(reply, "error"));
    if (error != NULL)
        raise_at_line(L, "%s", error);
    push_value(L, json_object_get(reply, "value"));
    return 1;
}

/* line() and blame(text). */
static int
push_line(lua_State *L)
{
    int level;

    lua_pushinteger(L, script_line(L, &level));
    return 1;
}

static int
blame_line(lua_State *L)
{
    raise_at_line(L, "%s", luaL_checkstring(L, 1));
    return 0;
}

/* The script -------------------------------------------------------------- */

/* The part of Lua that a lesson may use: nothing that reaches outside. */
static void
open_libraries(lua_State *L)
{
    static const luaL_Reg libraries[] = {
        {LUA_GNAME, luaopen_base},       {LUA_STRLIBNAME, luaopen_string},
        {LUA_TABLIBNAME, luaopen_table}, {LUA_MATHLIBNAME, luaopen_math},
        {LUA_UTF8LIBNAME, luaopen_utf8},
    };
    static const char *const outward[] = {"load",   "loadfile", "dofile",
                                          "print",  "require",  "warn",
                                          "collectgarbage"};

    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
        luaL_requiref(L, libraries[i].name, libraries[i].func, 1);
        lua_pop(L, 1);
    }
    for (size_t i = 0; i < sizeof outward / sizeof outward[0]; i++) {
        lua_pushnil(L);
        lua_setglobal(L, outward[i]);
    }
    lua_getglobal(L, "string");
    lua_pushnil(L);
    lua_setfield(L, -2, "dump");
    lua_getglobal(L, "math");
    lua_getfield(L, -1, "randomseed");
    lua_pushinteger(L, 1); /* always the same, because pages are replayed */
    lua_call(L, 1, 0);
    lua_settop(L, 0);
}

/* Loads a chunk, to be called after its arguments have been pushed. */
static void
load_chunk(lua_State *L, const char *name, const char *text, size_t length)
{
    if (luaL_loadbufferx(L, text, length, name, "t") != LUA_OK)
        lua_error(L);
}

/* Runs the script with its verbs.  `given` is what the front end has said of
 * it; what is called at the end of an algorithm stays on the stack. */
static int
run_script(lua_State *L)
{
    const json_t *given = lua_touserdata(L, 1);
    const char *source = json_string_value(json_object_get(given, "source"));
    char name[sizeof chunk_name + 1];

    open_libraries(L);
    load_chunk(L, "=verbs", verbs_lua, sizeof verbs_lua - 1);
    lua_pushcfunction(L, make_request);
    lua_call(L, 1, 2); /* `only` and `set`, for author.lua */
    if (is_algorithm) {
        load_chunk(L, "=author", author_lua, sizeof author_lua - 1);
        lua_pushcfunction(L, make_request);
        lua_pushcfunction(L, push_line);
        lua_pushcfunction(L, blame_line);
        lua_pushvalue(L, 1);
        lua_pushvalue(L, 2);
        push_value(L, given);
        lua_call(L, 6, 1);
    }
    snprintf(name, sizeof name, "@%s", chunk_name);
    load_chunk(L, name, source, strlen(source));
    set_timer();
    lua_call(L, 0, 0);
    if (is_algorithm)
        lua_call(L, 0, 0);
    return 0;
}

/* Opens and sets all that is needed, then locks the rest. */
static void
lock_up(struct lockdown *locks)
{
    struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_RESTART};
    static char in[REQUEST_BYTES], out[REQUEST_BYTES];

    print_open();
    json_object_seed(0); /* from /dev/urandom */
    setvbuf(stdin, in, _IOFBF, sizeof in);
    setvbuf(stdout, out, _IOFBF, sizeof out);
    sigaction(SIGPROF, &action, NULL);
    lockdown(locks);
}

static void
report_locks(const struct lockdown *locks)
{
    static const char *const names[LOCKS] = {
        [LOCK_PRIVILEGES] = "no_new_privs",
        [LOCK_LANDLOCK] = "Landlock",
        [LOCK_SECCOMP] = "seccomp",
    };
    OWN(buf) line = {0};

    buf_puts(&line, "{\"locks\":");
    for (int i = 0; i < LOCKS; i++)
        buf_addf(&line, "%c\"%s\":%d", i > 0 ? ',' : '{', names[i],
                 locks->missing[i]);
    buf_puts(&line, "}}\n");
    write_line(&line);
}

/* Runs a script to its end.  What a script before it has left stays where it
 * is: Lua cannot be closed from within. */
static void
run_given(const char *path, const json_t *given)
{
    struct buf over = {0};
    const char *text;
    int status;

    snprintf(chunk_name, sizeof chunk_name, "%.200s",
             basename(strdupa(path)));
    is_algorithm = json_object_get(given, "n") != NULL;
    kind = is_algorithm ? "algorithm" : "lesson";
    prepare_last_words(1);
    memory = 0;
    rung = 0;
    lua = lua_newstate(allocate_limited, NULL);
    if (lua == NULL)
        report_failure("no memory for Lua");
    lua_pushcfunction(lua, run_script);
    lua_pushlightuserdata(lua, (void *)given);
    status = lua_pcall(lua, 1, 0, 0);
    if (status != LUA_OK) { /* Lua may have put the place there already */
        text = lua_tostring(lua, -1);
        if (text == NULL)
            text = "an error was raised that is not a string";
        if (status == LUA_ERRMEM)
            buf_addf(&over, "%s:%d: after this line the %s takes more than %d "
                     "MiB of memory", chunk_name, last_line, kind,
                     MEMORY_BYTES >> 20);
        else if (strncmp(text, chunk_name, strlen(chunk_name)) == 0)
            buf_puts(&over, text);
        else
            buf_addf(&over, "%s:%d: after this line: %s", chunk_name,
                     last_line, text);
        report_failure(buf_text(&over));
    }
    buf_puts(&over, "{\"end\":true}\n");
    write_line(&over);
    _exit(0); /* without finalizers, which belong to the script */
}

int
main(int argc, char **argv)
{
    const json_t *first, *given;
    struct lockdown locks;

    lock_up(&locks);
    first = argc == 2 ? json_loadf(stdin, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
    given = json_object_get(first, "value");
    if (json_is_true(json_object_get(given, "locks"))) {
        report_locks(&locks);
        _exit(0);
    }
    if (!json_is_string(json_object_get(given, "source"))) {
        fprintf(stderr, "collviz-lesson is run by collviz learn\n");
        return 2;
    }
    run_given(argv[1], given);
}
