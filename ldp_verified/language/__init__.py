"""The vocabulary of spec files.

Everything a spec needs comes from here and from sympy: parameters (`real`, `integer`), table forms
(`Matrix`, `Design`, `Bits`, `Density`) with their structures, claims, `Mechanism`. Nothing in
this package proves anything.
"""

from sympy import Eq, Rational, exp, log, sqrt

from ldp_verified.language.claims import (
    LDP,
    BetterThan,
    Claim,
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
from ldp_verified.language.density import Atom, Density, Piece
from ldp_verified.language.forms import Bits, Design, Form, Matrix
from ldp_verified.language.loader import (
    catalogue,
    catalogue_folder,
    load,
    load_catalogue,
    load_file,
)
from ldp_verified.language.mechanism import Mechanism, Origin
from ldp_verified.language.pair_table import PairRow, PairTable
from ldp_verified.language.parameters import Domain, Parameter, integer, real
from ldp_verified.language.structures import (
    Blocks,
    HadamardBlocks,
    HadamardSigns,
    HashBlocks,
    Hyperplanes,
    LinearBlocks,
    OneHot,
    Singletons,
    Subsets,
)

__all__ = [
    "LDP",
    "Atom",
    "BetterThan",
    "Bits",
    "Blocks",
    "Claim",
    "Density",
    "Design",
    "Domain",
    "Eq",
    "Form",
    "HadamardBlocks",
    "HadamardSigns",
    "HashBlocks",
    "Holds",
    "Hyperplanes",
    "LinearBlocks",
    "Matrix",
    "Mean",
    "Mechanism",
    "MetricLDP",
    "OneHot",
    "Optimal",
    "Origin",
    "PairRow",
    "PairTable",
    "Parameter",
    "PersonalisedLDP",
    "Piece",
    "Privacy",
    "Rational",
    "ReportVariance",
    "SameTable",
    "Singletons",
    "SmallerWorst",
    "Subsets",
    "Unbiased",
    "Variance",
    "WorstVariance",
    "catalogue",
    "catalogue_folder",
    "exp",
    "f",
    "integer",
    "load",
    "load_catalogue",
    "load_file",
    "log",
    "n",
    "real",
    "sqrt",
]
