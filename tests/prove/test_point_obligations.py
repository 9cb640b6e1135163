"""Points on a line and levels through the checkers: true claims, false ones, tampered texts."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from ldp_verified.errors import SpecError
from ldp_verified.generate.module import module_text
from ldp_verified.language import Mechanism, load, load_file
from ldp_verified.prove.certificates import checker
from ldp_verified.prove.certificates.point_obligations import outputs
from ldp_verified.prove.certificates.polynomials import ExpressionError
from ldp_verified.prove.designs.counting import compare
from ldp_verified.prove.prepared import case
from ldp_verified.prove.verdicts import Status
from ldp_verified.prove.verify import verify
from tests.broken.points_and_levels import FALSE, OPEN, TRUE, text


def declared(folder: Path, made: str) -> Mechanism:
    file = folder / "planted.py"
    file.write_text(text(made), encoding="utf-8")
    (found,) = load_file(file)
    return found


def decided(folder: Path, made: str) -> Any:
    return verify(declared(folder, made), 4, smt=False, coq=False, derived=False)


@pytest.mark.parametrize("name", TRUE)
def test_what_is_true_is_proved_for_all_sizes(name: str, tmp_path: Path) -> None:
    """By one group: no theorem is printed of these forms."""
    found = decided(tmp_path, TRUE[name])
    assert {v.status for v in found.verdicts} == {Status.ONE_GROUP}
    assert all("enumeration" in v.checkers for v in found.verdicts)


@pytest.mark.parametrize("name", FALSE)
def test_what_is_false_is_refuted_with_a_witness(name: str, tmp_path: Path) -> None:
    made, kind = FALSE[name]
    found = {v.obligation: v for v in decided(tmp_path, made).verdicts}
    assert found[kind].status is Status.REFUTED
    assert found[kind].witness is not None


def test_what_cannot_be_written_out_is_refused_and_open(tmp_path: Path) -> None:
    found = {v.obligation: v for v in decided(tmp_path, OPEN).verdicts}
    assert found["sums_to_one"].status is Status.OPEN
    assert "certificate refuses" in found["sums_to_one"].detail


def test_z3_agrees(tmp_path: Path) -> None:
    for name in ("geometric noise", "three levels"):
        found = verify(declared(tmp_path, TRUE[name]), 3, smt=True, coq=False, derived=False)
        assert all("smt" in v.checkers for v in found.verdicts if v.obligation != "class_counts")


def test_what_is_derived_is_proved() -> None:
    for mechanism, said in zip(
        load("examples/specs/points_on_a_line.py"), ("-(k - 1)*log(t)",) * 2, strict=True
    ):
        assert str(case(mechanism).facts.epsilon) == said


def test_no_class_is_written() -> None:
    for file in ("points_on_a_line", "three_levels"):
        for mechanism in load(f"examples/specs/{file}.py"):
            with pytest.raises(SpecError, match="there is no sampler"):
                module_text([mechanism])


@pytest.fixture
def truncated(tmp_path: Path) -> Any:
    return case(declared(tmp_path, TRUE["geometric noise"]), derived=False)


def test_a_certificate_of_another_table_does_not_fit(truncated: Any) -> None:
    assert all(o.shown for o in checker.check(truncated.statement, truncated.certificate))
    other = copy.deepcopy(truncated.statement)
    other["points"]["low_end"] = "left*t/(1 + t)"
    try:
        shown = all(o.shown for o in checker.check(other, truncated.certificate))
    except ValueError:
        shown = False
    assert not shown


def test_counting_reads_the_formulas(truncated: Any) -> None:
    form = truncated.completed.algebraic_table
    assert compare(form, truncated.statement).shown
    for name, said in (("cell", "near"), ("decay", "t/2"), ("low_end", None), ("size", "t")):
        other = copy.deepcopy(truncated.statement)
        other["points"][name] = said
        assert compare(form, other).differs


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("cell", "span"),
        ("cell", "gap0*near"),
        ("cell", "1/(1 + near)"),
        ("low_end", "near"),
        ("decay", "left"),
        ("size", "u"),
    ],
)
def test_statements_with_other_powers_are_refused(truncated: Any, name: str, said: str) -> None:
    other = copy.deepcopy(truncated.statement)
    other["points"][name] = said
    with pytest.raises(ExpressionError):
        checker.check(other, truncated.certificate)


def test_every_order_of_two_inputs_and_an_output_is_looked_at() -> None:
    names = [each.name for each in outputs(low=True, high=True)]
    assert len(names) == len(set(names)) == 10
    assert len([*outputs(low=False, high=False)]) == 6
