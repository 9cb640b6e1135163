"""The mutation matrix as it is shown."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ldp_verified.app.report.mutation import document, terminal
from ldp_verified.app.report.output import show
from ldp_verified.language import load
from ldp_verified.prove.mutation.mutants import Mutant
from ldp_verified.prove.mutation.mutate import Judged, MutationReport
from ldp_verified.prove.routes import Opinion

if TYPE_CHECKING:
    import pytest

(GRR,) = load("grr")
NO, YES, NONE = Opinion(False, "because"), Opinion(True), Opinion(None, "cannot")
BEFORE = {"certificate": YES, "enumeration": YES, "identities": YES, "coq": NO}


def judged(change: str, said: dict[str, Opinion], equivalent: str = "") -> Judged:
    return Judged(Mutant("lambda", change, GRR, GRR), equivalent, said, BEFORE)


ENOUGH = judged("seen", {"certificate": NO, "enumeration": NO, "identities": NONE, "coq": NO})
COUNTED = judged("counted", {"certificate": YES, "enumeration": NO, "identities": NO, "coq": NO})
SHORT = judged("missed", {"certificate": YES, "enumeration": NO, "identities": YES, "coq": NO})
SAME = judged("same", dict(BEFORE), "only the names change")
STRICT = judged("strict", {**BEFORE, "certificate": NO}, "said otherwise")
PART = Opinion(True, "claim 3 not printed", partly=True)
LIMITED = judged("alone", {"certificate": NO, "enumeration": NONE, "identities": NONE, "coq": PART})
REFUSED = Judged(Mutant("epsilon", "odd", GRR, None, "not rational"), "", {}, BEFORE)


def report(*results: Judged) -> MutationReport:
    return MutationReport(tuple(BEFORE), results, 1.0)


def shown(given: MutationReport, capsys: pytest.CaptureFixture[str]) -> str:
    show(terminal(given))
    return capsys.readouterr().out


def test_rows_say_what_each_checker_does(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(report(ENOUGH, SHORT), capsys).splitlines()
    seen = next(line for line in lines if "  seen  " in line)
    assert seen.split()[3:] == ["rejects", "rejects", "-", "(rejects)", "2"]
    missed = next(line for line in lines if "  missed  " in line)
    assert missed.split()[3:] == ["accepts", "rejects", "accepts", "(rejects)", "1"]


def test_what_falls_short_is_named_and_fails(capsys: pytest.CaptureFixture[str]) -> None:
    given = report(ENOUGH, SHORT)
    assert not given.holds
    text = shown(given, capsys)
    assert "1 rejected by fewer than two independent routes" in text
    assert "Rejected by fewer than two independent routes\n  grr: lambda: missed\n" in text
    assert "every wrong one" not in text


def test_all_seen(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(report(ENOUGH, COUNTED, SAME, STRICT, REFUSED), capsys)
    assert "5 variants: 2 wrong, 2 equivalent, 1 refused by the vocabulary" in text
    assert "Wrong ones rejected: certificate 1, enumeration 2, identities 1, coq 0" in text
    assert "every wrong one is rejected by at least two independent routes" in text
    assert "Wrong counts that certificate and smt accept" in text
    assert "grr: lambda: same\n    only the names change" in text
    assert "Equivalent, but not accepted\n  grr: lambda: strict\n    certificate: because" in text
    assert "grr: epsilon: odd\n    not rational" in text
    assert "Not accepted before any change" in text


def test_what_one_route_alone_can_judge_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    given = report(ENOUGH, LIMITED)
    assert not given.holds
    text = shown(given, capsys)
    assert "1 that fewer than two routes can judge (one route only: the table" in text
    assert "the other 1 by at least two independent routes" in text
    assert "Judged by fewer than two routes\n  grr: lambda: alone\n    one route only" in text
    (line,) = (line for line in text.splitlines() if "  alone  " in line)
    assert line.split()[3:] == ["rejects", "-", "-", "(accepts)", "1"]


def test_nothing_tried_is_no_pass(capsys: pytest.CaptureFixture[str]) -> None:
    assert "nothing wrong was tried" in shown(report(SAME), capsys)


def test_the_document() -> None:
    found = document(report(ENOUGH, SAME, REFUSED))
    json.dumps(found)
    assert found["holds"] is True
    variants = found["variants"]
    assert isinstance(variants, list)
    status = [v["status"] for v in variants if isinstance(v, dict)]
    assert status == ["wrong", "equivalent", "refused"]
