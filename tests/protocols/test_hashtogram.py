"""Hashtogram: clients send what is declared, and counts are unbiased over the public functions."""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

from ldp_verified.check.conformance.every_word import check_every_word
from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.language import load_protocol
from ldp_verified.language.protocol import group, x
from ldp_verified.protocols import Bitstogram, Hashtogram, HashtogramState
from ldp_verified.prove import Status, verify_protocol
from ldp_verified.prove.transcripts import enumerate_transcripts
from tests.registry import SAMPLER, covers

TINY = Hashtogram(math.log(4), bits=2, rows=1, columns=2, seed=3)
SMALL = Hashtogram(2.0, bits=40, rows=8, columns=1 << 10)
SIZES = {"bits": 2, "repeats": 1, "columns": 2}


def test_it_runs_the_declaration_that_it_names_at_its_price() -> None:
    declared = load_protocol("hashtogram")
    assert declared.law_hash == Hashtogram.law_sha256
    found = verify_protocol(declared, 3, smt=False, coq=False, derived=False, draw_points=False)
    assert found.status is Status.ONE_GROUP
    assert {name for name, _ in found.parts} == {"grr"}


@pytest.mark.parametrize("given, ratio", [({}, 1), ({"s": 0b0110}, 4), ({"r": 6, "H": 8}, 4)])
def test_a_transcript_costs_what_is_declared_whatever_the_functions_are(
    given: dict[str, int], ratio: int
) -> None:
    at = {"eps": sympy.log(4), **SIZES, "r": 0, "s": 0, "H": 0, **given}
    found = enumerate_transcripts(load_protocol("hashtogram"), at)
    assert found.status is Status.ENUMERATED
    assert found.ratio == ratio
    assert found.allowed == 4


def declared_law(value: int) -> Mapping[Any, Fraction]:
    """The law of a transcript as declared, with the functions of the tiny protocol."""
    declared = load_protocol("hashtogram")
    sign, cell = (int(vector[0]) >> 62 for vector in TINY.hashtogram.vectors[0])
    s = sum(((sign & v).bit_count() & 1) << v for v in range(4))
    r = sum(((cell & v).bit_count() & 1) << v for v in range(4))
    matrix = sum((column & c) << (2 * column + c) for column in range(2) for c in range(2))
    own = {**SIZES, "r": r, "s": s, "H": matrix}
    at = {p: own[p.name] for p in declared.parameters if p.name in own}
    (sent,) = declared.rounds[0].sends
    p = Fraction(TINY._randomizer.p)
    found = {}
    for number in range(2):
        bit = int(sent.of.subs(at).subs({group: number, x: value}))
        for said in range(2):
            found[((number, said),)] = (p if said == bit else 1 - p) / 2
    return found


def law_of(client: Any) -> Any:
    """Compare a client's transcripts with the declared law over all 64-bit words."""
    laws = [declared_law(value) for value in range(4)]
    p = Fraction(TINY._randomizer.p)
    return check_every_word(
        client, range(4), [], p / (1 - p), 2,
        lambda value, _, sent: laws[value].get(sent, Fraction(0)),
    )  # fmt: skip


def _told(reports: Any) -> tuple[int, int]:
    place = int(TINY.hashtogram.places_of(reports.seeds, "it")[0])
    return place, int(reports.buckets[0])


@covers(SAMPLER, "Hashtogram")
def test_the_running_client_has_exactly_the_law_that_is_declared() -> None:
    """Enumerated over all 64-bit words."""

    def client(value: int, source: Any) -> Generator[Any, Any, None]:
        yield _told(TINY.client(rng=source).report(value))

    found = law_of(client)
    assert found.status is Status.ENUMERATED
    assert found.differs is None


def test_a_column_that_the_value_chooses_is_refuted() -> None:
    """Planted: the client draws again until the column is the value's first bit."""

    def client(value: int, source: Any) -> Generator[Any, Any, None]:
        place, said = _told(TINY.client(rng=source).report(value))
        yield place & (value >> 1), said

    assert law_of(client).status is Status.REFUTED


def test_counts_are_unbiased_over_functions_and_reports(rng: np.random.Generator) -> None:
    """Null: means over 60 seeds are the counts; level 1e-9 for each of two values (6.2 errors).

    n = 2,000 users in each. Detected: a bias of 8 standard errors of the mean, about 5 % of n.
    """
    found = []
    for seed in range(60):
        made = Hashtogram(2.0, bits=40, rows=4, columns=64, seed=seed)
        reports = made.simulate([7, 1 << 39], [1200, 800], rng)
        state = HashtogramState(made, simulated=True).update(reports)
        estimate = state.estimate([7, 9])
        found.append((estimate.counts - [1200, 0]) / estimate.std_error)
    means = np.abs(np.mean(found, axis=0)) * math.sqrt(60)
    assert np.all(means < 6.2 * 1.5), means


def test_medians_are_near_the_counts(seed: int) -> None:
    reports = SMALL.simulate([5, 1 << 30], [30_000, 10_000], seed)
    state = HashtogramState(SMALL, simulated=True).update(reports)
    errors = state.estimate([5, 1 << 30]).std_error
    off = np.abs(state.medians([5, 1 << 30]) - [30_000, 10_000])
    assert np.all(off < 10 * errors)


def test_plans_say_how_many_users_would_do() -> None:
    share = SMALL.detectable_share(100_000)
    assert 0 < SMALL.detectable_share(1_000_000) < share < 1
    assert SMALL.detectable_share(100_000, candidates=1000) > share
    n = SMALL.users_needed(share)
    assert SMALL.detectable_share(n) <= share
    half = SMALL.users_needed(0.5)
    with pytest.raises(ParameterError, match=f"n: must be users enough .* {half} .* half of them"):
        SMALL.simulate([1], [3], 1)
    few = Hashtogram(2.0, bits=40, rows=1, columns=2)
    with pytest.raises(ParameterError, match="epsilon: must be larger: not even a value that half"):
        few.simulate([1], [3], 1)
    with pytest.raises(ParameterError, match="candidates"):
        SMALL.detectable_share(100, candidates=0)


def test_rows_of_another_sketch_are_refused(seed: int) -> None:
    foreign = Bitstogram(2.0, 40, rows=8, columns=1 << 10).privatize([1] * 50, seed)
    state = HashtogramState(SMALL, simulated=True)
    with pytest.raises(ReportError, match="are foreign"):
        state.update(foreign)
    other = Hashtogram(2.0, bits=40, rows=8, columns=1 << 10, seed=1)
    with pytest.raises(ReportError, match="are foreign"):
        state.update(other.privatize([1], seed))
    with pytest.raises(ParameterError):
        HashtogramState(Bitstogram(1.0, 8))  # type: ignore[arg-type]  # that is what is refused
