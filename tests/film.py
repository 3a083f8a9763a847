#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the output of `collviz export`, moment by moment.

film.py at FILM SECONDS        the SVG of that moment, still
film.py has FILM STILL...      is every still a moment of the film, in order?
film.py text STILL             the characters, as on the screen
film.py cast CAST              checks an asciicast, and prints its sequences
film.py trace TRACE RANKS      is a trace as Perfetto wants it?
"""
import json
import re
import sys
import unicodedata
import xml.etree.ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"


def groups(root):
    """Each <g>, with its [(percent, visible), ...] in order; [] for always."""
    moments = {}
    for style in root.iter(SVG + "style"):
        for name, body in re.findall(r"@keyframes (\w+)\{(.*?\})\}", style.text):
            marks = []
            for times, word in re.findall(r"([\d.e%,+-]+)\{visibility:(\w+)\}", body):
                marks += [(float(t.rstrip("%")), word == "visible")
                          for t in times.split(",")]
            assert sorted(marks)[0][0] == 0, "a keyframe at 0% is missing"
            moments[name] = sorted(marks)
    for g in root.iter(SVG + "g"):
        yield g, moments[g.get("class")] if g.get("class") else []


def visible(marks, percent):
    """As CSS has it with step-end: what the last keyframe said."""
    return not marks or [shown for at, shown in marks if at <= percent][-1]


def pieces(g):
    return {(e.get("y"), e.get("x"), e.tag, e.get("width"), e.get("class"), e.text)
            for e in g if e.tag != SVG + "style"}


def moments(root):
    """What is there, keyframe after keyframe."""
    all_groups = [(pieces(g), marks) for g, marks in groups(root)]
    times = sorted({0} | {at for _, marks in all_groups for at, _ in marks})
    for time in times:
        yield set().union(*(p for p, marks in all_groups if visible(marks, time)))


def at(film, seconds):
    tree = ET.parse(film)
    root = tree.getroot()
    length = re.search(r"k\d+ ([\d.]+)s step-end", open(film, encoding="utf-8").read())
    percent = 100 * float(seconds) / float(length[1])
    for g, marks in list(groups(root)):
        if visible(marks, percent):
            g.attrib.pop("visibility", None)
        else:
            root.remove(g)
    ET.register_namespace("", SVG[1:-1])
    print(ET.tostring(root, encoding="unicode"))


def has(film, stills):
    scenes = moments(ET.parse(film).getroot())
    for still in stills:
        wanted = next(moments(ET.parse(still).getroot()))
        if not any(scene == wanted for scene in scenes):
            sys.exit(f"{film} does not show {still}, or not in its turn")


def text(still):
    rows, root = {}, ET.parse(still).getroot()
    for e in root.iter(SVG + "text"):
        row = rows.setdefault(int(e.get("y")), {})
        x = int(e.get("x")) // 18
        for c in e.text:
            row[x] = c
            x += 2 if unicodedata.east_asian_width(c) in "WF" else 1
    for y in range(27, int(root.get("viewBox").split()[3]) - 48, 34):
        row, line = rows.get(y, {}), ""
        for x in range(max(row, default=-1) + 1):
            wide = x and unicodedata.east_asian_width(row.get(x - 1, " ")) in "WF"
            line += row.get(x, "" if wide else " ")
        print(line.rstrip())


def cast(name):
    lines = open(name, encoding="utf-8").read().splitlines()
    header, events = json.loads(lines[0]), [json.loads(line) for line in lines[1:]]
    assert header["version"] == 2, "not version 2"
    times = [time for time, _, _ in events]
    assert times == sorted(times), "time goes back"
    assert all(kind == "o" for _, kind, _ in events), "not only output"
    for _, _, data in events:
        rest = re.sub(r"\x1b\[(\d+;\d+H|\d+(;\d+)*m|2J|\?25[lh])", "", data)
        assert not re.search(r"[\x00-\x1f\x7f-\x9f]", rest), f"unexpected: {rest!r}"
        sys.stdout.write(data)


def trace(name, ranks):
    events = json.load(open(name, encoding="utf-8"))["traceEvents"]
    names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    assert sorted(names) == list(range(int(ranks))), f"tracks: {names}"
    assert len(set(names.values())) == len(names), "two tracks of one name"
    tracks = {tid: [] for tid in names}
    for e in events:
        if e["ph"] == "X":
            assert e["dur"] >= 0 and e["ts"] >= 0, e
            # nanoseconds, for sums of fractions are not exact
            begin, length = round(e["ts"] * 1000), round(e["dur"] * 1000)
            tracks[e["tid"]].append((begin, begin + length, e))
    for track in tracks.values():
        track.sort(key=lambda slice: slice[:2])
        for (_, end, e), (begin, _, f) in zip(track, track[1:]):
            assert end <= begin, f"{e} reaches into {f}"
    sent = [e for e in events if e.get("cat") == "transfer"]
    ends = [{e["id"]: e for e in events if e["ph"] == ph} for ph in "sf"]
    assert sent and len(ends[0]) == len(ends[1]) == len(sent), "arrows are missing"
    for e, arrow in zip(sent, sorted(ends[1])):
        begin, end = ends[0][arrow], ends[1][arrow]
        assert begin["tid"] == e["args"]["src"] and end["tid"] == e["tid"], arrow
        assert begin["ts"] <= end["ts"] == e["ts"], f"{arrow} goes back in time"
        assert any(f["ts"] == begin["ts"] for _, _, f in tracks[begin["tid"]]), arrow


commands = {"at": at, "has": lambda film, *stills: has(film, stills),
            "text": text, "cast": cast, "trace": trace}
commands[sys.argv[1]](*sys.argv[2:])
