"""Strings over sketches, cohorts and local hashing: counts, sets, and what is refused."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from ldp_verified import CMS, GRR, HCMS, OLH, HashCohorts
from ldp_verified.errors import DomainError, ParameterError, ReportError
from ldp_verified.protocols import PaddedHashing, TextSketch
from ldp_verified.protocols import text_sketch as module
from ldp_verified.run.aggregate.estimate import Estimate
from tests.broken.texts import first_letters, with_collisions

MADE: list[Any] = [
    CMS(4.0, 1 << 31, 256, 1024, seed=5),
    HCMS(4.0, 1 << 31, 256, 1024, seed=5),
    HashCohorts(4.0, 371_293, 13),
    OLH(4.0, 1 << 31),
]
LONG = "a street, and the number of a house in it: " * 3
USERS = [LONG] * 9_000 + ["", "é"] * 2_000 + [f"word {i % 900}" for i in range(7_000)]


@given(text=st.text(max_size=300), k=st.integers(1 << 16, 1 << 31))
@settings(max_examples=40, deadline=None)
def test_a_number_is_a_hash_of_the_text_alone(text: str, k: int) -> None:
    try:
        raw = text.encode()
    except UnicodeEncodeError:
        return
    made = TextSketch(OLH(1.0, k, 2))
    digest = hashlib.shake_128(b"ldp_verified text\0" + raw).digest(16)
    assert made.encode([text]).tolist() == [int.from_bytes(digest) % k]
    assert 0 < made.realized_epsilon <= made.epsilon == 1.0


@pytest.mark.parametrize("inner", MADE, ids=lambda made: type(made).__name__)
def test_reports_are_those_of_the_mechanism_on_the_numbers(inner: Any) -> None:
    """So their law is that of the mechanism, which is checked at its place."""
    made = TextSketch(inner)
    mine, theirs = made.privatize(USERS[:50], rng=3), inner.privatize(made.encode(USERS[:50]), 3)
    assert mine.identity == theirs.identity
    assert np.array_equal(mine.data, theirs.data)
    assert made.bits_per_report == inner.bits_per_report


@pytest.mark.parametrize("inner", MADE, ids=lambda made: type(made).__name__)
def test_counts_of_strings_are_right(inner: Any, seed: int) -> None:
    """Null: counts are normal around the truth with the stated error; n = 20000.

    Two-sided tests at level 1e-10 of 4 strings. Collisions in a sketch are in the error.
    """
    made = TextSketch(inner)
    state: Any = made.empty(simulated=True)
    state.update(made.privatize(USERS, rng=seed))
    found = made.estimate(state, [LONG, "", "é", "nobody's"])
    assert found.names == (LONG, "", "é", "nobody's")
    limit = -NormalDist().inv_cdf(5e-11)
    for (_, count, error), truth in zip(found, (9_000, 2_000, 2_000, 0), strict=True):
        assert abs(count - truth) <= limit * error
    wide = found.held_by(0.2, level=1 - 1e-9)
    assert wide.low <= 1 <= wide.high


NAMES, HELD = ["a", "b", "c", "word 0", "nobody's"], [900, 600, 300, 3, 0]
PEOPLE = [name for name, count in zip("abc", HELD, strict=False) for _ in range(count)]
PEOPLE += [f"word {i % 200}" for i in range(600)]
COVERING: dict[str, Callable[[int], Any]] = {
    "CMS": lambda seed: CMS(4.0, 1 << 31, 16, 64, seed=seed),
    "HCMS": lambda seed: HCMS(4.0, 1 << 31, 16, 64, seed=seed),
    "HashCohorts": lambda _: HashCohorts(4.0, 371_293, 13),
    "OLH": lambda _: OLH(4.0, 1 << 31),
}
COVERED = 60
MOST = int(binom.isf(1e-10, COVERED, 0.01))
"""Misses of simultaneous intervals of level 0.99 in as many runs: more have chance 1e-10."""


def sketched(kind: str, seed: int) -> Iterator[Estimate]:
    """Of the same users, each time with other functions and reports."""
    for run in range(COVERED):
        made = TextSketch(COVERING[kind](seed % (1 << 30) + run))
        state: Any = made.empty(simulated=True)
        yield made.estimate(state.update(made.privatize(PEOPLE, rng=seed + run)), NAMES)


def missed(found: Iterator[Estimate]) -> tuple[int, int]:
    """How often counts miss their intervals, and the number of strings with an eighth its own."""
    counts = numbers = 0
    for each in found:
        low, high = each.interval(0.99, simultaneous=True)
        counts += not bool(((low <= HELD) & (high >= HELD)).all())
        of_many = each.held_by(1 / 8, level=0.99)
        numbers += not of_many.low <= 3 <= of_many.high
    return counts, numbers


@pytest.mark.parametrize("kind", COVERING)
def test_intervals_of_counts_and_of_how_many_cover_them(kind: str, seed: int) -> None:
    """Null: both miss with chance 0.01 at most, over functions and reports; level 1e-10 each.

    60 runs of 2,400 users. Intervals that miss with a chance of 0.4 are found with power 0.99.
    """
    assert max(missed(sketched(kind, seed))) <= MOST


@pytest.mark.parametrize("kind", ["CMS", "HCMS"])
def test_estimates_of_sketches_have_no_bias(kind: str, seed: int) -> None:
    """Null: means of 60 runs lie around the truth with the stated error over root 60; level 1e-9.

    Five strings, two-sided normal tests. Planted: collisions are left in, 150 users too many.
    """
    found = list(sketched(kind, seed))
    limit = -NormalDist().inv_cdf(5e-10)
    for wrong, sees in ((False, False), (True, True)):
        each = [with_collisions(one, 16) for one in found] if wrong else found
        away = np.mean([one.counts - HELD for one in each], axis=0)
        error = np.sqrt(np.mean([one.std_error**2 for one in found], axis=0) / COVERED)
        assert bool((np.abs(away) > limit * error).any()) is sees


def test_sets_of_strings_are_counted(seed: int) -> None:
    """Null: as above, at two strings that sets have, and one that none has."""
    made = TextSketch(PaddedHashing(4.0, 1 << 30, 2))
    assert made.of_sets
    state: Any = made.empty(simulated=True)
    state.update(made.privatize([{"a", "b"}, ["a"], ()] * 5_000, rng=seed))
    found = made.estimate(state, ["a", "b", "c"])
    limit = -NormalDist().inv_cdf(5e-11)
    for (_, count, error), truth in zip(found, (10_000, 5_000, 0), strict=True):
        assert abs(count - truth) <= limit * error
    assert found.held_by(0.3).unlisted is None


def test_a_function_that_looks_at_few_letters_is_seen(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(module, "_number", first_letters)
    made = TextSketch(MADE[3])
    state: Any = made.empty(simulated=True)
    state.update(made.privatize(USERS, rng=seed))
    (_, count, error), *_ = made.estimate(state, ["word 1"])
    assert abs(count - 8) > 8 * error


def test_numbers_of_strings_are_spread_evenly() -> None:
    """20,000 different strings over 65,536 numbers: 2 of them share one as often as by chance.

    Pairs that share a number have the mean 3051.7 and nearly the law of Poisson; 8 standard errors.
    """
    codes = TextSketch(OLH(1.0, 1 << 16, 2)).encode([f"word {i}" for i in range(20_000)])
    pairs = sum(int(c) * (int(c) - 1) // 2 for c in np.bincount(codes))
    mean = Fraction(20_000 * 19_999, 2 << 16)
    assert abs(pairs - float(mean)) < 8 * float(mean) ** 0.5


def test_states_merge_and_are_saved(tmp_path: Path) -> None:
    for inner in (MADE[2], MADE[3]):
        made = TextSketch(inner)
        one: Any = made.empty(simulated=True).update(made.privatize(["a", "b"], rng=1))
        two: Any = made.empty(simulated=True).update(made.privatize(["a"], rng=2))
        both = one.merge(two)
        assert both.n == 3
        both.save(tmp_path / "state")
        again = type(both).load(tmp_path / "state", inner.oracle)
        assert np.array_equal(
            made.estimate(again, ["a", "c"]).counts, made.estimate(both, ["a", "c"]).counts
        )


def test_a_set_needs_numbers_for_its_dummies() -> None:
    with pytest.raises(ParameterError, match="k: must be at most 2147483648 together with length"):
        PaddedHashing(1.0, 1 << 31, 2)


def test_what_is_refused() -> None:
    for inner in (GRR(1.0, 1 << 17), 3, None):
        wrong: Any = inner
        with pytest.raises(ParameterError, match="mechanism: must be a CMS"):
            TextSketch(wrong)
    with pytest.raises(ParameterError, match="must have k = 65536 or more"):
        TextSketch(OLH(1.0, 1000))
    made = TextSketch(OLH(1.0, 1 << 16, 2))
    for values in ([1], "text", [b"a"], ["\ud800"], None, [None]):
        odd: Any = values
        with pytest.raises(DomainError, match="values: must") as caught:
            made.privatize(odd, rng=1)
        assert "ud800" not in str(caught.value)
        assert caught.value.__context__ is None  # an error of UTF-8 would hold the string
    sets = TextSketch(PaddedHashing(1.0, 1 << 16, 2))
    unlike: tuple[Any, ...] = ("ab", ["ab"], [[1]], [["\ud800"]], 3, {"a"})
    for odd in unlike:
        with pytest.raises(DomainError, match="values: must"):
            sets.privatize(odd, rng=1)
    state: Any = made.empty(simulated=True).update(made.privatize(["a"], rng=1))
    with pytest.raises(ParameterError, match="values: must be different"):
        made.estimate(state, ["a", "a"])
    same = next(f"w{i}" for i in range(10**7) if module._number(f"w{i}") % (1 << 16) == 7)
    more = next(f"x{i}" for i in range(10**7) if module._number(f"x{i}") % (1 << 16) == 7)
    with pytest.raises(ParameterError, match="no two of one number"):
        made.estimate(state, [same, more])
    with pytest.raises(DomainError):
        made.estimate(state, [])
    with pytest.raises(ParameterError, match="state: must be of the class State"):
        made.estimate(None, ["a"])  # type: ignore[arg-type]  # what is refused
    with pytest.raises(ParameterError, match="state: must be of this protocol"):
        TextSketch(OLH(1.0, 1 << 17, 2)).estimate(state, ["a"])
    with pytest.raises(ReportError):
        made.empty().update(made.privatize(["a"], rng=1))
