/* SPDX-License-Identifier: MIT */
/* The stream: what is written is read back the same, and whatever is done to a
 * recording, reading it ends with an item, the end or an error. */
#include "event/stream.h"

#include <stdlib.h>

#include "random_schedule.h"
#include "recording.h"
#include "tap.h"

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

/* The lines of the recording, with one of them replaced. */
static void
says(int line, const char *with, const char *reason)
{
    OWN(buf) text = {0};
    struct err err = {.text = ""};
    const char *at = recording;

    for (int i = 1; *at != '\0'; i++) {
        size_t length = strcspn(at, "\n") + 1;
        if (i == line)
            buf_puts(&text, with);
        else
            buf_add(&text, at, length);
        at += length;
    }
    is_int(read_text(text.data, text.length, NULL, &err), STREAM_FAILED,
           "line %d: %.*s", line, (int)strcspn(with, "\n"),
           *with != '\0' ? with : "(taken out)");
    if (!ok(strstr(err.text, reason) != NULL, "says: %s", reason))
        diag("it says: %s", err.text);
}

/* A run line of two ranks, with `places` for where they are. */
static void
says_of_run(const char *places, const char *reason)
{
    OWN(buf) line = {0};

    buf_addf(&line, "{\"type\":\"run\",\"version\":1,"
             "\"collective\":\"allreduce\",\"algorithm\":\"test\","
             "\"ranks\":2,\"root\":0,\"steps\":2,\"in_place\":true,"
             "\"pieces\":1,\"scratch\":0,\"type_name\":\"int32\","
             "\"op\":\"sum\",\"count\":2,\"pace\":\"free\","
             "\"place\":\"host\",\"places\":1,%s"
             "\"backend\":\"mpi\"}\n", places);
    says(1, buf_text(&line), reason);
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

static void
test_errors(void)
{
    says(1, "{\"type\":\"run\"}\n", "test:1: \"version\" is missing");
    says(1, "{\"type\":\"run\",\"version\":2}\n", "version 2 of the format");
    says(1, "{\"type\":\"run\",\"version\":1,\"collective\":\"allreduce\","
            "\"algorithm\":\"test\",\"ranks\":2,\"root\":0,\"steps\":2,"
            "\"in_place\":true,\"pieces\":1,\"scratch\":0,"
            "\"topology\":\"ring\",\"backend\":\"threads\","
            "\"type_name\":\"int32\",\"op\":\"sum\",\"count\":2,"
            "\"pace\":\"free\",\"place\":\"core\",\"places\":1,"
            "\"devices\":[\"one\",\"two\"],\"first_ranks\":[0,-1]}\n",
         "\"first_ranks\" must be a list of integers");
    says_of_run("\"devices\":[\"one\",\"two\"],",
                "\"rank_devices\" is missing");
    says_of_run("\"devices\":[\"one\",\"two\"],\"rank_devices\":[0,2],",
                "\"rank_devices\" must be a list of integers from 0 to 1");
    says_of_run("\"devices\":[\"one\",\"two\"],\"rank_devices\":[0],",
                "\"rank_devices\"");
    says_of_run("\"devices\":[],\"cores\":[0,-2],",
                "\"cores\" must be a list of integers from -1 to 32767");
    says(1, "{\"type\":\"run\",\"version\":1,\"collective\":\"allreduce\","
            "\"algorithm\":\"test\",\"backend\":\"threads\",\"devices\":[],"
            "\"type_name\":\"int32\",\"op\":\"sum\",\"ranks\":64,"
            "\"root\":0,\"count\":9,\"steps\":1,\"in_place\":true,"
            "\"pieces\":60000,\"scratch\":0,\"pace\":\"free\","
            "\"place\":\"core\",\"places\":1}\n",
         "64 ranks of 60000 slots are more than collviz can show");
    says(1, "hello\n", "test:1: not JSON");
    says(1, "[1]\n", "not an object");
    says(1, "", "its first line must be a run");
    says(2, "", "test:2: \"step\" is 2");
    says(3, "{\"type\":\"step\",\"step\":2,\"phase\":\"x\",\"transfers\":"
            "[[1,0,0,7,1,\"copy\",0]]}\n", "a rank's slots are 0 to 0");
    says(3, "{\"type\":\"step\",\"step\":2,\"phase\":\"x\",\"transfers\":"
            "[[1,0,0]]}\n", "a transfer must be");
    says(4, "{\"type\":\"input\",\"rank\":5}\n", "\"rank\" is 5");
    says(4, "{\"type\":\"input\",\"rank\":0,\"slot\":0,\"slots\":1,"
            "\"ledger\":[[[0,0,1],[0,0,1]]],\"length\":[2],"
            "\"values\":[[1,2]]}\n", "each rank once");
    says(4, "{\"type\":\"input\",\"rank\":0,\"slot\":0,\"slots\":1,"
            "\"ledger\":[[[0,0,1]]],\"length\":[2],"
            "\"values\":[[1,\"x\"]]}\n", "a value is not of type float32");
    says(4, "{\"type\":\"input\",\"rank\":0,\"slot\":0,\"slots\":1,"
            "\"ledger\":[[[0,0,1]]],\"length\":[3],"
            "\"values\":[[1,2]]}\n", "length is 0 to the run's count");
    says(6, "{\"type\":\"transfer\",\"step\":9}\n", "\"step\" is 9");
    says(6, "{\"type\":\"transfer\",\"step\":1,\"src\":0,\"dst\":1,"
            "\"src_slot\":0,\"dst_slot\":0,\"slots\":1,\"op\":\"reduce\","
            "\"bytes\":8,\"begin_ns\":9,\"end_ns\":8}\n",
         "\"end_ns\" is 8");
    says(6, "{\"type\":\"transfer\",\"step\":1,\"src\":0,\"dst\":1,"
            "\"src_slot\":0,\"dst_slot\":0,\"slots\":1,\"op\":\"reduce\","
            "\"bytes\":4611686018427387903,\"begin_ns\":9,\"end_ns\":9}\n",
         "\"bytes\" is 4611686018427387903");
    says(6, "{\"type\":\"dance\"}\n", "unknown or misplaced");
    says(6, "{\"type\":\"\\u001b[2J\"}\n", "\\x1b[2J");
    says(8, "{\"type\":\"divide\",\"rank\":0,\"by\":3}\n", "\"by\" is 3");
    says(9, "{\"type\":\"result\",\"correct\":true,\"wrong\":0,"
            "\"steps\":1}\n", "\"steps\" is 1");
    says(9, "{\"type\":\"result\",\"correct\":1}\n",
         "true or false");
    says(10, "", "its end line is missing");
    says(10, "{\"type\":\"end\",\"complete\":true,\"lines\":9}\n",
         "\"lines\" is 9");
    says(10, "{\"type\":\"end\",\"complete\":true,\"lines\":10}\n{}\n",
         "something after the end");
}

/* A transfer of two slots that does not end with the rank's last one. */
static void
test_slots(void)
{
    static const char text[] =
        "{\"type\":\"run\",\"version\":1,\"collective\":\"allreduce\","
        "\"algorithm\":\"test\",\"ranks\":2,\"backend\":\"threads\","
        "\"devices\":[],\"type_name\":\"int32\",\"op\":\"sum\",\"root\":0,"
        "\"count\":2,\"steps\":1,\"in_place\":true,\"pieces\":2,"
        "\"scratch\":0,\"pace\":\"free\",\"place\":\"core\",\"places\":1}\n"
        "{\"type\":\"step\",\"step\":1,\"phase\":\"x\","
        "\"transfers\":[[0,0,1,0,2,\"copy\",0]]}\n"
        "{\"type\":\"transfer\",\"step\":1,\"src\":0,\"dst\":1,"
        "\"src_slot\":0,\"dst_slot\":1,\"slots\":2}\n";
    struct err err = {.text = ""};

    read_text(text, sizeof text - 1, NULL, &err);
    is_str(err.text, "test:3: \"slots\" is 2, it must be 1 to 1",
           "slots behind the last one are refused");
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
    test_errors();
    test_slots();
    test_keys_and_values();
    test_known();
    test_damage();
    test_limits();
    return done_testing();
}
