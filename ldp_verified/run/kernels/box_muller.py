"""Normal numbers from counters: SplitMix64, then Box and Muller's method in single precision.

Logarithm, sine and cosine are polynomials (S. L. Moshier, Cephes Mathematical Library, single
precision): sums and products of single numbers in a fixed order. So the compiled loop and NumPy
give the same bits on every machine, which NumPy's own functions do not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ldp_verified.run.kernels.compiled import compiled, machine_code, read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

MANY: Final = 1 << 17
"""The number of normal numbers from which on loading the compiler pays off."""

_F = np.float32
STEP: Final = np.uint64(0x9E3779B97F4A7C15)
"""The increment of SplitMix64: the words of a line follow on those of the line before."""
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_S8, _S27, _S30, _S31, _S40 = (np.uint64(bits) for bits in (8, 27, 30, 31, 40))
_LOW: Final = np.uint64((1 << 24) - 1)
_UNIT, _TURN = _F(2.0**-24), _F(2 * np.pi * 2.0**-24)
_HALF, _ONE, _TWO = _F(0.5), _F(1), _F(2)
_ROOT: Final = np.int32(0x3F3504F3)
"""The bits of the root of 1/2: mantissas are taken between this and twice of it."""
_MANTISSA, _QUARTER, _EIGHTH = np.int32(23), np.int32(22), np.int32(1 << 21)
_N1, _N2, _SIGN = np.int32(1), np.int32(2), np.int32(31)
_L0, _L1, _L2 = _F(7.0376836292e-2), _F(-1.1514610310e-1), _F(1.1676998740e-1)
_L3, _L4, _L5 = _F(-1.2420140846e-1), _F(1.4249322787e-1), _F(-1.6668057665e-1)
_L6, _L7, _L8 = _F(2.0000714765e-1), _F(-2.4999993993e-1), _F(3.3333331174e-1)
_LN2_LOW, _LN2_HIGH = _F(-2.12194440e-4), _F(0.693359375)
_SIN0, _SIN1, _SIN2 = _F(-1.9515295891e-4), _F(8.3321608736e-3), _F(-1.6666654611e-1)
_COS0, _COS1, _COS2 = _F(2.443315711809948e-5), _F(-1.388731625493765e-3), _F(4.166664568298827e-2)


def normal_numbers(
    starts: NDArray[np.uint64], half: int, total: int | None = None
) -> NDArray[np.float32]:
    """Pairs of normal numbers of counters, float32 (n, 2 half): the first ones, then the others.

    Word j of a row is the output of SplitMix64 after j + 1 steps. Its low 32 bits give the length
    of a pair, and its high ones the angle; 24 of each are used.

    Args:
        starts: states, shape (n,). half: how many pairs of each.
        total: of how many numbers these are a part; None if they are all.
    """
    found = np.empty((len(starts), 2 * half), dtype=np.float32)
    if (found.size if total is None else total) >= MANY and machine_code():
        compiled(_pairs)(read_only(starts), half, found)
    else:
        _with_numpy(starts, half, found)
    return found


def _pairs(starts: NDArray[np.uint64], half: int, out: NDArray[np.float32]) -> None:
    """One pair after the other; for numba, whose loop is the same for eight or more at a time."""
    for i in range(len(starts)):
        row, state = out[i], starts[i]
        for j in range(half):
            word = state + STEP * np.uint64(j + 1)
            word ^= word >> _S30
            word *= _FIRST
            word ^= word >> _S27
            word *= _SECOND
            word ^= word >> _S31
            below = np.int32((word >> _S8) & _LOW)
            angle = np.int32(word >> _S40)
            bits = np.float32((np.float32(below) + _HALF) * _UNIT).view(np.int32)
            power = np.int32(np.int32(bits - _ROOT) >> _MANTISSA)
            x = np.int32(bits - np.int32(power << _MANTISSA)).view(np.float32) - _ONE
            square, scale = x * x, np.float32(power)
            y = (((_L0 * x + _L1) * x + _L2) * x + _L3) * x + _L4
            y = (((y * x + _L5) * x + _L6) * x + _L7) * x + _L8
            y = y * x * square + scale * _LN2_LOW - _HALF * square
            log = x + y + scale * _LN2_HIGH
            length = np.sqrt(abs(_TWO * log))  # no logarithm is above 0
            quarter = np.int32(np.int32(angle + _EIGHTH) >> _QUARTER)
            t = np.float32(np.int32(angle - np.int32(quarter << _QUARTER))) * _TURN
            t2 = t * t
            sine = ((_SIN0 * t2 + _SIN1) * t2 + _SIN2) * t2 * t + t
            cosine = ((_COS0 * t2 + _COS1) * t2 + _COS2) * t2 * t2 - _HALF * t2 + _ONE
            across = quarter & _N1 != 0
            first, second = (sine, cosine) if across else (cosine, sine)
            first = -first if np.int32(quarter + _N1) & _N2 != 0 else first
            second = -second if quarter & _N2 != 0 else second
            row[j] = length * first
            row[half + j] = length * second


def _with_numpy(starts: NDArray[np.uint64], half: int, out: NDArray[np.float32]) -> None:
    """`_pairs`, operation by operation, in place: signs and halves are changed by their bits."""
    words = starts[:, np.newaxis] + STEP * np.arange(1, half + 1, dtype=np.uint64)
    turned = np.empty_like(words)
    words ^= np.right_shift(words, _S30, out=turned)
    words *= _FIRST
    words ^= np.right_shift(words, _S27, out=turned)
    words *= _SECOND
    words ^= np.right_shift(words, _S31, out=turned)
    halves = words.astype("<u8", copy=False).view("<u4").reshape(len(starts), half, 2)
    below, angle = ((halves[..., side] >> np.uint32(8)).view(np.int32) for side in (0, 1))
    x = below.astype(np.float32)
    x += _HALF
    x *= _UNIT
    bits = x.view(np.int32)
    power = bits - _ROOT
    power >>= _MANTISSA
    whole = power << _MANTISSA
    bits -= whole
    x -= _ONE
    scale, square = power.astype(np.float32), x * x
    y = _polynomial(x, (_L0, _L1, _L2, _L3, _L4, _L5, _L6, _L7, _L8), np.empty_like(x))
    y *= x
    y *= square
    part = scale * _LN2_LOW
    y += part
    square *= _HALF
    y -= square
    y += x
    scale *= _LN2_HIGH
    y += scale
    y *= _TWO
    np.abs(y, out=y)
    length = np.sqrt(y, out=y)
    quarter = angle + _EIGHTH
    quarter >>= _QUARTER
    angle -= np.left_shift(quarter, _QUARTER, out=whole)
    t = angle.astype(np.float32)
    t *= _TURN
    t2 = np.multiply(t, t, out=square)
    second = _polynomial(t2, (_SIN0, _SIN1, _SIN2), x)
    second *= t2
    second *= t
    second += t
    first = _polynomial(t2, (_COS0, _COS1, _COS2), part)
    first *= t2
    first *= t2
    t2 *= _HALF
    first -= t2
    first += _ONE
    ours, theirs = first.view(np.int32), second.view(np.int32)
    mask = quarter & _N1
    np.negative(mask, out=mask)
    mask &= np.bitwise_xor(ours, theirs, out=whole)
    ours ^= mask
    theirs ^= mask
    np.right_shift(quarter, _N1, out=mask)
    theirs ^= np.left_shift(mask, _SIGN, out=mask)
    quarter += _N1
    quarter >>= _N1
    ours ^= np.left_shift(quarter, _SIGN, out=quarter)
    np.multiply(length, first, out=out[:, :half])
    np.multiply(length, second, out=out[:, half:])


def _polynomial(
    x: NDArray[np.float32], factors: tuple[np.float32, ...], out: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Horner's scheme, the factor of the highest power first."""
    np.multiply(x, factors[0], out=out)
    for factor in factors[1:-1]:
        out += factor
        out *= x
    out += factors[-1]
    return out
