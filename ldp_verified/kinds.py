"""The kinds of obligation and the forms of table: every name, text and order, written once.

A member is its own text in documents, so a recorded `"ratio"` and `Kind.RATIO` are equal.
"""

from __future__ import annotations

from enum import StrEnum

Key = tuple[int | None, str]
"""Which obligation: (position of the claim, or None for a law; its kind)."""


class Kind(StrEnum):
    """A kind of obligation: something that has to be shown of a mechanism.

    Laws come first; verdicts keep this order.

    Attributes:
        text: what it says, in words.
        law: whether every table must obey it, whatever is claimed.
    """

    text: str
    law: bool

    def __new__(cls, name: str, text: str = "", law: bool = False) -> Kind:
        """Make a member from its name in documents, its text, and whether it is a law."""
        member = str.__new__(cls, name)
        member._value_ = name
        member.text = text
        member.law = law
        return member

    DEFINED = (
        "defined",
        "whatever is divided by is not 0, and roots and logarithms have values",
        True,
    )
    NONNEGATIVE = "nonnegative", "every probability and count is >= 0", True
    SUMS_TO_ONE = "sums_to_one", "the probabilities of each input sum to 1", True
    EQUAL_SUPPORT = "equal_support", "what one input can give, every input can give", True
    RATIO = "ratio", "the stated privacy holds"
    CURVE = "curve", "the stated trade-off curve holds"
    TIGHT = "tight", "no smaller epsilon, delta or curve holds"
    UNBIASED = "unbiased", "the estimator is unbiased"
    VARIANCE = "variance", "a count has the stated variance"
    OPTIMAL = "optimal", "the stated values minimise the variance"
    HOLDS = "holds", "the relation between parameters holds"
    SAME_TABLE = "same_table", "the table equals that of another mechanism"
    BETTER = "better", "the variance is below another mechanism's exactly where stated"
    MEAN = "mean", "a report has the stated mean"
    REPORT_VARIANCE = "report_variance", "a report has the stated variance"
    WORST_VARIANCE = "worst_variance", "a report has the stated largest variance"
    CLASS_COUNTS = "class_counts", "the pair table's classes are those of the expanded table", True
    FREE_CELLS = "free_cells", "estimator and variance are right for free cell probabilities", True
    AT_EPSILON = "at_epsilon", "every epsilon is the tight one at the derived parameters", True
    AT_RANGE = "at_range", "the tight epsilon is as derived, range by range", True

    @property
    def order(self) -> int:
        """Return the kind's place among all kinds."""
        return list(type(self)).index(self)


class TableForm(StrEnum):
    """The forms of table, as far as some checker tells them apart."""

    MATRIX = "Matrix"
    LARGE = "large Matrix"
    DESIGN = "Design"
    BITS = "Bits, one-hot"
    BLOOM = "Bits, Bloom filter"
    HASHED = "Bits, hashed"
    LEVELS = "Levels"
    POINTS = "Points"
    DENSITY = "Density"
    NOISE = "Noise"


BITS = (TableForm.BITS, TableForm.BLOOM, TableForm.HASHED)
PAIRS = (TableForm.MATRIX, TableForm.DESIGN, *BITS, TableForm.LEVELS)
"""Forms with pair tables."""

FINITE = (*PAIRS, TableForm.LARGE, TableForm.POINTS)
"""Forms with finitely many outputs."""

LINES = (TableForm.DENSITY, TableForm.NOISE)
"""Forms whose inputs and outputs are numbers."""
