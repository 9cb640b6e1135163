"""Headless Chromium by its DevTools protocol, over a pipe: keys, and what is read aloud."""

from __future__ import annotations

import json
import os
import subprocess
from contextlib import contextmanager
from time import sleep
from typing import IO, TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KEYS = {"Tab": 9, "Enter": 13, " ": 32, "ArrowDown": 40}
SHIFT = 8
TRIES = 250
"""How often something awaited is looked for."""


class Node(NamedTuple):
    """What assistive technology is told of a place of the page.

    Attributes:
        role, name: of it. states: its properties by name. text: all text in it.
    """

    role: str
    name: str
    states: dict[str, Any]
    text: str


@contextmanager
def opened(program: str, profile: Path, address: str) -> Iterator[Page]:
    """A page in a browser of its own.

    Args:
        program: the path of Chromium.
        profile: a folder for what it keeps.
        address: of the page.
    """
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()
    # The browser reads commands from descriptor 3 and writes answers to 4; not every sh takes
    # descriptors above 9 from this process.
    command = f'exec "$0" "$@" 3<&{theirs_in} 4>&{theirs_out}'
    with (
        os.fdopen(ours_out, "wb", 0) as to,
        os.fdopen(ours_in, "rb") as answers,
        subprocess.Popen(
            [
                *("bash", "-c", command, program, "--headless", "--no-sandbox", "--disable-gpu"),
                *("--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"),
            ],
            pass_fds=(theirs_in, theirs_out),
            stderr=subprocess.DEVNULL,
        ) as browser,
    ):
        os.close(theirs_in)
        os.close(theirs_out)
        try:
            yield Page(to, answers, address)
        finally:
            browser.kill()


class Page:
    """A page, by the pipe to its browser."""

    def __init__(self, to: IO[bytes], answers: IO[bytes], address: str) -> None:
        """Open an address in the browser."""
        self._to, self._from = to, answers
        self._asked = 0
        self._session = ""
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        attached = self._ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        self._ask("Accessibility.enable")
        self._ask("Page.navigate", url=address)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def _ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._asked += 1
        message = {"id": self._asked, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._to.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = json.loads(self._line())
            if answer.get("id") == self._asked:
                assert "result" in answer, answer
                found: dict[str, Any] = answer["result"]
                return found

    def _line(self) -> bytes:
        """One message; each ends with a zero byte."""
        found = bytearray()
        while (byte := self._from.read(1)) != b"\0":
            assert byte, "the browser ended"
            found += byte
        return bytes(found)

    def press(self, *keys: str) -> None:
        """Press and release keys; "Shift+" before a name holds Shift."""
        for each in keys:
            key = each.removeprefix("Shift+")
            pressed = {"key": key, "windowsVirtualKeyCode": KEYS[key]}
            pressed["modifiers"] = SHIFT if key != each else 0
            text = {"Enter": "\r", " ": " "}.get(key, "")
            self._ask("Input.dispatchKeyEvent", type="keyDown", text=text, **pressed)
            self._ask("Input.dispatchKeyEvent", type="keyUp", **pressed)

    def wait(self, condition: str) -> None:
        """Wait until a condition in JavaScript holds."""
        for _ in range(TRIES):
            if self._ask("Runtime.evaluate", expression=condition)["result"].get("value"):
                return
            sleep(0.02)
        raise AssertionError(condition)

    def connect(self, online: bool) -> None:
        """Cut the page's connection, or give it back; the page gets the browser's event."""
        self._ask("Network.enable")
        speed = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        self._ask("Network.emulateNetworkConditions", offline=not online, **speed)

    def read(self) -> list[Node]:
        """The accessibility tree, in the order in which it is read aloud."""
        nodes = {each["nodeId"]: each for each in self._ask("Accessibility.getFullAXTree")["nodes"]}
        inner = {child for each in nodes.values() for child in each.get("childIds", [])}
        found: list[Node] = []

        def visit(number: str) -> str:
            node = nodes[number]
            role, name = (node.get(each, {}).get("value", "") for each in ("role", "name"))
            states = {p["name"]: p["value"].get("value") for p in node.get("properties", [])}
            place = len(found)
            inside = "".join(visit(child) for child in node.get("childIds", []) if child in nodes)
            text = name if role == "StaticText" else inside
            if not node["ignored"] and role != "InlineTextBox":
                found.insert(place, Node(role, name, states, text))
            return text

        for number in nodes:
            if number not in inner:
                visit(number)
        return found

    def focused(self) -> Node:
        """What the next key goes to; a node without a role where that is outside of the page."""
        found = [each for each in self.read() if each.states.get("focused")]
        return found[-1] if found else Node("", "", {}, "")
