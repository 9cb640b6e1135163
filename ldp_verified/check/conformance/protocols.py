"""List the objects that `conform` runs for each protocol, and the specs that they must fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from ldp_verified.check.conformance.bloom_clients import rappor_subject
from ldp_verified.check.conformance.grouped import grouped_subject
from ldp_verified.check.conformance.memoised import memoised_subject
from ldp_verified.check.conformance.normal import gaussian_subject
from ldp_verified.check.conformance.numeric import NumericSubject
from ldp_verified.check.conformance.point_blocks import hpgr_subject
from ldp_verified.check.conformance.rounds import rounds_subject
from ldp_verified.check.conformance.signs import signs_subject
from ldp_verified.check.conformance.stateful_clients import ProtocolSubject
from ldp_verified.check.conformance.symbols import key_value_symbols_subject
from ldp_verified.check.conformance.tuples import tuples_subject
from ldp_verified.check.conformance.vectors import (
    duchi_vector_subject,
    she_subject,
    sphere_vector_subject,
)
from ldp_verified.protocols import (
    HPGR,
    LGRR,
    LOLOHA,
    LOSUE,
    LOUE,
    LSOUE,
    LSUE,
    SHE,
    BitGroups,
    BitReduction,
    BitState,
    Bitstogram,
    BitstogramState,
    CodedState,
    DBitFlip,
    DuchiVector,
    FragmentState,
    Gaussian,
    Hashtogram,
    HashtogramState,
    KeyValueSymbols,
    PrefixCohorts,
    PrefixCohortState,
    PrefixExtending,
    PrefixRounds,
    PrefixState,
    PrivateExpanderSketch,
    PrivateExpanderSketchState,
    Rappor,
    SampleAmongFakeBits,
    SampleAmongFakes,
    SampleOne,
    SequenceFragments,
    SignMatrix,
    SphereVector,
    Split,
    SuccinctHistogram,
    TreeHist,
    TreeHistState,
)
from ldp_verified.run.mechanisms import SUE

Subject = ProtocolSubject | NumericSubject


@dataclass(frozen=True)
class ProtocolRun:
    """A protocol of the package.

    Attributes:
        made: the class of `ldp_verified.protocols` that is run.
        objects: those that are run; parameters are chosen so that permanent answers and new ones
            both say something, for otherwise a permanent answer that is not kept hardly shows.
        subject: what is looked at, of one of them.
        specs: the mechanisms whose tables it is held to.
    """

    made: type
    objects: Callable[[], tuple[Any, ...]]
    subject: Callable[[Any], Subject]
    specs: tuple[str, ...] = ()

    def subjects(self) -> tuple[Subject, ...]:
        """Return the subjects of its runs."""
        return tuple(map(self.subject, self.objects()))


PROTOCOLS: dict[str, ProtocolRun] = {
    "bit_groups": ProtocolRun(
        BitGroups, lambda: (BitGroups(1.0, 6, 16),), partial(grouped_subject, state=BitState)
    ),
    "bit_reduction": ProtocolRun(
        BitReduction, lambda: (BitReduction(3.0, 4, 8),), partial(grouped_subject, state=BitState)
    ),
    "bitstogram": ProtocolRun(
        Bitstogram,
        lambda: (Bitstogram(1.0, 8, 8, 1, 2, 8),),
        partial(grouped_subject, state=BitstogramState),
    ),
    "dbitflip": ProtocolRun(
        DBitFlip,
        lambda: (DBitFlip(1.0, k=8, b=4, d=2),),
        memoised_subject,
        ("dbitflip", "dbitflip_one", "sampled_bit"),
    ),
    "duchi_vector": ProtocolRun(
        DuchiVector,
        lambda: (DuchiVector(1.0, 2), DuchiVector(3.0, 5, bounds=(0.0, 10.0))),
        duchi_vector_subject,
        ("duchi_plane", "duchi_coordinate"),
    ),
    "gaussian": ProtocolRun(
        Gaussian, lambda: (Gaussian(1.0, 1e-6),), gaussian_subject, ("gaussian",)
    ),
    "hashtogram": ProtocolRun(
        Hashtogram,
        lambda: (Hashtogram(1.0, 8, 2, 8),),
        partial(grouped_subject, state=HashtogramState),
    ),
    "hpgr": ProtocolRun(
        HPGR,
        lambda: (HPGR(1.0, 12, 2, 2), HPGR(3.0, 30, 3, 3)),
        hpgr_subject,
        ("hpgr", "hpgr_count"),
    ),
    "key_value_symbols": ProtocolRun(
        KeyValueSymbols,
        lambda: (KeyValueSymbols(1.0, 2, 1), KeyValueSymbols(2.0, 2, 2, (0.0, 10.0))),
        key_value_symbols_subject,
        ("signs_of_a_key", "keys_alike", "keys_apart", "key_or_dummy", "two_dummies"),
    ),
    "lgrr": ProtocolRun(LGRR, lambda: (LGRR(1.0, 0.9, 4),), memoised_subject, ("l_grr",)),
    "loloha": ProtocolRun(LOLOHA, lambda: (LOLOHA(1.0, 0.9, 3, 3),), memoised_subject, ("loloha",)),
    "losue": ProtocolRun(LOSUE, lambda: (LOSUE(1.0, 0.9, 3),), memoised_subject, ("l_osue",)),
    "loue": ProtocolRun(LOUE, lambda: (LOUE(1.5, 0.7, 3),), memoised_subject, ("l_oue",)),
    "lsoue": ProtocolRun(LSOUE, lambda: (LSOUE(1.5, 0.7, 3),), memoised_subject, ("l_soue",)),
    "lsue": ProtocolRun(LSUE, lambda: (LSUE(1.0, 0.9, 3),), memoised_subject, ("l_sue",)),
    "prefix_cohorts": ProtocolRun(
        PrefixCohorts,
        lambda: (PrefixCohorts(2.0, 32, first=8, cohorts=4),),
        partial(grouped_subject, state=PrefixCohortState),
    ),
    "prefix_extending": ProtocolRun(
        PrefixExtending,
        lambda: (PrefixExtending(2.0), PrefixExtending(4.0, 48)),
        partial(grouped_subject, state=PrefixState),
    ),
    "prefix_rounds": ProtocolRun(
        PrefixRounds,
        lambda: (PrefixRounds(2.0, 40, first=8, step=16, cohorts=8),),
        rounds_subject,
    ),
    "private_expander_sketch": ProtocolRun(
        PrivateExpanderSketch,
        lambda: (PrivateExpanderSketch(1.0, 8, 2, 2, 1, 2, 8),),
        partial(grouped_subject, state=PrivateExpanderSketchState),
    ),
    "rappor": ProtocolRun(
        Rappor,
        lambda: (Rappor(0.75, 0.0625, 0.9375, bits=16, hashes=2, cohorts=3),),
        rappor_subject,
        ("rappor", "rappor_permanent", "basic_rappor"),
    ),
    "sample_among_fake_bits": ProtocolRun(
        SampleAmongFakeBits,
        lambda: (
            SampleAmongFakeBits(1.0, (2, 2)),
            SampleAmongFakeBits(1.0, (2, 2), SUE, "values"),
            SampleAmongFakeBits(2.0, (5, 2, 70)),
            SampleAmongFakeBits(2.0, (5, 2, 9), SUE, "values"),
        ),
        tuples_subject,
        ("fake_zeros", "fake_values", "fake_bit_marginal"),
    ),
    "sample_among_fakes": ProtocolRun(
        SampleAmongFakes,
        lambda: (SampleAmongFakes(1.0, (2, 2)), SampleAmongFakes(2.0, (5, 2, 9))),
        tuples_subject,
        ("fake", "fake_marginal"),
    ),
    "sample_one": ProtocolRun(
        SampleOne,
        lambda: (SampleOne(1.0, (2, 2)), SampleOne(2.0, (5, 2, 9))),
        tuples_subject,
        ("sample_one",),
    ),
    "sequence_fragments": ProtocolRun(
        SequenceFragments,
        lambda: (SequenceFragments(2.0, 32, marks=16),),
        partial(grouped_subject, state=FragmentState),
    ),
    "she": ProtocolRun(
        SHE, lambda: (SHE(1.0, 3),), she_subject, ("she", "she_lattice", "she_grid")
    ),
    "sign_matrix": ProtocolRun(
        SignMatrix, lambda: (SignMatrix(1.0), SignMatrix(3.0, 16)), signs_subject
    ),
    "sphere_vector": ProtocolRun(
        SphereVector,
        lambda: (SphereVector(1.0, 3, lines=3), SphereVector(2.0, 5, radius=10.0)),
        sphere_vector_subject,
        ("favoured_sets", "favoured_cover", "favoured_apart", "favoured_halves"),
    ),
    "split": ProtocolRun(
        Split, lambda: (Split(1.0, (2, 2)), Split(2.0, (5, 2, 9))), tuples_subject, ("split",)
    ),
    "succinct_histogram": ProtocolRun(
        SuccinctHistogram,
        lambda: (SuccinctHistogram(2.0, 8, 8, 1),),
        partial(grouped_subject, state=CodedState),
    ),
    "tree_hist": ProtocolRun(
        TreeHist, lambda: (TreeHist(1.0, 4, 2, 4),), partial(grouped_subject, state=TreeHistState)
    ),
}
"""What can be run by name; the name of a spec stands for its protocol too."""


def protocol_of(name: str) -> str | None:
    """The protocol that a name means: its own, or that of one of its specs; None if none."""
    if name in PROTOCOLS:
        return name
    return next((own for own, each in PROTOCOLS.items() if name in each.specs), None)
