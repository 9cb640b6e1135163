"""Many values of somebody's own client: what is asked of it, and what its answers should be."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypedDict, cast

import numpy as np

from ldp_verified.check.conformance.bloom_clients import first_bits
from ldp_verified.check.conformance.each_value import (
    SHARED_EACH,
    SHARED_LIMIT,
    EachValueSubject,
    different,
)
from ldp_verified.check.conformance.foreign import bits_sent_of, number_of_text, rows_of, sent_of
from ldp_verified.check.conformance.frequencies import few_classes
from ldp_verified.check.conformance.group_clients import (
    GroupProtocol,
    agreement_of_value,
    classes_of_value,
)
from ldp_verified.check.conformance.grouped import classes_of_encoded
from ldp_verified.check.conformance.memoised import first_reports
from ldp_verified.check.conformance.numeric import NumericSubject
from ldp_verified.check.conformance.restarts import best, of_law, of_numbers
from ldp_verified.check.conformance.subjects import Subject
from ldp_verified.errors import ParameterError
from ldp_verified.protocols import Rappor
from ldp_verified.protocols.grouped_hashing import GroupedHashing
from ldp_verified.protocols.longitudinal import Longitudinal
from ldp_verified.run.kernels.rounding import UNIT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ldp_verified.check.conformance.foreign import Ask
    from ldp_verified.check.conformance.stateful_clients import ProtocolSubject


class Sizes(TypedDict):
    """How many values of a protocol are asked for, how often, and what has to be detected."""

    most: int
    least: int
    limit: float


FEW = 64
"""Values of a protocol with many classes, or whose laws take long, that are asked for at most."""

SHARED: Sizes = {"most": FEW, "least": SHARED_EACH, "limit": SHARED_LIMIT}

TEXT_BYTES = 15
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def values_subject(
    made: object,
    ask: Ask,
    subject: Subject | NumericSubject | ProtocolSubject,
    strings: tuple[str, ...] = (),
) -> EachValueSubject:
    """Return the client of `client_subject` to be asked for many values, or for all.

    Args:
        made: as in `client_subject`. ask: how the client is asked.
        subject: what `client_subject` gave. strings: as there.
    """
    if isinstance(subject, NumericSubject):
        return _of_numbers(subject)
    if isinstance(subject, Subject):
        return _of_table(subject)
    if isinstance(made, Rappor):
        return _of_strings(made, ask, subject.name, strings)
    if isinstance(made, Longitudinal):
        return _of_kept(made, ask, subject.name)
    if isinstance(made, GroupedHashing):
        return _of_hashed(made, ask, subject.name)
    protocol = cast("GroupProtocol", made)
    count = protocol.program().inputs
    return EachValueSubject(
        subject.name,
        count,
        different(count),
        rows_of(protocol, ask),
        lambda value: agreement_of_value(protocol, value),
        lambda value: classes_of_value(protocol, value),
        **SHARED,
    )


def _of_table(subject: Subject) -> EachValueSubject:
    expected = subject.expected
    try:
        own = expected.support[0]
    except ParameterError:  # of some matrices: there is no one chance for all values
        own = Fraction(0)
    return EachValueSubject(
        subject.name,
        expected.k,
        different(expected.k),
        lambda values: subject.draw(np.array(values, dtype=np.int64), None),
        lambda value: expected.agreement(value, (value + 1) % expected.k),
        lambda value: few_classes(expected, value),
        own,
    )


def _of_numbers(subject: NumericSubject) -> EachValueSubject:
    return EachValueSubject(
        subject.name,
        UNIT + 1,
        different(UNIT + 1),
        lambda positions: subject.draw(np.array(positions, dtype=np.float64) / UNIT, None),
        lambda position: of_numbers(subject, Fraction(position, UNIT)),
        most=FEW,
    )


def _of_strings(made: Rappor, ask: Ask, name: str, strings: tuple[str, ...]) -> EachValueSubject:
    sent, last = bits_sent_of(made, ask), len(strings) - 1

    def send(values: Sequence[int]) -> NDArray[Any]:
        cohorts, bits = sent([f"{value} {value} {last - value}" for value in values])[0]
        return np.column_stack([cohorts.astype(np.uint64), bits])

    return EachValueSubject(
        name,
        len(strings),
        different(len(strings)),
        send,
        lambda value: of_law(first_bits(made, strings[value]).probabilities),
        lambda value: first_bits(made, strings[value]),
        **SHARED,
    )


def _of_kept(made: Longitudinal, ask: Ask, name: str) -> EachValueSubject:
    sent, classes, last = sent_of(made, ask), first_reports(made), made.k - 1
    return EachValueSubject(
        name,
        made.k,
        different(made.k),
        lambda values: sent([f"{value} {value} {last - value}" for value in values])[0],
        lambda value: of_law(classes(value).probabilities),
        classes,
        **SHARED,
    )


def _of_hashed(made: GroupedHashing, ask: Ask, name: str) -> EachValueSubject:
    texts = made.bits is None
    classes = {}

    def of_value(value: Any) -> Any:
        if value not in classes:
            classes[value] = classes_of_encoded(made, number_of_text(made, value))
        return classes[value]

    return EachValueSubject(
        name,
        1 << made.width,
        _texts if texts else different(1 << made.width),
        rows_of(made, ask),
        lambda value: best(of_value(value).probabilities),
        of_value,
        **SHARED,
    )


def _texts(wanted: int, rng: np.random.Generator) -> list[str]:
    """Draw different texts of letters, of each length."""
    found: set[str] = set()
    while len(found) < wanted:
        places = rng.integers(len(LETTERS), size=rng.integers(1, TEXT_BYTES + 1))
        found.add("".join(LETTERS[place] for place in places))
    return sorted(found)
