"""Link 6: each sampling kernel's exact output distribution is the realized table.

Every word a kernel may read is tried, so these are equalities of fractions, not statistics. The
words are narrow; the kernels do not know how wide they are but for the thresholds and masks that
they are given.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified.check.conformance.decision_tree import exact_distribution
from ldp_verified.run.kernels.bits import one_hot_sampler
from ldp_verified.run.kernels.categorical import categorical_sampler
from ldp_verified.run.kernels.grr import grr_sampler, grr_wide_sampler
from ldp_verified.run.kernels.hashing import local_hash_sampler
from tests.conformance import tables

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ldp_verified.check.conformance.decision_tree import ExactDistribution
    from ldp_verified.run.kernels.draw import Sampler
    from tests.conftest import ShowLargest

SAMPLERS: dict[str, Callable[..., Sampler]] = {
    "matrix": categorical_sampler,
    "singletons": grr_sampler,
    "singletons_wide": grr_wide_sampler,
    "onehot": one_hot_sampler,
    "hashed": local_hash_sampler,
}
U = (1.01, math.e, 20.0)


class Tally:
    """The enumerated cases; the largest of each is shown at the end of the run."""

    def __init__(self, show_largest: ShowLargest) -> None:
        self.show_largest = show_largest

    def add(self, law: ExactDistribution) -> None:
        self.show_largest("sampler = table: leaves of a tree", law.leaves)
        self.show_largest("sampler = table: unresolved mass", law.unresolved)
        self.show_largest(
            "sampler = table: mass beyond the horizon, before rejected words were left out",
            law.unfinished,
        )


@pytest.fixture
def tally(show_largest: ShowLargest) -> Tally:
    return Tally(show_largest)


def lie_for(u: float, k: int, width: int) -> int:
    """Rounded up, as the realized tables are: any threshold would do here."""
    total: int = 2**width
    return min(math.ceil(total / (u + k - 1)), total // k)


def agree(
    tally: Tally,
    form: str,
    parameters: dict[str, Any],
    width: int,
    horizon: int,
    *,
    words_at: Callable[[int], Sequence[int]] | None = None,
    machine_code: bool = False,
) -> None:
    sampler = SAMPLERS[form](**parameters, width=width)
    last = len(parameters["thresholds"]) - 1 if form == "matrix" else parameters["k"] - 1
    for x in sorted({0, last // 2, last}):
        law = exact_distribution(sampler, x, horizon, words_at=words_at, machine_code=machine_code)
        tally.add(law)
        assert law.unresolved == 0
        assert law.probabilities == tables.FORMS[form](x, **parameters, width=width)
        if form in ("matrix", "singletons", "onehot"):
            assert law.unfinished == 0, "these kernels reject nothing"


# Jointly: all words of a report at once, in machine code, at the largest width whose leaves stay
# within 2^22 (fewer fit where rejected words add to them).


@pytest.mark.parametrize("k", [2, 3, 7])
def test_grr_jointly(tally: Tally, k: int) -> None:
    width = 22
    parameters = {"k": k, "lie": lie_for(math.e, k, width)}
    agree(tally, "singletons", parameters, width, horizon=1, machine_code=True)


MATRICES = [
    ((0.75,), (0.25,)),
    ((0.2, 0.9), (0.1, 0.1), (0.5, 0.6)),
    ((0.1, 0.3, 0.6), (0.2, 0.2, 1.0)),
    ((0.0, 0.0, 1.0), (0.0, 0.5, 0.5)),
]


@pytest.mark.parametrize("rows", MATRICES)
@pytest.mark.parametrize("width", [8, 22])
def test_matrix_jointly(tally: Tally, rows: tuple[tuple[float, ...], ...], width: int) -> None:
    thresholds = [[math.ceil(cut * 2**width) for cut in row] for row in rows]
    parameters = {"thresholds": thresholds}
    agree(tally, "matrix", parameters, width, horizon=1, machine_code=width > 8)


@pytest.mark.parametrize(("k", "width"), [(2, 11), (4, 11), (3, 10), (5, 9), (7, 9)])
def test_wide_grr_jointly(tally: Tally, k: int, width: int) -> None:
    mix = math.ceil(k * 2**width / (math.e + k - 1))
    parameters = {"k": k, "mix": mix}
    agree(tally, "singletons_wide", parameters, width, horizon=3, machine_code=True)


@pytest.mark.parametrize(
    ("k", "lanes", "width"), [(2, 1, 5), (2, 2, 5), (3, 3, 4), (4, 4, 3), (3, 2, 4)]
)
def test_one_hot_jointly(tally: Tally, k: int, lanes: int, width: int) -> None:
    zero = math.ceil(2**width / (math.e + 1))
    agree(
        tally,
        "onehot",
        {"k": k, "one": 2 ** (width - 1), "zero": zero, "lanes": lanes},
        width,
        horizon=1 + -(-k // lanes) * lanes,
        machine_code=True,
    )


@pytest.mark.parametrize(
    ("k", "g", "width"), [(2, 2, 11), (4, 4, 11), (8, 4, 11), (3, 3, 9), (7, 5, 8), (4, 6, 8)]
)
def test_local_hash_jointly(tally: Tally, k: int, g: int, width: int) -> None:
    parameters = {"k": k, "g": g, "lie": lie_for(math.e, g, width)}
    agree(tally, "hashed", parameters, width, horizon=3, machine_code=True)


def test_local_hash_with_two_words_of_coefficients_jointly(tally: Tally) -> None:
    parameters = {"k": 7, "g": 4, "lie": lie_for(math.e, 4, 5)}  # 4^2 coefficients to a word
    agree(tally, "hashed", parameters, 5, horizon=3, machine_code=True)


# One independent factor at a time, at 8 bits, in plain Python: the words of the other factors are
# held at one value.


@pytest.mark.parametrize("k", [2, 3, 4, 5, 8, 100])
@pytest.mark.parametrize("u", U)
def test_grr_at_8_bits(tally: Tally, k: int, u: float) -> None:
    agree(tally, "singletons", {"k": k, "lie": lie_for(u, k, 8)}, 8, horizon=1)


@pytest.mark.parametrize(("k", "lie"), [(4, 64), (256, 1), (5, 1), (2, 128)])
def test_grr_at_the_extreme_thresholds(tally: Tally, k: int, lie: int) -> None:
    agree(tally, "singletons", {"k": k, "lie": lie}, 8, horizon=1)


@pytest.mark.parametrize("mix", [1, 100, 255])
def test_choice_of_wide_grr(mix: int) -> None:
    sampler = grr_wide_sampler(7, mix, 8)
    law = exact_distribution(sampler, 5, 2, words_at=lambda i: [0] if i else range(256))
    assert law.probabilities == {(5,): Fraction(256 - mix, 256), (0,): Fraction(mix, 256)}
    assert law.unfinished == 0
    assert not exact_distribution(sampler, 5, horizon=1).probabilities, "both words are read"


@pytest.mark.parametrize("k", [2, 3, 5, 7, 100, 129, 255, 256])
def test_uniform_value_of_wide_grr(tally: Tally, k: int) -> None:
    law = exact_distribution(
        grr_wide_sampler(k, 1, 8), k - 1, 3, words_at=lambda i: range(256 if i else 1)
    )
    tally.add(law)
    assert law.unresolved == 0
    assert law.probabilities == {(y,): Fraction(1, k) for y in range(k)}


@pytest.mark.parametrize("one", [1, 77, 128, 255])
@pytest.mark.parametrize("x", [0, 1, 2])
def test_own_bit(tally: Tally, one: int, x: int) -> None:
    sampler = one_hot_sampler(3, one, 70, 8, lanes=2)
    law = exact_distribution(sampler, x, 5, words_at=lambda i: [i % 4] if i else range(256))
    tally.add(law)
    assert law.unfinished == 0
    own = (x // 2, 2 ** (x % 2))
    mass = {bool(report[own[0]] & own[1]): p for report, p in law.probabilities.items()}
    assert mass == {True: Fraction(one, 256), False: Fraction(256 - one, 256)}


@pytest.mark.parametrize(
    ("zero", "own", "k", "lanes"),
    [
        (1, 0, 2, 2),
        (69, 127, 2, 1),
        (69, 128, 2, 2),
        (128, 128, 2, 1),
        (255, 255, 2, 2),
        (255, 127, 2, 1),
    ],
)
def test_other_bits(tally: Tally, zero: int, own: int, k: int, lanes: int) -> None:
    sampler = one_hot_sampler(k, 128, zero, 8, lanes)
    law = exact_distribution(
        sampler, 1, 5, words_at=lambda i: range(256) if i else [own], machine_code=True
    )
    tally.add(law)
    q = Fraction(zero, 256)
    assert law.unfinished == 0
    assert law.probabilities == tables.independent_bits([q, Fraction(own < 128)], lanes)


@pytest.mark.parametrize(
    ("k", "g"), [(2, 2), (8, 2), (3, 3), (8, 3), (7, 5), (4, 6), (16, 6), (16, 16)]
)
def test_coefficients_of_local_hash(k: int, g: int) -> None:
    """Each function has the same number of words; no other word is accepted."""
    sampler = local_hash_sampler(k, g, 1, 8)
    digits = tables.digit_count(k, g)
    words = sampler.least_words - 1
    per_word = -(-digits // words)
    share, rejected = divmod(256, g**per_word)
    for position in range(words):
        # 0 is accepted as a word of coefficients; 255 is not if any word is rejected, and as the
        # last word of a report it says the truth.
        alphabets = [range(1)] * words + [range(255, 256)]
        alphabets[position] = range(256)
        law = exact_distribution(sampler, 0, words + 1, words_at=alphabets.__getitem__)
        assert law.unfinished == law.unresolved == Fraction(rejected, 256)
        mass: dict[tuple[int, ...], Fraction] = {}
        for report, p in law.probabilities.items():
            mass[report[:-1]] = mass.get(report[:-1], Fraction(0)) + p
        kept = min(per_word, digits - position * per_word)
        assert len(mass) == g**kept
        assert set(mass.values()) == {Fraction(share * g ** (per_word - kept), 256)}


@pytest.mark.parametrize(("k", "g"), [(2, 2), (8, 2), (3, 3), (8, 3), (7, 5), (4, 6), (16, 16)])
@pytest.mark.parametrize("u", U)
def test_bucket_of_local_hash(tally: Tally, k: int, g: int, u: float) -> None:
    lie = lie_for(u, g, 8)
    sampler = local_hash_sampler(k, g, lie, 8)
    words = sampler.least_words - 1
    for x in range(k):
        for word in (0, 1, 57, 130, 200):
            alphabets = [range(word, word + 1)] * words + [range(256)]
            law = exact_distribution(sampler, x, words + 1, words_at=alphabets.__getitem__)
            tally.add(law)
            (function,) = {report[:-1] for report in law.probabilities}
            truth = tables.bucket(function, x, g)
            assert law.unfinished == 0
            assert law.probabilities == {
                (*function, y): p for (y,), p in tables.singletons(truth, g, lie, 8).items()
            }


@pytest.mark.parametrize(("k", "g", "width"), [(4, 4, 8), (3, 3, 7)])
def test_all_factors_of_local_hash(tally: Tally, k: int, g: int, width: int) -> None:
    parameters = {"k": k, "g": g, "lie": lie_for(math.e, g, width)}
    agree(tally, "hashed", parameters, width, horizon=3)
