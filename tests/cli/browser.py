#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Opens a page in headless Chromium, and says what it is like there.

    browser.py PAGE.html DIRECTORY

Writes DIRECTORY/light.png, dark.png, narrow.png (400 pixels wide) and print.png, and
on standard output, as JSON, for each of them: what the console said, what was
requested besides the page, by how many pixels the page is too wide, and the text that
has the least contrast (WCAG 2.2) with its ratio.

Talks to the browser through a pipe: https://chromedevtools.github.io/devtools-protocol/
"""
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile

# Seconds for one answer, also on a machine with much to do.
LIMIT = 120

VIEWS = {
    "light": {"width": 1000, "scheme": "light", "media": "screen"},
    "dark": {"width": 1000, "scheme": "dark", "media": "screen"},
    "narrow": {"width": 400, "scheme": "light", "media": "screen"},
    "print": {"width": 760, "scheme": "dark", "media": "print"},
}

# Of each text that is shown, its contrast with what is behind it.
LOOK = r"""(() => {
  const rgb = text => (text.match(/[\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(c => c / 255).map(c =>
    c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const ratio = (one, other) => {
    const [a, b] = [light(one), light(other)].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  };
  const ground = element => {
    for (; element; element = element.parentElement) {
      const colour = rgb(getComputedStyle(element).backgroundColor);
      if (colour.length == 3 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  let least = {ratio: 99, text: ""}, texts = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const text = walker.currentNode.data.trim();
    if (!text || !element.getClientRects().length) continue;
    const style = getComputedStyle(element);
    const svg = element instanceof SVGElement;
    const found = ratio(rgb(svg ? style.fill : style.color), ground(element));
    texts++;
    if (found < least.ratio) least = {ratio: found, text};
  }
  let drawn = 99;
  for (const name of ["--hit", "--miss", "--rest"]) {
    const probe = document.createElement("i");
    probe.style.color = `var(${name})`;
    document.body.append(probe);
    drawn = Math.min(drawn, ratio(rgb(getComputedStyle(probe).color),
      ground(document.body)));
    probe.remove();
  }
  const page = document.documentElement;
  const wide = [...document.querySelectorAll("body *")].filter(e =>
    !e.closest("svg") && e.getBoundingClientRect().right > innerWidth + 0.5);
  return {
    ground: rgb(getComputedStyle(document.body).backgroundColor),
    too_wide: page.scrollWidth - page.clientWidth,
    too_wide_in: wide.slice(0, 3).map(e => e.outerHTML.slice(0, 80)),
    height: Math.ceil(page.getBoundingClientRect().height),
    texts, least_contrast: least, least_drawn_contrast: drawn,
  };
})()"""


class Browser:
    def __init__(self, program, profile):
        command_read, self.commands = os.pipe()
        self.answers, answer_write = os.pipe()
        arguments = [
            program,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-component-update",
            "--disable-background-networking",
            "--hide-scrollbars",
            "--no-first-run",
            f"--user-data-dir={profile}",
            "--remote-debugging-pipe",
            "about:blank",
        ]
        # The pipe is on the descriptors 3 and 4.
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", f'exec "$@" 3<&{command_read} 4>&{answer_write}', "sh"]
            + arguments,
            pass_fds=[command_read, answer_write],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": profile},
        )
        os.close(command_read)
        os.close(answer_write)
        self.buffer = b""
        self.number = 0
        self.session = None
        self.events = []

    def receive(self):
        while b"\0" not in self.buffer:
            if not select.select([self.answers], [], [], LIMIT)[0]:
                raise TimeoutError(f"the browser says nothing for {LIMIT} s")
            more = os.read(self.answers, 1 << 20)
            if not more:
                raise EOFError("the browser has ended")
            self.buffer += more
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def wait(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.receive())

    def open(self):
        target = self.call("Target.createTarget", url="about:blank")
        answer = self.call(
            "Target.attachToTarget", targetId=target["targetId"], flatten=True
        )
        self.session = answer["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        os.close(self.commands)
        try:
            self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def said(events):
    for event in events:
        parameters = event.get("params", {})
        if event.get("method") == "Runtime.consoleAPICalled":
            yield str(parameters["args"])
        elif event.get("method") == "Runtime.exceptionThrown":
            yield str(parameters["exceptionDetails"])
        elif event.get("method") == "Log.entryAdded":
            yield parameters["entry"]["text"]


def requested(events, page):
    for event in events:
        if event.get("method") == "Network.requestWillBeSent":
            url = event["params"]["request"]["url"]
            if url != page:
                yield url


def look(browser, page, view, picture):
    browser.events = []
    browser.call(
        "Emulation.setEmulatedMedia",
        media=view["media"],
        features=[{"name": "prefers-color-scheme", "value": view["scheme"]}],
    )
    browser.call(
        "Emulation.setDeviceMetricsOverride",
        width=view["width"],
        height=800,
        deviceScaleFactor=1,
        mobile=False,
    )
    browser.call("Page.navigate", url=page)
    browser.wait("Page.loadEventFired")
    result = browser.call("Runtime.evaluate", expression=LOOK, returnByValue=True)
    facts = result["result"]["value"]
    shot = browser.call(
        "Page.captureScreenshot",
        captureBeyondViewport=True,
        clip={
            "x": 0,
            "y": 0,
            "width": view["width"],
            "height": facts["height"],
            "scale": 1,
        },
    )
    picture.write_bytes(base64.b64decode(shot["data"]))
    facts["console"] = list(said(browser.events))
    facts["requests"] = list(requested(browser.events, page))
    return facts


def main():
    page = pathlib.Path(sys.argv[1]).resolve().as_uri()
    directory = pathlib.Path(sys.argv[2])
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if not program:
        sys.exit("browser.py: there is no chromium here")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(program, profile)
        try:
            browser.open()
            facts = {
                name: look(browser, page, view, directory / f"{name}.png")
                for name, view in VIEWS.items()
            }
        finally:
            browser.close()
    json.dump(facts, sys.stdout, indent=1)
    print()


main()
