"""What bounds each kernel, in words: from timing its parts, and from reading it."""

from __future__ import annotations

_RANGE = "looking at the range of values (1 ns), and calls for each chunk"
_FIELDS = "a look-up of every eight bits in a table of 64 KiB, and the ties: one field in 260"
_MASKS = "instructions: a mask and a product for every eight digits of a value, then k-RR"
_WORDS = "two words, one for the grid and one for the noise: a third of the time"
_HALVES = "a word for the grid and half a word for the noise: a quarter of the time"
_GRID = "a word for the grid, and a pass over the numbers for it"
CLIENT = {
    "Warner": "a loop over the cuts of the value's row, and looking at the range",
    "BinaryRR": "a loop over the cuts of the value's row, and looking at the range",
    "GRR": _RANGE,
    "KeepOrUniform": _RANGE,
    "HRR": _RANGE,
    "HadamardResponse": _RANGE,
    "SUE": _FIELDS,
    "OUE": _FIELDS,
    "HistogramRR": _FIELDS,
    "THE": _FIELDS,
    "CMS": _FIELDS,
    "RAPPOR": _FIELDS,
    "OLH": _MASKS,
    "BLH": _MASKS,
    "SubsetSelection": "some thirty uniform positions of each set, one after the other",
    "PGR": "division by the prime for each coordinate of a point",
    "HashCohorts": "division by the number of buckets for each coordinate of a function",
    "HCMS": "look-ups of a bucket in 128 KiB of them, and a parity",
    "SHE": "two look-ups and a sum for each number, two numbers from a word",
    "Laplace": _WORDS,
    "Geometric": _HALVES,
    "TruncatedGeometric": _HALVES,
    "Staircase": _HALVES,
    "Gaussian": _HALVES,
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
