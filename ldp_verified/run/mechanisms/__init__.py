# Command: ldp-verified generate
"""The catalogue as typed classes: one module per spec file, generated from it."""

from ldp_verified.run.mechanisms.binary_rr import BinaryRR
from ldp_verified.run.mechanisms.cms import CMS
from ldp_verified.run.mechanisms.duchi import Duchi
from ldp_verified.run.mechanisms.geometric import Geometric
from ldp_verified.run.mechanisms.grades import Grades
from ldp_verified.run.mechanisms.grr import GRR
from ldp_verified.run.mechanisms.hadamard_response import HadamardResponse
from ldp_verified.run.mechanisms.half_plus import HalfPlus
from ldp_verified.run.mechanisms.hash_cohorts import HashCohorts
from ldp_verified.run.mechanisms.hcms import HCMS
from ldp_verified.run.mechanisms.histogram_rr import HistogramRR
from ldp_verified.run.mechanisms.hrr import HRR
from ldp_verified.run.mechanisms.hybrid import Hybrid
from ldp_verified.run.mechanisms.keep_or_uniform import KeepOrUniform
from ldp_verified.run.mechanisms.laplace import Laplace
from ldp_verified.run.mechanisms.olh import BLH, OLH
from ldp_verified.run.mechanisms.oue import OUE
from ldp_verified.run.mechanisms.pgr import PGR
from ldp_verified.run.mechanisms.piecewise import Piecewise
from ldp_verified.run.mechanisms.rappor import BasicRappor
from ldp_verified.run.mechanisms.square_wave import SquareWave
from ldp_verified.run.mechanisms.staircase import Staircase
from ldp_verified.run.mechanisms.subset_selection import SubsetSelection
from ldp_verified.run.mechanisms.sue import SUE
from ldp_verified.run.mechanisms.the import THE
from ldp_verified.run.mechanisms.truncated_geometric import TruncatedGeometric
from ldp_verified.run.mechanisms.two_coins import FairCoins, TwoCoins
from ldp_verified.run.mechanisms.ue import UE
from ldp_verified.run.mechanisms.warner import Warner

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
