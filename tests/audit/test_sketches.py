"""Reports of sketches: this package's as its server reads them, other people's by their hash."""

from __future__ import annotations

import numpy as np
import pytest

from ldp_verified import CMS, HCMS
from ldp_verified.check.audit.events.readings import OutputReading
from ldp_verified.check.audit.named.named import usual_reading
from ldp_verified.check.audit.named.parameters import point_of
from ldp_verified.check.audit.targets.batch import Batch
from ldp_verified.errors import ParameterError
from ldp_verified.language import load

HOME = "tests.broken.audit.targets"


@pytest.mark.parametrize(
    "mechanism",
    [CMS(1.0, 9, 64, rows=3, seed=5), CMS(1.0, 9, 3), HCMS(1.0, 9, 8, rows=4), HCMS(1.0, 5, 4)],
    ids=repr,
)
def test_own_sketches_are_read_as_the_server_reads_them(mechanism: CMS | HCMS) -> None:
    (spec, *_) = load(mechanism.name)
    point = point_of(spec, 1.0, mechanism.k, {}, mechanism)
    name = usual_reading(spec.algebraic_table, point, own=mechanism)
    assert name is not None
    reading = OutputReading(name, tuple(range(mechanism.k)))
    data = mechanism.privatize(np.arange(200) % mechanism.k, 1).data
    for value in range(mechanism.k):
        held = mechanism.layout.holds(data, value).tolist()
        chosen = np.full(len(data), value)
        assert reading.supports(Batch(chosen, data), chosen).tolist() == held


def bucket(row: int, value: int) -> int:
    return (row * value + 1) % 4


def test_other_peoples_sketches_are_read_by_their_hash() -> None:
    where = f"{__name__}:bucket"
    chosen = np.array([0, 1, 2, 3])
    bits = [(1, [0, 1, 0, 0]), ([0, 0, 1, 0], 1), (1, [-1, -1, -1, 1]), (1, [0, 1])]
    reading = OutputReading(f"cms:{where}", (0, 1, 2, 3))
    assert reading.supports(Batch(chosen, bits), chosen).tolist() == [True, True, True, False]
    # Rows l and bucket b of Sylvester's matrix: the sign is that of the common bits.
    signs = [(1, 1, -1), (1, 1, 1), (1, 3, -1), (1, 3, 1)]
    reading = OutputReading(f"hcms:{where}", (0, 1, 2, 3))
    expected = [
        (-1) ** (place & bucket(row, value)).bit_count() == sign
        for value, (row, place, sign) in enumerate(signs)
    ]
    assert reading.supports(Batch(chosen, signs), chosen).tolist() == expected


def test_a_sketch_needs_its_buckets() -> None:
    (spec, *_) = load("cms")
    with pytest.raises(ParameterError, match="--set buckets="):
        point_of(spec, 1.0, 9, {})
