# Command: ldp-verified generate
"""The catalogue as typed classes: one module per spec file, generated from it."""

from ldp_verified.mechanisms.binary_rr import BinaryRR
from ldp_verified.mechanisms.cms import CMS
from ldp_verified.mechanisms.duchi import Duchi
from ldp_verified.mechanisms.geometric import Geometric
from ldp_verified.mechanisms.grades import Grades
from ldp_verified.mechanisms.grr import GRR
from ldp_verified.mechanisms.hadamard_response import HadamardResponse
from ldp_verified.mechanisms.half_plus import HalfPlus
from ldp_verified.mechanisms.hash_cohorts import HashCohorts
from ldp_verified.mechanisms.hcms import HCMS
from ldp_verified.mechanisms.histogram_rr import HistogramRR
from ldp_verified.mechanisms.hrr import HRR
from ldp_verified.mechanisms.hybrid import Hybrid
from ldp_verified.mechanisms.keep_or_uniform import KeepOrUniform
from ldp_verified.mechanisms.laplace import Laplace
from ldp_verified.mechanisms.olh import BLH, OLH
from ldp_verified.mechanisms.oue import OUE
from ldp_verified.mechanisms.pgr import PGR
from ldp_verified.mechanisms.piecewise import Piecewise
from ldp_verified.mechanisms.rappor import BasicRappor
from ldp_verified.mechanisms.square_wave import SquareWave
from ldp_verified.mechanisms.staircase import Staircase
from ldp_verified.mechanisms.subset_selection import SubsetSelection
from ldp_verified.mechanisms.sue import SUE
from ldp_verified.mechanisms.the import THE
from ldp_verified.mechanisms.truncated_geometric import TruncatedGeometric
from ldp_verified.mechanisms.two_coins import FairCoins, TwoCoins
from ldp_verified.mechanisms.ue import UE
from ldp_verified.mechanisms.warner import Warner

__all__ = [
    "BLH",
    "CMS",
    "GRR",
    "HCMS",
    "HRR",
    "OLH",
    "OUE",
    "PGR",
    "SUE",
    "THE",
    "UE",
    "BasicRappor",
    "BinaryRR",
    "Duchi",
    "FairCoins",
    "Geometric",
    "Grades",
    "HadamardResponse",
    "HalfPlus",
    "HashCohorts",
    "HistogramRR",
    "Hybrid",
    "KeepOrUniform",
    "Laplace",
    "Piecewise",
    "SquareWave",
    "Staircase",
    "SubsetSelection",
    "TruncatedGeometric",
    "TwoCoins",
    "Warner",
]
