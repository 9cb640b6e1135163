"""Look at the site as a reader gets it: `make test-site`.

Every link and anchor within it leads somewhere, every picture is there, every other link is
well-formed and no page asks another server for anything. Then Chromium opens the pages at the width
of a phone, in light and in dark: none is wider than the screen, and the ground is light or dark.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Empty, Queue
from urllib.parse import unquote, urlsplit

from release.build import ReleaseError
from release.licences import ROOT

SITE = ROOT / "build" / "site" / "html"
PHONE = 390
"""Points across."""

SECONDS, PATIENCE = 900, 60
"""For all pages, and for one, after which it is looked at as it is."""

LOADS = {"img": "src", "script": "src", "iframe": "src", "source": "src", "link": "href"}
"""What a browser loads by itself; of `link` only style sheets, icons and the like."""

LATER = {"canonical", "next", "prev", "alternate", "edit"}
"""Kinds of `link` that nothing is loaded for."""


@dataclass
class Page(HTMLParser):
    """What a page has: its anchors, where it leads, and what it loads."""

    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Start the parser."""
        super().__init__()

    def __hash__(self) -> int:
        return id(self)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect what an element says."""
        given = {name: value or "" for name, value in attrs}
        self.anchors.update(given[name] for name in ("id", "name") if name in given)
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in LOADS and LOADS[tag] in given and given.get("rel") not in LATER:
            self.loads.append(given[LOADS[tag]])


def read(path: Path) -> Page:
    """A page of a file."""
    found = Page()
    found.feed(path.read_text(encoding="utf-8"))
    return found


def wrong(site: Path) -> list[str]:
    """What is wrong with the links and pictures of a site, one line each.

    Args:
        site: the folder of its pages.
    """
    pages = {path.resolve(): read(path) for path in sorted(site.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        name = path.relative_to(site.resolve()).as_posix()
        for target in page.loads:
            if urlsplit(target).scheme not in ("", "data") or target.startswith("//"):
                found.append(f"{name}: loads from elsewhere: {target}")
            elif not target.startswith("data:") and not _file(path, target, site).is_file():
                found.append(f"{name}: loads nothing: {target}")
        for target in page.links:
            parts = urlsplit(target)
            if parts.scheme == "mailto":
                continue
            if parts.scheme or target.startswith("//"):
                if not re.fullmatch(r"https?://[\w.-]+\.\w+(:\d+)?(/\S*)?", target):
                    found.append(f"{name}: no address: {target}")
                continue
            file = _file(path, target, site)
            if not file.exists():
                found.append(f"{name}: leads nowhere: {target}")
            elif parts.fragment and file in pages:
                missing = unquote(parts.fragment) not in pages[file].anchors
                found += [f"{name}: no such anchor: {target}"] * missing
    return found


def _file(page: Path, target: str, site: Path) -> Path:
    """The file that a link of a page leads to."""
    way = unquote(urlsplit(target).path)
    start = site.resolve() if way.startswith("/") else page.parent
    file = (start / way.lstrip("/")).resolve() if way else page
    return file / "index.html" if file.is_dir() else file


LOOK = """<!doctype html><meta charset="utf-8"><body style="margin:0"><script>
const pages = PAGES, found = [];
async function look() {
  for (const page of pages) {
    const frame = document.createElement("iframe");
    frame.style = "width:PHONEpx;height:800px;border:0";
    const loaded = new Promise(done => {
      frame.onload = done;
      setTimeout(done, PATIENCE);
    });
    frame.src = page;
    document.body.append(frame);
    await loaded;
    const inside = frame.contentDocument;
    const ground = frame.contentWindow.getComputedStyle(inside.body).backgroundColor;
    const broken = [...inside.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src);
    found.push([page, inside.documentElement.scrollWidth, ground, broken]);
    frame.remove();
  }
  await fetch("/found", {method: "POST", body: JSON.stringify(found)});
}
look();
</script>"""


def seen(site: Path, pages: list[str], dark: bool) -> list[tuple[str, int, str, list[str]]]:
    """(page, width of its content, colour of its ground, broken pictures), of each page.

    Args:
        site: its folder. pages: their paths in it. dark: whether the reader prefers it so.

    Raises:
        ReleaseError: there is no Chromium, or it does not say.
    """
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        raise ReleaseError("chromium is not installed: the site was not looked at")
    text = LOOK.replace("PAGES", json.dumps(pages)).replace("PHONE", str(PHONE))
    text = text.replace("PATIENCE", str(1000 * PATIENCE))
    said: Queue[bytes] = Queue()

    class Handler(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path != "/look-at-all":
                super().do_GET()
                return
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(text.encode())

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200)
            self.end_headers()
            said.put(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (its name there)
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu"]
        # A port for a debugger keeps it open until it is stopped.
        command += ["--remote-debugging-port=0", f"--user-data-dir={profile}"]
        command += [f"--window-size={PHONE},900"]
        command += [f"--blink-settings=preferredColorScheme={0 if dark else 1}"]
        command += [f"http://127.0.0.1:{server.server_port}/look-at-all"]
        opened = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            found = said.get(timeout=SECONDS)
        except Empty:
            raise ReleaseError(f"chromium did not look at all pages in {SECONDS} s") from None
        finally:
            opened.terminate()
            opened.wait()
            server.shutdown()
            thread.join()
            server.server_close()
    return [tuple(each) for each in json.loads(found)]


def unfit(looked: list[tuple[str, int, str, list[str]]], dark: bool) -> list[str]:
    """What is wrong with pages as a browser shows them, one line each."""
    found = []
    for page, width, ground, broken in looked:
        if width > PHONE:
            found.append(f"{page}: {width} points wide on a phone of {PHONE}")
        colours = [int(number) for number in re.findall(r"\d+", ground)[:3]]
        if len(colours) != 3 or (sum(colours) < 384) != dark:
            found.append(f"{page}: the ground is {ground} in {'dark' if dark else 'light'}")
        found += [f"{page}: a broken picture: {picture}" for picture in broken]
    return found


def main() -> None:
    """Look at `build/site/html`; say what is wrong, and fail."""
    pages = sorted(path.relative_to(SITE).as_posix() for path in SITE.glob("docs/*.html"))
    found = wrong(SITE)
    for dark in (False, True):
        found += unfit(seen(SITE, ["index.html", *pages], dark), dark)
    for line in found:
        print(line)
    number = len(list(SITE.rglob("*.html")))
    print(f"{number} pages; {len(pages) + 1} looked at in Chromium; {len(found)} things are wrong")
    if found or number < len(pages) or not pages:
        sys.exit(1)


if __name__ == "__main__":
    main()
