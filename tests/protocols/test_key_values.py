"""Key-value pairs: price, counts and means, and what they refuse."""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_verified.errors import DomainError, ParameterError, ReportError
from ldp_verified.language import load_protocol
from ldp_verified.protocols import (
    KeyValueBits,
    KeyValueClient,
    KeyValueResponse,
    KeyValues,
    KeyValueSymbols,
    PairSets,
    SpendingBook,
)
from tests.registry import RANGE, covers

BOTH: list[Any] = [KeyValueResponse, KeyValueBits, KeyValueSymbols]
KINDS = [{}, {0: 2.0}, {1: 0.0, 3: 5.0}, {4: 1.0, 2: 4.0, 0: 5.0}, dict.fromkeys(range(5), 3.0)]
COUNTS = [3_000, 5_000, 4_000, 4_000, 4_000]


def population() -> PairSets:
    """20000 users."""
    users = [kind for kind, count in zip(KINDS, COUNTS, strict=True) for _ in range(count)]
    return PairSets.of(users)


@pytest.mark.parametrize(
    "made, name", [(KeyValueResponse, "key_value_response"), (KeyValueBits, "key_value_bits")]
)
def test_it_runs_the_declaration_that_it_names(made: Any, name: str) -> None:
    assert load_protocol(name).law_hash == made.law_sha256


@covers(RANGE, "KeyValueResponse", "KeyValueBits", "KeyValueSymbols")
@given(
    epsilon=st.floats(1e-6, 700),
    k=st.sampled_from([2, 3, 300, 1 << 20]),
    length=st.sampled_from([1, 2, 5, 300]),
)
@settings(max_examples=40, deadline=None)
def test_no_report_costs_more_than_is_wanted(epsilon: float, k: int, length: int) -> None:
    for of in BOTH:
        made = of(epsilon, k, length)
        assert 0 < made.realized_epsilon <= epsilon
        assert 0 < made.variance(1) < math.inf
        assert 0 <= made.variance(1, 1) < math.inf


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
@pytest.mark.parametrize("length", [1, 2, 5])
def test_the_response_is_the_one_of_the_paper_with_equal_lies(epsilon: float, length: int) -> None:
    """The own key is kept with a, and then its sign with p; of d' keys, l here for the dummies.

    With E = e^eps' these are (E + 1)/(E + 2 d' - 1) and E/(E + 1): lies that are alike. Here l
    dummies have one sign only, so that there are 2 k + l values in the place of 2 d' = 2 (k + l).
    """
    made = KeyValueResponse(epsilon, 10, length)
    gained = length * (math.exp(epsilon) - 1) + 1
    values = 20 + length
    keep = (gained + 1) / (gained + values - 1)
    assert float(made.inner.p + made.inner.q) == pytest.approx(keep)
    sign = float(made.inner.p / (made.inner.p + made.inner.q))
    assert sign == pytest.approx(gained / (gained + 1))


@pytest.mark.parametrize("of", BOTH)
def test_counts_and_means_are_unbiased_but_for_what_is_cut(of: Any, seed: int) -> None:
    """Null: counts and sums are normal around `centre` with the stated errors; n = 20000, length 3.

    Two-sided normal tests at level 1e-10 of 5 counts and 5 sums of both classes: 2e-9 in all, and
    1/4 a user is added to squared errors for the cutting. A bias of 7.8 errors is found with a
    power of 0.9.
    """
    made = of(2.0, 5, 3, bounds=(0.0, 5.0))
    pairs = population()
    state = made.empty(simulated=True).update(made.privatize(pairs, rng=seed))
    found = made.estimate(state)
    counts, sums = made.centre(pairs)
    assert counts[0] == pytest.approx(5_000 + 4_000 + 4_000 * 3 / 5)
    limit = -NormalDist().inv_cdf(5e-11)
    errors = np.sqrt(found.std_error**2 + state.n / 4)
    assert (np.abs(found.counts - counts) <= limit * errors).all()
    square = np.sqrt(found._variances[1] + state.n / 4)
    assert (np.abs(found.sums - sums) <= limit * square).all()
    means = 2.5 + 2.5 * sums / counts
    low, high = found.means.columns(1 - 1e-9)[2:]
    assert ((low <= means) & (means <= high)).all()


@pytest.mark.parametrize("of", BOTH)
def test_states_add_up_and_are_saved(of: Any, tmp_path: Path) -> None:
    made = of(1.0, 5, 2, (0.0, 5.0))
    one, two = made.privatize(KINDS, rng=1), made.privatize(KINDS, rng=2)
    whole = made.empty(True).update(one).update(two)
    assert made.empty(True).update(one).merge(made.empty(True).update(two)) == whole
    whole.save(tmp_path / "state")
    for again in (made.load(tmp_path / "state"), pickle.loads(pickle.dumps(whole))):
        assert again == whole
        assert np.array_equal(made.estimate(again).counts, made.estimate(whole).counts)
    for other, named in ((of(1.0, 5, 3, (0.0, 5.0)), "length"), (of(1.0, 5, 2), "high")):
        with pytest.raises(ReportError, match="is foreign"):
            other.load(tmp_path / "state")
        with pytest.raises(ParameterError, match=f"state: must be of this protocol: .*{named}"):
            other.estimate(whole)
    with pytest.raises(ParameterError, match="state"):
        made.estimate(None)


@pytest.mark.parametrize("of", BOTH)
def test_a_client_reports_once_and_pays_first(of: Any, tmp_path: Path) -> None:
    made = of(1.0, 5, 2)
    book = SpendingBook(tmp_path / "book", 1, new=True)
    client = made.client(rng=1, book=book)
    for wrong in ({5: 0.5}, {0: 1.5}, {0: "1"}, [1], None, {0: float("nan")}):
        with pytest.raises(DomainError, match="must"):
            client.report(wrong)
    assert book.left == 1
    assert len(client.report({0: 0.5, 4: -1, 2: 0})) == 1
    assert book.left == 0
    with pytest.raises(ParameterError, match="report: must be called once"):
        client.report({})
    with pytest.raises(ParameterError, match="budget"):
        made.client(rng=1, book=book).report({})


@pytest.mark.parametrize("of", BOTH)
def test_bad_arguments_are_named(of: Any) -> None:
    for arguments, name in (
        ({"epsilon": 0}, "epsilon"),
        ({"k": 1}, "k"),
        ({"k": 2.0}, "k"),
        ({"length": 0}, "length"),
        ({"bounds": (1.0, 1.0)}, "bounds"),
    ):
        with pytest.raises(ParameterError) as refused:
            of(**{"epsilon": 1.0, "k": 5, "length": 2} | arguments)
        assert refused.value.argument == name
    made = of(1.0, 5, 2)
    with pytest.raises(ParameterError, match="rng"):
        made.privatize([{}], rng=1.5)
    for n, f, name in ((-1, 0, "n"), (1, 2, "f")):
        with pytest.raises(ParameterError, match=f"{name}: must"):
            made.variance(n, f)
    protocol: Any = None
    with pytest.raises(ParameterError, match="protocol"):
        KeyValueClient(protocol)
    assert isinstance(made, KeyValues)
    with pytest.raises(ReportError):
        made.reports(np.array([-1]), simulated=True)
