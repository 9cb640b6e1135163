"""Claimed variances: the derived ones pass in both units, others do not. Nothing is sampled."""

from __future__ import annotations

from math import exp, inf, nan, sqrt
from pathlib import Path

import pytest

from ldp_verified.check.audit.rules.claimed import VarianceRange, beside, check_variance
from ldp_verified.errors import ParameterError
from tests.cli.running import document, run

E = exp(1.0)
TABLES = {
    "grr": (E / (E + 3), 1 / (E + 3)),
    "oue": (0.5, 1 / (E + 1)),
    "sue": (sqrt(E) / (sqrt(E) + 1), 1 / (sqrt(E) + 1)),
}
N = 10_000


def published(name: str) -> float:
    """Approximate variances as Wang, Blocki, Li and Jha (2017) print them: a count's, at f = 0."""
    return {
        "grr": N * (4 - 2 + E) / (E - 1) ** 2,
        "oue": N * 4 * E / (E - 1) ** 2,
        "sue": N * sqrt(E) / (sqrt(E) - 1) ** 2,
    }[name]


def claims(users: int) -> float:
    return published("grr") * users / N


def negative(users: int) -> float:
    return -32.9 * users / users


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("scale", [1.0, 1.0 / N**2])
def test_published_variances_are_those_of_the_table(name: str, scale: float) -> None:
    assert check_variance(published(name) * scale, TABLES[name], N) == []


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize(
    "wrong",
    [
        lambda right: -32.9 * right / right,
        lambda right: right / 4,
        lambda right: 4 * right,
        lambda right: right / N,  # of one report: neither a count's nor a frequency's
        lambda right: nan * right,
        lambda right: inf * right,
        lambda right: 0.0 * right,
    ],
)
def test_another_variance_is_not(name: str, wrong: object) -> None:
    assert callable(wrong)
    (finding,) = check_variance(wrong(published(name)), TABLES[name], N)
    assert finding.rule == "LDP015"
    assert "where nobody holds the value" in finding.message


def test_the_range_is_that_of_two_binomials() -> None:
    p, q = 0.75, 0.25
    found = VarianceRange.of(p, q, 8)
    assert (found.nobody, found.everybody) == (8 * 0.1875 / 0.25, 8 * 0.1875 / 0.25)
    assert found.unit(found.nobody) == "count"
    assert found.unit(found.nobody / 64) == "frequency"
    assert found.unit(found.nobody * 1.02) == ""


def test_values_of_other_parameters_are_refused() -> None:
    with pytest.raises(ParameterError, match="q\\*"):
        VarianceRange.of(0.2, 0.5, 10)
    with pytest.raises(ParameterError, match="users"):
        VarianceRange.of(0.5, 0.2, 0)


def test_a_function_or_a_number_by_name() -> None:
    here = "tests.audit.test_claimed:"
    assert beside(abs, f"{here}claims", TABLES["grr"], N) == []
    assert beside(abs, f"{here}claims(1)", TABLES["grr"], 1) == []
    assert len(beside(abs, f"{here}negative", TABLES["grr"], N)) == 1


@pytest.mark.parametrize(("name", "broken"), [("claims", False), ("negative", True)])
def test_a_variance_on_the_command_line(name: str, broken: bool, tmp_path: Path) -> None:
    saved = tmp_path / "finding.json"
    target = "tests.broken.audit.targets:Client(1.0, 4).privatise"
    words = ["audit", target, "--epsilon", 1, "--inputs", "0..3", "-n", 2000, "--json"]
    options = ["--as", "grr", "--variance", f"tests.audit.test_claimed:{name}", "--no-checks"]
    found = document(run(*words, *options, "--level", "1e-9", "--save", saved))
    assert ("LDP015" in {each["rule"] for each in found["findings"]}) is broken
    assert "LDP015" not in found["skipped"]
    if broken:
        again = document(run("replay", saved, "--json"))
        assert "LDP015" in {each["rule"] for each in again["findings"]}


def test_a_claimed_variance_needs_the_mechanism() -> None:
    target = "tests.broken.audit.targets:Client(1.0, 4).privatise"
    words = ["audit", target, "--epsilon", 1, "--inputs", "0..3", "--variance", "a:b", "--json"]
    assert document(run(*words))["error"]["argument"] == "--variance"
