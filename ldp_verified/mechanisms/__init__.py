# Command: ldp-verified generate
"""The catalogue as typed classes: one module per spec file, generated from it."""

from ldp_verified.mechanisms.binary_rr import BinaryRR
from ldp_verified.mechanisms.grades import Grades
from ldp_verified.mechanisms.grr import GRR
from ldp_verified.mechanisms.olh import BLH, OLH
from ldp_verified.mechanisms.oue import OUE
from ldp_verified.mechanisms.rappor import BasicRappor
from ldp_verified.mechanisms.sue import SUE
from ldp_verified.mechanisms.warner import Warner

__all__ = ["BLH", "GRR", "OLH", "OUE", "SUE", "BasicRappor", "BinaryRR", "Grades", "Warner"]
