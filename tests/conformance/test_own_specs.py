"""`conform` on a user's spec: generated code passes, generated code that was tampered with fails.

Level: 1e-8 for each run over right code, of which there are two. Power: what is planted is above
the deviation that each run states, so it is missed in at most one of 10^8 runs.
"""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.check.conformance import ConformanceOutcome, Subject, conform
from ldp_verified.check.conformance.own_specs import (
    loaded,
    own_expectation,
    own_mechanisms,
    sample_arguments,
)
from ldp_verified.check.conformance.subjects import subject_of
from ldp_verified.errors import ParameterError, SpecError
from ldp_verified.generate import class_name, generate
from ldp_verified.language import load_file
from ldp_verified.run.realize import Randomizer
from tests.generate.specs import ACCEPTED, HEAD, REFUSED

if TYPE_CHECKING:
    from pathlib import Path

    from ldp_verified.language import Mechanism

ALARM = 1e-8
RUN = ("triangle", "pairs_of_four", "free_bits", "free_hashing", "scale", "low_rank", "damped")


def declared(folder: Path, *names: str) -> Path:
    path = folder / "mine.py"
    path.write_text(HEAD + "\n".join(ACCEPTED[name] for name in names))
    return path


def test_generated_code_conforms_to_the_users_spec(tmp_path: Path) -> None:
    report = conform(str(declared(tmp_path, *RUN)), n=1_000_000, level=ALARM)
    wrong = [
        (c.subject, c.name, c.p_value, c.detectable)
        for c in report.comparisons
        if c.outcome is not ConformanceOutcome.PASSED
    ]
    assert report.outcome is ConformanceOutcome.PASSED, (report.seed, wrong)
    subjects = {c.subject.partition("(")[0] for c in report.comparisons}
    assert subjects == {class_name(name) for name in RUN}
    of_scale = {c.name.partition(",")[0] for c in report.comparisons if "Scale" in c.subject}
    assert {"outputs", "mean of the estimate", "coverage of 95% intervals"} < of_scale
    assert any(name.startswith("variance of the count of output") for name in of_scale)
    (remark,) = report.remarks
    assert "no estimates to look at: the 3 x 2 table has rank 2 < 3" in remark


@pytest.mark.parametrize("name", ACCEPTED)
def test_sample_arguments_lie_inside_the_domains(name: str, tmp_path: Path) -> None:
    ((mechanism, spec),) = own_mechanisms(declared(tmp_path, name))
    arguments = sample_arguments(spec)
    assert isinstance(mechanism, Randomizer)
    assert {key: mechanism.arguments[key] for key in arguments} == arguments
    assert mechanism.law_sha256 == spec.law_hash
    own_expectation(mechanism, spec)


def tampered(folder: Path, name: str, *edits: tuple[str, str]) -> tuple[Any, Mechanism]:
    """An object of the generated class, some of whose text was replaced."""
    path = declared(folder, name)
    (spec,) = load_file(path)
    text = generate(path)
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    module = loaded(text, "tampered")
    return getattr(module, class_name(name))(**sample_arguments(spec)), spec


def planted(subject: Subject) -> list[str]:
    report = conform(subject, n=400_000)
    assert report.outcome is ConformanceOutcome.REJECTED
    return [c.name.partition(",")[0] for c in report.rejected]


def test_another_cell_is_rejected(tmp_path: Path) -> None:
    """line_of_three, whose middle row answers (1 + t)/(2 + 3t) instead of 1/(1 + 2t)."""
    found = planted(
        subject_of(
            *tampered(
                tmp_path,
                "line_of_three",
                ("            t / (1 + 2 * t),", "            (1 + 2 * t) / (4 + 6 * t),"),
                ("            1 / (1 + 2 * t),", "            (1 + t) / (2 + 3 * t),"),
            )
        )
    )
    assert "outputs" in found


def test_swapped_outputs_are_rejected(tmp_path: Path) -> None:
    mechanism, spec = tampered(tmp_path, "line_of_three", ("(0, 1, 2)", "(1, 0, 2)"))
    assert "outputs" in planted(subject_of(mechanism, spec))


def test_another_root_is_noticed(tmp_path: Path) -> None:
    one, two = "root: ClassVar[int] = 1", "root: ClassVar[int] = 2"
    with pytest.raises(ParameterError, match="every rounding exceeds it"):
        tampered(tmp_path, "line_of_three", (two, one))
    with pytest.raises(ParameterError, match="falls short"):
        tampered(tmp_path, "line_of_three", (two, two.replace("2", "3")))
    line = "    law_sha256: ClassVar[str]"
    damped, spec = tampered(tmp_path, "damped", (line, f"    {two}\n{line}"))
    with pytest.raises(ParameterError, match="epsilon: must be that of the spec's table"):
        subject_of(damped, spec)


def test_another_rule_for_blocks_is_rejected(tmp_path: Path) -> None:
    mechanism, spec = tampered(
        tmp_path, "triangle", ("(0, 2),\n        (1, 2)", "(1, 2),\n        (0, 2)")
    )
    assert {"classes of pairs", "single outputs"} <= set(planted(subject_of(mechanism, spec)))


class Shifted:
    """An object whose server reads every count one place off."""

    def __init__(self, mechanism: Any) -> None:
        self.mechanism = mechanism

    def __getattr__(self, name: str) -> Any:
        return getattr(self.mechanism, name)

    def aggregate(self, reports: Any, simulated: bool) -> Any:
        seen = self.mechanism.aggregate(reports, simulated=simulated).estimate()
        rolled = SimpleNamespace(counts=np.roll(seen.counts, 1), interval=seen.interval)
        return SimpleNamespace(estimate=lambda: rolled)


def test_what_only_estimates_show_is_rejected(tmp_path: Path) -> None:
    ((mechanism, spec),) = own_mechanisms(declared(tmp_path, "line_of_three"))
    assert isinstance(mechanism, Randomizer)
    right = subject_of(mechanism, spec)
    report = conform(right, n=1_000_000, level=ALARM)
    assert report.outcome is ConformanceOutcome.PASSED, report.seed
    # isinstance looks at the class that an object says it has.
    wrong = type("Wrong", (Shifted,), {"__class__": property(lambda _: type(mechanism))})(mechanism)
    found = planted(Subject("shifted", right.draw, right.expected, wrong))
    assert "mean of the estimate" in found
    assert "outputs" not in found


def test_a_spec_with_a_word_of_python_for_a_name_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "refused.py"
    path.write_text(HEAD + REFUSED["keyword"][0])
    with pytest.raises(SpecError, match="word of Python"):
        conform(str(path), n=1000)


@pytest.mark.parametrize("case", ["zero", "no structure"])
def test_a_spec_without_a_numeric_side_says_why(case: str, tmp_path: Path) -> None:
    path = tmp_path / "refused.py"
    path.write_text(HEAD + REFUSED[case][0])
    with pytest.raises(SpecError, match="has no numeric side"):
        conform(str(path), n=1000)
    with pytest.raises(SpecError, match="no such spec file"):
        conform(str(tmp_path / "missing.py"), n=1000)


def test_a_domain_that_excludes_the_usual_values(tmp_path: Path) -> None:
    path = tmp_path / "narrow.py"
    path.write_text(
        HEAD
        + """
eps = real("eps", above=2, below=5)
k = integer("k", at_least=7, at_most=9)
u = exp(eps)
narrow = Mechanism("narrow", parameters=[eps, k],
    table=Design(k, 1, 0, u / (u + k - 1), 1 / (u + k - 1), structure=Singletons(k)))
"""
    )
    ((mechanism, _),) = own_mechanisms(path)
    assert isinstance(mechanism, Randomizer)
    assert mechanism.epsilon == 3.0
    assert mechanism.k == 8
    assert Fraction(mechanism.epsilon) == 3
