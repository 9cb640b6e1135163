"""The printer of each law of additive noise."""

from __future__ import annotations

from collections.abc import Mapping

from ldp_verified.kinds import Kind, TableForm
from ldp_verified.language import Exponential, Lattice, Mechanism, Noise, Normal, Steps
from ldp_verified.prove.coq.forms import COQ, OF_EVERY_TABLE
from ldp_verified.prove.coq.noise import NoiseTheorems
from ldp_verified.prove.coq.normal_noise import NormalTheorems
from ldp_verified.prove.coq.step_noise import StepTheorems

PRINTERS: Mapping[type, type[NoiseTheorems]] = {
    Exponential: NoiseTheorems,
    Lattice: NoiseTheorems,
    Normal: NormalTheorems,
    Steps: StepTheorems,
}


@COQ.rule(
    (*OF_EVERY_TABLE, Kind.MEAN, Kind.REPORT_VARIANCE, Kind.VARIANCE, Kind.CURVE),
    (TableForm.NOISE,),
)
def noise_theorems(mechanism: Mechanism, attempt: bool) -> NoiseTheorems:
    """The theorems about a mechanism whose table is `Noise`."""
    assert isinstance(mechanism.table, Noise)
    return PRINTERS[type(mechanism.table.law)](mechanism, attempt)
