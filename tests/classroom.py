# SPDX-License-Identifier: MIT
"""A class with real browsers: collviz in a pty, Chromium beside it.  Prints a line
"ok NAME" or "no NAME" for each check.

    classroom.py COLLVIZ
    classroom.py COLLVIZ exam              without a browser
    classroom.py COLLVIZ load FOLLOWERS [COLUMNSxROWS [ENCODING]]
                                           what a core is busy with, in percent, and what is sent
"""
import fcntl
import os
import pty
import re
import signal
import socket
import struct
import sys
import termios
import threading
import time

import browser


class Program:
    """collviz on a terminal of 80x24, or another size, followed at `url`."""

    def __init__(self, *words, env=None, columns=80, rows=24):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve(words[0], words, {**os.environ, "TERM": "xterm", **(env or {})})
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.out = b""
        threading.Thread(target=self.drain, daemon=True).start()
        self.until(r"http://\S+/[\s,]")
        self.url = re.search(r"http://[^\s,]+/(?=[\s,])", self.text()).group(0)

    def drain(self):
        try:
            while more := os.read(self.fd, 1 << 16):
                self.out += more
        except OSError:
            pass

    def text(self):
        return self.out.decode(errors="replace")

    def until(self, pattern):
        return wait(lambda: re.search(pattern, self.text()))

    def type(self, keys):
        os.write(self.fd, keys.encode())

    def end(self):
        self.type("q")
        return os.waitpid(self.pid, 0)[1]


def wait(what):
    end = time.time() + browser.HUNG
    while time.time() < end:
        try:
            if found := what():
                return found
        except RuntimeError:  # the page is being loaded anew
            pass
        time.sleep(0.1)
    print(f"hangs after {browser.HUNG} s", file=sys.stderr)
    return None


def check(passed, name):
    print("ok" if passed else "no", name, flush=True)


def shown(b):
    """The picture's text, a line for each row."""
    return b.ask("[...document.querySelectorAll('#figure g')].map(g => g.textContent).join('\\n')")


def complaints(b):
    found = [e for e in b.events if e["method"] in ("Log.entryAdded", "Runtime.exceptionThrown")
             and e["sessionId"] == b.session and "403" not in str(e)]
    print(*found, sep="\n", end="", file=sys.stderr)
    return found


def fits(b):
    return b.ask("document.documentElement.scrollWidth <= innerWidth")


BUTTONS = "document.querySelectorAll('#question button')"


def a_class(b, collviz):
    p = Program(collviz, "learn", "ring-allreduce", "--present", "--serve", "0.0.0.0:0")
    notes = re.search(r"http://\S+key=\w+", p.text()).group(0)
    code = re.search(r"[A-Z0-9]{6}(?=\s*\n)", p.text()).group(0)
    url = re.sub(r"//[^/]+:", "//127.0.0.1:", p.url)
    notes = re.sub(r"//[^/]+:", "//127.0.0.1:", notes)
    p.type("\r")
    p.until("Three GPUs")
    b.open(url, 390, 844, dark=True)
    b.ask("document.querySelector('#code').value = 'AAAAAA'")
    b.ask("document.querySelector('#join button').click()")
    check(wait(lambda: "not the code" in b.ask("document.querySelector('#state').textContent")),
          "a wrong code is refused")
    b.ask(f"document.querySelector('#code').value = '{code.lower()}'")
    b.ask("document.querySelector('#join button').click()")
    check(wait(lambda: "Three GPUs" in shown(b)), "with the code one sees the screen")
    check(wait(lambda: "Three GPUs" in b.ask("document.querySelector('#text').innerText")),
          "and the page in words")
    for step in ("A box is", "That was step 1", "What will"):
        p.type("l")
        wait(lambda s=step: s in shown(b))
    check(wait(lambda: b.ask(BUTTONS + ".length") == 3), "a question has its choices")
    check(fits(b), "on a phone nothing is wider than the screen")
    check(b.ask(f"[...{BUTTONS}].every(x => x.getBoundingClientRect().height >= 40)"),
          "and keys are as large as a finger")
    check(b.ask("getComputedStyle(document.body).backgroundColor") == "rgb(24, 25, 29)" or
          b.ask("getComputedStyle(document.documentElement).colorScheme") == "dark",
          "it is dark for those who want it dark")
    b.ask(BUTTONS + "[0].click()")
    check(wait(lambda: "1 of 1 answered" in shown(b)), "a vote is counted on the screen")
    check("░" not in shown(b), "without saying which")
    b.ask(BUTTONS + "[1].click()")
    check(wait(lambda: b.ask(BUTTONS + "[1].getAttribute('aria-pressed')") == "true"),
          "it can be changed")
    words = b("Accessibility.getFullAXTree")["nodes"]
    said = " ".join(str(n.get("name", {}).get("value", "")) for n in words)
    check("What will GPU 1 hold" in said and "b) A1+B1+C1" in said,
          "a screen reader reads question and choices")
    check("✓" not in shown(b) + b.ask("document.body.innerText"), "nothing says the answer")
    p.type("\r")
    check(wait(lambda: re.search("b\\).*█+ +1", shown(b))), "Enter shows the votes")
    check("✓" not in shown(b), "before the answer")
    p.type("\r")
    check(wait(lambda: re.search("✓ *b\\).* 1", shown(b))), "then the run answers")
    check(wait(lambda: b.ask("document.querySelector('.poll .right').innerText")
               .split() == ["✓", "b)", "A1+B1+C1", "1"]),
          "a phone lists the votes, and what is right")
    check(wait(lambda: b.ask(BUTTONS + ".length") == 0), "the question is closed")
    check(not complaints(b), "without a complaint")
    b.open(notes, 390, 844)
    check(wait(lambda: "Something arrives" in b.ask("document.querySelector('#notes').innerText")),
          "the notes are for the speaker's phone")
    check(fits(b), "and fit on it")
    check(b.ask("location.pathname + location.search + history.length") == "/notes2",
          "whose key is not in the address")
    check(wait(lambda: "next: " in b.ask("document.querySelector('#notes').innerText")),
          "with what comes next")
    p.type("t")
    check(wait(lambda: "to think" in b.ask("document.querySelector('#notes').innerText")),
          "and the clock")
    check(p.end() == 0, "the lesson ends as usual")
    check(wait(lambda: b.ask("document.querySelector('#state').textContent")),
          "the page says that the screen is gone")


def a_run(b, collviz):
    p = Program(collviz, "ring-allreduce", "--gpus", "3", "--serve", ":0")
    p.until("step 0/4")
    b.open(p.url, 1280, 800)
    check(wait(lambda: "step 0/4" in shown(b)), "a run is followed on loopback without a code")
    check(b.ask("getComputedStyle(document.documentElement).colorScheme") == "light",
          "it is light for those who want it light")
    b.ask("fetch('/events').then(r => window.coding = r.headers.get('content-encoding')), 0")
    check(wait(lambda: b.ask("window.coding") == "gzip"), "what it is sent is compressed")
    check(fits(b) and b.ask("document.querySelector('svg').getBoundingClientRect().width > 1100"),
          "on a wide screen it fills it")
    p.type("p")
    check(wait(lambda: "step 4/4" in shown(b)), "it moves as the screen does")
    check(wait(lambda: "step 4/4" in b.ask("document.querySelector('#words').textContent")),
          "and is told in words when it rests")
    p.type("?")
    check(wait(lambda: "Browsers follow at" in shown(b)), "the help says where to follow")
    p.type("\033")
    check(not complaints(b), "without a complaint here, too")
    p.end()


def a_recording_and_home(b, collviz):
    p = Program(collviz, "serve", "[::1]:0")
    p.until("Watch")
    b.open(p.url)
    check(wait(lambda: "Learn" in shown(b)), "the home screen, over IPv6")
    p.end()


def an_exam(collviz):
    """Who follows sees the task, and cannot answer it."""
    p = Program(collviz, "exam", "--seed", "7f3a", "--skills", "choose", "--serve", ":0")
    p.until("task 1 of 10")
    s = socket.create_connection(("127.0.0.1", int(re.search(r":(\d+)/", p.url).group(1))))
    s.settimeout(browser.HUNG)
    s.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    got = b""
    while not (page := re.search(rb"event: page\r?\ndata: (.*)\n", got)):
        got += s.recv(1 << 16)
    check(b"task 1 of 10" in got, "a follower sees the task")
    check(b'"question":null' in page.group(1), "and is not asked")
    os.kill(p.pid, signal.SIGTERM)
    os.waitpid(p.pid, 0)


def load(collviz, followers, size="80x24", encoding=""):
    columns, rows = map(int, size.split("x"))
    p = Program(collviz, "ring-allreduce", "--gpus", "8", "--serve", ":0",
                columns=columns, rows=rows)
    port = int(re.search(r":(\d+)/", p.url).group(1))
    got = [0] * followers

    def follow(i, s):
        while more := s.recv(1 << 16):
            got[i] += len(more)
    for i in range(followers):
        s = socket.create_connection(("127.0.0.1", port))
        s.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: "
                  + encoding.encode() + b"\r\n\r\n")
        threading.Thread(target=follow, args=(i, s), daemon=True).start()

    def busy(seconds):
        def ticks():
            with open(f"/proc/{p.pid}/stat") as f:
                return sum(map(int, f.read().rsplit(")", 1)[1].split()[11:13]))
        before, had = ticks(), sum(got)
        time.sleep(seconds)
        percent = 100 * (ticks() - before) / os.sysconf("SC_CLK_TCK") / seconds
        return f"{percent:.1f} % of a core, {(sum(got) - had) * 8e-6 / seconds:.2f} Mbit/s"
    time.sleep(2)
    print(f"{followers} followers at {size}: paused {busy(20)}", flush=True)
    p.type("-p")
    print(f"playing {busy(6)}")
    p.end()


if __name__ == "__main__":
    if sys.argv[2:3] == ["load"]:
        load(sys.argv[1], int(sys.argv[3]), *sys.argv[4:])
    elif sys.argv[2:3] == ["exam"]:
        an_exam(sys.argv[1])
    else:
        with browser.Browser() as the:
            for story in (a_class, a_run, a_recording_and_home):
                story(the, sys.argv[1])
