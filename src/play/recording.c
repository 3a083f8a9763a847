/* SPDX-License-Identifier: MIT */
#include "play/recording.h"

#include <errno.h>
#include <string.h>

#include "event/stream.h"

static bool
read_all(struct session *s, FILE *file, const char *name, struct err *err)
{
    struct stream_reader *reader = stream_reader_new(file, name);
    struct item item;
    enum stream_got got;
    bool ok = true;

    while (ok && (got = stream_read(reader, &item, err)) == STREAM_ITEM)
        ok = session_feed(s, &item, err) || stream_blame(reader, err);
    ok = ok && got == STREAM_OVER;
    stream_reader_free(reader);
    return ok;
}

bool
recording_read(struct session *s, const char *name, struct err *err)
{
    FILE *file = fopen(name, "re");
    bool ok;

    if (file == NULL)
        return err_set(err, "cannot read the recording %s: %s", name,
                       strerror(errno));
    ok = read_all(s, file, name, err);
    fclose(file);
    return ok;
}
