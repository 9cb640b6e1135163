"""LDP013 across a restart: state on disk. Level 1e-6 of the clean twins."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

import pytest

from ldp_verified.check.audit.rules.restarts import after_a_restart, program_after_a_restart
from ldp_verified.check.audit.run import Claim
from ldp_verified.check.audit.targets.isolated import Isolated
from ldp_verified.check.audit.targets.targets import Target

INPUTS = (0, 1, 2, 3)

PROGRAM = """
import random, sys
path = sys.argv[1]
try:
    last = open(path).read() if len(sys.argv) > 2 else None
except OSError:
    last = None
for line in sys.stdin:
    with open(path, "w") as file:
        file.write(line.strip())
    print(last or random.randrange(4), flush=True)
    last = None
"""


def test_a_value_that_is_kept_on_disk_is_seen_after_a_restart(tmp_path: Path) -> None:
    """Level 1e-6 of the clean twin. 1/4 of its restarts are right by chance."""
    home = "tests.broken.audit."
    for name, rules in (
        (f"late:OnDisk({str(tmp_path / 'last')!r})", ["LDP013"]),
        ("ending:told", []),
    ):
        with closing(Target("callable", home + name).asked()) as asked:
            assert isinstance(asked, Isolated)
            found = after_a_restart(asked, (0, 1, 2, 3), Claim(1.0), 1)
        assert [each.rule for each in found] == rules


@pytest.mark.parametrize(("place", "hashed"), [(1, True), (3, False), (3, True)])
def test_it_is_seen_in_a_later_report_and_in_another_writing(
    tmp_path: Path, place: int, hashed: bool
) -> None:
    """Forty processes teach and forty show: all but three may be wrong at a claim of 1."""
    path = str(tmp_path / "last")
    name = f"tests.broken.audit.late:OnDiskLater({path!r}, {place}, hashed={hashed})"
    with closing(Target("callable", name).asked()) as asked:
        assert isinstance(asked, Isolated)
        (found,) = after_a_restart(asked, INPUTS, Claim(1.0), 1)
    assert found.rule == "LDP013"
    assert f"report {place} of a new process" in found.message


def test_a_program_that_keeps_a_value_on_disk_is_seen_too(tmp_path: Path) -> None:
    """Of 80 processes some 40 are enough for the bound."""
    script = tmp_path / "client.py"
    script.write_text(PROGRAM)
    for more, rules in ((" read", ["LDP013"]), ("", [])):
        command = f"{sys.executable} {script} {tmp_path / 'last'}{more}"
        target = Target("program", command, INPUTS)
        found = program_after_a_restart(target, INPUTS, Claim(1.0), 1, None)
        assert [each.rule for each in found] == rules
