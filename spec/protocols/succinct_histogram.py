"""Succinct histogram: a code's bit in the channel of the value, and a sign that counts it.

    Public   a function h from the 2^bits values to T channels, a binary code of `length` bits (an
             error-correcting one); a family z of `functions` functions from channels to signs, and
             a family w of `masks` functions from values to signs.
    Server   draws for each user, in public: a bit l of the code, a function of z and one of w.
    User     sends two reports, randomized response at eps/2 each: on the sign of the channel h(x),
             turned where bit l of the code of x is 1; and on the sign of x.
    Server   for each channel takes the likelier bit at each l, decodes, and keeps the candidates
             that h sends to their own channel. Counts come from the second reports alone.

A user who sends a bit in each of the T channels, a fair coin in all but their own, tells as much:
the coins are a function of z here, drawn in public, so that one bit of the user's is enough. All
functions are any here, also bad ones: each list of them is a number, its values are the digits.

After Raef Bassily, Adam Smith (2015), Local, Private, Efficient Protocols for Succinct Histograms.
"""

import sympy

from ldp_verified.language import integer, load, real
from ldp_verified.language.protocol import (
    Counted,
    Groups,
    Protocol,
    Round,
    Sends,
    group,
    public_function,
    x,
)

(grr,) = load("grr")
eps_, k = grr.parameters

eps = real("eps", above=0)
bits = integer("bits", at_least=2)
length = integer("length", at_least=1)
T = integer("T", at_least=2)
functions = integer("functions", at_least=1)
masks = integer("masks", at_least=1)
h, code, z, w = (integer(name, at_least=0) for name in ("h", "code", "z", "w"))

channel = sympy.Mod(sympy.floor(group / masks), functions) * T + public_function(h, x, T)
place = sympy.floor(group / (functions * masks))
bit = public_function(code, place * 2**bits + x, 2)
whole = sympy.Mod(group, masks) * 2**bits + x
at = {eps_: eps / 2, k: 2}

succinct_histogram = Protocol(
    "succinct_histogram",
    title="Succinct histogram",
    source="Bassily, Smith 2015",
    parameters=[eps, bits, length, T, functions, masks, h, code, z, w],
    values=2**bits,
    groups=Groups(length * functions * masks),
    rounds=[
        Round(
            sends=[
                Sends(grr, of=sympy.Mod(public_function(z, channel, 2) + bit, 2), at=at),
                Sends(grr, of=public_function(w, whole, 2), at=at),
            ]
        )
    ],
    epsilon=eps,
    counted=Counted(
        send=1,
        alike=sympy.Rational(1, 2),
        over={w: 2 ** (masks * 2**bits)},
        collisions=1 / masks,
    ),
    counts="Of the n second reports c agree: (2 c - n)/(2 p - 1), p of k-RR at eps/2.",
)
