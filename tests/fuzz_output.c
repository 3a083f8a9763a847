/* SPDX-License-Identifier: MIT */
/* libFuzzer's input as a recording, and as text of a lesson, a file's name or
 * the environment: nothing that collviz writes of it commands a terminal or
 * misleads a reader.  And a recording that is recorded again is the same. */
#include <stdint.h>

#include "base/mem.h"
#include "harmless.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
see(enum output kind, const struct buf *made)
{
    long code;

    if (harmless(kind, made, &code))
        return;
    fprintf(stderr, "output %d has %lx in it:\n%s\n", kind, (unsigned long)code,
            buf_text(made));
    abort();
}

/* Written, read and written again, a recording is the same. */
static void
write_again(const struct buf *stream)
{
    struct session s;
    OWN(buf) again = {0};

    session_init(&s);
    output_stream(&s, buf_text(stream), stream->length, &again);
    if (strcmp(buf_text(stream), buf_text(&again)) != 0) {
        fprintf(stderr, "once:\n%s\nagain:\n%s\n", buf_text(stream),
                buf_text(&again));
        abort();
    }
    session_done(&s);
}

static void
look_at_recording(const void *data, size_t size)
{
    OWN(buf) stream = {0};

    outputs_of_recording(data, size, see, &stream);
    write_again(&stream);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = mem_new(size + 1, 1);
    struct buf recording = {0};

    memcpy(text, data, size);
    if (text[0] == '{') {
        look_at_recording(data, size);
    } else {
        outputs_of_text(text, see);
        recording_with(text, size % 2 == 0, &recording);
        look_at_recording(buf_text(&recording), recording.length);
    }
    buf_done(&recording);
    free(text);
    return 0;
}
