"""Choose the mechanism of smallest worst-case variance of a count, by the realized tables."""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Protocol, TypeVar

import ldp_verified.run.mechanisms
from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.layouts import BitLayout, HashLayout
from ldp_verified.run.aggregate.sketch_oracles import BitSketchLayout, SignSketchLayout
from ldp_verified.run.aggregate.structured import CohortLayout, PointLayout
from ldp_verified.run.realize import RoundedTable
from ldp_verified.spellings import meant

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

T = TypeVar("T")

AUTO = "auto"
SKETCH_BUCKETS = 1024
SKETCH_ROWS = 1 << 16
SKETCH_NOTE = (
    f"{SKETCH_BUCKETS:,} buckets and {SKETCH_ROWS:,} rows drawn once, as Apple (2017) had them; "
    "errors are over the draw of the rows, with all other users at one value, which is the worst"
)
"""What the sketches are ranked with: their sizes are a choice, which epsilon and k do not make."""

FAKES = Fraction(1, 100)
"""The share of users that lie, in what is shown of each mechanism."""


class ObjectMaker(Protocol):
    """A class that epsilon and k are enough for."""

    __name__: str

    def __call__(self, epsilon: float, k: int, /) -> RoundedTable:
        """The object at these parameters."""


@cache
def makers() -> Mapping[str, ObjectMaker]:
    """Name of the spec -> class, of every frequency oracle for which epsilon and k are enough.

    Whatever else a class takes has a default then, the best one. A new class needs no entry here.
    """
    found = {}
    for name in ldp_verified.run.mechanisms.__all__:
        made = getattr(ldp_verified.run.mechanisms, name)
        needed = {
            p.name for p in inspect.signature(made).parameters.values() if p.default is p.empty
        }
        if issubclass(made, RoundedTable) and needed == {"epsilon", "k"}:
            found[made.name] = made
    return found


def sketches() -> Mapping[str, ObjectMaker]:
    """Name of the spec -> sketch of the sizes that `SKETCH_NOTE` names."""
    from ldp_verified.run.mechanisms import CMS, HCMS

    def cms(epsilon: float, k: int, /) -> RoundedTable:
        return CMS(epsilon, k, SKETCH_BUCKETS, SKETCH_ROWS)

    def hcms(epsilon: float, k: int, /) -> RoundedTable:
        return HCMS(epsilon, k, SKETCH_BUCKETS, SKETCH_ROWS)

    return {"cms": cms, "hcms": hcms}


@dataclass(frozen=True)
class MechanismCandidate:
    """One mechanism at this epsilon and k.

    Attributes:
        name: the spec's name.
        mechanism: None where these parameters cannot be realized.
        worst: largest standard error of an estimated count over the shares f in [0, 1]. The
            variance is linear in f: it lies at an end.
        rare: standard error of the count of a value that nobody holds.
        fakes: the share that `FAKES` of the users, if they lie, add to a value that nobody holds.
        refused: why there is no mechanism.
        note: what epsilon and k do not say of it.
    """

    name: str
    mechanism: RoundedTable | None
    worst: float = math.inf
    rare: float = math.inf
    fakes: float = math.inf
    refused: str = ""
    note: str = ""

    @property
    def bits(self) -> int | None:
        """Bits per report."""
        return None if self.mechanism is None else self.mechanism.bits_per_report

    def server_steps(self, n: int) -> int:
        """Steps of the server for n reports.

        Counters raised, words added or hashes evaluated, one or more for each report; then, where
        counters are transformed, the additions of the transform; of a sketch, looking every value
        up in every row.
        """
        assert self.mechanism is not None
        layout = self.mechanism.layout
        if isinstance(layout, BitSketchLayout):
            return n * -(-layout.buckets // 64) + layout.height * layout.k
        if isinstance(layout, SignSketchLayout):
            digits = layout.buckets.bit_length() - 1
            return n + layout.height * (layout.buckets * 2 * digits + layout.k)
        if isinstance(layout, HashLayout):
            return n * layout.k
        if isinstance(layout, BitLayout):
            return n * -(-layout.k // 64)
        if layout.counters <= layout.k:
            return n + layout.counters
        base = 2
        if isinstance(layout, CohortLayout | PointLayout):
            base = layout.g if isinstance(layout, CohortLayout) else layout.prime
        # A transform over vectors of digits: every digit in turn, each sum of so many terms.
        digits = max(1, math.ceil(math.log(layout.counters, base)))
        return n + layout.counters * base * digits

    def figures(self, n: int) -> tuple[float, ...]:
        """Return the figures by which the mechanism is compared."""
        if self.mechanism is None:
            return ()
        return (self.worst, self.rare, self.mechanism.bits_per_report, self.server_steps(n))


def candidates(
    epsilon: float, k: int, rows: int, *, with_sketches: bool = False
) -> tuple[MechanismCandidate, ...]:
    """Every mechanism for n = `rows` users, the smallest worst case first, then the fewest bits.

    Args:
        epsilon: of a report.
        k: the number of values.
        rows: the number of users.
        with_sketches: whether the sketches take part, at the sizes of `SKETCH_NOTE`.

    Raises:
        ParameterError: no mechanism takes these parameters.
    """

    def measured(name: str, make: ObjectMaker) -> MechanismCandidate:
        mechanism = make(epsilon, k)
        rare, held = (math.sqrt(mechanism.variance(rows, f)) for f in (0.0, 1.0))
        note = SKETCH_NOTE if name in sketches() else ""
        fakes = float(mechanism.influence().share(FAKES)[1])
        return MechanismCandidate(name, mechanism, max(rare, held), rare, fakes, note=note)

    found = of_each_oracle(
        measured,
        lambda name, why: MechanismCandidate(name, None, refused=why),
        with_sketches=with_sketches,
    )
    return tuple(sorted(found, key=lambda c: _order(c, rows)))


def of_each_oracle(
    found: Callable[[str, ObjectMaker], T],
    refused: Callable[[str, str], T],
    *,
    with_sketches: bool,
) -> tuple[T, ...]:
    """Return what is found out about every frequency oracle of the catalogue.

    Args:
        found: (name, class) -> the answer. refused: (name, reason) -> the answer where the class
            refuses the parameters. with_sketches: whether sketches take part.

    Raises:
        ParameterError: all of them are refused.
    """
    answers: list[T] = []
    refusals: list[ParameterError] = []
    for name, make in {**makers(), **(sketches() if with_sketches else {})}.items():
        try:
            answers.append(found(name, make))
        except ParameterError as error:
            answers.append(refused(name, f"{error.argument} {error.rule}"))
            refusals.append(error)
    if len(refusals) == len(answers):
        raise refusals[0]
    return tuple(answers)


def _order(candidate: MechanismCandidate, rows: int) -> tuple[float, float, float, int, str]:
    """Return the sorting key."""
    if candidate.mechanism is None:
        return math.inf, math.inf, math.inf, *by_name(candidate.name)
    worst, _, bits, steps = candidate.figures(rows)
    return worst, bits, steps, *by_name(candidate.name)


def by_name(name: str) -> tuple[int, str]:
    """The key by which equal figures are sorted: the shorter name, which is better known, first."""
    return len(name), name


def choose(
    name: str, epsilon: float, k: int, rows: int
) -> tuple[RoundedTable, tuple[MechanismCandidate, ...]]:
    """The mechanism called `name`, or the best one for "auto", and what it was chosen from.

    Raises:
        ParameterError: no such mechanism, or it does not take these parameters.
    """
    if name != AUTO:
        found = meant(name, makers())
        if found is None:
            known = ", ".join(sorted(makers()))
            raise ParameterError("--mechanism", f"must be auto or one of {known}", name)
        return makers()[found](epsilon, k), ()
    ranking = candidates(epsilon, k, rows)
    best = ranking[0].mechanism
    assert best is not None
    return best, ranking
