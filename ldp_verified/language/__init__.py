"""The vocabulary of spec files.

Everything a spec needs comes from here and from sympy: parameters (`real`, `integer`), table forms
(`Matrix`, `Design`, `Bits`, `Levels`, `Points`, `Density`, `Noise`) with their structures, claims,
`Mechanism`. Nothing in this package proves anything.
"""

from sympy import Eq, Rational, exp, log, sqrt

from ldp_verified.language.bloom import Bloom
from ldp_verified.language.claims import (
    LDP,
    BetterThan,
    Claim,
    GaussianLDP,
    Holds,
    Mean,
    MetricLDP,
    Optimal,
    PersonalisedLDP,
    Privacy,
    ReportVariance,
    SameTable,
    SmallerWorst,
    Unbiased,
    Variance,
    WorstVariance,
    f,
    n,
)
from ldp_verified.language.combinators import (
    alongside,
    differing_in_one,
    memo,
    public,
    sample,
    then,
    together,
)
from ldp_verified.language.composites import Composite
from ldp_verified.language.density import Atom, Density, Piece
from ldp_verified.language.forms import Bits, Design, Form, Line, Matrix
from ldp_verified.language.levels import Levels
from ldp_verified.language.loader import load, load_catalogue, load_file, load_protocol
from ldp_verified.language.mechanism import Mechanism
from ldp_verified.language.names import Origin
from ldp_verified.language.noise import Ends, Exponential, Lattice, Noise, Normal, Steps
from ldp_verified.language.pair_table import PairRow, PairTable
from ldp_verified.language.parameters import Domain, Parameter, integer, real
from ldp_verified.language.points import Points, apart, left, near, right, span
from ldp_verified.language.scores import exponential_mechanism, utility_claims
from ldp_verified.language.structures import (
    Blocks,
    HadamardBlocks,
    HadamardSigns,
    HashBlocks,
    HashedOneHot,
    HashedSigns,
    Hyperplanes,
    LinearBlocks,
    OneHot,
    Singletons,
    Subsets,
)
from ldp_verified.spec_files import catalogue, catalogue_folder

__all__ = [
    "LDP",
    "Atom",
    "BetterThan",
    "Bits",
    "Blocks",
    "Bloom",
    "Claim",
    "Composite",
    "Density",
    "Design",
    "Domain",
    "Ends",
    "Eq",
    "Exponential",
    "Form",
    "GaussianLDP",
    "HadamardBlocks",
    "HadamardSigns",
    "HashBlocks",
    "HashedOneHot",
    "HashedSigns",
    "Holds",
    "Hyperplanes",
    "Lattice",
    "Levels",
    "Line",
    "LinearBlocks",
    "Matrix",
    "Mean",
    "Mechanism",
    "MetricLDP",
    "Noise",
    "Normal",
    "OneHot",
    "Optimal",
    "Origin",
    "PairRow",
    "PairTable",
    "Parameter",
    "PersonalisedLDP",
    "Piece",
    "Points",
    "Privacy",
    "Rational",
    "ReportVariance",
    "SameTable",
    "Singletons",
    "SmallerWorst",
    "Steps",
    "Subsets",
    "Unbiased",
    "Variance",
    "WorstVariance",
    "alongside",
    "apart",
    "catalogue",
    "catalogue_folder",
    "differing_in_one",
    "exp",
    "exponential_mechanism",
    "f",
    "integer",
    "left",
    "load",
    "load_catalogue",
    "load_file",
    "load_protocol",
    "log",
    "memo",
    "n",
    "near",
    "public",
    "real",
    "right",
    "sample",
    "span",
    "sqrt",
    "then",
    "together",
    "utility_claims",
]
