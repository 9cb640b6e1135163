"""Say which data sets are neighbours, and how far apart a statistic may be on two of them.

A curator's promise is about pairs of data sets that differ in one person. Under `add-remove` one of
the two has a person more, so the number of people is a secret like everything else. Under `replace`
both have n people, one of whom is another, and n is public. One replacement is a removal and an
addition, so it costs at most twice as much. For a histogram it costs exactly that.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ldp_verified.errors import ParameterError


class Neighbours(StrEnum):
    """The pairs of data sets that a promise is about.

    ADD_REMOVE: one has a row more than the other. REPLACE: both have n rows, one of which differs.
    """

    ADD_REMOVE = "add-remove"
    REPLACE = "replace"

    @classmethod
    def of(cls, value: object) -> Neighbours:
        """The member that a text names.

        Args:
            value: "add-remove", "replace", or a member.

        Raises:
            ParameterError: anything else.
        """
        if not isinstance(value, str) or value not in list(cls):
            raise ParameterError("neighbours", "must be 'add-remove' or 'replace'", value)
        return cls(value)


@dataclass(frozen=True, order=True)
class Sensitivity:
    """How far a vector of integers may be apart on two neighbouring data sets.

    Attributes:
        coordinates: at most so many coordinates differ.
        each: each of them by at most so many steps.
        total: all of them together by at most so many steps (the L1 sensitivity).

    Raises:
        ParameterError: one of them is no integer >= 1, or they contradict each other.
    """

    coordinates: int
    each: int
    total: int

    def __post_init__(self) -> None:
        """Refuse what no statistic has."""
        for name in ("coordinates", "each", "total"):
            value = getattr(self, name)
            if type(value) is not int or value < 1:
                raise ParameterError(f"sensitivity.{name}", "must be an integer >= 1", value)
        if not self.each <= self.total <= self.coordinates * self.each:
            rule = f"must be in {self.each}..{self.coordinates * self.each}"
            raise ParameterError("sensitivity.total", rule, self.total)

    @classmethod
    def of_number(cls, steps: int) -> Sensitivity:
        """The sensitivity of one number, which moves by at most so many steps."""
        return cls(1, steps, steps)

    def __str__(self) -> str:
        if self.coordinates == 1:
            return str(self.total)
        return f"{self.total} (at most {self.coordinates} numbers, each by {self.each})"
