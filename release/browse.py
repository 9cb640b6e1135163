"""Click through the built site in a headless browser: `make test-site`.

Runs in the site's own environment, which has Selenium and none of this package. It fails on a page
with a picture that does not load, a link or an anchor that leads nowhere, text wider than a phone,
a message of the browser's console, or a common task that the start page does not lead to.
"""

from __future__ import annotations

import functools
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

webdriver: Any = import_module("selenium.webdriver")
Driver = Any
"""A browser that Selenium drives; its types are not installed where ours are checked."""

SITE = Path(__file__).resolve().parents[1] / "build" / "site" / "html"
WIDE, PHONE = (1280, 900), (390, 844)

TASKS = {
    "Your first private survey": ("All pages", "Your first private survey"),
    "Choose a mechanism, an epsilon and a number of users": ("All pages", "Choose"),
    "Clients on devices": ("All pages", "Devices"),
    "Store, merge and load states": ("All pages", "States"),
    "What to do with an estimate": ("All pages", "Estimates"),
    "Find words that nobody listed": ("All pages", "Unknown words"),
    "Ask for several attributes": ("All pages", "Several attributes"),
    "Account for what all reports of a user reveal": ("All pages", "Budget"),
    "A mechanism of your own": ("All pages", "Your own mechanism"),
    "Auditing somebody else's randomizer": ("All pages", "Audit"),
}
"""The ten commonest tasks: what the page's heading begins with, and the links to click."""

MOST_CLICKS = 3

LOOK = """
return {
  pictures: [...document.images].filter(i => !i.complete || !i.naturalWidth).map(i => i.src),
  links: [...document.links].map(a => a.href),
  anchors: [...document.querySelectorAll('[id],[name]')].map(e => e.id || e.name),
  wide: document.scrollingElement.scrollWidth - window.innerWidth,
  heading: (document.querySelector('article h1') || document.body).innerText,
};
"""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on the loopback interface; gives the address that it has there."""

    class Quiet(SimpleHTTPRequestHandler):
        def end_headers(self) -> None:
            # A page rewritten within a second has the same time: a browser shows the old one.
            self.send_header("Cache-Control", "no-store")
            super().end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    handler = functools.partial(Quiet, directory=str(folder))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()


@contextmanager
def browser() -> Iterator[Driver]:
    """A headless Chromium that asks no other host for anything."""
    options = webdriver.ChromeOptions()
    for flag in (
        *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
        *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    ):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    driver_path = shutil.which("chromedriver")
    if not (found and driver_path):
        sys.exit("needs the packages chromium and chromium-driver")
    options.binary_location = found
    # With both paths given, Selenium asks no other host for them.
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver_path))
    try:
        yield driver
    finally:
        driver.quit()


def page_of(address: str) -> str:
    """The page that an address of the site means, without its anchor."""
    path = urlsplit(urldefrag(address).url).path
    return unquote(path).lstrip("/") or "index.html"


def visit(driver: Driver, base: str, folder: Path) -> Iterator[str]:
    """Load every page, at the width of a desk and of a phone; gives what is wrong."""
    pages = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.html"))
    anchors: dict[str, set[str]] = {}
    links: dict[str, set[str]] = {}
    for number, page in enumerate(pages, 1):
        if sys.stderr.isatty():
            print(f"\r{number}/{len(pages)} pages", end="", file=sys.stderr)
        driver.set_window_size(*WIDE)
        driver.get(urljoin(base, page))
        seen = driver.execute_script(LOOK)
        yield from (f"{page}: picture does not load: {each}" for each in seen["pictures"])
        anchors[page] = set(seen["anchors"])
        links[page] = {link for link in seen["links"] if link.startswith(base)}
        strange = [link for link in seen["links"] if urlsplit(link).scheme not in ("http", "https")]
        yield from (f"{page}: link of an unknown form: {link}" for link in strange)
        driver.set_window_size(*PHONE)
        wide = driver.execute_script(LOOK)["wide"]
        if wide > 0:
            yield f"{page}: {wide} pixels wider than a phone"
        for entry in driver.get_log("browser"):
            if entry["level"] == "SEVERE":
                yield f"{page}: console: {entry['message']}"
    for page, found in links.items():
        for link in sorted(found):
            target, anchor = page_of(link), unquote(urldefrag(link).fragment)
            if not (folder / target).is_file():
                yield f"{page}: leads nowhere: {target}"
            elif anchor and target in anchors and anchor not in anchors[target]:
                yield f"{page}: no such heading: {target}#{anchor}"


def walk(driver: Driver, base: str, heading: str, clicks: tuple[str, ...]) -> str | None:
    """Click from the start page to a task; gives what is wrong, if anything."""
    if len(clicks) > MOST_CLICKS:
        return f"{heading}: takes {len(clicks)} clicks"
    driver.get(base)
    for words in clicks:
        found = [a for a in driver.find_elements("link text", words) if a.is_displayed()]
        if not found:
            return f"{heading}: there is no link {words!r} on {page_of(driver.current_url)}"
        found[-1].click()
    said = driver.execute_script(LOOK)["heading"]
    return None if said.startswith(heading) else f"{heading}: ends at {said!r}"


def themes(driver: Driver, base: str) -> str | None:
    """Both themes, light and dark, have another background."""
    colours = set()
    for scheme in ("light", "dark"):
        feature = {"name": "prefers-color-scheme", "value": scheme}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
        driver.execute_script("localStorage.clear()")
        driver.get(base)
        script = "return getComputedStyle(document.body).backgroundColor"
        colours.add(driver.execute_script(script))
    return None if len(colours) == 2 else f"light and dark look the same: {colours.pop()}"


def main() -> None:
    """Check the site that `make docs` built."""
    if not (SITE / "index.html").is_file():
        sys.exit("no site: make docs builds it")
    with served(SITE) as base, browser() as driver:
        driver.set_window_size(*WIDE)
        driver.get(base)
        wrong = [each for task in TASKS.items() if (each := walk(driver, base, *task))]
        wrong += filter(None, [themes(driver, base)])
        wrong += visit(driver, base, SITE)
    if wrong:
        sys.exit("\n".join([*wrong, f"{len(wrong)} faults"]))
    print(f"{len([*SITE.rglob('*.html')])} pages, {len(TASKS)} tasks: all is well")


if __name__ == "__main__":
    main()
