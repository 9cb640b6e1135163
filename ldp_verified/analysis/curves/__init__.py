"""Curves that people compare: variances of the catalogue, privacy loss of a table.

Numbers here are floats for the eye, evaluated from derived closed forms; what is proved of those
forms is said by `verify`.
"""

from ldp_verified.analysis.curves.loss import LossCurve, loss_curve
from ldp_verified.analysis.curves.variance import Crossing, VarianceCurves, variance_curves

__all__ = ["Crossing", "LossCurve", "VarianceCurves", "loss_curve", "variance_curves"]
