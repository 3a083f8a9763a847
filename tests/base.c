/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <math.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/dtype.h"
#include "base/err.h"
#include "base/json.h"
#include "base/load.h"
#include "base/memory.h"
#include "base/replace.h"
#include "base/utf8.h"
#include "lab.h"
#include "syncs.h"
#include "tap.h"

static void
test_utf8(void)
{
    static const char *const bad[] = {"\xff", "\xc0\x80", "\xed\xa0\x80",
                                      "\xf4\x90\x80\x80", "\xe4\xb8"};
    const char *text = "a\xe4\xb8\xad";
    char out[32];

    is_int(utf8_next(&text), 'a', "an ASCII character");
    is_int(utf8_next(&text), 0x4e2d, "a Chinese one");
    is_int(utf8_next(&text), 0, "the end");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        text = bad[i];
        is_int(utf8_next(&text), UTF8_BAD + (unsigned char)bad[i][0],
               "bytes that are not UTF-8, %zu", i);
        is_int(text - bad[i], 1, "are read byte by byte");
    }
    is_int(utf8_columns("GPU \xe4\xb8\xad\xe6\x96\x87"), 8,
           "Chinese takes two columns");
    is_int(utf8_columns("\xe2\x9c\x85"), 2, "so does a sign like U+2705");
    is_int(utf8_columns("\xe0\xa4\xa8\xe0\xa5\x81"), 1,
           "a vowel sign of Hindi takes none of its own");
    utf8_clean(out, sizeof out, "a\033[31mb\xffz\xc2\x9b");
    is_str(out, "a\\x1b[31mb\\xffz\\u009b", "no control character is left");
    utf8_clean(out, 4, "ab\xe4\xb8\xad");
    is_str(out, "ab", "cut at a whole character");
    is_int(utf8_put(out, 0x4e2d), 3, "written back");
}

/* Characters that could mislead a terminal, or a reader's eye. */
static void
test_hidden(void)
{
    static const struct {
        uint32_t first, last;
        const char *what;
    } hidden[] = {{0x1, 0x1f, "C0"},
                  {0x7f, 0x9f, "DEL and C1"},
                  {0x61c, 0x61c, "the Arabic letter mark"},
                  {0x200b, 0x200b, "the blank of no width"},
                  {0x200e, 0x200f, "marks of direction"},
                  {0x2028, 0x2029, "separators of lines and paragraphs"},
                  {0x202a, 0x202e, "embeddings and overrides"},
                  {0x2060, 0x206f, "invisible operators, isolates"},
                  {0xfeff, 0xfeff, "the byte order mark"},
                  {0xfffe, 0xffff, "what is no character"},
                  {0xe0000, 0xe007f, "tags"}};
    static const uint32_t shown[] = {' ',    '~',    0xa0,   0x301,  0x61b,
                                     0x200a, 0x200c, 0x200d, 0x2010, 0x202f,
                                     0x205f, 0x2070, 0x4e2d, 0xfffd, 0x1f600};
    char escape[UTF8_SHOWN_MAX];

    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++) {
        int wrong = 0;
        for (uint32_t code = hidden[i].first; code <= hidden[i].last; code++) {
            int length = utf8_show(escape, code);
            wrong += utf8_is_shown(code) || escape[0] != '\\' ||
                     length != utf8_width(code);
        }
        is_int(wrong, 0,
               "%s are escaped, in as many columns as utf8_width() says",
               hidden[i].what);
    }
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++)
        ok(utf8_is_shown(shown[i]), "U+%04x is shown as it is",
           (unsigned)shown[i]);
}

static void
test_shown(void)
{
    static const char text[] = "a\n\xe2\x80\x8f" "b\xf3\xa0\x81\x81"
                               "\xed\xa0\x80\xe4\xb8\xad";
    OWN(buf) out = {0};
    char small[9];

    utf8_add(&out, text);
    is_str(buf_text(&out), "a\\x0a\\u200fb\\U000e0041\\xed\\xa0\\x80"
           "\xe4\xb8\xad", "hidden characters are escaped");
    is_int(utf8_columns(text), utf8_columns(buf_text(&out)),
           "takes as many columns as utf8_columns() says");
    buf_clear(&out);
    utf8_add(&out, "a\\u202e");
    is_str(buf_text(&out), "a\\u202e", "an escape is not escaped again");
    buf_clear(&out);
    utf8_addf(&out, "%s in %d\n", "a\nname", 3);
    is_str(buf_text(&out), "a\\x0aname in 3\n",
           "a newline in a name is escaped, that of the format is not");
    buf_clear(&out);
    utf8_pad(&out, "\xe4\xb8\xad", 4);
    utf8_pad(&out, "\033", -6);
    utf8_pad(&out, "wide", 2);
    is_str(buf_text(&out), "  \xe4\xb8\xad\\x1b  wide",
           "padded on either side, by columns as shown");
    utf8_clean(small, sizeof small, "abc\xe2\x80\x8f");
    is_str(small, "abc", "no escape is cut");
    buf_clear(&out);
    utf8_add_xml(&out, "<a b=\"c\">&\x1b\xef\xbf\xbf\xff");
    is_str(buf_text(&out), "&lt;a b=&quot;c&quot;&gt;&amp;\\x1b\\uffff\\xff",
           "in XML");
}

static void
test_dtype(void)
{
    static const struct {
        enum dtype type;
        const char *text;
    } right[] = {{DTYPE_FLOAT32, "0.1"},   {DTYPE_FLOAT32, "3.4028235e+38"},
                 {DTYPE_FLOAT64, "1e+300"}, {DTYPE_INT32, "-2147483648"},
                 {DTYPE_INT64, "9223372036854775807"}, {DTYPE_UINT8, "255"},
                 {DTYPE_FLOAT32, "inf"},   {DTYPE_FLOAT64, "-inf"}},
      wrong[] = {{DTYPE_FLOAT32, "1e39"}, {DTYPE_FLOAT64, "1e999"},
                 {DTYPE_INT32, "2147483648"}, {DTYPE_UINT8, "-1"},
                 {DTYPE_INT64, "1.5"},     {DTYPE_FLOAT32, ""},
                 {DTYPE_FLOAT32, " 1"},    {DTYPE_FLOAT32, "1x"}};
    unsigned char element[DTYPE_SIZE_MAX];

    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        unsigned char a[DTYPE_SIZE_MAX] = {0}, b[DTYPE_SIZE_MAX] = {0};
        char text[DTYPE_TEXT_MAX];
        ok(dtype_parse(right[i].type, right[i].text, a), "%s is a %s",
           right[i].text, dtype_name(right[i].type));
        dtype_format(right[i].type, a, text);
        ok(dtype_parse(right[i].type, text, b) &&
               memcmp(a, b, sizeof a) == 0,
           "and comes back from %s", text);
    }
    for (size_t i = 0; i < 7; i++) { /* as %g writes them */
        static const char *const texts[] = {"0",      "-0",    "1", "-120",
                                            "999999", "1e+06", "1.5"};
        char text[DTYPE_TEXT_MAX];
        dtype_parse(DTYPE_FLOAT32, texts[i], element);
        dtype_format(DTYPE_FLOAT32, element, text);
        is_str(text, texts[i], "a float32 is written as %s", texts[i]);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        ok(!dtype_parse(wrong[i].type, wrong[i].text, element),
           "'%s' is no %s", wrong[i].text, dtype_name(wrong[i].type));
}

/* If chunks change places, the sum must change: no two rows, and no two windows
 * of a row, are the same. */
static void
test_default(void)
{
    for (int type = 0; type < DTYPES; type++) {
        int alike = 0;
        for (int shift = 1; shift < 5000; shift++) {
            int same = 0;
            for (int i = 0; i < 64; i++) {
                uint64_t a = 0, b = 0;
                dtype_default((enum dtype)type, REDOP_SUM, 2, i, &a);
                dtype_default((enum dtype)type, REDOP_SUM, 2, i + shift, &b);
                same += a == b;
            }
            alike += same == 64;
        }
        is_int(alike, 0, "no stretch of the default %s comes again at once",
               dtype_name((enum dtype)type));
    }
}

/* What is of one class is the same on each rank, around the places where the
 * table's period breaks, too. */
static void
test_default_classes(void)
{
    static const int64_t starts[] = {0, 31 * 37 - 500, 63001 - 500};
    int different = 0, classes = 0, most = 0;

    for (int type = 0; type < DTYPES; type++)
        for (int op = 0; op < REDOPS; op++) {
            uint64_t first[DTYPE_CLASSES][3] = {{0}};
            bool seen[DTYPE_CLASSES] = {false};
            for (int i = 0; i < 3 * 1000; i++) {
                int64_t at = starts[i / 1000] + i % 1000;
                int class = dtype_default_class((enum dtype)type,
                                                (enum redop)op, at);
                uint64_t element[3] = {0};
                if (class < 0)
                    continue;
                for (int rank = 0; rank < 3; rank++)
                    dtype_default((enum dtype)type, (enum redop)op, 40 * rank,
                                  at, &element[rank]);
                if (!seen[class])
                    memcpy(first[class], element, sizeof element);
                different += memcmp(first[class], element, sizeof element) != 0;
                classes += !seen[class];
                seen[class] = true;
                most = class > most ? class : most;
            }
        }
    is_int(different, 0, "defaults of one class are the same");
    is_int(most, DTYPE_CLASSES - 1, "of so many classes");
    is_int(classes, 5 * (31 + 6 * 251), "for each operator of numbers");
}

/* Many at once are those that come one by one, and end where they should. */
static void
test_many_defaults(void)
{
    enum { MOST = 1200 };
    static const int64_t starts[] = {0, 31 * 37 - 500, 63001 - 500};
    static const int counts[] = {0, 1, 31, 32, 251, 252, MOST};
    int different = 0, over = 0;

    for (int type = 0; type < DTYPES; type++)
        for (int op = 0; op < REDOPS; op++)
            for (int k = 0; k < 3 * 7; k++) {
                unsigned char many[(MOST + 1) * DTYPE_SIZE_MAX];
                size_t size = dtype_size((enum dtype)type);
                size_t count = (size_t)counts[k / 3];
                memset(many, 0x5a, sizeof many);
                dtype_defaults((enum dtype)type, (enum redop)op, 40 + k,
                               starts[k % 3], (int64_t)count, many);
                for (size_t i = 0; i < count; i++) {
                    unsigned char one[DTYPE_SIZE_MAX];
                    dtype_default((enum dtype)type, (enum redop)op, 40 + k,
                                  starts[k % 3] + (int64_t)i, one);
                    different += memcmp(many + i * size, one, size) != 0;
                }
                over += many[count * size] != 0x5a;
            }
    is_int(different, 0, "many defaults at once are the same");
    is_int(over, 0, "and no more of them than asked for");
}

/* Whole numbers, whose sum is too small to be rounded. */
static void
test_default_sum(void)
{
    for (int type = 0; type < DTYPES; type++) {
        double largest = 0;
        int broken = 0;
        if (!dtype_is_float((enum dtype)type))
            continue;
        for (int64_t i = 0; i < 1000; i++) {
            double sum = 0;
            for (int rank = 0; rank < 8; rank++) {
                uint64_t element;
                dtype_default((enum dtype)type, REDOP_SUM, rank, i, &element);
                double x = dtype_real((enum dtype)type, &element);
                broken += x != floor(x) || x < 0;
                sum += x;
            }
            largest = fmax(largest, sum);
        }
        largest *= dtype_limits((enum dtype)type)->epsilon;
        ok(broken == 0 && largest <= 2,
           "8 ranks' default %s add up exactly", dtype_name((enum dtype)type));
    }
}

/* A byte has few enough values to try them all: which of them stay the same
 * when memory that nobody wrote is added to them, or multiplied with them, so
 * many times? */
static void
test_unwritten(void)
{
    uint8_t sum, prod, least, most;
    int hidden_sums = 0, hidden_prods = 0;

    dtype_unwritten(DTYPE_UINT8, REDOP_SUM, &sum);
    dtype_unwritten(DTYPE_UINT8, REDOP_PROD, &prod);
    dtype_unwritten(DTYPE_UINT8, REDOP_MIN, &least);
    dtype_unwritten(DTYPE_UINT8, REDOP_MAX, &most);
    for (int x = 0; x < 256; x++) {
        for (int times = 1; times < 256; times++)
            hidden_sums += (uint8_t)(x + times * sum) == x;
        hidden_prods += (uint8_t)(x * prod) == x && x != 0 && x != 128;
    }
    is_int(hidden_sums, 0, "unwritten memory shows in every sum");
    is_int(hidden_prods, 0, "in all products except of 0 and 128");
    ok(least == 0 && most == 255, "in a minimum and a maximum");
    for (int type = 0; type < DTYPES; type++)
        for (int op = 0; op < redop_count((enum dtype)type); op++) {
            bool bounds = op == REDOP_MIN || op == REDOP_MAX;
            uint64_t element = 0;
            char text[DTYPE_TEXT_MAX];
            dtype_unwritten((enum dtype)type, (enum redop)op, &element);
            dtype_format((enum dtype)type, &element, text);
            if (dtype_is_float((enum dtype)type))
                is_str(text,
                       op == REDOP_MIN ? "-inf" : bounds ? "inf" : "nan",
                       "%s of %s", redop_name((enum redop)op),
                       dtype_name((enum dtype)type));
            else if (op == REDOP_LAND || op == REDOP_BAND)
                is_str(text, "0", "%s of %s", redop_name((enum redop)op),
                       dtype_name((enum dtype)type));
            else if (op == REDOP_LOR || op == REDOP_BOR)
                is_str(text, type == DTYPE_UINT8 ? "255" : "-1", "%s of %s",
                       redop_name((enum redop)op),
                       dtype_name((enum dtype)type));
            else if (!bounds)
                ok((element & 3) == 3, "%s of %s: %s",
                   redop_name((enum redop)op), dtype_name((enum dtype)type),
                   text);
        }
}

/* Combines all elements but that of rank `lacks`. */
static int64_t
combine_all(enum redop op, const int64_t *x, int n, int lacks)
{
    bool all = true, any = false;
    int64_t and = -1, or = 0, xor = 0;

    for (int i = 0; i < n; i++) {
        if (i == lacks)
            continue;
        all &= x[i] != 0;
        any |= x[i] != 0;
        and &= x[i];
        or |= x[i];
        xor ^= x[i];
    }
    return op == REDOP_LAND   ? all
           : op == REDOP_LOR  ? any
           : op == REDOP_BAND ? and
           : op == REDOP_BOR  ? or
                              : xor;
}

/* Up to 7 ranks: the result of a logical or bitwise operator changes if any of
 * them is missing. */
static void
test_default_bits(void)
{
    enum { RANKS = 7, N = 2 * RANKS };
    static const enum dtype types[] = {DTYPE_INT32, DTYPE_INT64, DTYPE_UINT8};

    for (int i = 0; i < 3; i++)
        for (int lacks = 0; lacks < RANKS; lacks++) {
            int changed[REDOPS] = {0};
            for (int op = REDOP_LAND; op < REDOPS; op++)
                for (int64_t at = 0; at < N; at++) {
                    int64_t x[RANKS];
                    for (int rank = 0; rank < RANKS; rank++) {
                        uint64_t element;
                        dtype_default(types[i], (enum redop)op, rank, at,
                                      &element);
                        x[rank] = dtype_whole(types[i], &element);
                    }
                    changed[op] +=
                        combine_all((enum redop)op, x, RANKS, -1) !=
                        combine_all((enum redop)op, x, RANKS, lacks);
                }
            ok(changed[REDOP_LAND] == 1 && changed[REDOP_LOR] == 1 &&
                   changed[REDOP_BAND] == N && changed[REDOP_BOR] == N &&
                   changed[REDOP_BXOR] == N,
               "%s: what lacks rank %d differs", dtype_name(types[i]), lacks);
        }
}

static void
test_json(void)
{
    OWN(buf) out = {0};
    json_t *o = json_loads("{\"a\":3,\"b\":\"x\",\"c\":[1]}", 0, NULL);
    struct err err;
    struct json_line l = {.from = o, .err = &err};
    const char *text;
    const json_t *list;
    int value = 7, two[2] = {8, 9};
    bool may = true;

    json_add_string(&out, "a\"b\\\n\x7f");
    is_str(buf_text(&out), "\"a\\\"b\\\\\\u000a\\u007f\"", "a string escaped");
    buf_clear(&out);
    json_add_string(&out, "\xe4\xb8\xad\xc2\x9b\xe2\x80\x8f"
                          "\xf3\xa0\x81\x81\xff");
    is_str(buf_text(&out),
           "\"\xe4\xb8\xad\\u009b\\u200f\\udb40\\udc41\\\\xff\"",
           "in JSON's manner, and what JSON can not hold as it is shown");
    ok(JSON_PASS(&l, JSON_BOOL("?far", &may), JSON_INT("a", &value, 0, 3)) &&
           value == 3 && may, "a number, after what may be missing");
    ok(!JSON_PASS(&l, JSON_INT("a", &value, 0, 2)), "out of range");
    is_str(err.text, "\"a\" is 3, it must be 0 to 2", "and why");
    ok(!JSON_PASS(&l, JSON_INT("z", &value, 0, 2)), "missing");
    is_str(err.text, "\"z\" is missing", "and which");
    ok(!JSON_PASS(&l, JSON_INT("b", &value, 0, 2)), "a string is no number");
    ok(JSON_PASS(&l, JSON_BORROWED("b", &text, 2)), "a string");
    ok(!JSON_PASS(&l, JSON_BORROWED("b", &text, 1)), "too long a string");
    ok(!JSON_PASS(&l, JSON_INTS("c", two, 2, 0, 9)), "too short a list");
    is_str(err.text, "\"c\" has 1 item, it must have 2 to 2", "and why");
    buf_clear(&out);
    buf_putc(&out, '{');
    l = (struct json_line){.to = &out};
    JSON_PASS(&l, JSON_INTS("c", two, 2, 0, 0), JSON_BOOL("?far", &may),
              JSON_INT("?none", &(int){0}, 0, 0), JSON_INT("a", &value, 0, 0));
    is_str(buf_text(&out), "{\"c\":[8,9],\"far\":true,\"a\":3",
           "members are written, but those that are nothing");
    ok(json_get_array(o, "c", 1, 1, &list, &err), "a list");
    ok(!json_get_array(o, "c", 2, 2, &list, &err), "too short a list");
    json_decref(o);
}

/* The number of files and folders in the lab. */
static int
files(void)
{
    DIR *folder = opendir(lab);
    const struct dirent *entry;
    int count = 0;

    while ((entry = readdir(folder)) != NULL)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static void
test_replace(void)
{
    struct err why = {.text = ""};
    struct replace *r;
    char path[100], text[10] = "";
    FILE *file;

    snprintf(path, sizeof path, "%s/file", lab);
    r = replace_open(path, 0600, &why);
    fputs("lasts", replace_file(r));
    ok(replace_close(r, true, &why) && syncs == 1,
       "a file that lasts is on the disk: %s", why.text);
    r = replace_open(path, 0600, &why);
    fputs("newer", replace_file(r));
    ok(replace_close(r, true, &why), "another: %s", why.text);
    file = fopen(path, "r");
    ok(fgets(text, sizeof text, file) != NULL, "it is there");
    is_str(text, "newer", "in the place of the other");
    fclose(file);
    r = replace_open(path, 0600, &why);
    replace_close(r, false, &why);
    is_int(files(), 1, "one that is given up leaves nothing beside it");
    r = replace_open(path, 0600, &why);
    if (unlink(path) != 0 || mkdir(path, 0700) != 0)
        exit(99);
    ok(!replace_close(r, true, &why) && why.text[0] != '\0',
       "a folder that has come meanwhile is not replaced: %s", why.text);
    is_int(files(), 1, "nor is anything left beside it");
}

/* A file of several blocks of stdio. */
static void
test_load(void)
{
    enum { BYTES = 10000 };
    OWN(buf) text = {0};
    char path[300];
    struct err why = {0};
    FILE *file;

    snprintf(path, sizeof path, "%s/long", lab);
    file = fopen(path, "w");
    for (int i = 0; i < BYTES; i++)
        fputc("0123456789"[i % 10], file);
    fclose(file);
    ok(load(path, BYTES, &text, &why) && text.length == BYTES &&
       text.data[BYTES - 1] == '9', "a file as long as it may be: %s",
       why.text);
    ok(!load(path, BYTES - 1, &text, &why) &&
       strstr(why.text, "more than 9 KiB") != NULL, "one byte more: %s",
       why.text);
    ok(load(path, BYTES, &text, &why) && !load(lab, 1, &text, &why),
       "a folder is no file: %s", why.text);
    unlink(path);
}

/* A file below the lab, whose folders are made. */
static void
put(const char *path, const char *text)
{
    char command[300];

    snprintf(command, sizeof command,
             "cd %s && mkdir -p \"$(dirname %s)\" && printf '%s\n' >%s", lab,
             path, text, path);
    if (system(command) != 0)
        exit(99);
}

static void
is_memory(double bytes, const char *name)
{
    bool limited;
    double most = memory_most(lab, &limited);

    is_int((long long)most, (long long)bytes, "%s", name);
    ok(limited == (bytes < memory_most("/nowhere", &(bool){false})),
       "and that is a limit, or none");
}

static void
test_memory(void)
{
    bool limited;
    double machine = memory_most("/nowhere", &limited);

    ok(machine > 0 && !limited, "%.0f bytes are this machine's", machine);
    put("proc/self/cgroup", "0::/a.slice/b.scope");
    is_memory(machine, "a group without a limit");
    put("sys/fs/cgroup/a.slice/b.scope/memory.max", "max");
    is_memory(machine, "one that may take all");
    put("sys/fs/cgroup/a.slice/memory.max", "5000000");
    is_memory(5000000, "the limit of what it is in");
    put("sys/fs/cgroup/a.slice/b.scope/memory.max", "3000000");
    is_memory(3000000, "a lower one of its own");
    put("proc/self/cgroup", "12:cpu,memory:/job/1\\n3:memories:/no\\n0::/x");
    is_memory(machine, "another group, of version 1");
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
    is_memory(machine, "which may take all");
    put("sys/fs/cgroup/memory/no/memory.limit_in_bytes", "1000");
    put("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "2000000");
    is_memory(2000000, "the limit of a job");
    put("sys/fs/cgroup/memory/job/1/memory.limit_in_bytes", "4000000");
    is_memory(2000000, "holds for all that is in it");
    put("proc/self/cgroup", "garbage\\n:\\n::");
    is_memory(machine, "what cannot be read limits nothing");
}

int
main(void)
{
    lab_make();
    test_load();
    test_utf8();
    test_hidden();
    test_shown();
    test_dtype();
    test_default();
    test_default_classes();
    test_many_defaults();
    test_default_sum();
    test_unwritten();
    test_default_bits();
    test_json();
    test_replace();
    test_memory();
    lab_remove();
    return done_testing();
}
