"""Every `pmf` refuses reports and values that there are not, with an error of the package."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from ldp_verified.errors import LdpError
from tests.campaign.made import MADE

ODD = (-7, 1 << 40, -(1 << 70), 0.3, float("nan"), "no label", None, True, (), (-1, -1), [[0]])

WITH_PMF = [name for name, (kind, _) in MADE.items() if hasattr(kind, "pmf")]


def usual(made: Any, argument: str) -> Any:
    """A report or a value that there is, for this argument of its `pmf`."""
    if type(made).__name__ == "PlaneNoise":
        return (0, 0)
    if argument != "y" or not hasattr(made, "k"):
        return 1
    return [0] * made.k if type(made).__name__ == "SHE" else made.privatize([1], 1).data[0]


@pytest.mark.parametrize("name", WITH_PMF)
def test_what_is_not_in_the_domain_has_no_probability(name: str) -> None:
    kind, given = MADE[name]
    # On a fine grid the product of so many fractions has millions of digits.
    made = kind(**given | ({"grid": 4} if name == "SHE" else {}))
    named = {each: usual(made, each) for each in inspect.signature(made.pmf).parameters}
    assert 0 < made.pmf(**named) <= 1
    for argument in named:
        for odd in ODD:
            with pytest.raises(LdpError, match="must "):
                made.pmf(**named | {argument: odd})


def test_classes_of_all_layers_have_one() -> None:
    assert {"GRR", "OLH", "Geometric", "Gaussian", "DuchiVector", "PlaneNoise"} <= {*WITH_PMF}
