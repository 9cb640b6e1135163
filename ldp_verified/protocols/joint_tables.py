"""Joint tables of several attributes: every user reports one cell of one small table of them.

A view is a few attributes together, and its cells are their combinations. A user draws a view,
which is said, and reports the own cell in it at all of epsilon. That is `SampleOne` on the cells of
all views, which are functions of the user's record; so its epsilon holds for any two records.

Graham Cormode, Tejas Kulkarni, Divesh Srivastava (2018), Marginal Release Under Local Differential
Privacy, compare it with other ways. Zhikun Zhang, Tianhao Wang, Ninghui Li, Shibo He, Jiming Chen
(2018), CALM: Consistent Adaptive Local Marginal, choose views and make them agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.protocols.about import about_of
from ldp_verified.protocols.attribute_labels import encoded_columns
from ldp_verified.protocols.attribute_scheme import Make
from ldp_verified.protocols.attributes import SampleOne
from ldp_verified.protocols.every_part import check_every_part
from ldp_verified.protocols.joint_estimate import JointEstimate
from ldp_verified.protocols.one_part import OnePart
from ldp_verified.protocols.sampled import SampledState
from ldp_verified.protocols.shown import shown_by_names
from ldp_verified.run.mechanisms import GRR, OUE
from ldp_verified.run.program.groups import digits_of, number_of, told_value
from ldp_verified.run.realize.parameters import check_epsilon, check_integer
from ldp_verified.run.realize.programmed import program_of
from ldp_verified.run.realize.value_types import UserRecords
from ldp_verified.run.realize.values import check_categories, encode, index_of
from ldp_verified.scalars import size_of, utf8_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ldp_verified.run.program.form import Program
    from ldp_verified.run.realize.tables.table import RoundedTable
    from ldp_verified.run.realize.values import Categories, Label

    Attributes = Mapping[str, "Categories | int"]

MOST_ATTRIBUTES, MOST_CELLS = 64, 1 << 16


def least_variance(epsilon: float, k: int) -> RoundedTable:
    """k-ary response or optimized unary encoding, whichever counts a rare cell better."""
    response = GRR(epsilon, k)
    bits = OUE(epsilon, k)
    return response if response.variance(1) <= bits.variance(1) else bits


@dataclass(frozen=True)
class JointTables(OnePart[UserRecords]):
    """Tables of several attributes at once, from one report of each user on one of the views.

    Attributes:
        epsilon: of one user's whole record; a number > 0.
        attributes: name -> its labels in order, or the number of its values 0, ..., k - 1.
        views: the sets of names that are counted together, of at most 65,536 cells each; None for
            all pairs. A table of attributes can be estimated if one view has all of them.
        make: the mechanism of a view, from epsilon and its cells; by default `least_variance`.

    Raises:
        ParameterError: an argument is out of range, or an attribute is in no view.
    """

    epsilon: float
    attributes: Attributes
    views: tuple[tuple[str, ...], ...] | None = None
    make: Make = least_variance

    __repr__ = shown_by_names

    def __post_init__(self) -> None:
        """Check the arguments, and settle the labels and views."""
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))
        object.__setattr__(self, "attributes", checked_attributes(self.attributes))
        object.__setattr__(self, "views", _checked_views(self.views, self.attributes))
        self.scheme  # noqa: B018  (what makes no mechanism is refused here)

    def __hash__(self) -> int:
        return hash((self.epsilon, tuple(self.labels.items()), self.views, self.make))

    @property
    def labels(self) -> dict[str, tuple[Label, ...]]:
        """The labels of each attribute, in order."""
        return {name: tuple(held) for name, held in self.attributes.items()}  # type: ignore[arg-type]  # settled in __post_init__

    @property
    def listed(self) -> tuple[tuple[str, ...], ...]:
        """Return the views, each with its names in the order of the attributes."""
        assert self.views is not None
        return self.views

    def shape(self, names: tuple[str, ...]) -> tuple[int, ...]:
        """The number of values of each of some attributes."""
        return tuple(len(self.labels[name]) for name in names)

    @cached_property
    def scheme(self) -> SampleOne:
        """One of the views, at all of epsilon: what draws the reports, and is deployed."""
        cells = tuple(int(np.prod(self.shape(view))) for view in self.listed)
        about = about_of("JointTables", list(self.labels.items()), self.listed)
        return SampleOne(self.epsilon, cells, self.make, about)

    def encode(self, records: UserRecords) -> NDArray[np.int64]:
        """The number of each user's cell in each view, int64 (n, views), the last name fastest.

        Args:
            records: name -> the values of all users: a mapping, or a data frame.

        Raises:
            DomainError: a column is missing, of another length, or has other values, which are not
                shown.
        """
        encoders = {
            name: partial(encode, k=len(labels), index=index_of(labels, own=False))
            for name, labels in self.labels.items()
        }
        columns = dict(zip(encoders, encoded_columns(records, encoders), strict=True))
        cells = [
            np.ravel_multi_index([columns[name] for name in view], self.shape(view))
            for view in self.listed
        ]
        return np.stack(cells, axis=1).astype(np.int64)

    @property
    def program_value(self) -> str:
        """Return what a client's program reads for a record, in words."""
        return told_value(self.shape(tuple(self.labels))) + " Labels are their places, from 0."

    def program(self, of: Callable[[RoundedTable], Program] = program_of) -> Program:
        """The program of a client in another language: a view, then the report on it.

        Args:
            of: the program of a mechanism; by default the one with its thresholds.
        """
        sizes = self.shape(tuple(self.labels))
        digits = dict(zip(self.labels, digits_of(sizes), strict=True))
        views = ([digits[name] for name in view] for view in self.listed)
        pairs = zip(views, self.listed, strict=True)
        held = [number_of(own, self.shape(view)) for own, view in pairs]
        return self.scheme.program_on("joint_tables", prod(sizes), held, of)

    def estimate(self, state: SampledState) -> JointEstimate:
        """Estimate tables of attributes that one view has together.

        Args:
            state: of this protocol, with reports.

        Raises:
            ParameterError: the state is of another protocol, or a view has no reports.
        """
        self.check_state(state)
        parts = state.states
        check_every_part((part.n for part in parts), "view", self.listed)
        own = tuple(part.estimate() for part in parts)
        return JointEstimate(state.n, self.labels, self.listed, own)


def checked_attributes(attributes: object) -> dict[str, tuple[Label, ...]]:
    """The labels of each attribute, in order. Args and Raises: as `JointTables`."""
    if not isinstance(attributes, Mapping):
        raise ParameterError("attributes", "must be a mapping from names", type(attributes))
    check_integer("len(attributes)", len(attributes), 2, MOST_ATTRIBUTES)
    found: dict[str, tuple[Label, ...]] = {}
    for name, held in attributes.items():
        if not isinstance(name, str) or utf8_of(name) is None:
            raise ParameterError(
                "attributes", "must have texts that UTF-8 can hold for names", name
            )
        where = f"attributes[{name!r}]"
        if not hasattr(held, "__len__"):
            found[name] = tuple(range(check_integer(where, held, 2, MOST_CELLS)))
            continue
        size = check_integer(f"len({where})", size_of(held), 2, MOST_CELLS)
        try:
            found[name] = check_categories(held, size)
        except ParameterError as error:
            raise ParameterError(where, f"must be labels: {error}") from None
    return found


def _checked_views(views: object, attributes: Any) -> tuple[tuple[str, ...], ...]:
    names = tuple(attributes)
    listed = list(combinations(names, 2)) if views is None else views
    if not isinstance(listed, list | tuple) or not listed:
        raise ParameterError("views", "must be a tuple of tuples of names", type(views))
    found = []
    for number, view in enumerate(listed):
        rule = "must be a tuple of names of attributes, each once"
        if not isinstance(view, list | tuple) or not view or len(set(map(repr, view))) < len(view):
            raise ParameterError(f"views[{number}]", rule, view)
        unknown = [name for name in view if name not in names]
        if unknown:
            raise ParameterError(f"views[{number}]", rule, unknown[0])
        ordered = tuple(name for name in names if name in view)
        cells = int(np.prod([len(attributes[name]) for name in ordered], dtype=object))
        check_integer(f"cells of views[{number}]", cells, 2, MOST_CELLS)
        found.append(ordered)
    if len(set(found)) < len(found):
        raise ParameterError("views", "must be different", len(found))
    missing = [name for name in names if not any(name in view for view in found)]
    if missing:
        raise ParameterError("views", "must have every attribute in one of them", missing[0])
    return tuple(found)
