"""Protocol files of strangers, as texts."""

from __future__ import annotations

HIERARCHY = '''"""Nodes of a binary tree, of one level of each user."""

import sympy

from ldp_verified.language import integer, load, real
from ldp_verified.language.protocol import Counted, Groups, Protocol, Round, Sends, group, prefix, x

(oue,) = load("oue")
eps_, k_ = oue.parameters
eps = real("eps", above=0)
levels = integer("levels", at_least=1)
level = group + 1

hierarchy = Protocol(
    "hierarchy",
    parameters=[eps, levels],
    values=2**levels,
    groups=Groups(levels),
    rounds=[Round([Sends(oue, of=prefix(x, level, levels), at={eps_: PRICE, k_: 2**level})])],
    epsilon=eps,
    counted=Counted(where=sympy.Eq(group, levels - 1)),
)
'''
"""`PRICE` is eps where it is right."""

TWO_ROUNDS = '''"""A bit, and after something was published the sum of the value and that."""

import sympy

from ldp_verified.language import integer, load, real
from ldp_verified.language.protocol import Protocol, Published, Round, Sends, published, x

(grr,) = load("grr")
eps_, k_ = grr.parameters
eps = real("eps", above=0)
step = integer("step", at_least=1)

two_rounds = Protocol(
    "two_rounds",
    parameters=[eps, step],
    values=4,
    rounds=[
        Round([Sends(grr, of=sympy.Mod(x, 2), at={eps_: eps / 2, k_: 2})], Published("a", 4)),
        Round([Sends(grr, of=sympy.Mod(x + step * published, 4), at={eps_: eps / 2, k_: 4})]),
    ],
    epsilon=eps,
)
'''


def own_randomizer(name: str) -> str:
    """The hierarchy over a response that the file declares itself, by a name."""
    return HIERARCHY.replace("PRICE", "eps").replace(
        '(oue,) = load("oue")\neps_, k_ = oue.parameters',
        "from ldp_verified.language import LDP, Design, Mechanism, Singletons, exp\n"
        'eps_, k_ = real("eps", above=0), integer("k", at_least=2)\n'
        f'oue = Mechanism("{name}", parameters=[eps_, k_], table=Design(blocks=k_, containing=1,'
        " together=0, structure=Singletons(k_), inside=exp(eps_) / (exp(eps_) + k_ - 1),"
        " outside=1 / (exp(eps_) + k_ - 1)), claims=[LDP(eps_)])",
    )
