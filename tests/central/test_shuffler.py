"""A shuffler gives out batches in a uniform order and nothing of their senders."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest

from ldp_verified import GRR, OLH, BinaryRR, Duchi
from ldp_verified.analysis.central import Shuffler
from ldp_verified.analysis.central.shuffler import uniform_order
from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.protocols import LGRR, Gaussian, SignMatrix
from ldp_verified.run.kernels.randomness import ReplayWords
from ldp_verified.run.kernels.seeds import word_source
from tests.broken.central import Signed

MADE = GRR(2.0, 4)


def reports(n: int, seed: int) -> Any:
    return MADE.privatize(np.arange(n) % 4, seed)


def test_every_order_is_as_likely_as_any_other() -> None:
    """Over all words of 3 bits for 3 reports, without those in which two are equal."""
    found = Counter(
        tuple(uniform_order(3, ReplayWords([a, b, c], 3)).tolist())
        for a in range(8)
        for b in range(8)
        for c in range(8)
        if len({a, b, c}) == 3
    )
    assert len(found) == 6
    assert len(set(found.values())) == 1


def test_equal_words_are_drawn_again() -> None:
    words = ReplayWords([5, 5, 1, 3, 2, 1], 3)
    assert uniform_order(3, words).tolist() == [2, 1, 0]


def test_the_same_reports_come_out_in_another_order(seed: int) -> None:
    """Null: a uniform order. The correlation of places is normal: beyond 8 with 1e-15; n = 5000."""
    shuffler, n = Shuffler(MADE, 100, rng=seed), 5000
    sent = reports(n, seed)
    shuffler.add(sent)
    out = shuffler.release()
    assert np.array_equal(np.sort(out.reports.data), np.sort(sent.data))
    assert MADE.aggregate(out.reports, simulated=True).estimate().n == n
    order = uniform_order(n, word_source(seed, "test"))
    assert abs(np.corrcoef(order, np.arange(n))[0, 1]) * n**0.5 < 8
    assert shuffler.held == 0


def test_real_reports_stay_real_and_seeds_are_seen() -> None:
    for rng, how in ((None, False), (1, True)):
        shuffler = Shuffler(MADE, 2, rng=rng)
        shuffler.add(MADE.privatize([0, 1, 2]))
        assert shuffler.release().reports.simulated is how


def test_a_batch_that_is_too_small_is_not_released(seed: int) -> None:
    shuffler = Shuffler(MADE, 10, 20, rng=seed)
    with pytest.raises(ReportError, match="at least 10"):
        shuffler.release()
    shuffler.add(reports(9, seed))
    with pytest.raises(ReportError, match="at least 10"):
        shuffler.release()
    assert shuffler.held == 9
    shuffler.add(reports(1, seed))
    assert len(shuffler.release().reports) == 10


def test_memory_is_bounded_and_nothing_wrong_is_taken(seed: int) -> None:
    shuffler = Shuffler(MADE, 2, 10, rng=seed)
    shuffler.add(reports(8, seed))
    wrong = [
        reports(3, seed),
        GRR(1.0, 4).privatize([1], seed),
        MADE.privatize([1]),
        np.array([1]),
    ]
    for each in wrong:
        with pytest.raises(ReportError):
            shuffler.add(each)
        assert shuffler.held == 8


@pytest.mark.parametrize(
    "made",
    [SignMatrix(4.0, bits=8), LGRR(2.0, 1.0, 4), Gaussian(1.0, 1e-6)],
    ids=lambda made: type(made).__name__,
)
def test_what_holds_something_of_its_sender_is_refused(made: Any) -> None:
    with pytest.raises(ParameterError, match="mechanism"):
        Shuffler(made, 10)


@pytest.mark.parametrize("least,most", [(1, 10), (0, 10), (11, 10), (2, 1 << 40), (True, 10)])
def test_sizes_that_are_none_are_refused(least: Any, most: Any) -> None:
    with pytest.raises(ParameterError):
        Shuffler(MADE, least, most)


@pytest.mark.parametrize("made", [OLH(2.0, 64), Duchi(2.0)], ids=lambda made: type(made).__name__)
def test_a_batch_costs_less_than_a_report(made: Any, seed: int) -> None:
    shuffler = Shuffler(made, 100, rng=seed)
    values = np.zeros(3000) if isinstance(made, Duchi) else np.zeros(3000, dtype=int)
    shuffler.add(made.privatize(values, seed))
    out = shuffler.release()
    assert out.epsilon(1e-6) < 0.5
    assert out.epsilon(1e-6) <= out.epsilon(1e-6, honest=300) <= out.local_epsilon <= 2.0
    assert out.epsilon(1e-6, honest=1) == pytest.approx(out.local_epsilon, rel=1e-3)
    with pytest.raises(ParameterError, match="honest"):
        out.epsilon(1e-6, honest=3001)


def test_an_identifying_field_gives_away_what_shuffling_hides(seed: int) -> None:
    """Guess one user's bit, knowing all others: from the count, and from the sender's number.

    Planted: reports with the number of their sender. The guess is then right with probability u/(u
    + 1) = 0.95 at epsilon = 3. From the count of 400 others it is right with 0.5 + 0.045 or so: the
    count's standard deviation is 4.4. n = 2000 guesses; 0.7 is 14 standard errors from the one and
    25 from the other.
    """
    made, trials, others = BinaryRR(3.0), 2000, 400
    keep = math.exp(3.0) / (math.exp(3.0) + 1)
    known = np.arange(others) % 2
    rng = np.random.default_rng(seed)
    secret = rng.integers(0, 2, trials)
    everybody = np.column_stack([np.broadcast_to(known, (trials, others)), secret])
    sent = made.privatize(everybody.ravel(), seed).data.reshape(everybody.shape).astype(np.int64)
    assert 0.5 < keep < 0.96
    by_count = sent.sum(axis=1) > known.sum() * keep + (others - known.sum()) * (1 - keep) + 0.5
    by_sender = []
    for bits in sent:
        batch = Signed.shuffled(bits, rng)
        by_sender.append(batch.bits[batch.senders == others][0])
    assert (by_count == secret).mean() < 0.7 < (np.array(by_sender) == secret).mean()
