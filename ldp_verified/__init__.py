"""Local differential privacy whose code is checked against its table of probabilities."""

from ldp_verified.mechanisms import BLH, GRR, OLH, OUE, SUE, BinaryRR, Warner

__all__ = ["BLH", "GRR", "OLH", "OUE", "SUE", "BinaryRR", "Warner"]
