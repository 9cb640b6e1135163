"""Release a statistic of a data set that a curator holds, with exact noise.

Everything is checked before a word is drawn. The empty data set is refused, and that it was is
visible: under `add-remove` the promise is about data sets with at least one person.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.analysis.central.neighbours import Neighbours
from ldp_verified.analysis.central.noise import CuratorNoise
from ldp_verified.analysis.central.selection import ExponentialMechanism, Selection
from ldp_verified.analysis.central.statistic import Statistic
from ldp_verified.errors import DomainError, ParameterError, check_kind
from ldp_verified.run.kernels.seeds import word_source

if TYPE_CHECKING:
    from ldp_verified.run.realize.randomizer import Rng

BETA = 0.05
"""The bound of a selection's score fails with at most this probability."""


@dataclass(frozen=True)
class Release:
    """A noisy answer with all that may be known about its noise.

    Attributes:
        value: the answer: a number, float64 (d,) of numbers, or one of the candidates.
        std_error: of each number, in its unit; None for a selection. Where answers are cut off it
            is a bound on the root of the mean squared error.
        what, law: the statistic and the noise, in words.
        neighbours: which data sets the promise is about.
        sensitivity: how far one person moves what noise is added to, in words.
        epsilon, delta: the promise.
        realized_epsilon: the epsilon of what is drawn, at most `epsilon`, rounded up.
        note: what is to be known besides; may be empty.
        simulated: whether the noise came from a seed and so protects nobody.
    """

    value: Any
    std_error: float | None
    what: str
    law: str
    neighbours: Neighbours
    sensitivity: str
    epsilon: float
    delta: float
    realized_epsilon: float
    note: str
    simulated: bool

    def __str__(self) -> str:
        spread = "" if self.std_error is None else f" +- {self.std_error:.4g}"
        price = f"epsilon = {self.epsilon:g}"
        price += f", delta = {self.delta:g}" if self.delta else ""
        said = f"{self.what} = {_shown(self.value)}{spread} ({self.law}, {price}, "
        said += f"neighbours: {self.neighbours}, sensitivity {self.sensitivity}"
        said += f"; {self.note}" if self.note else ""
        return said + ("; simulated, protects nobody)" if self.simulated else ")")


def _shown(value: Any) -> str:
    if isinstance(value, np.ndarray):
        first = ", ".join(f"{each:.6g}" for each in value[:6])
        return f"[{first}{', ...' if len(value) > 6 else ''}]"
    return f"{value:.6g}" if isinstance(value, float) else repr(value)


def release(
    values: Any,
    what: Statistic | Selection,
    by: CuratorNoise | ExponentialMechanism,
    *,
    neighbours: Neighbours | str,
    rng: Rng = None,
) -> Release:
    """Answer one question about a data set.

    Args:
        values: one value for each person, array-like; what they may be depends on `what`.
        what: the statistic, or a choice among candidates.
        by: the noise for a statistic, the exponential mechanism for a choice.
        neighbours: "add-remove" or "replace". Under "replace" n is public.
        rng: None for the secure source; a seed or a numpy Generator simulates.

    Returns:
        The answer. Two answers about the same people add up their prices.

    Raises:
        ParameterError: unknown neighbours, noise for a choice or a choice for a statistic, a
            promise that cannot be kept, or `rng` is something else.
        DomainError: no values, or a value that is none.
    """
    pairs = Neighbours.of(neighbours)
    if isinstance(what, Selection):
        check_kind("by", by, ExponentialMechanism)
    elif isinstance(what, Statistic):
        check_kind("by", by, CuratorNoise)
    else:
        raise ParameterError("what", "must be a Statistic or a Selection", type(what))
    n = _people(values)
    source = word_source(rng, "release", repr(what), repr(by), str(pairs))
    if isinstance(what, Selection):
        assert isinstance(by, ExponentialMechanism)
        return _selected(values, what, by, pairs, source)
    assert isinstance(by, CuratorNoise)
    return _noisy(values, what, by, pairs, source, n)


def _people(values: Any) -> int:
    try:
        n = len(values)
    except TypeError:
        raise DomainError("values", "must be one value for each person", type(values)) from None
    if n == 0:
        raise DomainError("values", "must be of one person or more", 0)
    return n


def _noisy(
    values: Any, what: Statistic, by: CuratorNoise, pairs: Neighbours, source: Any, n: int
) -> Release:
    sensitivity = what.sensitivity(pairs)
    law = by.law(sensitivity)
    ends = what.most(n) if by.cut and pairs is Neighbours.REPLACE else None
    if by.cut and ends is None:
        rule = "must not be cut off where n is secret, or the statistic has no ends"
        raise ParameterError("by", rule, by.title)
    exact = what.steps(values, pairs)
    drawn = law.draw(len(exact), source)
    lattice = [int(s) * law.fine + int(z) for s, z in zip(exact, drawn, strict=True)]
    notes = [what.note]
    if ends is not None:
        low, high = (end * law.fine for end in ends)
        lattice = [min(max(place, low), high) for place in lattice]
        notes.append("cut off, so the error is at most that")
    noisy = np.array([float(Fraction(place, law.fine)) for place in lattice])
    deviation = float(law.variance) ** 0.5
    return Release(
        value=what.answer(noisy, n, pairs),
        std_error=what.error(noisy, deviation, n, pairs),
        what=str(what),
        law=by.title,
        neighbours=pairs,
        sensitivity=f"{sensitivity} {what.step_name}".rstrip(),
        epsilon=by.epsilon,
        delta=by.delta,
        realized_epsilon=law.realized_epsilon,
        note="; ".join(note for note in notes if note),
        simulated=bool(source.simulated),
    )


def _selected(
    values: Any, what: Selection, by: ExponentialMechanism, pairs: Neighbours, source: Any
) -> Release:
    candidates, sensitivity = what.candidates, what.sensitivity(pairs)
    scores = what.scores(values)
    chosen = candidates[by.draw(scores, sensitivity, source)]
    far = by.shortfall(len(candidates), sensitivity, BETA)
    return Release(
        value=chosen.item() if isinstance(chosen, np.generic) else chosen,
        std_error=None,
        what=str(what),
        law=f"exponential mechanism over {len(candidates)} candidates",
        neighbours=pairs,
        sensitivity=str(sensitivity),
        epsilon=by.epsilon,
        delta=0.0,
        realized_epsilon=by.epsilon,
        note=f"the score is within {far:.4g} {what.unit} of the best with probability {1 - BETA:g}",
        simulated=bool(source.simulated),
    )
