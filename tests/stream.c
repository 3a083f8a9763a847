/* SPDX-License-Identifier: MIT */
/* The stream: what is written is read back the same, and whatever is done to a
 * recording, reading it ends with an item, the end or an error.  Which error:
 * tests/golden/recordings.cmds. */
#include "event/stream.h"

#include <stdlib.h>

#include "random_schedule.h"
#include "recording.h"
#include "tap.h"
#include "why.h"

OWN_FREE(stream_reader)

static FILE *
open_text(const char *text, size_t length)
{
    FILE *file = tmpfile();

    if (file == NULL || fwrite(text, 1, length, file) != length) {
        perror("tmpfile");
        exit(99);
    }
    rewind(file);
    return file;
}

/* Reads a whole text; writes its items again into `out`, unless it is NULL.
 * Returns how it ended. */
static enum stream_got
read_text(const char *text, size_t length, struct buf *out, struct err *err)
{
    FILE *file = open_text(text, length);
    struct stream_reader *r = stream_reader_new(file, NULL, "test");
    struct stream_writer w = {0};
    struct item item;
    enum stream_got got;

    while ((got = stream_read(r, &item, err)) == STREAM_ITEM)
        if (out != NULL)
            stream_write(&w, &item, out);
    stream_reader_free(r);
    fclose(file);
    return got;
}

static void
test_round_trip(void)
{
    OWN(buf) out = {0};
    struct err err = {.text = ""};

    is_int(read_text(recording, sizeof recording - 1, &out, &err),
           STREAM_OVER, "a recording is read to its end");
    is_str(err.text, "", "without an error");
    is_str(buf_text(&out), recording, "and written again, it is the same");
}

/* Recordings of before say "first_ranks". */
static void
test_first_ranks(void)
{
    static const char old[] = "\"first_ranks\":[0,1],";
    const char *at = strstr(recording, "\"rank_devices\"");
    const char *rest = strstr(at, "\"clock_ns\"");
    OWN(buf) text = {0}, out = {0};
    struct err err = {.text = ""};

    buf_add(&text, recording, (size_t)(at - recording));
    buf_addf(&text, "%s%s", old, rest);
    is_int(read_text(text.data, text.length, &out, &err), STREAM_OVER,
           "an old recording is read: %s", err.text);
    ok(strstr(buf_text(&out), "\"rank_devices\":[0,1],") != NULL,
       "with the ranks that each device had");
}

/* Reads a run of 32 ranks, each of which is late by 1 ms, but the last one for
 * good, with `keys` in its line. */
static enum stream_got
read_purpose(const char *keys, struct purpose *p, struct err *err)
{
    OWNS(stream_reader) *r = stream_reader_new(NULL, NULL, "test");
    OWN(buf) line = {0};
    struct item item;
    enum stream_got got;

    buf_addf(&line, "{\"type\":\"run\",\"version\":1,\"collective\":"
             "\"broadcast\",\"algorithm\":\"test\",\"ranks\":32,"
             "\"backend\":\"threads\",\"devices\":[],\"type_name\":"
             "\"int32\",\"op\":\"sum\",\"root\":0,\"count\":1,\"steps\":0,"
             "\"in_place\":true,\"pieces\":1,\"scratch\":0,"
             "\"pace\":\"free\",\"place\":\"core\",\"places\":1%s}", keys);
    got = stream_take(r, line.data, line.length, &item, err);
    if (got == STREAM_ITEM)
        *p = item.run->purpose;
    return got;
}

/* What is wrong on purpose is read as it was written, of any length. */
static void
test_purpose(void)
{
    static const char *const good[] = {
        "0=root:31", "31=count:0", "1=count:1099511627776",
        "2=algorithm:ring: \u00e9", "3=order"};
    OWN(buf) delays = {0}, keys = {0};
    struct purpose p = {.fault.kind = FAULT_NONE};
    struct err err = {.text = ""};

    for (int rank = 0; rank < 31; rank++)
        buf_addf(&delays, "%d=%d ", rank, 1000 + rank);
    buf_puts(&delays, "31=inf");
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        OWN(buf) read = {0};
        buf_clear(&keys);
        buf_addf(&keys, ",\"messages\":true,\"mismatch\":\"%s\",\"fault\":"
                 "\"repeat:7:31\",\"delay\":\"%s\"", good[i],
                 buf_text(&delays));
        is_int(read_purpose(buf_text(&keys), &p, &err), STREAM_ITEM, "%s%s",
               good[i], err.text);
        for (int part = 0; part < PURPOSE_PARTS; part++) {
            buf_puts(&read, part > 0 ? " " : "");
            purpose_add(&p, (enum purpose_part)part, &read);
        }
        buf_clear(&keys);
        buf_addf(&keys, "%s repeat:7:31 %s", good[i], buf_text(&delays));
        is_str(buf_text(&read), buf_text(&keys), "is what was read");
        is_int(p.delays[31], DELAY_FOREVER, "the last of 32 is late for good");
    }
}

/* Devices of one host are those whose names begin with the same word. */
static void
test_hosts(void)
{
    struct run_info run = {.place = PLACE_HOST, .ndevices = 4,
                           .devices = {"cv12, a", "cv1, b", "cv12", "cv1, a"},
                           .device_of = {0, 1, 2, 3}};
    OWNS(schedule) *s = schedule_new(&(struct schedule_spec){
        .collective = collective_find("broadcast"), .algorithm = "test",
        .nranks = 4, .pieces = 1, .in_place = true});
    char name[RUN_NAME_MAX];

    run_know_hosts(&run);
    for (int src = 0; src < 4; src++)
        for (int dst = 0; dst < 4; dst++)
            is_int(run_leaves_host(&run, s, src, dst), src % 2 != dst % 2,
                   "rank %d to rank %d", src, dst);
    run_host_name(&run, 3, name);
    is_str(name, "cv1", "a host's name");
    run.place = PLACE_GPU;
    run_know_hosts(&run);
    ok(!run_leaves_host(&run, s, 0, 1), "GPUs are all of one host");
}

/* Older recordings of mismatches do not say by which rules, but those of a
 * deadlock, which has none. */
static void
test_rules(void)
{
    static const struct {
        const char *keys, *shown;
    } rules[] = {
        {",\"mismatch\":\"0=root:1\"", "0=root:1 --rules mpi"},
        {",\"mismatch\":\"0=root:1\",\"rules\":\"mpi\"",
         "0=root:1 --rules mpi"},
        {",\"mismatch\":\"0=count:7\",\"rules\":\"nccl\"",
         "0=count:7 --rules nccl"},
        {",\"mismatch\":\"0=order\"", "0=order"},
        {"", ""},
        {",\"mismatch\":\"0=root:1\",\"rules\":\"others\"", NULL},
    };

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        OWN(buf) shown = {0};
        struct purpose p = {.fault.kind = FAULT_NONE};
        struct err err = {.text = ""};

        is_int(read_purpose(rules[i].keys, &p, &err),
               rules[i].shown != NULL ? STREAM_ITEM : STREAM_FAILED, "%s: %s",
               rules[i].keys, err.text);
        purpose_show(&p, PURPOSE_MISMATCH, &shown);
        is_str(buf_text(&shown), rules[i].shown != NULL ? rules[i].shown : "",
               "is shown with its rules");
    }
}

/* And only so. */
static void
test_no_purpose(void)
{
    static const char *const bad[] = {
        "mismatch\":\"32=root:1", "mismatch\":\"0=root:32",
        "mismatch\":\"0=root", "mismatch\":\"0=order:1",
        "mismatch\":\"0=none", "mismatch\":\"0=none:0",
        "mismatch\":\"0=count:-1", "mismatch\":\"0=count:1x",
        "mismatch\":\"+0=count:1", "mismatch\":\"00=count:1",
        "mismatch\":\"0=count:9999999999999999999",
        "mismatch\":\"0=algorithm:", "mismatch\":\"0=roots:1",
        "mismatch\":\"0=algorithm:0123456789abcdef0123456789abcdef0123456789"
        "abcdef0123456789abcdef",
        "fault\":\"none:1:0", "fault\":\"drop:0:0", "fault\":\"drop:1:32",
        "fault\":\"drop:1", "fault\":\"drop:1:0 ", "fault\":\"dropped:1:0",
        "fault\":\"drop:99999999999:1", "delay\":\"32=1", "delay\":\"1=0",
        "delay\":\"2=1 1=1", "delay\":\"1=1 1=1", "delay\":\"1=1  2=1",
        "delay\":\"1=1 ", "delay\":\" 1=1", "delay\":\"1=infinite",
        "delay\":\"1=inf2=1", "delay\":\"1=1.5", "delay\":\"1=-1",
        "delay\":\"1"};
    struct purpose p;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        OWN(buf) keys = {0};
        struct err err = {.text = ""};
        buf_addf(&keys, ",\"%s\"", bad[i]);
        is_int(read_purpose(buf_text(&keys), &p, &err), STREAM_FAILED,
               "%s: %s", bad[i], err.text);
    }
}

/* Older versions cut the text after 127 bytes, wherever that was: the last
 * entry is not believed. */
static void
test_cut_purpose(void)
{
    for (int64_t first = 1; first <= 1000000000; first *= 10) {
        OWN(buf) text = {0}, keys = {0}, read = {0};
        struct purpose p = {.fault.kind = FAULT_NONE};
        struct err err = {.text = ""};
        char cut[128];

        buf_addf(&text, "0=%lld", (long long)first);
        for (int rank = 1; rank < 32; rank++)
            buf_addf(&text, " %d=1000", rank);
        snprintf(cut, sizeof cut, "%s", buf_text(&text));
        buf_addf(&keys, ",\"delay\":\"%s\"", cut);
        is_int(read_purpose(buf_text(&keys), &p, &err), STREAM_ITEM,
               "...%s%s", cut + 110, err.text);
        *strrchr(cut, ' ') = '\0';
        purpose_add(&p, PURPOSE_DELAYS, &read);
        is_str(buf_text(&read), cut, "is read but for its last entry");
    }
}

/* As long a text of today is whole. */
static void
test_whole_purpose(void)
{
    static const char text[] =
        "0=1000 1=1000 2=1000 3=1000 4=1000 5=1000 6=1000 7=1000 8=1000 "
        "9=1000 10=1000 11=1000 12=1000 13=1000 14=1000 15=1000 16=100000";
    OWN(buf) keys = {0}, read = {0};
    struct purpose p = {.fault.kind = FAULT_NONE};
    struct err err = {.text = ""};

    is_int((int)strlen(text), 127, "127 bytes");
    buf_addf(&keys, ",\"messages\":false,\"delay\":\"%s\"", text);
    is_int(read_purpose(buf_text(&keys), &p, &err), STREAM_ITEM, "are read%s",
           err.text);
    purpose_add(&p, PURPOSE_DELAYS, &read);
    is_str(buf_text(&read), text, "to their end");
}

/* The sentence of an older recording is all that is known; beside `why` it is
 * not read. */
static void
test_said(void)
{
    static const struct {
        const char *keys;
        enum wrong_kind kind;
        const char *sentence;
    } results[] = {
        {"", WRONG_NOTHING, ""},
        {",\"first_wrong\":\"\"", WRONG_NOTHING, ""},
        {",\"first_wrong\":\"rank 0, chunk 1: it holds A1\"", WRONG_SAID,
         "rank 0, chunk 1: it holds A1"},
        {",\"first_wrong\":\"it is\",\"why\":{\"kind\":\"sum\",\"rank\":0,"
         "\"chunk\":1,\"said\":\"A1\"}", WRONG_SUM,
         "rank 0, chunk 1: it holds A1"},
    };
    const char *at = strstr(recording, ",\"first_wrong\"");
    const char *rest = strstr(at, ",\"native\"");

    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        OWNS(stream_reader) *r = stream_reader_new(NULL, NULL, "test");
        OWN(buf) text = {0};
        const char *line;
        struct item item = {.type = ITEM_RUN};
        struct err err = {.text = ""};

        buf_add(&text, recording, (size_t)(at - recording));
        buf_addf(&text, "%s%s", results[i].keys, rest);
        for (line = buf_text(&text); item.type != ITEM_RESULT;
             line = strchr(line, '\n') + 1)
            if (stream_take(r, line, strcspn(line, "\n"), &item, &err) ==
                STREAM_FAILED)
                die("%s", err.text);
        is_int(item.result->first_wrong.kind, results[i].kind, "%s",
               results[i].keys);
        is_str(why_of(&item.result->first_wrong), results[i].sentence,
               "is this");
    }
}

/* A run line of 65 ranks, and the input of rank 0. */
static enum stream_got
read_keys(const char *type, const char *row, const char *values,
          struct err *err)
{
    OWN(buf) text = {0};
    enum stream_got got;

    buf_addf(&text, "{\"type\":\"run\",\"version\":1,\"collective\":"
             "\"allreduce\",\"algorithm\":\"test\",\"ranks\":65,"
             "\"backend\":\"threads\",\"devices\":[],\"type_name\":\"%s\","
             "\"op\":\"sum\",\"root\":0,\"count\":1,\"steps\":0,"
             "\"in_place\":true,\"pieces\":1,\"scratch\":0,"
             "\"pace\":\"free\",\"place\":\"core\",\"places\":1}\n", type);
    buf_addf(&text, "{\"type\":\"input\",\"rank\":0,\"slot\":0,\"slots\":1,"
             "\"ledger\":[%s],\"length\":[1],\"values\":[[%s]]}\n", row,
             values);
    got = read_text(text.data, text.length, NULL, err);
    return got;
}

static void
test_keys_and_values(void)
{
    struct err err = {.text = ""};

    read_keys("int32", "[1,\"0x123456789abcdef0\"]", "1", &err);
    ok(strstr(err.text, "its end line is missing") != NULL,
       "a key of 64 bits is read");
    read_keys("int32", "[1,\"0x123456789abcdef01\"]", "1", &err);
    ok(strstr(err.text, "a ledger's rows are") != NULL,
       "a longer one is refused: %s", err.text);
    read_keys("int32", "[1,\"0x1\"]", "1.0", &err);
    ok(strstr(err.text, "not of type int32") != NULL,
       "1.0 is no integer: %s", err.text);
}

/* A worker may answer only with the run that it was given. */
static void
test_known(void)
{
    static const char *const rest =
        "\"algorithm\":\"test\",\"ranks\":3,\"backend\":\"cuda\","
        "\"devices\":[],\"type_name\":\"int32\",\"op\":\"sum\","
        "\"count\":1,\"steps\":0,\"in_place\":true,\"pieces\":1,"
        "\"scratch\":0,\"pace\":\"free\",\"place\":\"core\",\"places\":1}";
    OWNS(schedule) *s = schedule_new(&(struct schedule_spec){
        .collective = collective_find("broadcast"), .algorithm = "test",
        .nranks = 3, .root = 1, .pieces = 1, .in_place = true});

    for (int root = 1; root < 3; root++) {
        OWNS(stream_reader) *r = stream_reader_new(NULL, s, "worker");
        OWN(buf) line = {0};
        struct item item;
        struct err err = {.text = ""};

        buf_addf(&line, "{\"type\":\"run\",\"version\":1,\"collective\":"
                 "\"broadcast\",\"root\":%d,%s", root, rest);
        is_int(stream_take(r, line.data, line.length, &item, &err),
               root == 1 ? STREAM_ITEM : STREAM_FAILED,
               "a run with root %d instead of 1: %s", root, err.text);
    }
}

/* Cut anywhere, a recording is an error; with any byte changed, reading it
 * ends. */
static void
test_damage(void)
{
    char text[sizeof recording];
    int unnoticed = 0, nameless = 0;
    uint32_t seed = 3;
    struct err err;

    for (size_t length = 0; length < sizeof recording - 2; length += 7) {
        unnoticed += read_text(recording, length, NULL, &err) != STREAM_FAILED;
        nameless += strncmp(err.text, "test:", 5) != 0;
    }
    is_int(unnoticed, 0, "a recording that was cut is never complete");
    is_int(nameless, 0, "the error names file and line");
    for (int i = 0; i < 20000; i++) {
        memcpy(text, recording, sizeof text);
        for (int k = random_below(&seed, 3); k >= 0; k--)
            text[random_below(&seed, sizeof text - 1)] =
                (char)random_below(&seed, 256);
        read_text(text, sizeof text - 1, NULL, &err);
    }
    ok(true, "20000 damaged ones were read without harm");
}

static void
test_limits(void)
{
    OWN(buf) text = {0};
    struct err err;

    for (int i = 0; i <= STREAM_LINE_MAX >> 4; i++)
        buf_puts(&text, "sixteen of these");
    is_int(read_text(text.data, text.length, NULL, &err), STREAM_FAILED,
           "an endless line");
    ok(strstr(err.text, "longer than") != NULL, "is an error");
    buf_clear(&text);
    for (int i = 0; i < 100000; i++)
        buf_putc(&text, '[');
    is_int(read_text(text.data, text.length, NULL, &err), STREAM_FAILED,
           "very deep nesting");
    is_int(read_text("a\0b\n", 4, NULL, &err), STREAM_FAILED, "a NUL byte");
}

int
main(void)
{
    test_round_trip();
    test_first_ranks();
    test_purpose();
    test_rules();
    test_hosts();
    test_no_purpose();
    test_cut_purpose();
    test_whole_purpose();
    test_said();
    test_keys_and_values();
    test_known();
    test_damage();
    test_limits();
    return done_testing();
}
