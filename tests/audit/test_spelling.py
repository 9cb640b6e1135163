"""A line is read as what it says, and how it is spelled is its form.

The planted program blanks out one value's answers with one more blank; its clean twin does so for
every value as often. Level 1e-9, n = 3000: what never varies is missed by a rounding only.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ldp_verified.check.audit.results.results import AuditVerdict
from ldp_verified.check.audit.run import Claim, audit
from ldp_verified.check.audit.targets.forms import bare, form_of
from ldp_verified.check.audit.targets.keys import key
from ldp_verified.check.audit.targets.outputs import ENDS, LONGEST_LEAF
from ldp_verified.check.audit.targets.process import from_program
from ldp_verified.check.audit.targets.raising import Raised
from ldp_verified.check.audit.targets.spelling import spelled


@pytest.mark.parametrize(
    "line,value",
    [
        ("3", 3),
        ("3.0", 3.0),
        ('"a"', "a"),
        ("a b", "a b"),
        ("", ""),
        ('{"error": "no"}', Raised("error", "no")),
        ('{"error": 1}', Raised("error", "1")),
        ('{"error": "1"}', Raised("error", '"1"')),
        ('{"error": 1, "b": 2}', {"error": 1, "b": 2}),
    ],
)
def test_a_line_is_json_or_text(line: str, value: object) -> None:
    found = bare(spelled(line))
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    "line,form",
    [
        ("3", ""),
        ("3\r", "\\r"),
        (" 3", "spelling  n"),
        ("3e0", "spelling 3e0"),
        ("-0", "spelling -0"),
        ("[1, 2]", ""),
        ("[1,2]", "no blanks"),
        ("[1,  2]", "spelling [n,  n]"),
        ('{"a": 0.5, "b": "c"}', ""),
        ("a", ""),
        ('"a"', "quoted"),
        ('"\\u0061"', 'quoted, spelling "\\u0061"'),
        ('"é"', "quoted, spelling u"),
        ('"\\u00e9"', "quoted"),
        ('{"a": 1, "a": 2}', "spelling {s: n, s: n}"),
        ('{"error":"no"}', "no blanks"),
        ("not json,  at all", ""),
        ("true", ""),
    ],
)
def test_what_is_not_usual_in_a_line_is_its_form(line: str, form: str) -> None:
    assert form_of(spelled(line)) == form
    assert key(bare(spelled(line))) == key(bare(spelled(line.rstrip("\r"))))


def test_what_is_spelled_in_another_way_is_another_report() -> None:
    lines = ['{"a": 1, "a": 2}', '{"a": 2, "a": 2}', '{"a": 2}', '"\\u00e9"', '"é"', "é", "[1]"]
    assert len({key(spelled(line)) for line in lines}) == len(lines)
    assert key(spelled("[" * 100_000)) != key(spelled("[" * 100_001))


CLIENT = """
import random, sys
for line in sys.stdin:
    bit = random.getrandbits(1)
    blank = " " if {when} else ""
    print(f'{{{{"bit":{{blank}}{{bit}}}}}}', flush=True)
"""


@pytest.mark.parametrize("when,violated", [("line == '1\\n'", True), ("bit", False)])
def test_a_blank_that_tells_is_found(tmp_path: Path, when: str, violated: bool) -> None:
    path = tmp_path / "client.py"
    path.write_text(CLIENT.format(when=when), encoding="utf-8")
    source = from_program((sys.executable, str(path)), (0, 1))
    found = audit(source, Claim(1.0, n=3000, level=1e-9))
    assert (found.verdict is AuditVerdict.VIOLATED) is violated


def test_a_long_line_is_compared_by_its_spelling_too() -> None:
    pad = "a" * LONGEST_LEAF
    usual, blank, no_blank = ('{"g": 1, "p": "%s"}', '{"g": 1,  "p": "%s"}', '{"g":1,"p":"%s"}')
    assert not form_of(spelled(usual % pad))
    assert form_of(spelled(no_blank % pad)) == "no blanks"
    assert form_of(spelled(blank % pad)) == "spelling {s: n,  s: s}"
    many = "[" + " " * ENDS + "%s1]"
    assert len({form_of(spelled(many % more)) for more in ("", " ", "  ")}) == 3
    assert len(form_of(spelled(many % ""))) < 100
