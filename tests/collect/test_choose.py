"""auto: the ranking agrees with the textbook's variances, computed here from the formulas."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import pytest

from ldp_verified.deploy.collect.choose import AUTO, candidates, choose, makers
from ldp_verified.derive import Facts
from ldp_verified.errors import ParameterError
from ldp_verified.generate import class_name
from ldp_verified.language import f as share
from ldp_verified.language import load_catalogue, n

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


TEXTBOOK = ("grr", "sue", "oue", "blh", "olh")
FACTS = {spec.name: Facts(spec) for spec in load_catalogue() if spec.name in makers()}


def derived(name: str, made: Any, f: float) -> float:
    """The same from the spec's table, at the sizes that the object has settled on."""
    facts = FACTS[name]
    spec = facts.mechanism
    formula = facts.variance.subs({n: 1, share: f})
    names = {"q": "prime", "Q": "vectors"}
    values = {s: getattr(made, names.get(s.name, s.name), None) for s in formula.free_symbols}
    eps, root = spec.generator.eps, spec.generator.root
    # The class is given the whole epsilon; the spec may state that of one bit.
    own = made.epsilon / float(facts.epsilon / eps)
    values[spec.generator.symbol] = math.exp(own / root)
    return float(formula.subs(values))


def hashing(u: float, g: int, f: float) -> float:
    return (u + g - 1) ** 2 / ((g - 1) * (u - 1) ** 2) + f * ((g - 1) ** 2 - u) / (
        (g - 1) * (u - 1)
    )


@pytest.mark.parametrize("k", [2, 3, 10, 105, 1459])
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 2.0, 4.0])
def test_the_ranking_is_that_of_the_textbook(epsilon: float, k: int) -> None:
    users = 1000
    ranking = candidates(epsilon, k, users)
    assert sorted(c.name for c in ranking) == sorted(makers())
    for candidate in ranking:
        name, made = candidate.name, candidate.mechanism
        if name in TEXTBOOK:
            found = [textbook(name, epsilon, k, i / 8) for i in range(9)]
        else:
            found = [derived(name, made, i / 8) for i in range(9)]
        # Realized and claimed tables differ by less than 2^-20 of epsilon.
        worst, rare = max(found), found[0]
        assert candidate.worst == pytest.approx(math.sqrt(users * worst), rel=1e-5)
        assert candidate.rare == pytest.approx(math.sqrt(users * rare), rel=1e-5)
    assert [c.worst for c in ranking] == sorted(c.worst for c in ranking)
    chosen, shown = choose(AUTO, epsilon, k, users)
    assert type(chosen).__name__ == class_name(ranking[0].name)
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
    from ldp_verified.deploy.collect import choose as module

    def refuse(_: float, k: int) -> object:
        raise ParameterError("k", "must be small", k)

    makers = module.makers()
    monkeypatch.setattr(module, "makers", lambda: {**makers, "sue": refuse})
    ranking = candidates(1.0, 1459, 10)
    assert (ranking[-1].name, ranking[-1].refused) == ("sue", "k must be small")
    assert ranking[-1].mechanism is None
    monkeypatch.setattr(module, "makers", lambda: dict.fromkeys(makers, refuse))
    with pytest.raises(ParameterError, match="k: must be small"):
        candidates(1.0, 1459, 10)


def test_every_oracle_of_the_package_takes_part() -> None:
    """Whatever epsilon and k are enough for is known, and what needs more is not."""
    assert {"grr", "olh", "oue", "hash_cohorts", "subset_selection", "pgr", "hrr"} <= set(makers())
    assert {"ue", "warner", "duchi", "basic_rappor"}.isdisjoint(makers())


def test_of_two_names_of_one_table_the_known_one_is_chosen() -> None:
    names = [candidate.name for candidate in candidates(1.0, 1000, 10)]
    assert names.index("sue") < names.index("histogram_rr")
    assert names.index("grr") < names.index("keep_or_uniform")


@pytest.mark.parametrize("name", ["GRR", "HadamardResponse", "hadamard-response", "OUE"])
def test_a_mechanism_is_known_by_its_class_and_by_its_spec(name: str) -> None:
    """`deploy` took both, and `collect` specs alone."""
    made, _ = choose(name, 1.0, 4, 100)
    assert made.name.replace("_", "") == name.replace("-", "").lower()
