"""States of every kind: kept, damaged, made up."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldp_verified.deploy import Deployment
from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.protocols import (
    LGRR,
    SHE,
    ChangeTree,
    DuchiVector,
    PrefixExtending,
    RangeHierarchy,
    RangeTree,
    Rappor,
    RapporState,
    SampledState,
    SampleOne,
    SignMatrix,
    SignState,
    SphereVector,
    Split,
    SumState,
    VectorState,
    VotedMean,
)
from ldp_verified.protocols.grouped_state import GroupState
from ldp_verified.run.aggregate.moments import MeanState
from ldp_verified.run.aggregate.saved import Saved, check_mean
from ldp_verified.run.aggregate.state import State
from ldp_verified.run.mechanisms import CMS, GRR, OUE, Duchi, Hybrid, Laplace, Piecewise
from tests.deploy.deployed import MADE, reports_of

KINDS: list[Any] = [
    CMS(1.0, 5, 4),
    GRR(1.0, 5),
    Duchi(1.0),
    Hybrid(2.0),
    DuchiVector(1.0, 5),
    SphereVector(1.0, 5, radius=2.0),
    SHE(1.0, 4),
    LGRR(4.0, 1.0, 5),
    SampleOne(2.0, (3, 4)),
    Rappor(0.5, 0.25, 0.75, bits=9, hashes=2, cohorts=3),
]
KEPT: dict[Any, Callable[[Any], Saved]] = {
    ChangeTree(1.0, 5, 2): ChangeTree.empty,
    VotedMean(1.0, 4): VotedMean.empty,
    Split(2.0, (3, 4)): Split.empty,
    Laplace(1.0, (0, 1)): Laplace.empty,
    SignMatrix(2.0): SignState,
    PrefixExtending(4.0, bits=8, step=4, g=16): GroupState,
    Deployment(GRR(1.0, 5)): Deployment.collector,
}
"""Further kinds, and what makes their states."""

FLIPS = 400


def name_of(made: Any) -> str:
    return type(made).__name__


def filled(made: Any) -> Any:
    """A state that has seen a few honest reports."""
    reports = reports_of(made)
    if isinstance(made, Rappor):
        return RapporState(made).update(reports)
    if isinstance(made, LGRR):
        state = made.empty()
        for report in reports:
            state = state.update(report.reports)
        return state
    return made.empty().update(reports)


def loaded(made: Any, data: bytes, *, implausible: bool = False) -> Any:
    state = RapporState(made) if isinstance(made, Rappor) else made.empty()
    of = state.oracle if isinstance(state, State) else made
    cls: Any = type(state)
    return cls.from_bytes(data, of, implausible=implausible)


def forged(data: bytes, change: dict[str, Any], body: bytes | None = None) -> bytes:
    """The bytes with other fields, and a checksum that fits."""
    (length,) = struct.unpack_from("<I", data, 10)
    header = json.dumps(json.loads(data[14 : 14 + length]) | change).encode()
    rest = data[14 + length : -32] if body is None else body
    whole = data[:10] + struct.pack("<I", len(header)) + header + rest
    return whole + hashlib.sha256(whole).digest()


@pytest.mark.parametrize("made", KINDS, ids=name_of)
def test_a_state_is_kept(made: Any, tmp_path: Path) -> None:
    state = filled(made)
    assert isinstance(state, Saved)
    data = state.to_bytes()
    twice: Any = state
    again = loaded(made, data)
    assert again.to_bytes() == data
    assert again.merge(again).to_bytes() == twice.merge(twice).to_bytes()
    assert loaded(made, forged(data, {})).to_bytes() == data
    state.save(tmp_path / "state")
    if not isinstance(made, Rappor):
        assert made.load(tmp_path / "state").to_bytes() == data


@pytest.mark.parametrize("made", [*KINDS, *KEPT], ids=name_of)
def test_another_object_than_what_made_the_reports_is_refused(made: Any) -> None:
    """A protocol in place of its oracle, a protocol of another kind, and what is neither."""
    if made in KEPT:
        state: Any = KEPT[made](made)
    else:
        state = RapporState(made) if isinstance(made, Rappor) else made.empty()
    data = state.to_bytes()
    for wrong in (
        None,
        3,
        "GRR",
        RangeTree(1.0, 13),
        RangeHierarchy(1.0, 13),
        Deployment(GRR(1, 9)),
    ):
        with pytest.raises((ParameterError, ReportError), match=r"must be|is foreign"):
            type(state).from_bytes(data, wrong)


def test_a_state_counts_by_an_oracle_not_by_a_protocol() -> None:
    made: Any = RangeTree(1.0, 13)
    data = made.empty().to_bytes()
    with pytest.raises(ParameterError, match=r"oracle: must be a mechanism's `.oracle`"):
        State(made)
    with pytest.raises(ParameterError, match=r"oracle: must be a mechanism's `.oracle`"):
        State.from_bytes(data, made)
    assert State.from_bytes(data, made.oracle).n == 0


@pytest.mark.parametrize("made", KINDS, ids=name_of)
def test_no_flip_and_no_cut_is_accepted(made: Any, seed: int) -> None:
    data, rng = filled(made).to_bytes(), np.random.default_rng(seed)
    for place in rng.integers(0, 8 * len(data), FLIPS):
        changed = bytearray(data)
        changed[place // 8] ^= 1 << (place % 8)
        with pytest.raises(ReportError):
            loaded(made, bytes(changed))
    for length in {0, 8, 14, len(data) - 1, *rng.integers(0, len(data), 50).tolist()}:
        with pytest.raises(ReportError):
            loaded(made, data[:length])


def test_every_kind_refuses_the_others() -> None:
    texts = {name_of(made): filled(made).to_bytes() for made in KINDS}
    for made in KINDS:
        for name, data in texts.items():
            if name != name_of(made):
                with pytest.raises(ReportError):
                    loaded(made, data)


@pytest.mark.parametrize("made", [m for m in KINDS if not hasattr(m, "sizes")], ids=name_of)
@pytest.mark.parametrize(
    "change",
    [
        *({"law_hash": "0" * 64}, {"law_hash": None}, {"thresholds": [1]}, {"mechanism": "Other"}),
        *({"simulated": None}, {"simulated": 0}, {"n": None}, {"n": -1}, {"n": 1.0}, {"n": True}),
        *({"n": 2**62}, {"n": 10**400}, {"kind": None}, {"kind": "others"}, {"parameters": {}}),
    ],
)
def test_headers_of_others_are_refused(made: Any, change: dict[str, Any]) -> None:
    with pytest.raises(ReportError):
        loaded(made, forged(filled(made).to_bytes(), change))


DUCHI, VECTOR, SUMS = Duchi(1.0), DuchiVector(1.0, 5), SHE(1.0, 4)
HYBRID, LAPLACE = Hybrid(2.0), Laplace(1.0)
SAMPLE, RAPPOR = KINDS[-2:]


@pytest.mark.parametrize(
    ("made", "change"),
    [
        (DUCHI, {"n": 3}),
        (DUCHI, {"total": 5}),
        (DUCHI, {"squares": 99}),
        (LAPLACE, {"total": -1}),
        (LAPLACE, {"total": 10**12}),
        (LAPLACE, {"squares": 0}),
        (LAPLACE, {"total": 9, "squares": 28, "atoms": [0, 0]}),
        (LAPLACE, {"total": 9, "squares": 20, "atoms": [0, 0]}),
        (LAPLACE, {"total": 9, "squares": 10**12 + 1, "atoms": [0, 0]}),
        (DUCHI, {"atoms": [1]}),
        (DUCHI, {"atoms": None}),
        (DUCHI, {"atoms": ["1"]}),
        (HYBRID, {"atoms": [5, 0]}),
        (HYBRID, {"atoms": [-1, 0]}),
        (HYBRID, {"squares": 1}),
        (VECTOR, {"ones": [0] * 4}),
        (VECTOR, {"ones": [7] * 5}),
        (VECTOR, {"ones": [-1] * 5}),
        (VECTOR, {"n": 0}),
        (SUMS, {"totals": [10**9] * 4}),
        (SUMS, {"totals": [-1] * 4}),
        (SUMS, {"lows": [8] * 4}),
        (SUMS, {"lows": [4] * 4, "highs": [4] * 4}),
        (SUMS, {"totals": [0] * 3}),
        (SAMPLE, {"users": 5}),
        (SAMPLE, {"lengths": []}),
        (SAMPLE, {"lengths": [1, 2]}),
        (SAMPLE, {"lengths": [-1, 2]}),
    ],
)
def test_sums_that_no_reports_have_are_refused(made: Any, change: dict[str, Any]) -> None:
    with pytest.raises(ReportError):
        loaded(made, forged(filled(made).to_bytes(), change), implausible=True)


@pytest.mark.parametrize("made", [DUCHI, VECTOR, SUMS, RAPPOR], ids=name_of)
def test_nothing_may_follow(made: Any) -> None:
    with pytest.raises(ReportError):
        loaded(made, forged(filled(made).to_bytes(), {}, bytes(8)))


def test_counts_of_rappor_that_do_not_fit_are_refused() -> None:
    state = filled(RAPPOR)
    counts = np.concatenate([state.reports, state.ones.reshape(-1)])
    assert loaded(RAPPOR, forged(state.to_bytes(), {}, counts.tobytes())).n == 3
    for place, value in ((0, -1), (0, 9), (4, 4), (4, -1)):
        wrong = counts.copy()
        wrong[place] = value
        with pytest.raises(ReportError):
            loaded(RAPPOR, forged(state.to_bytes(), {}, wrong.tobytes()))


def test_what_honest_reports_hardly_ever_give_is_read_if_asked() -> None:
    n = 5000
    # A small epsilon: reports at both ends are about as likely, whatever the inputs are.
    duchi, vector, sums = Duchi(0.01), DuchiVector(0.01, 5), SHE(0.1, 4)
    piecewise = Piecewise(0.01)
    mechanisms = (duchi, duchi, piecewise, vector, vector, sums, sums)
    states: list[Saved] = [
        replace(duchi.empty(), n=n, atoms=(n, 0)),
        replace(duchi.empty(), n=n, atoms=(0, n)),
        replace(piecewise.empty(), n=n),
        VectorState(vector, n, (0,) * 5),
        VectorState(vector, n, (2500, 2500, 2500, 2500, n)),
        SumState(sums, n, (0,) * 4, (n,) * 4, (0,) * 4),
        SumState(sums, n, (0,) * 4, (0,) * 4, (n,) * 4),
    ]
    for state, made in zip(states, mechanisms, strict=True):
        with pytest.raises(ReportError, match="implausible=True only"):
            loaded(made, state.to_bytes())
        assert loaded(made, state.to_bytes(), implausible=True) == state


@pytest.mark.parametrize(
    "made",
    [m for m in MADE if hasattr(m, "aggregate") and (hasattr(m, "bounds") or isinstance(m, SHE))],
    ids=name_of,
)
def test_honest_states_at_the_ends_are_plausible(made: Any) -> None:
    """A false alarm has a chance below 2^-100 for each of the 3 * 13 states."""
    if isinstance(made, SHE):
        inputs: list[Any] = [[0] * 4000, [3] * 4000]
    elif isinstance(made, DuchiVector):
        inputs = [np.full((4000, made.d), end) for end in made.bounds]
    else:
        low, high = made.bounds
        inputs = [[low] * 4000, [high] * 4000, [low, (low + high) / 2] * 2000]
    for values in inputs:
        state = made.aggregate(made.privatize(values))
        assert loaded(made, state.to_bytes()) == state


def test_states_that_no_reports_have_cannot_be_made() -> None:
    with pytest.raises(ParameterError, match="squares"):
        replace(Laplace(1.0).empty(), n=2, total=3, squares=4)
    with pytest.raises(ParameterError, match="ones"):
        VectorState(VECTOR, 1, (2,) * 5)
    with pytest.raises(ParameterError, match="totals"):
        SumState(SUMS, 1, (0,) * 4, (2,) * 4, (0,) * 4)


def test_the_bound_is_hoeffdings() -> None:
    """At n = 1000 numbers in 0..1 of mean 1/2: t = sqrt((100 ln 2 + ln 2)/2000) = 0.18709."""
    half, ends = (Fraction(1, 2),) * 2, (Fraction(0), Fraction(1))
    check_mean("x", 1000, Fraction(687), ends, half)
    with pytest.raises(ReportError, match=r"the mean of 1000 reports of x is 0\.688"):
        check_mean("x", 1000, Fraction(688), ends, half)
    check_mean("x", 1000, Fraction(688), ends, half, looks=4)
    check_mean("x", 0, Fraction(0), ends, half)


def test_a_sampled_state_has_the_users_of_its_parts() -> None:
    state = filled(SAMPLE)
    assert isinstance(state, SampledState)
    assert (state.n, state.simulated) == (6, False)
    part = SAMPLE.parts[0].empty().to_bytes()
    data = forged(state.to_bytes(), {"lengths": [len(part)], "users": 0}, part)
    with pytest.raises(ReportError, match="2 parts"):
        loaded(SAMPLE, data)


def test_piecewise_and_others_keep_their_law() -> None:
    one, other = Piecewise(1.0), Piecewise(1.0, (0.0, 1.0))
    with pytest.raises(ReportError, match="foreign"):
        MeanState.from_bytes(filled(one).to_bytes(), other)
    with pytest.raises(ReportError, match="foreign"):
        State.from_bytes(OUE(1.0, 5).empty().to_bytes(), OUE(1.0, 6).oracle)
