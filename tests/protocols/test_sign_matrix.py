"""The sign-matrix oracle: its law, its price, its counts, and what it refuses."""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

from ldp_verified.check.conformance.every_word import check_every_word
from ldp_verified.check.conformance.transcripts import between_cuts, check_transcripts
from ldp_verified.errors import DomainError, ParameterError, ReportError
from ldp_verified.language import load_protocol
from ldp_verified.protocols import SignMatrix, SignState, SpendingBook
from ldp_verified.prove import Status, verify_protocol
from ldp_verified.run.kernels.wide import parities
from tests.registry import SAMPLER, covers

QUICK: dict[str, Any] = {"smt": False, "coq": False, "derived": False, "draw_points": False}
TINY = SignMatrix(math.log(4), bits=2)
WORDS = SignMatrix(2.0, seed=9)


def test_it_runs_the_declaration_that_it_names_at_its_price() -> None:
    assert load_protocol("sign_matrix").law_hash == SignMatrix.law_sha256
    point = {"eps": sympy.log(4), "X": 3}
    found = verify_protocol(load_protocol("sign_matrix"), 3, points=[point], **QUICK)
    assert found.status is Status.ONE_GROUP
    (written,) = found.transcripts
    assert (written.status, written.transcripts) == (Status.ENUMERATED, 2**3 * 2)
    assert written.ratio == written.allowed == 4


def sign(protocol: SignMatrix, number: int, value: int) -> int:
    """Z[x, i], as 0 or 1."""
    column = protocol.columns(np.array([number], dtype=np.uint64))
    return int(parities(column, protocol.encode([value]))[0])


def words_at(place: int) -> Any:
    """Each interval of words between two thresholds, at both ends."""
    del place
    lie = TINY._randomizer.thresholds[0]
    return between_cuts([lie, 2 * lie])


P = Fraction(TINY._randomizer.p)
FIRST, SECOND = next(
    (one, other)
    for one in range(40)
    for other in range(one)
    if len({(sign(TINY, one, v), sign(TINY, other, v)) for v in range(4)}) == 4
)
"""Two users whose columns together tell all four values apart: of 2-bit values a column may not."""


@covers(SAMPLER, "SignMatrix")
@pytest.mark.parametrize("number", range(6))
def test_the_running_client_has_exactly_the_declared_law_of_its_column(number: int) -> None:
    def client(value: int, source: Any) -> Generator[Any, Any, None]:
        found = TINY.client(number, source).report(value)
        yield int(found.numbers[0]), int(found.signs[0])

    def declared(value: int, _: Any) -> dict[Any, Fraction]:
        truth = sign(TINY, number, value)
        return {((number, s),): P if s == truth else 1 - P for s in range(2)}

    found = check_every_word(
        client, range(4), [], P / (1 - P), 1, lambda value, _, sent: declared(value, _)[sent]
    )
    assert found.status is Status.ENUMERATED, str(found)


def number_by_value(value: int, source: Any) -> Generator[Any, Any, None]:
    """Takes the number that suits its value."""
    found = TINY.client(value, source).report(value)
    yield int(found.numbers[0]), int(found.signs[0])


def two_columns(value: int, source: Any) -> Generator[Any, Any, None]:
    """Reports as two users."""
    for number in (FIRST, SECOND):
        yield int(TINY.client(number, source).report(value).signs[0])


def sign_as_it_is(value: int, source: Any) -> Generator[Any, Any, None]:
    """Reports without noise."""
    del source
    yield sign(TINY, FIRST, value)


@pytest.mark.parametrize("planted", [number_by_value, two_columns, sign_as_it_is])
def test_planted_clients_are_refuted(planted: Any) -> None:
    found = check_transcripts(planted, range(4), [], P / (1 - P), words_at, 2)
    assert found.status is Status.REFUTED, str(found)


def test_columns_are_balanced_and_pairwise_independent_over_users() -> None:
    """Null: signs of six values, and products of two, are fair coins over n = 100,000 users.

    22 counts (0 itself has no -1); normal approximation at 5.5 standard deviations, 3.8e-8 each:
    8e-7 in all. A share that is off by 0.012 is missed with 2 percent. The columns are fixed: the
    test can fail once and for all, or never.
    """
    n = 100_000
    values = WORDS.encode(["", "a", "b", "ab", "the", "日本語"])
    columns = WORDS.columns(np.arange(n, dtype=np.uint64))
    rows = [parities(columns, value) for value in values]
    pairs = [rows[i] ^ rows[j] for i in range(6) for j in range(i)]
    assert not rows[0].any()
    for row in [*rows[1:], *pairs]:
        assert abs(int(row.sum()) - n / 2) <= 5.5 * (n / 4) ** 0.5
    again = WORDS.columns(np.array([77, 5], dtype=np.uint64))
    assert again.tolist() == [columns[77].tolist(), columns[5].tolist()]


@pytest.mark.parametrize("value, held", [("the", 6000), ("x", 0), ("日本語", 2000)])
def test_the_count_of_a_value_fixed_beforehand_is_unbiased(
    value: str, held: int, seed: int
) -> None:
    """Null: the mean of 60 estimates, each of other users, is the true count; so is their spread.

    n = 8000 users each; normal approximation: 5.5 standard deviations of the mean, 3.8e-8; a bias
    of one standard deviation of an estimate is missed with 1.3 percent. The sum of squares over
    sigma^2 is chi-square with 60 degrees: outside 17..140 with 3.3e-8. Three values: 2.2e-7.
    """
    n = 8000
    reports = [
        WORDS.simulate(["the", "日本語"], [6000, 2000], seed + run, first=run * n)
        for run in range(60)
    ]
    found = [SignState(WORDS, True).update(each).estimate([value]) for each in reports]
    assert found[0].labels == (value,)
    errors = [float(each.counts[0]) - held for each in found]
    share = held / n
    sigma = (n * (WORDS.variance_absent * (1 - share) + WORDS.variance_held * share)) ** 0.5
    assert abs(np.mean(errors)) <= 5.5 * sigma / 60**0.5
    assert 17 <= np.sum(np.square(errors)) / sigma**2 <= 140
    assert float(found[0].std_error[0]) == pytest.approx(sigma, rel=0.2)


def test_states_merge_are_kept_and_count_nobody_twice() -> None:
    one, two = WORDS.privatize(["a"] * 50, 1), WORDS.privatize(["b"] * 50, 1, first=50)
    whole = SignState(WORDS, True).update(one).update(two)
    merged = SignState(WORDS, True).update(one).merge(SignState(WORDS, True).update(two))
    assert whole.to_bytes() == merged.to_bytes()
    again = SignState.from_bytes(whole.to_bytes(), WORDS)
    assert list(again.estimate(["a", "b"])) == list(whole.estimate(["a", "b"]))
    assert (whole.n, whole.simulated) == (100, True)
    with pytest.raises(ReportError, match="numbers: must be different"):
        whole.update(one)
    with pytest.raises(ReportError, match="numbers: must be different"):
        whole.merge(SignState(WORDS, True).update(two))
    assert whole.n == 100


def test_what_is_not_its_own_is_refused(tmp_path: Any) -> None:
    state, good = SignState(WORDS), WORDS.privatize(["a"])
    assert not good.simulated
    changes: list[dict[str, Any]] = [
        {"signs": np.array([2], np.uint8)},
        {"signs": np.array([0, 1], np.uint8)},
        {"signs": np.array([0])},
        {"numbers": np.array([2**64 - 1], np.uint64)},
        {"numbers": np.array([0])},
    ]
    for change in changes:
        with pytest.raises(ReportError, match=f"{next(iter(change))}: must be"):
            state.update(replace(good, **change))
    others: list[dict[str, Any]] = [{"epsilon": 1.0}, {"seed": 8}, {"bits": 16}]
    for other in others:
        foreign = replace(WORDS, **other)
        with pytest.raises(ReportError, match="foreign"):
            state.update(foreign.privatize(["a"] if foreign.bits is None else [1]))
        with pytest.raises(ReportError, match="foreign"):
            SignState.from_bytes(SignState(foreign).to_bytes(), WORDS)
    with pytest.raises(ReportError, match="state: must hold reports"):
        state.estimate(["a"])
    with pytest.raises(DomainError, match="at most 15 bytes"):
        WORDS.client(1).report("more than 15 bytes")
    with pytest.raises(DomainError, match="one value or more"):
        WORDS.privatize([])
    bad: list[dict[str, Any]] = [{"epsilon": 0.0}, {"bits": 1}, {"seed": -1}]
    for wrong in bad:
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            SignMatrix(**{"epsilon": 1.0} | wrong)
    with pytest.raises(ParameterError, match="number"):
        WORDS.client(-1)
    client = WORDS.client(1)
    client.report("a")
    with pytest.raises(ParameterError, match="must be called once"):
        client.report("a")
    book = SpendingBook(tmp_path / "book", 3, new=True)
    WORDS.client(5, book=book).report("a")
    with pytest.raises(ParameterError, match="left of the budget"):
        WORDS.client(6, book=book).report("a")
    made: Any = 3
    with pytest.raises(ParameterError, match="protocol"):
        SignState(made)
