"""Link 6 for columns, signs, points and cohorts: the kernel's exact law is the table.

All words of a report are tried, in plain Python and in machine code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified.check.conformance.decision_tree import exact_distribution
from ldp_verified.run.kernels.cohorts import cohort_hash_sampler
from ldp_verified.run.kernels.hadamard import hadamard_column_sampler, hadamard_sign_sampler
from ldp_verified.run.kernels.hyperplanes import block_sampler, hyperplane_sampler
from tests.broken.structured import PLANTED
from tests.conformance import structured_tables as tables

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.check.conformance.decision_tree import ExactDistribution
    from ldp_verified.run.kernels.draw import Sampler

FORMS: dict[str, tuple[Callable[..., Sampler], Callable[..., tables.Table]]] = {
    "columns": (hadamard_column_sampler, tables.columns),
    "signs": (hadamard_sign_sampler, tables.signs),
    "hyperplane": (hyperplane_sampler, tables.hyperplane),
    "blocks": (block_sampler, tables.blocks),
    "cohorts": (cohort_hash_sampler, tables.cohorts),
}

CASES: list[tuple[str, dict[str, Any], int]] = [
    *(("columns", {"k": k, "deny": 13}, 6) for k in (2, 3, 4, 7, 8)),
    *(("signs", {"k": k, "deny": 13}, 6) for k in (2, 3, 4, 5, 8)),
    *(("columns", {"k": 5, "deny": deny}, 4) for deny in (1, 15)),
    *(
        ("cohorts", {"k": k, "g": g, "lie": lie}, 5)
        for k, g, lie in [(2, 2, 1), (5, 2, 16), (3, 3, 5), (7, 3, 10), (5, 5, 3), (3, 7, 1)]
    ),
    *(
        ("blocks", {"k": k, "prime": q, "t": t, "blocks": h, "deny": 9}, 5)
        for k, q, t, h in [(6, 2, 2, 2), (14, 2, 3, 2), (9, 2, 3, 4), (26, 3, 3, 2), (9, 3, 2, 3)]
    ),
    *(
        ("hyperplane", {"k": k, "prime": prime, "deny": 9}, 5)
        for k, prime in [(2, 2), (3, 2), (7, 2), (8, 2), (4, 3), (13, 3), (6, 5), (8, 7)]
    ),
]


def law(sampler: Sampler, x: int, form: str, machine_code: bool) -> ExactDistribution:
    """One word more than a report takes, as these kernels reject words."""
    horizon = sampler.least_words + (form in ("hyperplane", "blocks", "cohorts"))
    return exact_distribution(sampler, x, horizon, machine_code=machine_code)


@pytest.mark.parametrize(("form", "parameters", "width"), CASES)
@pytest.mark.parametrize("machine_code", [False, True], ids=["python", "machine"])
def test_the_kernel_is_the_table(
    form: str, parameters: dict[str, Any], width: int, machine_code: bool
) -> None:
    make, table = FORMS[form]
    sampler = make(**parameters, width=width)
    largest = parameters["k"] - 1
    for x in sorted({0, 1, largest // 2, largest}):
        found = law(sampler, x, form, machine_code)
        assert found.unresolved == 0
        assert found.probabilities == table(x, **parameters, width=width)
        if form in ("columns", "signs"):
            assert found.unfinished == 0, "these kernels reject nothing"


@pytest.mark.parametrize("wrong", PLANTED)
def test_planted_kernels_are_not_the_table(wrong: str) -> None:
    form, parameters, width, make = PLANTED[wrong]
    right, table = FORMS[form]
    assert law(right(**parameters, width=width), 1, form, False).probabilities == table(
        1, **parameters, width=width
    )
    found = [law(make(), x, form, False) for x in range(parameters["k"])]
    assert any(
        each.unresolved or each.probabilities != table(x, **parameters, width=width)
        for x, each in enumerate(found)
    )
