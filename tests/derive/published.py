"""Formulas as the literature prints them, beside what is derived from the specs.

One entry for each formula: where it is from, and the difference if there is one. A formula is
written here from the publication, never from the spec. Entries name author, year and what of the
publication they are about; no equation numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import sympy

from ldp_verified.derive import Facts
from ldp_verified.derive.density import mean_and_variance
from ldp_verified.derive.estimator import DerivedEstimator
from ldp_verified.language import Line, f, load_catalogue, n

SPECS = {spec.name: spec for spec in load_catalogue()}
"""Asked by name; a spec that is added needs only its entries below."""


def _symbols(names: str) -> tuple[Any, ...]:
    return tuple(sympy.Symbol(name, positive=True) for name in names.split())


u, s = _symbols("u s")  # e^eps and e^(eps/2)
k, g, omega, b, gamma, K = _symbols("k g omega b gamma K")
p, q, Q, x = _symbols("p q Q x")
noise, low, high = _symbols("noise low high")


@cache
def facts(name: str) -> Facts:
    """Return the facts that are derived from a spec."""
    return Facts(SPECS[name])


def of_line(name: str, what: str) -> Any:
    """The mean or variance of a report, the level of a piece, the place or mass of an atom."""
    form = SPECS[name].algebraic_table
    assert isinstance(form, Line)
    moments = dict(zip(("mean", "variance of a report"), mean_and_variance(form), strict=True))
    return {**form.cells(), **moments}[what]


def of_table(name: str, what: str) -> Any:
    """A derived quantity of a finite table, or one of its cells; variances are per user."""
    known = facts(name)
    support, tight, estimator = known.support, known.tight, known.estimator
    if what == "e^epsilon":
        assert tight is not None
        return tight.ratio
    if support is None:
        return SPECS[name].algebraic_table.cells()[what]
    assert isinstance(estimator, DerivedEstimator)
    size: Any = SPECS[name].algebraic_table.values
    at_zero = known.variance_at_zero / n
    everywhere = known.variance / n
    summed = size * at_zero + (everywhere - at_zero) / f
    return {
        "variance at f = 0": at_zero,
        "variance": everywhere,
        # Summed over all values, whose shares sum to 1: linear in f, so whatever the shares are.
        "variance summed": summed,
        "risk at uniform shares": summed + 1 - 1 / size,
        "p*": support.p_star,
        "q*": support.q_star,
        "weight of a support": estimator.supported,
        "weight of another report": estimator.otherwise,
        "difference of weights": estimator.supported - estimator.otherwise,
    }[what]


@cache
def ours(name: str, what: str) -> Any:
    """A derived quantity in the symbols of this module."""
    of = of_line if isinstance(SPECS[name].table, Line) else of_table
    found = sympy.sympify(of(name, what))
    return found.xreplace(
        {symbol: sympy.Symbol(symbol.name, positive=True) for symbol in found.free_symbols - {f}}
    )


_NUMBERS = "u=7 s=3 k=5 g=11/4 omega=2 b=3/8 gamma=1/5 K=7 p=3/4 q=2/7 Q=31 x=1/5 f=2/5 n=1"
_NUMBERS += " noise=3/7 low=1/6 high=5/8 buckets=6 keep_1=3/5 keep_2=2/3 zero_1=1/9 zero_2=2/9 d=3"
_NUMBERS += (
    " keep=3/8 kept=8/5 raised=9/4 alpha=5/9 eps=6/5 one=5/7 zero=1/8 fake=1/4 ever=9 once=4"
)
_NUMBERS += " theta=3/5"
POINT = {name: sympy.Rational(value) for name, value in (e.split("=") for e in _NUMBERS.split())}
"""A value for every symbol, at which no two different formulas of the table agree."""


@dataclass(frozen=True)
class Published:
    """A formula of a publication.

    Attributes:
        source: author, year, and what of it.
        spec, what: what of which spec it is compared with, as in `ours`.
        formula: as it is printed, in u = e^eps, s = e^(eps/2) and the names above.
        put: what the publication has chosen for symbols of ours, or calls them.
        differs: ours less the printed one, exactly; 0 where they agree.
        because: why they differ.
    """

    source: str
    spec: str
    what: str
    formula: Any
    put: tuple[tuple[Any, Any], ...] = ()
    differs: Any = sympy.S.Zero
    because: str = ""

    def remainder(self) -> Any:
        """Return the numerator of our value less the printed one, less the stated difference.

        0 where the entry is right. Expanding decides it, in less time than cancelling.
        """
        return sympy.expand(sympy.fraction(sympy.together(self._left()))[0])

    def remainder_at(self, point: Mapping[str, Any]) -> Any:
        """Ours less the printed one, less the stated difference, at one point, to 40 digits."""
        left = self._left()
        at = {symbol: point[symbol.name] for symbol in left.free_symbols}
        return sympy.N(left.subs(at, simultaneous=True), 40)

    def _left(self) -> Any:
        mine = ours(self.spec, self.what).subs(dict(self.put), simultaneous=True)
        return mine - self.formula - self.differs


WANG = "Wang, Blocki, Li, Jha 2017"
KAIROUZ = "Kairouz, Bonawitz, Ramage 2016"
YE = "Ye, Barg 2018"
ACHARYA = "Acharya, Sun, Zhang 2019"
ERLINGSSON = "Erlingsson, Pihur, Korolova 2014"
APPLE = "Apple 2017"
DUCHI = "Duchi, Jordan, Wainwright 2018"
NUMERIC = "Wang, Xiao, Yang, Zhao, Hui, Shin, Shin, Yu 2019"
LI = "Li, Wang, Lopuhaa-Zwakenberg, Li, Skoric 2020"
FELDMAN = "Feldman, Nelson, Nguyen, Talwar 2022"
ARCOLEZI = "Arcolezi, Couchot, Al Bouna, Xiao 2022"
WARNER = "Warner 1965"

APPROXIMATE = (
    "printed as an approximation for rare values, exact at f = 0; here the term in f is kept"
)
DRAWN = (
    "printed for users whose values are drawn independently, which alone adds f (1 - f) per user; "
    "here the values are given"
)

OF_FREQUENCIES = [
    Published(f"{WANG}, variance of DE", "grr", "variance at f = 0", (k - 2 + u) / (u - 1) ** 2),
    Published(f"{WANG}, variance of SUE", "sue", "variance at f = 0", s / (s - 1) ** 2),
    Published(f"{WANG}, variance of OUE", "oue", "variance at f = 0", 4 * u / (u - 1) ** 2),
    Published(f"{WANG}, variance of BLH", "blh", "variance at f = 0", (u + 1) ** 2 / (u - 1) ** 2),
    Published(
        f"{WANG}, variance of OLH at g = e^eps + 1",
        "olh",
        "variance at f = 0",
        4 * u / (u - 1) ** 2,
        put=((g, u + 1),),
    ),
    Published(
        f"{WANG}, variance of local hashing at any g",
        "olh",
        "variance at f = 0",
        (u - 1 + g) ** 2 / ((u - 1) ** 2 * (g - 1)),
    ),
    Published(f"{WANG}, p of DE", "grr", "p*", u / (u + k - 1)),
    Published(f"{WANG}, q of DE", "grr", "q*", 1 / (u + k - 1)),
    Published(f"{WANG}, p of SUE", "sue", "p*", s / (s + 1)),
    Published(f"{WANG}, q of OUE", "oue", "q*", 1 / (u + 1)),
    Published(f"{WANG}, p* of OLH", "olh", "p*", u / (u + g - 1)),
    Published(f"{WANG}, q* of OLH", "olh", "q*", 1 / g),
    Published(
        f"{WANG}, epsilon of unary encoding",
        "ue",
        "e^epsilon",
        p * (1 - q) / ((1 - p) * q),
        put=tuple(zip(_symbols("one zero"), (p, q), strict=True)),
    ),
    Published(
        f"{WANG}, variance of a pure protocol, for unary encoding",
        "ue",
        "variance",
        q * (1 - q) / (p - q) ** 2 + f * (1 - p - q) / (p - q),
        put=tuple(zip(_symbols("one zero"), (p, q), strict=True)),
    ),
    Published(
        f"{WANG}, variance of OUE, read at every f",
        "oue",
        "variance",
        4 * u / (u - 1) ** 2,
        differs=f,
        because=APPROXIMATE,
    ),
    Published(
        f"{WANG}, variance of DE, read at every f",
        "grr",
        "variance",
        (k - 2 + u) / (u - 1) ** 2,
        differs=f * (k - 2) / (u - 1),
        because=APPROXIMATE,
    ),
    Published(
        f"{KAIROUZ}, risk of k-RR less that of the sample",
        "grr",
        "variance summed",
        (k - 1) * (k + 2 * (u - 1)) / (u - 1) ** 2,
    ),
    Published(
        f"{KAIROUZ}, risk of k-RAPPOR less that of the sample",
        "sue",
        "variance summed",
        k * s / (s - 1) ** 2,
    ),
    Published(
        f"{YE}, risk of subset selection at the uniform distribution",
        "subset_selection",
        "risk at uniform shares",
        (k - 1) ** 2 * (omega * u + k - omega) ** 2 / (k * (u - 1) ** 2 * omega * (k - omega)),
    ),
    Published(f"{ACHARYA}, probability of C_x given x", "hadamard_response", "p*", u / (u + 1)),
    Published(
        f"{ACHARYA}, probability of C_x given another",
        "hadamard_response",
        "q*",
        sympy.Rational(1, 2),
    ),
    Published(
        f"{ACHARYA}, factor of the estimate",
        "hadamard_response",
        "difference of weights",
        2 * (u + 1) / (u - 1),
    ),
    Published(
        f"{FELDMAN}, alpha of the estimate, with c_set, c_int and K points of the space",
        "pgr",
        "difference of weights",
        ((u - 1) * (Q / q - 1) + (Q - 1)) / ((u - 1) * (Q / q - Q / q**2)),
    ),
    Published(
        f"{FELDMAN}, beta of the estimate",
        "pgr",
        "weight of another report",
        -((u - 1) * (Q / q**2 - 1) + (Q / q - 1)) / ((u - 1) * (Q / q - Q / q**2)),
    ),
    Published(
        f"{WARNER}, variance, with p = 1/2 + gamma",
        "warner",
        "variance",
        f * (1 - f) + 1 / (16 * (p - sympy.Rational(1, 2)) ** 2) - sympy.Rational(1, 4),
        put=((gamma, p - sympy.Rational(1, 2)),),
        differs=-f * (1 - f),
        because=DRAWN,
    ),
    Published(f"{APPLE}, probability of flipping an entry", "sue", "q*", 1 / (1 + s)),
]

_one = noise / 2 * (low + high) + (1 - noise) * high
_zero = noise / 2 * (low + high) + (1 - noise) * low
_gamma = f * (_one - _zero) + (noise / 2 * high + (1 - noise / 2) * low)

OVER_TIME = [
    Published(f"{ERLINGSSON}, q*", "basic_rappor", "p*", _one),
    Published(f"{ERLINGSSON}, p*", "basic_rappor", "q*", _zero),
    Published(
        f"{ERLINGSSON}, epsilon of one report at h = 1",
        "basic_rappor",
        "e^epsilon",
        _one * (1 - _zero) / (_zero * (1 - _one)),
    ),
    Published(
        f"{ARCOLEZI}, variance of two chained unary encodings, gamma (1 - gamma) over the squares",
        "basic_rappor",
        "variance",
        _gamma * (1 - _gamma) / ((1 - noise) * (high - low)) ** 2,
        differs=-f * (1 - f),
        because=DRAWN,
    ),
]

OF_NUMBERS = [
    Published(f"{DUCHI}, larger output", "duchi", "location1", (u + 1) / (u - 1)),
    Published(f"{DUCHI}, its probability", "duchi", "mass1", (x * (u - 1) + u + 1) / (2 * u + 2)),
    Published(
        f"{NUMERIC}, variance of Duchi et al.'s mechanism",
        "duchi",
        "variance of a report",
        ((u + 1) / (u - 1)) ** 2 - x**2,
    ),
    Published(
        f"{NUMERIC}, variance of the piecewise mechanism",
        "piecewise",
        "variance of a report",
        x**2 / (s - 1) + (s + 3) / (3 * (s - 1) ** 2),
    ),
    Published(
        f"{NUMERIC}, largest variance of the piecewise mechanism",
        "piecewise",
        "variance of a report",
        4 * s / (3 * (s - 1) ** 2),
        put=((x, 1),),
    ),
    Published(
        f"{NUMERIC}, largest variance of the hybrid mechanism above the switch",
        "hybrid",
        "variance of a report",
        (s + 3) / (3 * s * (s - 1)) + (s**2 + 1) ** 2 / (s * (s**2 - 1) ** 2),
    ),
    Published(f"{LI}, density within b", "square_wave", "level1", u / (2 * b * u + 1)),
    Published(f"{LI}, density elsewhere", "square_wave", "level0", 1 / (2 * b * u + 1)),
]

FIRST = [*OF_FREQUENCIES, *OVER_TIME, *OF_NUMBERS]
"""Every entry of this module; `published_more` has the others."""
