"""Names, domains, divisors and texts: what is planted is wrong, and who reads it says so."""

from __future__ import annotations

import pytest

from ldp_verified.language import load
from ldp_verified.prove.coq.printed_table import difference, small_points
from ldp_verified.prove.coq.printer import coq_text
from ldp_verified.prove.mutation.mutants import Mutant, mutants
from ldp_verified.prove.mutation.mutate import equivalent, matrix
from ldp_verified.prove.mutation.wrong_declarations import COQ
from ldp_verified.prove.routes import RouteSubject, certificate, checkers, enumeration

NEW = {"name", "domain", "singularity", "text"}


def planted(spec: str) -> dict[str, Mutant]:
    return {m.change: m for m in mutants(load(spec)[0]) if m.kind in NEW}


def test_names_that_look_alike_or_mean_something_else_are_refused() -> None:
    found = [m for m in planted("grr").values() if m.kind == "name"]
    assert len(found) == 5
    assert all(m.mechanism is None and m.refused for m in found)
    assert {m.change.split()[0] for m in found} >= {"\uff4b", "fun", "let", "\u03b5ps"}


def test_parameters_that_are_exchanged_in_the_claims_are_another_declaration() -> None:
    exchanged = [m for m in planted("olh").values() if "k and g exchanged" in m.change]
    assert exchanged
    for mutant in exchanged:
        assert mutant.mechanism is not None
        assert mutant.mechanism.claims != mutant.control.claims


def test_a_wider_domain_is_never_equivalent_and_is_rejected_by_two_routes() -> None:
    report = matrix(
        [load("warner")[0]],
        {"certificate": certificate, "enumeration": enumeration(3, 3)},
        kinds=["domain", "singularity"],
    )
    assert [one.mutant.kind for one in report.wrong] == ["domain"] * 3 + ["singularity"]
    assert not report.equivalents
    assert all(one.rejected_by == ("certificate", "enumeration") for one in report.wrong)


def test_a_domain_that_the_table_bears_is_not_offered() -> None:
    """One value is no mistake of generalized randomized response: its probability is 1."""
    assert not [m for m in planted("grr").values() if m.kind == "domain"]


@pytest.mark.parametrize("spec", ["warner", "grr", "oue"])
def test_a_changed_statement_is_seen_by_who_reads_it(spec: str) -> None:
    report = matrix(
        [load(spec)[0]], {**checkers(3), "enumeration": enumeration(3, 3)}, kinds=["text"]
    )
    assert report.wrong
    for one in report.wrong:  # Coq is not asked, so what is printed for it is left alone.
        assert "statement" in one.mutant.change
        assert "enumeration" in one.rejected_by, one.mutant.name
        assert one.enough


@pytest.mark.parametrize("spec", ["duchi", "geometric", "laplace", "fake_zeros"])
def test_a_statement_without_rows_has_a_probability_to_change(spec: str) -> None:
    report = matrix([load(spec)[0]], {"certificate": certificate}, kinds=["text"])
    assert [one.mutant.change for one in report.wrong] == [
        "the first probability of the statement halved"
    ]
    assert report.wrong[0].rejected_by == ("certificate",)


def test_a_change_of_a_text_that_lacks_the_place_is_an_error() -> None:
    mutant = next(m for m in planted("grr").values() if m.text is not None)
    assert mutant.text is not None
    with pytest.raises(ValueError, match="text: nothing to be changed"):
        mutant.text(mutant.text.of, "{}")


@pytest.mark.parametrize("spec", ["warner", "grr", "oue"])
def test_a_changed_coq_text_is_another_table_or_another_theorem(spec: str) -> None:
    mechanism = load(spec)[0]
    text = coq_text(mechanism)
    assert isinstance(text, str)
    for change, mutant in planted(spec).items():
        if mutant.text is None or mutant.text.of != COQ:
            continue
        changed = mutant.text(COQ, text)
        assert changed != text
        other = difference(mechanism, changed, small_points(mechanism, "5eed"))
        assert bool(other) is ("cell" in change)


def test_a_text_that_is_not_meant_stays() -> None:
    mutant = next(m for m in planted("grr").values() if m.text is not None)
    assert mutant.text is not None
    assert mutant.text(COQ, "(* 'px': 1 *)") == "(* 'px': 1 *)"
    assert mutant.mechanism is mutant.control


def test_another_domain_is_another_declaration() -> None:
    mutant = next(m for m in planted("warner").values() if m.kind == "domain")
    assert mutant.mechanism is not None
    assert equivalent(RouteSubject(mutant.control), RouteSubject(mutant.mechanism)) == ""
    assert equivalent(RouteSubject(mutant.control), RouteSubject(mutant.control))
