"""PCKV-UE: a report has one of three symbols for each key, and the own key's one is likelier.

A user sampled a key with a sign, or a dummy, of which all users know as many. For each key the
report has +, - or nothing, independently; for each dummy it has a mark or nothing:

                        +                           -                     nothing
    own key, sign +  e^eps / (2 (e^eps + 1))   1 / (2 (e^eps + 1))          1 / 2
    other keys       1 / (e^eps + 3)           1 / (e^eps + 3)    (e^eps + 1) / (e^eps + 3)

                        mark                  nothing
    own dummy          1 / 2                   1 / 2
    other dummies   2 / (e^eps + 3)   (e^eps + 1) / (e^eps + 3)

These are a = 1/2, b = 2/(e^eps + 3) and p = e^eps/(e^eps + 1) of the paper, where dummies have
signs too. Two inputs differ in the law of two symbols at most, those of their own keys or dummies.
All others have the same law under both, and are left out here. So these are all pairs of inputs, up
to turning all signs round: `signs_of_a_key` one key with either sign, `keys_alike` and `keys_apart`
two keys with the same sign and with different ones, `key_or_dummy`, and `two_dummies`.

Xiaolan Gu, Ming Li, Yueqiang Cheng, Li Xiong, Yang Cao (2020), PCKV: Locally Differentially Private
Correlated Key-Value Data Collection with Optimized Utility.
"""

from sympy import Expr, prod

from ldp_verified.language import LDP, Matrix, Mechanism, Rational, exp, real

eps = real("eps", above=0)
u = exp(eps)
half = Rational(1, 2)

OTHER_KEY = {"+": 1 / (u + 3), "-": 1 / (u + 3), "0": (u + 1) / (u + 3)}
OTHER_DUMMY = {"1": 2 / (u + 3), "0": (u + 1) / (u + 3)}
DUMMY = {"1": half, "0": half}
PLUS = {"+": u / (2 * (u + 1)), "-": 1 / (2 * (u + 1)), "0": half}
MINUS = {"+": PLUS["-"], "-": PLUS["+"], "0": half}


Laws = dict[str, tuple[dict[str, Expr], ...]]
"""An input -> the laws of the symbols."""


def laws(inputs: Laws) -> Matrix:
    """The law of one symbol or two given each input: a label -> the laws of the symbols."""
    outputs: list[tuple[str, ...]] = [()]
    for law in next(iter(inputs.values())):
        outputs = [(*output, symbol) for output in outputs for symbol in law]
    rows = [
        [prod(law[s] for law, s in zip(own, output, strict=True)) for output in outputs]
        for own in inputs.values()
    ]
    return Matrix(rows, inputs=[*inputs], outputs=["".join(output) for output in outputs])


def symbols(name: str, title: str, inputs: Laws, prefer: str = "", tight: bool = True) -> Mechanism:
    """The mechanism of these symbols."""
    return Mechanism(
        name,
        title=title,
        prefer=prefer,
        sampler="protocols.key_value_symbols",
        parameters=[eps],
        table=laws(inputs),
        claims=[LDP(eps, tight=tight, source="Gu, Li, Cheng, Xiong, Cao 2020")],
    )


signs_of_a_key = symbols(
    "signs_of_a_key",
    "PCKV-UE, one key with either sign",
    {"+": (PLUS,), "-": (MINUS,)},
    "Counts and means of many keys, as the paper has them; two bits a key count better.",
)
keys_alike = symbols(
    "keys_alike",
    "PCKV-UE, two keys with one sign",
    {"first, +": (PLUS, OTHER_KEY), "second, +": (OTHER_KEY, PLUS)},
)
keys_apart = symbols(
    "keys_apart",
    "PCKV-UE, two keys with two signs",
    {"first, +": (PLUS, OTHER_KEY), "second, -": (OTHER_KEY, MINUS)},
)
key_or_dummy = symbols(
    "key_or_dummy",
    "PCKV-UE, a key and a dummy",
    {"key, +": (PLUS, OTHER_DUMMY), "dummy": (OTHER_KEY, DUMMY)},
)
two_dummies = symbols(
    "two_dummies",
    "PCKV-UE, two dummies",
    {"first": (DUMMY, OTHER_DUMMY), "second": (OTHER_DUMMY, DUMMY)},
    tight=False,
)
