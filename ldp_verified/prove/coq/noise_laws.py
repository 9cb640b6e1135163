"""The printer of each law of additive noise."""

from __future__ import annotations

from collections.abc import Mapping

from ldp_verified.kinds import Kind, TableForm
from ldp_verified.language import Exponential, Lattice, Mechanism, Noise, Steps
from ldp_verified.prove.coq.forms import COQ, OF_EVERY_TABLE
from ldp_verified.prove.coq.noise import NoiseTheorems
from ldp_verified.prove.coq.step_noise import StepTheorems
from ldp_verified.prove.coq.terms import NotCertifiedError

PRINTERS: Mapping[type, type[NoiseTheorems]] = {
    Exponential: NoiseTheorems,
    Lattice: NoiseTheorems,
    Steps: StepTheorems,
}


@COQ.rule((*OF_EVERY_TABLE, Kind.MEAN, Kind.REPORT_VARIANCE, Kind.VARIANCE), (TableForm.NOISE,))
def noise_theorems(mechanism: Mechanism, attempt: bool) -> NoiseTheorems:
    """The theorems about a mechanism whose table is `Noise`.

    Raises:
        NotCertifiedError: the library has no integrals of its law.
    """
    assert isinstance(mechanism.table, Noise)
    law = type(mechanism.table.law)
    if law not in PRINTERS:
        raise NotCertifiedError(f"{law.__name__} noise has integrals that the library lacks")
    return PRINTERS[law](mechanism, attempt)
