"""What `conform` runs of each protocol, and which specs it is held to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ldp_verified.conformance.bloom_clients import rappor_subject
from ldp_verified.conformance.memoised import memoised_subject
from ldp_verified.conformance.normal import gaussian_subject
from ldp_verified.conformance.numeric import NumericSubject
from ldp_verified.conformance.scenes import ProtocolSubject
from ldp_verified.conformance.tuples import tuples_subject
from ldp_verified.conformance.vectors import duchi_vector_subject, she_subject
from ldp_verified.mechanisms import SUE
from ldp_verified.protocols import (
    LGRR,
    LOLOHA,
    LOSUE,
    LOUE,
    LSOUE,
    LSUE,
    SHE,
    DBitFlip,
    DuchiVector,
    Gaussian,
    Rappor,
    SampleAmongFakeBits,
    SampleAmongFakes,
    SampleOne,
    Split,
)

Subjects = tuple[ProtocolSubject | NumericSubject, ...]


@dataclass(frozen=True)
class Protocol:
    """A protocol of the package.

    Attributes:
        made: the class of `ldp_verified.protocols` that is run.
        subjects: what is run of it; parameters are chosen so that permanent answers and new ones
            both say something, for otherwise a permanent answer that is not kept hardly shows.
        specs: the mechanisms whose tables it is held to.
    """

    made: type
    subjects: Callable[[], Subjects]
    specs: tuple[str, ...] = ()


def _pairs_and_more(*made: Split | SampleOne | SampleAmongFakes | SampleAmongFakeBits) -> Subjects:
    return tuple(map(tuples_subject, made))


PROTOCOLS: dict[str, Protocol] = {
    "dbitflip": Protocol(
        DBitFlip,
        lambda: (memoised_subject(DBitFlip(1.0, k=8, b=4, d=2)),),
        ("dbitflip", "dbitflip_one", "sampled_bit"),
    ),
    "duchi_vector": Protocol(
        DuchiVector,
        lambda: (
            duchi_vector_subject(DuchiVector(1.0, 2)),
            duchi_vector_subject(DuchiVector(3.0, 5, bounds=(0.0, 10.0))),
        ),
        ("duchi_plane", "duchi_coordinate"),
    ),
    "gaussian": Protocol(Gaussian, lambda: (gaussian_subject(Gaussian(1.0, 1e-6)),), ("gaussian",)),
    "lgrr": Protocol(LGRR, lambda: (memoised_subject(LGRR(1.0, 0.9, 4)),), ("l_grr",)),
    "loloha": Protocol(LOLOHA, lambda: (memoised_subject(LOLOHA(1.0, 0.9, 3, 3)),), ("loloha",)),
    "losue": Protocol(LOSUE, lambda: (memoised_subject(LOSUE(1.0, 0.9, 3)),), ("l_osue",)),
    "loue": Protocol(LOUE, lambda: (memoised_subject(LOUE(1.5, 0.7, 3)),), ("l_oue",)),
    "lsoue": Protocol(LSOUE, lambda: (memoised_subject(LSOUE(1.5, 0.7, 3)),), ("l_soue",)),
    "lsue": Protocol(LSUE, lambda: (memoised_subject(LSUE(1.0, 0.9, 3)),), ("l_sue",)),
    "rappor": Protocol(
        Rappor,
        lambda: (rappor_subject(Rappor(0.75, 0.0625, 0.9375, bits=16, hashes=2, cohorts=3)),),
        ("rappor", "rappor_permanent", "basic_rappor"),
    ),
    "sample_among_fake_bits": Protocol(
        SampleAmongFakeBits,
        lambda: _pairs_and_more(
            SampleAmongFakeBits(1.0, (2, 2)),
            SampleAmongFakeBits(1.0, (2, 2), SUE, "values"),
            SampleAmongFakeBits(2.0, (5, 2, 70)),
            SampleAmongFakeBits(2.0, (5, 2, 9), SUE, "values"),
        ),
        ("fake_zeros", "fake_values", "fake_bit_marginal"),
    ),
    "sample_among_fakes": Protocol(
        SampleAmongFakes,
        lambda: _pairs_and_more(SampleAmongFakes(1.0, (2, 2)), SampleAmongFakes(2.0, (5, 2, 9))),
        ("fake", "fake_marginal"),
    ),
    "sample_one": Protocol(
        SampleOne,
        lambda: _pairs_and_more(SampleOne(1.0, (2, 2)), SampleOne(2.0, (5, 2, 9))),
        ("sample_one",),
    ),
    "she": Protocol(SHE, lambda: (she_subject(SHE(1.0, 3)),), ("she", "she_lattice", "she_grid")),
    "split": Protocol(
        Split,
        lambda: _pairs_and_more(Split(1.0, (2, 2)), Split(2.0, (5, 2, 9))),
        ("split",),
    ),
}
"""What can be run by name; the name of a spec stands for its protocol too."""


def protocol_of(name: str) -> str | None:
    """The protocol that a name means: its own, or that of one of its specs; None if none."""
    if name in PROTOCOLS:
        return name
    return next((own for own, each in PROTOCOLS.items() if name in each.specs), None)
