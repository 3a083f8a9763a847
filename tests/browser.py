# SPDX-License-Identifier: MIT
"""A real browser, headless, over its debugging pipe: keys, sizes, colours.

    with Browser() as b:
        b.open("file:///tmp/page.html", 390, 844, dark=True)
        b.key("ArrowRight")
        b.ask("document.title")
        b.picture("page.png")

    browser.py URL PICTURE WIDTH HEIGHT dark|light [KEY...]
"""
import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile

HUNG = 300  # seconds, as in patience.h


def program():
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    return next(filter(None, map(shutil.which, names)), None)


class Browser:
    def __enter__(self):
        self.folder = tempfile.mkdtemp()
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        # The browser reads 3 and writes 4, as POSIX shells number them.
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$0" "$@" 3<&{theirs_in} 4>&{theirs_out}',
             program(), "--headless", "--no-sandbox", "--disable-gpu",
             "--hide-scrollbars", "--remote-debugging-pipe",
             "--user-data-dir=" + self.folder],
            pass_fds=(theirs_in, theirs_out), stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.read, self.write = os.fdopen(ours_in, "rb"), os.fdopen(ours_out, "wb")
        self.count, self.session, self.left, self.events = 0, None, b"", []
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def message(self):
        while b"\0" not in self.left:
            more = os.read(self.read.fileno(), 1 << 20)
            if not more:
                raise EOFError("the browser has ended")
            self.left += more
        text, self.left = self.left.split(b"\0", 1)
        return json.loads(text)

    def __call__(self, method, **params):
        self.count += 1
        call = {"id": self.count, "method": method, "params": params}
        if self.session:
            call["sessionId"] = self.session
        self.write.write(json.dumps(call).encode() + b"\0")
        self.write.flush()
        while True:
            m = self.message()
            if m.get("id") == self.count:
                if "error" in m:
                    raise RuntimeError(m["error"])
                return m["result"]
            self.events.append(m)

    def wait_for(self, event):
        while not any(m.get("method") == event for m in self.events):
            self.events.append(self.message())

    def open(self, url, width=1280, height=800, dark=False, calm=False,
             script=True):
        self.session, self.events = None, []
        target = self("Target.createTarget", url="about:blank")["targetId"]
        self.session = self("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log", "Accessibility"):
            self(domain + ".enable")
        self("Emulation.setDeviceMetricsOverride", width=width, height=height,
             deviceScaleFactor=1, mobile=width < 600)
        self("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if calm else ""}])
        self("Emulation.setScriptExecutionDisabled", value=not script)
        self("Page.navigate", url=url)
        self.wait_for("Page.loadEventFired")

    def key(self, name):
        text = {"text": name} if len(name) == 1 else {}
        self("Input.dispatchKeyEvent", type="keyDown", key=name, **text)
        self("Input.dispatchKeyEvent", type="keyUp", key=name)

    def ask(self, expression):
        r = self("Runtime.evaluate", expression=expression, returnByValue=True,
                 awaitPromise=True)
        if "exceptionDetails" in r:
            raise RuntimeError(r["exceptionDetails"])
        return r["result"].get("value")

    def picture(self, path):
        data = self("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as out:
            out.write(base64.b64decode(data))


if __name__ == "__main__":
    url, path, width, height, scheme, *keys = sys.argv[1:]
    with Browser() as browser:
        browser.open(url, int(width), int(height), scheme == "dark")
        for name in keys:
            browser.key(name)
        browser.picture(path)
