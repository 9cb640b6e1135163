"""What bounds each kernel, in words: from timing its parts, and from reading it."""

from __future__ import annotations

_RANGE = "looking at the range of values (1 ns), and calls for each chunk"
_PLANES = "planes of 64 lanes: a mispredicted branch for each block that is not decided after 8"
_MASKS = "instructions: a mask and a product for every eight digits of a value, then k-RR"
_GRID = "numpy's passes that put numbers on the grid (18 ns of them)"
_COINS = "coins of unknown number, each a branch that cannot be predicted"
CLIENT = {
    "Warner": "a loop over the cuts of the value's row, and looking at the range",
    "BinaryRR": "a loop over the cuts of the value's row, and looking at the range",
    "GRR": _RANGE,
    "KeepOrUniform": _RANGE,
    "HRR": _RANGE,
    "HadamardResponse": _RANGE,
    "SUE": _PLANES,
    "OUE": _PLANES,
    "HistogramRR": _PLANES,
    "THE": _PLANES,
    "CMS": _PLANES,
    "RAPPOR": _PLANES,
    "OLH": _MASKS,
    "BLH": _MASKS,
    "SubsetSelection": "some thirty uniform positions of each set, one after the other",
    "PGR": "division by the prime for each coordinate of a point",
    "HashCohorts": "division by the number of buckets for each coordinate of a function",
    "HCMS": "look-ups of a bucket in 128 KiB of them, and a parity",
    "SHE": "two look-ups and a sum for each number; a word in eight is drawn again",
    "Laplace": _COINS,
    "Geometric": _COINS,
    "TruncatedGeometric": _COINS,
    "Staircase": _COINS,
    "Gaussian": "a search among the weights of the noise, and " + _GRID,
    "Duchi": _GRID,
    "Piecewise": _GRID + ", and two divisions",
    "SquareWave": _GRID + ", and two divisions",
    "Hybrid": _GRID + ", and three divisions",
    "DuchiVector, d = 4": "numpy's passes over each coordinate, then corners one by one",
    "DuchiVector, d = 62": "numpy's passes over each coordinate, then corners one by one",
}
_INCREMENT = "looking at the range of reports, and an increment for each"
_ADDERS = "carry-save additions, and reading the planes out"
_COMPARE = "hashing: a comparison for each report and value"
_MOMENTS = "numpy's passes over the reports: which are ends, the sum, the sum of squares"
SERVER = {
    "Warner": _INCREMENT,
    "BinaryRR": _INCREMENT,
    "GRR": _INCREMENT,
    "KeepOrUniform": _INCREMENT,
    "HRR": _INCREMENT + "; then one transform",
    "HadamardResponse": _INCREMENT + "; then one transform",
    "SUE": _ADDERS,
    "OUE": _ADDERS,
    "HistogramRR": _ADDERS,
    "THE": _ADDERS,
    "CMS": "putting reports in the order of their rows, then " + _ADDERS,
    "RAPPOR": "not timed: it depends on the list of strings that are decoded",
    "OLH": _COMPARE,
    "BLH": _COMPARE,
    "SubsetSelection": "counting the members of each set, which must be right, then " + _ADDERS,
    "PGR": _INCREMENT + "; then the sums over hyperplanes",
    "HashCohorts": _INCREMENT + "; then a look-up for each value and function",
    "HCMS": "a transform of each row and a look-up for each value in it, whatever the reports",
    "SHE": "one pass over a number for each value and user",
    "SquareWave": "steps of expectation maximisation, whatever the number of reports",
    "Duchi": "numpy's passes over the reports, which are all ends",
    **dict.fromkeys(
        ("Laplace", "Geometric", "TruncatedGeometric", "Staircase", "Gaussian"), _MOMENTS
    ),
    **dict.fromkeys(("Piecewise", "Hybrid"), _MOMENTS),
    "DuchiVector, d = 4": "one pass over the reports for each coordinate",
    "DuchiVector, d = 62": "one pass over the reports for each coordinate",
}
