# SPDX-License-Identifier: MIT
"""Looks into exported HTML pages.

    page.py check FILE              well-formed, harmless, without network access
    page.py text FILE               the text of each step, as --plain prints it
    page.py rows FILE SVG K         step K's picture and SVG, a still, have the same words
                                    in the same places
    page.py frames FILE FILM        each row of each frame is one of the film's
    page.py deck FILE               the questions; that what answers them is closed, and
                                    judges their choices
    page.py browse RUN LESSON EVIL  in a real browser: a line for each check
"""
import re
import sys
import time
import xml.etree.ElementTree as xml
from html.parser import HTMLParser

from browser import HUNG, Browser

NAME = "{http://www.w3.org/1999/xhtml}"
TAGS = set("""html head meta title style script body header main section figure svg desc defs g
    text rect path div h1 h2 p pre ol li b span details summary nav button input small""".split())


def tag(element):
    return element.tag.removeprefix(NAME)


def page(path):
    return xml.parse(path).getroot()


def find(element, *tags):
    return [e for e in element.iter() if tag(e) in tags]


def words(row):
    """(x, text) of a row, where an SVG's words may be cut in other ways."""
    return {(int(t.get("x")), "".join(t.itertext())) for t in find(row, "text")}


class AsHtml(HTMLParser):
    """What a browser sees, which does not read it as XML."""

    def __init__(self):
        super().__init__()
        self.tags = []

    def handle_starttag(self, name, attrs):
        self.tags.append(name)


def check(path):
    root, html = page(path), AsHtml()
    with open(path, encoding="utf-8") as file:
        text = file.read()
    html.feed(text)
    assert html.tags == [tag(e).lower() for e in root.iter()], "as HTML it is something else"
    assert set(html.tags) <= TAGS, set(html.tags) - TAGS
    assert html.tags.count("script") == 1
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text), "a control character"
    for e in root.iter():
        for name, value in e.attrib.items():
            assert not name.startswith("on") and name not in ("href", "src", "srcdoc"), name
            assert not re.search(r"url\(|javascript:", value), value
    style = "".join(e.text for e in find(root, "style"))
    assert not re.search(r"url\(|@import|://", style)
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    assert len(ids) == len(set(ids)), "an id is there twice"
    for e in root.iter():
        assert e.get("aria-describedby", ids[0]) in ids


def step_text(path):
    for section in find(page(path), "section"):
        print(find(section, "h2")[0].text)
        print("".join(e.text for e in find(section, "pre")), end="")


def lines_of(svg):
    """The rows of an SVG: its words by line."""
    lines = {}
    for t in find(svg, "{http://www.w3.org/2000/svg}text"):
        lines.setdefault(int(t.get("y")), set()).add((int(t.get("x")), "".join(t.itertext())))
    return lines


def rows(path, still, step):
    figure = find(page(path), "section")[int(step)]
    known = list(lines_of(xml.parse(still).getroot()).values())
    shown = [words(g) for g in find(figure, "g") if words(g)]
    assert len(shown) > 5
    for row in shown:
        assert any(row <= line for line in known), row


def frames(path, film):
    root = page(path)
    moving = [e for e in root.iter() if e.get("id") == "rows"][0]
    kept, used = find(moving, "g"), set()
    known = {w for line in lines_of(xml.parse(film).getroot()).values() for w in line}
    for row in kept:
        assert words(row) <= known, words(row) - known
    for section in find(root, "section"):
        height = len(find(section, "g"))
        for frame in filter(None, section.get("data-frames").split(";")):
            ms, *pairs = map(int, frame.split())
            assert 0 < ms < 20000 and len(pairs) % 2 == 0
            for y, number in zip(pairs[::2], pairs[1::2]):
                assert 0 <= y < height
                used.add(number)
        assert int(section.get("data-ms")) > 0
    assert used == set(range(len(kept))), "rows that no frame has, or frames without rows"
    assert len(kept) > 50


def judge(section, answers):
    """An answer's choices are the question's, and one is right: the one that it says."""
    lists = [o for a in answers for o in find(a, "ol") if o.get("class") == "judged"]
    assert find(section, "b") == [b for o in lists for b in find(o, "b")], "judged while closed"
    for items in (find(o, "li") for o in lists):
        marks = [find(li, "b")[0] for li in items]
        assert [b.text for b in marks] == [li.text for li in find(find(section, "ol")[0], "li")]
        assert [li.text for li in items] == ["✓ " if b.get("class") == "right" else "✗ "
                                             for b in marks]
        [right] = [b.text for b in marks if b.get("class") == "right"]
        first = find(answers[0], "p")[0].text
        assert " ".join(right.split()) in " ".join(first.split())
        assert all(b.get("class") in ("right", "wrong") for b in marks)


def deck(path):
    for section in find(page(path), "section"):
        answers = [d for d in find(section, "details") if d.get("class") == "answer"]
        assert all(d.get("open") is None for d in find(section, "details"))
        assert len(answers) <= 1
        judge(section, answers)
        if answers:
            said = find(section, "p")[0].text
            answer = find(answers[0], "p")[0].text
            closed = "".join(answers[0].itertext())
            assert "".join(section.itertext()).count(answer) == closed.count(answer)
            print(" ".join(said.split()))


def said(ok, name):
    print("ok" if ok else "not", name, flush=True)


def shown(b):
    """The numbers of the sections that are seen."""
    return b.ask("[...document.querySelectorAll('section')]"
                 ".flatMap((s, i) => s.checkVisibility() ? [i] : [])")


def pictures(b, seconds):
    """The pictures that are seen meanwhile."""
    seen, end = set(), time.monotonic() + seconds
    while time.monotonic() < end:
        seen.add(b.ask("sections[here].querySelector('figure').textContent"))
    return seen


def until(b, expression):
    end = time.monotonic() + HUNG
    while not b.ask(expression) and time.monotonic() < end:
        time.sleep(0.05)
    return b.ask(expression)


def harmless(b):
    """No error so far, and no request but that for the file."""
    b.ask("0")
    return not any(m.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded") or
                   m.get("method") == "Network.requestWillBeSent" and
                   not m["params"]["request"]["url"].startswith("file:")
                   for m in b.events)


def browse_run(b, url):
    b.open(url)
    last = b.ask("sections.length") - 1
    said(shown(b) == [0], "one step is shown at a time")
    rest = b.ask("sections.map(s => s.querySelector('figure').innerHTML)")
    b.key("ArrowRight")
    said(shown(b) == [1], "Right goes on")
    said(len(pictures(b, 0.6)) > 3, "and the data moves")
    said(until(b, f"sections[1].querySelector('figure').innerHTML === {rest[1]!r}"),
         "until the picture is at rest, as it is without a script")
    for key, want in (("End", last), ("ArrowRight", last), ("ArrowLeft", last - 1), ("Home", 0),
                      ("ArrowLeft", 0), ("PageDown", 1)):
        b.key(key)
        said(shown(b) == [want] and b.ask("location.hash") == f"#s{want}", key)
    for name, want in (("first", 0), ("next", 1), ("last", last), ("back", last - 1)):
        b.ask(f"document.getElementById('{name}').click()")
        said(shown(b) == [want], f"the button {name}")
    b.ask("slider.value = 2, slider.dispatchEvent(new Event('input'))")
    said(shown(b) == [2], "the slider")
    said(b.ask("[slider.getAttribute('aria-valuetext'), "
               "document.getElementById('said').textContent.slice(0, 40)]") ==
         ["2: step 2/4 reduce-scatter", "step 2/4 reduce-scatter. GPU 0 sent A1+C"],
         "a screen reader hears the step and its sentence")
    names = {(n["role"]["value"], n.get("name", {}).get("value"))
             for n in b("Accessibility.getFullAXTree")["nodes"] if not n.get("ignored")}
    said({("image", "step 2/4 reduce-scatter"), ("heading", "step 2/4 reduce-scatter"),
          ("button", "Next")} <= names, "its parts have names")
    b.key(" ")
    pressed = "document.getElementById('play').ariaPressed"
    said(b.ask(pressed) == "true" and until(b, "here === 4"), "the space bar plays")
    said(until(b, "!playing") and b.ask(pressed) == "false", "to the end")
    said(harmless(b), "no error, no request")


def browse_looks(b, url):
    b.open(url, calm=True)
    b.key("ArrowRight")
    said(shown(b) == [1] and len(pictures(b, 0.5)) == 1, "nothing moves for who wants it calm")
    for dark in (False, True):
        b.open(url, 390, 844, dark)
        ground = b.ask("getComputedStyle(document.body).backgroundColor")
        said(ground == ("rgb(22, 24, 29)" if dark else "rgb(255, 255, 255)"),
             "it is dark" if dark else "it is light")
        said(b.ask("document.scrollingElement.scrollWidth") <= 390, "it fits a phone")
    b("Emulation.setEmulatedMedia", media="print")
    said(len(shown(b)) == 5, "all steps are printed")
    b.open(url, script=False)
    said(len(shown(b)) == 5, "and seen without a script")


def browse_lesson(b, url):
    b.open(url)
    while not b.ask("sections[here].querySelector('.answer') !== null"):
        b.key(" ")
    answer = "sections[here].querySelector('.answer p').checkVisibility()"
    said(not b.ask(answer), "an answer is closed")
    while b.ask("sections[here].querySelector('details:not([open])') !== null"):
        b.key("a")
    said(b.ask(answer), "a opens it, after the hints")
    said(harmless(b), "no error, no request")


def browse(run, lesson, evil):
    with Browser() as b:
        browse_run(b, "file://" + run)
        browse_looks(b, "file://" + run)
        browse_lesson(b, "file://" + lesson)
        b.open("file://" + evil)
        b.key("End")
        said(harmless(b) and b.ask("typeof evil") == "undefined", "no script of a lesson's title")


if __name__ == "__main__":
    {"check": check, "text": step_text, "rows": rows, "frames": frames, "deck": deck,
     "browse": browse}[sys.argv[1]](*sys.argv[2:])
