# Command: ldp-verified generate
"""The catalogue as typed classes: one module per spec file, generated from it."""

from ldp_verified.mechanisms.binary_rr import BinaryRR
from ldp_verified.mechanisms.duchi import Duchi
from ldp_verified.mechanisms.grr import GRR
from ldp_verified.mechanisms.hybrid import Hybrid
from ldp_verified.mechanisms.olh import BLH, OLH
from ldp_verified.mechanisms.oue import OUE
from ldp_verified.mechanisms.piecewise import Piecewise
from ldp_verified.mechanisms.square_wave import SquareWave
from ldp_verified.mechanisms.sue import SUE
from ldp_verified.mechanisms.warner import Warner

__all__ = [
    "BLH",
    "GRR",
    "OLH",
    "OUE",
    "SUE",
    "BinaryRR",
    "Duchi",
    "Hybrid",
    "Piecewise",
    "SquareWave",
    "Warner",
]
