"""What numbers stand for is part of what reports and states are of: nothing else is mixed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified import protocols as p
from ldp_verified.deploy import Collector, Deployment
from ldp_verified.deploy.descriptor import CLASSES
from ldp_verified.errors import LdpError, ParameterError, ReportError
from ldp_verified.protocols.about import about_of
from ldp_verified.protocols.attributes import SampleOne
from ldp_verified.run.mechanisms import GRR
from tests.campaign.made import MADE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SINGLE = {"bounds"}
"""Pairs of numbers whose order is fixed."""


def renamed(value: Any) -> Any:
    """The same shape with other names and numbers."""
    if isinstance(value, dict):
        return {name + "2": each for name, each in value.items()}
    if isinstance(value, tuple | list):
        return tuple(map(renamed, value))
    return value + "2" if isinstance(value, str) else value + 1


def other_values(value: Any) -> Iterator[Any]:
    """Names, labels, sizes and sets of them, in another order or under another name."""
    yield renamed(value)
    if isinstance(value, dict):
        yield dict(reversed(value.items()))
        yield dict(zip(value, reversed(value.values()), strict=True))
        for name, held in value.items():
            labels = tuple(map(str, range(held)))
            yield value | {name: labels}
            yield value | {name: labels[::-1]}
    else:
        yield tuple(reversed(value))
        if isinstance(value[0], tuple):
            yield (tuple(reversed(value[0])), *value[1:])


def named(name: str) -> dict[str, Any]:
    """Usual arguments of a class, with labels and several views where it takes them."""
    cls, given = MADE[name]
    if "categories" in cls.__dataclass_fields__:
        given = given | {"categories": [f"v{i}" for i in range(cls(**given).k)]}
    if "views" in given:
        given = given | {"attributes": {"a": 2, "b": 2, "c": 2}, "views": (("a", "b"), ("b", "c"))}
    return given


def variants(name: str) -> Iterator[tuple[Any, Any]]:
    """An object of a class, and others whose numbers mean something else."""
    cls, given = MADE[name][0], named(name)
    made = cls(**given)
    for argument, value in given.items():
        if not isinstance(value, tuple | list | dict) or not value:
            continue
        for another in other_values(value):
            try:
                other = cls(**given | {argument: another})
            except LdpError:
                continue
            if other != made:
                yield made, other


PAIRS = [
    pytest.param(*pair, id=f"{name}-{number}")
    for name, (cls, _) in sorted(MADE.items())
    if hasattr(cls, "__dataclass_fields__")
    for number, pair in enumerate(variants(name))
] + [
    pytest.param(*pair, id=f"{type(pair[0]).__name__}-told-{number}")
    for number, pair in enumerate(
        (
            (p.ClippedMean(2.0, 1000.0), p.ClippedMean(2.0, 1e6, smallest=1000.0)),
            (p.ClippedMean(2.0, 1000.0), p.ClippedMean(2.0, 900.0)),
            (p.RangeHierarchy(1.0, 7, (2, 4)), p.RangeHierarchy(1.0, 7, (2, 5))),
            (p.RangeGrid(1.0, {"a": 7, "b": 9}, 3), p.RangeGrid(1.0, {"b": 7, "a": 9}, 3)),
            # Labels that would look alike in a list with commas.
            (
                p.JointTables(1.0, {"a": ("x, b", "y"), "c": 2}),
                p.JointTables(1.0, {"a": ("x", "b, y"), "c": 2}),
            ),
            (
                p.JointTables(1.0, {"a": ("0", "1"), "c": 2}),
                p.JointTables(1.0, {"a": (0, 1), "c": 2}),
            ),
        )
    )
]


def drawing(made: Any) -> Any:
    """What draws the numbered reports."""
    if isinstance(made, p.ClippedMean):
        return made.first
    return getattr(made, "scheme", made)


@pytest.mark.parametrize("made, other", PAIRS)
def test_what_means_something_else_is_never_mixed(made: Any, other: Any, tmp_path: Path) -> None:
    mine, its = drawing(made), drawing(other)
    if type(mine) in CLASSES.values():
        one, two = Deployment(mine), Deployment(its)
        assert one.tag != two.tag
        with pytest.raises(ReportError):
            Collector.from_bytes(one.collector().to_bytes(), two)
    if not hasattr(mine, "load"):
        return
    state = mine.empty()
    state.save(tmp_path / "state")
    with pytest.raises(ReportError):
        state.merge(its.empty())
    with pytest.raises(ReportError):
        its.load(tmp_path / "state")


def test_there_is_a_pair_of_every_kind_that_names_something() -> None:
    kinds = {type(pair.values[0]).__name__ for pair in PAIRS}
    kinds_with_names = {"JointTables", "RangeGrid", "RangeHierarchy", "ClippedMean", "ParityTables"}
    kinds_with_names |= {"SampleOne", "Split", "SampleAmongFakes", "BoxWavelet", "SafeRegions"}
    kinds_with_names |= {"GRR", "OLH", "LGRR", "SHE", "HPGR", "DBitFlip", "CandidateCounts"}
    assert kinds_with_names <= kinds


def test_reports_of_other_meaning_are_refused_in_words(seed: int) -> None:
    made = p.JointTables(4.0, {"sex": ("m", "f"), "smoker": ("yes", "no")})
    same = p.JointTables(4.0, {"sex": ("m", "f"), "smoker": ("yes", "no")})
    other = p.JointTables(4.0, {"sex": ("f", "m"), "smoker": ("yes", "no")})
    users = {"sex": ["m"] * 20, "smoker": ["no"] * 20}
    state = made.empty(simulated=True).update(same.privatize(users, seed))
    assert state.merge(same.empty(simulated=True)).users == 20
    for refused in (other.privatize(users, seed), SampleOne(4.0, (4,)).privatize([[0]], seed)):
        with pytest.raises(ReportError, match="reports: must be about the same attributes"):
            state.update(refused)
    with pytest.raises(ParameterError, match="state: must be of this protocol"):
        other.estimate(state)
    with pytest.raises(ReportError, match="about the same attributes"):
        Deployment(other.scheme).to_batch(made.privatize(users, seed))
    assert state.users == 20


def test_bounds_are_found_in_the_own_bins_only(seed: int) -> None:
    small, large = p.ClippedMean(2.0, 1000.0), p.ClippedMean(2.0, 1e6, smallest=1000.0)
    bins = small.first.privatize(small.bins([30.0] * 500), seed)
    state = small.first.empty(simulated=True).update(bins)
    assert small.bounds(state)
    with pytest.raises(ParameterError, match="state: must be of this protocol: about"):
        large.bounds(state)


def test_what_says_nothing_of_its_numbers_keeps_its_text_and_bytes() -> None:
    plain, told = SampleOne(2.0, (3, 4)), SampleOne(2.0, (3, 4), GRR, "age and sex")
    assert '"about"' not in Deployment(plain).text
    assert b'"about"' not in plain.empty().to_bytes()
    assert "about" not in repr(plain)
    assert "about='age and sex'" in repr(told)
    read = Deployment.from_text(Deployment(told).text)
    assert read.mechanism == told
    assert replace(told, about="") == plain
    assert p.RangeTree(1.0, 9).identity.parameters.keys() == {"epsilon", "k", "step"}


def test_a_file_that_says_nothing_is_read_by_who_knows_what_it_is_about(
    seed: int, tmp_path: Path
) -> None:
    """As files are that were written before states said it."""
    made = p.JointTables(4.0, {"sex": ("m", "f"), "smoker": ("yes", "no")})
    plain = replace(made.scheme, about="")
    reports = plain.privatize([[1]] * 5_000, seed)
    plain.empty(simulated=True).update(reports, batch="monday").save(tmp_path / "old")
    with pytest.raises(ReportError, match="data: must be about"):
        made.load(tmp_path / "old")
    old = plain.load(tmp_path / "old")
    state = p.SampledState(made.scheme, old.users, old.states, old.batches)
    assert state.batches == {"monday"}
    # 5,000 men who do not smoke; one standard error is about 20.
    counts = made.estimate(state).table("sex", "smoker").columns()[0]
    assert counts == pytest.approx([0, 5_000, 0, 0], abs=200)


def test_what_has_parts_and_no_such_reports_reads_no_state() -> None:
    state = SampleOne(2.0, (3, 4)).empty()
    split: Any = p.Split(4.0, (3, 4))
    assert [part.identity for part in split.parts] == [each.identity for each in state.states]
    with pytest.raises(ParameterError, match="made: must be a scheme whose users report once"):
        p.SampledState.from_bytes(state.to_bytes(), split)
    with pytest.raises(ParameterError, match="scheme: must be a scheme whose users report once"):
        p.SampledState(split, 0, state.states)


@pytest.mark.parametrize("about", [None, 1, "x" * 101, "a\nb", "\ud800"])
def test_what_is_no_short_text_is_refused(about: Any) -> None:
    for call in (
        lambda: SampleOne(1.0, (2, 3), GRR, about),
        lambda: p.RangeTree(1.0, 9, about=about),
    ):
        with pytest.raises(ParameterError, match="about: must be a text of at most 100 printable"):
            call()


def test_a_text_that_gives_an_empty_meaning_is_no_descriptor() -> None:
    text = Deployment(p.RangeTree(1.0, 9)).text
    with pytest.raises(ReportError, match="another arguments"):
        Deployment.from_text(text.replace('"arguments":{', '"arguments":{"about":"",'))


def test_no_two_lists_have_one_hash() -> None:
    said: list[Any] = [["a,b", "c"], ["a", "b,c"], [["a"], "c"], ["a", ["c"]], [1], ["1"], [1.0]]
    assert len({about_of("x", *each) for each in said} | {about_of("y", *said[0])}) == 8
