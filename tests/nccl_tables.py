#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads tables in nccl-tests' format, in the ways in which public programs do.

    nccl_tables.py TABLE JSON COLLECTIVE RANKS SIZE...

TABLE is what `collviz bench` printed, JSON what it wrote with -J; SIZEs are
the bytes that were asked for.  Every reader must find the same rows, the rows
must be those of nccl-tests for these sizes, the bandwidths must follow from the
times by its formulas, and the JSON must say the same.  The readers:

    by_words    splits a line into 13 words (most scripts)
    by_regex    one pattern for a whole row, whose numbers are digits and dots
    by_header   finds columns by their headings, counted from the line's end,
                between "out-of-place" and "Out of bounds values" (SuperBench)
    by_fields   AWK's: $1, $6, $8, $12, and the last field of a footer
"""
import json
import re
import sys

# Bytes of an element, by nccl-tests' names.
WIDTH = {"float": 4, "double": 8, "half": 2, "bfloat16": 2, "int32": 4,
         "int64": 8, "uint8": 1}
# src/*.cu of nccl-tests: (whether the count is cut into units, busbw / algbw).
# The printed size is the larger one of send and receive buffer.
TESTS = {
    "allreduce": (False, lambda n: 2 * (n - 1) / n),
    "allgather": (True, lambda n: (n - 1) / n),
    "reduce-scatter": (True, lambda n: (n - 1) / n),
    "alltoall": (True, lambda n: (n - 1) / n),
    "gather": (True, lambda n: (n - 1) / n),
    "scatter": (True, lambda n: (n - 1) / n),
    "broadcast": (False, lambda n: 1),
    "reduce": (False, lambda n: 1),
    "sendrecv": (False, lambda n: 1),
    # nccl-tests has none of these
    "scan": (False, lambda n: 1),
    "exscan": (False, lambda n: 1),
}
# Those that print an operator, and those that print a root.  sendrecv has one,
# although it reduces nothing; the others print "none" and -1.
WITH_REDOP = {"allreduce", "reduce-scatter", "reduce", "sendrecv", "scan",
              "exscan"}
WITH_ROOT = {"reduce", "broadcast", "gather", "scatter"}


def by_words(text):
    rows = []
    for line in text.splitlines():
        words = line.split()
        if len(words) != 13 or words[0].startswith("#"):
            continue
        rows.append((int(words[0]), int(words[1]), words[2], words[3],
                     int(words[4]), *map(float, words[5:8]), words[8],
                     *map(float, words[9:12]), words[12]))
    return rows


ROW = re.compile(
    r"^\s*(\d+)\s+(\d+)\s+(\w+)\s+(\w+)\s+(-?\d+)"
    r"\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+(\S+)"
    r"\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+(\S+)\s*$")


def by_regex(text):
    rows = []
    for line in text.splitlines():
        m = ROW.match(line)
        if m:
            g = m.groups()
            rows.append((int(g[0]), int(g[1]), g[2], g[3], int(g[4]),
                         *map(float, g[5:8]), g[8], *map(float, g[9:12]),
                         g[12]))
    return rows


def by_header(text):
    """(size, time, algbw, busbw) out of place."""
    lines = text.splitlines()
    begin = max(i for i, line in enumerate(lines) if "out-of-place" in line)
    end = max(i for i, line in enumerate(lines)
              if "Out of bounds values" in line)
    names, rows = None, []
    for line in lines[begin + 1:end]:
        if "time" in line and "busbw" in line:
            head = re.sub(" +", " ", line[1:].strip(" ")).split(" ")
            names = [head.index("size")] + [
                head.index(name) - len(head)
                for name in ("time", "algbw", "busbw")]
            continue
        words = re.sub(" +", " ", line.strip(" ")).split(" ")
        if names is None or not re.match(r"\d+$", words[0]):
            continue
        rows.append((int(words[names[0]]),
                     *(float(words[i]) for i in names[1:])))
    return rows


def by_fields(text):
    rows = [line.split() for line in text.splitlines()
            if re.match(r"^ +\d+ ", line)]
    (average,) = [line.split()[-1] for line in text.splitlines()
                  if line.startswith("# Avg bus bandwidth")]
    return [(int(r[0]), float(r[5]), float(r[7]), float(r[11]))
            for r in rows], float(average)


def expected_sizes(collective, ranks, width, asked):
    cuts, _ = TESTS[collective]
    for size in asked:
        count = size // width
        if cuts:
            count = count // ranks & ~(16 // width - 1)
        yield count * width * (ranks if cuts else 1), count


def close(exact, shown):
    """The same but for the decimals that the column has room for."""
    room = 0.0051 if exact < 999 else 0.51 if exact < 999999 else 0.06 * exact
    return abs(exact - shown) <= room


def check_side(side, row, ranks, collective, size, wrong):
    time, algbw, busbw = row
    assert close(side["time"], time), (side, row)
    assert close(side["alg_bw"], algbw), (side, row)
    assert close(side["bus_bw"], busbw), (side, row)
    if side["time"] > 0:
        want = size / side["time"] / 1e3
        # The JSON has six decimals of each.
        assert abs(side["alg_bw"] - want) <= 1e-6 + want * 1e-6 / side["time"] * 2, \
            (side, want)
    assert abs(side["bus_bw"] - side["alg_bw"] * TESTS[collective][1](ranks)) \
        < 3e-6, side
    assert (side["nwrong"] is None) == (wrong == "N/A")
    assert side["nwrong"] is None or side["nwrong"] == float(wrong)


def main():
    text = open(sys.argv[1], encoding="utf-8").read()
    doc = json.load(open(sys.argv[2], encoding="utf-8"))
    collective, ranks = sys.argv[3], int(sys.argv[4])
    asked = [int(size) for size in sys.argv[5:]]
    rows = by_words(text)
    assert rows, "no rows"
    assert rows == by_regex(text)
    assert [(r[0], r[5], r[6], r[7]) for r in rows] == by_header(text)
    fields, average = by_fields(text)
    assert [(r[0], r[5], r[7], r[11]) for r in rows] == fields
    widths = [WIDTH[r[2]] for r in rows]
    for k in range(0, len(rows), len(asked)):
        want = list(expected_sizes(collective, ranks, widths[k], asked))
        assert [r[:2] for r in rows[k:k + len(asked)]] == want, (rows, want)
    assert len(doc["results"]) == len(rows)
    busbw = []
    for row, result in zip(rows, doc["results"]):
        assert (row[3] != "none") == (collective in WITH_REDOP), row
        assert (row[4] >= 0) == (collective in WITH_ROOT), row
        assert (result["size"], result["count"], result["type"],
                result["redop"], int(result["root"])) == row[:5]
        check_side(result["out_of_place"], row[5:8], ranks, collective, row[0],
                   row[8])
        check_side(result["in_place"], row[9:12], ranks, collective, row[0],
                   row[12])
        busbw += [result["out_of_place"]["bus_bw"],
                  result["in_place"]["bus_bw"]]
    assert abs(average - sum(busbw) / len(busbw)) < 1e-4 * average + 1e-5
    assert abs(doc["average_bus_bandwidth"]["bandwidth"] - average) \
        < 1e-4 * average + 1e-5
    assert re.search(r"^# Out of bounds values : 0 OK$", text, re.M)
    assert doc["out_of_bounds"] == {"count": 0, "okay": "true"}
    config = doc["config"]
    assert len(config["devices"]) == config["ngpus"] == ranks
    head = re.search(r"^# nThread 1 nGpus (\d+) minBytes (\d+) maxBytes (\d+) ",
                     text, re.M)
    assert [int(g) for g in head.groups()] == [
        ranks, config["minimum_bytes"], config["maximum_bytes"]]
    devices = re.findall(r"^#  Rank +(\d+) Group +0 Pid +\d+ on +\S+ device +"
                         r"(\d+) \[[0-9a-f:]+\] \S", text, re.M)
    assert [int(d[0]) for d in devices] == list(range(ranks))


if __name__ == "__main__":
    main()
