"""Spec expressions as Coq terms over the reals, written as they stand.

Nothing is simplified on the way: the tree that sympy holds is the tree that Coq gets. Only
e^(c eps) is written as a power of the one generator of the mechanism.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import sympy
from sympy.polys.fields import FracField

from ldp_verified.prove.coq.library import defined_names, proofs_folder

_WORDS = """
as at cofix else end exists exists2 fix for forall fun if IF in let match mod Prop return Set SProp
then Type using where with by Definition Theorem Lemma Proof Qed Section End
exp ln INR IZR R Z S O pow list nat bool sum_over count indicator mech dom outs pr v xs x y z one
zero Y contains blocks structure values n f lra lia nil cons seq share estimate design matrix cell
Phi known Zero I conj eq_refl eq_trans or_introl or_intror ex_intro f_equal True False not and or
t bound_ marks x' Some In length prime Nat right left outside private
INR_IZR_INZ INR_le Rgt_not_eq Rle_trans Rlt_le Rlt_trans exp_ln plus_IZR mult_IZR opp_IZR
"""
RESERVED = frozenset(_WORDS.split())

LABEL = re.compile(r".*_(lower|upper|above|below|real|known|exist|power|prime|range|also_\d+)")
"""Names of this form are hypotheses of the printed theorems."""


MOST_KNOWN = 2**15
"""Expressions whose forms are kept."""


class NotCertifiedError(Exception):
    """No certificate was found, or the mechanism is of a form that is not printed; says why."""


def identifiers(names: Iterable[str], taken: Iterable[str] = (), own: str = "") -> list[str]:
    """Find identifiers for names, different ones for different names.

    Each is as it was, or with underscores behind it where Coq, the library, a hypothesis or another
    one uses it; or with `p_` before it where the mechanism's definitions begin like it.

    Args:
        names: what is to be spelled. taken: further names that are used otherwise.
        own: the mechanism's name.
    """
    used = {*RESERVED, *taken, *defined_names(proofs_folder())}
    found = []
    for name in names:
        spelled = f"p_{name}" if own and f"{name}_".startswith(f"{own}_") else name
        while spelled in used or LABEL.fullmatch(spelled):
            spelled += "_"
        used.add(spelled)
        found.append(spelled)
    return found


@dataclass(frozen=True)
class Spelling:
    """How symbols are written.

    Attributes:
        atoms: symbol -> Coq term that binds tighter than any operator (`k`, `INR k`, `(u + 1)`).
        eps: the epsilon symbol that may stand in exponents only, or None.
        root: the generator is e^(eps/root).
        generator: the generator as an atom (`u`, `exp eps`, `exp (eps / 2)`).
    """

    atoms: Mapping[Any, str]
    eps: Any
    root: int
    generator: str
    _texts: dict[Any, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    def with_atom(self, symbol: Any, atom: str) -> Spelling:
        """This spelling but for one symbol."""
        return replace(self, atoms={**self.atoms, symbol: atom})

    def real(self, value: Any) -> str:
        """`value` as a term of type R.

        Raises:
            NotCertifiedError: it holds something that is not a rational function of the symbols and
                the generator.
        """
        if value not in self._texts:
            self._texts[value] = self._write(sympy.sympify(value), 0)
        return self._texts[value]

    def atom(self, value: Any) -> str:
        """`value` as a term of type R, in parentheses where it is not an atom."""
        return self._write(sympy.sympify(value), 4)

    def _write(self, value: Any, level: int) -> str:
        """Levels: 0 sum, 1 term of a sum, 2 factor, 3 base of a power, 4 argument."""
        text, own = self._text(value)
        return f"({text})" if own < level else text

    def _text(self, value: Any) -> tuple[str, int]:
        if value.is_Integer:
            return (str(value), 4) if value >= 0 else (f"- {-value}", 0)
        if value.is_Rational:
            text = f"{abs(value.p)} / {value.q}"
            return (text, 1) if value > 0 else (f"- ({text})", 0)
        if value.is_Symbol:
            if value not in self.atoms:
                raise NotCertifiedError(f"{value} stands outside e^{value}, which no proof covers")
            text = self.atoms[value]
            return text, 4 if " " not in text or text.startswith("(") else 3
        if value.is_Add:
            return self._sum(value), 0
        if value.is_Mul or value.is_Pow or isinstance(value, sympy.exp):
            return self._product(value)
        if isinstance(value, sympy.log):
            return f"ln {self._write(value.args[0], 4)}", 3
        raise NotCertifiedError(f"{type(value).__name__} is not written in Coq: {value}")

    def _sum(self, value: Any) -> str:
        text = ""
        for term in value.as_ordered_terms():
            negative = term.could_extract_minus_sign()
            shown = self._write(-term if negative else term, 1)
            if text:
                text += f" {'-' if negative else '+'} {shown}"
            else:
                text = f"- {shown}" if negative else shown
        return text

    def _product(self, value: Any) -> tuple[str, int]:
        above: list[tuple[Any, int]] = []
        below: list[tuple[Any, int]] = []
        negative = False
        for part in value.as_ordered_factors() if value.is_Mul else [value]:
            if part.is_Rational:
                negative ^= bool(part < 0)
                if abs(part.p) != 1:
                    above.append((sympy.Integer(abs(part.p)), 1))
                if part.q != 1:
                    below.append((sympy.Integer(part.q), 1))
                continue
            base, power = self._power(part)
            (above if power > 0 else below).append((base, abs(power)))
        if len(above) + len(below) == 1 and above and not negative:
            base, power = above[0]
            if power == 1:
                return self._text(base) if not isinstance(base, str) else (base, 3)
            return f"{self._factor(base, 3)} ^ {power}", 2
        text = " * ".join(self._raised(b, p) for b, p in above) or "1"
        if below:
            bottom = " * ".join(self._raised(b, p) for b, p in below)
            single = len(below) == 1
            text += f" / {bottom}" if single else f" / ({bottom})"
        return (f"- ({text})", 0) if negative else (text, 1)

    def _power(self, part: Any) -> tuple[Any, int]:
        if isinstance(part, sympy.exp):
            coefficient = sympy.Integer(0) if self.eps is None else part.args[0] / self.eps
            power = coefficient * self.root
            if not power.is_Integer or power == 0:
                raise NotCertifiedError(f"{part} is no power of the generator")
            return self.generator, int(power)
        base, power = part.as_base_exp()
        if not power.is_Integer:
            raise NotCertifiedError(f"{part} has an exponent that is no integer")
        if isinstance(base, sympy.exp):
            inner, exponent = self._power(base)
            return inner, exponent * int(power)
        return base, int(power)

    def _factor(self, base: Any, level: int) -> str:
        return base if isinstance(base, str) else self._write(base, level)

    def _raised(self, base: Any, power: int) -> str:
        if power == 1:
            return self._factor(base, 2)
        return f"{self._factor(base, 3)} ^ {power}"


@lru_cache(maxsize=MOST_KNOWN)
def together(value: Any) -> Any:
    """`sympy.together`, once for each expression: variants of a table have most cells in common."""
    return sympy.together(value)


@lru_cache(maxsize=MOST_KNOWN)
def cancelled(value: Any) -> Any:
    """The value over one denominator, in lowest terms, as `sympy.cancel` has it.

    In a field of fractions that takes a seventh of the time.
    """
    symbols = sorted(value.free_symbols, key=str)
    try:
        fraction = FracField(symbols, sympy.ZZ, "lex").from_expr(value) if symbols else None
    except ValueError:  # a root, say
        fraction = None
    if fraction is None:
        return sympy.cancel(together(value))
    sign = -1 if fraction.denom.LC < 0 else 1
    return (sign * fraction.numer).as_expr() / (sign * fraction.denom).as_expr()
