"""LDP013 across a restart: state on disk. Level 1e-6 of the clean twins."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

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
    """Level 1e-6 of the clean twin. Twelve restarts would do: 1/4 of them are right by chance."""
    home = "tests.broken.audit."
    for name, rules in (
        (f"late:OnDisk({str(tmp_path / 'last')!r})", ["LDP013"]),
        ("ending:told", []),
    ):
        with closing(Target("callable", home + name).asked()) as asked:
            assert isinstance(asked, Isolated)
            found = after_a_restart(asked, (0, 1, 2, 3), Claim(1.0), 1)
        assert [each.rule for each in found] == rules


def test_a_program_that_keeps_a_value_on_disk_is_seen_too(tmp_path: Path) -> None:
    """Of 60 processes 22 are enough for the bound."""
    script = tmp_path / "client.py"
    script.write_text(PROGRAM)
    for more, rules in ((" read", ["LDP013"]), ("", [])):
        command = f"{sys.executable} {script} {tmp_path / 'last'}{more}"
        target = Target("program", command, INPUTS)
        found = program_after_a_restart(target, INPUTS, Claim(1.0), 1, None)
        assert [each.rule for each in found] == rules
