"""The enumeration itself: on kernels whose distribution is plain to see."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ldp_verified.check.conformance import decision_tree
from ldp_verified.check.conformance.decision_tree import exact_distribution
from ldp_verified.errors import LdpError
from ldp_verified.run.kernels.bits import one_hot_sampler
from ldp_verified.run.kernels.draw import Sampler
from ldp_verified.run.kernels.grr import grr_sampler, grr_wide_sampler
from ldp_verified.run.kernels.hashing import local_hash_sampler

if TYPE_CHECKING:
    from ldp_verified.run.kernels.draw import DrawnColumn, Fill, Slots


def sampler_of(fill: Fill, *cuts: int) -> Sampler:
    """A kernel on two-bit words."""
    return Sampler(fill, 1, cuts, (), (), np.dtype(np.uint8), word_bits=2)


def rejects_three(
    values: DrawnColumn,
    out: Slots,
    words: DrawnColumn,
    cuts: DrawnColumn,
    sizes: DrawnColumn,  # noqa: ARG001  the samplers' signature
) -> tuple[int, int]:
    """Uniform on 0, 1, 2 for one value; gives up and reports 0 after cuts[0] rejections."""
    for used in range(len(words)):
        out[0] = words[used]
        if words[used] < 3:
            return len(values), used + 1
        if used + 1 == cuts[0]:
            out[0] = 0
            return len(values), used + 1
    return 0, 0


FOREVER = 1000
THIRDS = {(y,): Fraction(1, 3) for y in range(3)}


@pytest.mark.parametrize("horizon", [2, 3, 4])
def test_rejected_words_are_left_out(horizon: int) -> None:
    law = exact_distribution(sampler_of(rejects_three, FOREVER), 0, horizon)
    assert law.probabilities == THIRDS
    assert law.unresolved == 0
    assert law.unfinished == Fraction(1, 4) ** horizon


def test_one_word_shows_no_repetition() -> None:
    law = exact_distribution(sampler_of(rejects_three, FOREVER), 0, 1)
    assert law.probabilities == {(y,): Fraction(1, 4) for y in range(3)}
    assert law.unresolved == law.unfinished == Fraction(1, 4)
    assert law.leaves == 4


@pytest.mark.parametrize("tries", [1, 2, 3])
def test_giving_up_within_the_horizon_is_seen(tries: int) -> None:
    law = exact_distribution(sampler_of(rejects_three, tries), 0, 3)
    gave_up = Fraction(1, 4) ** tries
    expected = {(y,): (1 - gave_up) / 3 for y in range(3)}
    expected[0,] += gave_up
    assert law.probabilities == expected
    assert law.unresolved == law.unfinished == 0


def test_giving_up_beyond_the_horizon_is_bounded() -> None:
    """Renormalisation presumes something false here, and the stated bound covers it."""
    truth = exact_distribution(sampler_of(rejects_three, 3), 0, 3)
    law = exact_distribution(sampler_of(rejects_three, 3), 0, 2)
    assert law.probabilities == THIRDS != truth.probabilities
    for report, p in law.probabilities.items():
        assert 0 < abs(p - truth.probabilities[report]) <= law.unfinished


def changes_after_rejection(
    values: DrawnColumn,
    out: Slots,
    words: DrawnColumn,
    cuts: DrawnColumn,  # noqa: ARG001  the samplers' signature
    sizes: DrawnColumn,  # noqa: ARG001  the samplers' signature
) -> tuple[int, int]:
    """Rejects 3, then again and again with two reports in place of three."""
    for used in range(len(words)):
        out[0] = words[used] if used == 0 else words[used] % 2
        if words[used] < 3:
            return len(values), used + 1
    return 0, 0


def test_what_goes_on_differently_is_not_a_rejection() -> None:
    law = exact_distribution(sampler_of(changes_after_rejection), 0, 3)
    # The second word's tree is not the first's, the third's is the second's.
    expected = {(0,): Fraction(1, 4) + Fraction(1, 4) * Fraction(2, 3)}
    expected |= {(1,): Fraction(1, 4) + Fraction(1, 4) * Fraction(1, 3), (2,): Fraction(1, 4)}
    assert law.probabilities == expected
    assert law.unresolved == 0


def never_reports(
    values: DrawnColumn,  # noqa: ARG001  the samplers' signature
    out: Slots,  # noqa: ARG001  the samplers' signature
    words: DrawnColumn,  # noqa: ARG001  the samplers' signature
    cuts: DrawnColumn,  # noqa: ARG001  the samplers' signature
    sizes: DrawnColumn,  # noqa: ARG001  the samplers' signature
) -> tuple[int, int]:
    """Reads on for ever."""
    return 0, 0


def test_a_kernel_that_never_reports_is_unresolved() -> None:
    law = exact_distribution(sampler_of(never_reports), 0, 4)
    assert law.probabilities == {}
    assert law.unresolved == law.unfinished == 1


@pytest.mark.parametrize(
    ("sampler", "horizon"),
    [
        (grr_sampler(5, 7, 6), 1),
        (grr_wide_sampler(5, 40, 6), 3),
        (one_hot_sampler(3, 5, 3, 3, lanes=3), 4),
        (local_hash_sampler(3, 3, 9, 5), 3),
        (local_hash_sampler(4, 4, 4, 5), 2),
    ],
)
def test_machine_code_gives_the_same_distribution(sampler: Sampler, horizon: int) -> None:
    for value in range(sampler.inputs):
        ours = exact_distribution(sampler, value, horizon)
        theirs = exact_distribution(sampler, value, horizon, machine_code=True)
        assert ours == theirs
        assert sum(ours.probabilities.values()) == 1


def test_words_held_at_one_value_do_not_count() -> None:
    sampler = grr_wide_sampler(4, 9, 4)
    law = exact_distribution(sampler, 2, 2, words_at=lambda i: range(16) if i else [8])
    assert law.probabilities == {(y,): Fraction(1, 4) for y in range(4)}
    law = exact_distribution(sampler, 2, 2, words_at=lambda i: range(16) if i else [9])
    assert law.probabilities == {(2,): 1}


def test_too_many_leaves_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decision_tree, "MOST_LEAVES", 255)
    with pytest.raises(LdpError, match="must leave no more than 255 leaves"):
        exact_distribution(grr_sampler(3, 1, 8), 0, 1)
    assert exact_distribution(grr_sampler(3, 1, 7), 0, 1).leaves == 128


def test_reports_too_large_for_a_code_are_refused() -> None:
    sampler = one_hot_sampler(64, 1, 3, 2)
    with pytest.raises(LdpError, match="report: must have numbers below"):
        exact_distribution(sampler, 63, 80, words_at=lambda _: [3], machine_code=True)
