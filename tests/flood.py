# SPDX-License-Identifier: MIT
"""Ten thousand connections from many addresses, against collviz in a pty: what they cost,
whether one who follows still gets frames, and whether a newcomer gets the page.

    flood.py COLLVIZ [CONNECTIONS]
"""
import os
import re
import resource
import socket
import sys
import threading
import time

import classroom


def memory(pid):
    with open(f"/proc/{pid}/status") as f:
        return int(re.search(r"VmRSS:\s+(\d+)", f.read()).group(1))


def cpu(pid):
    with open(f"/proc/{pid}/stat") as f:
        return sum(map(int, f.read().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")


def ask(port):
    """The page; None: not within five seconds, or refused."""
    try:
        with socket.create_connection(("127.0.0.1", port), 5) as s:
            s.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return b"figure" in s.recv(1 << 16)
    except OSError:
        return None


def main(collviz, most):
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    p = classroom.Program(collviz, "ring-allreduce", "--gpus", "3", "--serve", ":0")
    port = int(re.search(r":(\d+)/", p.url).group(1))
    frames = []

    def follow(s):
        s.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        while more := s.recv(1 << 16):
            if b"event: rows" in more:
                frames.append(time.time())
    friend = socket.create_connection(("127.0.0.1", port))
    threading.Thread(target=follow, args=(friend,), daemon=True).start()
    classroom.wait(lambda: frames)
    before, at, began = memory(p.pid), cpu(p.pid), time.time()
    crowd, waiting = [], 0
    for i in range(most):
        s = socket.socket()
        s.setblocking(False)
        s.bind((f"127.0.{1 + i // 250 % 250}.{1 + i % 250}", 0))
        s.connect_ex(("127.0.0.1", port))
        crowd.append(s)
        try:
            s.send((b"", b"GET / HTTP/1.1\r\nX: ",
                    b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n",
                    b"POST /join?code=AAAAAA HTTP/1.1\r\nHost: localhost\r\n\r\n")[i % 4])
        except OSError:  # it still waits
            waiting += 1
        if i % 2500 == 0:
            p.type("l")  # a step: frames
    spent = time.time() - began
    print(f"{len(crowd) - waiting} connected at once, {waiting} were not, in {spent:.0f} s; "
          f"{before} KiB before, {memory(p.pid)} KiB after; "
          f"{100 * (cpu(p.pid) - at) / spent:.1f} % of a core")
    seen, at, began = len(frames), cpu(p.pid), time.time()
    p.type("h")
    got = classroom.wait(lambda: len(frames) > seen, 5)
    print(f"a follower got the next frame: {bool(got)}, after {time.time() - began:.2f} s")
    came = time.time()
    page = classroom.wait(lambda: ask(port), 60)
    print(f"a newcomer got the page: {bool(page)}, after {time.time() - came:.1f} s")
    time.sleep(10)
    print(f"while they stay: {100 * (cpu(p.pid) - at) / (time.time() - began):.1f} % of a core")
    for s in crowd:
        s.close()
    p.type("q")
    os.waitpid(p.pid, 0)


if __name__ == "__main__":
    main(sys.argv[1], int((sys.argv[2:] or ["10000"])[0]))
