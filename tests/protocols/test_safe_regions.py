"""Safe regions: what a report costs, what is refused, and that no message shows a place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_verified.errors import DomainError, ParameterError, ReportError
from ldp_verified.protocols import SafeRegions, SafeRegionState, SpendingBook
from ldp_verified.run.realize.tables import balls
from tests.protocols.refusals import ODD, made_or_refused
from tests.registry import RANGE, covers
from tests.strategies import EPSILONS

TREE = {"world": ["east", "west", "sea"], "east": ["ea", "eb", "ec"], "west": ["wa"]}
MADE = SafeRegions(TREE, (0.5, 2.0), seed=9)


@covers(RANGE, "SafeRegions")
@settings(deadline=None, max_examples=40)
@given(epsilon=EPSILONS, places=st.integers(2, 40), seed=st.integers(0, 9))
def test_a_report_costs_what_is_claimed(epsilon: float, places: int, seed: int) -> None:
    regions = {"all": [f"p{place}" for place in range(places)]}
    arguments = {"regions": regions, "epsilons": (epsilon,), "seed": seed}
    made = made_or_refused(SafeRegions, arguments)
    if made is None:
        assert epsilon < 1e-3 or epsilon > 40
        return
    p = Fraction(made.matrices[0]._randomizer.p)
    assert balls.decide(lambda: balls.ball(p / (1 - p)) <= balls.ball(Fraction(made.epsilon)).exp())
    assert made.realized_epsilon <= made.epsilon == made.epsilons[-1]


@pytest.mark.parametrize("argument", ["regions", "epsilons", "seed"])
@pytest.mark.parametrize("value", ODD)
def test_odd_parameters_are_refused(argument: str, value: Any) -> None:
    if argument == "epsilons" and value == [1]:
        value = [-1]
    with pytest.raises(ParameterError, match=argument):
        SafeRegions(**{"regions": TREE, "epsilons": (1.0,)} | {argument: value})


@pytest.mark.parametrize("epsilons", [(), (0.0,), (1.0, 1.0), (2.0, 1.0), (1.0,) * 257, ("1",)])
def test_the_epsilons_rise(epsilons: Any) -> None:
    with pytest.raises(ParameterError, match=r"epsilons: must .*, got "):
        SafeRegions(TREE, epsilons)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"region": "mars"}, "region: must be a region of the taxonomy, got 'mars'"),
    ({"region": "ea"}, "region: must be a region of the taxonomy, got 'ea'"),
    ({"region": "west"}, "region: must hold two places or more.*, got 'west'"),
    ({"region": None}, "region: must be a region of the taxonomy"),
    ({"epsilon": 1.0}, r"epsilon: must be one of \(0.5, 2.0\), got 1.0"),
    ({"epsilon": -1.0}, "epsilon: must"),
    ({"number": -1}, "number: must"),
    ({"book": 3}, "book: must"),
]


@pytest.mark.parametrize("changed, said", REFUSED)
def test_a_client_names_a_region_of_the_taxonomy(changed: dict[str, Any], said: str) -> None:
    choice: dict[str, Any] = {"region": "east", "epsilon": 2.0} | changed
    with pytest.raises(ParameterError, match=said):
        MADE.client(**{"number": 1} | choice)
    if changed.keys() <= {"region", "epsilon"}:
        with pytest.raises(ParameterError, match=said):
            MADE.privatize(["ea"], **choice)
        for name, one in changed.items():
            with pytest.raises(ParameterError, match=said):
                MADE.privatize(["ea", "ea"], **choice | {name: [choice[name], one]})


@pytest.mark.parametrize("place", ["wa", "a secret", "east", 3, None])
def test_a_place_outside_the_own_region_is_refused_and_not_shown(place: Any) -> None:
    choice: dict[str, Any] = {"region": "east", "epsilon": 2.0}
    client = MADE.client(number=1, rng=1, **choice)
    calls: list[Callable[[], object]] = [
        lambda: client.report(place),
        lambda: MADE.privatize(["ea", place], 1, **choice),
        lambda: MADE.simulate(["ea", place], [1, 1], 1, **choice),
    ]
    for call in calls:
        with pytest.raises(
            DomainError, match=r"places?: must (lie in the user's own|be places)"
        ) as refused:
            call()
        assert refused.value.__context__ is None
        assert "wa" not in str(refused.value)
        assert "secret" not in str(refused.value)
    assert len(MADE.client(number=1, **choice).report("ea")) == 1


def test_a_user_reports_once_at_the_epsilon_that_they_chose(tmp_path: Any) -> None:
    client = MADE.client("east", 0.5, 3)
    found = client.report("eb")
    assert (found.simulated, len(found), client.epsilon) == (False, 1, 0.5)
    assert found.regions.tolist() == [MADE.taxonomy.names.index("east")]
    with pytest.raises(ParameterError, match="must be called once"):
        client.report("eb")
    book = SpendingBook(tmp_path / "book", 2.4, new=True)
    MADE.client("world", 2.0, 5, book=book).report("sea")
    with pytest.raises(ParameterError, match="left of the budget"):
        MADE.client("world", 0.5, 6, book=book).report("sea")
    again = MADE.client("east", 0.5, 7, book=book)
    for place in ("wa", "ea"):  # no place is entered before it is known to be inside
        with pytest.raises((DomainError, ParameterError)):
            again.report(place)


def test_a_population_is_the_same_as_its_users_in_order() -> None:
    choice: dict[str, Any] = {"region": "world", "epsilon": 2.0}
    drawn = MADE.simulate(["ea", "sea"], [3, 2], 5, first=10, **choice)
    assert drawn.simulated
    assert drawn.numbers.tolist() == [10, 11, 12, 13, 14]
    for counts in ([1], [1.0, 2.0], [-1, 2], [[1], [2]]):
        with pytest.raises(ParameterError, match="counts: must"):
            MADE.simulate(["ea", "sea"], counts, 5, **choice)
    nothing = np.zeros(2, np.int64)
    calls: list[Callable[[], object]] = [
        lambda: MADE.privatize([], **choice),
        lambda: MADE.simulate(["ea", "sea"], nothing, **choice),
    ]
    for nobody in calls:
        with pytest.raises(DomainError, match="places: must be one place or more"):
            nobody()
    with pytest.raises(ParameterError, match="first"):
        MADE.privatize(["ea"], first=-1, **choice)


def test_each_user_may_choose_for_themselves() -> None:
    places, regions = ["ea", "sea", "wa", "ec"], ["east", "world", "world", "east"]
    drawn = MADE.privatize(places, 5, region=regions, epsilon=[0.5, 2, 0.5, 2.0])
    assert [MADE.taxonomy.names[number] for number in drawn.regions] == regions
    assert drawn.levels.tolist() == [0, 1, 0, 1]
    several = MADE.simulate(["ea", "ea"], [2, 1], 5, region=["east", "world"], epsilon=2.0)
    assert [MADE.taxonomy.names[number] for number in several.regions] == ["east", "east", "world"]
    for name, listed in (("region", ["east"]), ("epsilon", [2.0] * 3)):
        choice: dict[str, Any] = {"region": "world", "epsilon": 2.0, name: listed}
        with pytest.raises(ParameterError, match=f"{name}: must be one, or one for each place"):
            MADE.privatize(["ea", "sea"], **choice)
    with pytest.raises(DomainError, match="must lie in the user's own region, 'east'"):
        MADE.privatize(["ea", "sea"], region=["world", "east"], epsilon=2.0)


def test_reports_that_are_not_its_own_are_refused() -> None:
    state = SafeRegionState(MADE)
    good = MADE.privatize(["ea", "eb"], region="east", epsilon=0.5)
    wrong: list[dict[str, Any]] = [
        {"numbers": good.numbers.astype(np.int64)},
        {"numbers": np.array([2**64 - 1, 0], np.uint64)},
        {"numbers": np.array([1, 1], np.uint64)},
        {"regions": np.array([0, 3], np.uint32)},
        {"regions": np.array([0, 2], np.uint32)},
        {"levels": np.array([0, 2], np.uint8)},
        {"signs": np.array([0, 2], np.uint8)},
        {"signs": np.array([0], np.uint8)},
    ]
    for change in wrong:
        with pytest.raises(ReportError, match=f"{next(iter(change))}: must "):
            state.update(replace(good, **change))
    others = [replace(MADE, seed=8), replace(MADE, epsilons=(0.5,)), replace(MADE, regions=TWO)]
    for other in others:
        foreign = other.privatize(["ea"], region="world", epsilon=0.5)
        with pytest.raises(ReportError, match="foreign"):
            state.update(foreign)
        with pytest.raises(ReportError, match="foreign"):
            SafeRegionState.from_bytes(SafeRegionState(other).to_bytes(), MADE)
    with pytest.raises(ReportError, match="simulated"):
        state.update(good).update(replace(good, simulated=True))
    assert state.n == 2


TWO = {"world": ["east", "sea"], "east": ["ea", "eb"]}
