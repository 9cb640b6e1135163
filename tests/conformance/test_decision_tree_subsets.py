"""Link 6 for subsets: the kernel's exact law is the table, and its number of words tells nothing.

All words of a report are tried, in plain Python and in machine code.
"""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified.check.conformance.decision_tree import exact_distribution
from ldp_verified.run.kernels.subsets import subset_sampler
from tests.broken import subsets as broken
from tests.conformance.structured_tables import Table, subsets

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ldp_verified.run.kernels.draw import Sampler

CASES: list[dict[str, Any]] = [
    # What `SubsetSelection` takes at these sizes: no planes.
    *(
        {"k": k, "omega": omega, "deny": 2 ** (width - 2) + 1, "width": width}
        for k, omega, width in [(2, 1, 5), (3, 1, 5), (3, 2, 4), (4, 2, 4), (4, 3, 4)]
    ),
    *({"k": 5, "omega": omega, "deny": 3, "width": 3, "lanes": 2} for omega in (1, 2, 3, 4)),
    # Planes, so that values go out too.
    broken.EXAMPLE,
    broken.LARGE,
    broken.QUARTER,
    broken.QUARTER | {"share": (3, 2)},
]

LARGER: list[dict[str, Any]] = [
    broken.LARGE | {"lanes": 1},
    broken.EXAMPLE | {"share": (1, 2)},
    {"k": 4, "omega": 2, "deny": 5, "width": 4, "share": (1, 1)},
]
"""With the coin at its threshold and just below it, in machine code alone."""


def horizon(sampler: Sampler, parameters: dict[str, Any]) -> int:
    """One word more than a report takes if each word has one position, and that is a hit."""
    k, omega = int(parameters["k"]), int(parameters["omega"])
    size = min(omega, k - omega)
    steps = max(size, k - size + 1 if sampler.sizes[1] else 0)
    return sampler.least_words - 1 + steps + 1


def law(
    sampler: Sampler,
    x: int,
    parameters: dict[str, Any],
    *,
    machine_code: bool = False,
    words_at: Callable[[int], Sequence[int]] | None = None,
) -> Table | None:
    """Sets as one number, with their probabilities; None where some are not resolved."""
    depth = horizon(sampler, parameters)
    found = exact_distribution(sampler, x, depth, words_at=words_at, machine_code=machine_code)
    lanes = parameters.get("lanes", 64)
    return None if found.unresolved else one_number(found.probabilities, lanes)


def one_number(table: Any, lanes: int) -> Table:
    """Reports put together to one number."""
    return {
        (sum(number << (lanes * place) for place, number in enumerate(report)),): mass
        for report, mass in table.items()
    }


def expected(x: int, parameters: dict[str, Any]) -> Table:
    named = {name: parameters[name] for name in ("k", "omega", "deny", "width")}
    return subsets(x, **named)


@pytest.mark.parametrize("parameters", CASES, ids=str)
@pytest.mark.parametrize("machine_code", [False, True], ids=["python", "machine"])
def test_the_kernel_is_the_table(parameters: dict[str, Any], machine_code: bool) -> None:
    sampler = subset_sampler(**parameters)
    for x in (0, parameters["k"] // 2, parameters["k"] - 1)[: 3 if machine_code else 2]:
        found = law(sampler, x, parameters, machine_code=machine_code)
        assert found == expected(x, parameters)


@pytest.mark.parametrize("parameters", LARGER, ids=str)
def test_larger_ones_are_the_table(parameters: dict[str, Any]) -> None:
    """The coin is then fair; its own law is seen above."""
    sampler = subset_sampler(**parameters)
    deny = sampler.cuts[0]
    fair = parameters | {"deny": 1, "width": 1}

    def words_at(i: int) -> Sequence[int]:
        return range(1 << sampler.word_bits) if i else (deny - 1, deny)

    for x in (0, parameters["k"] - 1):
        found = law(sampler, x, parameters, machine_code=True, words_at=words_at)
        assert found == expected(x, fair)


@pytest.mark.parametrize("parameters", [broken.EXAMPLE, broken.LARGE, broken.QUARTER], ids=str)
def test_the_number_of_words_is_independent_of_the_value_and_of_the_report(
    parameters: dict[str, Any],
) -> None:
    """Over all sequences of words up to a length, for each number of words within it."""
    sampler = subset_sampler(**parameters)
    length = horizon(sampler, parameters)
    lanes = parameters.get("lanes", 64)
    of_numbers = set()
    for x in range(parameters["k"]):
        joint: Counter[tuple[int, tuple[int, ...]]] = Counter()
        for words in itertools.product(range(1 << sampler.word_bits), repeat=length):
            out = [0] * sampler.columns
            done, used = sampler.fill([x], out, words, sampler.cuts, sampler.sizes)
            joint[used if done else 0, tuple(out) if done else ()] += 1
        numbers = Counter({used: 0 for used, _ in joint})
        for (used, _), times in joint.items():
            numbers[used] += times
        for used in set(numbers) - {0}:
            given = {
                report: Fraction(times, numbers[used])
                for (each, report), times in joint.items()
                if each == used
            }
            assert one_number(given, lanes) == expected(x, parameters)
        assert len(numbers) > 2
        of_numbers.add(tuple(sorted(numbers.items())))
    assert len(of_numbers) == 1


@pytest.mark.parametrize("wrong", broken.FLAWS)
def test_planted_kernels_are_not_the_table(wrong: str) -> None:
    parameters, _, _ = broken.FLAWS[wrong]
    assert law(subset_sampler(**parameters), 0, parameters) == expected(0, parameters)
    sampler = broken.planted(wrong)
    values = range(parameters["k"])
    assert any(law(sampler, x, parameters) != expected(x, parameters) for x in values)


def test_the_next_free_value_is_not_uniform() -> None:
    """The number of values is right, and the coin; what is drawn is not uniform."""
    parameters: dict[str, Any] = {"k": 4, "omega": 2, "deny": 3, "width": 3, "lanes": 4}
    sampler = replace(subset_sampler(**parameters), fill=broken.next_free, word_bits=3)
    sampler = replace(sampler, cuts=(3, *sampler.cuts[1:]))
    found = exact_distribution(sampler, 0, 3).probabilities
    assert {report[0].bit_count() for report in found} == {2}
    assert sum(p for report, p in found.items() if not report[0] & 1) == Fraction(3, 8)
    assert found != expected(0, parameters)
