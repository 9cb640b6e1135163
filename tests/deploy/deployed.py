"""A deployment of everything that can be deployed, small, and reports of it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ldp_verified import protocols as p
from ldp_verified.deploy import Deployment
from ldp_verified.protocols.hashed_values import HashedValues
from ldp_verified.run import mechanisms as m

MADE: list[Any] = [
    m.GRR(1.0, 50),
    m.GRR(1.0, 3, categories=("a", "b", "\u00e4")),
    m.KeepOrUniform(1.0, 5),
    m.OLH(1.0, 100),
    m.BLH(1.0, 1000),
    m.OUE(1.0, 130),
    m.SUE(1.0, 64),
    m.UE(0.25, Fraction(1, 2), 5),
    m.THE(2, 1.5, 20),
    m.HistogramRR(1.0, 5),
    m.BasicRappor(noise=0.5, low=0.25, high=0.75, k=8),
    m.SubsetSelection(1.0, 20),
    m.HadamardResponse(1.0, 10),
    m.HRR(1.0, 10),
    m.PGR(1.0, 50),
    m.HashCohorts(1.0, 50),
    m.CMS(1.0, 50, buckets=128, rows=5),
    m.HCMS(1.0, 50, buckets=16, rows=7),
    m.Warner(0.25),
    m.BinaryRR(1.0),
    m.TwoCoins(Fraction(2, 3), Fraction(1, 4)),
    m.FairCoins(),
    m.Grades(1.0),
    m.HalfPlus(0.25),
    m.Duchi(1.0),
    m.Piecewise(1.0),
    m.Hybrid(2.0),
    m.SquareWave(1.0),
    m.Geometric(1.0, (0, 10)),
    m.TruncatedGeometric(1.0, (0, 10)),
    m.Laplace(1.0),
    m.Staircase(1.0),
    p.Gaussian(1.0, 1e-5),
    p.SHE(1.0, 5),
    p.DuchiVector(1.0, 5),
    p.SphereVector(1.0, 5, radius=2.0),
    p.LGRR(4.0, 1.0, 9),
    p.LGRR(4.0, 1.0, 2, categories=("no", "yes")),
    p.LSUE(4.0, 1.0, 70),
    p.LOSUE(4.0, 1.0, 7),
    p.LOUE(4.0, 1.0, 7),
    p.LSOUE(4.0, 1.0, 7),
    p.LOLOHA(4.0, 1.0, 90),
    p.DBitFlip(2.0, 30, 10, 3),
    p.DBitFlip(2.0, 30, 10, 1),
    p.Rappor(0.5, 0.25, Fraction(3, 4), bits=70, hashes=2, cohorts=3),
    p.Rappor(0.5, 0.25, 0.75, bits=8, hashes=1),
    p.Split(2.0, (3, 70), m.OUE),
    p.SampleOne(2.0, (3, 70, 5), m.SUE),
    p.SampleOne(2.0, (3, 4)),
    p.SampleAmongFakes(2.0, (3, 4)),
    p.SampleAmongFakeBits(2.0, (3, 4), m.SUE, "values"),
    p.PrefixExtending(4.0),
    p.PrefixExtending(1.0, bits=20, step=8, g=2),
    p.PrefixCohorts(2.0, bits=20, first=9, step=8, cohorts=16),
    p.TreeHist(2.0, bits=6, rows=2, columns=4),
    p.Hashtogram(2.0, bits=6, rows=2, columns=4),
    p.BitReduction(4.0, bits=3, cells=4),
    p.BitGroups(4.0, bits=6, cells=4, g=256),
    p.Bitstogram(2.0, bits=6, cells=4, rows=2, columns=4),
    p.PrivateExpanderSketch(2.0, bits=6, parts=2, cells=2, rows=2, columns=4),
    p.SuccinctHistogram(2.0, bits=6, cells=4),
    p.SequenceFragments(2.0, bits=6, piece=4, marks=4),
    p.SignMatrix(1.0),
    p.SafeRegions({"all": ["inner", "x"], "inner": ["a", "b", "c"]}, (0.5, 2.0)),
    p.PaddedResponse(1.0, 9, 3),
    p.PaddedHashing(1.0, 70, 2),
    p.SamplingSuccinctHistogram(1.0, 70, 2),
    p.SamplingRappor(1.0, 70, 2),
    p.CandidateCounts(1.0, 9, ((0, 1), (3,)), 2),
    p.CandidateCounts(1.0, 70, None, 2, "SUE", group=1),
    p.CandidateSizes(1.0, 9, ((0,), (3,), (2, 5))),
    p.ChangeTree(1.0, 5, 2),
    p.RangeTree(1.0, 50, 2),
    p.RangeWavelet(1.0, 50),
    p.BoxWavelet(1.0, (5, 3)),
    p.ParityTables(1.0, ("a", "b", "c")),
    p.KeyValueResponse(1.0, 4, 2, (0.0, 5.0)),
    p.KeyValueBits(1.0, 40, 2),
    p.KeyValueSymbols(1.0, 40, 2),
    p.HPGR(3.0, 50),
    p.RangeHierarchy(2.0, 50).scheme,
    p.RangeGrid(1.0, {"a": 5, "b": 3}).scheme,
    p.JointTables(1.0, {"a": 2, "b": 3, "c": 2}).scheme,
    p.VotedMean(1.0, epochs=3, days=2, updates=1, votes=1),
    p.PlaneNoise(1.0, 40, 3),
]
DEPLOYMENTS = [Deployment(made) for made in MADE]


def name_of(deployment: Deployment) -> str:
    """The class of what is deployed."""
    return type(deployment.mechanism).__name__


def has_memory(made: Any) -> bool:
    """Whether its clients are devices that remember."""
    return is_numbered(made) or isinstance(made, p.ChangeTree | p.VotedMean)


def is_numbered(made: Any) -> bool:
    """Whether its reports begin with their number."""
    return isinstance(made, p.Longitudinal | p.Rappor)


def value_of(made: Any) -> Any:
    """A value of one user."""
    if isinstance(made, p.PaddedSampling):
        return [1, 0]
    if isinstance(made, p.KeyValues):
        return {0: 0.5, 3: 1}
    if isinstance(made, HashedValues):
        return "word" if made.bits is None else 1
    if isinstance(made, p.SafeRegions):
        return "b"
    if isinstance(made, p.PlaneNoise):
        return (39, 0)
    if hasattr(made, "sizes"):
        return [0] * len(made.sizes)
    if isinstance(made, p.SphereVector):
        return [0.1] * made.d
    if hasattr(made, "bounds"):
        return [made.bounds[0]] * made.d if hasattr(made, "d") else made.bounds[0]
    return domain_of(made)[0]


def domain_of(made: Any) -> Any:
    """The values that it takes: the labels that were given, its own, or 0..k-1."""
    labels = getattr(made, "categories", None) or getattr(made, "own_labels", None)
    return labels or range(getattr(made, "k", 1))


def public_of(made: Any) -> dict[str, Any]:
    """What a client needs beside its value."""
    if isinstance(made, p.SafeRegions):
        return {"number": 7, "region": "inner", "epsilon": 2.0}
    return {"number": 7} if isinstance(made, p.SignMatrix) else {}


def reports_of(made: Any, rng: int | None = None, first: int = 0) -> Any:
    """A few reports, as the mechanism gives them; simulated if there is a seed.

    `first` is the number of the first user, where users have numbers.
    """
    if isinstance(made, p.Rappor):
        device = p.RapporClient(made, new_user=True, rng=rng)
        return [device.report(word) for word in ("a", "b", "a")]
    if isinstance(made, p.Longitudinal):
        client: p.MemoClient[Any] = p.MemoClient(made, new_user=True, rng=rng)
        values = made.categories or range(made.k)
        return [client.report(values[i % 2]) for i in range(3)]  # type: ignore[index]  # a range too
    if isinstance(made, p.ChangeTree):
        return made.privatize(np.ones((4, made.days), dtype=np.int64), rng)
    if isinstance(made, p.VotedMean):
        voter = p.VotingClient(made, new_user=True, rng=rng)
        sent = [voter.vote(1, None), voter.answer(), voter.vote(2, 0.5)]
        data = np.concatenate([each.data for each in sent])
        return made.reports(data, simulated=rng is not None)
    if isinstance(made, p.DuchiVector | p.SphereVector):
        return made.privatize(np.full((6, made.d), 0.1), rng)
    if hasattr(made, "sizes"):
        return made.privatize(np.array([[j % size for size in made.sizes] for j in range(6)]), rng)
    if isinstance(made, p.KeyValues):
        return made.privatize([{}, {1: 0.5}, {0: 1, 2: 0}, {3: 0.25}], rng)
    if hasattr(made, "bounds"):
        return made.privatize([*made.bounds, *made.bounds], rng)
    if isinstance(made, p.PaddedSampling):
        return made.privatize([[], [1], [2, 0], [0, 1, 2, 3]], rng)
    if isinstance(made, p.PlaneNoise):
        return made.privatize([[0, 2], [39, 0], [17, 1]], rng)
    if isinstance(made, p.SafeRegions):
        choice: dict[str, Any] = {"region": "inner", "epsilon": 0.5}
        return made.privatize(["a", "b", "a", "c"], rng, first=first, **choice)
    if isinstance(made, HashedValues):
        protocol: Any = made
        more = {"first": first} if isinstance(made, p.SignMatrix) else {}
        return protocol.privatize([value_of(made)] * 7, rng, **more)
    values = domain_of(made)
    return made.privatize([values[i % made.k] for i in range(7)], rng)


def same(first: Any, second: Any) -> bool:
    """Whether two reports, or batches, are equal: what has no equality of its own by its parts."""
    if isinstance(first, list | tuple):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, p.MemoReport):
        mine, theirs = (r.__dict__ for r in (first, second))
        return bool(mine == theirs)
    if isinstance(first, p.RapporReport):
        bits = np.array_equal(first.bits, second.bits)
        fields = ("deployment", "cohort", "simulated", "number")
        return bits and all(getattr(first, f) == getattr(second, f) for f in fields)
    if isinstance(first, p.GroupReports | p.SignReports | p.PlaceReports):
        mine, theirs = vars(first), vars(second)
        return all(np.array_equal(mine[name], theirs[name]) for name in mine | theirs)
    return bool(first == second)
