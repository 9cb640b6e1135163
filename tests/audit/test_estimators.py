"""LDP010: right servers pass, planted ones do not.

Nulls: the estimate is unbiased with the derived variance; level 1e-9 in each of two right runs,
one of which is also compared number by number. The planted bias (no division) is off by hundreds of
standard errors of the mean.
"""

from __future__ import annotations

from math import e
from typing import TYPE_CHECKING

import pytest

from ldp_verified.check.audit.rules.estimators import check_estimator
from ldp_verified.errors import ParameterError
from tests.broken.audit.randomizers import grr

if TYPE_CHECKING:
    import numpy as np

K = 5
P = e / (e + K - 1)
Q = 1 / (e + K - 1)


def server(reports: list[int]) -> float:
    return (sum(y == 0 for y in reports) - len(reports) * Q) / (P - Q)


def run(estimate: object, rng: np.random.Generator, reading: str | None = "same") -> list[str]:
    found = check_estimator(
        lambda x: grr(x, K, 1.0, rng),
        estimate,  # type: ignore[arg-type]  # servers of every kind
        held=0,
        others=[1, 2, 3, 4],
        p_star=P,
        q_star=Q,
        populations=60,
        users=200,
        reading=reading,
        level=1e-9,
    )
    assert all(f.rule == "LDP010" for f in found.findings)
    return [f.message for f in found.findings]


def test_the_right_server_has_no_finding(rng: np.random.Generator) -> None:
    assert run(server, rng) == []
    assert run(server, rng, None) == []


def test_a_biased_server_is_found(rng: np.random.Generator) -> None:
    def raw(reports: list[int]) -> float:
        return float(sum(y == 0 for y in reports))

    messages = run(raw, rng)
    assert any("off by up to" in m for m in messages)
    assert any("mean of" in m for m in run(lambda r: server(r) + 60, rng, None))


def test_a_server_that_adds_noise_is_found(rng: np.random.Generator) -> None:
    def noisy(reports: list[int]) -> float:
        return server(reports) + float(rng.normal(0, 100))

    assert any("mean square" in m for m in run(noisy, rng, None))


def test_a_table_that_allows_no_estimate_is_refused() -> None:
    with pytest.raises(ParameterError):
        check_estimator(int, len, held=0, others=[1], p_star=0.5, q_star=0.5)
