"""A server that is killed at every statement of its registry, and before every answer.

`python -m tests.deploy.crashing FOLDER [WRONG]` makes one registry for each place to die at: a
child sends the reports of FOLDER/reports, writes down each answer that it hears, and kills itself.
WRONG is a class of `tests.broken.registry`.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from ldp_verified.deploy import Deployment
from ldp_verified.deploy.registry import PeriodRegistry, Sent
from ldp_verified.run.mechanisms import GRR
from tests.broken import registry as planted

DEPLOYMENT = Deployment(GRR(1.0, 5))
KEY = bytes(range(32))
PERIOD = "2026-11-24"


def sent(folder: Path) -> list[Sent]:
    """Return the reports of four users."""
    lines = (folder / "reports").read_text().split()
    return [Sent(f"user {i}", PERIOD, bytes.fromhex(line)) for i, line in enumerate(lines)]


def serve(path: Path, folder: Path, statement: int, answer: int) -> None:
    """Accept two reports together and two alone, and read the state in between."""
    kinds = {"PeriodRegistry": PeriodRegistry} | vars(planted)
    registry = kinds[[*sys.argv, "PeriodRegistry"][2]](path, DEPLOYMENT, KEY, new=True)
    left = [statement]

    def die(_: str) -> None:
        left[0] -= 1
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)

    registry._base.set_trace_callback(die)
    first, second, third, fourth = sent(folder)
    heard = path.with_suffix(".heard").open("w")
    for number, given in enumerate(([first, second], [third], [fourth])):
        answers = registry.accept_all(given)
        if number == answer:
            os.kill(os.getpid(), signal.SIGKILL)
        for each in given:
            heard.write(f"{each.user}\n")
        heard.flush()
        assert answers == [True] * len(given)
        if number == 1:
            registry.collector(PERIOD)
    registry.end(PERIOD)


def killed(path: Path, folder: Path, statement: int, answer: int) -> bool:
    """Return whether a child that served was killed; any other end is an error."""
    child = os.fork()
    if not child:
        serve(path, folder, statement, answer)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.waitstatus_to_exitcode(status) == 0
    return os.WIFSIGNALED(status)


def main() -> None:
    """Kill at the statements 1, 2, ... until none is left, and before each answer."""
    folder = Path(sys.argv[1])
    statement = 1
    while killed(folder / f"statement{statement:03}.db", folder, statement, -1):
        statement += 1
    for answer in range(3):
        assert killed(folder / f"answer{answer}.db", folder, 0, answer)


if __name__ == "__main__":
    main()
