"""Classes that are generated from protocol files conform; planted-wrong ones are rejected.

Level and power as in `test_grouped`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ldp_verified.check.conformance import ConformanceOutcome, conform
from ldp_verified.check.conformance.declared import declared_subject, subject
from ldp_verified.errors import ParameterError
from ldp_verified.generate.declared import file_of, sample_arguments
from ldp_verified.generate.protocols import made
from ldp_verified.language import load_protocol
from tests.broken.declared import TWINS, no_coin, one_place
from tests.generate.declarations import HIERARCHY, TWO_ROUNDS

N = 1_600_000


@pytest.fixture
def hierarchy(tmp_path: Path) -> Path:
    path = tmp_path / "hierarchy.py"
    path.write_text(HIERARCHY.replace("PRICE", "eps"), encoding="utf-8")
    return path


def test_a_strangers_protocol_conforms(hierarchy: Path) -> None:
    report = conform(str(hierarchy), n=N, level=1e-9)
    worst = [c.name for c in report.comparisons if c.outcome is not ConformanceOutcome.PASSED]
    assert report.outcome is ConformanceOutcome.PASSED, f"seed {report.seed}: {worst}"
    names = " ".join(c.name for c in report.comparisons)
    assert "groups of clients" in names
    assert "group 1" in names
    assert "held by nobody" in names


def test_rounds_are_looked_at_after_both_ends_of_what_may_be_published(tmp_path: Path) -> None:
    path = tmp_path / "two_rounds.py"
    path.write_text(TWO_ROUNDS, encoding="utf-8")
    report = conform(str(path), n=N, level=1e-9, parameters={"step": 3})
    assert report.outcome is ConformanceOutcome.PASSED, f"seed {report.seed}"
    names = [c.name for c in report.comparisons]
    assert any("round 1" in name and "seen 0" in name for name in names)
    assert any("round 1" in name and "seen 3" in name for name in names)


@pytest.mark.parametrize("name", ["key_value_bits", "svim"])
def test_protocols_whose_users_draw_coins_conform(name: str) -> None:
    report = conform(declared_subject(name), n=N, level=1e-9)
    worst = [c.name for c in report.comparisons if c.outcome is not ConformanceOutcome.PASSED]
    assert report.outcome is ConformanceOutcome.PASSED, f"seed {report.seed}: {worst}"


def test_a_padded_class_that_draws_no_coin_is_rejected() -> None:
    """Planted: the first item of a set is always the one that is reported on."""
    declared = load_protocol("padded_response")

    run = no_coin(made(declared, file_of("padded_response")))
    arguments = sample_arguments(declared, {"k": 3})
    report = conform(subject(declared, run, arguments), n=400_000)
    assert [c.name for c in report.rejected if c.name.startswith("support of values of 7")], (
        report.seed
    )


@pytest.mark.parametrize("what", TWINS)
def test_a_wrong_class_is_rejected(what: str, hierarchy: Path) -> None:
    twin, shows = TWINS[what]
    declared = load_protocol(hierarchy)
    run = twin(made(declared, hierarchy))
    arguments = sample_arguments(declared, {"levels": 4})
    report = conform(subject(declared, run, arguments), n=400_000)
    found = [c for c in report.rejected if c.name.startswith(shows)]
    assert found, f"seed {report.seed}: {[c.name for c in report.rejected]}"


def test_what_cannot_be_listed_is_refused(hierarchy: Path) -> None:
    with pytest.raises(ParameterError, match="values: must leave 2 to 4096 values"):
        conform(str(hierarchy), parameters={"levels": 40})
    text = hierarchy.read_text("utf-8").replace("Groups(levels)", "Groups(levels, coins=5000)")
    hierarchy.write_text(text, encoding="utf-8")
    with pytest.raises(ParameterError, match="groups: must leave at most 4096 coins"):
        conform(str(hierarchy))


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("padded_response", {"k": 3}),
        ("ldp_miner", {}),
        ("succinct_histogram", {"length": 1, "functions": 1}),
        ("sign_matrix", {"X": 3}),
    ],
)
def test_estimates_of_the_catalogue_have_the_law_that_is_declared(
    name: str, given: dict[str, int]
) -> None:
    """Functions are fixed ones, which no chance of the null averages over."""
    report = conform(declared_subject(name, given), n=N, level=1e-9)
    worst = [c.name for c in report.comparisons if c.outcome is not ConformanceOutcome.PASSED]
    assert report.outcome is ConformanceOutcome.PASSED, f"seed {report.seed}: {worst}"
    names = " ".join(c.name for c in report.comparisons)
    assert "held by all" in names
    assert "held by nobody" in names


def test_a_class_that_counts_the_places_wrongly_is_rejected() -> None:
    """Planted: a user's report is taken to be on one place alone."""
    declared = load_protocol("padded_response")
    run = one_place(made(declared, file_of("padded_response")))
    report = conform(subject(declared, run, sample_arguments(declared, {"k": 3})), n=400_000)
    found = [c for c in report.rejected if c.name.startswith("estimates of 200 users")]
    assert found, report.seed
