"""Rounds whose questions are published later: each has a program, once it is known what is asked.

Itemset mining asks one group after the other about candidates; `ClippedMean` asks for bins, then
for numbers within bounds. Here users answer by programs alone, from words, and by the protocols'
own clients from the same words.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified import SUE, Duchi, Hybrid
from ldp_verified.app.cli.clients import client_texts
from ldp_verified.deploy import Deployment
from ldp_verified.protocols import (
    SVIM,
    SVSM,
    CandidateSizes,
    ClippedMean,
    LDPMiner,
    RangeTree,
)
from ldp_verified.run.kernels.randomness import ReplayWords
from ldp_verified.run.program.interpret import interpret
from tests.program.set_cases import bits_of, within

if TYPE_CHECKING:
    from ldp_verified.protocols.candidates import CandidateRound
    from ldp_verified.run.aggregate.reports import Reports
    from ldp_verified.run.aggregate.state import State
    from ldp_verified.run.program import Program

MINERS: list[Any] = [SVIM(4.0, 20, 4), SVSM(4.0, 20, 4), LDPMiner(8.0, 20, 3, 4)]
SPACE = (1 << 64) - (1 << 60)
"""First words below it are within the shares of all sets, in Python as in the program."""


def tape_of(rng: np.random.Generator) -> list[int]:
    """Words for one report; the first one gives a place."""
    tape: list[int] = rng.integers(0, 1 << 64, 1200, dtype=np.uint64).tolist()
    return [tape[0] % SPACE, *tape[1:]]


def sets_of(k: int, rng: np.random.Generator, n: int) -> list[int]:
    """Sets as values: low items are in most of them."""
    chance = 1 / (1 + np.arange(k) / 3)
    rows = rng.random((n, k)) < chance
    return [sum(1 << i for i in np.flatnonzero(row).tolist()) for row in rows]


def asked_of(asked: CandidateRound, value: int, tape: list[int]) -> tuple[int, ...]:
    """What the protocol's own client reports from words.

    The place that a word gives is that of a candidate in the order of what was published; the
    client has those of a set in the order of items, which is the same law. Of bits a batch stops
    where all are decided; devices read every plane of them, by the program of the mechanism.
    """
    candidates = asked.candidates or [(item,) for item in range(asked.items)]
    own = within([sum(1 << item for item in each) for each in candidates])(value)
    held = asked.held([bits_of(value)])
    if _sizes(asked):
        own = [len(own)]
    assert sorted(held.items.tolist()) == own
    place = tape[0] % max(len(own), asked.length)
    chosen = own[place] if place < len(own) else asked.k + place - len(own)
    if isinstance(asked.inner, SUE):
        return interpret(asked.inner.program(), chosen, tape[1:]).report
    if held.items.tolist() == own:
        drawn = asked._reports(held, ReplayWords(tape)).data
    else:
        drawn = asked.inner._sampler.draw(np.array([chosen]), ReplayWords(tape[1:]))
    return tuple(drawn.reshape(-1).tolist())


def reports_of(asked: CandidateRound, rows: list[tuple[int, ...]]) -> Reports:
    """The numbers of several users as reports of a round."""
    shape = asked.inner.layout.shape
    data = np.array(rows, dtype=np.uint64).astype(shape.dtype)
    return asked.reports(data[:, 0] if shape.flat else data, simulated=False)


def mined_by_programs(made: Any, rng: np.random.Generator, n: int) -> Any:
    """All rounds, each answered by the program that one call gives."""
    states: list[State] = []
    for number in range(made.groups):
        asked = made.round(*states)
        assert asked.group == number
        program = made.round(*states).program()
        rows = []
        for value in sets_of(made.k, rng, n):
            tape = tape_of(rng)
            rows.append(interpret(program, value, tape).report)
            assert rows[-1] == asked_of(asked, value, tape)
        states.append(asked.empty().update(reports_of(asked, rows)))
    return made.found(*states)


@pytest.mark.parametrize("made", MINERS, ids=repr)
def test_items_are_mined_by_programs_alone(made: Any, rng: np.random.Generator) -> None:
    """Each report is that of the protocol's own client from the same words."""
    found = mined_by_programs(made, rng, 60)
    assert 0 < len(found.sets) <= made.top
    assert not found.simulated


def test_the_most_frequent_items_are_found(rng: np.random.Generator) -> None:
    """All 900 users have the items 0 and 1 and no other, at a large epsilon."""
    made = SVIM(12.0, 6, 2)
    states: list[State] = []
    for _ in range(made.groups):
        asked = made.round(*states)
        program = asked.program()
        rows = [interpret(program, 0b11, tape_of(rng)).report for _ in range(300)]
        states.append(asked.empty().update(reports_of(asked, rows)))
    # A lie has a chance below 5 e^-12, and a hundred would not change what is found.
    assert {each[0] for each in made.found(*states).sets} == {0, 1}


def slips(asked: CandidateRound) -> list[Program]:
    """Programs of rounds that were not published: candidates in another order, another price."""
    plain: Any = asked
    found = [replace(plain, epsilon=asked.epsilon / 2)]
    if not _sizes(asked):
        found.append(replace(plain, candidates=(*(asked.candidates or ())[::-1],)))
    return [each.program() for each in found]


def _sizes(asked: CandidateRound) -> bool:
    return isinstance(asked, CandidateSizes)


def test_programs_of_other_rounds_are_seen(rng: np.random.Generator) -> None:
    """Planted: half the epsilon; candidates in another order, which a size does not see."""
    made = SVIM(2.0, 9, 2)
    states: list[State] = []
    for _ in range(made.groups):
        asked = made.round(*states)
        wrong = slips(asked) if asked.candidates else []
        for program in wrong:
            assert any(
                interpret(program, value, tape).report != asked_of(asked, value, tape)
                for value in sets_of(9, rng, 60)
                for tape in [tape_of(rng)]
            )
        program = asked.program()
        rows = [interpret(program, v, tape_of(rng)).report for v in sets_of(9, rng, 60)]
        states.append(asked.empty().update(reports_of(asked, rows)))


def test_a_round_is_deployed_and_printed() -> None:
    """From the descriptor that the server publishes: the client has its candidates."""
    made = SVIM(2.0, 9, 2)
    asked = made.round()
    again = Deployment.from_text(Deployment(asked).text).mechanism
    assert again == asked
    assert again.program() == asked.program()
    text = client_texts(again, "c")["candidate_counts.h"]
    assert "A value is a set as one integer" in text


def test_the_page_shows_how_programs_of_rounds_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (Path(__file__).parents[2] / "docs" / "devices.md").read_text(encoding="utf-8")
    text = page.split("## Rounds")[1].split("```python\n")[1].split("```")[0]
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(text, names)
    again = Deployment.from_text(Path("round.json").read_text(encoding="utf-8")).mechanism
    assert again.program() == names["program"]
    assert [each.name for each in names["programs"]] == ["range_tree", "hybrid"]


def test_rounds_of_many_items_have_programs() -> None:
    program = SVIM(1.0, 65, 4).round().program()
    assert (program.inputs, program.length) == (2, 65)


CLIPPED = [
    ClippedMean(2.0, largest=1000.0, per_double=1),
    ClippedMean(1.0, largest=50.0, smallest=0.5, per_double=2, make=Duchi),
]


def position_of(x: float, bounds: tuple[float, float]) -> int:
    """What the head of the second client says that a value is."""
    low, high = bounds
    return round((x - low) / (high - low) * 2**52)


def bin_of(x: float, edges: tuple[float, ...]) -> int:
    """What docs/devices.md says that a bin is: how many of the inner borders are at most x."""
    return sum(edge <= x for edge in edges[1:-1])


@pytest.mark.parametrize("made", CLIPPED, ids=repr)
def test_a_clipped_mean_is_found_by_programs_alone(
    made: ClippedMean, rng: np.random.Generator
) -> None:
    """Bins by the tree's program, bounds, numbers within them by the second's, and the mean."""
    numbers = rng.normal(5, 3, 900).tolist()
    first, rows = made.first.program(), []
    for x in [*numbers[:450], -math.inf, -1000.0, 0.0, 1.0, 1e9]:
        tape = rng.integers(0, 1 << 64, 40, dtype=np.uint64)
        value = bin_of(x, made.edges)
        assert [value] == made.bins([x]).tolist()
        rows.append(interpret(first, value, tape.tolist()).report)
        own = made.first.privatize(made.bins([x]), ReplayWords(tape))
        assert rows[-1] == tuple(own.data.reshape(-1).tolist())
    data = np.array(rows)[:, 0].astype(made.first.layout.shape.dtype)
    bins = made.first.empty().update(made.first.reports(data, simulated=False))
    bounds = made.bounds(bins)
    asked: Any = made.second(bounds)
    second, drawn = asked.program(), []
    for x in [*numbers[450:], -math.inf, math.inf, *bounds]:
        tape = rng.integers(0, 1 << 64, 40, dtype=np.uint64)
        cut = min(max(x, bounds[0]), bounds[1])
        drawn.append(interpret(second, position_of(cut, bounds), tape.tolist()).report)
        own = asked.privatize(made.clipped([x], bounds), ReplayWords(tape))
        assert drawn[-1] == tuple(own.data.reshape(-1).tolist())
    outputs = np.array(drawn)[:, 0].astype(asked.sampler().dtype)
    state = asked.empty().update(asked.reports(outputs, simulated=False))
    found = made.estimate(bins, state, bounds)
    assert found.bounds == bounds
    assert found.mean.low < found.mean.value < found.mean.high


def test_clients_of_both_rounds_are_those_of_their_parts() -> None:
    """`generate range_tree` with as many bins, about them, then `generate hybrid` with bounds."""
    made = CLIPPED[0]
    bins = RangeTree(2.0, len(made.edges) - 1, about=made.first.about)
    assert client_texts(made.first, "c") == client_texts(bins, "c")
    assert client_texts(made.second((-4.0, 16.0)), "c") == client_texts(
        Hybrid(2.0, (-4.0, 16.0)), "c"
    )


def test_a_program_of_other_bounds_is_seen(rng: np.random.Generator) -> None:
    """Planted: the position within bounds that were not published."""
    asked: Any = CLIPPED[0].second((-4.0, 16.0))
    program = asked.program()
    found = 0
    for x in rng.uniform(-4, 16, 200):
        tape = rng.integers(0, 1 << 64, 40, dtype=np.uint64)
        own = asked.privatize([x], ReplayWords(tape)).data.reshape(-1).tolist()
        wrong = interpret(program, position_of(x, (-8.0, 16.0)), tape.tolist()).report
        found += tuple(own) != wrong
    assert found > 20
