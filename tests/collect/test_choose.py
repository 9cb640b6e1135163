"""auto: the ranking agrees with the textbook's variances, computed here from the formulas."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from ldp_verified.collect.choose import AUTO, NAMES, candidates, choose
from ldp_verified.errors import ParameterError

# Wang, Blocki, Li, Jha 2017, Locally Differentially Private Protocols for Frequency Estimation.


def textbook(name: str, epsilon: float, k: int, f: float) -> float:
    """Variance of the estimated count per user at share f, for the claimed table."""
    u = math.exp(epsilon)
    if name == "grr":
        return (k - 2 + u) / (u - 1) ** 2 + f * (k - 2) / (u - 1)
    if name == "sue":
        s = math.sqrt(u)
        return s / (s - 1) ** 2
    if name == "oue":
        return 4 * u / (u - 1) ** 2 + f
    if name == "blh":
        return hashing(u, 2, f)
    assert name == "olh"
    best = min((hashing(u, g, 0.0), g) for g in (math.floor(u + 1), math.ceil(u + 1)))
    return hashing(u, best[1], f)


def hashing(u: float, g: int, f: float) -> float:
    return (u + g - 1) ** 2 / ((g - 1) * (u - 1) ** 2) + f * ((g - 1) ** 2 - u) / (
        (g - 1) * (u - 1)
    )


@pytest.mark.parametrize("k", [2, 3, 10, 105, 1459])
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 2.0, 4.0])
def test_the_ranking_is_that_of_the_textbook(epsilon: float, k: int) -> None:
    n = 1000
    ranking = candidates(epsilon, k, n)
    assert sorted(c.name for c in ranking) == sorted(NAMES)
    for candidate in ranking:
        # Realized and claimed tables differ by less than 2^-20 of epsilon.
        worst = max(textbook(candidate.name, epsilon, k, i / 8) for i in range(9))
        assert candidate.worst == pytest.approx(math.sqrt(n * worst), rel=1e-5)
        rare = textbook(candidate.name, epsilon, k, 0.0)
        assert candidate.rare == pytest.approx(math.sqrt(n * rare), rel=1e-5)
    assert [c.worst for c in ranking] == sorted(c.worst for c in ranking)
    chosen, shown = choose(AUTO, epsilon, k, n)
    assert type(chosen).__name__.lower() == ranking[0].name
    assert [c.name for c in shown] == [c.name for c in ranking]


def test_equal_variances_are_ordered_by_bits() -> None:
    ranking = candidates(1.0, 2, 1)
    places = {c.name: c for c in ranking}
    for first, second in pairwise(ranking):
        if first.worst == second.worst:
            assert first.bits is not None
            assert second.bits is not None
            assert first.bits <= second.bits
    assert places["grr"].bits == 1


def test_a_named_mechanism_is_not_ranked() -> None:
    mechanism, ranking = choose("olh", 1.0, 5, 10)
    assert (type(mechanism).__name__, ranking) == ("OLH", ())
    with pytest.raises(
        ParameterError, match=r"--mechanism: must be auto or one of .*, got 'warner'"
    ):
        choose("warner", 1.0, 5, 10)


def test_what_cannot_be_realized_is_listed_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    from ldp_verified.collect import choose as module

    def refuse(_: float, k: int) -> object:
        raise ParameterError("k", "must be small", k)

    makers = module.makers()
    monkeypatch.setattr(module, "makers", lambda: {**makers, "sue": refuse})
    ranking = candidates(1.0, 1459, 10)
    assert (ranking[-1].name, ranking[-1].refused) == ("sue", "k: must be small, got 1459")
    assert ranking[-1].mechanism is None
    monkeypatch.setattr(module, "makers", lambda: dict.fromkeys(NAMES, refuse))
    with pytest.raises(ParameterError, match="k: must be small"):
        candidates(1.0, 1459, 10)
