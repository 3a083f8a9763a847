/* SPDX-License-Identifier: MIT */
#include "text/unit.h"

#include "base/whole.h"
#include "text/text.h"

void
unit_add(enum unit unit, double value, bool brief, struct buf *out)
{
    switch (unit) {
    case UNIT_BYTES:
        text_bytes(whole(value), out);
        break;
    case UNIT_RANKS:
        buf_addf(out, "%.0f", value);
        break;
    case UNIT_TIME:
        text_ns(whole(value * 1000), brief, out);
        break;
    case UNIT_RATE:
        text_rate(value * 1e9, brief, out);
        break;
    default:
        buf_addf(out, brief ? "%.7g" : "%.4g", value);
        break;
    }
}
