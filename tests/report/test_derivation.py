"""Derived facts as they are shown: the formulas themselves, and a reason where there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldp_verified.app.report.derivation import document, terminal
from ldp_verified.app.report.output import show
from ldp_verified.derive import Facts
from ldp_verified.language import Bits, Matrix, Mechanism, OneHot, Rational, load

if TYPE_CHECKING:
    import pytest


def lines(capsys: pytest.CaptureFixture[str], *mechanisms: Mechanism) -> dict[str, str]:
    """Fact -> what stands beside it."""
    show(terminal([Facts(m) for m in mechanisms]))
    cut = [line.split("   ", 1) for line in capsys.readouterr().out.splitlines() if "   " in line]
    return {name: value.strip() for name, value in cut}


def test_what_follows_from_k_ary_randomized_response(capsys: pytest.CaptureFixture[str]) -> None:
    shown = lines(capsys, *load("grr"))
    assert shown["tight epsilon"] == "eps"
    assert shown["p*"] == "exp(eps)/(k + exp(eps) - 1)"
    assert shown["q*"] == "1/(k + exp(eps) - 1)"
    assert shown["variance at f = 0"] == "n*(k + exp(eps) - 2)/(exp(eps) - 1)**2"
    assert shown["sum of P(y|x)"] == "1"
    assert shown["reached at"] == "blocks with x only (any two values)"
    assert shown["for example"] == "k = 2, u = 3: x = 0, x' = 1, y = 0, 3/4 against 1/4"


def test_optima_are_found(capsys: pytest.CaptureFixture[str]) -> None:
    shown = lines(capsys, *load("oue"))
    assert shown["best one at f = 0"] == "1/2"
    assert shown["best zero at f = 0"] == "1/(exp(eps) + 1)"
    (olh,) = (m for m in load("olh") if m.name == "olh")
    assert lines(capsys, olh)["best g at f = 0"] == "exp(eps) + 1"


def test_a_reason_where_there_is_no_formula(capsys: pytest.CaptureFixture[str]) -> None:
    half = Rational(1, 2)
    deaf = Mechanism("deaf", parameters=[], table=Matrix([[half, half], [half, half]]))
    shown = lines(capsys, deaf)
    assert (
        shown["estimator"] == "no unbiased linear estimator exists: the 2 x 2 matrix has rank 1 < 2"
    )
    assert "variance of a count" not in shown
    gives_away = Mechanism(
        "gives_away", parameters=[], table=Matrix([[1, 0], [half, half]], outputs=["a", "b"])
    )
    shown = lines(capsys, gives_away)
    assert shown["equal support"] == "no: an output gives some input away"
    assert shown["tight epsilon"] == "oo"


def test_an_output_that_neither_can_give_has_no_ratio(capsys: pytest.CaptureFixture[str]) -> None:
    table = Bits(one=Rational(1, 2), zero=Rational(0), encoder=OneHot(2))
    show(terminal([Facts(Mechanism("half", parameters=[], table=table))]))
    text = capsys.readouterr().out
    ratios = {line.split("   ")[0]: line.split()[-1] for line in text.splitlines()[6:10]}
    assert ratios == {
        "bit x = 1, bit x' = 1": "0/0",
        "bit x = 1, bit x' = 0": "oo",
        "bit x = 0, bit x' = 1": "0",
        "bit x = 0, bit x' = 0": "1",
    }


def test_the_head_says_where_symbols_range(capsys: pytest.CaptureFixture[str]) -> None:
    show(terminal([Facts(m) for m in load("sue")]))
    head = capsys.readouterr().out.splitlines()[0]
    assert head == "sue: Symmetric unary encoding  (eps > 0, integer k >= 2; s = e^(eps/2))"
    half = Rational(1, 2)
    deaf = Mechanism("deaf", parameters=[], table=Matrix([[half, half], [half, half]]))
    show(terminal([Facts(deaf)]))
    assert capsys.readouterr().out.startswith("deaf\n")


def test_many_types_of_pairs_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    third = Rational(1, 3)
    table = Matrix([[third] * 3, [third] * 3, [third] * 3])
    show(terminal([Facts(Mechanism("flat", parameters=[], table=table))]))
    assert "2 more types of pairs" in capsys.readouterr().out


def test_the_document() -> None:
    body = document([Facts(m) for m in load("oue")])
    mechanisms = body["mechanisms"]
    assert isinstance(mechanisms, list)
    (oue,) = mechanisms
    assert isinstance(oue, dict)
    assert set(oue) == {
        "name",
        "title",
        "spec_hash",
        "parameters",
        "generator",
        "pair_tables",
        "facts",
    }
    assert oue["generator"] == {"symbol": "u", "stands_for": "exp(eps)"}
    facts = oue["facts"]
    assert isinstance(facts, dict)
    assert facts["q*"] == {"text": "1/(exp(eps) + 1)", "latex": r"\frac{1}{e^{eps} + 1}"}
    assert facts["equal support"] == {"text": "yes", "latex": None}
    (warner,) = load("warner")
    assert "'generator': None" in str(document([Facts(warner)]))


def test_what_follows_from_a_density(capsys: pytest.CaptureFixture[str]) -> None:
    shown = lines(capsys, *load("duchi"))
    assert shown["mean of a report"] == "x, so a report is an unbiased estimate"
    assert shown["y = (u + 1)/(u - 1)"] == "(x*u - x + u + 1)/(2*(u + 1))"
    found = document([Facts(m) for m in load("duchi")])["mechanisms"]
    assert isinstance(found, list)
    assert isinstance(found[0], dict)
    assert isinstance(found[0]["facts"], dict)
    assert "largest variance" in found[0]["facts"]
